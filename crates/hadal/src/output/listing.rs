//! What a listing is made of: named columns and typed cells.
//!
//! A kind of row says once which columns it has; table, JSON lines, CSV and Parquet all follow from
//! that. Column names are part of the command line's contract.

use super::escape::for_json;
use serde_json::Value;

/// A row that can be listed.
pub trait Listed {
    /// Its columns, in the order every format keeps.
    const COLUMNS: &'static [Column];

    /// Its cells, one per column.
    fn cells(&self) -> Vec<Cell>;
}

/// A column of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in every export.
    pub name: &'static str,
    /// What its cells are.
    pub kind: CellKind,
    /// Heading in the table for people; `None` leaves it out there.
    pub heading: Option<&'static str>,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Text.
    Text,
    /// A whole number.
    Count,
    /// A probability or another measure.
    Measure,
    /// Yes or no.
    Flag,
    /// Something with parts: JSON, and in CSV and Parquet JSON as text.
    Nested,
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A measure, already rounded for people.
    Measure(f64),
    /// Yes or no.
    Flag(bool),
    /// Parts, with the few words a table shows for them.
    Nested {
        /// JSON text, keys in the documented order.
        json: String,
        /// What the table shows.
        brief: String,
    },
    /// Nothing is known, whatever the column holds otherwise.
    Missing,
}

impl Cell {
    /// What is known, or nothing.
    pub fn of<T>(known: Option<T>, cell: impl FnOnce(T) -> Cell) -> Cell {
        known.map_or(Cell::Missing, cell)
    }

    /// The cell as JSON text.
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

    /// The cell as plain text, not escaped for anything.
    pub fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Nested { json, .. } => json.clone(),
            Cell::Missing => String::new(),
            other => other.json(),
        }
    }

    /// The cell as a person reads it in a table, not escaped for anything.
    pub fn brief(&self) -> String {
        match self {
            Cell::Measure(measure) => format!("{measure:.2}"),
            Cell::Flag(flag) => if *flag { "yes" } else { "no" }.to_string(),
            Cell::Nested { brief, .. } => brief.clone(),
            other => other.text(),
        }
    }
}

/// A probability as it is exported: four decimals; what is no number counts as zero.
pub fn rounded(p: f32) -> f64 {
    let p = f64::from(p);
    if p.is_finite() { (p * 1e4).round() / 1e4 } else { 0.0 }
}
