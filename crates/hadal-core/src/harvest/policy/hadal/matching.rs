//! Match modes: how a form compares query words with the words of records.
//!
//! Shown records that do not contain the query word reveal the mode: they contain another word of the same stem, a
//! longer word that starts with it or holds it, or only one of several query words. Such records are counted by the
//! nearest relation. Let `without` be the number of records without the word itself, `hidden` those among them without
//! any related word:
//!
//! - substrings if more than 25 % of `without` hold it only within a word;
//! - else prefixes if more than 25 % contain a word that starts with it;
//! - else stems if more than 40 % contain another word of its stem;
//! - else whole words, also if `without` is below 5 or below 2 % of the records with the word.
//!
//! The words of a query are taken to be joined by OR if the share of records with all words is below half of
//! `visible^2`, where `visible` is the share of records of one-word answers that show the word.

use crate::harvest::policy::Hit;
use crate::text::language::Language;
use crate::text::words::each_word;
use rustc_hash::FxHashSet;

/// Maximum number of records of an answer that are examined. Guess.
const MAX_EXAMINED: usize = 20;

/// Least number of records without the word that reveals a mode; twice as many for OR. Guess.
const MIN_RECORDS: f64 = 5.0;

/// Shares of the module's rules. Guesses.
const MIN_WITHOUT: f64 = 0.02;
const SUBSTRING_SHARE: f64 = 0.25;
const PREFIX_SHARE: f64 = 0.25;
const STEM_SHARE: f64 = 0.4;
const ALL_WORDS_SHARE: f64 = 0.5;

/// Words of a record that match a query word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchMode {
    /// The word itself.
    Words,
    /// Every word of the same stem.
    Stems,
    /// Every word that starts with the query word.
    Prefixes,
    /// Every word that contains the query word.
    Substrings,
}

/// Shown records, counted by their relation to the query.
#[derive(Clone, Debug, Default)]
pub struct MatchObservations {
    with_word: f64,
    with_stem: f64,
    with_prefix: f64,
    with_substring: f64,
    hidden: f64,
    /// Records of answers to several words that show all of them.
    all_words: f64,
    /// Records of answers to several words that lack one of them.
    some_words: f64,
}

impl MatchObservations {
    /// Counts the records of an answer to one word.
    pub fn learn(&mut self, word: &str, hits: &[Hit<'_>], language: &Language) {
        let stem = language.stem(word);
        for hit in hits.iter().take(MAX_EXAMINED) {
            *match nearest_relation(word, &stem, hit.text, language) {
                Some(WordRelation::Same) => &mut self.with_word,
                Some(WordRelation::Stem) => &mut self.with_stem,
                Some(WordRelation::Prefix) => &mut self.with_prefix,
                Some(WordRelation::Substring) => &mut self.with_substring,
                None => &mut self.hidden,
            } += 1.0;
        }
    }

    /// Counts the records of an answer to several words.
    pub fn learn_conjunction(&mut self, words: &[String], hits: &[Hit<'_>]) {
        for hit in hits.iter().take(MAX_EXAMINED) {
            let mut missing: FxHashSet<&str> = words.iter().map(String::as_str).collect();
            each_word(hit.text, |word| _ = missing.remove(word));
            *if missing.is_empty() { &mut self.all_words } else { &mut self.some_words } += 1.0;
        }
    }

    /// Match mode by the rules of the module.
    pub fn mode(&self) -> MatchMode {
        let without = self.with_stem + self.with_prefix + self.with_substring + self.hidden;
        match without {
            _ if without < MIN_RECORDS || without < MIN_WITHOUT * self.with_word => MatchMode::Words,
            _ if self.with_substring > SUBSTRING_SHARE * without => MatchMode::Substrings,
            _ if self.with_prefix > PREFIX_SHARE * without => MatchMode::Prefixes,
            _ if self.with_stem > STEM_SHARE * without => MatchMode::Stems,
            _ => MatchMode::Words,
        }
    }

    /// Returns true if the form joins query words by OR.
    pub fn matches_any_word(&self) -> bool {
        let visible = (self.with_word + 1.0) / (self.with_word + self.hidden + 1.0);
        let records = self.all_words + self.some_words;
        let expected = ALL_WORDS_SHARE * visible * visible * records;
        records >= 2.0 * MIN_RECORDS && self.all_words < expected
    }

    /// Returns true if a complete answer to a part of the word holds all matches of the word. `was_complete` returns
    /// true for words with a complete answer.
    pub fn is_repeat(&self, word: &str, was_complete: impl Fn(&str) -> bool) -> bool {
        let starts = || word.char_indices().map(|(at, _)| at);
        let ends = |from: usize| starts().chain([word.len()]).filter(move |end| *end > from);
        match self.mode() {
            // Words of one stem share a number in the capture table.
            MatchMode::Words | MatchMode::Stems => false,
            MatchMode::Prefixes => ends(0).any(|end| was_complete(&word[..end])),
            MatchMode::Substrings => {
                starts().any(|start| ends(start).any(|end| was_complete(&word[start..end])))
            }
        }
    }
}

/// Relation of a word to the query word, nearest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WordRelation {
    Same,
    Stem,
    Prefix,
    Substring,
}

/// Nearest relation of any word of the text to the query word.
fn nearest_relation(word: &str, stem: &str, text: &str, language: &Language) -> Option<WordRelation> {
    let mut nearest: Option<WordRelation> = None;
    each_word(text, |other| {
        let relation = match other {
            _ if other == word => WordRelation::Same,
            _ if nearest == Some(WordRelation::Same) => return,
            _ if starts_alike(other, stem) && language.stem(other) == stem => WordRelation::Stem,
            _ if other.starts_with(word) => WordRelation::Prefix,
            _ if other.contains(word) => WordRelation::Substring,
            _ => return,
        };
        nearest = Some(nearest.map_or(relation, |nearest| nearest.min(relation)));
    });
    nearest
}

/// Compares the first two letters. Words of one stem share them, so this saves most calls of the stemmer.
fn starts_alike(word: &str, stem: &str) -> bool {
    word.chars().zip(stem.chars()).take(2).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::record::RecordId;

    fn after(answers: &[(&str, &str)]) -> MatchObservations {
        let mut observations = MatchObservations::default();
        for (word, text) in answers {
            let hit = Hit { id: RecordId(1), is_new: true, title: "", text, fields: &[] };
            observations.learn(word, &[hit; 3], Language::of(Some("en")));
        }
        observations
    }

    #[test]
    fn records_without_the_word_reveal_the_mode() {
        assert_eq!(after(&[("boat", "a boat"), ("sail", "sail on")]).mode(), MatchMode::Words);
        assert_eq!(after(&[("boat", "two boats"), ("sail", "sailing")]).mode(), MatchMode::Stems);
        assert_eq!(after(&[("boa", "a boat"), ("sai", "sailing")]).mode(), MatchMode::Prefixes);
        assert_eq!(after(&[("oat", "a boat"), ("ail", "sailing")]).mode(), MatchMode::Substrings);
        assert_eq!(after(&[("boat", "a ship"), ("sail", "no wind")]).mode(), MatchMode::Words);
    }

    #[test]
    fn a_word_with_a_completely_answered_part_is_a_repeat() {
        let was_complete = |word: &str| word == "sail" || word == "boa";
        let prefixes = after(&[("boa", "a boat"), ("sai", "sailing")]);
        assert!(prefixes.is_repeat("boat", was_complete) && !prefixes.is_repeat("oboa", was_complete));
        let substrings = after(&[("oat", "a boat"), ("ail", "sailing")]);
        assert!(substrings.is_repeat("assail", was_complete));
        assert!(!substrings.is_repeat("\u{6d77}\u{5cb8}", was_complete));
    }

    #[test]
    fn records_that_lack_a_word_reveal_or() {
        let words = ["boat".to_string(), "mast".to_string()];
        let hit = |text| Hit { id: RecordId(1), is_new: true, title: "", text, fields: &[] };
        let mut either = after(&[("boat", "a boat")]);
        either.learn_conjunction(&words, &[hit("a boat"); 12]);
        assert!(either.matches_any_word());
        let mut both = after(&[("boat", "a boat")]);
        both.learn_conjunction(&words, &[hit("boat and mast"); 12]);
        assert!(!both.matches_any_word());
    }
}
