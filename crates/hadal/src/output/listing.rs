//! Columns and cells of a listing.
//!
//! A type of row defines its columns once. Table, JSON lines, CSV and Parquet all use this definition. Column
//! names are a contract with scripts.

use super::escape::for_json;
use crate::report::values::{table_time, timestamp};
use hadal_core::time::Time;
use serde_json::Value;

/// A row that can be listed.
pub trait Listed {
    /// Columns in the order of every format.
    const COLUMNS: &'static [Column];

    /// Cells, one per column.
    fn cells(&self) -> Vec<Cell>;
}

/// A column of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in every export.
    pub name: &'static str,
    pub kind: CellKind,
    /// Heading in tables; `None` leaves the column out of tables.
    pub heading: Option<&'static str>,
    /// Left out of a table before other columns when the terminal is narrow.
    pub is_detail: bool,
}

impl Column {
    /// Column without a place in tables unless it has a heading.
    pub const fn new(name: &'static str, kind: CellKind, heading: Option<&'static str>) -> Column {
        Column { name, kind, heading, is_detail: false }
    }

    /// The same column, left out of narrow tables before others.
    pub const fn detail(self) -> Column {
        Column { is_detail: true, ..self }
    }
}

/// Type of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    Text,
    /// A short text that tables never shorten: an id or a name.
    Word,
    /// A whole number.
    Count,
    /// Probability or other real number.
    Measure,
    /// True or false.
    Flag,
    /// A time: RFC 3339 text in UTC, or a timestamp in Parquet.
    Time,
    /// Structured value: JSON, or JSON as text in CSV and Parquet.
    Nested,
    /// Estimate with its interval: structured as [`CellKind::Nested`], and never shortened in tables.
    Interval,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Text(String),
    /// A whole number.
    Count(u64),
    /// Real number, rounded for display.
    Measure(f64),
    /// True or false.
    Flag(bool),
    /// A time on the clock of a run or harvest.
    Time(Time),
    /// Structured value with a short text for tables.
    Nested {
        /// JSON text with keys in the documented order.
        json: String,
        /// Text shown in tables.
        brief: String,
    },
    /// Unknown value of any type.
    Missing,
}

impl Cell {
    /// Cell of an optional value.
    pub fn of<T>(known: Option<T>, cell: impl FnOnce(T) -> Cell) -> Cell {
        known.map_or(Cell::Missing, cell)
    }

    /// Formats the cell as JSON.
    pub fn json(&self) -> String {
        match self {
            Cell::Text(text) => for_json(Value::from(text.as_str()).to_string()),
            Cell::Count(count) => count.to_string(),
            Cell::Measure(measure) => Value::from(*measure).to_string(),
            Cell::Flag(flag) => flag.to_string(),
            Cell::Time(time) => format!("\"{}\"", timestamp(*time)),
            Cell::Nested { json, .. } => for_json(json.clone()),
            Cell::Missing => "null".to_string(),
        }
    }

    /// Formats the cell as unescaped plain text.
    pub fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Time(time) => timestamp(*time),
            Cell::Nested { json, .. } => json.clone(),
            Cell::Missing => String::new(),
            other => other.json(),
        }
    }

    /// Formats the cell as unescaped text for a table.
    pub fn table_text(&self) -> String {
        match self {
            Cell::Measure(measure) => format!("{measure:.2}"),
            Cell::Flag(flag) => if *flag { "yes" } else { "no" }.to_string(),
            Cell::Nested { brief, .. } => brief.clone(),
            Cell::Time(time) => table_time(*time),
            other => other.text(),
        }
    }
}

/// Rounds a probability to four decimals for export; NaN becomes zero.
pub fn rounded(p: f32) -> f64 {
    let p = f64::from(p);
    if p.is_finite() { (p * 1e4).round() / 1e4 } else { 0.0 }
}
