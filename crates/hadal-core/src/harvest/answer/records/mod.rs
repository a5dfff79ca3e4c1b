//! Finding the records of a page and reading their title, URL, text and fields.
//!
//! 1. `start` and `group` build candidate groups of siblings that start alike.
//! 2. `score` scores them, using `detail_link` and the `template` of earlier answers.
//! 3. `members` drops rows that are not records and adds irregular ones.
//! 4. `fields` reads pairs of name and value.

mod detail_link;
mod fields;
mod group;
mod members;
mod score;
mod start;
mod template;

pub(super) use group::{RecordGroup, Segment};
pub(super) use score::ScoredGroup;
pub(super) use template::RecordTemplates;

use super::view::AnswerView;
use crate::html::{tag, truncate};
use detail_link::{DetailLink, RecordLink};
use fields::FieldNames;
pub(super) use fields::{MAX_FIELDS, RecordFields};
use template::RecordTemplate;
use url::Url;

/// Longest title in bytes. Guess.
pub(super) const MAX_TITLE_BYTES: usize = 400;
/// Longest text of a record in bytes. Guess.
pub(super) const MAX_TEXT_BYTES: usize = 64 << 10;
/// Maximum number of texts among which the first line of a record is searched. Guess.
const MAX_LINE_TEXTS: usize = 64;
/// Share of the page's new weight that an element needs to contain a single record. Guess.
const MIN_SINGLE_SHARE: f32 = 0.8;
/// The same on a page that states that it shows one record. Guess; the numbers of such a page are new text too.
const MIN_STATED_SINGLE_SHARE: f32 = 0.5;
/// New weight in bytes that a heading or the link of a single record needs. Guess.
const MIN_NEW_WEIGHT: f32 = 0.5;

/// Share of the best group's new weight that a group in an established place needs. Guess.
const MIN_ESTABLISHED_SHARE: f32 = 0.7;

/// A record without its id.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RawRecord {
    /// Address of its detail page, with the fragment of the link.
    pub(super) url: Option<Url>,
    pub(super) title: String,
    pub(super) text: String,
    pub(super) fields: RecordFields,
}

/// Group with the best score that has several records, or stands where earlier answers had theirs. An established place
/// wins over another division of the same text. `stated` is the number of records that the page claims to show.
pub(super) fn find_group(
    view: &AnswerView<'_>,
    templates: &RecordTemplates,
    stated: Option<u64>,
) -> Option<ScoredGroup> {
    let template = templates.best();
    let candidates = group::candidate_groups(view, template).into_iter();
    let scored = candidates.map(|group| score::score(view, group, template, stated));
    let mut scored: Vec<ScoredGroup> = scored.filter(|scored| scored.score > 0.0).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score));
    scored.iter_mut().for_each(|scored| members::drop_outsiders(view, scored));
    let is_list = |scored: &ScoredGroup| scored.group.segments.len() > 1 || scored.is_known;
    let best = scored.iter().position(is_list)?;
    let at = scored.iter().position(|scored| scored.is_known).filter(|known| {
        let least = MIN_ESTABLISHED_SHARE * scored[best].new_weight(view);
        templates.is_established() && scored[*known].new_weight(view) >= least
    });
    let mut found = scored.swap_remove(at.unwrap_or(best));
    members::add_irregular(view, &mut found);
    Some(found)
}

/// Reads the records of a group.
pub(super) fn records(view: &AnswerView<'_>, scored: &ScoredGroup) -> Vec<RawRecord> {
    let names = FieldNames::of(view, &scored.group);
    let titles = TitleRule::of(view, scored);
    scored.group.segments.iter().map(|segment| titles.record(view, *segment, &names)).collect()
}

/// Source of the titles of a group.
struct TitleRule<'s> {
    detail: Option<&'s DetailLink>,
    /// More than half of the records have a heading.
    has_headings: bool,
}

impl TitleRule<'_> {
    fn of<'s>(view: &AnswerView<'_>, scored: &'s ScoredGroup) -> TitleRule<'s> {
        let segments = &scored.group.segments;
        let headed = segments.iter().filter(|segment| heading(view, **segment).is_some()).count();
        TitleRule { detail: scored.detail.as_ref(), has_headings: headed * 2 > segments.len() }
    }

    fn record(&self, view: &AnswerView<'_>, segment: Segment, names: &FieldNames<'_>) -> RawRecord {
        let link = self.detail.and_then(|detail| detail.find(view, segment));
        let text = view.outline.slice(segment.text(view));
        RawRecord {
            url: link.map(|link| detail_link::address(view, &link)),
            title: self.title(view, segment, link),
            text: truncate(text, MAX_TEXT_BYTES).to_string(),
            fields: fields::fields(view, segment, names),
        }
    }

    /// Title of a record: the text of its detail link, if link texts differ and the link is inside the record's heading
    /// or there is no heading; else the heading; else the first line outside the detail link, whose text is "show" or
    /// the like in every record; else the first line.
    fn title(&self, view: &AnswerView<'_>, segment: Segment, link: Option<RecordLink>) -> String {
        let nodes = view.outline.nodes();
        let heading = heading(view, segment).filter(|_| self.has_headings);
        let is_title = self.detail.is_some_and(|detail| detail.is_title);
        let in_heading =
            |link: &RecordLink| heading.is_none_or(|at| (at..nodes[at].end as usize).contains(&link.at));
        let by_link = link.filter(|link| is_title && in_heading(link));
        let by_link = by_link.and_then(|link| first_line(view, link.at..nodes[link.at].end as usize));
        let by_heading = || heading.map(|at| view.outline.text_of(at));
        let all = segment.nodes(view);
        let outside = |link: RecordLink| {
            let before = first_line(view, all.start..link.at);
            before.or_else(|| first_line(view, nodes[link.at].end as usize..all.end))
        };
        let by_other_line = || link.filter(|_| !is_title).and_then(outside);
        let by_line = || first_line(view, all.clone());
        let title = by_link.or_else(by_heading).or_else(by_other_line).or_else(by_line).unwrap_or_default();
        let title = title
            .trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}'));
        truncate(title, MAX_TITLE_BYTES).to_string()
    }
}

/// First non-empty heading of a record.
fn heading(view: &AnswerView<'_>, segment: Segment) -> Option<usize> {
    let nodes = view.outline.nodes();
    let mut headings = segment.nodes(view).filter(|at| nodes[*at].is_heading());
    headings.find(|at| !view.outline.text_of(*at).is_empty())
}

/// First line of a range of nodes that contains a letter.
fn first_line<'a>(view: &AnswerView<'a>, range: std::ops::Range<usize>) -> Option<&'a str> {
    let nodes = view.outline.nodes();
    let top = range.start;
    let leaves: Vec<usize> = range.filter(|at| nodes[*at].is_text()).take(MAX_LINE_TEXTS).collect();
    let has_letter = |at: &usize| view.outline.text_of(*at).chars().any(char::is_alphabetic);
    // The head cell of a row names its value.
    let is_head = |at: &usize| {
        view.outline
            .ancestors(*at)
            .take_while(|above| *above > top)
            .any(|above| nodes[above].tag == tag!("th"))
    };
    let is_title = |at: &usize| has_letter(at) && !is_head(at);
    let first = leaves.iter().position(is_title).or_else(|| leaves.iter().position(has_letter))?;
    let more = leaves[first + 1..].iter().take_while(|at| !nodes[**at].breaks).count();
    let (start, end) = (nodes[leaves[first]].text_start(), nodes[leaves[first + more]].text_end());
    Some(view.outline.slice(start..end))
}

/// The only record of a page without a group: the innermost element with nearly all new text, if it has a link with new
/// text that does not repeat the query. `stated` is the number of records that the page claims to show.
pub(super) fn single_record(
    view: &AnswerView<'_>,
    templates: &RecordTemplates,
    stated: Option<u64>,
) -> Option<RawRecord> {
    let nodes = view.outline.nodes();
    let all = view.new_weight(view.all());
    let share = if stated == Some(1) { MIN_STATED_SINGLE_SHARE } else { MIN_SINGLE_SHARE };
    let holds_most = |at: &usize| view.new_weight(*at..nodes[*at].end as usize) >= share * all;
    let mut at = 0;
    while let Some(inner) =
        view.outline.children(at).find(holds_most).filter(|inner| !nodes[*inner].is_text())
    {
        at = inner;
    }
    let segment = Segment { first: at, last: at };
    let is_link = |link: &RecordLink| {
        let is_named = !view.outline.text_of(link.at).is_empty();
        let new_weight = view.new_weight(link.at..nodes[link.at].end as usize);
        is_named
            && !view.repeats_query[link.link]
            && new_weight > MIN_NEW_WEIGHT
            && nodes[at].tag != tag!("body")
    };
    let links: Vec<RecordLink> = detail_link::links_of(view, segment).into_iter().filter(is_link).collect();
    let known = templates.best().map(RecordTemplate::detail_link).unwrap_or_default();
    let link = *known.find(view, &links).or(links.first())?;
    let detail = DetailLink::single(link);
    let titles = TitleRule { detail: Some(&detail), has_headings: false };
    let names = FieldNames::of(view, &RecordGroup::single(segment));
    Some(titles.record(view, segment, &names))
}

/// First heading of the page with new text.
pub(super) fn main_heading<'a>(view: &AnswerView<'a>) -> Option<&'a str> {
    let nodes = view.outline.nodes();
    let is_new = |at: &usize| view.new_weight(*at..nodes[*at].end as usize) > MIN_NEW_WEIGHT;
    let mut headings = view.all().filter(|at| nodes[*at].is_heading()).filter(is_new);
    headings.next().map(|at| view.outline.text_of(at))
}

/// Fields of a whole page, read as one record.
pub(super) fn page_fields(view: &AnswerView<'_>) -> RecordFields {
    let segment = Segment { first: 0, last: 0 };
    fields::fields(view, segment, &FieldNames::of(view, &RecordGroup::single(segment)))
}
