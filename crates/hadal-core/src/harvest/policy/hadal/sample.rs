//! Sample of the seen records with the words of their first capture.
//!
//! The sample shows which words occur together, and which words of a record were visible before they were queried.
//!
//! It holds every record until it is full. Then one more trailing zero bit of the hash of the record id is required.
//! This removes about half of the records and applies to all later ones. So each seen record is in the sample with the
//! same probability `2^-halvings`, and represents `2^halvings` records.

use super::captures::WordCounts;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of words of all sampled records together. Guess; limits memory to 16 MB.
const MAX_WORDS: usize = 4_000_000;

/// Maximum number of records that [`RecordSample::co_occurring`] reads. Guess; limits the time of a choice.
const MAX_RECORDS_READ: usize = 300;

/// Bit that marks a word of the title.
const IN_TITLE: u32 = 1 << 31;

/// Sampled records and their words.
#[derive(Default)]
pub struct RecordSample {
    ids: Vec<RecordId>,
    /// Position of each record in `ids` and `ends`.
    positions: FxHashMap<RecordId, u32>,
    /// End of each record in `words`.
    ends: Vec<usize>,
    /// Words of all records, with the [`IN_TITLE`] bit.
    words: Vec<u32>,
    halvings: u32,
}

impl RecordSample {
    /// Adds a record if its hash is sampled. `words` starts with the `in_title` words of the title.
    pub fn add(&mut self, id: RecordId, words: &[u32], in_title: usize) {
        if !self.is_sampled(id) {
            return;
        }
        self.insert(id, words, in_title);
        if self.words.len() > MAX_WORDS {
            self.halve();
        }
    }

    fn insert(&mut self, id: RecordId, words: &[u32], in_title: usize) {
        let title = words[..in_title].iter().map(|word| word | IN_TITLE);
        self.push(id, title.chain(words[in_title..].iter().copied()));
    }

    fn push(&mut self, id: RecordId, words: impl Iterator<Item = u32>) {
        self.positions.insert(id, self.ids.len() as u32);
        self.ids.push(id);
        self.words.extend(words);
        self.ends.push(self.words.len());
    }

    fn is_sampled(&self, id: RecordId) -> bool {
        xxh3_64(&id.0.to_le_bytes()).trailing_zeros() >= self.halvings
    }

    fn halve(&mut self) {
        self.halvings += 1;
        let old = std::mem::take(self);
        self.halvings = old.halvings;
        for (at, id) in old.ids.iter().enumerate() {
            if self.is_sampled(*id) {
                self.push(*id, old.record(at).iter().copied());
            }
        }
    }

    /// Words of the record at a position, with the [`IN_TITLE`] bit.
    fn record(&self, at: usize) -> &[u32] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start..self.ends[at]]
    }

    /// Replaces each word number by `merged[number]` and removes duplicates within a record. Calls
    /// `visit(id, words, title words, records it represents)` for every record.
    pub fn merge_stems(&mut self, merged: &[u32], mut visit: impl FnMut(RecordId, &[u32], usize, f32)) {
        let old = std::mem::take(self);
        self.halvings = old.halvings;
        let mut last_record = vec![usize::MAX; merged.len()];
        let mut words: Vec<u32> = Vec::new();
        for (at, id) in old.ids.iter().enumerate() {
            words.clear();
            let mut in_title = 0;
            for word in old.record(at) {
                let number = merged[(word & !IN_TITLE) as usize];
                if std::mem::replace(&mut last_record[number as usize], at) != at {
                    words.push(number);
                    in_title += usize::from(word & IN_TITLE != 0);
                }
            }
            visit(*id, &words, in_title, (1 << self.halvings) as f32);
            self.insert(*id, &words, in_title);
        }
    }

    /// Appends the words of a sampled record to `words`, those of the title first. Returns the number of title words,
    /// or `None` if the record is not sampled.
    pub fn words_of(&self, id: RecordId, words: &mut Vec<u32>) -> Option<usize> {
        let record = self.record(*self.positions.get(&id)? as usize);
        words.extend(record.iter().map(|word| word & !IN_TITLE));
        Some(record.iter().filter(|word| *word & IN_TITLE != 0).count())
    }

    /// Counts of each other word over the records that contain all `given` words, scaled to all seen records.
    /// `captures` returns the number of captures of a record. A word counts as in the title only if the given words are
    /// in the title too.
    pub fn co_occurring(
        &self,
        given: &[u32],
        captures: impl Fn(RecordId) -> u8,
    ) -> FxHashMap<u32, WordCounts> {
        let found: Vec<usize> =
            (0..self.ids.len()).filter(|at| contains_all(self.record(*at), given)).collect();
        let step = found.len().div_ceil(MAX_RECORDS_READ).max(1);
        let times = (step << self.halvings) as f32;
        let mut counts: FxHashMap<u32, WordCounts> = FxHashMap::default();
        for at in found.into_iter().step_by(step) {
            let words = self.record(at);
            let all_in_title = given.iter().all(|word| words.contains(&(word | IN_TITLE)));
            let captures = captures(self.ids[at]);
            for word in words {
                let in_title = all_in_title && word & IN_TITLE != 0;
                let word_counts = counts.entry(word & !IN_TITLE).or_default();
                word_counts.add(in_title, words.len(), captures, times);
            }
        }
        counts.retain(|word, _| !given.contains(word));
        counts
    }
}

fn contains_all(words: &[u32], given: &[u32]) -> bool {
    given.iter().all(|one| words.iter().any(|word| word & !IN_TITLE == *one))
}
