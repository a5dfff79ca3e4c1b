//! Words of records from an index of words beside them.
//!
//! A search index for scripts maps each word to the positions of the records that contain it. The words of a record
//! replace its text, which such an index does not hold.

use super::table::{RowSource, is_word_index};
use serde_json::{Map, Value};

/// Bytes of words per record. Guess.
const MAX_BYTES: usize = 32 << 10;

/// Words of each record, in the order of the index; empty if the records have no such index.
pub fn words_of_rows(rows: &[RowSource<'_>]) -> Vec<String> {
    let Some(RowSource::Position(_, Value::Object(object))) = rows.first() else { return Vec::new() };
    let mut words = vec![String::new(); rows.len()];
    for index in
        object.values().filter_map(Value::as_object).filter(|index| is_posting_list(index, rows.len()))
    {
        for (word, positions) in index {
            for at in positions_in(positions) {
                if let Some(text) = words.get_mut(at).filter(|text| text.len() < MAX_BYTES) {
                    text.push_str(word);
                    text.push(' ');
                }
            }
        }
    }
    words
}

/// True if every value is a position of a record, or a list of positions.
fn is_posting_list(index: &Map<String, Value>, rows: usize) -> bool {
    let is_position = |value: &Value| value.as_u64().is_some_and(|at| at < rows as u64);
    let is_posting = |value: &Value| match value {
        Value::Array(positions) => positions.iter().all(is_position),
        value => is_position(value),
    };
    is_word_index(index) && index.values().all(is_posting)
}

fn positions_in(value: &Value) -> impl Iterator<Item = usize> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_else(|| std::slice::from_ref(value));
    list.iter().filter_map(Value::as_u64).map(|at| at as usize)
}
