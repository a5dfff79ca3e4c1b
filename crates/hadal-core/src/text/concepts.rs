//! Concepts: language-independent ideas. `book`, `libro`, `книга` and `图书` are one concept.
//!
//! With this table, classifiers trained mostly on English forms work in other languages. The table is written by
//! hand; the first lines of `concepts.txt` explain its format.

use super::words::{each_word, is_unspaced};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// Number of a concept. 0 means no concept.
pub type Concept = u8;

/// Lengths of prefix entries in letters.
const PREFIX_LENGTHS: std::ops::RangeInclusive<usize> = 2..=14;

/// The built-in table.
pub static CONCEPTS: LazyLock<ConceptTable> =
    LazyLock::new(|| ConceptTable::read(include_str!("concepts.txt")));

/// Map from words, prefixes and phrases to concepts.
pub struct ConceptTable {
    names: Vec<String>,
    words: FxHashMap<String, Concept>,
    prefixes: FxHashMap<String, Concept>,
    /// First two letters of all prefixes. Words with another start need no prefix look-up.
    prefix_starts: FxHashSet<[char; 2]>,
    /// Concepts of phrases by [`phrase_hash`].
    phrases: FxHashMap<u64, Concept>,
    /// First words of phrases.
    first_words: FxHashSet<String>,
}

impl ConceptTable {
    /// Parses lines of `concept TAB language TAB entries`. A word belongs to the first concept that lists it.
    fn read(table: &str) -> ConceptTable {
        let mut concepts = ConceptTable {
            names: vec![String::new()],
            words: FxHashMap::default(),
            prefixes: FxHashMap::default(),
            prefix_starts: FxHashSet::default(),
            phrases: FxHashMap::default(),
            first_words: FxHashSet::default(),
        };
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.split('\t');
            if let (Some(name), Some(_), Some(entries)) = (columns.next(), columns.next(), columns.next()) {
                let concept = concepts.number(name);
                entries.split_whitespace().for_each(|entry| concepts.add(entry, concept));
            }
        }
        concepts
    }

    fn number(&mut self, name: &str) -> Concept {
        let known = self.names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.names.len() - 1
        });
        Concept::try_from(number).expect("there are fewer than 256 concepts")
    }

    fn add(&mut self, entry: &str, concept: Concept) {
        if let Some(prefix) = entry.strip_suffix('*') {
            self.prefixes.entry(prefix.to_string()).or_insert(concept);
            self.prefix_starts.extend(first_letters(prefix));
            return;
        }
        let mut words = Vec::new();
        each_word(&entry.replace('_', " "), |word| words.push(word.to_string()));
        match words.as_slice() {
            [] => {}
            [word] => {
                self.words.entry(word.clone()).or_insert(concept);
            }
            [first, ..] => {
                self.first_words.insert(first.clone());
                words.truncate(3);
                let hashes = words.iter().map(|word| xxh3_64(word.as_bytes()));
                let phrase = hashes.reduce(phrase_hash).expect("the phrase has words");
                self.phrases.entry(phrase).or_insert(concept);
            }
        }
    }

    /// Names of the concepts by number. Number 0 has an empty name.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Numbers of the concepts with these names.
    pub fn named(&self, names: &[&str]) -> Vec<Concept> {
        let number = |name: &&str| self.names.iter().position(|known| known == name);
        names.iter().filter_map(number).filter_map(|at| Concept::try_from(at).ok()).collect()
    }

    /// Concept of a lower-case word, or 0.
    pub fn of_word(&self, word: &str) -> Concept {
        let exact = self.words.get(word).copied();
        exact.or_else(|| self.of_prefix(word)).unwrap_or_default()
    }

    fn of_prefix(&self, word: &str) -> Option<Concept> {
        let start = first_letters(word)?;
        if is_unspaced(start[0]) || !self.prefix_starts.contains(&start) {
            return None;
        }
        let longest = word.char_indices().nth(*PREFIX_LENGTHS.end()).map_or(word.len(), |(at, _)| at);
        let ends = word[..longest].char_indices().rev().map(|(at, c)| at + c.len_utf8());
        let shortest = start[0].len_utf8() + start[1].len_utf8();
        ends.take_while(|end| *end >= shortest).find_map(|end| self.prefixes.get(&word[..end]).copied())
    }

    /// True if a phrase starts with this word.
    pub fn starts_phrase(&self, word: &str) -> bool {
        self.first_words.contains(word)
    }

    /// Concept of a phrase by its [`phrase_hash`], or 0.
    pub fn of_phrase(&self, phrase: u64) -> Concept {
        self.phrases.get(&phrase).copied().unwrap_or_default()
    }
}

/// Extends the hash of a phrase by the hash of its next word. The hash of a single word is its own.
pub fn phrase_hash(start: u64, word: u64) -> u64 {
    (start.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// First two letters of a word.
fn first_letters(word: &str) -> Option<[char; 2]> {
    let mut letters = word.chars();
    Some([letters.next()?, letters.next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str =
        "# comment\nbook\ten\tbook books\nbook\tru\tкниг*\nbook\tzh\t图书 图书馆\ncheckin\ten\tcheck_in\n";

    fn name(concepts: &ConceptTable, concept: Concept) -> &str {
        &concepts.names()[usize::from(concept)]
    }

    #[test]
    fn words_prefixes_and_phrases_lead_to_concepts() {
        let concepts = ConceptTable::read(TABLE);
        for word in ["book", "книгами", "图书"] {
            assert_eq!(name(&concepts, concepts.of_word(word)), "book", "{word}");
        }
        assert_eq!(concepts.of_word("booking"), 0);
        assert!(concepts.starts_phrase("check"));
        let hash = |word: &str| xxh3_64(word.as_bytes());
        let phrase = |words: [&str; 2]| concepts.of_phrase(phrase_hash(hash(words[0]), hash(words[1])));
        assert_eq!(name(&concepts, phrase(["check", "in"])), "checkin");
        assert_eq!(name(&concepts, phrase(["图书", "书馆"])), "book");
        assert_eq!(phrase(["in", "check"]), 0);
    }

    #[test]
    fn the_shipped_table_reads_whole() {
        assert!(CONCEPTS.names().len() > 100);
        let lines = include_str!("concepts.txt").lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            assert_eq!(line.split('\t').count(), 3, "{line}");
        }
    }
}
