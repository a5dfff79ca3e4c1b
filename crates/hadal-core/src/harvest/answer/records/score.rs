//! Score of a candidate group: the product of factors that records usually have.
//!
//! `score = M * A^2 * L * F * S * P * (1 + 0.8 m) * C * H * O * W * K`
//!
//! - `M`: sum over the records of `min(v, 700)^0.75`, where `v` is the new weight of a record in bytes
//! - `A`: similarity of the records, see [`similarity`]
//! - `L`: links to detail pages. With the detail link's share `s`, purity `u`, repeating share `q` and targets per
//!   record `c` (see `detail_link`): `s^2 * (0.4 + 0.6 u) * (1 - 0.85 q) * max(c, 1)^-1.5`. Without a detail link: 0.25
//!   times [`linkless_factor`]
//! - `F`: 0.4 if most detail links lead to another host, as those of advertisements do, else 1
//! - `S`: 0.15 if most segments hold several records: headings in several siblings, or a section with a list, else 1
//! - `P`: place on the page, see [`place_factor`]
//! - `m`: share of records that contain a query word
//! - `C`: 1.7 if the page states that it shows this number of records, else 1
//! - `H`: 0.4 if hardly any holder has more than one record and the holders are no lists, so that they are the records,
//!   else 1
//! - `O`: 0.5 if the end of a record precedes the first record, so that records start elsewhere, else 1
//! - `W`: 0 if most records have no word, such as a row of links with symbols inside one record, else 1
//! - `K`: 4 in the place of earlier records, else `1 - 0.6 / (r + 0.2)` for `r` records
//!
//! All weights are guesses. `A`, `m`, `s`, `u`, `q` are shares in 0..1.

use super::super::view::AnswerView;
use super::detail_link::{DetailLink, detail_link};
use super::group::{RecordGroup, Segment, record_mass};
use super::start::{read_children, shape};
use super::template::RecordTemplate;
use crate::html::{tag, truncate};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of records compared for similarity. Guess.
const MAX_COMPARED: usize = 40;
/// Maximum number of levels below a holder that are compared. Guess.
const MAX_LEVELS: usize = 5;
/// Maximum number of nodes of a record that are compared. Guess.
const MAX_NODES: usize = 80;
/// Share of records with a detail link below which the group has none. Guess.
const MIN_DETAIL_LINK_SHARE: f32 = 0.3;
/// Least value of `s` for links with the URL shape of earlier detail links. Guess.
const MIN_KNOWN_SHARE: f32 = 0.5;
/// The same, if the links lead to another host: advertisements are in some records only. Guess.
const MIN_FOREIGN_LINK_SHARE: f32 = 0.7;
/// Maximum number of bytes of a class or id that are examined. Guess.
const MAX_CLASS_BYTES: usize = 120;
/// Maximum number of levels above the records at which classes are examined. Guess.
const MAX_CLASS_LEVELS: usize = 12;
/// Share of the page's new weight above which an element covers the page, so that its class does not count. Guess.
const MIN_COVERING_SHARE: f32 = 0.8;

/// Items of a section are at least this much longer than its heading. Fields of a record are shorter than its title.
/// Guess.
const SECTION_ITEM_FACTOR: usize = 3;

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

impl ScoredGroup {
    /// Returns true if the records have detail links.
    pub(in super::super) fn has_links(&self) -> bool {
        self.detail.is_some()
    }

    /// New weight of all records in bytes.
    pub(super) fn new_weight(&self, view: &AnswerView<'_>) -> f32 {
        self.group.segments.iter().map(|segment| view.new_weight(segment.nodes(view))).sum()
    }
}

/// Drops the furniture of a group and scores it. `stated` is the number of records that the page claims to show.
pub(super) fn score(
    view: &AnswerView<'_>,
    mut group: RecordGroup,
    template: Option<&RecordTemplate>,
    stated: Option<u64>,
) -> ScoredGroup {
    drop_furniture(view, &mut group);
    let known = template.map(RecordTemplate::detail_link).unwrap_or_default();
    let detail = detail_link(view, &group, known)
        .filter(|detail| detail.share >= MIN_DETAIL_LINK_SHARE || detail.is_known)
        .filter(|detail| detail.share >= MIN_FOREIGN_LINK_SHARE || !is_foreign(view, &group, detail));
    let count = group.segments.len();
    let matching = group.segments.iter().filter(|segment| view.has_query_word(segment.text(view))).count();
    let matching_share = matching as f32 / count.max(1) as f32;
    let is_known = template.is_some_and(|template| template.matches(group.place, group.start));
    let linked = match &detail {
        Some(detail) => {
            let one_target = detail.targets_per_record.max(1.0).powf(-1.5);
            // An answer may show many passages of one record.
            let share = if detail.is_known { detail.share.max(MIN_KNOWN_SHARE) } else { detail.share };
            share * share * (0.4 + 0.6 * detail.purity) * (1.0 - 0.85 * detail.repeating_share) * one_target
        }
        None => 0.25 * linkless_factor(view, &group),
    };
    let is_stated = stated.is_some_and(|stated| stated == count as u64);
    let score = mass(view, &group)
        * similarity(view, &group).powi(2)
        * linked
        * if detail.as_ref().is_some_and(|detail| is_foreign(view, &group, detail)) { 0.4 } else { 1.0 }
        * if contain_several_records(view, &group) { 0.15 } else { 1.0 }
        * place_factor(view, &group)
        * (1.0 + 0.8 * matching_share)
        * if is_stated { 1.7 } else { 1.0 }
        * if holders_are_records(view, &group) { 0.4 } else { 1.0 }
        * if starts_late(view, &group) { 0.5 } else { 1.0 }
        * if are_symbols(view, &group) { 0.0 } else { 1.0 }
        * if is_known { 4.0 } else { 1.0 - 0.6 / (count as f32 + 0.2) };
    ScoredGroup { group, detail, score, matching_share, is_known }
}

/// Returns true if most detail links lead to another host than that of the page.
fn is_foreign(view: &AnswerView<'_>, group: &RecordGroup, detail: &DetailLink) -> bool {
    let sample = group.segments.iter().take(MAX_COMPARED);
    let links: Vec<usize> = sample.filter_map(|segment| detail.position_in(view, *segment)).collect();
    let foreign = links.iter().filter(|link| leads_away(view, **link)).count();
    foreign * 2 > links.len()
}

/// Returns true if a link, given by its position on the page, leads to another host.
pub(super) fn leads_away(view: &AnswerView<'_>, link: usize) -> bool {
    view.page.links[link].url.host_str() != view.page.url.host_str()
}

/// Returns true if most segments have a heading in at least two of their siblings, or are sections.
fn contain_several_records(view: &AnswerView<'_>, group: &RecordGroup) -> bool {
    let nodes = view.outline.nodes();
    let has_heading = |at: &usize| (*at..nodes[*at].end as usize).any(|at| nodes[at].is_heading());
    let several = |segment: &&Segment| {
        let headings = siblings(view, **segment).filter(has_heading).take(2).count();
        headings == 2 || is_section(view, **segment)
    };
    let sample = group.segments.len().min(MAX_COMPARED);
    group.segments[..sample].iter().filter(several).count() * 2 > sample
}

/// Siblings of a segment, up to a limit.
fn siblings<'a>(view: &'a AnswerView<'_>, segment: Segment) -> impl Iterator<Item = usize> + 'a {
    let next =
        move |at: &usize| Some(view.outline.nodes()[*at].end as usize).filter(|next| *next <= segment.last);
    std::iter::successors(Some(segment.first), next).take(MAX_NODES)
}

/// True if there are nearly as many holders as records (80 %), so that each holder is one record. Lists (`ul`, `ol`)
/// are excluded: below headings, many lists have one item.
fn holders_are_records(view: &AnswerView<'_>, group: &RecordGroup) -> bool {
    let is_list = |at: &usize| matches!(view.outline.nodes()[*at].tag, tag!("ul") | tag!("ol"));
    let are_many = group.holders.len() > 1 && group.holders.len() * 10 >= group.segments.len() * 8;
    are_many && !group.holders.iter().all(is_list)
}

/// Returns true if the element before the first record has the same name and continues other records, as when each
/// record is taken to start with its second row.
fn starts_late(view: &AnswerView<'_>, group: &RecordGroup) -> bool {
    let (&[holder], Some(first)) = (&group.holders[..], group.segments.first()) else { return false };
    let mut children = Vec::new();
    read_children(view.outline, holder, &mut children);
    let before = children.iter().rev().find(|child| child.at < first.first);
    let tag_of = |at: usize| &view.outline.nodes()[at].tag;
    before.is_some_and(|child| {
        tag_of(child.at) == tag_of(first.first)
            && group.continuations.binary_search(&child.label()).is_ok()
            && !view.is_fixed(child.at..view.outline.nodes()[child.at].end as usize)
    })
}

/// Returns true if most records have neither a letter nor a digit. Letters and digits in circles or squares are
/// symbols.
fn are_symbols(view: &AnswerView<'_>, group: &RecordGroup) -> bool {
    let is_enclosed =
        |c: char| matches!(c, '\u{2460}'..='\u{24ff}' | '\u{2776}'..='\u{2793}' | '\u{1f100}'..='\u{1f1ff}');
    let has_word = |segment: &&Segment| {
        view.outline.slice(segment.text(view)).chars().any(|c| c.is_alphanumeric() && !is_enclosed(c))
    };
    let sample = &group.segments[..group.segments.len().min(MAX_COMPARED)];
    sample.iter().filter(has_word).count() * 2 < sample.len()
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

/// Plausibility of records without detail links: 0 for single cells, inline elements or labelled fields of a form, 0.1
/// for segments that hold several records or a part of one, 1 for at least two texts per record, else 0.3. The values
/// are guesses.
fn linkless_factor(view: &AnswerView<'_>, group: &RecordGroup) -> f32 {
    let nodes = view.outline.nodes();
    let is_cell = |at: usize| matches!(nodes[at].tag, tag!("td") | tag!("th") | tag!("span") | tag!("a"));
    let texts = |at: &Segment| at.nodes(view).filter(|at| nodes[*at].is_text()).take(4).count();
    if are_form_fields(view, group) {
        return 0.0;
    }
    if alternate(view, group) {
        return 0.1;
    }
    let sample = group.segments.iter().take(MAX_COMPARED);
    let (mut text_count, mut count) = (0, 0);
    for segment in sample {
        if is_cell(segment.first) && segment.first == segment.last && lines(view, segment.first) < 2 {
            return 0.0;
        }
        let is_many =
            is_several(view, *segment) || has_record_cells(view, *segment) || is_section(view, *segment);
        if is_many || is_field_row(view, *segment) {
            return 0.1;
        }
        text_count += texts(segment);
        count += 1;
    }
    if text_count >= 2 * count { 1.0 } else { 0.3 }
}

/// Returns true if most segments hold a label and none a word of the query: then they are fields of a form, such as a
/// detailed search that is shown instead of results.
fn are_form_fields(view: &AnswerView<'_>, group: &RecordGroup) -> bool {
    let nodes = view.outline.nodes();
    let has_label = |segment: &&Segment| segment.nodes(view).any(|at| nodes[at].tag == tag!("label"));
    let has_word = |segment: &Segment| view.has_query_word(segment.text(view));
    let sample = &group.segments[..group.segments.len().min(MAX_COMPARED)];
    sample.iter().filter(has_label).count() * 2 > sample.len() && !sample.iter().any(has_word)
}

/// Returns true if the segments are single elements that repeat a cycle of two or three shapes: then each cycle is a
/// record, such as a pair of table rows.
fn alternate(view: &AnswerView<'_>, group: &RecordGroup) -> bool {
    let sample = &group.segments[..group.segments.len().min(MAX_COMPARED)];
    if sample.iter().any(|segment| segment.first != segment.last) {
        return false;
    }
    let shapes: Vec<u64> = sample.iter().map(|segment| shape(view.outline, segment.first)).collect();
    let differ = shapes.windows(2).any(|pair| pair[0] != pair[1]);
    let is_cycle = |length: &usize| {
        let repeats = shapes.iter().zip(&shapes[*length..]).filter(|(one, other)| one == other).count();
        shapes.len() >= 2 * length && repeats * 10 >= (shapes.len() - length) * 9
    };
    differ && [2, 3].iter().filter(|length| shapes.len() >= **length).any(is_cycle)
}

/// Returns true for a list with a heading that has no link and is much shorter than the items: a section whose items
/// are the records.
fn is_section(view: &AnswerView<'_>, segment: Segment) -> bool {
    let nodes = view.outline.nodes();
    let find = |is_wanted: &dyn Fn(usize) -> bool| siblings(view, segment).find(|at| is_wanted(*at));
    let list = find(&|at| matches!(nodes[at].tag, tag!("ul") | tag!("ol")));
    let (Some(list), Some(heading)) = (list, find(&|at| nodes[at].is_heading())) else { return false };
    let items = view.outline.children(list).filter(|at| nodes[*at].tag == tag!("li")).count();
    let length = |at: usize| view.outline.text_of(at).len();
    let is_linked = view.links(heading..nodes[heading].end as usize) > 0;
    items > 0 && !is_linked && length(list) > SECTION_ITEM_FACTOR * items * length(heading)
}

/// Returns true for a table row with one head cell and one other cell: a field.
fn is_field_row(view: &AnswerView<'_>, segment: Segment) -> bool {
    let nodes = view.outline.nodes();
    let is_row = nodes[segment.first].tag == tag!("tr") && segment.first == segment.last;
    let mut cells = view.outline.children(segment.first).filter(|at| !nodes[*at].is_text());
    let mut next = || cells.next().map(|at| nodes[at].tag.clone());
    is_row && next() == Some(tag!("th")) && next() == Some(tag!("td")) && next().is_none()
}

/// Number of lines of text in a node, up to 4.
fn lines(view: &AnswerView<'_>, at: usize) -> usize {
    let nodes = view.outline.nodes();
    let inside = at + 1..nodes[at].end as usize;
    let starts = inside.filter(|at| nodes[*at].is_text() && nodes[*at].breaks);
    starts.take(4).count()
}

/// Returns true for a table row with at least two cells of several lines each: the row of a grid, in which every cell
/// is a record.
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
