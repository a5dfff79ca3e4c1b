//! Parts of records that are stored apart from them: words and addresses.
//!
//! A search index for scripts maps each word to the positions of the records that contain it. The words of a record
//! replace its text, which such an index does not hold. Addresses may be a separate list, in the order of the
//! records' numbers.

use super::columns::looks_like_address;
use super::table::{RowSource, is_word_index};
use serde_json::{Map, Value};

/// Maximum depth of nested values in which a list of addresses is searched. Guess.
const MAX_DEPTH: u32 = 4;
/// Maximum number of bytes of words kept per record. Guess.
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

/// Addresses of records, from a list of addresses that is as long as the list of records. Records in an object are
/// numbered by their keys, others by their order.
pub fn addresses_of_rows<'v>(value: &'v Value, rows: &[RowSource<'_>]) -> Vec<&'v str> {
    let Some(list) = address_list(value, rows.len(), 0) else { return Vec::new() };
    let number =
        |(nth, row): (usize, &RowSource<'_>)| row.key().and_then(|key| key.parse().ok()).unwrap_or(nth);
    let address = |at: usize| list.get(at).and_then(Value::as_str).unwrap_or_default();
    rows.iter().enumerate().map(number).map(address).collect()
}

fn address_list(value: &Value, length: usize, depth: u32) -> Option<&Vec<Value>> {
    let is_address = |value: &Value| value.as_str().is_some_and(looks_like_address);
    match value {
        _ if depth > MAX_DEPTH => None,
        Value::Array(items) if items.len() == length && items.iter().all(is_address) => Some(items),
        Value::Object(object) => object.values().find_map(|value| address_list(value, length, depth + 1)),
        _ => None,
    }
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
