//! Extractors for request parameters, and pages of lists. Invalid input is answered with a JSON error.

use super::error::ApiError;
use axum::extract::{FromRequest, FromRequestParts, Json, Path, Query, Request};
use http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use utoipa::IntoParams;

/// Extractor of query parameters with our error body.
pub struct UrlParams<T>(pub T);

/// Integer that every JSON client represents exactly.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "f64")]
pub struct Number(pub u64);

impl Number {
    /// Largest integer that a JSON number represents exactly.
    pub const MAX_EXACT: u64 = (1 << 53) - 1;
}

impl TryFrom<f64> for Number {
    type Error = &'static str;

    fn try_from(given: f64) -> Result<Number, &'static str> {
        let is_whole = given.fract() == 0.0 && (0.0..=Number::MAX_EXACT as f64).contains(&given);
        if is_whole { Ok(Number(given as u64)) } else { Err("expected an integer from 0 to 2^53 - 1") }
    }
}

/// Extractor of path parameters with our error body.
pub struct PathParams<T>(pub T);

/// JSON body, an object.
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for UrlParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<UrlParams<T>, ApiError> {
        let read = Query::from_request_parts(parts, state).await;
        read.map(|Query(value)| UrlParams(value)).map_err(|error| ApiError::bad(error.body_text()))
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathParams<T>, ApiError> {
        let read = Path::from_request_parts(parts, state).await;
        read.map(|Path(value)| PathParams(value)).map_err(|error| ApiError::bad(error.body_text()))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, ApiError> {
        let read = Json::<Map<String, Value>>::from_request(request, state).await;
        let Json(object) = read.map_err(|error| ApiError::of(error.status(), error.body_text()))?;
        let wrong = |error: serde_json::Error| {
            ApiError::of(http::StatusCode::UNPROCESSABLE_ENTITY, format!("invalid body: {error}"))
        };
        serde_json::from_value(Value::Object(object)).map(Body).map_err(wrong)
    }
}

/// Default number of rows.
const DEFAULT_ROWS: usize = 50;
/// Maximum number of rows. Guess.
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
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    pub limit: Option<usize>,
}

/// Cursor for the next page if this one is full.
pub fn next_page<T>(rows: &[T], limit: usize, number: impl Fn(&T) -> u64) -> Option<u64> {
    rows.last().filter(|_| rows.len() == limit).map(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_whole_and_not_too_large() {
        let read = |text: &str| serde_json::from_str::<Number>(text).map(|number| number.0).ok();
        for (text, number) in
            [("0", Some(0)), ("7.0", Some(7)), ("9007199254740991", Some(Number::MAX_EXACT))]
        {
            assert_eq!(read(text), number, "{text}");
        }
        for text in ["-1", "0.5", "9007199254740993", "1e300", "null", "\"7\""] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
