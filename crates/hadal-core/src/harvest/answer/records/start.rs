//! How a record can begin among the children of an element.

use super::super::view::hashed;
use crate::html::{Outline, tag};
use serde::{Deserialize, Serialize};

/// What the first child of every record has in common, and no other child has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in super::super) enum RecordStart {
    /// An element of this name: `li`, `tr`, `h3`.
    Element(u64),
    /// An element of this name with this class.
    Class(u64),
    /// An element of this name with these children: every other row of a table.
    Shape(u64),
    /// Whatever follows a line or a single line break.
    Line(u64),
    /// Whatever follows an empty line.
    EmptyLine,
}

/// Ways to begin that are tried in one element.
const MOST_STARTERS: usize = 12;
/// Classes of one element that are looked at.
const MOST_CLASSES: usize = 6;

/// A child of an element that may hold records.
pub(super) struct ChildNode {
    pub(super) at: usize,
    pub(super) element: u64,
    shape: u64,
    classes: u64,
    is_text: bool,
    separates: bool,
}

/// The children of an element.
pub(super) fn kids(outline: &Outline, at: usize, kids: &mut Vec<ChildNode>) {
    kids.clear();
    kids.extend(outline.children(at).map(|kid| {
        let node = &outline.nodes()[kid];
        ChildNode {
            at: kid,
            element: hashed(&&*node.tag),
            shape: 0,
            classes: node.classes,
            is_text: node.is_text(),
            separates: matches!(node.tag, tag!("hr") | tag!("br")),
        }
    }));
    if kids.len() >= 4 {
        kids.iter_mut().for_each(|kid| kid.shape = shape(outline, kid.at));
    }
}

/// The names of an element and of its children, a row of equal ones counted once.
fn shape(outline: &Outline, at: usize) -> u64 {
    let nodes = outline.nodes();
    let (mut hash, mut last, mut count) = (hashed(&&*nodes[at].tag), 0, 0u8);
    for kid in outline.children(at).take(12) {
        let name = hashed(&(&*nodes[kid].tag, nodes[kid].classes));
        count = count.saturating_add(1);
        if name != last {
            hash = hashed(&(hash, name));
        }
        last = name;
    }
    hashed(&(hash, count.min(3)))
}

/// Every way in which records could begin among some children.
pub(super) fn starters(outline: &Outline, kids: &[ChildNode]) -> Vec<RecordStart> {
    let mut tally = StartCounts::default();
    for kid in kids.iter().filter(|kid| !kid.is_text && !kid.separates) {
        tally.add(RecordStart::Element(kid.element), kid.element);
    }
    let mut starters: Vec<RecordStart> = tally.0.iter().map(|(starter, ..)| *starter).collect();
    starters.extend(by_class(outline, kids));
    starters.extend(by_shape(kids));
    starters.extend(by_separator(kids));
    starters.truncate(MOST_STARTERS);
    starters
}

/// Classes that some elements of a name have and others lack.
fn by_class(outline: &Outline, kids: &[ChildNode]) -> Vec<RecordStart> {
    let mut tally = StartCounts::default();
    let is_mixed = kids.windows(2).any(|pair| pair[0].classes != pair[1].classes);
    for kid in kids.iter().filter(|kid| is_mixed && kid.classes != 0) {
        for class in classes(outline, kid.at) {
            tally.add(RecordStart::Class(hashed(&(kid.element, class))), kid.element);
        }
    }
    some_of(kids, tally)
}

fn by_shape(kids: &[ChildNode]) -> Vec<RecordStart> {
    let mut tally = StartCounts::default();
    for kid in kids.iter().filter(|kid| kid.shape != 0 && !kid.is_text && !kid.separates) {
        tally.add(RecordStart::Shape(kid.shape), kid.element);
    }
    tally.0.retain(|(_, count, _)| *count >= 2);
    some_of(kids, tally)
}

/// Those that not every element of the name shares.
fn some_of(kids: &[ChildNode], tally: StartCounts) -> Vec<RecordStart> {
    let named = |element: u64| kids.iter().filter(|kid| kid.element == element).count();
    let some = tally.0.into_iter().filter(|(_, count, element)| *count < named(*element));
    some.map(|(starter, ..)| starter).collect()
}

fn by_separator(kids: &[ChildNode]) -> Vec<RecordStart> {
    let mut tally = StartCounts::default();
    for kid in kids.iter().filter(|kid| kid.separates) {
        tally.add(RecordStart::Line(kid.element), kid.element);
    }
    let mut found: Vec<RecordStart> = tally.0.iter().map(|(starter, ..)| *starter).collect();
    if kids.windows(2).any(|pair| pair[0].separates && pair[1].separates) {
        found.push(RecordStart::EmptyLine);
    }
    found
}

/// The classes of an element without their digits.
fn classes(outline: &Outline, at: usize) -> impl Iterator<Item = u64> {
    let names = outline.class_of(at).split_ascii_whitespace().take(MOST_CLASSES);
    names.map(|name| hashed(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-')))
}

/// Which children begin a record, in order.
pub(super) fn starts(outline: &Outline, kids: &[ChildNode], starter: RecordStart) -> Vec<usize> {
    match starter {
        RecordStart::Element(element) => positions(kids, |kid| kid.element == element && !kid.is_text),
        RecordStart::Shape(shape) => positions(kids, |kid| kid.shape == shape),
        RecordStart::Class(class) => positions(kids, |kid| {
            kid.classes != 0 && classes(outline, kid.at).any(|name| hashed(&(kid.element, name)) == class)
        }),
        RecordStart::Line(separator) => {
            after(kids, |before| before.last().is_some_and(|kid| kid.element == separator))
        }
        RecordStart::EmptyLine => {
            after(kids, |before| matches!(before, [.., one, other] if one.separates && other.separates))
        }
    }
}

fn positions(kids: &[ChildNode], begins: impl Fn(&ChildNode) -> bool) -> Vec<usize> {
    kids.iter().enumerate().filter(|(_, kid)| begins(kid)).map(|(at, _)| at).collect()
}

/// Children that separate nothing and stand first or behind what separates.
fn after(kids: &[ChildNode], separates: impl Fn(&[ChildNode]) -> bool) -> Vec<usize> {
    let begins = |at: &usize| !kids[*at].separates && (*at == 0 || separates(&kids[..*at]));
    (0..kids.len()).filter(begins).collect()
}

/// How often each starter occurs, and with which element; only so many are told apart.
#[derive(Default)]
struct StartCounts(Vec<(RecordStart, usize, u64)>);

impl StartCounts {
    fn add(&mut self, starter: RecordStart, element: u64) {
        match self.0.iter().position(|(known, ..)| *known == starter) {
            Some(at) => self.0[at].1 += 1,
            None if self.0.len() < 2 * MOST_STARTERS => self.0.push((starter, 1, element)),
            None => {}
        }
    }
}

impl ChildNode {
    /// What it is called when it follows the beginning of a record.
    pub(super) fn label(&self) -> u64 {
        hashed(&(self.element, self.classes))
    }

    /// Whether it only holds others apart.
    pub(super) fn is_separator(&self) -> bool {
        self.separates
    }
}
