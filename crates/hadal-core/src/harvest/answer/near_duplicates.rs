//! Records that are nearly the same: listed twice, or under two addresses.

use super::view::plain_hash;
use crate::harvest::record::{Record, RecordId};
use crate::simhash::{distance, simhash};
use rustc_hash::FxHashMap;

/// Bits in which the texts of one record may differ.
const MOST_BITS: u32 = 3;
/// Records of one title that are compared.
const MOST_ALIKE: usize = 32;

/// What two near-duplicates share: the title, and nearly all of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearDuplicateKey {
    title: u64,
    text: u64,
}

impl NearDuplicateKey {
    /// The likeness of a record.
    pub fn of(record: &Record) -> NearDuplicateKey {
        NearDuplicateKey { title: plain_hash(&record.title), text: simhash(&record.text) }
    }

    /// Whether two records are nearly the same.
    pub fn is_near(self, other: NearDuplicateKey) -> bool {
        self.title == other.title && distance(self.text, other.text) <= MOST_BITS
    }
}

/// Records seen so far, to find the one that another nearly is.
#[derive(Clone, Debug, Default)]
pub struct NearDuplicates {
    by_title: FxHashMap<u64, Vec<(u64, RecordId)>>,
}

impl NearDuplicates {
    /// The identity under which a record is already known; a record that is new is known from now on.
    pub fn find_or_insert(&mut self, record: &Record) -> Option<RecordId> {
        let likeness = NearDuplicateKey::of(record);
        let alike = self.by_title.entry(likeness.title).or_default();
        let near = |(text, _): &&(u64, RecordId)| distance(*text, likeness.text) <= MOST_BITS;
        let known = alike.iter().find(|(_, id)| *id == record.id).or_else(|| alike.iter().find(near));
        let known = known.map(|(_, id)| *id);
        if known.is_none() && alike.len() < MOST_ALIKE {
            alike.push((likeness.text, record.id));
        }
        known
    }
}

/// The records of an answer, each once: the first of those that are nearly the same.
pub fn merged(records: Vec<Record>) -> Vec<Record> {
    let mut seen = NearDuplicates::default();
    records.into_iter().filter(|record| seen.find_or_insert(record).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: u64, title: &str, text: &str) -> Record {
        Record { id: RecordId(id), url: None, title: title.into(), text: text.into(), fields: Vec::new() }
    }

    #[test]
    fn a_record_under_two_addresses_is_one() {
        let text = (0..3000).map(|n| format!("word{n} ")).collect::<String>();
        let (one, other) = (record(1, "The Sea", &text), record(2, "the sea!", &format!("{text} more")));
        let third = record(3, "The Ship", &text);
        let ids: Vec<u64> = merged(vec![one, other, third]).iter().map(|record| record.id.0).collect();
        assert_eq!(ids, [1, 3]);
    }

    #[test]
    fn equal_titles_alone_make_nothing_equal() {
        let mut seen = NearDuplicates::default();
        assert_eq!(seen.find_or_insert(&record(1, "Poems", "Poems, printed in Oslo 1911")), None);
        assert_eq!(
            seen.find_or_insert(&record(2, "Poems", "Poems, a new edition from Rome, 1960, with maps")),
            None
        );
        assert_eq!(seen.find_or_insert(&record(1, "Poems", "Poems")), Some(RecordId(1)));
    }
}
