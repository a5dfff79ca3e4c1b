//! Words, stems and concepts in one pass.
//!
//! Pages repeat their words and those of other pages. A small cache per thread holds stem and concept of recent words,
//! so that few words have to be stemmed.

use super::concepts::{CONCEPTS, Concept, phrase_hash};
use super::language::Language;
use super::words::each_word_while;
use std::cell::RefCell;
use xxhash_rust::xxh3::xxh3_64;

/// Analysis of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Token {
    /// Hash of the stem; 0 for stop words and numbers.
    pub term: u32,
    /// Concept of the word, or 0. The last word of a phrase has the concept of the phrase.
    pub concept: Concept,
    /// True if a phrase of the concept table starts with this word.
    starts_phrase: bool,
}

/// Entries of the cache. Guess.
const SLOTS: usize = 1 << 16;

thread_local! {
    /// Direct-mapped cache: key of the word and language, and the token.
    static CACHE: RefCell<Vec<(u64, Token)>> = RefCell::new(vec![(0, Token::default()); SLOTS]);
}

/// Hash of a stem. Never 0.
pub fn term_of(stem: &str) -> u32 {
    (xxh3_64(stem.as_bytes()) as u32).max(1)
}

/// Calls `visit` with every word of a text and its token.
pub fn each_token(text: &str, language: Option<&str>, mut visit: impl FnMut(&str, Token)) {
    each_token_while(text, language, |word, token| {
        visit(word, token);
        true
    });
}

/// Calls `visit` with the words of a text and their tokens until it returns `false`.
pub fn each_token_while(text: &str, language: Option<&str>, mut visit: impl FnMut(&str, Token) -> bool) {
    if text.is_empty() {
        return;
    }
    let language = Language::of(language);
    let mut phrase = OpenPhrase::default();
    CACHE.with_borrow_mut(|cache| {
        each_word_while(text, |word| {
            let hash = xxh3_64(word.as_bytes());
            let mut token = cached_token(cache, word, hash, language);
            if let Some(concept) = phrase.add_word(hash, token.starts_phrase) {
                token.concept = concept;
            }
            visit(word, token)
        });
    });
}

/// Token of a word from the cache. Adds it if missing.
fn cached_token(cache: &mut [(u64, Token)], word: &str, hash: u64, language: &Language) -> Token {
    let key = hash ^ (u64::from(language.id()) << 56 | 1);
    let slot = &mut cache[key as usize >> 1 & (SLOTS - 1)];
    if slot.0 != key {
        *slot = (key, analyse(word, language));
    }
    slot.1
}

fn analyse(word: &str, language: &Language) -> Token {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let term = if is_number || language.is_stop(word) { 0 } else { term_of(&language.stem(word)) };
    Token { term, concept: CONCEPTS.of_word(word), starts_phrase: CONCEPTS.starts_phrase(word) }
}

/// Hash of the last one or two words, while they may start a phrase.
#[derive(Clone, Copy, Default)]
struct OpenPhrase {
    hash: u64,
    words: u8,
}

impl OpenPhrase {
    /// Adds the next word. Returns the concept of the phrase that ends with it.
    #[inline]
    fn add_word(&mut self, word: u64, starts_phrase: bool) -> Option<Concept> {
        if self.words == 0 {
            *self = OpenPhrase { hash: word, words: u8::from(starts_phrase) };
            return None;
        }
        self.continue_with(word, starts_phrase)
    }

    fn continue_with(&mut self, word: u64, starts_phrase: bool) -> Option<Concept> {
        let hash = phrase_hash(self.hash, word);
        let concept = CONCEPTS.of_phrase(hash);
        *self = match (self.words, concept) {
            // A third word may complete the phrase.
            (1, 0) => OpenPhrase { hash, words: 2 },
            _ => OpenPhrase { hash: word, words: u8::from(starts_phrase) },
        };
        (concept != 0).then_some(concept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concepts(text: &str, language: &str) -> Vec<&'static str> {
        let mut found = Vec::new();
        each_token(text, Some(language), |_, token| {
            if token.concept != 0 {
                found.push(CONCEPTS.names()[usize::from(token.concept)].as_str());
            }
        });
        found
    }

    #[test]
    fn a_concept_is_found_in_every_language() {
        for (text, language) in [("Books", "en"), ("libros", "es"), ("книги", "ru"), ("图书", "zh")] {
            assert!(concepts(text, language).contains(&"book"), "{text}");
        }
    }

    #[test]
    fn stop_words_and_numbers_have_no_term() {
        let mut terms = Vec::new();
        each_token("The hotels of 1999", Some("en"), |_, token| terms.push(token.term));
        assert_eq!(terms, [0, term_of("hotel"), 0, 0]);
    }

    #[test]
    fn cached_tokens_equal_new_ones() {
        let read = || {
            let mut tokens = Vec::new();
            each_token("check in and check out of the Hotel check", Some("en"), |_, token| {
                tokens.push(token)
            });
            tokens
        };
        assert_eq!(read(), read());
    }
}
