//! Limits on the size of a parsed page.
//!
//! html5ever is quadratic in nesting depth and in attributes per tag, and a few kilobytes of misnested
//! formatting elements can grow into millions of nodes. These limits keep the cost of every page close to
//! linear. All values are guesses that lie well above what was seen on a thousand real pages.

/// Bytes of the body.
pub(super) const BYTES: usize = 8 << 20;
/// DOM nodes of one page.
pub(super) const NODES: usize = 400_000;
/// Open elements plus active formatting elements of the tree builder.
pub(super) const DEPTH: usize = 600;
/// Attributes of one tag; further ones are dropped.
pub(super) const TAG_ATTRIBUTES: usize = 256;
/// Attributes of the whole page.
pub(super) const PAGE_ATTRIBUTES: usize = 500_000;
/// Work of the tree builder: the sum over tokens of the number of open elements, plus moved children.
pub(super) const STEPS: u64 = 60_000_000;

/// Links of one page.
pub(super) const LINKS: usize = 50_000;
/// `<form>` elements of one page.
pub(super) const FORMS: usize = 500;
/// Forms of controls outside any `<form>` of one page.
pub(super) const LOOSE_FORMS: usize = 16;
/// Controls of one page.
pub(super) const CONTROLS: usize = 5_000;
/// Options of one control.
pub(super) const OPTIONS: usize = 2_000;
/// Options of all controls of one page.
pub(super) const PAGE_OPTIONS: usize = 50_000;
/// Bytes of the visible text, and of the hidden text.
pub(super) const TEXT: usize = 1 << 20;
/// Bytes of the text of one form.
pub(super) const FORM_TEXT: usize = 16 << 10;
/// Bytes of a name, label, heading or other short text.
pub(super) const SHORT_TEXT: usize = 512;
/// Bytes of a default value of a control that people see.
pub(super) const VALUE: usize = 4 << 10;
/// Bytes of the value of a hidden field. Some frameworks keep the state of the whole page in one and refuse a
/// part of it.
pub(super) const HIDDEN_VALUE: usize = 2 << 20;
/// Bytes of one JSON-LD script.
pub(super) const LINKED_DATA: usize = 256 << 10;
/// `<script>` elements of one page.
pub(super) const SCRIPTS: usize = 300;
/// Bytes of one inline script.
pub(super) const INLINE_SCRIPT: usize = 16 << 10;
/// Inline scripts of one page that are read.
pub(super) const INLINE_SCRIPTS: usize = 20;
/// DOM nodes visited to gather the text of one element.
pub(super) const TEXT_NODES: usize = 4_000;
/// Nodes of an outline.
pub(super) const OUTLINE: usize = 120_000;
/// Links of one page that run a script.
pub(super) const SCRIPTED_LINKS: usize = 500;
/// OpenSearch descriptions, and search actions, of one page.
pub(super) const HINTS: usize = 20;

/// Returns the longest prefix of `text` that has at most `bytes` bytes.
pub(crate) fn truncate(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let end = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}
