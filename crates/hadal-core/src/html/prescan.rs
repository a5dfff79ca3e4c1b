//! Encoding declared in the first kilobyte of a document, by the WHATWG prescan algorithm.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// Bytes that are scanned, as WHATWG prescribes.
const PRESCAN_BYTES: usize = 1024;

/// Encoding named by a `<meta>` element, or else by an XML declaration.
pub(super) fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Prescanner { input: &body[..body.len().min(PRESCAN_BYTES)], at: 0 };
    scan.meta().or_else(|| xml_declaration(scan.input)).map(as_ascii_superset)
}

/// Encoding named by the `charset=` parameter of a content type.
pub(super) fn charset_in(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        let found = rest.windows(7).position(|word| word.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[found + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            return Encoding::for_label(value_of(value.trim_ascii_start())?);
        }
    }
}

fn value_of(text: &[u8]) -> Option<&[u8]> {
    match text.first()? {
        quote @ (b'"' | b'\'') => {
            let end = text[1..].iter().position(|c| c == quote)?;
            Some(&text[1..=end])
        }
        _ => text.split(|c| c.is_ascii_whitespace() || *c == b';').next(),
    }
}

/// Replaces UTF-16 by UTF-8: a document with a declaration readable as ASCII is not in UTF-16.
fn as_ascii_superset(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

fn xml_declaration(input: &[u8]) -> Option<&'static Encoding> {
    let rest = input.strip_prefix(b"<?xml")?;
    let rest = &rest[..rest.iter().position(|&c| c == b'>')?];
    let found = rest.windows(8).position(|word| word == b"encoding")?;
    let value = rest[found + 8..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    Encoding::for_label(value_of(value)?)
}

/// Position in the scanned bytes.
struct Prescanner<'a> {
    input: &'a [u8],
    at: usize,
}

impl Prescanner<'_> {
    /// Encoding of the first `<meta>` that names a known one.
    fn meta(&mut self) -> Option<&'static Encoding> {
        while self.at < self.input.len() {
            let rest = &self.input[self.at..];
            if rest.starts_with(b"<!--") {
                // In `<!-->` the same two dashes open and close the comment.
                self.at += 2;
                self.skip_past(b"-->");
            } else if is_meta(rest) {
                self.at += 5;
                if let Some(encoding) = self.meta_attributes() {
                    return Some(encoding);
                }
            } else if is_tag(rest) {
                while self.peek().is_some_and(|c| !c.is_ascii_whitespace() && c != b'>') {
                    self.at += 1;
                }
                while self.attribute().is_some() {}
            } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
                self.skip_past(b">");
                continue;
            }
            self.at += 1;
        }
        None
    }

    /// Moves to the last byte of the next occurrence of the pattern, or to the end.
    fn skip_past(&mut self, pattern: &[u8]) {
        let rest = &self.input[self.at..];
        let found = rest.windows(pattern.len()).position(|word| word == pattern);
        self.at = found.map_or(self.input.len(), |at| self.at + at + pattern.len() - 1);
    }

    fn meta_attributes(&mut self) -> Option<&'static Encoding> {
        let (mut named, mut in_content, mut is_pragma) = (None, None, false);
        let mut seen: Vec<Vec<u8>> = Vec::new();
        while let Some((name, value)) = self.attribute() {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"charset" => named = named.or(Some(Encoding::for_label(&value))),
                b"content" => in_content = in_content.or_else(|| charset_in(&value)),
                b"http-equiv" => is_pragma = value == b"content-type",
                _ => {}
            }
            seen.push(name);
        }
        self.peek()?;
        named.unwrap_or(if is_pragma { in_content } else { None })
    }

    fn peek(&self) -> Option<u8> {
        self.input.get(self.at).copied()
    }

    /// Next attribute of a tag, name and value in lower case; `None` at the end of the tag.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip_while(|c| c.is_ascii_whitespace() || c == b'/');
        if self.peek()? == b'>' {
            return None;
        }
        let start = self.at;
        self.at += 1;
        self.skip_while(|c| !c.is_ascii_whitespace() && !matches!(c, b'=' | b'/' | b'>'));
        let name = self.input[start..self.at].to_ascii_lowercase();
        self.skip_while(|c| c.is_ascii_whitespace());
        if self.peek() != Some(b'=') {
            return Some((name, Vec::new()));
        }
        self.at += 1;
        self.skip_while(|c| c.is_ascii_whitespace());
        Some((name, self.value()?))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let first = self.peek()?;
        let quoted = matches!(first, b'"' | b'\'');
        self.at += usize::from(quoted);
        let start = self.at;
        if quoted {
            self.skip_while(|c| c != first);
        } else {
            self.skip_while(|c| !c.is_ascii_whitespace() && c != b'>');
        }
        let value = self.input[start..self.at].to_ascii_lowercase();
        if quoted {
            self.peek()?;
            self.at += 1;
        }
        Some(value)
    }

    fn skip_while(&mut self, matches: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&matches) {
            self.at += 1;
        }
    }
}

fn is_meta(rest: &[u8]) -> bool {
    let named = rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"<meta"));
    named && rest.get(5).is_some_and(|c| c.is_ascii_whitespace() || *c == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', c, ..] | [b'<', c, ..] => c.is_ascii_alphabetic(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(body: &str) -> Option<&'static str> {
        declared(body.as_bytes()).map(Encoding::name)
    }

    #[test]
    fn declarations_are_read_in_every_spelling() {
        for body in [
            "<meta charset=gbk>",
            "<META CHARSET = 'GBK' />",
            "<meta http-equiv=Content-Type content=\"text/html; charset=gbk\">",
            "<meta content='text/html;charset = \"gbk\"' http-equiv='content-type'>",
            "<!-- <meta charset=utf-8> --><meta/charset=gbk>",
            "<!--><meta charset=gbk>",
            "<p title='<meta charset=utf-8>'><meta charset=gbk>",
            "<!doctype html><?x ?></b ><meta charset=nonsense><meta charset=gbk>",
            "<?xml version='1.0' encoding='gbk'?><html>",
        ] {
            assert_eq!(name(body), Some("GBK"), "{body}");
        }
    }

    #[test]
    fn pages_without_a_usable_declaration_name_no_encoding() {
        for body in [
            "",
            "<",
            "<meta",
            "<meta charset=gbk",
            "<meta charset='gbk",
            "<metacharset=gbk>",
            "<meta content='text/html; charset=gbk'>",
            "<!-- <meta charset=gbk>",
            "<meta http-equiv=content-type content='charset'>",
        ] {
            assert_eq!(name(body), None, "{body}");
        }
        assert_eq!(name(&format!("{}<meta charset=gbk>", " ".repeat(1024))), None);
    }

    #[test]
    fn declared_utf_16_means_utf_8() {
        assert_eq!(name("<meta charset=utf-16le>"), Some("UTF-8"));
        assert_eq!(name("<meta charset=x-user-defined>"), Some("windows-1252"));
    }
}
