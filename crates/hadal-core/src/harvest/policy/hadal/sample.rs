//! A sample of the records with the words that they had when they first came.
//!
//! It tells which words stand together, and which ones were in sight before a word was asked: lists often show the
//! part of a record where the word stands that was asked for.
//!
//! Every record is kept until the sample is full; then half of them go, chosen by their identity, and only
//! records of the half that stays are added from then on. So the sample is of all records alike.

use super::ledger::Tally;
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
    places: FxHashMap<RecordId, u32>,
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
        self.keep(id, words, in_title);
        if self.words.len() > MOST_WORDS {
            self.halve();
        }
    }

    fn keep(&mut self, id: RecordId, words: &[u32], in_title: usize) {
        let titled = words[..in_title].iter().map(|word| word | IN_TITLE);
        self.push(id, titled.chain(words[in_title..].iter().copied()));
    }

    fn push(&mut self, id: RecordId, words: impl Iterator<Item = u32>) {
        self.places.insert(id, self.ids.len() as u32);
        self.ids.push(id);
        self.words.extend(words);
        self.ends.push(self.words.len());
    }

    fn takes(&self, id: RecordId) -> bool {
        xxh3_64(&id.0.to_le_bytes()).trailing_zeros() >= self.halved
    }

    fn halve(&mut self) {
        self.halved += 1;
        let old = std::mem::take(self);
        self.halved = old.halved;
        for (at, id) in old.ids.iter().enumerate() {
            if self.takes(*id) {
                self.push(*id, old.of(at).iter().copied());
            }
        }
    }

    fn of(&self, at: usize) -> &[u32] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start..self.ends[at]]
    }

    /// Puts the words that they are now in place of words, each once a record, and tells of every record its
    /// words, how many of them are of the title, and for how many it stands.
    pub fn fold(&mut self, folded: &[u32], mut tell: impl FnMut(RecordId, &[u32], usize, f32)) {
        let old = std::mem::take(self);
        self.halved = old.halved;
        let mut met_in = vec![usize::MAX; folded.len()];
        let mut words: Vec<u32> = Vec::new();
        for (at, id) in old.ids.iter().enumerate() {
            words.clear();
            let mut in_title = 0;
            for word in old.of(at) {
                let now = folded[(word & !IN_TITLE) as usize];
                if std::mem::replace(&mut met_in[now as usize], at) != at {
                    words.push(now);
                    in_title += usize::from(word & IN_TITLE != 0);
                }
            }
            tell(*id, &words, in_title, (1 << self.halved) as f32);
            self.keep(*id, &words, in_title);
        }
    }

    /// The words of a record, those of the title first, and how many these are; if it is in the sample.
    pub fn read(&self, id: RecordId, words: &mut Vec<u32>) -> Option<usize> {
        let kept = self.of(*self.places.get(&id)? as usize);
        words.extend(kept.iter().map(|word| word & !IN_TITLE));
        Some(kept.iter().filter(|word| *word & IN_TITLE != 0).count())
    }

    /// For each word that stands beside all of the given ones in some record, the tally of those records;
    /// `captures` tells how often a record came.
    pub fn beside(&self, given: &[u32], captures: impl Fn(RecordId) -> u8) -> FxHashMap<u32, Tally> {
        let found: Vec<usize> = (0..self.ids.len()).filter(|at| has_all(self.of(*at), given)).collect();
        let step = found.len().div_ceil(MOST_LOOKED_AT).max(1);
        let times = (step << self.halved) as f32;
        let mut tallies: FxHashMap<u32, Tally> = FxHashMap::default();
        for at in found.into_iter().step_by(step) {
            let words = self.of(at);
            let all_in_title = given.iter().all(|word| words.contains(&(word | IN_TITLE)));
            let captures = captures(self.ids[at]);
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
