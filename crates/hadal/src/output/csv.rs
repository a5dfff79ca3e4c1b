//! Rows as CSV (RFC 4180) with a heading line, safe to open in a spreadsheet.

use super::escape::{for_csv, for_terminal};
use super::listing::{Cell, Column};
use super::writer::RowWriter;
use std::io::{self, Write};

/// Writes one line per row.
pub struct Csv<W> {
    out: W,
}

impl<W: Write> Csv<W> {
    /// Writes the heading line.
    pub fn new(columns: &'static [Column], mut out: W) -> io::Result<Self> {
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        write!(out, "{}\r\n", names.join(","))?;
        Ok(Csv { out })
    }
}

impl<W: Write> RowWriter for Csv<W> {
    fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        let line: Vec<String> =
            cells.iter().map(|cell| for_csv(&for_terminal(&cell.text())).into_owned()).collect();
        write!(self.out, "{}\r\n", line.join(","))
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let mut out = self.out;
        out.flush()
    }
}
