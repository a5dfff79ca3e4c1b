//! Words, stems and concepts in one pass, remembered word by word.
//!
//! Pages repeat their words, and pages of a crawl repeat each other's. What a word comes to is kept in a
//! small table per thread, so that nearly all of a page is read without stemming anything.

use super::concepts::{CONCEPTS, Concept, phrase_hash};
use super::language::Language;
use super::words::each_word_while;
use std::cell::RefCell;
use xxhash_rust::xxh3::xxh3_64;

/// What a word comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Token {
    /// Number of its stem; 0 when it says nothing about a topic.
    pub term: u32,
    /// The concept it stands for, 0 for none; a phrase's concept comes with its last word.
    pub concept: Concept,
    opens: bool,
}

const SLOTS: usize = 1 << 16;

thread_local! {
    static MEMORY: RefCell<Vec<(u64, Token)>> = RefCell::new(vec![(0, Token::default()); SLOTS]);
}

/// The number of a stem. Never 0.
pub fn term_of(stem: &str) -> u32 {
    (xxh3_64(stem.as_bytes()) as u32).max(1)
}

/// Tells every word of a text with what it comes to.
pub fn each_token(text: &str, language: Option<&str>, mut tell: impl FnMut(&str, Token)) {
    each_token_while(text, language, |word, token| {
        tell(word, token);
        true
    });
}

/// Tells words with what they come to until the listener has heard enough and says `false`.
pub fn each_token_while(text: &str, language: Option<&str>, mut tell: impl FnMut(&str, Token) -> bool) {
    if text.is_empty() {
        return;
    }
    let language = Language::of(language);
    let mut before = OpenPhrase::default();
    MEMORY.with_borrow_mut(|memory| {
        each_word_while(text, |word| {
            let hash = xxh3_64(word.as_bytes());
            let mut token = recall(memory, word, hash, language);
            if let Some(concept) = before.go_on(hash, token.opens) {
                token.concept = concept;
            }
            tell(word, token)
        });
    });
}

fn recall(memory: &mut [(u64, Token)], word: &str, hash: u64, language: &Language) -> Token {
    let key = hash ^ (u64::from(language.id()) << 56 | 1);
    let slot = &mut memory[key as usize >> 1 & (SLOTS - 1)];
    if slot.0 != key {
        *slot = (key, understand(word, language));
    }
    slot.1
}

fn understand(word: &str, language: &Language) -> Token {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let term = if is_number || language.is_stop(word) { 0 } else { term_of(&language.stem(word)) };
    Token { term, concept: CONCEPTS.of_word(word), opens: CONCEPTS.opens(word) }
}

/// The last words, as long as a phrase may be under way.
#[derive(Clone, Copy, Default)]
struct OpenPhrase {
    hash: u64,
    words: u8,
}

impl OpenPhrase {
    /// Goes on to the next word; tells the concept of the phrase that ends with it.
    fn go_on(&mut self, word: u64, opens: bool) -> Option<Concept> {
        let hash = phrase_hash(self.hash, word);
        let concept = if self.words == 0 { 0 } else { CONCEPTS.of_phrase(hash) };
        *self = match (self.words, concept) {
            // Three words may still make a phrase.
            (1, 0) => OpenPhrase { hash, words: 2 },
            _ => OpenPhrase { hash: word, words: u8::from(opens) },
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
    fn the_same_idea_is_met_in_every_language() {
        for (text, language) in [("Books", "en"), ("libros", "es"), ("книги", "ru"), ("图书", "zh")] {
            assert!(concepts(text, language).contains(&"book"), "{text}");
        }
    }

    #[test]
    fn what_says_nothing_has_no_term() {
        let mut terms = Vec::new();
        each_token("The hotels of 1999", Some("en"), |_, token| terms.push(token.term));
        assert_eq!(terms, [0, term_of("hotel"), 0, 0]);
    }

    #[test]
    fn a_word_is_the_same_before_and_after_it_is_remembered() {
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
