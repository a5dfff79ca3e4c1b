//! The words of a page in reading order, and which part of them belongs to what.
//!
//! There are two layers: what a reader sees, and what is in the page but not shown until a script or
//! a click opens it. The page's text is the first; a form in a hidden dialogue still has its labels.

use super::folded_text::FoldedText;
use super::limits::{self, truncate};

/// Which of the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextLayer {
    Visible,
    Concealed,
}

/// A part of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextSpan {
    pub layer: TextLayer,
    pub start: usize,
    pub end: usize,
}

/// Both layers.
#[derive(Default)]
pub(super) struct PageTexts {
    visible: FoldedText,
    concealed: FoldedText,
}

impl PageTexts {
    pub fn layer(&mut self, layer: TextLayer) -> &mut FoldedText {
        match layer {
            TextLayer::Visible => &mut self.visible,
            TextLayer::Concealed => &mut self.concealed,
        }
    }

    fn whole(&self, layer: TextLayer) -> &str {
        match layer {
            TextLayer::Visible => &self.visible.text,
            TextLayer::Concealed => &self.concealed.text,
        }
    }

    pub fn slice(&self, span: TextSpan) -> &str {
        self.whole(span.layer).get(span.start..span.end).unwrap_or_default().trim()
    }

    /// What stands before a span, back to the beginning.
    pub fn before(&self, span: TextSpan) -> &str {
        &self.whole(span.layer)[..span.start]
    }

    /// What stands behind a span, to the end.
    pub fn after(&self, span: TextSpan) -> &str {
        &self.whole(span.layer)[span.end..]
    }

    pub fn is_full(&self) -> bool {
        self.visible.is_full
    }

    pub fn into_visible(self) -> String {
        self.visible.text
    }
}

/// The first terms of a folded text, within a few hundred bytes.
pub(super) fn first_terms(text: &str, terms: usize) -> &str {
    let near = truncate(text, terms * 20).trim();
    let mut blanks = near.bytes().enumerate().filter(|(_, byte)| *byte == b' ');
    let end = blanks.nth(terms - 1).map_or(near.len(), |(at, _)| at);
    &near[..end]
}

/// The last terms of a folded text, within a few hundred bytes.
pub(super) fn last_terms(text: &str, terms: usize) -> &str {
    let from = text.len().saturating_sub(terms * 20);
    let from = (from..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let near = text[from..].trim();
    let mut blanks = near.bytes().enumerate().rev().filter(|(_, byte)| *byte == b' ');
    let start = blanks.nth(terms - 1).map_or(0, |(at, _)| at + 1);
    &near[start..]
}

/// A short text with white space folded.
pub(super) fn short(text: &str) -> String {
    let mut folded = FoldedText::default();
    folded.push(truncate(text, limits::SHORT_TEXT));
    folded.text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_taken_from_the_near_end() {
        assert_eq!(first_terms(" one two three", 2), "one two");
        assert_eq!(last_terms("one two three ", 2), "two three");
        assert_eq!(last_terms("one", 5), "one");
        assert_eq!(last_terms(&"ž".repeat(1000), 2), "ž".repeat(20));
    }
}
