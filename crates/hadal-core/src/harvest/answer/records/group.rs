//! Candidate groups: siblings that start alike and may be the records of an answer.
//!
//! Every element may hold the records, and every way to start (`start`) may be theirs. Each combination is a
//! [`GroupCandidate`]. Elements of the same place and class also form one candidate together, such as the rows of a
//! grid or the lists under several headings. A candidate has the rough score
//!
//! `(sum over records of min(v, 700)^0.75) * max(l, 0.3) * k`
//!
//! where `v` is the new weight of a record in bytes, `l` is the share of records with a link, and `k` is
//! [`TEMPLATE_FACTOR`] where earlier answers had their records, else 1. The best candidates become [`RecordGroup`]s.

use super::super::view::{AnswerView, hashed};
use super::start::{ChildNode, RecordStart, possible_starts, read_children, start_positions};
use super::template::RecordTemplate;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Records read from one page. Guess.
pub(in super::super) const MAX_RECORDS: usize = 5_000;
/// Maximum number of candidates that become groups. Guess.
const MAX_GROUPS: usize = 8;
/// Maximum number of candidates that become groups if the best one matches the template. Guess.
const MAX_GROUPS_WITH_TEMPLATE: usize = 3;
/// Share of the best rough score that a candidate needs. Guess.
const MIN_SHARE_OF_BEST: f32 = 0.04;
/// Cap on the new weight of one record in bytes, so that a long text does not outweigh several records. Guess.
const MAX_RECORD_WEIGHT: f32 = 700.0;
/// Exponent on the new weight of a record: many short records score higher than few long ones. Guess.
const RECORD_WEIGHT_EXPONENT: f32 = 0.75;
/// Least value of `l`, for databases without detail pages. Guess.
const MIN_LINK_FACTOR: f32 = 0.3;
/// Value of `k` for the place of earlier records. Guess.
const TEMPLATE_FACTOR: f32 = 20.0;
/// Maximum number of children after the first of a record that are examined. Guess.
const MAX_CONTINUATIONS: usize = 64;

/// Consecutive siblings that form one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Segment {
    /// Node number of the first sibling.
    pub(in super::super) first: usize,
    /// Node number of the last sibling.
    pub(in super::super) last: usize,
}

impl Segment {
    /// Range of all nodes inside.
    pub(in super::super) fn nodes(self, view: &AnswerView<'_>) -> Range<usize> {
        self.first..view.outline.nodes()[self.last].end as usize
    }

    /// Byte range of the text inside.
    pub(in super::super) fn text(self, view: &AnswerView<'_>) -> Range<usize> {
        let nodes = view.outline.nodes();
        nodes[self.first].text_start()..nodes[self.last].text_end()
    }
}

/// Segments that start alike in elements of the same place and class.
#[derive(Clone, Debug)]
pub(in super::super) struct RecordGroup {
    /// Hash of the path and classes of the holders.
    pub(in super::super) place: u64,
    pub(in super::super) start: RecordStart,
    /// Parent elements of the records.
    pub(in super::super) holders: Vec<usize>,
    pub(in super::super) segments: Vec<Segment>,
    /// Labels of the children that continue a record after its first child, sorted.
    pub(in super::super) continuations: Vec<u64>,
}

impl RecordGroup {
    /// A group of one record without a place.
    pub(super) fn single(segment: Segment) -> RecordGroup {
        RecordGroup {
            place: 0,
            start: RecordStart::Element(0),
            holders: Vec::new(),
            segments: vec![segment],
            continuations: Vec::new(),
        }
    }
}

/// Contribution `min(v, 700)^0.75` of a record with the new weight `v`.
pub(super) fn record_mass(new_weight: f32) -> f32 {
    new_weight.min(MAX_RECORD_WEIGHT).powf(RECORD_WEIGHT_EXPONENT)
}

/// A possible group before its segments are built.
struct GroupCandidate {
    place: u64,
    start: RecordStart,
    holders: Vec<usize>,
    /// Number of records with new text.
    count: usize,
    /// Number of those with a link.
    linked: usize,
    /// Sum of [`record_mass`] over the records.
    mass: f32,
}

impl GroupCandidate {
    fn new(place: u64, start: RecordStart) -> GroupCandidate {
        GroupCandidate { place, start, holders: Vec::new(), count: 0, linked: 0, mass: 0.0 }
    }

    fn join(&mut self, other: &GroupCandidate) {
        self.holders.extend(&other.holders);
        self.count += other.count;
        self.linked += other.linked;
        self.mass += other.mass;
    }

    fn matches(&self, template: Option<&RecordTemplate>) -> bool {
        template.is_some_and(|template| template.matches(self.place, self.start))
    }

    /// Rough score, see the module's formula.
    fn score(&self, template: Option<&RecordTemplate>) -> f32 {
        let linked = self.linked as f32 / self.count.max(1) as f32;
        let factor = if self.matches(template) { TEMPLATE_FACTOR } else { 1.0 };
        self.mass * linked.max(MIN_LINK_FACTOR) * factor
    }
}

/// The groups with the best rough scores. A single record is a group only in the place of the template.
pub(super) fn candidate_groups(view: &AnswerView<'_>, template: Option<&RecordTemplate>) -> Vec<RecordGroup> {
    let mut candidates = candidates(view, template);
    candidates.retain(|candidate| candidate.count >= 2 || candidate.matches(template));
    let mut scored: Vec<(f32, GroupCandidate)> = candidates
        .into_iter()
        .map(|candidate| (candidate.score(template), candidate))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    let is_known = scored.first().is_some_and(|(_, candidate)| candidate.matches(template));
    let most = if is_known { MAX_GROUPS_WITH_TEMPLATE } else { MAX_GROUPS };
    let kept = scored.into_iter().take(most).take_while(|(score, _)| *score > MIN_SHARE_OF_BEST * best);
    kept.map(|(_, candidate)| build(view, candidate, template))
        .filter(|group| !group.segments.is_empty())
        .collect()
}

fn candidates(view: &AnswerView<'_>, template: Option<&RecordTemplate>) -> Vec<GroupCandidate> {
    let mut single = Vec::new();
    let mut together: FxHashMap<(u64, RecordStart), GroupCandidate> = FxHashMap::default();
    let mut children = Vec::new();
    for holder in view.all() {
        let nodes = holder..view.outline.nodes()[holder].end as usize;
        if nodes.len() < 3 || view.new_weight(nodes) <= 0.0 {
            continue;
        }
        read_children(view.outline, holder, &mut children);
        let place = place_of(view, holder);
        let mut starts = possible_starts(view.outline, &children);
        // A short answer may not show by itself how its records start.
        let known = template.and_then(|template| template.start_at(place));
        starts.extend(known.filter(|start| !starts.contains(start)));
        for start in starts {
            let Some(candidate) = measure(view, holder, place, &children, start) else { continue };
            let joined = together.entry((place, start)).or_insert_with(|| GroupCandidate::new(place, start));
            joined.join(&candidate);
            if candidate.count >= 2 {
                single.push(candidate);
            }
        }
    }
    single.extend(
        together.into_values().filter(|candidate| candidate.holders.len() >= 2 || candidate.count == 1),
    );
    single
}

/// Counts the records of one element that start this way; `None` if none of them has new text.
fn measure(
    view: &AnswerView<'_>,
    holder: usize,
    place: u64,
    children: &[ChildNode],
    start: RecordStart,
) -> Option<GroupCandidate> {
    let starts = start_positions(view.outline, children, start);
    let mut candidate = GroupCandidate { holders: vec![holder], ..GroupCandidate::new(place, start) };
    let end = view.outline.nodes()[holder].end as usize;
    for (nth, &first) in starts.iter().enumerate() {
        let until = starts.get(nth + 1).map_or(end, |next| children[*next].at);
        let nodes = children[first].at..until;
        let new_weight = view.new_weight(nodes.clone());
        if new_weight > 0.0 {
            candidate.count += 1;
            candidate.linked += usize::from(view.links(nodes) > 0);
            candidate.mass += record_mass(new_weight);
        }
    }
    (candidate.count > 0).then_some(candidate)
}

/// Builds the segments of a candidate. Children between records belong to none.
fn build(view: &AnswerView<'_>, candidate: GroupCandidate, template: Option<&RecordTemplate>) -> RecordGroup {
    let known = template.filter(|template| template.matches(candidate.place, candidate.start));
    let holders = with_neighbours(view, candidate.holders, candidate.place);
    let mut children = Vec::new();
    let mut rows: Vec<Vec<LabelledChild>> = Vec::new();
    for &holder in &holders {
        read_children(view.outline, holder, &mut children);
        let starts = start_positions(view.outline, &children, candidate.start);
        for (nth, &first) in starts.iter().enumerate() {
            let until = starts.get(nth + 1).copied().unwrap_or(children.len());
            rows.push(children[first..until].iter().map(LabelledChild::of).collect());
            if rows.len() >= MAX_RECORDS {
                break;
            }
        }
    }
    let mut continuations = continuations(&rows);
    continuations.extend(known.iter().flat_map(|template| template.continuations.iter().copied()));
    continuations.sort_unstable();
    continuations.dedup();
    let longest = longest(&rows, &continuations);
    let segments = rows.iter().map(|row| segment(row, &continuations, longest)).collect();
    RecordGroup { place: candidate.place, start: candidate.start, holders, segments, continuations }
}

/// Holders together with the adjacent elements of the same place and class. The records in those may be known from
/// earlier answers and thus have no new text.
fn with_neighbours(view: &AnswerView<'_>, mut holders: Vec<usize>, place: u64) -> Vec<usize> {
    let nodes = view.outline.nodes();
    holders.sort_unstable();
    let Some(&first) = holders.first() else { return holders };
    let mut parents: Vec<usize> = holders.iter().map(|at| nodes[*at].parent as usize).collect();
    parents.dedup();
    let same_place = |at: &usize| place_of(view, *at) == place;
    let rows = parents.iter().flat_map(|parent| view.outline.children(*parent).filter(same_place));
    let rows: Vec<usize> = if first == 0 { Vec::new() } else { rows.take(MAX_RECORDS).collect() };
    let runs = rows.chunk_by(|one, next| nodes[*one].end as usize == *next);
    let near = runs.filter(|run| run.iter().any(|at| holders.binary_search(at).is_ok()));
    let mut near: Vec<usize> = near.flatten().copied().chain(holders.iter().copied()).collect();
    near.sort_unstable();
    near.dedup();
    near
}

/// Hash of an element's path and classes.
fn place_of(view: &AnswerView<'_>, at: usize) -> u64 {
    hashed(&(view.paths[at], view.outline.nodes()[at].classes))
}

/// A child of a record, reduced to its label.
struct LabelledChild {
    at: usize,
    label: u64,
    is_separator: bool,
}

impl LabelledChild {
    fn of(child: &ChildNode) -> LabelledChild {
        LabelledChild { at: child.at, label: child.label(), is_separator: child.is_separator }
    }
}

/// Labels that occur after the first child in at least two records and 40 % of all. The share is a guess.
fn continuations(rows: &[Vec<LabelledChild>]) -> Vec<u64> {
    // Per label: number of rows with it, and the last of them.
    let mut counts: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    for (nth, row) in rows.iter().enumerate() {
        for child in row.iter().skip(1).take(MAX_CONTINUATIONS) {
            let (count, last) = counts.entry(child.label).or_insert((0, usize::MAX));
            if *last != nth {
                (*count, *last) = (*count + 1, nth);
            }
        }
    }
    let is_frequent = |count: usize| count * 5 >= rows.len() * 2 && count >= 2;
    counts.into_iter().filter(|(_, (count, _))| is_frequent(*count)).map(|(label, _)| label).collect()
}

/// Maximum number of children of a record. The last row is left out, because no other record ends it.
fn longest(rows: &[Vec<LabelledChild>], continuations: &[u64]) -> usize {
    let ended = rows.split_last().map_or(rows, |(_, ended)| ended);
    let length = |row: &Vec<LabelledChild>| 1 + last_position(row, continuations);
    ended.iter().map(length).max().unwrap_or(usize::MAX)
}

/// Position of the last child that continues the record.
fn last_position(row: &[LabelledChild], continuations: &[u64]) -> usize {
    let continues =
        |child: &LabelledChild| !child.is_separator && continuations.binary_search(&child.label).is_ok();
    row.iter().skip(1).rposition(continues).map_or(0, |at| at + 1)
}

fn segment(row: &[LabelledChild], continuations: &[u64], longest: usize) -> Segment {
    let row = &row[..row.len().min(longest).max(1)];
    Segment { first: row[0].at, last: row[last_position(row, continuations)].at }
}
