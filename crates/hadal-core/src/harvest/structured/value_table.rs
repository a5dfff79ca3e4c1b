//! What records found so far tell about the inputs: which values they have, and how often.
//!
//! A record's value is what the form was asked for when it came up; else what it says in a field of the
//! input's name; else what can be read in its text. Values are known for some records only, and a
//! bounded sample of records is kept: all of it serves to guess sizes, nothing depends on it.

use super::control_words::{ValueKind, side};
use super::inputs::{FormInput, FormInputs, InputKind};
use super::number::{amount, number, number_after, year};
use super::range::RangeInput;
use super::slice::{BoundValue, Slice};
use crate::critic::phrase_set::normalise;
use crate::harvest::policy::Hit;
use rustc_hash::FxHashMap;

/// Records that are remembered.
const MOST_ROWS: usize = 50_000;
/// Values of a box that are remembered.
const MOST_VALUES: usize = 5_000;
/// Bytes of such a value.
const LONGEST_VALUE: usize = 60;

/// Single letters among the values of an input that make it a way to browse.
const LETTERS: usize = 8;

/// The values of a record, one for each input: the number of a pick or of a learned value, or the
/// measure of a range; not a number when it is unknown.
pub type ValueRow = Box<[f64]>;

/// Records and their values.
pub struct ValueTable {
    rows: Vec<ValueRow>,
    readers: Vec<ValueReader>,
}

/// Reads the value for one input off a record.
struct ValueReader {
    names: Vec<String>,
    /// Whether the picks are letters: records are then found by how their titles begin.
    is_initial: bool,
    /// Picks by the first word they read.
    picks: FxHashMap<String, Vec<(u32, String)>>,
    /// Values learned for a box, in the order they were met.
    values: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl ValueTable {
    /// Nothing known yet.
    pub fn new(inputs: &FormInputs) -> ValueTable {
        ValueTable { rows: Vec::new(), readers: inputs.list().iter().map(ValueReader::new).collect() }
    }

    /// The values of the records of an answer; the new ones are remembered.
    pub fn take(&mut self, inputs: &FormInputs, slice: &Slice, hits: &[Hit<'_>]) -> Vec<ValueRow> {
        let mut rows = Vec::with_capacity(hits.len().min(MOST_ROWS));
        for hit in hits.iter().take(MOST_ROWS) {
            let row = self.row(inputs, slice, hit);
            if hit.is_new {
                self.keep(&row, hit.id.0);
            }
            rows.push(row);
        }
        rows
    }

    /// Remembered records of a slice; those of an answer itself when words were asked, which rows do not
    /// tell.
    pub fn matching<'a>(&'a self, slice: &'a Slice, answer: &'a [ValueRow]) -> Vec<&'a ValueRow> {
        if !slice.words.is_empty() {
            return answer.iter().collect();
        }
        self.rows.iter().filter(|row| slice.holds(row)).collect()
    }

    /// Values learned for a box.
    pub fn learned(&self, input: usize) -> &[String] {
        &self.readers[input].values
    }

    fn row(&mut self, inputs: &FormInputs, slice: &Slice, hit: &Hit<'_>) -> ValueRow {
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
        if self.rows.len() < MOST_ROWS {
            self.rows.push(row.clone());
        } else {
            self.rows[(id % MOST_ROWS as u64) as usize] = row.clone();
        }
    }
}

impl ValueReader {
    fn new(input: &FormInput) -> ValueReader {
        let tells = |word: &&str| word.chars().count() > 2 && side(&format!(" {word} ")).is_none();
        let names = input.called.split_whitespace().filter(tells);
        let mut picks: FxHashMap<String, Vec<(u32, String)>> = FxHashMap::default();
        if let InputKind::Choice(offered) = &input.kind {
            for (nth, pick) in offered.iter().enumerate() {
                if let Some(word) = pick.read.split_whitespace().next() {
                    let list = picks.entry(word.to_string()).or_default();
                    list.push((nth as u32, pick.read.trim().to_string()));
                }
            }
        }
        // The longest that fits is meant.
        picks.values_mut().for_each(|list| list.sort_by_key(|(nth, read)| (usize::MAX - read.len(), *nth)));
        let names = names.map(str::to_string).collect();
        let letters = picks.keys().filter(|word| word.chars().count() == 1).count();
        let is_initial = letters >= LETTERS && letters * 5 >= picks.len() * 4;
        ValueReader { names, is_initial, picks, values: Vec::new(), numbers: FxHashMap::default() }
    }

    fn read(&mut self, input: &FormInput, hit: &Hit<'_>, text: &str) -> f64 {
        let named = hit.fields.iter().find(|(name, _)| self.is_named(name)).map(|(_, value)| value.as_str());
        match &input.kind {
            InputKind::Choice(_) if self.is_initial => {
                let first = hit.title.chars().find(|c| c.is_alphanumeric());
                let letter = first.map(|c| normalise(&c.to_string()));
                letter.and_then(|letter| self.pick(&letter)).map_or(f64::NAN, f64::from)
            }
            InputKind::Choice(_) => {
                let by_name = named.and_then(|value| self.pick(&normalise(value)));
                by_name.or_else(|| self.pick(text)).map_or(f64::NAN, f64::from)
            }
            InputKind::Range(range) => self.measured(range, named, hit.text).unwrap_or(f64::NAN),
            InputKind::Typed(_, measure) => {
                let value = named.map(str::to_string).or_else(|| typical(*measure, hit.text));
                value.and_then(|value| self.learn(value.trim())).map_or(f64::NAN, f64::from)
            }
        }
    }

    fn is_named(&self, field: &str) -> bool {
        let field = normalise(field);
        field.split_whitespace().any(|word| self.names.iter().any(|name| name == word))
    }

    /// The pick that a plain text holds, the first of them.
    fn pick(&self, text: &str) -> Option<u32> {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b' ').map(|(at, _)| at + 1);
        starts.into_iter().find_map(|start| {
            let rest = &text[start..];
            let list = self.picks.get(rest.split(' ').next().unwrap_or_default())?;
            let fits = |read: &str| rest.strip_prefix(read).is_some_and(|after| after.starts_with(' '));
            list.iter().find(|(_, read)| fits(read)).map(|(nth, _)| *nth)
        })
    }

    fn measured(&self, range: &RangeInput, named: Option<&str>, text: &str) -> Option<f64> {
        let in_text = || self.names.iter().find_map(|name| number_after(text, name));
        let by_kind = || match range.measure {
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
        if let Some(known) = self.numbers.get(value) {
            return Some(*known);
        }
        let number = self.values.len() as u32;
        (self.values.len() < MOST_VALUES).then(|| {
            self.values.push(value.to_string());
            self.numbers.insert(value.to_string(), number);
            number
        })
    }
}

/// A value that is known by its look.
fn typical(measure: ValueKind, text: &str) -> Option<String> {
    (measure == ValueKind::Year).then(|| year(text)).flatten().map(|year| format!("{year:.0}"))
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
        let inputs = FormInputs::of(form);
        let mut values = ValueTable::new(&inputs);
        let fields = [("Price".to_string(), "£2,500".to_string())];
        let hit = |text, fields| Hit { id: RecordId(1), is_new: true, title: "", text, fields };
        let hits = [hit("Ford Pro van 2017", &fields[..]), hit("A Ford for $900", &[]), hit("Bike", &[])];
        let rows = values.take(&inputs, &Slice::default(), &hits);
        assert_eq!(rows[0][..], [1.0, 2500.0, 0.0]);
        assert_eq!(rows[1][..2], [0.0, 900.0]);
        assert!(rows[2].iter().all(|value| value.is_nan()));
        assert_eq!(values.learned(2), ["2017"]);
        let ford = Slice { words: String::new(), bounds: vec![(0, BoundValue::Offered(0))] };
        assert_eq!(values.matching(&ford, &[]).len(), 1);
        let asked = values.take(&inputs, &ford, &[hit("Bike", &[])]);
        assert_eq!(asked[0][0], 0.0, "the form knows best");
    }
}
