//! Words of scripts without spaces, from the statistics of a collection.
//!
//! Two adjacent characters `a` and `b` belong together by `n(ab)^2 / (n(a) * n(b))`, where `n` counts
//! occurrences in the collection. They are a word if that is at least [`MIN_ASSOCIATION`], and more than for
//! the next pair. Sequences of katakana are one word. All other characters are words by themselves. Real
//! search software uses dictionaries; like these, the rule finds most words of two characters and none of the
//! pairs across words.

use crate::database::collection::Collection;
use hadal_core::text::words::is_unspaced;
use rustc_hash::FxHashMap;

/// Least association of two characters of a word. Guess.
const MIN_ASSOCIATION: f64 = 0.003;

/// Maximum number of records that are counted. Guess; limits time.
const MAX_RECORDS: u32 = 5_000;

/// Counts of characters and of pairs of adjacent characters.
#[derive(Default)]
pub(in crate::database) struct WordJoiner {
    characters: FxHashMap<char, u32>,
    pairs: FxHashMap<(char, char), u32>,
}

impl WordJoiner {
    /// Counts the records of a collection.
    pub(super) fn of(collection: &Collection) -> WordJoiner {
        let mut joiner = WordJoiner::default();
        let records = (0..collection.len().min(MAX_RECORDS)).filter_map(|number| collection.record(number));
        for record in records {
            joiner.count(record.title);
            joiner.count(record.text);
        }
        joiner
    }

    fn count(&mut self, text: &str) {
        let mut last = None;
        for c in text.chars() {
            let this = is_unspaced(c).then_some(c);
            if let Some(c) = this {
                *self.characters.entry(c).or_default() += 1;
            }
            if let Some(pair) = last.zip(this) {
                *self.pairs.entry(pair).or_default() += 1;
            }
            last = this;
        }
    }

    /// Length in bytes of the word at the start of a text. Its first character is of a script without spaces.
    pub(super) fn word_length(&self, text: &str) -> usize {
        let mut letters = text.chars().take_while(|c| is_unspaced(*c));
        let Some(first) = letters.next() else { return 0 };
        if is_katakana(first) {
            return text.find(|c| !is_katakana(c)).unwrap_or(text.len());
        }
        let (second, third) = (letters.next().filter(|c| !is_katakana(*c)), letters.next());
        let Some(second) = second else { return first.len_utf8() };
        let own = self.association(first, second);
        let next = third.map_or(0.0, |third| self.association(second, third));
        let is_word = own >= MIN_ASSOCIATION && own >= next;
        if is_word { first.len_utf8() + second.len_utf8() } else { first.len_utf8() }
    }

    fn association(&self, a: char, b: char) -> f64 {
        let count = |c: char| f64::from(self.characters.get(&c).copied().unwrap_or(1));
        let pair = f64::from(self.pairs.get(&(a, b)).copied().unwrap_or(0));
        pair * pair / (count(a) * count(b))
    }
}

fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30A1}'..='\u{30FC}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_pairs_and_katakana_are_words() {
        let mut joiner = WordJoiner::default();
        (0..20).for_each(|_| joiner.count("東京の人。京都の本。本人が人の本を"));
        let words = |text: &str| {
            let (mut at, mut words) = (0, Vec::new());
            while at < text.len() {
                let length = joiner.word_length(&text[at..]);
                words.push(text[at..at + length].to_string());
                at += length;
            }
            words
        };
        assert_eq!(words("東京都"), ["東京", "都"]);
        assert_eq!(words("ゲームと京都"), ["ゲーム", "と", "京都"]);
    }
}
