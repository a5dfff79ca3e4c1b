//! Conversion between values and columns.

use super::fault::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

/// Character that introduces an escaped one. It is not assigned to any text.
const ESCAPE: char = '\u{fdd0}';

/// Text for a column. PostgreSQL stores every character except NUL, which is escaped.
pub fn text(plain: &str) -> String {
    if !plain.contains(['\0', ESCAPE]) {
        return plain.to_string();
    }
    plain.replace(ESCAPE, "\u{fdd0}1").replace('\0', "\u{fdd0}0")
}

/// Text from a column.
pub fn plain(stored: String) -> String {
    if !stored.contains(ESCAPE) {
        return stored;
    }
    stored.replace("\u{fdd0}0", "\0").replace("\u{fdd0}1", "\u{fdd0}")
}

/// JSON text for a column.
pub fn json(value: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(Fault::damaged)
}

/// A value that is a string in JSON, without its quotes.
pub fn word(value: &impl Serialize) -> Result<String, Fault> {
    match serde_json::to_value(value).map_err(Fault::damaged)? {
        Value::String(word) => Ok(word),
        other => Err(Fault::damaged(format!("not a word: {other}"))),
    }
}

/// A value in the postcard encoding, for columns that only hadal reads.
pub fn packed(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    postcard::to_stdvec(value).map_err(Fault::damaged)
}

/// An unsigned 64-bit number with the same bits, so that large ones are negative.
pub fn bits(number: u64) -> i64 {
    number.cast_signed()
}

/// A 32-bit number in a column of 64 bits.
pub fn wide(number: u32) -> i64 {
    i64::from(number)
}

/// A number of rows as the operand of `LIMIT`.
pub fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Reading of columns.
pub trait Columns {
    fn column<'a, T: FromSql<'a>>(&'a self, at: usize) -> Result<T, Fault>;

    fn unsigned(&self, at: usize) -> Result<u64, Fault> {
        self.column::<i64>(at).map(i64::cast_unsigned)
    }

    /// A number that was stored by [`wide`] or as a shorter one.
    fn number<T: TryFrom<i64>>(&self, at: usize) -> Result<T, Fault> {
        T::try_from(self.column::<i64>(at)?).map_err(|_| Fault::damaged("a number is out of range"))
    }

    fn text(&self, at: usize) -> Result<String, Fault> {
        self.column(at).map(plain)
    }

    fn optional_text(&self, at: usize) -> Result<Option<String>, Fault> {
        Ok(self.column::<Option<String>>(at)?.map(plain))
    }

    fn json<T: DeserializeOwned>(&self, at: usize) -> Result<T, Fault> {
        serde_json::from_str(self.column(at)?).map_err(Fault::damaged)
    }

    fn optional_json<T: DeserializeOwned>(&self, at: usize) -> Result<Option<T>, Fault> {
        let stored: Option<&str> = self.column(at)?;
        stored.map(|text| serde_json::from_str(text).map_err(Fault::damaged)).transpose()
    }

    fn word<T: DeserializeOwned>(&self, at: usize) -> Result<T, Fault> {
        serde_json::from_value(Value::String(self.column(at)?)).map_err(Fault::damaged)
    }

    fn optional_word<T: DeserializeOwned>(&self, at: usize) -> Result<Option<T>, Fault> {
        let stored: Option<String> = self.column(at)?;
        stored.map(|word| serde_json::from_value(Value::String(word)).map_err(Fault::damaged)).transpose()
    }

    fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(&self, at: usize) -> Result<T, Fault> {
        self.column::<&str>(at)?.parse().map_err(Fault::damaged)
    }

    fn packed<T: DeserializeOwned>(&self, at: usize) -> Result<T, Fault> {
        postcard::from_bytes(self.column(at)?).map_err(Fault::damaged)
    }

    fn optional_packed<T: DeserializeOwned>(&self, at: usize) -> Result<Option<T>, Fault> {
        let stored: Option<&[u8]> = self.column(at)?;
        stored.map(|bytes| postcard::from_bytes(bytes).map_err(Fault::damaged)).transpose()
    }
}

impl Columns for Row {
    fn column<'a, T: FromSql<'a>>(&'a self, at: usize) -> Result<T, Fault> {
        self.try_get(at).map_err(Fault::damaged)
    }
}

/// Text search expression for all of some words. Words are quoted, so that no character is an operator.
pub fn all_words(words: &[String]) -> String {
    let quoted = |word: &String| format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''"));
    words.iter().map(quoted).collect::<Vec<_>>().join(" & ")
}

/// SQL of a condition on an optional parameter. The text `{}` stands for the parameter.
pub fn condition(
    conditions: &mut Vec<String>,
    values: &mut Vec<super::connection::Value>,
    sql: &str,
    value: super::connection::Value,
) {
    values.push(value);
    conditions.push(sql.replace("{}", &format!("${}", values.len())));
}

/// `WHERE` clause of some conditions.
pub fn where_all(conditions: &[String]) -> Cow<'static, str> {
    if conditions.is_empty() { "".into() } else { format!("WHERE {}", conditions.join(" AND ")).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_stored_without_nul_and_read_as_it_was() {
        for written in ["", "plain", "a\0b", "\u{fdd0}", "\u{fdd0}0\0\u{fdd0}1\0\0"] {
            let stored = text(written);
            assert!(!stored.contains('\0'));
            assert_eq!(plain(stored), written);
        }
    }

    #[test]
    fn words_of_a_search_are_quoted() {
        assert_eq!(all_words(&["a".into(), "l'\u{e9}t\u{e9}".into()]), "'a' & 'l''\u{e9}t\u{e9}'");
    }
}
