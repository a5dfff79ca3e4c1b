//! Frequency ranks of English words.
//!
//! The list ships with the program. `hadal topics built-in` creates it from a frequency table.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The built-in list.
pub static ENGLISH: LazyLock<WordFrequencies> =
    LazyLock::new(|| WordFrequencies::read(include_str!("../../models/words-en.txt")));

/// Words with their frequency ranks.
pub struct WordFrequencies {
    words: Vec<&'static str>,
    ranks: FxHashMap<&'static str, u32>,
}

impl WordFrequencies {
    fn read(list: &'static str) -> WordFrequencies {
        let words: Vec<&'static str> = list.lines().collect();
        let ranks = words.iter().enumerate().map(|(rank, word)| (*word, rank as u32)).collect();
        WordFrequencies { words, ranks }
    }

    /// All words, most frequent first.
    pub fn words(&self) -> &[&'static str] {
        &self.words
    }

    /// Rank of a word; 0 is the most frequent.
    pub fn rank(&self, word: &str) -> Option<u32> {
        self.ranks.get(word).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_come_before_rare_ones() {
        let rank = |word| ENGLISH.rank(word).unwrap();
        assert!(rank("the") < rank("book") && rank("book") < rank("paperback"));
        assert_eq!(ENGLISH.words()[rank("book") as usize], "book");
        assert_eq!(ENGLISH.rank("xqzzy"), None);
    }
}
