//! Finding the records of an answer.
//!
//! 1. `starter`, `group`: every row of siblings that begin alike is a candidate;
//! 2. `anchors`, `score`: the likeliest is the one with most news in records that look alike, each with
//!    a link of its own; `template` remembers where records were before;
//! 3. `siblings`: records beside them that lack a part are taken in too;
//! 4. `fields`: what each of them says as name and value.

mod detail_link;
mod fields;
mod group;
mod members;
mod score;
mod start;
mod template;

pub(super) use group::{RecordGroup, Segment};
pub(super) use score::{Announced, ScoredGroup};
pub(super) use template::RecordTemplates;

use super::view::AnswerView;
use crate::html::{tag, truncate};
use detail_link::{DetailLink, RecordLink};
use fields::FieldNames;
use url::Url;

/// Bytes of a title, and of a record's text.
const LONG_TITLE: usize = 400;
const LONG_TEXT: usize = 64 << 10;

/// A record before it has an identity.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RawRecord {
    pub(super) url: Option<Url>,
    pub(super) title: String,
    pub(super) text: String,
    pub(super) fields: Vec<(String, String)>,
}

/// The likeliest records of an answer.
pub(super) fn find(
    view: &AnswerView<'_>,
    templates: &RecordTemplates,
    announced: Announced,
) -> Option<ScoredGroup> {
    let template = templates.best();
    let candidates = group::groups(view, template).into_iter();
    let scored = candidates.map(|group| score::scored(view, group, template, announced));
    let mut scored: Vec<ScoredGroup> = scored.filter(|scored| scored.score > 0.0).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score));
    scored.iter_mut().for_each(|scored| drop_strangers(view, scored));
    let mut found = scored.into_iter().find(|scored| scored.group.segments.len() > 1 || scored.is_known)?;
    members::adopt(view, &mut found);
    Some(found)
}

/// Headings, advertisements and other rows that lack the link which nearly all records have; pagers, whose
/// links ask again.
fn drop_strangers(view: &AnswerView<'_>, scored: &mut ScoredGroup) {
    let Some(main) = scored.main.as_ref().filter(|main| main.share >= 0.7) else { return };
    let asks = |anchor: RecordLink| view.refining[anchor.link] && main.refining < 0.5;
    scored
        .group
        .segments
        .retain(|segment| main.is_in(view, *segment) && !main.of(view, *segment).is_some_and(asks));
}

/// The records of a group.
pub(super) fn records(view: &AnswerView<'_>, scored: &ScoredGroup) -> Vec<RawRecord> {
    let names = FieldNames::of(view, &scored.group);
    let titles = TitleRule::of(view, scored);
    scored.group.segments.iter().map(|segment| titles.record(view, *segment, &names)).collect()
}

/// How records of a group are called.
struct TitleRule<'s> {
    main: Option<&'s DetailLink>,
    /// Whether most records have a heading.
    headed: bool,
}

impl TitleRule<'_> {
    fn of<'s>(view: &AnswerView<'_>, scored: &'s ScoredGroup) -> TitleRule<'s> {
        let segments = &scored.group.segments;
        let headed = segments.iter().filter(|segment| heading(view, **segment).is_some()).count();
        TitleRule { main: scored.main.as_ref(), headed: headed * 2 > segments.len() }
    }

    fn record(&self, view: &AnswerView<'_>, segment: Segment, names: &FieldNames<'_>) -> RawRecord {
        let anchor = self.main.and_then(|main| main.of(view, segment));
        let text = view.outline.slice(segment.text(view));
        RawRecord {
            url: anchor.map(|anchor| view.page.links[anchor.link].url.clone()),
            title: self.title(view, segment, anchor),
            text: truncate(text, LONG_TEXT).to_string(),
            fields: fields::fields(view, segment, names),
        }
    }

    /// The link when links tell records apart and no heading stands beside it, else the heading, else the
    /// first line.
    fn title(&self, view: &AnswerView<'_>, segment: Segment, anchor: Option<RecordLink>) -> String {
        let nodes = view.outline.nodes();
        let heading = heading(view, segment).filter(|_| self.headed);
        let names = self.main.is_some_and(|main| main.names);
        let beside =
            |anchor: &RecordLink| heading.is_none_or(|at| (at..nodes[at].end as usize).contains(&anchor.at));
        let named = anchor.filter(|anchor| names && beside(anchor));
        let named = named.and_then(|anchor| first_line(view, anchor.at..nodes[anchor.at].end as usize));
        let headed = || heading.map(|at| view.outline.text_of(at));
        let title =
            named.or_else(headed).or_else(|| first_line(view, segment.nodes(view))).unwrap_or_default();
        let title = title
            .trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}'));
        truncate(title, LONG_TITLE).to_string()
    }
}

fn heading(view: &AnswerView<'_>, segment: Segment) -> Option<usize> {
    let nodes = view.outline.nodes();
    let mut headings = segment.nodes(view).filter(|at| nodes[*at].is_heading());
    headings.find(|at| !view.outline.text_of(*at).is_empty())
}

/// The first line with a word in it.
fn first_line<'a>(view: &AnswerView<'a>, range: std::ops::Range<usize>) -> Option<&'a str> {
    let nodes = view.outline.nodes();
    let leaves: Vec<usize> = range.filter(|at| nodes[*at].is_text()).take(64).collect();
    let has_word = |at: &usize| view.outline.text_of(*at).chars().any(char::is_alphabetic);
    let first = leaves.iter().position(has_word)?;
    let more = leaves[first + 1..].iter().take_while(|at| !nodes[**at].breaks).count();
    let (start, end) = (nodes[leaves[first]].text_start(), nodes[leaves[first + more]].text_end());
    Some(view.outline.slice(start..end))
}

/// The part of the page that holds nearly all news, when no row of records does: a single hit.
pub(super) fn lone(view: &AnswerView<'_>) -> Option<RawRecord> {
    let nodes = view.outline.nodes();
    let all = view.news(view.all());
    let holds_most = |at: &usize| view.news(*at..nodes[*at].end as usize) >= 0.8 * all;
    let mut at = 0;
    while let Some(inner) =
        view.outline.children(at).find(holds_most).filter(|inner| !nodes[*inner].is_text())
    {
        at = inner;
    }
    let segment = Segment { first: at, last: at };
    let anchor = detail_link::anchors(view, segment).into_iter().find(|anchor| {
        let is_named = !view.outline.text_of(anchor.at).is_empty();
        let news = view.news(anchor.at..nodes[anchor.at].end as usize);
        is_named && !view.refining[anchor.link] && news > 0.5 && nodes[at].tag != tag!("body")
    })?;
    let main = DetailLink::at(anchor);
    let titles = TitleRule { main: Some(&main), headed: false };
    let names = FieldNames::of(view, &RecordGroup::alone(segment));
    Some(titles.record(view, segment, &names))
}

/// What a page is headed by: the first main heading that says something new.
pub(super) fn main_heading<'a>(view: &AnswerView<'a>) -> Option<&'a str> {
    let nodes = view.outline.nodes();
    let says_new = |at: &usize| view.news(*at..nodes[*at].end as usize) > 0.5;
    let mut headings = view.all().filter(|at| nodes[*at].is_heading()).filter(says_new);
    headings.next().map(|at| view.outline.text_of(at))
}

/// What a page says as name and value.
pub(super) fn page_fields(view: &AnswerView<'_>) -> Vec<(String, String)> {
    let segment = Segment { first: 0, last: 0 };
    fields::fields(view, segment, &FieldNames::of(view, &RecordGroup::alone(segment)))
}
