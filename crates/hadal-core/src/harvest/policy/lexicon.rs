//! Words by number, as many as memory allows.
//!
//! The words of a harvest are kept once, end to end; a word is found by its hash. When the lexicon is full
//! a word that is not in it yet stays out and is counted: what is frequent came early and is in.

use crate::text::language::Language;
use crate::text::words::{each_word, each_word_while};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Words that are kept.
const MOST_WORDS: usize = 2_000_000;

/// Running words of a record that are read; what comes after them is dropped and counted.
const MOST_PER_RECORD: usize = 2_000;

/// Numbered words.
pub struct Lexicon {
    numbers: FxHashMap<u64, u32>,
    letters: String,
    ends: Vec<usize>,
    /// In which text a word was met last, so that it is told once a text.
    met_in: Vec<u32>,
    texts: u32,
    most: usize,
    dropped: u64,
    /// The first word of each stem, once the forms of a word are one.
    stems: Option<(&'static Language, FxHashMap<u64, u32>)>,
}

impl Default for Lexicon {
    fn default() -> Lexicon {
        Lexicon::holding(MOST_WORDS)
    }
}

impl Lexicon {
    /// A lexicon of at most so many words.
    pub fn holding(most: usize) -> Lexicon {
        Lexicon {
            numbers: FxHashMap::default(),
            letters: String::new(),
            ends: Vec::new(),
            met_in: Vec::new(),
            texts: 0,
            most,
            dropped: 0,
            stems: None,
        }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Words of texts that were not taken in for want of room.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The word of a number.
    pub fn word(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.letters[start..self.ends[at]]
    }

    /// The number of a word that is known.
    pub fn number(&self, word: &str) -> Option<u32> {
        self.numbers.get(&xxh3_64(word.as_bytes())).copied()
    }

    /// The number of a word, a new one when it is not known and there is room.
    pub fn admit(&mut self, word: &str) -> Option<u32> {
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
            let first = *stems.entry(stem_of(word, language)).or_insert(number);
            if first != number {
                self.numbers.insert(hash, first);
                return Some(first);
            }
        }
        self.numbers.insert(hash, number);
        self.letters.push_str(word);
        self.ends.push(self.letters.len());
        self.met_in.push(0);
        Some(number)
    }

    /// Whether the forms of a word are one.
    pub fn is_folded(&self) -> bool {
        self.stems.is_some()
    }

    /// From now on the forms of a word are one, by the first that was met. Tells for each number which one it is now.
    pub fn fold(&mut self, language: &'static Language) -> Vec<u32> {
        let mut stems = FxHashMap::default();
        let of = |number| *stems.entry(stem_of(self.word(number), language)).or_insert(number);
        let folded: Vec<u32> = (0..self.len() as u32).map(of).collect();
        self.numbers.values_mut().for_each(|number| *number = folded[*number as usize]);
        self.stems = Some((language, stems));
        folded
    }

    /// Tells each word of a record once: those of its title first, with `true`, then the other words of its
    /// text.
    pub fn each_of_record(&mut self, title: &str, text: &str, mut tell: impl FnMut(u32, bool)) {
        self.texts = self.texts.checked_add(1).unwrap_or_else(|| {
            self.met_in.fill(0);
            1
        });
        let mut left = MOST_PER_RECORD;
        for (part, in_title) in [(title, true), (text, false)] {
            each_word_while(part, |word| {
                if let Some(number) = self.admit(word).filter(|&number| self.is_first(number)) {
                    tell(number, in_title);
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

    /// Whether a word is met in this text for the first time.
    fn is_first(&mut self, number: u32) -> bool {
        let met = &mut self.met_in[number as usize];
        std::mem::replace(met, self.texts) != self.texts
    }
}

fn stem_of(word: &str, language: &Language) -> u64 {
    xxh3_64(language.stem(word).as_bytes())
}

/// The words of a query, as records' words are cut.
pub fn words_of(query: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(query, |word| words.push(word.to_string()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lexicon: &mut Lexicon, title: &str, text: &str) -> Vec<(String, bool)> {
        let mut numbers = Vec::new();
        lexicon.each_of_record(title, text, |number, in_title| numbers.push((number, in_title)));
        numbers.into_iter().map(|(number, in_title)| (lexicon.word(number).to_string(), in_title)).collect()
    }

    #[test]
    fn a_record_tells_each_word_once_and_whether_the_title_has_it() {
        let mut lexicon = Lexicon::default();
        let words = told(&mut lexicon, "Deep sea", "Deep sea. The sea is deep");
        let expected = [("deep", true), ("sea", true), ("the", false), ("is", false)];
        assert_eq!(words, expected.map(|(word, in_title)| (word.to_string(), in_title)));
        assert_eq!(told(&mut lexicon, "sea", "sea"), [("sea".to_string(), true)]);
        assert_eq!((lexicon.len(), lexicon.number("the")), (4, Some(2)));
    }

    #[test]
    fn a_full_lexicon_keeps_what_it_has_and_counts_the_rest() {
        let mut lexicon = Lexicon::holding(2);
        assert_eq!(told(&mut lexicon, "", "one two three one").len(), 2);
        assert_eq!((lexicon.len(), lexicon.dropped()), (2, 1));
        assert_eq!(lexicon.admit("two"), Some(1));
        assert_eq!(lexicon.admit("four"), None);
    }

    #[test]
    fn the_forms_of_a_word_are_one_from_the_fold_on() {
        let mut lexicon = Lexicon::default();
        told(&mut lexicon, "", "boats anchor boat");
        assert_eq!(lexicon.fold(Language::of(Some("en"))), [0, 1, 0]);
        assert_eq!((lexicon.number("boat"), lexicon.number("boats")), (Some(0), Some(0)));
        let expected = [("anchor", true), ("storm", false)];
        let words = told(&mut lexicon, "anchored anchors", "storm storms anchor");
        assert_eq!(words, expected.map(|(word, in_title)| (word.to_string(), in_title)));
        assert_eq!(lexicon.len(), 4);
    }

    #[test]
    fn an_endless_record_is_read_to_its_bound() {
        let text: String = (0..5_000).map(|at| format!("w{at} ")).collect();
        let mut lexicon = Lexicon::default();
        assert_eq!(told(&mut lexicon, "", &text).len(), MOST_PER_RECORD);
        assert_eq!(lexicon.dropped(), 1);
    }
}
