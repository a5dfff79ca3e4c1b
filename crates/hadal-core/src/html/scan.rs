//! Finds the ends of tags, comments and raw text in the input.
//!
//! The tokenizer buffers a whole tag, at a cost quadratic in its attributes. This scan measures a tag before it
//! is fed. Given the position of a `<` in text, it follows the rules of the HTML tokenizer exactly.

use super::limits;

/// Markup that begins at a `<`.
#[derive(Debug, PartialEq)]
pub(super) enum Markup {
    /// A start or end tag.
    Tag(TagExtent),
    /// A comment, or markup that the standard treats as one; the position after it.
    Comment(usize),
    /// A CDATA section in foreign content, a comment elsewhere.
    Cdata,
    /// A document type; the position after it.
    Doctype(usize),
    /// No markup: the `<` is text.
    Text,
    /// Markup without an end before the end of the input.
    Unclosed,
}

/// Position of a tag in the input.
#[derive(Debug, PartialEq)]
pub(super) struct TagExtent {
    pub is_end: bool,
    /// Start and end of the name.
    pub name: (usize, usize),
    /// Number of attributes.
    pub attributes: usize,
    /// End of the last attribute within [`limits::TAG_ATTRIBUTES`].
    pub kept: usize,
    /// Position after the `>`.
    pub end: usize,
}

/// Position of an attribute; name and value as start and end.
pub(super) struct AttributeExtent {
    pub name: (usize, usize),
    pub value: (usize, usize),
    /// Position after the value and its closing quote.
    pub end: usize,
}

/// Classifies the markup at `at`, the position of a `<`. The attributes of a tag, up to [`limits::TAG_ATTRIBUTES`],
/// replace those in `attributes`.
pub(super) fn markup(input: &[u8], at: usize, attributes: &mut Vec<AttributeExtent>) -> Markup {
    match input.get(at + 1) {
        Some(b'/') => match input.get(at + 2) {
            Some(c) if c.is_ascii_alphabetic() => tag(input, at + 2, true, attributes),
            Some(_) => comment_until(input, at + 2, b">"),
            None => Markup::Text,
        },
        Some(b'!') => declaration(input, at),
        Some(b'?') => comment_until(input, at + 2, b">"),
        Some(c) if c.is_ascii_alphabetic() => tag(input, at + 1, false, attributes),
        _ => Markup::Text,
    }
}

fn comment_until(input: &[u8], from: usize, end: &[u8]) -> Markup {
    find(input, from, end).map_or(Markup::Unclosed, |at| Markup::Comment(at + end.len()))
}

fn declaration(input: &[u8], at: usize) -> Markup {
    let rest = &input[at + 2..];
    if rest.starts_with(b"--") {
        return comment(input, at + 4);
    }
    if rest.starts_with(b"[CDATA[") {
        return Markup::Cdata;
    }
    let is_doctype = rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
    match comment_until(input, at + 2, b">") {
        Markup::Comment(end) if is_doctype => Markup::Doctype(end),
        other => other,
    }
}

/// A comment ends at `-->` or `--!>`. `<!-->` and `<!--->` are complete comments.
fn comment(input: &[u8], from: usize) -> Markup {
    for abrupt in [&b">"[..], b"->"] {
        if input[from..].starts_with(abrupt) {
            return Markup::Comment(from + abrupt.len());
        }
    }
    let mut at = from;
    while let Some(dashes) = find(input, at, b"--") {
        match (input.get(dashes + 2), input.get(dashes + 3)) {
            (Some(b'>'), _) => return Markup::Comment(dashes + 3),
            (Some(b'!'), Some(b'>')) => return Markup::Comment(dashes + 4),
            _ => at = dashes + 1,
        }
    }
    Markup::Unclosed
}

fn tag(input: &[u8], name: usize, is_end: bool, found: &mut Vec<AttributeExtent>) -> Markup {
    let name_end = skip(input, name, |c| !ends_name(c));
    let (mut at, mut attributes, mut kept) = (name_end, 0, name_end);
    found.clear();
    loop {
        at = skip(input, at, |c| is_space(c) || c == b'/');
        let next = match input.get(at) {
            None => return Markup::Unclosed,
            Some(b'>') => break,
            Some(_) => attribute(input, at),
        };
        at = next.end;
        attributes += 1;
        if attributes <= limits::TAG_ATTRIBUTES {
            kept = at;
            found.push(next);
        }
    }
    if attributes <= limits::TAG_ATTRIBUTES {
        kept = at;
    }
    Markup::Tag(TagExtent { is_end, name: (name, name_end), attributes, kept, end: at + 1 })
}

/// Attribute that begins at `at`. A leading `=` is part of the name.
fn attribute(input: &[u8], at: usize) -> AttributeExtent {
    let name_end = skip(input, at + 1, |c| !ends_name(c) && c != b'=');
    let name = (at, name_end);
    let equals = skip(input, name_end, is_space);
    if input.get(equals) != Some(&b'=') {
        return AttributeExtent { name, value: (name_end, name_end), end: name_end };
    }
    let start = skip(input, equals + 1, is_space);
    match input.get(start) {
        Some(&quote @ (b'"' | b'\'')) => {
            let close = find(input, start + 1, &[quote]);
            let (value_end, end) = close.map_or((input.len(), input.len()), |close| (close, close + 1));
            AttributeExtent { name, value: (start + 1, value_end), end }
        }
        _ => {
            let end = skip(input, start, |c| !is_space(c) && c != b'>');
            AttributeExtent { name, value: (start, end), end }
        }
    }
}

/// Position after the next `</name` that may end raw text.
pub(super) fn raw_text_end(input: &[u8], from: usize, name: &[u8]) -> Option<usize> {
    let mut at = from;
    while let Some(slash) = find(input, at, b"</") {
        let end = slash + 2 + name.len();
        let named = input.get(slash + 2..end).is_some_and(|word| word.eq_ignore_ascii_case(name));
        if named && input.get(end).is_some_and(|&c| ends_name(c)) {
            return Some(end);
        }
        at = slash + 2;
    }
    None
}

/// Position of the first occurrence of the pattern at or after `from`.
pub(super) fn find(input: &[u8], from: usize, pattern: &[u8]) -> Option<usize> {
    let rest = input.get(from..)?;
    let found = match pattern {
        [byte] => memchr::memchr(*byte, rest),
        _ => memchr::memmem::find(rest, pattern),
    };
    found.map(|at| from + at)
}

fn skip(input: &[u8], from: usize, matches: impl Fn(u8) -> bool) -> usize {
    let rest = input.get(from..).unwrap_or_default();
    from + rest.iter().position(|&c| !matches(c)).unwrap_or(rest.len())
}

fn is_space(c: u8) -> bool {
    matches!(c, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

fn ends_name(c: u8) -> bool {
    is_space(c) || c == b'/' || c == b'>'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag_at_start(input: &str) -> TagExtent {
        match markup(input.as_bytes(), 0, &mut Vec::new()) {
            Markup::Tag(tag) => tag,
            other => panic!("{input}: {other:?}"),
        }
    }

    #[test]
    fn a_tag_ends_at_the_first_bracket_outside_quotes() {
        for (input, attributes, end) in [
            ("<p>x", 0, 3),
            ("<a b c=d e='>' f=\">\"/>x", 4, 22),
            ("<a b=\"1\"c=2>x", 2, 12),
            ("<a =b= c>x", 1, 9),
            ("<a b = 'x>' >x", 1, 13),
            ("<a b=>x", 1, 6),
            ("</a href='>'>x", 1, 13),
            ("<a\"b>x", 0, 5),
        ] {
            let tag = tag_at_start(input);
            assert_eq!((tag.attributes, tag.end), (attributes, end), "{input}");
        }
    }

    #[test]
    fn surplus_attributes_follow_the_kept_ones() {
        let input = format!("<p{}>x", " a".repeat(300));
        let tag = tag_at_start(&input);
        assert_eq!((tag.attributes, tag.kept, tag.end), (300, 2 + 2 * 256, 603));
    }

    #[test]
    fn comments_end_where_browsers_end_them() {
        for (input, end) in [
            ("<!-->x", 5),
            ("<!--->x", 6),
            ("<!-- a -- b --> -->", 15),
            ("<!-- a --!> b", 11),
            ("<!-- a --->x", 11),
            ("<![endif]>x", 10),
            ("<?php a>x", 8),
            ("</>x", 3),
        ] {
            assert_eq!(markup(input.as_bytes(), 0, &mut Vec::new()), Markup::Comment(end), "{input}");
        }
    }

    #[test]
    fn a_bracket_without_markup_is_text() {
        for input in ["<", "<<", "< a>", "<3", "</"] {
            assert_eq!(markup(input.as_bytes(), 0, &mut Vec::new()), Markup::Text, "{input}");
        }
    }

    #[test]
    fn raw_text_ends_only_at_its_own_end_tag() {
        let input = b"a </b> </scripted> </SCRIPT > b";
        assert_eq!(raw_text_end(input, 0, b"script"), Some(27));
        assert_eq!(raw_text_end(input, 0, b"style"), None);
    }
}
