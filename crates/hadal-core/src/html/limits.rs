//! How much of a page is read and kept.
//!
//! The parser beneath is quadratic in nesting and in attributes per tag, and a few kilobytes of
//! misnested formatting can grow into millions of nodes. These limits keep every page near-linear;
//! they lie well above what was seen on a thousand real pages.

/// Bytes of body that are parsed.
pub(super) const BYTES: usize = 8 << 20;
/// Nodes of the tree.
pub(super) const NODES: usize = 400_000;
/// Open elements and active formatting elements together.
pub(super) const DEPTH: usize = 600;
/// Attributes kept on one tag.
pub(super) const TAG_ATTRIBUTES: usize = 256;
/// Attributes on the whole page.
pub(super) const PAGE_ATTRIBUTES: usize = 500_000;
/// Tokens, each weighed with the open elements it may have to look through.
pub(super) const STEPS: u64 = 60_000_000;

/// Links of a page.
pub(super) const LINKS: usize = 10_000;
/// Forms of a page.
pub(super) const FORMS: usize = 500;
/// Controls of all forms.
pub(super) const CONTROLS: usize = 5_000;
/// Choices of one control.
pub(super) const CHOICES: usize = 2_000;
/// Choices of all controls.
pub(super) const PAGE_CHOICES: usize = 50_000;
/// Bytes of visible text, and as many of text that is in the page but not shown.
pub(super) const TEXT: usize = 1 << 20;
/// Bytes of a form's own text.
pub(super) const FORM_TEXT: usize = 16 << 10;
/// Bytes of a name, label, heading, default or other short text.
pub(super) const SHORT_TEXT: usize = 512;
/// Bytes of a value that may be submitted as it is.
pub(super) const VALUE: usize = 4 << 10;
/// Bytes of linked data.
pub(super) const LINKED_DATA: usize = 256 << 10;
/// Nodes looked through for the text of one element.
pub(super) const TEXT_NODES: usize = 4_000;
/// Elements and texts of an outline.
pub(super) const OUTLINE: usize = 120_000;
/// Descriptions, actions and other hints of one sort.
pub(super) const HINTS: usize = 20;

/// The longest beginning of a text within a number of bytes.
pub(crate) fn truncate(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let end = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}
