//! Conversion between values and columns.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A column with JSON text.
pub struct Json<T>(pub T);

/// A column with a plain word or URL: a value that is a string in JSON, stored without the quotes.
pub struct Word<T>(pub T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(&self.0).map_err(unwritable)?;
        Ok(text.into())
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Json<T>> {
        serde_json::from_str(value.as_str()?).map(Json).map_err(FromSqlError::other)
    }
}

impl<T: Serialize> ToSql for Word<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match serde_json::to_value(&self.0).map_err(unwritable)? {
            Value::String(word) => Ok(word.into()),
            other => Err(unwritable(format!("not a word: {other}"))),
        }
    }
}

impl<T: DeserializeOwned> FromSql for Word<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Word<T>> {
        let word = Value::String(value.as_str()?.to_string());
        serde_json::from_value(word).map(Word).map_err(FromSqlError::other)
    }
}

/// The error for a value that cannot be encoded.
pub fn unwritable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(error.into())
}

/// A value in the postcard encoding, for columns that only hadal reads.
pub fn packed(value: &impl Serialize) -> rusqlite::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(unwritable)
}

/// An unsigned 64-bit number as SQLite stores it: with the same bits, so that large ones are negative.
pub fn bits(number: u64) -> i64 {
    number.cast_signed()
}

/// An unsigned 64-bit number from a column.
pub fn unsigned(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

/// The error for a column that cannot be decoded.
pub fn undecodable(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, Box::new(error))
}

/// A number of rows as the operand of `LIMIT`.
pub fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
