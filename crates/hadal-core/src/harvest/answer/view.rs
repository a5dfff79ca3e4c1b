//! A result page with prefix sums over its nodes, so that any range of nodes is weighed in constant time.
//!
//! Every text `t` has a weight `w(t)` in bytes (capped, see [`weight`]) and a novelty `n(t)` in 0..1 (see `furniture`).
//! The new weight of a range of nodes is the sum of `w(t) * n(t)` over its texts.

use super::furniture::{FurnitureBasis, PageFurniture, TextNovelty};
use super::links::{LinkKey, repeats_query};
use crate::harvest::query::Query;
use crate::html::{Document, Outline, OutlineNode, tag};
use crate::page::Page;
use memchr::memmem;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of bytes of one text that count towards its weight. Guess.
const MAX_TEXT_WEIGHT: usize = 200;
/// Factor on the weight of a text without letters. Guess.
const NUMBER_WEIGHT: f32 = 0.3;
/// A range whose new weight is at most this share of its weight counts as 0. Must be above the novelty of texts that
/// all answers show (0.03 and 0.04 in furniture.rs).
const MAX_STALE_SHARE: f32 = 0.06;
/// Share of fixed weight above which a whole range is fixed. Guess.
const MIN_FIXED_SHARE: f32 = 0.9;
/// Share of its weight that must be new for a text to belong to [`AnswerView::new_text`]. Guess.
const MIN_NEW_TEXT_SHARE: f32 = 0.5;
/// Maximum number of matches of one query word that are located on a page. Guess.
const MAX_MATCHES: usize = 10_000;
/// Maximum number of words of a query that are located on a page. Guess.
const MAX_QUERY_WORDS: usize = 8;

/// A result page and sums over its nodes. `outline` numbers nodes in document order.
pub(super) struct AnswerView<'a> {
    pub(super) page: &'a Page,
    pub(super) outline: &'a Outline,
    /// Hash of the element names from the root to each node.
    pub(super) paths: Vec<u64>,
    /// For every link of the page: true if it repeats the query, as pagers and facets do.
    pub(super) repeats_query: Vec<bool>,
    /// Comparable hashes of every link of the page.
    pub(super) link_keys: Vec<LinkKey>,
    /// New weight before each node.
    new_weight: Vec<f32>,
    /// Weight before each node.
    weight: Vec<f32>,
    /// Weight of fixed texts before each node.
    fixed_weight: Vec<f32>,
    /// Number of links before each node.
    links: Vec<u32>,
    /// True for nodes inside `nav`, `footer` or `aside`.
    framed: Vec<bool>,
    /// Byte ranges of query words in the page's text, sorted and disjoint.
    matches: Vec<Range<usize>>,
}

impl<'a> AnswerView<'a> {
    pub(super) fn of(
        document: &'a Document,
        query: &'a Query,
        furniture: &PageFurniture,
        basis: FurnitureBasis,
    ) -> AnswerView<'a> {
        let Document { page, outline } = document;
        let mut view = AnswerView {
            page,
            outline,
            paths: Vec::with_capacity(outline.nodes().len()),
            repeats_query: repeats_query(page, query),
            link_keys: page.links.iter().map(LinkKey::of).collect(),
            new_weight: vec![0.0],
            weight: vec![0.0],
            fixed_weight: vec![0.0],
            links: vec![0],
            framed: Vec::with_capacity(outline.nodes().len()),
            matches: find_words(outline.text(), query),
        };
        let query = query_hash(query);
        for (at, node) in outline.nodes().iter().enumerate() {
            view.add(at, node, &|text| furniture.novelty(text, query, basis));
        }
        view
    }

    fn add(&mut self, at: usize, node: &OutlineNode, lookup: &impl Fn(u64) -> TextNovelty) {
        let parent = node.parent as usize;
        let above = self.paths.get(parent).copied().unwrap_or_default();
        self.paths.push(hashed(&(above, &*node.tag)));
        let frames = matches!(node.tag, tag!("nav") | tag!("footer") | tag!("aside"));
        self.framed.push(frames || self.framed.get(parent).copied().unwrap_or_default());
        let weight = if node.is_text() && at > 0 { weight(self.outline.text_of(at)) } else { 0.0 };
        let (novelty, is_fixed) = if weight > 0.0 { self.novelty(at, lookup) } else { (0.0, false) };
        self.new_weight.push(self.new_weight[at] + weight * novelty);
        self.fixed_weight.push(self.fixed_weight[at] + if is_fixed { weight } else { 0.0 });
        self.weight.push(self.weight[at] + weight);
        self.links.push(self.links[at] + u32::from(node.link.is_some()));
    }

    /// Novelty of a text node. Furniture may contain a query word by chance, so such a text is looked up unmasked too.
    fn novelty(&self, at: usize, lookup: &impl Fn(u64) -> TextNovelty) -> (f32, bool) {
        let node = &self.outline.nodes()[at];
        let masked = lookup(self.text_hash(at, &self.matches));
        if !self.has_query_word(node.text_start()..node.text_end()) {
            return (masked.novelty, masked.is_fixed);
        }
        let unmasked = lookup(self.text_hash(at, &[]));
        (masked.novelty.min(unmasked.novelty), masked.is_fixed || unmasked.is_fixed)
    }

    /// New weight of a range of nodes; 0 if its share of the weight is at most [`MAX_STALE_SHARE`].
    pub(super) fn new_weight(&self, nodes: Range<usize>) -> f32 {
        let new = self.new_weight[nodes.end] - self.new_weight[nodes.start];
        let weight = self.weight[nodes.end] - self.weight[nodes.start];
        if new > MAX_STALE_SHARE * weight { new } else { 0.0 }
    }

    /// Returns true if nearly all text of a range of nodes is on answers without results too.
    pub(super) fn is_fixed(&self, nodes: Range<usize>) -> bool {
        let sum = |sums: &[f32]| sums[nodes.end] - sums[nodes.start];
        let weight = sum(&self.weight);
        weight > 0.0 && sum(&self.fixed_weight) > MIN_FIXED_SHARE * weight
    }

    /// Number of links in a range of nodes.
    pub(super) fn links(&self, nodes: Range<usize>) -> u32 {
        self.links[nodes.end] - self.links[nodes.start]
    }

    pub(super) fn is_framed(&self, at: usize) -> bool {
        self.framed[at]
    }

    /// Range of all nodes of the page.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.outline.nodes().len()
    }

    /// Returns true if a byte range of the text contains a word of the query.
    pub(super) fn has_query_word(&self, text: Range<usize>) -> bool {
        let first = self.matches.partition_point(|found| found.start < text.start);
        self.matches.get(first).is_some_and(|found| found.end <= text.end)
    }

    /// Texts of the page that are mostly new, joined by spaces.
    pub(super) fn new_text(&self) -> String {
        let leaves = (1..self.outline.nodes().len()).filter(|at| self.outline.nodes()[*at].is_text());
        let is_new = |at: &usize| {
            self.new_weight(*at..*at + 1) > MIN_NEW_TEXT_SHARE * weight(self.outline.text_of(*at))
        };
        let texts: Vec<&str> = leaves.filter(is_new).map(|at| self.outline.text_of(at)).collect();
        texts.join(" ")
    }

    /// Hashes of all texts, with the query's words masked.
    pub(super) fn masked_texts(&self) -> impl Iterator<Item = u64> {
        let leaves = (1..self.outline.nodes().len()).filter(|at| self.outline.nodes()[*at].is_text());
        leaves.map(|at| self.text_hash(at, &self.matches))
    }

    /// Unmasked hashes of the texts that contain a query word: other queries do not mask these words.
    pub(super) fn unmasked_texts(&self) -> impl Iterator<Item = u64> {
        let nodes = self.outline.nodes();
        let leaves = (1..nodes.len()).filter(|at| nodes[*at].is_text());
        let with_word =
            leaves.filter(|at| self.has_query_word(nodes[*at].text_start()..nodes[*at].text_end()));
        with_word.map(|at| self.text_hash(at, &[]))
    }

    /// Hash of a text node without the masked ranges.
    fn text_hash(&self, at: usize, masked: &[Range<usize>]) -> u64 {
        let node = &self.outline.nodes()[at];
        let (mut start, end) = (node.text_start(), node.text_end());
        let first = masked.partition_point(|found| found.start < start);
        let bytes = self.outline.text().as_bytes();
        let mut hasher = FxHasher::default();
        for found in masked[first..].iter().take_while(|found| found.end <= end) {
            hasher.write(bytes[start..found.start.max(start)].trim_ascii());
            start = found.end;
        }
        hasher.write(bytes[start..end].trim_ascii());
        hasher.finish()
    }
}

/// Weight of a text: its bytes up to [`MAX_TEXT_WEIGHT`], times [`NUMBER_WEIGHT`] if it has no letters.
fn weight(text: &str) -> f32 {
    let has_letters = text.chars().take(MAX_TEXT_WEIGHT).any(char::is_alphabetic);
    let length = text.len().min(MAX_TEXT_WEIGHT) as f32;
    if has_letters { length } else { length * NUMBER_WEIGHT }
}

pub(super) fn query_hash(query: &Query) -> u64 {
    hashed(query)
}

pub(super) fn hashed(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Hash of the letters and digits of a text in lower case.
pub(super) fn plain_hash(text: &str) -> u64 {
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    xxh3_64(plain.as_bytes())
}

/// Text in lower case, with the byte positions of the original. A character whose lower-case form has another length
/// is kept. The Greek final sigma becomes the common one.
fn lower_in_place(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = |c: char| match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        _ if c.is_ascii() => c,
        '\u{3c2}' => '\u{3c3}',
        _ => {
            let mut forms = c.to_lowercase();
            let form = forms.next().filter(|form| form.len_utf8() == c.len_utf8());
            form.filter(|_| forms.next().is_none()).unwrap_or(c)
        }
    };
    text.chars().map(lower).collect()
}

/// Byte ranges of the query's words in a text, sorted and disjoint. Letter case is ignored.
fn find_words(text: &str, query: &Query) -> Vec<Range<usize>> {
    let lower = lower_in_place(text);
    let mut found: Vec<Range<usize>> = Vec::new();
    for word in query.words.split_whitespace().take(MAX_QUERY_WORDS) {
        let word = lower_in_place(word);
        let starts = memmem::find_iter(lower.as_bytes(), word.as_bytes());
        found.extend(starts.take(MAX_MATCHES).map(|at| at..at + word.len()));
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut end = 0;
    found.retain(|range| {
        let is_disjoint =
            range.start >= end && text.is_char_boundary(range.start) && text.is_char_boundary(range.end);
        end = if is_disjoint { range.end } else { end };
        is_disjoint
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_words_are_found_in_any_letter_case_and_script() {
        for (text, words, found) in [
            ("Works of Melville", "MELVILLE", "Melville"),
            ("А. С. Пушкин", "пушкин", "Пушкин"),
            ("Eine Übung", "übung", "Übung"),
            ("Ο ΛΌΓΟΣ", "λόγος", "ΛΌΓΟΣ"),
            ("İstanbul Öykü", "öykü", "Öykü"),
        ] {
            let ranges = find_words(text, &Query::words(words));
            assert_eq!(
                ranges.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(),
                [found],
                "{text}"
            );
        }
    }
}
