//! Score of a candidate group: the product of factors that records usually have.
//!
//! `score = M * A^2 * L * P * (1 + 0.8 m) * C * H * K`
//!
//! - `M`: sum over the records of `min(v, 700)^0.75`, where `v` is the new weight of a record in bytes
//! - `A`: similarity of the records, see [`similarity`]
//! - `L`: links to detail pages. With the detail link's share `s`, purity `u`, repeating share `q` and targets per record
//!   `c` (see `detail_link`): `s^2 * (0.4 + 0.6 u) * (1 - 0.85 q) * max(c, 1)^-1.5`. Without a detail link: 0.25 times
//!   [`linkless_factor`]
//! - `P`: place on the page, see [`place_factor`]
//! - `m`: share of records that contain a query word
//! - `C`: 1.7 if the page states that it shows this number of records, else 1
//! - `H`: 0.6 if hardly any holder has more than one record, so that the holders are the records, else 1
//! - `K`: 4 in the place of earlier records, else `1 - 0.6 / (r + 0.2)` for `r` records
//!
//! All weights are guesses. `A`, `m`, `s`, `u`, `q` are shares in 0..1.

use super::super::view::AnswerView;
use super::detail_link::{DetailLink, detail_link};
use super::group::{RecordGroup, Segment, record_mass};
use super::template::RecordTemplate;
use crate::html::{tag, truncate};
use rustc_hash::{FxHashMap, FxHashSet};

/// Records compared for similarity. Guess.
const MAX_COMPARED: usize = 40;
/// Levels below a holder that are compared. Guess.
const MAX_LEVELS: usize = 5;
/// Nodes of a record that are compared. Guess.
const MAX_NODES: usize = 80;
/// Share of records with a detail link below which the group has none. Guess.
const MIN_DETAIL_LINK_SHARE: f32 = 0.3;
/// Bytes of a class or id that are examined. Guess.
const MAX_CLASS_BYTES: usize = 120;
/// Levels above the records at which classes are examined. Guess.
const MAX_CLASS_LEVELS: usize = 12;
/// Share of the page's new weight above which an element covers the page, so that its class does not count. Guess.
const MIN_COVERING_SHARE: f32 = 0.8;

/// A group with its score.
pub(in super::super) struct ScoredGroup {
    pub(in super::super) group: RecordGroup,
    pub(super) detail: Option<DetailLink>,
    pub(in super::super) score: f32,
    /// Share of records that contain a query word.
    pub(in super::super) matching_share: f32,
    /// Earlier answers had their records in this place.
    pub(in super::super) is_known: bool,
}

/// Drops the furniture of a group and scores it. `stated` is the number of records that the page claims to show.
pub(super) fn score(
    view: &AnswerView<'_>,
    mut group: RecordGroup,
    template: Option<&RecordTemplate>,
    stated: Option<u64>,
) -> ScoredGroup {
    drop_furniture(view, &mut group);
    let known_shape = template.and_then(RecordTemplate::detail_shape);
    let detail =
        detail_link(view, &group, known_shape).filter(|detail| detail.share >= MIN_DETAIL_LINK_SHARE);
    let count = group.segments.len();
    let matching = group.segments.iter().filter(|segment| view.has_query_word(segment.text(view))).count();
    let matching_share = matching as f32 / count.max(1) as f32;
    let is_known = template.is_some_and(|template| template.matches(group.place, group.start));
    let linked = match &detail {
        Some(detail) => {
            let one_target = detail.targets_per_record.max(1.0).powf(-1.5);
            detail.share
                * detail.share
                * (0.4 + 0.6 * detail.purity)
                * (1.0 - 0.85 * detail.repeating_share)
                * one_target
        }
        None => 0.25 * linkless_factor(view, &group),
    };
    let is_stated = stated.is_some_and(|stated| stated == count as u64);
    let score = mass(view, &group)
        * similarity(view, &group).powi(2)
        * linked
        * place_factor(view, &group)
        * (1.0 + 0.8 * matching_share)
        * if is_stated { 1.7 } else { 1.0 }
        * if holders_are_records(&group) { 0.6 } else { 1.0 }
        * if is_known { 4.0 } else { 1.0 - 0.6 / (count as f32 + 0.2) };
    ScoredGroup { group, detail, score, matching_share, is_known }
}

/// Returns true if at least 80 % as many holders as records exist: then the holders are the records.
fn holders_are_records(group: &RecordGroup) -> bool {
    group.holders.len() > 1 && group.holders.len() * 10 >= group.segments.len() * 8
}

/// Drops empty segments, heads of tables, segments that answers without results show too, and segments in runs of
/// holders without new text. In a run with new text, segments without new text stay: other answers showed these
/// records.
fn drop_furniture(view: &AnswerView<'_>, group: &mut RecordGroup) {
    let nodes = view.outline.nodes();
    let holder = |segment: &Segment| nodes[segment.first].parent as usize;
    let is_new = |segment: &&Segment| view.new_weight(segment.nodes(view)) > 0.0;
    let new: FxHashSet<usize> = group.segments.iter().filter(is_new).map(holder).collect();
    let runs = group.holders.chunk_by(|one, next| nodes[*one].end as usize == *next);
    let kept = runs.filter(|run| run.iter().any(|at| new.contains(at))).flatten();
    let kept: FxHashSet<usize> = kept.copied().collect();
    group.segments.retain(|segment| {
        let has_text = !view.outline.slice(segment.text(view)).is_empty();
        let is_record = has_text && !view.is_fixed(segment.nodes(view)) && !is_table_head(view, *segment);
        is_record && kept.contains(&holder(segment))
    });
}

/// Returns true for a table row with head cells only.
fn is_table_head(view: &AnswerView<'_>, segment: Segment) -> bool {
    let nodes = view.outline.nodes();
    let mut cells = view.outline.children(segment.first).filter(|at| !nodes[*at].is_text()).peekable();
    nodes[segment.first].tag == tag!("tr")
        && segment.first == segment.last
        && cells.peek().is_some()
        && cells.all(|at| nodes[at].tag == tag!("th"))
}

fn mass(view: &AnswerView<'_>, group: &RecordGroup) -> f32 {
    group.segments.iter().map(|segment| record_mass(view.new_weight(segment.nodes(view)))).sum()
}

/// Plausibility of records without detail links: 0 for single cells or inline elements, 0.1 for segments that hold
/// several records, 1 for at least two texts per record, else 0.3. The values are guesses.
fn linkless_factor(view: &AnswerView<'_>, group: &RecordGroup) -> f32 {
    let nodes = view.outline.nodes();
    let is_cell = |at: usize| matches!(nodes[at].tag, tag!("td") | tag!("th") | tag!("span") | tag!("a"));
    let texts = |at: &Segment| at.nodes(view).filter(|at| nodes[*at].is_text()).take(4).count();
    let sample = group.segments.iter().take(MAX_COMPARED);
    let (mut text_count, mut count) = (0, 0);
    for segment in sample {
        if is_cell(segment.first) && segment.first == segment.last && lines(view, segment.first) < 2 {
            return 0.0;
        }
        if is_several(view, *segment) || has_record_cells(view, *segment) {
            return 0.1;
        }
        text_count += texts(segment);
        count += 1;
    }
    if text_count >= 2 * count { 1.0 } else { 0.3 }
}

/// Number of lines of text in a node, up to 4.
fn lines(view: &AnswerView<'_>, at: usize) -> usize {
    let nodes = view.outline.nodes();
    let inside = at + 1..nodes[at].end as usize;
    let starts = inside.filter(|at| nodes[*at].is_text() && nodes[*at].breaks);
    starts.take(4).count()
}

/// Returns true for a table row with at least two cells of several lines each: the row of a grid, in which every cell is
/// a record.
fn has_record_cells(view: &AnswerView<'_>, segment: Segment) -> bool {
    let nodes = view.outline.nodes();
    let is_record = |at: &usize| nodes[*at].tag == tag!("td") && lines(view, *at) >= 2;
    let is_row = nodes[segment.first].tag == tag!("tr") && segment.first == segment.last;
    let cells = view.outline.children(segment.first).filter(|at| nodes[*at].tag == tag!("td"));
    let cells: Vec<usize> = cells.collect();
    is_row && cells.len() >= 2 && cells.iter().filter(|at| is_record(at)).count() * 2 > cells.len()
}

/// Returns true if the first and the last sibling of a segment have the same element name and number of children, so
/// that each is a record itself.
fn is_several(view: &AnswerView<'_>, segment: Segment) -> bool {
    let nodes = view.outline.nodes();
    let children = |at: usize| view.outline.children(at).take(20).count();
    let (first, last) = (segment.first, segment.last);
    first != last && nodes[first].tag == nodes[last].tag && children(first) == children(last)
}

/// Similarity of the records' structure, in 0..1. For a record with the set of paths `R`, and the set `U` of paths
/// that at least half of the records have, it is the mean of `(|R and U| + 1) / (|R or U| + 1)`.
fn similarity(view: &AnswerView<'_>, group: &RecordGroup) -> f32 {
    let records: Vec<Vec<u64>> =
        group.segments.iter().take(MAX_COMPARED).map(|segment| paths(view, segment.nodes(view))).collect();
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    for path in records.iter().flatten() {
        *counts.entry(*path).or_default() += 1;
    }
    let is_usual = |path: &u64| counts[path] * 2 >= records.len();
    let usual = counts.keys().filter(|path| is_usual(path)).count();
    let overlap = |paths: &Vec<u64>| {
        let shared = paths.iter().filter(|path| is_usual(path)).count();
        (shared + 1) as f32 / (paths.len() + usual - shared + 1) as f32
    };
    records.iter().map(overlap).sum::<f32>() / records.len().max(1) as f32
}

/// Sorted path hashes of the nodes near the top of a record.
fn paths(view: &AnswerView<'_>, range: std::ops::Range<usize>) -> Vec<u64> {
    let nodes = view.outline.nodes();
    let holder = nodes[range.start].parent;
    let depth =
        |at: usize| view.outline.ancestors(at).take(MAX_LEVELS).position(|above| above as u32 == holder);
    let inner = range.take(MAX_NODES).filter(|at| nodes[*at].tag != tag!("br") && depth(*at).is_some());
    let mut paths: Vec<u64> = inner.map(|at| view.paths[at]).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Factor for the place of a group: 0.2 inside `nav`, `footer` or `aside`; 0.35 inside an element with a class or id of
/// [`FRAMES`], unless that element covers the page; 1.4 if a class or id near the records is one of [`RESULTS`]. The
/// values are guesses.
fn place_factor(view: &AnswerView<'_>, group: &RecordGroup) -> f32 {
    let outline = view.outline;
    let Some(&holder) = group.holders.first() else { return 0.0 };
    let mut factor = if view.is_framed(holder) { 0.2 } else { 1.0 };
    let all = view.new_weight(view.all());
    let above = std::iter::once(holder).chain(outline.ancestors(holder));
    let is_root = |at: usize| matches!(outline.nodes()[at].tag, tag!("body") | tag!("html"));
    for at in above.filter(|at| !is_root(*at)).take(MAX_CLASS_LEVELS) {
        let names = [outline.class_of(at), outline.id_of(at)];
        let covers = view.new_weight(at..outline.nodes()[at].end as usize) > MIN_COVERING_SHARE * all;
        if !covers && names.iter().any(|name| mentions(name, &FRAMES)) {
            factor *= 0.35;
            break;
        }
    }
    let inside = group.segments.first().map(|segment| segment.first);
    let near = inside.into_iter().chain(std::iter::once(holder)).chain(outline.ancestors(holder).take(1));
    let mut near = near.flat_map(|at| [outline.class_of(at), outline.id_of(at)]);
    if near.any(|name| mentions(name, &RESULTS)) { factor * 1.4 } else { factor }
}

/// Class and id words of page parts without results.
const FRAMES: [&str; 26] = [
    "nav",
    "navbar",
    "navigation",
    "menu",
    "footer",
    "breadcrumb",
    "breadcrumbs",
    "sidebar",
    "aside",
    "pagination",
    "pager",
    "facet",
    "facets",
    "filter",
    "filters",
    "refine",
    "related",
    "popular",
    "widget",
    "recommended",
    "suggestions",
    "tabs",
    "toolbar",
    "social",
    "tagcloud",
    "cart",
];

/// Class and id words of page parts with results.
const RESULTS: [&str; 16] = [
    "result",
    "results",
    "hit",
    "hits",
    "record",
    "records",
    "listing",
    "listings",
    "searchresult",
    "searchresults",
    "treffer",
    "ergebnis",
    "ergebnisse",
    "resultados",
    "resultats",
    "resultat",
];

/// Returns true if a class or id contains one of the words, split at case changes and punctuation: `searchResults` and
/// `search-results` both contain `results`.
fn mentions(name: &str, words: &[&str]) -> bool {
    let mut before = ' ';
    let mut start = 0;
    let name = truncate(name, MAX_CLASS_BYTES);
    let mut parts: Vec<&str> = Vec::new();
    for (at, c) in name.char_indices() {
        let is_boundary = !c.is_alphabetic() || (c.is_uppercase() && before.is_lowercase());
        if is_boundary {
            parts.push(&name[start..at]);
            start = if c.is_alphabetic() { at } else { at + c.len_utf8() };
        }
        before = c;
    }
    parts.push(&name[start..]);
    parts.iter().any(|part| words.iter().any(|word| part.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        for name in ["nav", "main-nav", "mainNav", "x nav_2", "Nav top"] {
            assert!(mentions(name, &FRAMES), "{name}");
        }
        for name in ["", "navy", "canavan", "knave"] {
            assert!(!mentions(name, &FRAMES), "{name}");
        }
    }
}
