//! Text made comparable, and phrases looked up in it.

/// Bytes of one text that are looked at; what a form does is said in fewer.
const MOST: usize = 4 << 10;

/// A text in lower case, words between single blanks, one blank at either end. Names written as
/// `addToCart`, `add_to_cart`, `cart7` or `txtcart` come apart.
pub(in crate::critic) fn plain(text: &str) -> String {
    plain_within(text, MOST).replace(" txt", " txt ").replace("  ", " ")
}

/// The same for the beginning of a longer text.
pub(in crate::critic) fn plain_within(text: &str, most: usize) -> String {
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

/// Whether a plain text holds a phrase: as whole words, or anywhere when its script has no blanks.
pub(in crate::critic) fn holds(plain: &str, phrase: &str) -> bool {
    let Some(first) = phrase.chars().next() else { return false };
    let mut rest = plain;
    let mut offset = 0;
    while let Some(at) = rest.find(phrase) {
        let (start, end) = (offset + at, offset + at + phrase.len());
        let whole = plain[..start].ends_with(' ') && plain[end..].starts_with(' ');
        if whole || is_unspaced(first) {
            return true;
        }
        offset = start + first.len_utf8();
        rest = &plain[offset..];
    }
    false
}

/// The first of some phrases that a plain text holds.
pub(in crate::critic) fn first<'p>(plain: &str, phrases: &[&'p str]) -> Option<&'p str> {
    if plain.len() <= 1 {
        return None;
    }
    phrases.iter().copied().find(|phrase| holds(plain, phrase))
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
            assert_eq!(plain(text), " add to cart ", "{text}");
        }
        assert_eq!(plain(""), " ");
        assert_eq!(plain("URLs"), " urls ");
        assert_eq!(plain("cart7.cgi"), " cart 7 cgi ");
        assert_eq!(plain("ctl00$txtmail txt"), " ctl 00 txt mail txt ");
    }

    #[test]
    fn phrases_are_whole_words_where_words_have_blanks() {
        assert!(holds(&plain("place order now"), "order"));
        assert!(!holds(&plain("sortorder"), "order"));
        assert!(holds(&plain("border order"), "order"));
        assert!(holds(&plain("\u{7acb}\u{5373}\u{6ce8}\u{518c}"), "\u{6ce8}\u{518c}"));
    }
}
