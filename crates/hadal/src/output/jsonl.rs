//! Rows as JSON lines with keys in column order.

use super::listing::{Cell, Column};
use super::writer::RowWriter;
use serde_json::Value;
use std::io::{self, Write};

/// Writes one object per row.
pub struct JsonLines<W> {
    columns: &'static [Column],
    out: W,
}

impl<W: Write> JsonLines<W> {
    pub fn new(columns: &'static [Column], out: W) -> Self {
        JsonLines { columns, out }
    }
}

impl<W: Write> RowWriter for JsonLines<W> {
    fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        let pair = |(column, cell): (&Column, &Cell)| format!("{}:{}", Value::from(column.name), cell.json());
        let pairs: Vec<String> = self.columns.iter().zip(cells).map(pair).collect();
        writeln!(self.out, "{{{}}}", pairs.join(","))
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let mut out = self.out;
        out.flush()
    }
}
