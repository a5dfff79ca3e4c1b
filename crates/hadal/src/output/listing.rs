//! Columns and cells of a listing.
//!
//! A type of row defines its columns once. Table, JSON lines, CSV and Parquet all use this definition. Column
//! names are a contract with scripts.

use super::escape::for_json;
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
}

/// Type of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    Text,
    /// A whole number.
    Count,
    /// Probability or other real number.
    Measure,
    /// True or false.
    Flag,
    /// Structured value: JSON, or JSON as text in CSV and Parquet.
    Nested,
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
            Cell::Nested { json, .. } => for_json(json.clone()),
            Cell::Missing => "null".to_string(),
        }
    }

    /// Formats the cell as unescaped plain text.
    pub fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Nested { json, .. } => json.clone(),
            Cell::Missing => String::new(),
            other => other.json(),
        }
    }

    /// Formats the cell as unescaped text for a table.
    pub fn brief(&self) -> String {
        match self {
            Cell::Measure(measure) => format!("{measure:.2}"),
            Cell::Flag(flag) => if *flag { "yes" } else { "no" }.to_string(),
            Cell::Nested { brief, .. } => brief.clone(),
            other => other.text(),
        }
    }
}

/// Rounds a probability to four decimals for export; NaN becomes zero.
pub fn rounded(p: f32) -> f64 {
    let p = f64::from(p);
    if p.is_finite() { (p * 1e4).round() / 1e4 } else { 0.0 }
}
