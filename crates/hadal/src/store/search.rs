//! What it means that a text has the words searched for, the same in every back end.
//!
//! Words are cut as everywhere else, so scripts without spaces are searched by pairs of characters.

use hadal_core::text::words::each_word;

/// The distinct words of some texts, in order.
pub fn words(texts: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    texts.iter().for_each(|text| each_word(text, |word| words.push(word.to_string())));
    words.sort_unstable();
    words.dedup();
    words
}

/// What is searched for.
pub struct SearchWords {
    words: Vec<String>,
}

impl SearchWords {
    /// Every word of a text.
    pub fn of(text: &str) -> SearchWords {
        SearchWords { words: words(&[text]) }
    }

    /// The words, none of which is there twice.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether these texts together have all the words.
    pub fn is_in(&self, texts: &[&str]) -> bool {
        let there = words(texts);
        !self.words.is_empty() && self.words.iter().all(|word| there.binary_search(word).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_be_there_somewhere_in_any_case() {
        let texts = ["The Deep Sea", "maps, 1872: Tiefsee-Kn\u{f6}llchen \u{6df1}\u{6d77}\u{9b5a}"];
        for (search, is_in) in [
            ("deep", true),
            ("SEA maps", true),
            ("kn\u{f6}llchen", true),
            ("\u{6df1}\u{6d77}", true),
            ("sea dogs", false),
            ("de", false),
            ("", false),
            ("\"*", false),
        ] {
            assert_eq!(SearchWords::of(search).is_in(&texts), is_in, "{search}");
        }
    }
}
