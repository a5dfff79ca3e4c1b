//! Normalised text, and look-up of phrases in it.

use rustc_hash::FxHashMap;

/// Maximum number of bytes of a text that are normalised. Texts of fields and buttons are shorter. Guess.
const MAX_BYTES: usize = 4 << 10;

/// Normalises a text: lower case, words separated by single spaces, a space at both ends. Identifiers such as
/// `addToCart`, `add_to_cart`, `cart7` and `txtcart` are split into words.
pub(crate) fn normalise(text: &str) -> String {
    normalise_prefix(text, MAX_BYTES).replace(" txt", " txt ").replace("  ", " ")
}

/// Normalises the start of a text until the result has `limit` bytes.
pub(super) fn normalise_prefix(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit) + 2);
    out.push(' ');
    let mut before = ' ';
    for c in text.chars() {
        if out.len() >= limit {
            break;
        }
        let changes =
            (c.is_uppercase() && before.is_lowercase()) || (c.is_ascii_digit() && before.is_alphabetic());
        if changes && !out.ends_with(' ') {
            out.push(' ');
        }
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
        before = c;
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

/// True if a normalised text contains a phrase as whole words.
pub(super) fn contains_phrase(text: &str, phrase: &str) -> bool {
    word_starts(text).any(|start| begins(&text[start..], phrase))
}

/// Set of phrases to look for, indexed by their first word.
pub(crate) struct PhraseSet {
    by_word: FxHashMap<&'static str, Vec<&'static str>>,
    /// Phrases of scripts without spaces. They match anywhere.
    unspaced: Vec<&'static str>,
}

impl PhraseSet {
    /// Creates a set of phrases in lower case with single spaces between words.
    pub(crate) fn new(phrases: &[&'static str]) -> PhraseSet {
        let mut all = PhraseSet { by_word: FxHashMap::default(), unspaced: Vec::new() };
        for phrase in phrases.iter().copied() {
            if phrase.chars().any(is_unspaced) {
                all.unspaced.push(phrase);
            } else {
                let word = phrase.split(' ').next().unwrap_or_default();
                all.by_word.entry(word).or_default().push(phrase);
            }
        }
        all
    }

    /// First phrase of the set in a normalised text.
    pub(super) fn first(&self, text: &str) -> Option<&'static str> {
        let at = |start: usize| {
            let rest = &text[start..];
            let word = rest.split(' ').next().unwrap_or_default();
            self.by_word.get(word)?.iter().copied().find(|phrase| begins(rest, phrase))
        };
        let anywhere = || self.unspaced.iter().copied().find(|phrase| text.contains(phrase));
        word_starts(text).find_map(at).or_else(|| text.chars().any(is_unspaced).then(anywhere).flatten())
    }

    /// True if a normalised text contains a phrase of the set.
    pub(crate) fn found_in(&self, text: &str) -> bool {
        self.first(text).is_some()
    }

    /// True if a normalised text equals a phrase of the set.
    pub(crate) fn equals(&self, text: &str) -> bool {
        let text = text.trim_matches(' ');
        let word = text.split(' ').next().unwrap_or_default();
        self.by_word.get(word).is_some_and(|phrases| phrases.contains(&text)) || self.unspaced.contains(&text)
    }
}

/// Byte positions of the word starts of a normalised text.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    text.bytes().enumerate().filter(|(_, byte)| *byte == b' ').map(|(at, _)| at + 1)
}

fn begins(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase).is_some_and(|rest| rest.starts_with(' '))
}

/// Letters of Chinese, Japanese, Korean and Thai: written without spaces, or with suffixes attached.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sentences_become_words() {
        for text in ["addToCart", "add_to-cart", " Add to CART! ", "/add/to.cart"] {
            assert_eq!(normalise(text), " add to cart ", "{text}");
        }
        assert_eq!(normalise(""), " ");
        assert_eq!(normalise("URLs"), " urls ");
        assert_eq!(normalise("cart7.cgi"), " cart 7 cgi ");
        assert_eq!(normalise("ctl00$txtmail txt"), " ctl 00 txt mail txt ");
    }

    #[test]
    fn phrases_match_whole_words_if_the_script_has_spaces() {
        assert!(contains_phrase(&normalise("place order now"), "order"));
        assert!(!contains_phrase(&normalise("sortorder"), "order"));
        assert!(contains_phrase(&normalise("border order"), "order"));
        let phrases = PhraseSet::new(&["order", "add to cart", "\u{6ce8}\u{518c}"]);
        assert_eq!(phrases.first(&normalise("please add to cart now")), Some("add to cart"));
        assert_eq!(phrases.first(&normalise("add to carts, border")), None);
        assert!(phrases.found_in(&normalise("\u{7acb}\u{5373}\u{6ce8}\u{518c}")));
        assert!(
            phrases.equals(&normalise("Order!"))
                && !phrases.equals(&normalise("order now"))
                && !phrases.found_in(" ")
        );
    }
}
