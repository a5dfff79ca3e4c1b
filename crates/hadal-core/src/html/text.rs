//! Text of a page in document order, and spans of it that belong to elements.
//!
//! The text has two layers. The visible layer is the text of the page. The hidden layer holds elements that a
//! script or a click may show later, so that a form in a hidden dialogue keeps its labels.

use super::folded_text::FoldedText;
use super::limits::{self, truncate};

/// Visible or hidden text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextLayer {
    Visible,
    Hidden,
}

/// Byte range of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextSpan {
    pub layer: TextLayer,
    pub start: usize,
    pub end: usize,
}

/// Text of both layers.
#[derive(Default)]
pub(super) struct PageTexts {
    visible: FoldedText,
    hidden: FoldedText,
}

impl PageTexts {
    pub fn layer(&mut self, layer: TextLayer) -> &mut FoldedText {
        match layer {
            TextLayer::Visible => &mut self.visible,
            TextLayer::Hidden => &mut self.hidden,
        }
    }

    fn whole(&self, layer: TextLayer) -> &str {
        match layer {
            TextLayer::Visible => &self.visible.text,
            TextLayer::Hidden => &self.hidden.text,
        }
    }

    /// Text of a span, trimmed.
    pub fn slice(&self, span: TextSpan) -> &str {
        self.whole(span.layer).get(span.start..span.end).unwrap_or_default().trim()
    }

    /// Text of the layer before a span.
    pub fn before(&self, span: TextSpan) -> &str {
        &self.whole(span.layer)[..span.start]
    }

    /// Text of the layer after a span.
    pub fn after(&self, span: TextSpan) -> &str {
        &self.whole(span.layer)[span.end..]
    }

    /// True if the visible text exceeded its limit.
    pub fn is_full(&self) -> bool {
        self.visible.is_full
    }

    pub fn into_visible(self) -> String {
        self.visible.text
    }
}

/// First terms of a folded text, within 20 bytes per term.
pub(super) fn first_terms(text: &str, terms: usize) -> &str {
    let near = truncate(text, terms * 20).trim();
    let mut blanks = near.bytes().enumerate().filter(|(_, byte)| *byte == b' ');
    let end = blanks.nth(terms - 1).map_or(near.len(), |(at, _)| at);
    &near[..end]
}

/// Last terms of a folded text, within 20 bytes per term.
pub(super) fn last_terms(text: &str, terms: usize) -> &str {
    let from = text.len().saturating_sub(terms * 20);
    let from = (from..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let near = text[from..].trim();
    let mut blanks = near.bytes().enumerate().rev().filter(|(_, byte)| *byte == b' ');
    let start = blanks.nth(terms - 1).map_or(0, |(at, _)| at + 1);
    &near[start..]
}

/// Truncates a text to [`limits::SHORT_TEXT`] and folds its white space.
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
