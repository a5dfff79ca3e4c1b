//! Candidate lists of records in a value.
//!
//! Records may be the objects or arrays in an array, the objects in an object with ids as keys, or the positions of
//! several arrays of equal length in one object. Lists of the same path are one candidate: the path writes `[]` for any
//! position and `{}` for any key. An object that maps many words to numbers or lists is an index of words and holds no
//! records.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Maximum depth of nested values that are searched for lists. Guess.
const MAX_DEPTH: usize = 14;
/// Maximum depth of nested values of one record. Guess.
const MAX_ROW_DEPTH: usize = 6;
/// Maximum number of lists of one value. Guess.
const MAX_TABLES: usize = 200;
/// Maximum number of records of one value. Guess.
const MAX_ROWS: usize = 500_000;
/// Least number of entries of an object that may be an index of words. Guess.
const MIN_INDEX_ENTRIES: usize = 20;
/// Least number of entries of an object without numeric keys whose values may be records. Guess.
const MIN_KEYED_ROWS: usize = 3;
/// Maximum number of cells of one record. Guess.
const MAX_CELLS: usize = 80;
/// Longest text of a cell, in bytes. Guess.
const MAX_CELL_BYTES: usize = 64 << 10;

/// Candidate list of records.
pub struct Table<'v> {
    /// Path of the list.
    pub path: String,
    pub rows: Vec<RowSource<'v>>,
}

/// One record of a list.
#[derive(Clone)]
pub enum RowSource<'v> {
    /// An item of an array, or an object with its key.
    Item(Option<&'v str>, &'v Value),
    /// A position of arrays of equal length, with the object or array that holds them.
    Position(usize, &'v Value),
}

/// A named scalar of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell<'v> {
    /// Keys from the record to the scalar, joined by dots.
    pub column: String,
    pub value: Cow<'v, str>,
    /// The scalar belongs to one of several objects in a list of the record.
    pub is_nested: bool,
    /// The scalar is a text, not a number.
    pub is_text: bool,
}

/// Lists of records in a value. Outer lists come first, so that the many lists inside a search index do not use up the
/// limit before the list of its documents is reached.
pub fn tables(value: &Value) -> Vec<Table<'_>> {
    let mut found = TableSearch::default();
    found.waiting.push_back((value, String::new(), 0));
    while let Some((value, path, depth)) = found.waiting.pop_front() {
        found.visit(value, path, depth);
    }
    found.tables
}

/// Longest key that is read, in bytes. Guess.
pub(super) const MAX_KEY: usize = 200;

#[derive(Default)]
struct TableSearch<'v> {
    /// Values to visit, with their paths and depths.
    waiting: VecDeque<(&'v Value, String, usize)>,
    tables: Vec<Table<'v>>,
    by_path: FxHashMap<String, usize>,
    rows: usize,
}

impl<'v> TableSearch<'v> {
    fn visit(&mut self, value: &'v Value, path: String, depth: usize) {
        match value {
            _ if depth > MAX_DEPTH => {}
            Value::Array(items) => self.visit_array(value, items, path, depth),
            Value::Object(object) => self.visit_object(value, object, path, depth),
            _ => {}
        }
    }

    fn visit_array(&mut self, array: &'v Value, items: &'v [Value], path: String, depth: usize) {
        if let Some(length) = parallel_length(items) {
            let rows = (0..length).map(|at| RowSource::Position(at, array)).collect();
            return self.add(&format!("{path}|"), rows);
        }
        if is_list_of_records(items) {
            let rows = items.iter().filter(|item| !item.is_null()).map(|item| RowSource::Item(None, item));
            self.add(&path, rows.collect());
        }
        for item in items.iter().filter(|item| item.is_object() || item.is_array()) {
            self.waiting.push_back((item, format!("{path}[]"), depth + 1));
        }
    }

    fn visit_object(&mut self, value: &'v Value, object: &'v Map<String, Value>, path: String, depth: usize) {
        if is_word_index(object) {
            return;
        }
        let is_keyed = is_keyed_list(object);
        if is_keyed {
            let row = |(key, value): (&'v String, &'v Value)| RowSource::Item(Some(key), value);
            self.add(&format!("{path}{{}}"), object.iter().map(row).collect());
        }
        if let Some(length) = column_length(object) {
            let rows = (0..length).map(|at| RowSource::Position(at, value)).collect();
            self.add(&format!("{path}|"), rows);
        }
        let holds = |(key, below): &(&String, &Value)| key.len() <= MAX_KEY && !is_scalar(below);
        for (key, below) in object.iter().filter(holds) {
            let path = if is_keyed { format!("{path}{{}}") } else { format!("{path}.{key}") };
            self.waiting.push_back((below, path, depth + 1));
        }
    }

    fn add(&mut self, path: &str, rows: Vec<RowSource<'v>>) {
        self.rows += rows.len();
        if self.rows > MAX_ROWS {
            return;
        }
        match self.by_path.get(path) {
            Some(at) => self.tables[*at].rows.extend(rows),
            None if self.tables.len() < MAX_TABLES => {
                self.by_path.insert(path.to_string(), self.tables.len());
                self.tables.push(Table { path: path.to_string(), rows });
            }
            None => {}
        }
    }
}

/// Length of the arrays in an answer such as `["word", ["title", ...], ["url", ...]]`, as search boxes get for
/// suggestions.
fn parallel_length(items: &[Value]) -> Option<usize> {
    let columns: Option<Vec<&Vec<Value>>> = items.iter().skip(1).map(Value::as_array).collect();
    let columns = columns.filter(|columns| columns.len() > 1 && items[0].is_string())?;
    let is_even =
        columns.iter().all(|column| column.len() == columns[0].len() && column.iter().all(is_scalar));
    (is_even && !columns[0].is_empty()).then_some(columns[0].len())
}

/// True for objects, rows of scalars, and texts.
fn is_list_of_records(items: &[Value]) -> bool {
    let is_row = |item: &Value| match item {
        Value::Object(_) | Value::String(_) => true,
        Value::Array(cells) => cells.len() > 1 && cells.iter().all(is_scalar),
        _ => false,
    };
    let rows = items.iter().filter(|item| is_row(item)).count();
    rows > 0 && rows * 2 > items.len()
}

fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// True for an object that maps many words to numbers or lists.
pub fn is_word_index(object: &Map<String, Value>) -> bool {
    let lists = object.values().filter(|value| value.is_array() || value.is_number()).count();
    object.len() >= MIN_INDEX_ENTRIES && lists * 10 >= object.len() * 8
}

/// True if all values are objects that share most of their keys, and the keys look like ids.
fn is_keyed_list(object: &Map<String, Value>) -> bool {
    let rows: Vec<&Map<String, Value>> = object.values().filter_map(Value::as_object).collect();
    let is_number =
        |key: &String| key.strip_prefix('-').unwrap_or(key).bytes().all(|byte| byte.is_ascii_digit());
    let least = if object.keys().all(is_number) { 1 } else { MIN_KEYED_ROWS };
    if rows.len() != object.len() || rows.len() < least {
        return false;
    }
    let shared = |row: &Map<String, Value>| rows[0].keys().filter(|key| row.contains_key(*key)).count();
    rows.iter().all(|row| !row.is_empty() && shared(row) * 2 >= row.len().max(rows[0].len()))
}

/// Length that at least two arrays of scalars in an object share, one of them of texts.
fn column_length(object: &Map<String, Value>) -> Option<usize> {
    let length =
        columns_of(object).filter(|column| column.iter().all(Value::is_string)).map(Vec::len).max()?;
    let columns = columns_of(object).filter(|column| column.len() == length).count();
    (length > 1 && columns > 1).then_some(length)
}

fn columns_of(object: &Map<String, Value>) -> impl Iterator<Item = &Vec<Value>> {
    object.values().filter_map(Value::as_array).filter(|column| column.iter().all(is_scalar))
}

impl<'v> RowSource<'v> {
    /// Key of an object in an object of records.
    pub fn key(&self) -> Option<&'v str> {
        if let RowSource::Item(key, _) = self { *key } else { None }
    }

    /// Scalars of the record.
    pub fn cells(&self) -> Vec<Cell<'v>> {
        let mut cells = CellList::default();
        match self {
            RowSource::Item(_, value) => cells.add(value, "", false, 0),
            RowSource::Position(at, Value::Object(object)) => {
                object.iter().for_each(|(name, column)| cells.add_at(*at, name, column));
            }
            RowSource::Position(at, Value::Array(columns)) => {
                columns
                    .iter()
                    .enumerate()
                    .for_each(|(nth, column)| cells.add_at(*at, &nth.to_string(), column));
            }
            RowSource::Position(..) => {}
        }
        cells.0
    }
}

/// Scalars of a record in order, one cell per column.
#[derive(Default)]
struct CellList<'v>(Vec<Cell<'v>>);

impl<'v> CellList<'v> {
    /// Adds the value at a position of a column.
    fn add_at(&mut self, at: usize, name: &str, column: &'v Value) {
        let column = column.as_array().filter(|column| column.get(at).is_some_and(is_scalar));
        column.into_iter().for_each(|column| self.add(&column[at], name, false, 0));
    }

    fn add(&mut self, value: &'v Value, column: &str, is_nested: bool, depth: usize) {
        let below = |key: &str| if column.is_empty() { key.to_string() } else { format!("{column}.{key}") };
        match value {
            _ if depth > MAX_ROW_DEPTH => {}
            Value::Null | Value::Bool(_) => {}
            Value::String(text) => self.push(column, Cow::Borrowed(text.as_str()), is_nested, true),
            Value::Number(number) => self.push(column, Cow::Owned(number.to_string()), is_nested, false),
            Value::Object(object) => {
                object.iter().for_each(|(key, value)| self.add(value, &below(key), is_nested, depth + 1));
            }
            Value::Array(items) if column.is_empty() => {
                let cells = items.iter().enumerate();
                cells.for_each(|(nth, item)| self.add(item, &nth.to_string(), is_nested, depth + 1));
            }
            Value::Array(items) => {
                let has_several = items.iter().filter(|item| !is_scalar(item)).count() > 1;
                items.iter().for_each(|item| self.add(item, column, is_nested || has_several, depth + 1));
            }
        }
    }

    /// Adds a scalar. Further scalars of a column are appended to its cell.
    fn push(&mut self, column: &str, value: Cow<'v, str>, is_nested: bool, is_text: bool) {
        let has_room = self.0.len() < MAX_CELLS && !value.trim().is_empty();
        match self.0.iter_mut().find(|cell| cell.column == column) {
            Some(cell) if cell.value.len() < MAX_CELL_BYTES => {
                let separator = if is_nested { " " } else { ", " };
                let text = cell.value.to_mut();
                text.push_str(separator);
                text.push_str(&value);
            }
            None if has_room => {
                self.0.push(Cell { column: column.to_string(), value, is_nested, is_text });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(value: &Value) -> Vec<(String, usize)> {
        tables(value).into_iter().map(|table| (table.path, table.rows.len())).collect()
    }

    #[test]
    fn lists_are_found_in_every_shape() {
        let items = json!({"data": {"items": [{"id": 1}, {"id": 2}]}});
        assert_eq!(paths(&items), [(".data.items".into(), 2)]);
        let rows = json!({"rows": [["a", 1], ["b", 2]]});
        assert_eq!(paths(&rows), [(".rows".into(), 2)]);
        let keyed = json!({"pages": {"17": {"title": "A"}, "9": {"title": "B"}}});
        assert_eq!(paths(&keyed), [(".pages{}".into(), 2)]);
        let columns = json!({"names": ["a", "b"], "titles": ["A", "B"]});
        assert!(paths(&columns).contains(&("|".into(), 2)));
        let parts = json!([{"docs": [{"u": "/a"}]}, {"docs": [{"u": "/b"}]}]);
        assert!(paths(&parts).contains(&("[].docs".into(), 2)));
    }

    #[test]
    fn an_index_of_words_holds_no_records() {
        let words: Map<String, Value> = (0..30).map(|n| (format!("w{n}"), json!([[n, "x"]]))).collect();
        assert!(paths(&json!({"terms": words})).is_empty());
    }

    #[test]
    fn a_record_is_flattened_to_named_cells() {
        let value = json!([{"node": {"title": "T", "tags": ["a", "b"], "by": [{"name": "X"}]},
            "links": [{"rel": "self"}, {"rel": "up"}], "ok": true}]);
        let cells = tables(&value)[0].rows[0].cells();
        let get = |column: &str| cells.iter().find(|cell| cell.column == column).unwrap();
        assert_eq!((get("node.tags").value.as_ref(), get("node.by.name").value.as_ref()), ("a, b", "X"));
        assert!(get("links.rel").is_nested && !get("node.by.name").is_nested);
        assert_eq!(cells.len(), 4);
    }
}
