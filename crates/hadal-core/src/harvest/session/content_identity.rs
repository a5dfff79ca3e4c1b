//! Identity of records by their contents, for sites whose addresses change from page to page.
//!
//! A counter or a widening limit in the address makes a new address for every showing of a record. The signs are
//! records with new addresses whose text was shown before under another address. If more than half of the recent new
//! addresses show known text, a record with known text is the record that showed it first. Text that one page shows
//! twice belongs to several records and is no sign.

use crate::harvest::record::{Record, RecordId};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Factor on older new addresses. Guess; about the last 50 count.
const DECAY: f64 = 0.98;
/// Weight of recent new addresses from which their share is known. Guess.
const MIN_WEIGHT: f64 = 12.0;
/// Share of new addresses with known text from which the text identifies records. Guess.
const MIN_REPEATED_SHARE: f64 = 0.5;
/// Texts that are remembered. Guess; 48 bytes each.
const MAX_TEXTS: usize = 1_000_000;

/// Texts shown so far and the share of new addresses that repeat one.
#[derive(Default)]
pub struct ContentIdentity {
    /// Id of the first record with a text, by hash of the text.
    first: FxHashMap<u64, RecordId>,
    /// Texts that one page showed twice.
    ambiguous: FxHashSet<u64>,
    /// Decayed number of new addresses.
    new: f64,
    /// Decayed number of those with known text.
    repeated: f64,
}

impl ContentIdentity {
    /// Replaces the ids of records that are shown again under another address. `known` holds the ids seen so far.
    pub fn identify(&mut self, page: &mut [Record], known: &FxHashSet<RecordId>) {
        let texts: Vec<u64> = page.iter().map(text_key).collect();
        let mut on_page = FxHashSet::default();
        self.ambiguous.extend(texts.iter().filter(|text| !on_page.insert(**text)));
        for (record, text) in page.iter_mut().zip(texts) {
            if known.contains(&record.id) || self.ambiguous.contains(&text) {
                continue;
            }
            let first = self.first.get(&text).copied();
            self.add_new_address(first.is_some());
            match first {
                Some(first) if self.are_addresses_volatile() => record.id = first,
                None if self.first.len() < MAX_TEXTS => {
                    self.first.insert(text, record.id);
                }
                _ => {}
            }
        }
    }

    fn add_new_address(&mut self, is_repeated: bool) {
        self.new = DECAY * self.new + 1.0;
        self.repeated = DECAY * self.repeated + f64::from(u8::from(is_repeated));
    }

    fn are_addresses_volatile(&self) -> bool {
        self.new >= MIN_WEIGHT && self.repeated > MIN_REPEATED_SHARE * self.new
    }
}

/// Hash of a record's title and text, without digits: counters may be shown too.
fn text_key(record: &Record) -> u64 {
    let all = record.title.chars().chain(record.text.chars());
    let plain: String = all.filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    xxh3_64(plain.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: u64, text: &str) -> Record {
        let (title, text) = (text.to_string(), text.to_string());
        Record { id: RecordId(id), url: None, title, text, fields: Vec::new() }
    }

    /// Distinct ids after `pages` pages of `texts`, with a new address for each showing.
    fn distinct(pages: u64, texts: impl Fn(u64) -> Vec<String>) -> usize {
        let (mut check, mut known) = (ContentIdentity::default(), FxHashSet::default());
        for page in 0..pages {
            let texts = texts(page);
            let mut shown: Vec<Record> =
                (0..).zip(&texts).map(|(at, text)| record(1_000 * page + at, text)).collect();
            check.identify(&mut shown, &known);
            known.extend(shown.iter().map(|record| record.id));
        }
        known.len()
    }

    fn name(number: u64) -> String {
        format!("boat {}", "x".repeat(number as usize + 1))
    }

    #[test]
    fn addresses_that_change_from_page_to_page_make_few_new_records() {
        let same = |_| (0..10).map(name).collect();
        assert!(distinct(50, same) < 40);
    }

    #[test]
    fn distinct_records_stay_apart_although_some_are_alike() {
        let alike =
            |page: u64| (0..10).map(|at| if at < 3 { name(at) } else { name(10 * page + at) }).collect();
        assert_eq!(distinct(20, alike), 200);
        let twins = |_: u64| vec![name(1), name(1)];
        assert_eq!(distinct(20, twins), 40);
    }
}
