//! Patterns in which `*` matches any run of bytes, for robots.txt rules and `--connect-to`.
//!
//! Each piece between two stars is searched once, from the end of the previous one. So no pattern takes exponential
//! time.

/// True when the pattern matches the whole text.
pub(crate) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let mut pieces = pattern.split(|byte| *byte == b'*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = find(piece, rest) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

fn find(piece: &[u8], text: &[u8]) -> Option<usize> {
    if piece.is_empty() {
        return Some(0);
    }
    text.windows(piece.len()).position(|window| window == piece)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_match_anything() {
        for (pattern, text, expected) in [
            ("abc", "abc", true),
            ("abc", "abcd", false),
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "anything", true),
            ("a*", "a", true),
            ("a*c", "abc", true),
            ("a*c", "acb", false),
            ("a*a", "a", false),
            ("*.example", "deep.shop.example", true),
            ("*.example", "example", false),
            ("a**b", "a-b", true),
            ("*b*b", "b", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} on {text}");
        }
    }
}
