//! Builds the tokens of plain tags without the tokenizer.
//!
//! The tokenizer reads a tag character by character and copies its parts. Once [`scan`] has found the parts of a
//! tag, they can be shared slices of the page instead. Tags with character references or NUL bytes are left to
//! the tokenizer.

use super::scan::{self, TagExtent};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag as TagToken, TagKind, Token};
use html5ever::{Attribute, LocalName, QualName, ns};

/// Token of a tag, equal to the tokenizer's; `None` for tags that only the tokenizer can read.
pub(super) fn plain(text: &StrTendril, tag: &TagExtent) -> Option<Token> {
    if tag.is_end && tag.attributes > 0 {
        return None;
    }
    let mut token = TagToken {
        kind: if tag.is_end { TagKind::EndTag } else { TagKind::StartTag },
        name: name(&text[tag.name.0..tag.name.1])?,
        self_closing: false,
        attrs: Vec::with_capacity(tag.attributes),
        had_duplicate_attributes: false,
    };
    let mut last = tag.name.1;
    for attribute in scan::attributes(text.as_bytes(), tag) {
        last = attribute.end;
        add(&mut token, text, &attribute)?;
    }
    token.self_closing = last + 1 < tag.end && text.as_bytes()[tag.end - 2] == b'/';
    Some(Token::TagToken(token))
}

fn add(token: &mut TagToken, text: &StrTendril, attribute: &scan::AttributeExtent) -> Option<()> {
    let name = name(&text[attribute.name.0..attribute.name.1])?;
    let (start, end) = attribute.value;
    if memchr::memchr2(b'&', 0, &text.as_bytes()[start..end]).is_some() {
        return None;
    }
    if token.attrs.iter().any(|known| known.name.local == name) {
        token.had_duplicate_attributes = true;
    } else {
        let value = text.subtendril(start as u32, (end - start) as u32);
        token.attrs.push(Attribute { name: QualName::new(None, ns!(), name), value });
    }
    Some(())
}

/// Name in lower case; `None` if it contains a NUL byte.
fn name(written: &str) -> Option<LocalName> {
    if written.bytes().any(|byte| byte == 0) {
        return None;
    }
    Some(match written.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => LocalName::from(written.to_ascii_lowercase()),
        false => LocalName::from(written),
    })
}

#[cfg(test)]
mod tests {
    use super::super::scan::Markup;
    use super::*;
    use html5ever::buffer_queue::BufferQueue;
    use html5ever::tokenizer::{TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
    use proptest::prelude::*;
    use std::cell::RefCell;

    #[derive(Default)]
    struct TagCollector(RefCell<Vec<Token>>);

    impl TokenSink for TagCollector {
        type Handle = ();
        fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
            if matches!(token, Token::TagToken(_)) {
                self.0.borrow_mut().push(token);
            }
            TokenSinkResult::Continue
        }
    }

    fn tokenized(text: &StrTendril) -> Option<Token> {
        let queue = BufferQueue::default();
        queue.push_back(text.clone());
        let tokenizer = Tokenizer::new(TagCollector::default(), TokenizerOpts::default());
        let _ = tokenizer.feed(&queue);
        tokenizer.sink.0.take().into_iter().next()
    }

    fn made(text: &StrTendril) -> Option<Token> {
        match scan::markup(text.as_bytes(), 0) {
            Markup::Tag(tag) => plain(text, &tag),
            _ => None,
        }
    }

    #[test]
    fn plain_tags_equal_the_tokens_of_the_tokenizer() {
        for text in [
            "<p>",
            "</P >",
            "<br/>",
            "<br / >",
            "<A HREF='x' href=y Class=\"a b\">",
            "<a b=c/>",
            "<a b=\"c\"/>",
            "<a b/>",
            "<a b=/>",
            "<a =b= c>",
            "<a b = 'x>' / d>",
            "<a b=\"1\"c=2>",
            "<x\"y b'c=d\"e `=<>",
            "<iž KŮŇ=á>",
        ] {
            let text = StrTendril::from(text);
            assert!(made(&text).is_some(), "{text}");
            assert_eq!(made(&text), tokenized(&text), "{text}");
        }
    }

    #[test]
    fn tags_that_need_decoding_are_left_to_the_tokenizer() {
        for text in ["<a href='?a&amp;b'>", "<a\0>", "<a b\0=c>", "<a b=c\0>", "</p class=x>"] {
            assert_eq!(made(&StrTendril::from(text)), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_tag_built_here_equals_the_token_of_the_tokenizer(inside in "[abA =/\"'<\u{e1}\t\n-]{0,24}", end in "/?") {
            let text = StrTendril::from(format!("<{end}i{inside}>"));
            if let Some(token) = made(&text) {
                prop_assert_eq!(Some(token), tokenized(&text));
            }
        }
    }
}
