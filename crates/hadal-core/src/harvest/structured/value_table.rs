//! Table of the values that seen records have for the inputs of a form: one row per record, one column per input.
//!
//! A record's value for an input is the value that the query bound the input to; or else the value of a record
//! field with the input's name; or else a value read in the record's text. Values are known for some records
//! only, and a bounded sample of records is kept. The table serves to estimate the sizes of slices.

use super::control_words::{ValueKind, range_end};
use super::inputs::{InputKind, SearchInput, SearchInputs};
use super::number::{amount, number, number_after, year};
use super::range::RangeInput;
use super::slice::{BoundValue, Slice};
use crate::critic::phrase_set::normalise;
use crate::harvest::policy::Hit;
use rustc_hash::FxHashMap;

/// Maximum number of rows kept. Guess.
const MAX_ROWS: usize = 50_000;
/// Maximum number of values learned for one box. Guess.
const MAX_VALUES: usize = 5_000;
/// Longest learned value, in bytes. Guess.
const LONGEST_VALUE: usize = 60;

/// A choice with at least this many single letters among its values is an index by initial letter. Guess.
const MIN_LETTERS: usize = 8;

/// Values of a record, one for each input: the index of an offered or learned value, or a number for a range; NaN if
/// unknown.
pub type ValueRow = Box<[f64]>;

/// Values of seen records, and what is needed to read those of further records.
pub struct ValueTable {
    rows: Vec<ValueRow>,
    readers: Vec<ValueReader>,
}

/// Reads the value of one input off records.
struct ValueReader {
    /// Words of the input's name that identify a record field.
    names: Vec<String>,
    /// The values are single letters, so that a record's value is the initial of its title.
    is_initial: bool,
    /// Offered values as index and text, by the first word of the text, longest first.
    offered: FxHashMap<String, Vec<(u32, String)>>,
    /// Values learned for a box, in order of appearance.
    values: Vec<String>,
    /// Index of each learned value.
    indices: FxHashMap<String, u32>,
}

impl ValueTable {
    /// Creates an empty table.
    pub fn new(inputs: &SearchInputs) -> ValueTable {
        ValueTable { rows: Vec::new(), readers: inputs.list().iter().map(ValueReader::new).collect() }
    }

    /// Returns the rows of an answer's records and keeps those of new records.
    pub fn add(&mut self, inputs: &SearchInputs, slice: &Slice, hits: &[Hit<'_>]) -> Vec<ValueRow> {
        let mut rows = Vec::with_capacity(hits.len().min(MAX_ROWS));
        for hit in hits.iter().take(MAX_ROWS) {
            let row = self.row(inputs, slice, hit);
            if hit.is_new {
                self.keep(&row, hit.id.0);
            }
            rows.push(row);
        }
        rows
    }

    /// Kept rows of a slice. For a slice with words, which rows do not record, the rows of its own answer.
    pub fn matching<'a>(&'a self, slice: &'a Slice, answer: &'a [ValueRow]) -> Vec<&'a ValueRow> {
        if !slice.words.is_empty() {
            return answer.iter().collect();
        }
        self.rows.iter().filter(|row| slice.holds(row)).collect()
    }

    /// Values learned for an input that is a box.
    pub fn learned(&self, input: usize) -> &[String] {
        &self.readers[input].values
    }

    fn row(&mut self, inputs: &SearchInputs, slice: &Slice, hit: &Hit<'_>) -> ValueRow {
        let text = normalise(hit.text);
        let readers = self.readers.iter_mut().zip(inputs.list());
        let mut row: ValueRow = readers.map(|(reader, input)| reader.read(input, hit, &text)).collect();
        for (input, bound) in &slice.bounds {
            if let BoundValue::Offered(number) | BoundValue::Learned(number) = bound {
                row[*input] = f64::from(*number);
            }
        }
        row
    }

    fn keep(&mut self, row: &ValueRow, id: u64) {
        if self.rows.len() < MAX_ROWS {
            self.rows.push(row.clone());
        } else {
            self.rows[(id % MAX_ROWS as u64) as usize] = row.clone();
        }
    }
}

impl ValueReader {
    fn new(input: &SearchInput) -> ValueReader {
        let identifies = |word: &&str| word.chars().count() > 2 && range_end(&format!(" {word} ")).is_none();
        let names = input.called.split_whitespace().filter(identifies);
        let mut offered: FxHashMap<String, Vec<(u32, String)>> = FxHashMap::default();
        if let InputKind::Choice(values) = &input.kind {
            for (nth, value) in values.iter().enumerate() {
                if let Some(word) = value.text.split_whitespace().next() {
                    let list = offered.entry(word.to_string()).or_default();
                    list.push((nth as u32, value.text.trim().to_string()));
                }
            }
        }
        // The longest text that fits is meant: "Ford Pro" rather than "Ford".
        offered.values_mut().for_each(|list| list.sort_by_key(|(nth, text)| (usize::MAX - text.len(), *nth)));
        let names = names.map(str::to_string).collect();
        let letters = offered.keys().filter(|word| word.chars().count() == 1).count();
        let is_initial = letters >= MIN_LETTERS && letters * 5 >= offered.len() * 4;
        ValueReader { names, is_initial, offered, values: Vec::new(), indices: FxHashMap::default() }
    }

    fn read(&mut self, input: &SearchInput, hit: &Hit<'_>, text: &str) -> f64 {
        let named = hit.fields.iter().find(|(name, _)| self.is_named(name)).map(|(_, value)| value.as_str());
        match &input.kind {
            InputKind::Choice(_) if self.is_initial => {
                let first = hit.title.chars().find(|c| c.is_alphanumeric());
                let letter = first.map(|c| normalise(&c.to_string()));
                letter.and_then(|letter| self.offered_in(&letter)).map_or(f64::NAN, f64::from)
            }
            InputKind::Choice(_) => {
                let by_name = named.and_then(|value| self.offered_in(&normalise(value)));
                by_name.or_else(|| self.offered_in(text)).map_or(f64::NAN, f64::from)
            }
            InputKind::Range(range) => self.measured(range, named, hit.text).unwrap_or(f64::NAN),
            InputKind::Typed(_, kind) => {
                let value = named.map(str::to_string).or_else(|| recognised(*kind, hit.text));
                value.and_then(|value| self.learn(value.trim())).map_or(f64::NAN, f64::from)
            }
        }
    }

    fn is_named(&self, field: &str) -> bool {
        let field = normalise(field);
        field.split_whitespace().any(|word| self.names.iter().any(|name| name == word))
    }

    /// Index of the first offered value that occurs in a plain text.
    fn offered_in(&self, text: &str) -> Option<u32> {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b' ').map(|(at, _)| at + 1);
        starts.into_iter().find_map(|start| {
            let rest = &text[start..];
            let list = self.offered.get(rest.split(' ').next().unwrap_or_default())?;
            let fits = |read: &str| rest.strip_prefix(read).is_some_and(|after| after.starts_with(' '));
            list.iter().find(|(_, read)| fits(read)).map(|(nth, _)| *nth)
        })
    }

    fn measured(&self, range: &RangeInput, named: Option<&str>, text: &str) -> Option<f64> {
        let in_text = || self.names.iter().find_map(|name| number_after(text, name));
        let by_kind = || match range.kind {
            ValueKind::Price => amount(text),
            ValueKind::Year => year(text),
            _ => None,
        };
        named.and_then(number).or_else(in_text).or_else(by_kind)
    }

    fn learn(&mut self, value: &str) -> Option<u32> {
        if value.is_empty() || value.len() > LONGEST_VALUE {
            return None;
        }
        if let Some(known) = self.indices.get(value) {
            return Some(*known);
        }
        let number = self.values.len() as u32;
        (self.values.len() < MAX_VALUES).then(|| {
            self.values.push(value.to_string());
            self.indices.insert(value.to_string(), number);
            number
        })
    }
}

/// Value in a text that is recognised by its form. Only years are.
fn recognised(kind: ValueKind, text: &str) -> Option<String> {
    (kind == ValueKind::Year).then(|| year(text)).flatten().map(|year| format!("{year:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::record::RecordId;
    use url::Url;

    #[test]
    fn values_are_read_off_fields_and_texts() {
        let html = "<form><select name=make><option value=''>Any<option value=7>Ford<option value=8>Ford Pro</select>
            <input name=price_min><input name=price_max><input name=year></form>";
        let form = &crate::html::parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap()).forms[0];
        let inputs = SearchInputs::of(form);
        let mut table = ValueTable::new(&inputs);
        let fields = [("Price".to_string(), "£2,500".to_string())];
        let hit = |text, fields| Hit { id: RecordId(1), is_new: true, title: "", text, fields };
        let hits = [hit("Ford Pro van 2017", &fields[..]), hit("A Ford for $900", &[]), hit("Bike", &[])];
        let rows = table.add(&inputs, &Slice::default(), &hits);
        assert_eq!(rows[0][..], [1.0, 2500.0, 0.0]);
        assert_eq!(rows[1][..2], [0.0, 900.0]);
        assert!(rows[2].iter().all(|value| value.is_nan()));
        assert_eq!(table.learned(2), ["2017"]);
        let ford = Slice { words: String::new(), bounds: vec![(0, BoundValue::Offered(0))] };
        assert_eq!(table.matching(&ford, &[]).len(), 1);
        let asked = table.add(&inputs, &ford, &[hit("Bike", &[])]);
        assert_eq!(asked[0][0], 0.0, "the bound value wins");
    }
}
