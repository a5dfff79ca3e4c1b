//! Fields of a record: pairs of name and value.
//!
//! A text is a field name if it is a head cell or `dt`, if a colon follows it, or if nearly every record has
//! it before a text that changes.

use super::super::view::AnswerView;
use super::group::{RecordGroup, Segment};
use crate::html::{tag, truncate};
use rustc_hash::{FxHashMap, FxHashSet};

/// Fields read per record. Guess.
pub(in super::super) const MAX_FIELDS: usize = 60;
/// Maximum number of texts of one record that are examined. Guess.
const MAX_TEXTS: usize = 400;
/// Longest field name in bytes. Guess.
const MAX_NAME_BYTES: usize = 40;
/// Longest field name in words. Guess.
const MAX_NAME_WORDS: usize = 4;
/// Maximum number of records that are compared for constant texts. Guess.
const MAX_COMPARED: usize = 60;
/// Maximum number of nodes of a table among which its head row is searched. Guess.
const MAX_NODES_TO_HEAD: usize = 64;

/// Field names that the records of a group share.
pub(super) struct FieldNames<'a> {
    /// Head cells of the table, one per column.
    columns: Vec<&'a str>,
    /// Short texts in at least two thirds of the records.
    constant: FxHashSet<&'a str>,
}

impl<'a> FieldNames<'a> {
    pub(super) fn of(view: &AnswerView<'a>, group: &RecordGroup) -> FieldNames<'a> {
        let columns = group.holders.first().map_or(Vec::new(), |holder| head_cells(view, *holder));
        FieldNames { columns, constant: constant_texts(view, group) }
    }
}

/// Texts of the head cells of the table that holds the records.
fn head_cells<'a>(view: &AnswerView<'a>, holder: usize) -> Vec<&'a str> {
    let nodes = view.outline.nodes();
    let above = std::iter::once(holder).chain(view.outline.ancestors(holder)).take(3);
    let Some(table) = above.into_iter().find(|at| nodes[*at].tag == tag!("table")) else {
        return Vec::new();
    };
    let range = table + 1..nodes[table].end as usize;
    let Some(row) = range.take(MAX_NODES_TO_HEAD).find(|at| nodes[*at].tag == tag!("tr")) else {
        return Vec::new();
    };
    let cells: Vec<usize> = view.outline.children(row).filter(|at| !nodes[*at].is_text()).collect();
    let in_head = nodes[nodes[row].parent as usize].tag == tag!("thead");
    let is_head = in_head || cells.iter().all(|at| nodes[*at].tag == tag!("th"));
    if is_head { cells.iter().map(|at| view.outline.text_of(*at)).collect() } else { Vec::new() }
}

fn constant_texts<'a>(view: &AnswerView<'a>, group: &RecordGroup) -> FxHashSet<&'a str> {
    let sample = group.segments.len().min(MAX_COMPARED);
    // Per text: number of records with it, and the last of them.
    let mut counts: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for (nth, segment) in group.segments[..sample].iter().enumerate() {
        for at in texts(view, *segment) {
            let text = view.outline.text_of(at);
            if text.len() <= MAX_NAME_BYTES {
                let (count, last) = counts.entry(text).or_insert((0, usize::MAX));
                if *last != nth {
                    (*count, *last) = (*count + 1, nth);
                }
            }
        }
    }
    let is_frequent = |count: usize| sample >= 3 && count * 3 >= sample * 2;
    counts.into_iter().filter(|(_, (count, _))| is_frequent(*count)).map(|(text, _)| text).collect()
}

fn texts(view: &AnswerView<'_>, segment: Segment) -> impl Iterator<Item = usize> {
    segment.nodes(view).filter(|at| view.outline.nodes()[*at].is_text()).take(MAX_TEXTS)
}

/// Fields of one record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct RecordFields {
    /// Pairs of name and value.
    pub(in super::super) pairs: Vec<(String, String)>,
    /// Number of pairs, from the first on, whose name the record itself marks as a name. The other names are texts that
    /// most records of the page share, so they depend on the page.
    pub(in super::super) marked: usize,
}

/// Fields of a record: table cells first, then definition lists, then pairs in its texts.
pub(super) fn fields(view: &AnswerView<'_>, segment: Segment, names: &FieldNames<'_>) -> RecordFields {
    let mut pairs = by_column(view, segment, names);
    let has_columns = !pairs.is_empty();
    pairs.extend(by_element(view, segment));
    let (marked, shared): (Vec<TextPair>, Vec<TextPair>) =
        by_text(view, segment, names).into_iter().partition(|pair| pair.is_marked);
    add_pairs(&mut pairs, marked);
    let marked = pairs.len().min(MAX_FIELDS);
    // The columns of a table name all of its values.
    add_pairs(&mut pairs, if has_columns { Vec::new() } else { shared });
    pairs.truncate(MAX_FIELDS);
    RecordFields { pairs, marked }
}

/// Adds pairs that are not empty and not part of a known one.
fn add_pairs(pairs: &mut Vec<(String, String)>, new: Vec<TextPair>) {
    pairs.retain(|(name, value)| !name.is_empty() && !value.is_empty());
    for TextPair { name, value, .. } in new {
        let is_part = |(known, given): &(String, String)| {
            *known == name || given.contains(&value) && given.contains(&name)
        };
        if !name.is_empty() && !value.is_empty() && !pairs.iter().any(is_part) {
            pairs.push((name, value));
        }
    }
}

/// A pair in the texts of a record.
struct TextPair {
    name: String,
    value: String,
    /// A colon follows the name.
    is_marked: bool,
}

/// Cells of a table row, named by the head cells.
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
        .map(|(name, at)| (clean_name(name), view.outline.text_of(at).to_string()))
        .collect()
}

/// Pairs of `dt` and the next `dd`, and of `th` and the next `td`.
fn by_element(view: &AnswerView<'_>, segment: Segment) -> Vec<(String, String)> {
    let nodes = view.outline.nodes();
    let range = segment.nodes(view);
    let mut pairs = Vec::new();
    for at in range.clone().filter(|at| *at != segment.first) {
        let next = nodes[at].end as usize;
        let is_sibling = next < range.end && nodes[next].parent == nodes[at].parent;
        let is_pair = match nodes[at].tag {
            tag!("dt") => is_sibling && nodes[next].tag == tag!("dd"),
            tag!("th") => is_sibling && nodes[next].tag == tag!("td"),
            _ => false,
        };
        if is_pair {
            pairs.push((clean_name(view.outline.text_of(at)), view.outline.text_of(next).to_string()));
        }
    }
    pairs
}

/// Pairs in the texts of a record: `Name:` before a text, `Name: value` in one text, and a constant text before a
/// text that is not constant.
fn by_text(view: &AnswerView<'_>, segment: Segment, names: &FieldNames<'_>) -> Vec<TextPair> {
    let outline = view.outline;
    let nodes = outline.nodes();
    let texts: Vec<usize> = texts(view, segment).collect();
    let mut pairs = Vec::new();
    let mut nth = 0;
    while nth < texts.len() {
        let text = outline.text_of(texts[nth]);
        let next = texts.get(nth + 1).map(|at| outline.text_of(*at));
        if let (true, Some(value)) = (is_name(text) && text.ends_with([':', '\u{ff1a}']), next) {
            let (value, taken) = rest_of_line(view, &texts, nth + 1).unwrap_or((value.to_string(), 1));
            pairs.push(TextPair { name: clean_name(text), value, is_marked: true });
            nth += taken;
        } else if let Some((name, value)) = split_at_colon(text) {
            pairs.push(TextPair { name, value, is_marked: true });
        } else if let Some(value) = next
            && names.constant.contains(text)
            && is_name(text)
            && !names.constant.contains(value)
            && nodes[texts[nth]].parent != nodes[segment.first].parent
            && are_adjacent(view, texts[nth], texts[nth + 1])
        {
            pairs.push(TextPair { name: clean_name(text), value: value.to_string(), is_marked: false });
            nth += 1;
        }
        nth += 1;
    }
    pairs
}

/// The texts from position `nth` to the end of the line or the next label, joined, and their number.
fn rest_of_line(view: &AnswerView<'_>, texts: &[usize], nth: usize) -> Option<(String, usize)> {
    let nodes = view.outline.nodes();
    let is_label = |at: usize| view.outline.text_of(at).ends_with(':');
    let more = texts[nth + 1..].iter().take_while(|at| !nodes[**at].breaks && !is_label(**at)).count();
    let last = *texts.get(nth + more)?;
    Some((view.outline.slice(nodes[texts[nth]].text_start()..nodes[last].text_end()).to_string(), more + 1))
}

/// Returns true if two texts have the same parent or their parents are siblings.
fn are_adjacent(view: &AnswerView<'_>, one: usize, other: usize) -> bool {
    let nodes = view.outline.nodes();
    let (one, other) = (nodes[one].parent as usize, nodes[other].parent as usize);
    one == other || nodes[one].parent == nodes[other].parent
}

/// Splits `Name: value`.
fn split_at_colon(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once([':', '\u{ff1a}'])?;
    let has_gap = value.starts_with(|c: char| c.is_whitespace()) || text.contains('\u{ff1a}');
    (has_gap && is_name(name) && !value.trim().is_empty())
        .then(|| (clean_name(name), value.trim().to_string()))
}

/// Returns true for a short text that starts with a letter and has no punctuation but a final colon.
fn is_name(text: &str) -> bool {
    let text = text.trim_end_matches([':', '\u{ff1a}']).trim();
    let words = text.split(' ').count();
    text.len() <= MAX_NAME_BYTES
        && words <= MAX_NAME_WORDS
        && text.chars().next().is_some_and(char::is_alphabetic)
        && !text.contains(['.', ',', ';', '?', '!'])
}

fn clean_name(text: &str) -> String {
    let name = text.trim_end_matches([':', '\u{ff1a}', ' ']).trim();
    truncate(name, 2 * MAX_NAME_BYTES).to_string()
}
