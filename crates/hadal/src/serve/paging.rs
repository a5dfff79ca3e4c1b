//! Paging of lists.

use super::error::ApiError;
use super::extract::Number;
use serde::Deserialize;
use utoipa::IntoParams;

/// Default number of rows.
const DEFAULT_ROWS: usize = 50;
/// Greatest number of rows. Guess.
const MAX_ROWS: usize = 1000;

/// Checks the requested number of rows.
pub fn limit(wanted: Option<usize>) -> Result<usize, ApiError> {
    match wanted.unwrap_or(DEFAULT_ROWS) {
        rows @ 1..=MAX_ROWS => Ok(rows),
        _ => Err(ApiError::bad(format!("limit must be from 1 to {MAX_ROWS}"))),
    }
}

/// Page of a list with numbered rows, highest number first.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageBefore {
    /// Only rows with a lower number: `next` of the previous page.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    pub before: Option<Number>,
    /// Greatest number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    pub limit: Option<usize>,
}

/// Cursor for the next page if this one is full.
pub fn next<T>(rows: &[T], limit: usize, number: impl Fn(&T) -> u64) -> Option<u64> {
    rows.last().filter(|_| rows.len() == limit).map(number)
}
