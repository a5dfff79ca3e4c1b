//! Text made comparable, and phrases looked up in it.

use rustc_hash::FxHashMap;

/// Bytes of one text that are looked at; what a form does is said in fewer.
const MOST: usize = 4 << 10;

/// A text in lower case, words between single blanks, one blank at either end. Names written as
/// `addToCart`, `add_to_cart`, `cart7` or `txtcart` come apart.
pub(crate) fn normalise(text: &str) -> String {
    normalise_prefix(text, MOST).replace(" txt", " txt ").replace("  ", " ")
}

/// The same for the beginning of a longer text.
pub(super) fn normalise_prefix(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most) + 2);
    out.push(' ');
    let mut before = ' ';
    for c in text.chars() {
        if out.len() >= most {
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

/// Whether a plain text holds a phrase as whole words.
pub(super) fn contains_phrase(plain: &str, phrase: &str) -> bool {
    word_starts(plain).any(|start| begins(&plain[start..], phrase))
}

/// Phrases to be looked for, by their first word.
pub(crate) struct PhraseSet {
    by_word: FxHashMap<&'static str, Vec<&'static str>>,
    /// Those of scripts without blanks, which may stand anywhere.
    unspaced: Vec<&'static str>,
}

impl PhraseSet {
    /// Phrases in lower case, their words between single blanks.
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

    /// The first of them that a plain text holds.
    pub(super) fn first(&self, plain: &str) -> Option<&'static str> {
        let at = |start: usize| {
            let rest = &plain[start..];
            let word = rest.split(' ').next().unwrap_or_default();
            self.by_word.get(word)?.iter().copied().find(|phrase| begins(rest, phrase))
        };
        let anywhere = || self.unspaced.iter().copied().find(|phrase| plain.contains(phrase));
        word_starts(plain).find_map(at).or_else(|| plain.chars().any(is_unspaced).then(anywhere).flatten())
    }

    /// Whether a plain text holds one of them.
    pub(crate) fn found_in(&self, plain: &str) -> bool {
        self.first(plain).is_some()
    }

    /// Whether a plain text is one of them and nothing more.
    pub(crate) fn equals(&self, plain: &str) -> bool {
        let text = plain.trim_matches(' ');
        let word = text.split(' ').next().unwrap_or_default();
        self.by_word.get(word).is_some_and(|phrases| phrases.contains(&text)) || self.unspaced.contains(&text)
    }
}

/// Where the words of a plain text begin.
fn word_starts(plain: &str) -> impl Iterator<Item = usize> {
    plain.bytes().enumerate().filter(|(_, byte)| *byte == b' ').map(|(at, _)| at + 1)
}

fn begins(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase).is_some_and(|rest| rest.starts_with(' '))
}

/// Chinese, Japanese, Korean, Thai: written without blanks, or with endings that stick.
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
    fn phrases_are_whole_words_where_words_have_blanks() {
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
