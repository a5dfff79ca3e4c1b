//! Near-duplicate records: one record listed twice, or under two URLs.
//!
//! Two records are near-duplicates if their titles are equal up to case and punctuation and the simhashes of their
//! texts differ in at most [`MAX_DIFFERENT_BITS`] bits.

use super::view::plain_hash;
use crate::harvest::record::{Record, RecordId};
use crate::simhash::{distance, simhash};
use rustc_hash::FxHashMap;

/// Bits in which the simhashes of near-duplicates may differ, of 64. Guess; Manku, Jain and Das Sarma (WWW 2007) use 3
/// for web pages.
const MAX_DIFFERENT_BITS: u32 = 3;
/// Maximum number of records with the same title that are compared. Guess.
const MAX_SAME_TITLE: usize = 32;

/// Records seen so far, indexed by title.
#[derive(Clone, Debug, Default)]
pub struct NearDuplicates {
    /// Simhash and id of records, by the hash of their title.
    by_title: FxHashMap<u64, Vec<(u64, RecordId)>>,
}

impl NearDuplicates {
    /// Returns the id of a record seen before that equals or nearly equals this one; otherwise stores this one and
    /// returns `None`.
    pub fn find_or_insert(&mut self, record: &Record) -> Option<RecordId> {
        let text = simhash(&record.text);
        let same_title = self.by_title.entry(plain_hash(&record.title)).or_default();
        let is_near = |(other, _): &&(u64, RecordId)| distance(*other, text) <= MAX_DIFFERENT_BITS;
        let same_id = same_title.iter().find(|(_, id)| *id == record.id);
        let known = same_id.or_else(|| same_title.iter().find(is_near)).map(|(_, id)| *id);
        if known.is_none() && same_title.len() < MAX_SAME_TITLE {
            same_title.push((text, record.id));
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: u64, title: &str, text: &str) -> Record {
        Record { id: RecordId(id), url: None, title: title.into(), text: text.into(), fields: Vec::new() }
    }

    #[test]
    fn a_record_under_two_urls_is_one() {
        let text = (0..3000).map(|n| format!("word{n} ")).collect::<String>();
        let (one, other) = (record(1, "The Sea", &text), record(2, "the sea!", &format!("{text} more")));
        let third = record(3, "The Ship", &text);
        let mut seen = NearDuplicates::default();
        let known = [one, other, third].map(|record| seen.find_or_insert(&record));
        assert_eq!(known, [None, Some(RecordId(1)), None]);
    }

    #[test]
    fn equal_titles_alone_make_no_duplicates() {
        let mut seen = NearDuplicates::default();
        assert_eq!(seen.find_or_insert(&record(1, "Poems", "Poems, printed in Oslo 1911")), None);
        let other = record(2, "Poems", "Poems, a new edition from Rome, 1960, with maps");
        assert_eq!(seen.find_or_insert(&other), None);
        assert_eq!(seen.find_or_insert(&record(1, "Poems", "Poems")), Some(RecordId(1)));
    }
}
