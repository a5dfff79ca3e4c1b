//! Text analysis: splits text into tokens and turns them into terms.
//!
//! Records and queries are analysed in the same way, with stop words and stems of the collection's language. In scripts
//! without spaces each character is a token. [`UnspacedTerms`] states whether characters that are adjacent in a query
//! must be adjacent in a record, or if [`WordJoiner`] joins them to words first.

use super::word_joiner::WordJoiner;
use crate::database::collection::Collection;
use crate::database::config::{DatabaseConfig, StopWords, UnspacedTerms, WordMatch};
use hadal_core::text::language::Language;
use hadal_core::text::words::is_unspaced;

/// Length of the longest indexed word, in bytes. Guess.
const MAX_WORD_BYTES: usize = 80;

/// Options of text analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::database) struct Analysis {
    stems: bool,
    drops_stop_words: bool,
    shortest: u32,
    /// ISO 639-1 code of the collection's language.
    language: Option<&'static str>,
    pub(in crate::database) unspaced: UnspacedTerms,
}

impl Analysis {
    pub(in crate::database) fn of(config: &DatabaseConfig, collection: &Collection) -> Analysis {
        Analysis {
            stems: config.word_match == WordMatch::Stemmed,
            drops_stop_words: config.stop_words == StopWords::Ignored,
            shortest: config.shortest_word,
            language: collection.language(),
            unspaced: config.unspaced,
        }
    }

    /// Term of a word; `None` if the word is not indexed.
    pub(in crate::database) fn term(self, raw: &str) -> Option<String> {
        if raw.chars().next().is_some_and(is_unspaced) {
            return Some(raw.to_string());
        }
        let word = raw.to_lowercase();
        let language = Language::of(self.language);
        let is_indexed = word.len() <= MAX_WORD_BYTES
            && word.chars().count() >= self.shortest as usize
            && !(self.drops_stop_words && language.is_stop(&word));
        is_indexed.then(|| if self.stems { language.stem(&word) } else { word })
    }

    /// Terms of a text.
    #[cfg(test)]
    pub(in crate::database) fn terms(self, text: &str) -> Vec<String> {
        tokens(text, None).filter_map(|token| self.term(token.word)).collect()
    }

    /// Groups of terms of a query: one per word, and one per run of characters in a script without spaces.
    pub(in crate::database) fn groups(self, query: &str, joiner: Option<&WordJoiner>) -> Vec<Vec<String>> {
        let in_order = self.unspaced != UnspacedTerms::Characters;
        let mut groups: Vec<Vec<String>> = Vec::new();
        for token in tokens(query, joiner) {
            let Some(word) = self.term(token.word) else { continue };
            match groups.last_mut() {
                Some(group) if token.continues_run && in_order => group.push(word),
                _ => groups.push(vec![word]),
            }
        }
        groups
    }
}

/// Word of a text, or character of a script without spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::database) struct TextToken<'t> {
    pub(in crate::database) word: &'t str,
    /// Byte offset in the text.
    pub(in crate::database) at: usize,
    /// True if both this and the previous token are characters of scripts without spaces, with nothing between them.
    pub(in crate::database) continues_run: bool,
}

/// Splits text into tokens. `joiner` gives the words of scripts without spaces.
pub(in crate::database) fn tokens<'t>(
    text: &'t str,
    joiner: Option<&WordJoiner>,
) -> impl Iterator<Item = TextToken<'t>> {
    let (mut at, mut in_run) = (0, false);
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let skipped = rest.find(char::is_alphanumeric)?;
        let start = at + skipped;
        let continues_run = in_run && skipped == 0;
        let first = text[start..].chars().next()?;
        in_run = is_unspaced(first);
        let length = match in_run {
            true => joiner.map_or(first.len_utf8(), |joiner| joiner.word_length(&text[start..])),
            false => word_length(&text[start..]),
        };
        at = start + length;
        Some(TextToken { word: &text[start..at], at: start, continues_run: continues_run && in_run })
    })
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() || is_unspaced(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis(config: DatabaseConfig) -> Analysis {
        Analysis { language: Some("en"), ..Analysis::of(&config, &Collection::default()) }
    }

    #[test]
    fn adjacent_characters_are_one_group() {
        let groups = analysis(DatabaseConfig::default()).groups("Sea 東京都 x", None);
        assert_eq!(groups, [vec!["sea"], vec!["東", "京", "都"], vec!["x"]]);
    }

    #[test]
    fn stop_words_and_short_words_are_left_out() {
        let config =
            DatabaseConfig { stop_words: StopWords::Ignored, shortest_word: 4, ..DatabaseConfig::default() };
        assert_eq!(analysis(config).terms("The old sailors, which sailed"), ["sailors", "sailed"]);
    }

    #[test]
    fn characters_in_any_order_are_groups_of_their_own() {
        let config = DatabaseConfig { unspaced: UnspacedTerms::Characters, ..DatabaseConfig::default() };
        assert_eq!(analysis(config).groups("東京", None), [vec!["東"], vec!["京"]]);
    }

    #[test]
    fn stop_words_are_those_of_the_language() {
        let config = DatabaseConfig { stop_words: StopWords::Ignored, ..DatabaseConfig::default() };
        let german = Analysis { language: Some("de"), ..analysis(config) };
        assert_eq!(german.terms("und Boot"), ["boot"]);
    }

    #[test]
    fn words_of_one_stem_have_one_term() {
        let stemmed =
            analysis(DatabaseConfig { word_match: WordMatch::Stemmed, ..DatabaseConfig::default() });
        assert_eq!(stemmed.terms("sailing"), stemmed.terms("Sailed"));
        let long = "x".repeat(81);
        assert!(stemmed.terms(&long).is_empty());
    }
}
