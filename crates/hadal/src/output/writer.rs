//! Selects the writer of a listing by format.

use super::csv::Csv;
use super::jsonl::JsonLines;
use super::listing::{Cell, Listed};
use super::parquet::Parquet;
use super::table::TableListing;
use super::terminal::Screen;
use crate::choice::Choice;
use std::io::{self, Write};

/// Output format of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for people.
    Table,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values. A cell that a spreadsheet would execute gets a leading apostrophe.
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

/// Writes rows in one format.
pub trait RowWriter {
    /// Writes or buffers a row.
    fn row(&mut self, cells: &[Cell]) -> io::Result<()>;

    /// Writes buffered rows.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Creates the writer of a row type for a format.
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
