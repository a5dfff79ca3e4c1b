//! Lexicon: numbers the words of a harvest, with a limit on memory.
//!
//! All words are stored in one string; a map from the hash of a word to its number finds them. A full lexicon ignores
//! new words and counts them. Frequent words occur early, so they are numbered before it is full.

use crate::text::language::Language;
use crate::text::words::{each_word, each_word_while};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of words of a lexicon. Guess; a harvest of a million records saw 1.5 million words in
/// `cargo bench --bench throughput`.
const MAX_WORDS: usize = 2_000_000;

/// Maximum number of running words of one record that are read. Guess.
const MAX_WORDS_PER_RECORD: usize = 2_000;

/// Words numbered from 0 in the order of their first occurrence.
pub struct Lexicon {
    /// Word number by hash of the word.
    numbers: FxHashMap<u64, u32>,
    /// All words, concatenated.
    letters: String,
    /// End of each word in `letters`.
    ends: Vec<usize>,
    /// Number of the record in which each word occurred last.
    last_record: Vec<u32>,
    /// Records read so far.
    records: u32,
    most: usize,
    dropped: u64,
    /// First word of each stem, by hash of the stem, once stems are merged.
    stems: Option<(&'static Language, FxHashMap<u64, u32>)>,
}

impl Default for Lexicon {
    fn default() -> Lexicon {
        Lexicon::with_limit(MAX_WORDS)
    }
}

impl Lexicon {
    /// An empty lexicon for at most `most` words.
    pub fn with_limit(most: usize) -> Lexicon {
        Lexicon {
            numbers: FxHashMap::default(),
            letters: String::new(),
            ends: Vec::new(),
            last_record: Vec::new(),
            records: 0,
            most,
            dropped: 0,
            stems: None,
        }
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no words.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of occurrences that were ignored: of words when the lexicon was full, and of records cut at the limit.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Word of a number.
    pub fn word(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.letters[start..self.ends[at]]
    }

    /// Number of a word, if the lexicon has it.
    pub fn number(&self, word: &str) -> Option<u32> {
        self.numbers.get(&xxh3_64(word.as_bytes())).copied()
    }

    /// Number of a word. Adds the word if it is new; returns `None` if it is new and the lexicon is full.
    pub fn intern(&mut self, word: &str) -> Option<u32> {
        let hash = xxh3_64(word.as_bytes());
        if let Some(&number) = self.numbers.get(&hash) {
            return Some(number);
        }
        if self.numbers.len() >= self.most {
            self.dropped += 1;
            return None;
        }
        let number = self.ends.len() as u32;
        if let Some((language, stems)) = &mut self.stems {
            let first = *stems.entry(stem_hash(word, language)).or_insert(number);
            if first != number {
                self.numbers.insert(hash, first);
                return Some(first);
            }
        }
        self.numbers.insert(hash, number);
        self.letters.push_str(word);
        self.ends.push(self.letters.len());
        self.last_record.push(0);
        Some(number)
    }

    /// True once words with the same stem share a number.
    pub fn merges_stems(&self) -> bool {
        self.stems.is_some()
    }

    /// Makes words with the same stem share the number of the first of them, now and for words to come. Returns the
    /// new number of each old number.
    pub fn merge_stems(&mut self, language: &'static Language) -> Vec<u32> {
        let mut stems = FxHashMap::default();
        let of = |number| *stems.entry(stem_hash(self.word(number), language)).or_insert(number);
        let merged: Vec<u32> = (0..self.len() as u32).map(of).collect();
        self.numbers.values_mut().for_each(|number| *number = merged[*number as usize]);
        self.stems = Some((language, stems));
        merged
    }

    /// Calls `visit(number, is_title)` once for each distinct word of a record: first for the words of the title, then
    /// for the other words of the text. Adds new words.
    pub fn visit_record(&mut self, title: &str, text: &str, mut visit: impl FnMut(u32, bool)) {
        self.records = self.records.checked_add(1).unwrap_or_else(|| {
            self.last_record.fill(0);
            1
        });
        let mut left = MAX_WORDS_PER_RECORD;
        for (part, is_title) in [(title, true), (text, false)] {
            each_word_while(part, |word| {
                if let Some(number) = self.intern(word).filter(|&number| self.is_first_in_record(number)) {
                    visit(number, is_title);
                }
                left -= 1;
                left > 0
            });
            if left == 0 {
                self.dropped += 1;
                return;
            }
        }
    }

    /// Returns true for the first occurrence of a word in the current record.
    fn is_first_in_record(&mut self, number: u32) -> bool {
        let last = &mut self.last_record[number as usize];
        std::mem::replace(last, self.records) != self.records
    }
}

fn stem_hash(word: &str, language: &Language) -> u64 {
    xxh3_64(language.stem(word).as_bytes())
}

/// Splits a query into words, by the same rules as the text of records.
pub fn split_words(query: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(query, |word| words.push(word.to_string()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of_record(lexicon: &mut Lexicon, title: &str, text: &str) -> Vec<(String, bool)> {
        let mut numbers = Vec::new();
        lexicon.visit_record(title, text, |number, in_title| numbers.push((number, in_title)));
        numbers.into_iter().map(|(number, in_title)| (lexicon.word(number).to_string(), in_title)).collect()
    }

    #[test]
    fn each_word_of_a_record_is_visited_once_with_its_part() {
        let mut lexicon = Lexicon::default();
        let words = words_of_record(&mut lexicon, "Deep sea", "Deep sea. The sea is deep");
        let expected = [("deep", true), ("sea", true), ("the", false), ("is", false)];
        assert_eq!(words, expected.map(|(word, in_title)| (word.to_string(), in_title)));
        assert_eq!(words_of_record(&mut lexicon, "sea", "sea"), [("sea".to_string(), true)]);
        assert_eq!((lexicon.len(), lexicon.number("the")), (4, Some(2)));
    }

    #[test]
    fn a_full_lexicon_keeps_its_words_and_counts_others() {
        let mut lexicon = Lexicon::with_limit(2);
        assert_eq!(words_of_record(&mut lexicon, "", "one two three one").len(), 2);
        assert_eq!((lexicon.len(), lexicon.dropped()), (2, 1));
        assert_eq!(lexicon.intern("two"), Some(1));
        assert_eq!(lexicon.intern("four"), None);
    }

    #[test]
    fn words_of_one_stem_share_a_number_after_merging() {
        let mut lexicon = Lexicon::default();
        words_of_record(&mut lexicon, "", "boats anchor boat");
        assert_eq!(lexicon.merge_stems(Language::of(Some("en"))), [0, 1, 0]);
        assert_eq!((lexicon.number("boat"), lexicon.number("boats")), (Some(0), Some(0)));
        let expected = [("anchor", true), ("storm", false)];
        let words = words_of_record(&mut lexicon, "anchored anchors", "storm storms anchor");
        assert_eq!(words, expected.map(|(word, in_title)| (word.to_string(), in_title)));
        assert_eq!(lexicon.len(), 4);
    }

    #[test]
    fn a_long_record_is_read_to_the_limit() {
        let text: String = (0..5_000).map(|at| format!("w{at} ")).collect();
        let mut lexicon = Lexicon::default();
        assert_eq!(words_of_record(&mut lexicon, "", &text).len(), MAX_WORDS_PER_RECORD);
        assert_eq!(lexicon.dropped(), 1);
    }
}
