//! Words of the seen records: the records that contain each word, its class, its status, its stated total.

use super::captures::{AnswerCounts, CaptureTable, WordCounts};
use super::word_classes::WordClass;
use super::yield_model::StatedMatches;
use crate::harvest::policy::Hit;
use crate::text::language::Language;
use rustc_hash::FxHashMap;

/// Maximum number of broad words whose stated totals are used. Guess.
const MAX_STATED_WORDS: usize = 256;

/// Part of the answer to a word that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum WordStatus {
    #[default]
    NotQueried,
    /// Some matches were not shown.
    Partial,
    /// All matches were shown.
    Complete,
}

/// All words, by word number.
pub struct WordTable {
    pub language: &'static Language,
    pub captures: CaptureTable,
    classes: Vec<WordClass>,
    /// Missing words were not queried.
    statuses: Vec<WordStatus>,
    /// Stated totals of words with cut answers.
    stated: FxHashMap<u32, StatedMatches>,
    /// Words of `stated` with the greatest totals, greatest first.
    broadest: Vec<u32>,
}

impl WordTable {
    /// A table without words.
    pub fn new(language: &'static Language) -> WordTable {
        WordTable {
            language,
            captures: CaptureTable::default(),
            classes: Vec::new(),
            statuses: Vec::new(),
            stated: FxHashMap::default(),
            broadest: Vec::new(),
        }
    }

    /// Counts the records of an answer and classifies new words.
    pub fn learn(&mut self, query_word: Option<&str>, hits: &[Hit<'_>]) -> AnswerCounts {
        let counts = self.captures.learn(query_word, hits);
        let lexicon = self.captures.lexicon();
        let new = self.classes.len() as u32..lexicon.len() as u32;
        self.classes.extend(new.map(|word| WordClass::of(lexicon.word(word), self.language)));
        counts
    }

    /// Class of a word.
    pub fn class(&self, word: u32) -> WordClass {
        self.classes[word as usize]
    }

    /// Status of a word.
    pub fn status(&self, word: u32) -> WordStatus {
        self.statuses.get(word as usize).copied().unwrap_or_default()
    }

    /// Sets the status of a word of a seen record.
    pub fn set_status(&mut self, word: u32, status: WordStatus) {
        let at = word as usize;
        if self.statuses.len() <= at {
            self.statuses.resize(at + 1, WordStatus::NotQueried);
        }
        self.statuses[at] = status;
    }

    /// Keeps the stated total of a word with a cut answer.
    pub fn add_stated(&mut self, word: u32, stated: StatedMatches) {
        self.stated.insert(word, stated);
        self.broadest.retain(|other| *other != word);
        let at = self.broadest.partition_point(|other| self.stated[other].matching >= stated.matching);
        self.broadest.insert(at, word);
        self.broadest.truncate(MAX_STATED_WORDS);
    }

    /// Stated total of a word, if its answer was cut.
    pub fn stated(&self, word: u32) -> Option<&StatedMatches> {
        self.stated.get(&word)
    }

    /// Adds records to those that the answer to a word has shown.
    pub fn add_shown(&mut self, word: u32, records: usize) {
        if let Some(stated) = self.stated.get_mut(&word) {
            stated.shown += records as f64;
        }
    }

    /// Words with the greatest stated totals, greatest first.
    pub fn broadest(&self) -> impl Iterator<Item = (WordCounts, StatedMatches)> + '_ {
        let counts = self.captures.counts();
        self.broadest.iter().map(move |word| (counts[*word as usize], self.stated[word]))
    }

    /// Makes words with the same stem one word. Returns the new number of each word.
    pub fn merge_stems(&mut self) -> Vec<u32> {
        let merged = self.captures.merge_stems(self.language);
        for (at, &first) in merged.iter().enumerate().take(self.statuses.len()) {
            let (status, first) = (self.statuses[at], first as usize);
            self.statuses[first] = self.statuses[first].max(status);
        }
        let stated: Vec<(u32, StatedMatches)> = self.stated.drain().collect();
        self.broadest.clear();
        stated.into_iter().for_each(|(word, stated)| self.add_stated(merged[word as usize], stated));
        merged
    }
}
