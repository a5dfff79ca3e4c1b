//! Word search, the same in every back end.
//!
//! Words are split as everywhere in hadal: scripts without spaces are searched by pairs of characters.

use super::RecordRow;
use hadal_core::text::words::each_word;

/// Distinct words of some texts, sorted.
pub fn words(texts: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    texts.iter().for_each(|text| each_word(text, |word| words.push(word.to_string())));
    words.sort_unstable();
    words.dedup();
    words
}

/// Texts of a record that are searched.
pub fn record_texts(row: &RecordRow) -> [&str; 3] {
    [&row.record.title, &row.record.text, row.detail.as_deref().unwrap_or_default()]
}

/// Words to search for.
pub struct SearchWords {
    words: Vec<String>,
}

impl SearchWords {
    /// Every word of a text.
    pub fn of(text: &str) -> SearchWords {
        SearchWords { words: words(&[text]) }
    }

    /// Distinct words, sorted.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// True if the texts together contain all words, and there is at least one word.
    pub fn are_in(&self, texts: &[&str]) -> bool {
        let there = words(texts);
        !self.words.is_empty() && self.words.iter().all(|word| there.binary_search(word).is_ok())
    }

    /// True if a record contains all words.
    pub fn are_in_record(&self, row: &RecordRow) -> bool {
        self.are_in(&record_texts(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_be_there_in_any_case() {
        let texts = ["The Deep Sea", "maps, 1872: Tiefsee-Kn\u{f6}llchen \u{6df1}\u{6d77}\u{9b5a}"];
        for (search, is_there) in [
            ("deep", true),
            ("SEA maps", true),
            ("kn\u{f6}llchen", true),
            ("\u{6df1}\u{6d77}", true),
            ("sea dogs", false),
            ("de", false),
            ("", false),
            ("\"*", false),
        ] {
            assert_eq!(SearchWords::of(search).are_in(&texts), is_there, "{search}");
        }
    }
}
