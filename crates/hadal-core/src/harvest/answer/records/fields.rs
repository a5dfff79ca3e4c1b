//! What a record says as name and value.
//!
//! FieldNames are known by their place (head cells, `dt`), by the colon behind them, or because the same
//! short text stands in nearly every record while what follows it changes.

use super::super::view::AnswerView;
use super::group::{RecordGroup, Segment};
use crate::html::{tag, truncate};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pairs of one record, and texts that are looked at.
const MOST_PAIRS: usize = 60;
const MOST_TEXTS: usize = 400;
/// Letters of a name.
const LONG_NAME: usize = 40;
/// Records that are compared for names without any sign.
const MOST_COMPARED: usize = 60;

/// What the names of a group have in common.
pub(super) struct FieldNames<'a> {
    /// The head of the table, one name for each column.
    columns: Vec<&'a str>,
    /// Texts that stand in nearly every record.
    constant: FxHashSet<&'a str>,
}

impl<'a> FieldNames<'a> {
    pub(super) fn of(view: &AnswerView<'a>, group: &RecordGroup) -> FieldNames<'a> {
        let columns = group.holders.first().map_or(Vec::new(), |holder| head(view, *holder));
        FieldNames { columns, constant: constant(view, group) }
    }
}

/// The head cells of the table that holds the records.
fn head<'a>(view: &AnswerView<'a>, holder: usize) -> Vec<&'a str> {
    let nodes = view.outline.nodes();
    let around = std::iter::once(holder).chain(view.outline.ancestors(holder)).take(3);
    let Some(table) = around.into_iter().find(|at| nodes[*at].tag == tag!("table")) else {
        return Vec::new();
    };
    let range = table + 1..nodes[table].end as usize;
    let Some(row) = range.take(64).find(|at| nodes[*at].tag == tag!("tr")) else { return Vec::new() };
    let cells: Vec<usize> = view.outline.children(row).filter(|at| !nodes[*at].is_text()).collect();
    let in_head = nodes[nodes[row].parent as usize].tag == tag!("thead");
    let is_head = in_head || cells.iter().all(|at| nodes[*at].tag == tag!("th"));
    if is_head { cells.iter().map(|at| view.outline.text_of(*at)).collect() } else { Vec::new() }
}

fn constant<'a>(view: &AnswerView<'a>, group: &RecordGroup) -> FxHashSet<&'a str> {
    let sample = group.segments.len().min(MOST_COMPARED);
    let mut counts: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for (nth, segment) in group.segments[..sample].iter().enumerate() {
        for at in texts(view, *segment) {
            let text = view.outline.text_of(at);
            if text.len() <= LONG_NAME {
                let (count, last) = counts.entry(text).or_insert((0, usize::MAX));
                if *last != nth {
                    (*count, *last) = (*count + 1, nth);
                }
            }
        }
    }
    let often = |count: usize| sample >= 3 && count * 3 >= sample * 2;
    counts.into_iter().filter(|(_, (count, _))| often(*count)).map(|(text, _)| text).collect()
}

fn texts(view: &AnswerView<'_>, segment: Segment) -> impl Iterator<Item = usize> {
    segment.nodes(view).filter(|at| view.outline.nodes()[*at].is_text()).take(MOST_TEXTS)
}

/// The pairs of a record.
pub(super) fn fields(
    view: &AnswerView<'_>,
    segment: Segment,
    names: &FieldNames<'_>,
) -> Vec<(String, String)> {
    let mut pairs = by_column(view, segment, names);
    pairs.extend(by_element(view, segment));
    for (name, value) in by_text(view, segment, names) {
        if !pairs
            .iter()
            .any(|(known, given)| *known == name || given.contains(&value) && given.contains(&name))
        {
            pairs.push((name, value));
        }
    }
    pairs.retain(|(name, value)| !name.is_empty() && !value.is_empty());
    pairs.truncate(MOST_PAIRS);
    pairs
}

/// Cells under the heads of their table.
fn by_column(view: &AnswerView<'_>, segment: Segment, names: &FieldNames<'_>) -> Vec<(String, String)> {
    let nodes = view.outline.nodes();
    if nodes[segment.first].tag != tag!("tr") || names.columns.is_empty() {
        return Vec::new();
    }
    let cells = view.outline.children(segment.first).filter(|at| !nodes[*at].is_text());
    names
        .columns
        .iter()
        .zip(cells)
        .map(|(name, at)| (name_of(name), view.outline.text_of(at).to_string()))
        .collect()
}

/// `dt` and the `dd` behind it; a head cell and the only other cell of its row.
fn by_element(view: &AnswerView<'_>, segment: Segment) -> Vec<(String, String)> {
    let nodes = view.outline.nodes();
    let range = segment.nodes(view);
    let mut pairs = Vec::new();
    for at in range.clone().filter(|at| *at != segment.first) {
        let next = nodes[at].end as usize;
        let is_next = next < range.end && nodes[next].parent == nodes[at].parent;
        let belongs = match nodes[at].tag {
            tag!("dt") => is_next && nodes[next].tag == tag!("dd"),
            tag!("th") => is_next && nodes[next].tag == tag!("td"),
            _ => false,
        };
        if belongs {
            pairs.push((name_of(view.outline.text_of(at)), view.outline.text_of(next).to_string()));
        }
    }
    pairs
}

/// FieldNames with a colon, and texts that every record has before one that changes.
fn by_text(view: &AnswerView<'_>, segment: Segment, names: &FieldNames<'_>) -> Vec<(String, String)> {
    let outline = view.outline;
    let nodes = outline.nodes();
    let texts: Vec<usize> = texts(view, segment).collect();
    let mut pairs = Vec::new();
    let mut nth = 0;
    while nth < texts.len() {
        let text = outline.text_of(texts[nth]);
        let next = texts.get(nth + 1).map(|at| outline.text_of(*at));
        if let (true, Some(value)) = (is_name(text) && text.ends_with([':', '\u{ff1a}']), next) {
            let (value, taken) = line_from(view, &texts, nth + 1).unwrap_or((value.to_string(), 1));
            pairs.push((name_of(text), value));
            nth += taken;
        } else if let Some((name, value)) = split(text) {
            pairs.push((name, value));
        } else if let Some(value) = next
            && names.constant.contains(text)
            && is_name(text)
            && !names.constant.contains(value)
            && nodes[texts[nth]].parent != nodes[segment.first].parent
            && are_near(view, texts[nth], texts[nth + 1])
        {
            pairs.push((name_of(text), value.to_string()));
            nth += 1;
        }
        nth += 1;
    }
    pairs
}

/// The rest of the line that begins with a text, and how many texts that is.
fn line_from(view: &AnswerView<'_>, texts: &[usize], nth: usize) -> Option<(String, usize)> {
    let nodes = view.outline.nodes();
    let more = texts[nth + 1..].iter().take_while(|at| !nodes[**at].breaks && !is_label(view, **at)).count();
    let last = *texts.get(nth + more)?;
    Some((view.outline.slice(nodes[texts[nth]].text_start()..nodes[last].text_end()).to_string(), more + 1))
}

fn is_label(view: &AnswerView<'_>, at: usize) -> bool {
    view.outline.text_of(at).ends_with(':')
}

/// Whether two texts stand in elements side by side, with nothing else in them.
fn are_near(view: &AnswerView<'_>, one: usize, other: usize) -> bool {
    let nodes = view.outline.nodes();
    let (one, other) = (nodes[one].parent as usize, nodes[other].parent as usize);
    one == other || nodes[one].parent == nodes[other].parent
}

/// `Label: value` in one text.
fn split(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once([':', '\u{ff1a}'])?;
    let follows = value.starts_with(|c: char| c.is_whitespace()) || text.contains('\u{ff1a}');
    (follows && is_name(name) && !value.trim().is_empty()).then(|| (name_of(name), value.trim().to_string()))
}

fn is_name(text: &str) -> bool {
    let text = text.trim_end_matches([':', '\u{ff1a}']).trim();
    let words = text.split(' ').count();
    text.len() <= LONG_NAME
        && words <= 4
        && text.chars().next().is_some_and(char::is_alphabetic)
        && !text.contains(['.', ',', ';', '?', '!'])
}

fn name_of(text: &str) -> String {
    let name = text.trim_end_matches([':', '\u{ff1a}', ' ']).trim();
    truncate(name, 2 * LONG_NAME).to_string()
}
