//! Comparison of answers with the records of a harvest.

use crate::harvest::policy::lexicon::split_words;
use crate::harvest::record::{Record, RecordId};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Texts compared under other queries before their share decides. Guess.
const MIN_COMPARED: u32 = 10;
/// Share of texts that differ under another query above which texts depend on the query. Guess: excerpts
/// around the words of a query differ almost always, changes of a database are rarer.
const MAX_DIFFERENT_SHARE: f64 = 0.5;
/// Share of an answer's records that must still be there. If fewer are, the order of the answer has changed. Guess.
const MIN_PRESENT_SHARE: f64 = 0.5;

/// Known records of a harvest, as far as a comparison needs them.
#[derive(Debug, Default)]
pub struct KnownRecords {
    records: FxHashMap<RecordId, KnownText>,
    /// Records by text, for sites with changing addresses of records.
    by_text: FxHashMap<u64, RecordId>,
    /// Texts seen under another query than the stored ones: all, and those that differ.
    compared: u32,
    different: u32,
}

#[derive(Clone, Copy, Debug)]
struct KnownText {
    text: u64,
    /// Number of the query that the text comes from.
    query_number: u32,
}

/// Difference between a record of an answer and the known records.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordDifference {
    /// The record is not known.
    New(Record),
    /// The record is known with the same text.
    Same(RecordId),
    /// The record is known with another text.
    Changed(Record),
    /// The record is known with another text, which may be an excerpt for the query. [`KnownRecords::depend_on_query`]
    /// decides once the answers are compared.
    MaybeChanged(Record),
}

impl KnownRecords {
    /// Adds a record of the harvest. `query_number` is the query that its text comes from.
    pub fn add(&mut self, record: &Record, query_number: u32) {
        let text = text_hash(record);
        self.records.insert(record.id, KnownText { text, query_number });
        self.by_text.entry(text).or_insert(record.id);
    }

    /// Compares a record of an answer to query `query_number`. Afterwards the record is known with its new text.
    pub fn compare(&mut self, record: Record, query_number: u32) -> RecordDifference {
        let text = text_hash(&record);
        let Some(&known) = self.records.get(&record.id) else {
            if let Some(same) = self.by_text.get(&text) {
                return RecordDifference::Same(*same);
            }
            self.add(&record, query_number);
            return RecordDifference::New(record);
        };
        let is_other_query = known.query_number != query_number;
        if is_other_query {
            self.compared += 1;
            self.different += u32::from(known.text != text);
        }
        if known.text == text {
            return RecordDifference::Same(record.id);
        }
        match is_other_query {
            true => RecordDifference::MaybeChanged(record),
            false => RecordDifference::Changed(record),
        }
    }

    /// True if result lists show texts that depend on the query.
    pub fn depend_on_query(&self) -> bool {
        let share = f64::from(self.different) / f64::from(self.compared.max(1));
        self.compared < MIN_COMPARED || share > MAX_DIFFERENT_SHARE
    }
}

/// Hash of the letters and digits of a record.
fn text_hash(record: &Record) -> u64 {
    let letters = record.title.chars().chain(record.text.chars()).filter(|c| c.is_alphanumeric());
    let values = record.fields.iter().flat_map(|(_, value)| value.chars()).filter(|c| c.is_alphanumeric());
    xxh3_64(letters.chain(values).flat_map(char::to_lowercase).collect::<String>().as_bytes())
}

/// Records of an earlier answer that are missing from the answer to the same query now. If the answer was not read to
/// its end, only records before the last one that is still there can be missing. Returns none if so many are missing
/// that the order of the answer must have changed.
pub fn missing_records(before: &[RecordId], now: &[RecordId], is_complete: bool) -> Vec<RecordId> {
    let present: FxHashSet<RecordId> = now.iter().copied().collect();
    let end = match is_complete {
        true => before.len(),
        false => before.iter().rposition(|record| present.contains(record)).map_or(0, |last| last + 1),
    };
    let missing: Vec<RecordId> =
        before[..end].iter().filter(|record| !present.contains(record)).copied().collect();
    let is_reordered = (end - missing.len()) as f64 <= MIN_PRESENT_SHARE * end as f64;
    if is_reordered && !is_complete { Vec::new() } else { missing }
}

/// Decides by a record's own page whether the record is gone: `Some(true)` if the page is gone, or if it shows less
/// than half of the words of the record's title; `None` if the server failed.
pub fn is_gone(status: u16, title: &str, page_text: Option<&str>) -> Option<bool> {
    match (status, page_text) {
        (404 | 410, _) => Some(true),
        (200..300, Some(text)) => {
            let page: FxHashSet<String> = split_words(text).into_iter().collect();
            let title = split_words(title);
            let shown = title.iter().filter(|word| page.contains(*word)).count();
            Some(2 * shown < title.len())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: u64, text: &str) -> Record {
        let (title, text) = ("A boat".to_string(), text.to_string());
        Record { id: RecordId(id), url: None, title, text, fields: Vec::new() }
    }

    fn known(texts: &[&str]) -> KnownRecords {
        let mut known = KnownRecords::default();
        (0..).zip(texts).for_each(|(id, text)| known.add(&record(id, text), 1));
        known
    }

    #[test]
    fn another_text_under_the_same_query_is_a_change() {
        let mut known = known(&["red sails", "blue sails"]);
        assert_eq!(known.compare(record(0, "Red  sails!"), 1), RecordDifference::Same(RecordId(0)));
        let changed = record(1, "green sails");
        assert_eq!(known.compare(changed.clone(), 1), RecordDifference::Changed(changed));
        let new = record(7, "no sails");
        assert_eq!(known.compare(new.clone(), 1), RecordDifference::New(new));
    }

    #[test]
    fn a_new_address_with_a_known_text_is_the_known_record() {
        let mut known = known(&["red sails"]);
        assert_eq!(known.compare(record(9, "red sails"), 1), RecordDifference::Same(RecordId(0)));
    }

    #[test]
    fn excerpts_that_depend_on_the_query_are_no_changes() {
        let texts: Vec<String> = (0..20).map(|n| format!("boat {n} x")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (mut excerpts, mut stable) = (known(&texts), known(&texts));
        for id in 0..20 {
            excerpts.compare(record(id, &format!("other words {id}")), 2);
            let text = if id < 2 { "new text".to_string() } else { texts[id as usize].to_string() };
            stable.compare(record(id, &text), 2);
        }
        assert!(excerpts.depend_on_query() && !stable.depend_on_query());
    }

    #[test]
    fn records_are_missing_only_before_the_last_one_that_is_still_there() {
        let ids = |numbers: &[u64]| numbers.iter().map(|n| RecordId(*n)).collect::<Vec<_>>();
        let before = ids(&[1, 2, 3, 4, 5, 6]);
        assert_eq!(missing_records(&before, &ids(&[1, 3, 4, 9]), false), ids(&[2]));
        assert_eq!(missing_records(&before, &ids(&[1, 3, 4]), true), ids(&[2, 5, 6]));
        assert_eq!(missing_records(&before, &ids(&[6, 9, 8]), false), [], "another order");
        assert_eq!(missing_records(&before, &[], false), []);
    }

    #[test]
    fn a_record_is_gone_if_its_page_is_or_shows_something_else() {
        assert_eq!(is_gone(404, "A boat", None), Some(true));
        assert_eq!(is_gone(200, "A  Boat", Some("home / a boat / red")), Some(false));
        assert_eq!(is_gone(200, "A boat", Some("we are sorry")), Some(true));
        assert_eq!(is_gone(503, "A boat", None), None);
    }
}
