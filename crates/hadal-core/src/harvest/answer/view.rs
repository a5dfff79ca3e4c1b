//! An answer as the finders look at it: its outline, and sums over it that make any stretch cheap to weigh.

use super::furniture::{FurnitureBasis, PageFurniture};
use super::refining::refining;
use super::target::LinkKey;
use crate::harvest::query::Query;
use crate::html::{Document, Outline, OutlineNode, tag};
use crate::page::Page;
use memchr::memmem;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of one text that count; more make a record no likelier.
const LONG_TEXT: usize = 200;
/// The share of news under which a stretch holds nothing new.
const STALE: f32 = 0.06;
/// Places where the query's words were found.
const MOST_HITS: usize = 10_000;

/// An answer and what is summed over it.
pub(super) struct AnswerView<'a> {
    pub(super) page: &'a Page,
    pub(super) outline: &'a Outline,
    /// For every node the names of the elements that lead to it, as a number.
    pub(super) paths: Vec<u64>,
    /// For every link of the page, whether it repeats the query instead of leading to a record.
    pub(super) refining: Vec<bool>,
    /// For every link of the page, where it leads, how its address is formed and what it is called.
    pub(super) targets: Vec<LinkKey>,
    /// News before every node.
    news: Vec<f32>,
    /// What the news would be if nothing were known.
    weight: Vec<f32>,
    /// How much of that answers without results show too.
    fixed: Vec<f32>,
    /// Links before every node.
    links: Vec<u32>,
    /// Whether a node stands in a part that frames the page.
    framed: Vec<bool>,
    /// Where words of the query begin and end in the text.
    hits: Vec<Range<usize>>,
}

impl<'a> AnswerView<'a> {
    pub(super) fn of(
        document: &'a Document,
        query: &'a Query,
        furniture: &PageFurniture,
        trust: FurnitureBasis,
    ) -> AnswerView<'a> {
        let Document { page, outline } = document;
        let mut view = AnswerView {
            page,
            outline,
            paths: Vec::with_capacity(outline.nodes().len()),
            refining: refining(page, query),
            targets: page.links.iter().map(LinkKey::of).collect(),
            news: vec![0.0],
            weight: vec![0.0],
            fixed: vec![0.0],
            links: vec![0],
            framed: Vec::with_capacity(outline.nodes().len()),
            hits: hits(outline.text(), query),
        };
        let asked = query_hash(query);
        for (at, node) in outline.nodes().iter().enumerate() {
            view.add(at, node, &|text| furniture.known(text, asked, trust));
        }
        view
    }

    fn add(&mut self, at: usize, node: &OutlineNode, known: &impl Fn(u64) -> (f32, bool)) {
        let parent = node.parent as usize;
        let above = self.paths.get(parent).copied().unwrap_or_default();
        self.paths.push(hashed(&(above, &*node.tag)));
        let frames = matches!(node.tag, tag!("nav") | tag!("footer") | tag!("aside"));
        self.framed.push(frames || self.framed.get(parent).copied().unwrap_or_default());
        let weight = if node.is_text() && at > 0 { weight(self.outline.text_of(at)) } else { 0.0 };
        let (news, is_fixed) = if weight > 0.0 { self.known(at, known) } else { (0.0, false) };
        self.news.push(self.news[at] + weight * news);
        self.fixed.push(self.fixed[at] + if is_fixed { weight } else { 0.0 });
        self.weight.push(self.weight[at] + weight);
        self.links.push(self.links[at] + u32::from(node.link.is_some()));
    }

    /// What is known of a text. A word of the query may stand in what is always there.
    fn known(&self, at: usize, known: &impl Fn(u64) -> (f32, bool)) -> (f32, bool) {
        let node = &self.outline.nodes()[at];
        let (news, is_fixed) = known(self.text_hash(at, &self.hits));
        if !self.is_hit(node.text_start()..node.text_end()) {
            return (news, is_fixed);
        }
        let (plain_news, is_plainly_fixed) = known(self.text_hash(at, &[]));
        (news.min(plain_news), is_fixed || is_plainly_fixed)
    }

    /// How much news a stretch of nodes holds; none if hardly anything in it is new.
    pub(super) fn news(&self, nodes: Range<usize>) -> f32 {
        let news = self.news[nodes.end] - self.news[nodes.start];
        let weight = self.weight[nodes.end] - self.weight[nodes.start];
        if news > STALE * weight { news } else { 0.0 }
    }

    /// Whether answers without results show a stretch of nodes too.
    pub(super) fn is_fixed(&self, nodes: Range<usize>) -> bool {
        let sum = |sums: &[f32]| sums[nodes.end] - sums[nodes.start];
        let weight = sum(&self.weight);
        weight > 0.0 && sum(&self.fixed) > 0.9 * weight
    }

    /// How many links a stretch of nodes holds.
    pub(super) fn links(&self, nodes: Range<usize>) -> u32 {
        self.links[nodes.end] - self.links[nodes.start]
    }

    pub(super) fn is_framed(&self, at: usize) -> bool {
        self.framed[at]
    }

    /// The range of nodes that is the whole page.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.outline.nodes().len()
    }

    /// Whether a stretch of text holds a word of the query.
    pub(super) fn is_hit(&self, text: Range<usize>) -> bool {
        let first = self.hits.partition_point(|hit| hit.start < text.start);
        self.hits.get(first).is_some_and(|hit| hit.end <= text.end)
    }

    /// What the answer says that others do not.
    pub(super) fn news_text(&self) -> String {
        let leaves = (1..self.outline.nodes().len()).filter(|at| self.outline.nodes()[*at].is_text());
        let new = leaves.filter(|at| self.news(*at..*at + 1) > 0.5 * weight(self.outline.text_of(*at)));
        let texts: Vec<&str> = new.map(|at| self.outline.text_of(at)).collect();
        texts.join(" ")
    }

    /// Every text of the answer as a number, the query masked.
    pub(super) fn texts(&self) -> impl Iterator<Item = u64> {
        let leaves = (1..self.outline.nodes().len()).filter(|at| self.outline.nodes()[*at].is_text());
        leaves.map(|at| self.text_hash(at, &self.hits))
    }

    /// Every text with a word of the query in it as a number, as it is: other queries do not mask it.
    pub(super) fn plain_texts(&self) -> impl Iterator<Item = u64> {
        let nodes = self.outline.nodes();
        let leaves = (1..nodes.len()).filter(|at| nodes[*at].is_text());
        let hit = leaves.filter(|at| self.is_hit(nodes[*at].text_start()..nodes[*at].text_end()));
        hit.map(|at| self.text_hash(at, &[]))
    }

    /// A text as a number, some words of it masked.
    fn text_hash(&self, at: usize, masked: &[Range<usize>]) -> u64 {
        let node = &self.outline.nodes()[at];
        let (mut start, end) = (node.text_start(), node.text_end());
        let first = masked.partition_point(|hit| hit.start < start);
        let bytes = self.outline.text().as_bytes();
        let mut hasher = FxHasher::default();
        for hit in masked[first..].iter().take_while(|hit| hit.end <= end) {
            add_letters(&mut hasher, &bytes[start..hit.start.max(start)]);
            start = hit.end;
        }
        add_letters(&mut hasher, &bytes[start..end]);
        hasher.finish()
    }
}

fn add_letters(hasher: &mut FxHasher, bytes: &[u8]) {
    hasher.write(bytes.trim_ascii());
}

/// Long texts count like a few sentences, bare numbers little.
fn weight(text: &str) -> f32 {
    let has_letters = text.chars().take(LONG_TEXT).any(char::is_alphabetic);
    let length = text.len().min(LONG_TEXT) as f32;
    if has_letters { length } else { length * 0.3 }
}

/// A query as a number.
pub(super) fn query_hash(query: &Query) -> u64 {
    hashed(query)
}

pub(super) fn hashed(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A text made comparable: letters and digits in lower case, as a number.
pub(super) fn plain_hash(text: &str) -> u64 {
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    xxh3_64(plain.as_bytes())
}

/// Where the words of a query stand in a text, in order and apart from one another.
fn hits(text: &str, query: &Query) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut hits: Vec<Range<usize>> = Vec::new();
    for word in query.words.split_whitespace().take(8) {
        let word = word.to_lowercase();
        let found = memmem::find_iter(lower.as_bytes(), word.as_bytes());
        hits.extend(found.take(MOST_HITS).map(|at| at..at + word.len()));
    }
    hits.sort_unstable_by_key(|hit| (hit.start, hit.end));
    let mut end = 0;
    hits.retain(|hit| {
        let is_apart = hit.start >= end && text.is_char_boundary(hit.start) && text.is_char_boundary(hit.end);
        end = if is_apart { hit.end } else { end };
        is_apart
    });
    hits
}
