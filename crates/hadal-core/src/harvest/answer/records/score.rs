//! How likely a candidate is the records: news that is repeated, alike and linked.

use super::super::view::AnswerView;
use super::detail_link::{DetailLink, main_link};
use super::group::{RecordGroup, Segment};
use super::template::RecordTemplate;
use crate::html::{tag, truncate};
use rustc_hash::{FxHashMap, FxHashSet};

/// Records whose structure is compared.
const MOST_COMPARED: usize = 40;
/// Levels below a holder, and nodes of a record, that are compared.
const LEVELS: usize = 5;
const MOST_NODES: usize = 80;
/// News of one record that counts.
const LONG_RECORD: f32 = 700.0;

/// What the text around the records says about how many there are on this page.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Announced {
    /// How many this page shows, as its range of numbers or its total says.
    pub(in super::super) shown: Option<u64>,
}

/// A candidate that was looked at closely.
pub(in super::super) struct ScoredGroup {
    pub(in super::super) group: RecordGroup,
    pub(super) main: Option<DetailLink>,
    pub(in super::super) score: f32,
    /// The share of records with a word of the query.
    pub(in super::super) hits: f32,
    /// Whether records were found in this place before.
    pub(in super::super) is_known: bool,
}

/// Scores a candidate.
pub(super) fn scored(
    view: &AnswerView<'_>,
    mut group: RecordGroup,
    template: Option<&RecordTemplate>,
    announced: Announced,
) -> ScoredGroup {
    drop_furniture(view, &mut group);
    let main = main_link(view, &group).filter(|main| main.share >= 0.3);
    let count = group.segments.len();
    let hits = group.segments.iter().filter(|segment| view.is_hit(segment.text(view))).count();
    let hits = hits as f32 / count.max(1) as f32;
    let is_known = template.is_some_and(|template| template.is(group.place, group.starter));
    let linked = match &main {
        Some(main) => {
            let one_each = main.crowd.max(1.0).powf(-1.5);
            main.share * main.share * (0.4 + 0.6 * main.purity) * (1.0 - 0.85 * main.refining) * one_each
        }
        None => 0.25 * plain_rows(view, &group),
    };
    let expected = announced.shown.is_some_and(|shown| shown == count as u64);
    let score = mass(view, &group)
        * alike(view, &group).powi(2)
        * linked
        * place(view, &group)
        * (1.0 + 0.8 * hits)
        * if expected { 1.7 } else { 1.0 }
        * if is_one_each(&group) { 0.6 } else { 1.0 }
        * if is_known { 4.0 } else { 1.0 - 0.6 / (count as f32 + 0.2) };
    ScoredGroup { group, main, score, hits, is_known }
}

/// Whether hardly any element holds more than one record: then those elements are the records.
fn is_one_each(group: &RecordGroup) -> bool {
    group.holders.len() > 1 && group.holders.len() * 10 >= group.segments.len() * 8
}

/// Drops what holds nothing new. Where something is new, the records beside it may be known from other
/// answers; only heads of tables, and what answers without results show too, are none.
fn drop_furniture(view: &AnswerView<'_>, group: &mut RecordGroup) {
    let nodes = view.outline.nodes();
    let holder = |segment: &Segment| nodes[segment.first].parent as usize;
    let is_new = |segment: &&Segment| view.news(segment.nodes(view)) > 0.0;
    let new: FxHashSet<usize> = group.segments.iter().filter(is_new).map(holder).collect();
    let runs = group.holders.chunk_by(|one, next| nodes[*one].end as usize == *next);
    let alive = runs.filter(|run| run.iter().any(|at| new.contains(at))).flatten();
    let alive: FxHashSet<usize> = alive.copied().collect();
    group.segments.retain(|segment| {
        let says = !view.outline.slice(segment.text(view)).is_empty();
        let is_record = says && !view.is_fixed(segment.nodes(view)) && !is_head(view, *segment);
        is_record && alive.contains(&holder(segment))
    });
}

/// A row of nothing but head cells.
fn is_head(view: &AnswerView<'_>, segment: Segment) -> bool {
    let nodes = view.outline.nodes();
    let mut cells = view.outline.children(segment.first).filter(|at| !nodes[*at].is_text()).peekable();
    nodes[segment.first].tag == tag!("tr")
        && segment.first == segment.last
        && cells.peek().is_some()
        && cells.all(|at| nodes[at].tag == tag!("th"))
}

fn mass(view: &AnswerView<'_>, group: &RecordGroup) -> f32 {
    let news = group.segments.iter().map(|segment| view.news(segment.nodes(view)));
    news.map(|news| news.min(LONG_RECORD).powf(0.75)).sum()
}

/// Records without links have at least a few texts each, and are no single cells.
fn plain_rows(view: &AnswerView<'_>, group: &RecordGroup) -> f32 {
    let nodes = view.outline.nodes();
    let is_cell = |at: usize| matches!(nodes[at].tag, tag!("td") | tag!("th") | tag!("span") | tag!("a"));
    let texts = |at: &Segment| at.nodes(view).filter(|at| nodes[*at].is_text()).take(4).count();
    let sample = group.segments.iter().take(MOST_COMPARED);
    let (mut texts_in_all, mut count) = (0, 0);
    for segment in sample {
        if is_cell(segment.first) && segment.first == segment.last {
            return 0.0;
        }
        if is_several(view, *segment) {
            return 0.1;
        }
        texts_in_all += texts(segment);
        count += 1;
    }
    if texts_in_all >= 2 * count { 1.0 } else { 0.3 }
}

/// Whether the first and the last part of a record are formed alike, and so are records themselves.
fn is_several(view: &AnswerView<'_>, segment: Segment) -> bool {
    let nodes = view.outline.nodes();
    let parts = |at: usize| view.outline.children(at).take(20).count();
    let (first, last) = (segment.first, segment.last);
    first != last && nodes[first].tag == nodes[last].tag && parts(first) == parts(last)
}

/// How much the records look like one another: the mean overlap of each with what most have.
fn alike(view: &AnswerView<'_>, group: &RecordGroup) -> f32 {
    let shapes: Vec<Vec<u64>> =
        group.segments.iter().take(MOST_COMPARED).map(|segment| shape(view, segment.nodes(view))).collect();
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    for path in shapes.iter().flatten() {
        *counts.entry(*path).or_default() += 1;
    }
    let common = |path: &u64| counts[path] * 2 >= shapes.len();
    let usual = counts.keys().filter(|path| common(path)).count();
    let overlap = |shape: &Vec<u64>| {
        let shared = shape.iter().filter(|path| common(path)).count();
        (shared + 1) as f32 / (shape.len() + usual - shared + 1) as f32
    };
    shapes.iter().map(overlap).sum::<f32>() / shapes.len().max(1) as f32
}

/// The places of the elements near the top of a record.
fn shape(view: &AnswerView<'_>, range: std::ops::Range<usize>) -> Vec<u64> {
    let nodes = view.outline.nodes();
    let holder = nodes[range.start].parent;
    let depth = |at: usize| view.outline.ancestors(at).take(LEVELS).position(|above| above as u32 == holder);
    let inner = range.take(MOST_NODES).filter(|at| nodes[*at].tag != tag!("br") && depth(*at).is_some());
    let mut paths: Vec<u64> = inner.map(|at| view.paths[at]).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Menus, side columns and footers hold lists too; what is called results holds results.
fn place(view: &AnswerView<'_>, group: &RecordGroup) -> f32 {
    let outline = view.outline;
    let Some(&holder) = group.holders.first() else { return 0.0 };
    let mut factor = if view.is_framed(holder) { 0.2 } else { 1.0 };
    let all = view.news(view.all());
    let around = std::iter::once(holder).chain(outline.ancestors(holder));
    for at in around.filter(|at| !matches!(outline.nodes()[*at].tag, tag!("body") | tag!("html"))).take(12) {
        let names = [outline.class_of(at), outline.id_of(at)];
        let covers = view.news(at..outline.nodes()[at].end as usize) > 0.8 * all;
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

/// What parts of a page that hold no results are called.
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

/// What parts of a page that hold results are called.
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

/// Whether a class or id has one of some words in it, `searchResults` and `search-results` alike.
fn mentions(name: &str, words: &[&str]) -> bool {
    let mut before = ' ';
    let mut start = 0;
    let name = truncate(name, 120);
    let mut parts: Vec<&str> = Vec::new();
    for (at, c) in name.char_indices() {
        let is_seam = !c.is_alphabetic() || (c.is_uppercase() && before.is_lowercase());
        if is_seam {
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
    fn names_come_apart_at_seams() {
        for name in ["nav", "main-nav", "mainNav", "x nav_2", "Nav top"] {
            assert!(mentions(name, &FRAMES), "{name}");
        }
        for name in ["", "navy", "canavan", "knave"] {
            assert!(!mentions(name, &FRAMES), "{name}");
        }
    }
}
