//! A sample of the records with their words, to see which words stand together.
//!
//! Every record is kept until the sample is full; then half of them go, chosen by their identity, and only
//! records of the half that stays are added from then on. So the sample is of all records alike.

use super::ledger::{Ledger, Tally};
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Words of records that are kept.
const MOST_WORDS: usize = 4_000_000;

/// Records with a word that are looked at for others beside it.
const MOST_LOOKED_AT: usize = 300;

/// Marks a word that stands in the title.
const IN_TITLE: u32 = 1 << 31;

/// Some of the records.
#[derive(Default)]
pub struct Sample {
    ids: Vec<RecordId>,
    ends: Vec<usize>,
    words: Vec<u32>,
    halved: u32,
}

impl Sample {
    /// Adds a record: its words, those of the title first.
    pub fn add(&mut self, id: RecordId, words: &[u32], in_title: usize) {
        if !self.takes(id) {
            return;
        }
        self.ids.push(id);
        self.words.extend(words[..in_title].iter().map(|word| word | IN_TITLE));
        self.words.extend(&words[in_title..]);
        self.ends.push(self.words.len());
        if self.words.len() > MOST_WORDS {
            self.halve();
        }
    }

    fn takes(&self, id: RecordId) -> bool {
        xxh3_64(&id.0.to_le_bytes()).trailing_zeros() >= self.halved
    }

    fn halve(&mut self) {
        self.halved += 1;
        let old = std::mem::take(self);
        self.halved = old.halved;
        for (at, id) in old.ids.iter().enumerate().filter(|(_, id)| old.takes(**id)) {
            self.ids.push(*id);
            self.words.extend(old.of(at));
            self.ends.push(self.words.len());
        }
    }

    fn of(&self, at: usize) -> &[u32] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start..self.ends[at]]
    }

    /// For each word that stands beside all of the given ones in some record, the tally of those records.
    pub fn beside(&self, given: &[u32], ledger: &Ledger) -> FxHashMap<u32, Tally> {
        let found: Vec<usize> = (0..self.ids.len()).filter(|at| has_all(self.of(*at), given)).collect();
        let step = found.len().div_ceil(MOST_LOOKED_AT).max(1);
        let times = (step << self.halved) as f32;
        let mut tallies: FxHashMap<u32, Tally> = FxHashMap::default();
        for at in found.into_iter().step_by(step) {
            let words = self.of(at);
            let all_in_title = given.iter().all(|word| words.contains(&(word | IN_TITLE)));
            let captures = ledger.captures(self.ids[at]);
            for word in words {
                let in_title = all_in_title && word & IN_TITLE != 0;
                let tally = tallies.entry(word & !IN_TITLE).or_default();
                tally.add(in_title, words.len(), captures, times);
            }
        }
        tallies.retain(|word, _| !given.contains(word));
        tallies
    }
}

fn has_all(words: &[u32], given: &[u32]) -> bool {
    given.iter().all(|one| words.iter().any(|word| word & !IN_TITLE == *one))
}
