//! What a form takes for a match, told from records that came although the word asked for is not in them.
//!
//! They may have another form of the word, a longer word that begins with it or holds it, or only one of
//! several words asked. Where answers show all of a record, a few of them are enough to tell.

use crate::harvest::policy::Hit;
use crate::text::language::Language;
use crate::text::words::each_word;
use rustc_hash::FxHashSet;

/// Records of an answer that are looked into.
const LOOKED_INTO: usize = 20;

/// Records that it takes to tell.
const ENOUGH: f64 = 5.0;

/// What matches a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// The word as it stands.
    Words,
    /// Every form of it.
    Stems,
    /// Every word that begins with it.
    Prefixes,
    /// Every word that holds it.
    Substrings,
}

/// Records that came without the word asked for, by what they have instead.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    with_it: f64,
    stem: f64,
    prefix: f64,
    substring: f64,
    nothing: f64,
    /// Records that came for several words: all in sight, or not.
    all_words: f64,
    some_words: f64,
}

impl Matches {
    /// Takes in an answer to a word.
    pub fn learn(&mut self, word: &str, hits: &[Hit<'_>], language: &Language) {
        let stem = language.stem(word);
        for hit in hits.iter().take(LOOKED_INTO) {
            *match kinship(word, &stem, hit.text, language) {
                Some(Kinship::Same) => &mut self.with_it,
                Some(Kinship::Stem) => &mut self.stem,
                Some(Kinship::Prefix) => &mut self.prefix,
                Some(Kinship::Substring) => &mut self.substring,
                None => &mut self.nothing,
            } += 1.0;
        }
    }

    /// Takes in an answer to several words.
    pub fn learn_several(&mut self, words: &[String], hits: &[Hit<'_>]) {
        for hit in hits.iter().take(LOOKED_INTO) {
            let mut missing: FxHashSet<&str> = words.iter().map(String::as_str).collect();
            each_word(hit.text, |word| _ = missing.remove(word));
            *if missing.is_empty() { &mut self.all_words } else { &mut self.some_words } += 1.0;
        }
    }

    /// What matches a word, by what was seen most of late.
    pub fn matching(&self) -> Matching {
        let without = self.stem + self.prefix + self.substring + self.nothing;
        match without {
            _ if without < ENOUGH || without < 0.02 * self.with_it => Matching::Words,
            _ if self.substring > 0.25 * without => Matching::Substrings,
            _ if self.prefix > 0.25 * without => Matching::Prefixes,
            _ if self.stem > 0.4 * without => Matching::Stems,
            _ => Matching::Words,
        }
    }

    /// Whether records come that have but one of several words, more often than words are out of sight anyway.
    pub fn is_either(&self) -> bool {
        let sight = (self.with_it + 1.0) / (self.with_it + self.nothing + 1.0);
        let several = self.all_words + self.some_words;
        several >= 2.0 * ENOUGH && self.all_words < 0.5 * sight * sight * several
    }

    /// Whether an answer already had all that a word would bring; `was_whole` tells which words were answered
    /// in full.
    pub fn is_repeat(&self, word: &str, was_whole: impl Fn(&str) -> bool) -> bool {
        let starts = || word.char_indices().map(|(at, _)| at);
        let ends = |from: usize| starts().chain([word.len()]).filter(move |end| *end > from);
        match self.matching() {
            // The forms of a word are one to the ledger.
            Matching::Words | Matching::Stems => false,
            Matching::Prefixes => ends(0).any(|end| was_whole(&word[..end])),
            Matching::Substrings => starts().any(|start| ends(start).any(|end| was_whole(&word[start..end]))),
        }
    }
}

/// What a text has of a word, nearest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kinship {
    Same,
    Stem,
    Prefix,
    Substring,
}

fn kinship(word: &str, stem: &str, text: &str, language: &Language) -> Option<Kinship> {
    let mut nearest: Option<Kinship> = None;
    each_word(text, |other| {
        let kin = match other {
            _ if other == word => Kinship::Same,
            _ if nearest == Some(Kinship::Same) => return,
            _ if begins_alike(other, stem) && language.stem(other) == stem => Kinship::Stem,
            _ if other.starts_with(word) => Kinship::Prefix,
            _ if other.contains(word) => Kinship::Substring,
            _ => return,
        };
        nearest = Some(nearest.map_or(kin, |nearest| nearest.min(kin)));
    });
    nearest
}

/// Forms of a word share its beginning; others need not be stemmed to know that they differ.
fn begins_alike(word: &str, stem: &str) -> bool {
    word.chars().zip(stem.chars()).take(2).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::record::RecordId;

    fn after(answers: &[(&str, &str)]) -> Matches {
        let mut matches = Matches::default();
        for (word, text) in answers {
            let hit = Hit { id: RecordId(1), is_new: true, title: "", text, fields: &[] };
            matches.learn(word, &[hit; 3], Language::of(Some("en")));
        }
        matches
    }

    #[test]
    fn what_matches_is_told_from_records_without_the_word() {
        assert_eq!(after(&[("boat", "a boat"), ("sail", "sail on")]).matching(), Matching::Words);
        assert_eq!(after(&[("boat", "two boats"), ("sail", "sailing")]).matching(), Matching::Stems);
        assert_eq!(after(&[("boa", "a boat"), ("sai", "sailing")]).matching(), Matching::Prefixes);
        assert_eq!(after(&[("oat", "a boat"), ("ail", "sailing")]).matching(), Matching::Substrings);
        assert_eq!(after(&[("boat", "a ship"), ("sail", "no wind")]).matching(), Matching::Words);
    }

    #[test]
    fn what_was_answered_in_full_is_not_asked_again_in_other_words() {
        let was_whole = |word: &str| word == "sail" || word == "boa";
        let prefixes = after(&[("boa", "a boat"), ("sai", "sailing")]);
        assert!(prefixes.is_repeat("boat", was_whole) && !prefixes.is_repeat("oboa", was_whole));
        let substrings = after(&[("oat", "a boat"), ("ail", "sailing")]);
        assert!(substrings.is_repeat("assail", was_whole));
        assert!(!substrings.is_repeat("\u{6d77}\u{5cb8}", was_whole));
    }

    #[test]
    fn several_words_of_which_one_is_enough_are_recognised() {
        let words = ["boat".to_string(), "mast".to_string()];
        let hit = |text| Hit { id: RecordId(1), is_new: true, title: "", text, fields: &[] };
        let mut either = after(&[("boat", "a boat")]);
        either.learn_several(&words, &[hit("a boat"); 12]);
        assert!(either.is_either());
        let mut both = after(&[("boat", "a boat")]);
        both.learn_several(&words, &[hit("boat and mast"); 12]);
        assert!(!both.is_either());
    }
}
