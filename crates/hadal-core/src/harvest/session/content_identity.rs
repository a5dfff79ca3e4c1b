//! Identity of records by their contents, for sites with addresses that change from page to page.
//!
//! Some sites put a counter or a growing limit into the address, so that a record has a new address each time it is
//! listed. The sign is that many new addresses come with a text that was seen under another address. If more than half
//! of the recent new addresses, or of those on one page, show known text, then equal text identifies a record. Text
//! that one page shows twice belongs to several records and is no sign. After the rules that derive ids from addresses
//! have changed, equal text also identifies the records that were known before, and for a while any record.

use crate::harvest::record::{Record, RecordId};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Factor on the counts per new address; about the last 50 addresses count. Guess.
const DECAY: f64 = 0.98;
/// Least decayed number of new addresses for their share to count. Guess.
const MIN_WEIGHT: f64 = 12.0;
/// Least share of new addresses with known text for the text to identify records. Guess.
const MIN_REPEATED_SHARE: f64 = 0.5;
/// Least number of new addresses on a page that alone shows that addresses change. Guess.
const MIN_NEW_ON_PAGE: usize = 3;
/// Number of new addresses without a known text after which equal text no longer identifies records. Guess.
const MAX_EXPECTED: u32 = 200;
/// Maximum number of texts that are remembered. Guess; 100 bytes each.
const MAX_TEXTS: usize = 1_000_000;

/// Texts shown so far and the share of new addresses that repeat one.
#[derive(Default)]
pub struct ContentIdentity {
    /// Id of the first record with a text, by hash of its letters.
    first: FxHashMap<u64, RecordId>,
    /// Id of the first record with a text and the number of texts before it, by hash of its letters and digits.
    first_exact: FxHashMap<u64, (RecordId, usize)>,
    /// Id of the first record with an address and title. Ids of known records change with the rules that derive them.
    first_address: FxHashMap<u64, RecordId>,
    /// Texts that one page showed twice, by hash of their letters.
    ambiguous: FxHashSet<u64>,
    /// Decayed number of new addresses.
    new: f64,
    /// Decayed number of those with known text.
    repeated: f64,
    /// Number of further new addresses for which an equal text identifies the record.
    expected: u32,
    /// Number of texts that were known when addresses last changed. These texts always identify their records.
    renamed: usize,
}

/// Hashes of a record's text.
#[derive(Clone, Copy)]
struct TextKeys {
    /// Hash of the letters of title and text. Digits are left out, because a list may number its records.
    letters: u64,
    /// Hash of their letters and digits without a leading number.
    exact: u64,
}

impl ContentIdentity {
    /// Replaces the ids of records that are shown again under another address. `known` holds the ids seen so far.
    pub fn identify(&mut self, page: &mut [Record], known: &FxHashSet<RecordId>) {
        self.identify_by_address(page, known);
        let texts: Vec<TextKeys> = page.iter().map(TextKeys::of).collect();
        let mut on_page = FxHashSet::default();
        let twice = texts.iter().map(|text| text.letters).filter(|text| !on_page.insert(*text));
        self.ambiguous.extend(twice);
        if self.is_mostly_repeated(page, &texts, known) {
            self.expect_new_addresses();
        }
        for (record, text) in page.iter_mut().zip(texts) {
            if !known.contains(&record.id) && !self.ambiguous.contains(&text.letters) {
                record.id = self.identify_new(record.id, text);
            }
        }
    }

    /// Gives records with a known address and title the id that they had before. Addresses that a page shows twice do
    /// not identify records.
    fn identify_by_address(&mut self, page: &mut [Record], known: &FxHashSet<RecordId>) {
        let keys: Vec<Option<u64>> = page.iter().map(address_key).collect();
        let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
        keys.iter().flatten().for_each(|key| *counts.entry(*key).or_default() += 1);
        for (record, key) in page.iter_mut().zip(keys) {
            let Some(key) = key.filter(|key| counts[key] == 1) else { continue };
            match self.first_address.get(&key) {
                Some(first) if !known.contains(&record.id) => record.id = *first,
                None if self.first_address.len() < MAX_TEXTS => {
                    self.first_address.insert(key, record.id);
                }
                _ => {}
            }
        }
    }

    /// Id of a record with a new address.
    fn identify_new(&mut self, id: RecordId, text: TextKeys) -> RecordId {
        let (by_letters, exact) =
            (self.first.get(&text.letters).copied(), self.first_exact.get(&text.exact).copied());
        self.add_new_address(by_letters.is_some());
        let is_expected = self.expected > 0;
        self.expected = if exact.is_some() { self.expected } else { self.expected.saturating_sub(1) };
        match (by_letters, exact) {
            (_, Some((first, number))) if is_expected || number < self.renamed => return first,
            (Some(first), _) if self.are_addresses_volatile() => return first,
            _ => {}
        }
        if self.first_exact.len() < MAX_TEXTS {
            self.first.entry(text.letters).or_insert(id);
            let number = self.first_exact.len();
            self.first_exact.entry(text.exact).or_insert((id, number));
        }
        id
    }

    /// Returns true if a page has at least [`MIN_NEW_ON_PAGE`] new addresses and most of them show equal text.
    fn is_mostly_repeated(&self, page: &[Record], texts: &[TextKeys], known: &FxHashSet<RecordId>) -> bool {
        let is_new = |(record, text): &(&Record, &TextKeys)| {
            !known.contains(&record.id) && !self.ambiguous.contains(&text.letters)
        };
        let new = page.iter().zip(texts).filter(is_new);
        let new: Vec<bool> = new.map(|(_, text)| self.first_exact.contains_key(&text.exact)).collect();
        let repeated = new.iter().filter(|is_repeated| **is_repeated).count();
        new.len() >= MIN_NEW_ON_PAGE && repeated as f64 > MIN_REPEATED_SHARE * new.len() as f64
    }

    /// Expects new addresses of known records, because the rules that derive ids from addresses have changed.
    pub fn expect_new_addresses(&mut self) {
        self.expected = MAX_EXPECTED;
        self.renamed = self.first_exact.len();
    }

    fn add_new_address(&mut self, is_repeated: bool) {
        self.new = DECAY * self.new + 1.0;
        self.repeated = DECAY * self.repeated + f64::from(u8::from(is_repeated));
    }

    fn are_addresses_volatile(&self) -> bool {
        self.new >= MIN_WEIGHT && self.repeated > MIN_REPEATED_SHARE * self.new
    }
}

impl TextKeys {
    fn of(record: &Record) -> TextKeys {
        let letters = record.title.chars().chain(record.text.chars()).filter(|c| c.is_alphabetic());
        let without_number =
            |text: &'_ str| text.trim_start_matches(|c: char| !c.is_alphabetic()).to_string();
        let exact = without_number(&record.title) + &without_number(&record.text);
        TextKeys { letters: hash(letters), exact: hash(exact.chars().filter(|c| c.is_alphanumeric())) }
    }
}

/// Hash of a record's URL and of the letters and digits of its title; `None` without a URL.
fn address_key(record: &Record) -> Option<u64> {
    let url = record.url.as_ref()?;
    Some(hash(url.as_str().chars().chain(record.title.chars().filter(|c| c.is_alphanumeric()))))
}

fn hash(chars: impl Iterator<Item = char>) -> u64 {
    xxh3_64(chars.flat_map(char::to_lowercase).collect::<String>().as_bytes())
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
        assert_eq!(distinct(50, same), 10);
    }

    #[test]
    fn records_that_differ_in_a_number_stay_apart() {
        let cars = |page: u64| (0..10).map(|at| format!("Ford {page} from {at}")).collect();
        assert_eq!(distinct(1, cars), 10);
        let mut check = ContentIdentity::default();
        check.identify(&mut [record(1, "Ford 2012")], &FxHashSet::default());
        check.expect_new_addresses();
        let mut page = [record(2, "Ford 2013")];
        check.identify(&mut page, &FxHashSet::default());
        assert_eq!(page[0].id, RecordId(2));
    }

    #[test]
    fn distinct_records_stay_apart_although_some_are_alike() {
        let alike =
            |page: u64| (0..10).map(|at| if at < 3 { name(at) } else { name(10 * page + at) }).collect();
        assert_eq!(distinct(20, alike), 200);
        let twins = |_: u64| vec![name(1), name(1)];
        assert_eq!(distinct(20, twins), 40);
    }

    #[test]
    fn known_text_identifies_records_after_the_rules_for_ids_have_changed() {
        let (mut check, mut known) = (ContentIdentity::default(), FxHashSet::default());
        let page = |first: u64| -> Vec<Record> { (0..10).map(|at| record(first + at, &name(at))).collect() };
        let mut before = page(100);
        check.identify(&mut before, &known);
        known.extend(before.iter().map(|record| record.id));
        check.expect_new_addresses();
        let mut after = page(200);
        check.identify(&mut after, &known);
        assert_eq!(known_ids(&after), known_ids(&before));
        let mut others: Vec<Record> = (0..300).map(|at| record(1_000 + at, &name(20 + at))).collect();
        check.identify(&mut others, &known);
        let mut late = page(2_000);
        check.identify(&mut late, &known);
        assert_eq!(known_ids(&late), known_ids(&before), "however many other records came between");
    }

    #[test]
    fn a_known_address_keeps_its_id_when_the_rules_for_ids_change() {
        let linked = |id: u64, title: &str, text: &str| Record {
            url: url::Url::parse(&format!("http://a.org/boats/{}", title.len())).ok(),
            text: text.to_string(),
            ..record(id, title)
        };
        let (mut check, mut known) = (ContentIdentity::default(), FxHashSet::default());
        let mut before = [linked(1, "Red", "... the red boat"), linked(2, "Green", "... a green boat")];
        check.identify(&mut before, &known);
        known.extend(before.iter().map(|record| record.id));
        let mut after = [linked(3, "Red", "boat of 1980 ..."), linked(4, "Yellow", "boat of 1990 ...")];
        check.identify(&mut after, &known);
        assert_eq!(known_ids(&after), [RecordId(1), RecordId(4)]);
    }

    fn known_ids(records: &[Record]) -> Vec<RecordId> {
        records.iter().map(|record| record.id).collect()
    }
}
