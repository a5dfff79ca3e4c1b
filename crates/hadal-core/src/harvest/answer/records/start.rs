//! Ways to split the children of an element into records, by the first child of each record.

use super::super::view::hashed;
use crate::html::{Outline, tag};
use serde::{Deserialize, Serialize};

/// A property that the first child of every record has and no other child has. Names are stored as hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in super::super) enum RecordStart {
    /// The element name: `li`, `tr`, `h3`.
    Element(u64),
    /// The element name with a class.
    Class(u64),
    /// The element name with the names of its children, as in every other row of a table.
    Shape(u64),
    /// Any child after this separator: `hr` or `br`.
    AfterSeparator(u64),
    /// Any child after an empty line, that is after two separators.
    AfterEmptyLine,
}

/// Maximum number of ways to start that are tried per element. Guess.
const MAX_STARTS: usize = 12;
/// Maximum number of classes of one element that are examined. Guess.
const MAX_CLASSES: usize = 6;
/// Maximum number of children of an element that enter its shape. Guess.
const MAX_SHAPE_CHILDREN: usize = 12;
/// Least number of children of an element that is split by shape: two records of two children each. Guess.
const MIN_CHILDREN_FOR_SHAPE: usize = 4;

/// A child of an element that may hold records.
pub(super) struct ChildNode {
    /// Number of the node in the page view.
    pub(super) at: usize,
    /// Hash of the element name.
    pub(super) element: u64,
    /// Hash of the shape, see [`shape`]; 0 where it is not computed.
    shape: u64,
    /// Hash of the classes; 0 if there are none.
    classes: u64,
    is_text: bool,
    /// The child is a `hr` or `br`.
    pub(super) is_separator: bool,
}

impl ChildNode {
    /// Hash of element name and classes, by which children after the first of a record are compared.
    pub(super) fn label(&self) -> u64 {
        hashed(&(self.element, self.classes))
    }
}

/// Replaces `children` by the children of an element.
pub(super) fn read_children(outline: &Outline, at: usize, children: &mut Vec<ChildNode>) {
    children.clear();
    children.extend(outline.children(at).map(|child| {
        let node = &outline.nodes()[child];
        ChildNode {
            at: child,
            element: hashed(&&*node.tag),
            shape: 0,
            classes: node.classes,
            is_text: node.is_text(),
            is_separator: matches!(node.tag, tag!("hr") | tag!("br")),
        }
    }));
    if children.len() >= 2 {
        children.iter_mut().for_each(|child| child.shape = shape(outline, child.at));
    }
}

/// Hash of the names of an element and of its children. A run of equal children counts once; their number counts up
/// to three.
pub(super) fn shape(outline: &Outline, at: usize) -> u64 {
    let nodes = outline.nodes();
    let (mut hash, mut last, mut count) = (hashed(&&*nodes[at].tag), 0, 0u8);
    for child in outline.children(at).take(MAX_SHAPE_CHILDREN) {
        let name = hashed(&(&*nodes[child].tag, nodes[child].classes));
        count = count.saturating_add(1);
        if name != last {
            hash = hashed(&(hash, name));
        }
        last = name;
    }
    hashed(&(hash, count.min(3)))
}

/// Every way in which records can start among these children, up to a limit.
pub(super) fn possible_starts(outline: &Outline, children: &[ChildNode]) -> Vec<RecordStart> {
    let mut counts = StartCounts::default();
    for child in children.iter().filter(|child| !child.is_text && !child.is_separator) {
        counts.add(RecordStart::Element(child.element), child.element);
    }
    let mut starts: Vec<RecordStart> = counts.0.iter().map(|(start, ..)| *start).collect();
    starts.extend(by_class(outline, children));
    if children.len() >= MIN_CHILDREN_FOR_SHAPE {
        starts.extend(by_shape(children));
    }
    starts.extend(by_separator(children));
    starts.truncate(MAX_STARTS);
    starts
}

/// Classes that some elements of a name have and others lack.
fn by_class(outline: &Outline, children: &[ChildNode]) -> Vec<RecordStart> {
    let mut counts = StartCounts::default();
    let is_mixed = children.windows(2).any(|pair| pair[0].classes != pair[1].classes);
    for child in children.iter().filter(|child| is_mixed && child.classes != 0) {
        for class in classes(outline, child.at) {
            counts.add(RecordStart::Class(hashed(&(child.element, class))), child.element);
        }
    }
    not_on_all(children, counts)
}

/// Shapes that at least two elements of a name have and others lack.
fn by_shape(children: &[ChildNode]) -> Vec<RecordStart> {
    let mut counts = StartCounts::default();
    for child in children.iter().filter(|child| child.shape != 0 && !child.is_text && !child.is_separator) {
        counts.add(RecordStart::Shape(child.shape), child.element);
    }
    counts.0.retain(|(_, count, _)| *count >= 2);
    not_on_all(children, counts)
}

/// Starts that some elements of their name lack. If all have it, the element name alone does the same.
fn not_on_all(children: &[ChildNode], counts: StartCounts) -> Vec<RecordStart> {
    let named = |element: u64| children.iter().filter(|child| child.element == element).count();
    let some = counts.0.into_iter().filter(|(_, count, element)| *count < named(*element));
    some.map(|(start, ..)| start).collect()
}

fn by_separator(children: &[ChildNode]) -> Vec<RecordStart> {
    let mut counts = StartCounts::default();
    for child in children.iter().filter(|child| child.is_separator) {
        counts.add(RecordStart::AfterSeparator(child.element), child.element);
    }
    let mut found: Vec<RecordStart> = counts.0.iter().map(|(start, ..)| *start).collect();
    if children.windows(2).any(|pair| pair[0].is_separator && pair[1].is_separator) {
        found.push(RecordStart::AfterEmptyLine);
    }
    found
}

/// Hashes of an element's classes without trailing digits and hyphens.
fn classes(outline: &Outline, at: usize) -> impl Iterator<Item = u64> {
    let names = outline.class_of(at).split_ascii_whitespace().take(MAX_CLASSES);
    names.map(|name| hashed(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-')))
}

/// Positions of the children that start a record, in order.
pub(super) fn start_positions(outline: &Outline, children: &[ChildNode], start: RecordStart) -> Vec<usize> {
    match start {
        RecordStart::Element(element) => {
            positions(children, |child| child.element == element && !child.is_text)
        }
        RecordStart::Shape(shape) => positions(children, |child| child.shape == shape),
        RecordStart::Class(class) => positions(children, |child| {
            child.classes != 0
                && classes(outline, child.at).any(|name| hashed(&(child.element, name)) == class)
        }),
        RecordStart::AfterSeparator(separator) => {
            let is_break =
                |before: &[ChildNode]| before.last().is_some_and(|child| child.element == separator);
            without_heading(children, positions_after(children, is_break))
        }
        RecordStart::AfterEmptyLine => {
            let is_break = |before: &[ChildNode]| matches!(before, [.., one, other] if one.is_separator && other.is_separator);
            without_heading(children, positions_after(children, is_break))
        }
    }
}

/// Moves the first start behind the heading of the list. The first segment may be as long as the longest between two
/// other starts, and it begins with an element that begins another.
fn without_heading(children: &[ChildNode], mut starts: Vec<usize>) -> Vec<usize> {
    let [first, second, ..] = starts[..] else { return starts };
    let longest = starts[1..].windows(2).map(|pair| pair[1] - pair[0]).max();
    let Some(longest) = longest.filter(|longest| second - first > *longest) else { return starts };
    let elements: Vec<u64> = starts[1..].iter().map(|at| children[*at].element).collect();
    let begins = |at: &usize| elements.contains(&children[*at].element) && !children[*at].is_separator;
    starts[0] = (second - longest..second).find(begins).unwrap_or(first);
    starts
}

fn positions(children: &[ChildNode], is_start: impl Fn(&ChildNode) -> bool) -> Vec<usize> {
    children.iter().enumerate().filter(|(_, child)| is_start(child)).map(|(at, _)| at).collect()
}

/// Positions of the first child and of children after a break, leaving out separators.
fn positions_after(children: &[ChildNode], is_break: impl Fn(&[ChildNode]) -> bool) -> Vec<usize> {
    let is_start = |at: &usize| !children[*at].is_separator && (*at == 0 || is_break(&children[..*at]));
    (0..children.len()).filter(is_start).collect()
}

/// Number of children with each start, and the hash of their element name. The number of different starts is bounded.
#[derive(Default)]
struct StartCounts(Vec<(RecordStart, usize, u64)>);

impl StartCounts {
    fn add(&mut self, start: RecordStart, element: u64) {
        match self.0.iter().position(|(known, ..)| *known == start) {
            Some(at) => self.0[at].1 += 1,
            None if self.0.len() < 2 * MAX_STARTS => self.0.push((start, 1, element)),
            None => {}
        }
    }
}
