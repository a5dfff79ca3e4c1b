//! Capture table: number of captures of each record, and for each word the records that contain it.
//!
//! For a word `w` and a part `p` of a record (title, or body for "elsewhere only") the table holds
//!
//! ```text
//! n_p(w) = number of seen records with w in part p
//! g_p(w) = sum over these records d of  b(d) / c(d)        b(d) = H / (H + len(d))
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `c(d)` | captures of record `d`: number of answers that held it |
//! | `len(d)` | number of distinct words of `d` |
//! | `b(d)` | brevity: short records contain few words, so few queries find them |
//! | `H` | [`HALF_WEIGHT_WORDS`] |
//!
//! `g` is a smoothed Good-Turing weight: records captured once resemble unseen records most. A record
//! captured once counts `b`, twice `b / 2`, and so on.
//!
//! The words of a record are those of its first capture, if the [`RecordSample`] still holds them. Otherwise the text
//! of the present answer is read. Result lists often show the passage around the query word, so later texts are biased.

use super::sample::RecordSample;
use crate::harvest::policy::Hit;
use crate::harvest::policy::lexicon::Lexicon;
use crate::harvest::record::RecordId;
use crate::text::language::Language;
use rustc_hash::FxHashMap;

/// Maximum number of records with counted captures. A record beyond them counts as captured 255 times. Guess;
/// limits memory.
const MAX_RECORDS: usize = 20_000_000;

/// `H`: number of distinct words at which the brevity `b(d)` is one half. Guess.
const HALF_WEIGHT_WORDS: f32 = 64.0;

/// Records that contain a word in one part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartCounts {
    /// `n_p(w)`: number of records.
    pub records: f32,
    /// `g_p(w)`: sum of their weights.
    pub weight: f32,
}

impl PartCounts {
    /// Counts one more capture of a record with `words` distinct words and `before` earlier captures.
    ///
    /// The weight falls from `b / c` to `b / (c + 1)`, that is by `b / (c * (c + 1))`.
    fn count(&mut self, words: usize, before: u8) {
        let (brevity, before) = (brevity(words), f32::from(before));
        if before == 0.0 {
            self.records += 1.0;
            self.weight += brevity;
        } else {
            self.weight = (self.weight - brevity / (before * (before + 1.0))).max(0.0);
        }
    }
}

/// `b(d)` of a record with `words` distinct words.
fn brevity(words: usize) -> f32 {
    HALF_WEIGHT_WORDS / (HALF_WEIGHT_WORDS + words as f32)
}

/// Records that contain a word.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WordCounts {
    /// Records with the word in the title.
    pub title: PartCounts,
    /// Records with the word elsewhere only.
    pub body: PartCounts,
}

impl WordCounts {
    fn count(&mut self, in_title: bool, words: usize, before: u8) {
        self.part(in_title).count(words, before);
    }

    /// Adds a record with `words` distinct words and `captures` captures, which represents `times` records.
    pub fn add(&mut self, in_title: bool, words: usize, captures: u8, times: f32) {
        let part = self.part(in_title);
        part.records += times;
        part.weight += times * brevity(words) / f32::from(captures.max(1));
    }

    fn part(&mut self, in_title: bool) -> &mut PartCounts {
        if in_title { &mut self.title } else { &mut self.body }
    }

    /// `n(w)`: number of seen records with the word.
    pub fn records(&self) -> f32 {
        self.title.records + self.body.records
    }
}

/// Records of an answer, by novelty and by the place of the query word.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnswerCounts {
    /// Records captured for the first time.
    pub new: PlaceCounts,
    /// Records captured before.
    pub again: PlaceCounts,
}

impl AnswerCounts {
    /// Number of records in the answer.
    pub fn records(&self) -> u32 {
        self.new.records() + self.again.records()
    }
}

/// Records by the place of the query word in their text at first capture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaceCounts {
    /// Word in the title.
    pub title: u32,
    /// Word in the text, not in the title.
    pub body: u32,
    /// Word not in the visible text.
    pub hidden: u32,
}

impl PlaceCounts {
    /// Number of records in all places.
    pub fn records(&self) -> u32 {
        self.title + self.body + self.hidden
    }
}

/// Captures of all records and counts of all words.
#[derive(Default)]
pub struct CaptureTable {
    lexicon: Lexicon,
    counts: Vec<WordCounts>,
    sample: RecordSample,
    captures: FxHashMap<RecordId, u8>,
    all_records: WordCounts,
}

impl CaptureTable {
    /// Numbers of the words.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Counts of all words, by word number.
    pub fn counts(&self) -> &[WordCounts] {
        &self.counts
    }

    /// Counts of a word; zero if no record contains it.
    pub fn counts_of(&self, word: &str) -> WordCounts {
        let number = self.lexicon.number(word);
        number.and_then(|number| self.counts.get(number as usize)).copied().unwrap_or_default()
    }

    /// Counts of an imaginary word in the body of every record.
    pub fn all_records(&self) -> &WordCounts {
        &self.all_records
    }

    /// `c(d)`: number of captures of a record.
    pub fn captures(&self, id: RecordId) -> u8 {
        self.captures.get(&id).copied().unwrap_or(0)
    }

    /// Counts of each word over the records that contain all `given` words, from the sample.
    pub fn co_occurring(&self, given: &[u32]) -> FxHashMap<u32, WordCounts> {
        self.sample.co_occurring(given, |id| self.captures(id))
    }

    /// Makes words with the same stem share a number, and counts them again from the sample. Returns the new number of
    /// each old number.
    pub fn merge_stems(&mut self, language: &'static Language) -> Vec<u32> {
        let merged = self.lexicon.merge_stems(language);
        let (counts, captures) = (&mut self.counts, &self.captures);
        counts.fill(WordCounts::default());
        self.sample.merge_stems(&merged, |id, words, in_title, times| {
            let captures = captures.get(&id).copied().unwrap_or(1);
            for (at, word) in words.iter().enumerate() {
                counts[*word as usize].add(at < in_title, words.len(), captures, times);
            }
        });
        merged
    }

    /// Counts the records of an answer. `query_word` is given if the query has only one word.
    pub fn learn(&mut self, query_word: Option<&str>, hits: &[Hit<'_>]) -> AnswerCounts {
        let query_word = query_word.and_then(|word| self.lexicon.intern(word));
        let mut answer = AnswerCounts::default();
        let mut words = Vec::new();
        for hit in hits {
            let before = self.capture(hit.id);
            let in_title = self.read_words(hit, before, &mut words);
            self.count(&words, in_title, before);
            let side = if before == 0 { &mut answer.new } else { &mut answer.again };
            *match words.iter().position(|word| Some(*word) == query_word) {
                Some(at) if at < in_title => &mut side.title,
                Some(_) => &mut side.body,
                None => &mut side.hidden,
            } += 1;
        }
        answer
    }

    /// Counts a capture and returns the number of earlier ones.
    fn capture(&mut self, id: RecordId) -> u8 {
        let is_full = self.captures.len() >= MAX_RECORDS;
        match self.captures.get_mut(&id) {
            Some(count) => {
                *count = count.saturating_add(1);
                *count - 1
            }
            None if is_full => u8::MAX,
            None => {
                self.captures.insert(id, 1);
                0
            }
        }
    }

    /// Reads the words of a record, those of the title first. Returns the number of title words.
    fn read_words(&mut self, hit: &Hit<'_>, before: u8, words: &mut Vec<u32>) -> usize {
        words.clear();
        if let Some(in_title) = self.sample.words_of(hit.id, words) {
            return in_title;
        }
        let mut in_title = 0;
        self.lexicon.visit_record(hit.title, hit.text, |number, is_title| {
            words.push(number);
            in_title += usize::from(is_title);
        });
        if before == 0 {
            self.sample.add(hit.id, words, in_title);
        }
        in_title
    }

    fn count(&mut self, words: &[u32], in_title: usize, before: u8) {
        if self.counts.len() < self.lexicon.len() {
            self.counts.resize(self.lexicon.len(), WordCounts::default());
        }
        self.all_records.count(false, words.len(), before);
        for (at, number) in words.iter().enumerate() {
            self.counts[*number as usize].count(at < in_title, words.len(), before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(id: u64, title: &'static str, text: &'static str) -> Hit<'static> {
        Hit { id: RecordId(id), is_new: true, title, text, fields: &[] }
    }

    #[test]
    fn the_words_of_a_record_are_those_of_its_first_capture() {
        let mut table = CaptureTable::default();
        table.learn(Some("boat"), &[hit(1, "harbor", "harbor boat")]);
        let answer = table.learn(Some("anchor"), &[hit(1, "harbor", "harbor anchor"), hit(2, "", "anchor")]);
        assert_eq!((answer.again.hidden, answer.new.body), (1, 1));
        assert_eq!((table.counts_of("boat").records(), table.counts_of("anchor").records()), (1.0, 1.0));
        assert_eq!(table.learn(Some("harbor"), &[hit(1, "", "")]).again.title, 1);
    }

    #[test]
    fn counts_are_the_same_whether_stems_are_merged_before_or_after() {
        let english = Language::of(Some("en"));
        let answers = [
            vec![hit(1, "boats", "boats and a boat"), hit(2, "", "storms")],
            vec![hit(1, "", "again"), hit(3, "storm", "storm boating")],
        ];
        let (mut before, mut after) = (CaptureTable::default(), CaptureTable::default());
        before.merge_stems(english);
        answers.iter().for_each(|hits| _ = before.learn(None, hits));
        answers.iter().for_each(|hits| _ = after.learn(None, hits));
        after.merge_stems(english);
        for word in ["boat", "boating", "storm", "and"] {
            assert_eq!(before.counts_of(word), after.counts_of(word), "{word}");
        }
        assert_eq!(before.counts_of("boats").records(), 2.0);
    }
}
