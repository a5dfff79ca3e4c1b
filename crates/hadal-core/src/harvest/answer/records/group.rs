//! Candidates for the records of an answer: rows of siblings that begin alike.
//!
//! Any element may hold the records, and any way to begin may be theirs, so all are tried, weighed
//! roughly by the news they would cover. Elements of the same place and class are tried together too:
//! the rows of a grid, the lists under several headings.

use super::super::view::{AnswerView, hashed};
use super::start::{ChildNode, RecordStart, kids, starters, starts};
use super::template::RecordTemplate;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Records of an answer that are read.
pub(in super::super) const MOST_RECORDS: usize = 5_000;
/// Candidates that are looked at closely.
const MOST_CANDIDATES: usize = 8;
/// The same, when one of them is where records were found before.
const FEW_CANDIDATES: usize = 3;
/// News of one record that counts; one huge record is no better than a few.
const LONG_RECORD: f32 = 700.0;

/// Siblings that may be one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Segment {
    /// The first of them.
    pub(in super::super) first: usize,
    /// The last of them.
    pub(in super::super) last: usize,
}

impl Segment {
    /// Everything inside them.
    pub(in super::super) fn nodes(self, view: &AnswerView<'_>) -> Range<usize> {
        self.first..view.outline.nodes()[self.last].end as usize
    }

    /// Where their text is.
    pub(in super::super) fn text(self, view: &AnswerView<'_>) -> Range<usize> {
        let nodes = view.outline.nodes();
        nodes[self.first].text_start()..nodes[self.last].text_end()
    }
}

/// A candidate: segments that begin alike in elements alike.
#[derive(Clone, Debug)]
pub(in super::super) struct RecordGroup {
    /// The place and class of the elements that hold it.
    pub(in super::super) place: u64,
    pub(in super::super) starter: RecordStart,
    /// The elements that hold it.
    pub(in super::super) holders: Vec<usize>,
    pub(in super::super) segments: Vec<Segment>,
    /// What follows the beginning of a record in many of them.
    pub(in super::super) followers: Vec<u64>,
}

impl RecordGroup {
    /// A record that stands alone.
    pub(super) fn alone(segment: Segment) -> RecordGroup {
        RecordGroup {
            place: 0,
            starter: RecordStart::Element(0),
            holders: Vec::new(),
            segments: vec![segment],
            followers: Vec::new(),
        }
    }
}

/// A candidate before it is looked at closely.
struct GroupCandidate {
    place: u64,
    starter: RecordStart,
    holders: Vec<usize>,
    count: usize,
    linked: usize,
    mass: f32,
}

impl GroupCandidate {
    fn score(&self, template: Option<&RecordTemplate>) -> f32 {
        let linked = self.linked as f32 / self.count.max(1) as f32;
        let known = template.is_some_and(|template| template.is(self.place, self.starter));
        self.mass * linked.max(0.3) * if known { 20.0 } else { 1.0 }
    }
}

/// The likeliest candidates. One record alone is a candidate only where records were found before.
pub(super) fn groups(view: &AnswerView<'_>, template: Option<&RecordTemplate>) -> Vec<RecordGroup> {
    let mut roughs = roughs(view);
    roughs.retain(|rough| {
        rough.count >= 2 || template.is_some_and(|template| template.is(rough.place, rough.starter))
    });
    let mut scored: Vec<(f32, GroupCandidate)> = roughs
        .into_iter()
        .map(|rough| (rough.score(template), rough))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    let is_known =
        |rough: &GroupCandidate| template.is_some_and(|template| template.is(rough.place, rough.starter));
    let most = if scored.first().is_some_and(|(_, rough)| is_known(rough)) {
        FEW_CANDIDATES
    } else {
        MOST_CANDIDATES
    };
    let worth = scored.into_iter().take(most).take_while(|(score, _)| *score > 0.04 * best);
    worth.map(|(_, rough)| build(view, rough, template)).filter(|group| !group.segments.is_empty()).collect()
}

fn roughs(view: &AnswerView<'_>) -> Vec<GroupCandidate> {
    let mut single = Vec::new();
    let mut together: FxHashMap<(u64, RecordStart), GroupCandidate> = FxHashMap::default();
    let mut children = Vec::new();
    for holder in view.all() {
        let nodes = holder..view.outline.nodes()[holder].end as usize;
        if nodes.len() < 3 || view.news(nodes) <= 0.0 {
            continue;
        }
        kids(view.outline, holder, &mut children);
        let place = place_of(view, holder);
        for starter in starters(view.outline, &children) {
            let Some(rough) = weigh(view, holder, place, &children, starter) else { continue };
            let merged =
                together.entry((place, starter)).or_insert_with(|| GroupCandidate::new(place, starter));
            merged.join(&rough);
            if rough.count >= 2 {
                single.push(rough);
            }
        }
    }
    single.extend(together.into_values().filter(|rough| rough.holders.len() >= 2 || rough.count == 1));
    single
}

impl GroupCandidate {
    fn new(place: u64, starter: RecordStart) -> GroupCandidate {
        GroupCandidate { place, starter, holders: Vec::new(), count: 0, linked: 0, mass: 0.0 }
    }

    fn join(&mut self, other: &GroupCandidate) {
        self.holders.extend(&other.holders);
        self.count += other.count;
        self.linked += other.linked;
        self.mass += other.mass;
    }
}

fn weigh(
    view: &AnswerView<'_>,
    holder: usize,
    place: u64,
    kids: &[ChildNode],
    starter: RecordStart,
) -> Option<GroupCandidate> {
    let starts = starts(view.outline, kids, starter);
    let mut rough = GroupCandidate { holders: vec![holder], ..GroupCandidate::new(place, starter) };
    let end = view.outline.nodes()[holder].end as usize;
    for (nth, &start) in starts.iter().enumerate() {
        let until = starts.get(nth + 1).map_or(end, |next| kids[*next].at);
        let nodes = kids[start].at..until;
        let news = view.news(nodes.clone());
        if news > 0.0 {
            rough.count += 1;
            rough.linked += usize::from(view.links(nodes) > 0);
            rough.mass += news.min(LONG_RECORD).powf(0.75);
        }
    }
    (rough.count > 0).then_some(rough)
}

/// The segments of a candidate, without what only stands between them.
fn build(view: &AnswerView<'_>, rough: GroupCandidate, template: Option<&RecordTemplate>) -> RecordGroup {
    let known = template.filter(|template| template.is(rough.place, rough.starter));
    let holders = with_neighbours(view, rough.holders, rough.place);
    let mut children = Vec::new();
    let mut rows: Vec<Vec<LabelledChild>> = Vec::new();
    for &holder in &holders {
        kids(view.outline, holder, &mut children);
        let starts = starts(view.outline, &children, rough.starter);
        for (nth, &start) in starts.iter().enumerate() {
            let until = starts.get(nth + 1).copied().unwrap_or(children.len());
            rows.push(children[start..until].iter().map(LabelledChild::of).collect());
            if rows.len() >= MOST_RECORDS {
                break;
            }
        }
    }
    let mut followers = followers(&rows);
    followers.extend(known.iter().flat_map(|template| template.followers.iter().copied()));
    followers.sort_unstable();
    followers.dedup();
    let longest = longest(&rows, &followers);
    let segments = rows.iter().map(|row| segment(row, &followers, longest)).collect();
    RecordGroup { place: rough.place, starter: rough.starter, holders, segments, followers }
}

/// Elements, and those beside them of the same place and class, which may hold records that are not new.
fn with_neighbours(view: &AnswerView<'_>, mut holders: Vec<usize>, place: u64) -> Vec<usize> {
    let nodes = view.outline.nodes();
    holders.sort_unstable();
    let Some(&first) = holders.first() else { return holders };
    let mut parents: Vec<usize> = holders.iter().map(|at| nodes[*at].parent as usize).collect();
    parents.dedup();
    let alike = |at: &usize| place_of(view, *at) == place;
    let rows = parents.iter().flat_map(|parent| view.outline.children(*parent).filter(alike));
    let rows: Vec<usize> = if first == 0 { Vec::new() } else { rows.take(MOST_RECORDS).collect() };
    let runs = rows.chunk_by(|one, next| nodes[*one].end as usize == *next);
    let near = runs.filter(|run| run.iter().any(|at| holders.binary_search(at).is_ok()));
    let mut near: Vec<usize> = near.flatten().copied().chain(holders.iter().copied()).collect();
    near.sort_unstable();
    near.dedup();
    near
}

/// The place of an element together with its class.
fn place_of(view: &AnswerView<'_>, at: usize) -> u64 {
    hashed(&(view.paths[at], view.outline.nodes()[at].classes))
}

/// A child after the beginning of a record.
struct LabelledChild {
    at: usize,
    label: u64,
    separates: bool,
}

impl LabelledChild {
    fn of(kid: &ChildNode) -> LabelledChild {
        LabelledChild { at: kid.at, label: kid.label(), separates: kid.is_separator() }
    }
}

/// What follows the beginning in at least two of five records.
fn followers(rows: &[Vec<LabelledChild>]) -> Vec<u64> {
    let mut counts: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    for (nth, row) in rows.iter().enumerate() {
        for follower in row.iter().skip(1).take(64) {
            let (count, last) = counts.entry(follower.label).or_insert((0, usize::MAX));
            if *last != nth {
                (*count, *last) = (*count + 1, nth);
            }
        }
    }
    let often = |count: usize| count * 5 >= rows.len() * 2 && count >= 2;
    counts.into_iter().filter(|(_, (count, _))| often(*count)).map(|(label, _)| label).collect()
}

/// How many children a record has, at most, judged by those that another record ends.
fn longest(rows: &[Vec<LabelledChild>], followers: &[u64]) -> usize {
    let inner = rows.split_last().map_or(rows, |(_, inner)| inner);
    let length = |row: &Vec<LabelledChild>| 1 + last_of(row, followers);
    inner.iter().map(length).max().unwrap_or(usize::MAX)
}

/// Where the last child stands that belongs to a record.
fn last_of(row: &[LabelledChild], followers: &[u64]) -> usize {
    let belongs = |kid: &LabelledChild| !kid.separates && followers.binary_search(&kid.label).is_ok();
    row.iter().skip(1).rposition(belongs).map_or(0, |at| at + 1)
}

fn segment(row: &[LabelledChild], followers: &[u64], longest: usize) -> Segment {
    let row = &row[..row.len().min(longest).max(1)];
    Segment { first: row[0].at, last: row[last_of(row, followers)].at }
}
