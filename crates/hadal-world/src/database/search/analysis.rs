//! What becomes of text before it is searched: words, without those that do not count, stemmed or not.
//!
//! Index and questions go the same way. Scripts without spaces are cut into characters, and characters
//! that stand together are looked for together.

use crate::database::config::{DatabaseConfig, StopWords, WordMatch};
use hadal_core::text::language::Language;
use hadal_core::text::words::is_unspaced;

/// Bytes of the longest word that is indexed.
const LONGEST_WORD: usize = 80;

/// How words are prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::database) struct Analysis {
    stems: bool,
    drops_stops: bool,
    shortest: u32,
}

impl Analysis {
    pub(in crate::database) fn of(config: &DatabaseConfig) -> Analysis {
        Analysis {
            stems: config.word_match == WordMatch::Stemmed,
            drops_stops: config.stop_words == StopWords::Ignored,
            shortest: config.shortest_word,
        }
    }

    /// A word as it stands in the index; `None` when it does not count.
    pub(in crate::database) fn prepare(self, raw: &str) -> Option<String> {
        if raw.chars().next().is_some_and(is_unspaced) {
            return Some(raw.to_string());
        }
        let word = raw.to_lowercase();
        let language = Language::of(Some("en"));
        let counts = word.len() <= LONGEST_WORD
            && word.chars().count() >= self.shortest as usize
            && !(self.drops_stops && language.is_stop(&word));
        counts.then(|| if self.stems { language.stem(&word) } else { word })
    }

    /// Every word of a text that counts.
    #[cfg(test)]
    pub(in crate::database) fn words(self, text: &str) -> Vec<String> {
        cuts(text).filter_map(|cut| self.prepare(cut.word)).collect()
    }

    /// What was typed, as groups of words that stand together.
    pub(in crate::database) fn groups(self, typed: &str) -> Vec<Vec<String>> {
        let mut groups: Vec<Vec<String>> = Vec::new();
        for cut in cuts(typed) {
            let Some(word) = self.prepare(cut.word) else { continue };
            match groups.last_mut() {
                Some(group) if cut.goes_on => group.push(word),
                _ => groups.push(vec![word]),
            }
        }
        groups
    }
}

/// A piece of text between separators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::database) struct TextToken<'t> {
    pub(in crate::database) word: &'t str,
    /// Where it begins.
    pub(in crate::database) at: usize,
    /// Whether it follows a character of the same script without a separator.
    pub(in crate::database) goes_on: bool,
}

/// Cuts text into words, and runs without spaces into characters.
pub(in crate::database) fn cuts(text: &str) -> impl Iterator<Item = TextToken<'_>> {
    let (mut at, mut in_run) = (0, false);
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let skipped = rest.find(char::is_alphanumeric)?;
        let start = at + skipped;
        let goes_on = in_run && skipped == 0;
        let first = text[start..].chars().next()?;
        in_run = is_unspaced(first);
        let length = match in_run {
            true => first.len_utf8(),
            false => word_length(&text[start..]),
        };
        at = start + length;
        Some(TextToken { word: &text[start..at], at: start, goes_on: goes_on && in_run })
    })
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() || is_unspaced(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis(config: DatabaseConfig) -> Analysis {
        Analysis::of(&config)
    }

    #[test]
    fn characters_that_stand_together_are_one_group() {
        let groups = analysis(DatabaseConfig::default()).groups("Sea 東京都 x");
        assert_eq!(groups, [vec!["sea"], vec!["東", "京", "都"], vec!["x"]]);
    }

    #[test]
    fn words_that_do_not_count_are_left_out() {
        let config =
            DatabaseConfig { stop_words: StopWords::Ignored, shortest_word: 4, ..DatabaseConfig::default() };
        assert_eq!(analysis(config).words("The old sailors, which sailed"), ["sailors", "sailed"]);
    }

    #[test]
    fn stems_meet() {
        let stemmed =
            analysis(DatabaseConfig { word_match: WordMatch::Stemmed, ..DatabaseConfig::default() });
        assert_eq!(stemmed.words("sailing"), stemmed.words("Sailed"));
        let long = "x".repeat(81);
        assert!(stemmed.words(&long).is_empty());
    }
}
