//! Pages of lists: how many rows, from where on.

use super::extract::Number;
use super::problem::Problem;
use serde::Deserialize;
use utoipa::IntoParams;

/// Rows on a page when nobody says how many.
const USUAL: usize = 50;
/// Rows on a page at most.
const MOST: usize = 1000;

/// How many rows are wanted.
pub fn limit(wanted: Option<usize>) -> Result<usize, Problem> {
    match wanted.unwrap_or(USUAL) {
        rows @ 1..=MOST => Ok(rows),
        _ => Err(Problem::bad(format!("limit is from 1 to {MOST}"))),
    }
}

/// A page of a list whose rows have numbers, the highest first.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Backward {
    /// Only rows with a lower number: `next` of the page before.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    pub before: Option<Number>,
    /// Rows at most.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    pub limit: Option<usize>,
}

/// The number to go on from, when a page is full.
pub fn next<T>(rows: &[T], limit: usize, number: impl Fn(&T) -> u64) -> Option<u64> {
    rows.last().filter(|_| rows.len() == limit).map(number)
}
