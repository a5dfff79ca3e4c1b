//! Builds the tokens of plain tags without the tokenizer.
//!
//! The tokenizer reads a tag character by character and copies its parts. Once [`scan`] has found the parts of a
//! tag, they can be shared slices of the page instead. Tags with character references or NUL bytes are left to
//! the tokenizer.

use super::scan::{AttributeExtent, TagExtent};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag as TagToken, TagKind, Token};
use html5ever::{Attribute, LocalName, QualName, ns};

/// Names of recent tags and attributes. A page repeats few names, and looking up an atom costs a slow hash.
pub(super) struct RecentNames {
    slots: Vec<(u128, Option<LocalName>)>,
}

/// Entries of [`RecentNames`]; a power of two. Guess.
const NAME_SLOTS: usize = 128;

impl Default for RecentNames {
    fn default() -> RecentNames {
        RecentNames { slots: vec![(0, None); NAME_SLOTS] }
    }
}

impl RecentNames {
    /// Name in lower case; `None` if it contains a NUL byte.
    fn get(&mut self, written: &str) -> Option<LocalName> {
        let mut key = [0; 16];
        // The last byte distinguishes no name from an empty slot. Longer names are rare.
        match key.get_mut(..written.len()).filter(|bytes| bytes.len() < 16) {
            Some(bytes) => bytes.copy_from_slice(written.as_bytes()),
            None => return name(written),
        }
        key[15] = 1;
        let key = u128::from_le_bytes(key);
        let mixed = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.slots[(mixed >> 57) as usize % NAME_SLOTS];
        if slot.0 != key {
            *slot = (key, name(written));
        }
        slot.1.clone()
    }
}

/// Token of a tag with these attributes, equal to the tokenizer's; `None` for tags that only the tokenizer can read.
pub(super) fn plain(
    text: &StrTendril,
    tag: &TagExtent,
    attributes: &[AttributeExtent],
    names: &mut RecentNames,
) -> Option<Token> {
    if tag.is_end && tag.attributes > 0 {
        return None;
    }
    let mut token = TagToken {
        kind: if tag.is_end { TagKind::EndTag } else { TagKind::StartTag },
        name: names.get(&text[tag.name.0..tag.name.1])?,
        self_closing: false,
        attrs: Vec::with_capacity(tag.attributes),
        had_duplicate_attributes: false,
    };
    let mut last = tag.name.1;
    for attribute in attributes {
        last = attribute.end;
        let name = names.get(&text[attribute.name.0..attribute.name.1])?;
        add(&mut token, text, name, attribute.value)?;
    }
    token.self_closing = last + 1 < tag.end && text.as_bytes()[tag.end - 2] == b'/';
    Some(Token::TagToken(token))
}

/// Adds an attribute with the value between two positions.
fn add(token: &mut TagToken, text: &StrTendril, name: LocalName, (start, end): (usize, usize)) -> Option<()> {
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
    use super::super::scan::{self, Markup};
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
        let mut attributes = Vec::new();
        match scan::markup(text.as_bytes(), 0, &mut attributes) {
            Markup::Tag(tag) => plain(text, &tag, &attributes, &mut RecentNames::default()),
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
    fn a_name_is_the_same_when_it_is_repeated() {
        let mut names = RecentNames::default();
        let written = (0..2_000)
            .map(|n| ["A", "b", "data-Long-name-", "x\0"][n % 4].to_string() + &(n / 8).to_string());
        for written in written.chain(["a".into(), "A".into(), "".into(), "fifteen-letters".into()]) {
            for _ in 0..2 {
                assert_eq!(names.get(&written), name(&written), "{written}");
            }
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
