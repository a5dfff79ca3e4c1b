//! Where a listing goes, and in which format.

use super::csv::Csv;
use super::jsonl::JsonLines;
use super::listing::{Cell, Listed};
use super::parquet::Parquet;
use super::table::TableListing;
use super::terminal::Screen;
use crate::choice::Choice;
use std::io::{self, Write};

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for people.
    Table,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values; cells a spreadsheet would run get a leading apostrophe.
    Csv,
    /// A Parquet file with typed columns.
    Parquet,
}

impl Choice for Format {
    const CHOICES: &'static [(Format, &'static str, &'static str)] = &[
        (Format::Table, "table", "Aligned columns for people"),
        (Format::Jsonl, "jsonl", "One JSON object per line"),
        (
            Format::Csv,
            "csv",
            "Comma-separated values; a cell that a spreadsheet would execute gets a leading apostrophe",
        ),
        (Format::Parquet, "parquet", "A Parquet file with typed columns"),
    ];
}

/// Takes rows in one format.
pub trait RowWriter {
    /// Writes or keeps a row.
    fn row(&mut self, cells: &[Cell]) -> io::Result<()>;

    /// Writes what is left.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A writer of one kind of row in one format.
pub fn writer<R: Listed>(
    format: Format,
    out: impl Write + Send + 'static,
    screen: Screen,
) -> io::Result<Box<dyn RowWriter>> {
    Ok(match format {
        Format::Table => Box::new(TableListing::new(R::COLUMNS, screen, out)),
        Format::Jsonl => Box::new(JsonLines::new(R::COLUMNS, out)),
        Format::Csv => Box::new(Csv::new(R::COLUMNS, out)?),
        Format::Parquet => Box::new(Parquet::new(R::COLUMNS, out)?),
    })
}
