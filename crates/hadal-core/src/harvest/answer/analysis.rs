//! One look at an answer: what is on it, by all that was learned so far.

use super::AnswerKind;
use super::furniture::{FurnitureBasis, PageFurniture};
use super::kind::KindEvidence;
use super::records::{self, Announced, RawRecord, RecordTemplates, ScoredGroup};
use super::view::AnswerView;
use crate::critic::page_kind::{StatedCount, page_kinds, stated_counts};
use crate::harvest::policy::StatedTotal;
use crate::harvest::query::Query;
use crate::html::Document;
use rustc_hash::FxHashSet;
use std::cell::LazyCell;
use url::Url;

/// A row of siblings needs this score to be taken for records.
const ENOUGH: f32 = 12.0;
/// The most records that a page shows at once, going by its total alone.
const ONE_PAGE: u64 = 100;

/// What was learned that a look goes by.
pub(super) struct LearnedState<'r> {
    pub(super) furniture: &'r PageFurniture,
    pub(super) templates: &'r RecordTemplates,
    pub(super) paths: &'r [String],
}

impl LearnedState<'_> {
    /// The records of an answer, by what is new on it.
    fn find(&self, view: &AnswerView<'_>, announced: Announced) -> Option<ScoredGroup> {
        let found = records::find(view, self.templates, announced)?;
        Some(found).filter(|found| found.score >= ENOUGH || found.is_known)
    }

    /// A small collection may show the same records whatever is asked. They are believed without being
    /// news when they have the words of the query; or stand where records stood, and are as many as the
    /// page says or known not to stand there when nothing is found.
    fn find_again(&self, document: &Document, query: &Query, announced: Announced) -> Option<ScoredGroup> {
        if !self.furniture.is_known() {
            return None;
        }
        let view = AnswerView::of(document, query, self.furniture, FurnitureBasis::EmptyAnswers);
        let found = self.find(&view, announced)?;
        let count = Some(found.group.segments.len() as u64);
        let in_place = found.is_known && (self.furniture.knows_empty() || count == announced.shown);
        Some(found).filter(|found| found.hits >= 0.5 || in_place)
    }

    /// Whether an address is another than answers with results had.
    fn is_elsewhere(&self, url: &Url, query: &Query) -> bool {
        !self.paths.is_empty() && !self.paths.contains(&answer_path(url, query))
    }
}

/// An answer as a reader sees it.
pub(super) struct AnswerAnalysis<'a> {
    pub(super) document: &'a Document,
    pub(super) view: AnswerView<'a>,
    pub(super) scored: Option<ScoredGroup>,
    lone: Option<RawRecord>,
    count: Option<StatedCount>,
    pub(super) kind: AnswerKind,
}

impl<'a> AnswerAnalysis<'a> {
    pub(super) fn at(
        memory: &LearnedState<'_>,
        document: &'a Document,
        status: u16,
        query: &'a Query,
    ) -> AnswerAnalysis<'a> {
        let view = AnswerView::of(document, query, memory.furniture, FurnitureBasis::All);
        let kinds = LazyCell::new(|| page_kinds(&document.page, status));
        let announced = Announced { shown: stated_counts(view.outline.text()).first().and_then(shown) };
        let scored = memory.find(&view, announced).or_else(|| memory.find_again(document, query, announced));
        let lone = match scored {
            None if memory.furniture.is_known() => records::lone(&view),
            _ => None,
        };
        let found = scored.as_ref().map_or(usize::from(lone.is_some()), |scored| scored.group.segments.len());
        let fits = |count: &StatedCount| count.total == 0 || count.total >= found as u64;
        let count = stated_counts(&around(&view, scored.as_ref())).into_iter().find(fits);
        let evidence = KindEvidence {
            status,
            kinds: &kinds,
            emptiness: memory.furniture.emptiness(view.texts()),
            records: found,
            knows_place: memory.templates.best().is_some(),
            in_place: scored.as_ref().is_some_and(|scored| scored.is_known),
            hits: scored.as_ref().map(|scored| scored.hits).filter(|_| !query.words.trim().is_empty()),
            total: count.map(|count| count.total),
            is_elsewhere: memory.is_elsewhere(&document.page.url, query),
        };
        let kind = evidence.kind();
        AnswerAnalysis { document, view, scored, lone, count, kind }
    }

    /// How many records there are, in the form's own words.
    pub(super) fn total(&self) -> Option<StatedTotal> {
        match (self.kind, self.count?) {
            (AnswerKind::Results, StatedCount { total, is_round: false, .. }) => {
                Some(StatedTotal::Exactly(total))
            }
            (AnswerKind::Results, StatedCount { total, .. }) => Some(StatedTotal::About(total)),
            (AnswerKind::Nothing, StatedCount { total: 0, .. }) => Some(StatedTotal::Exactly(0)),
            _ => None,
        }
    }

    /// The records of a list.
    pub(super) fn raws(&self) -> Vec<RawRecord> {
        match &self.scored {
            Some(scored) => records::records(&self.view, scored),
            None => self.lone.clone().into_iter().collect(),
        }
    }

    /// The links that stand inside records.
    pub(super) fn links_of_records(&self) -> FxHashSet<usize> {
        let segments = self.scored.iter().flat_map(|scored| &scored.group.segments);
        let nodes = segments.flat_map(|segment| segment.nodes(&self.view));
        nodes.filter_map(|at| self.view.outline.nodes()[at].link).map(|link| link as usize).collect()
    }

    /// The page of the only hit as a record.
    pub(super) fn only_record(&self) -> RawRecord {
        let page = self.view.page;
        let heading = records::main_heading(&self.view).unwrap_or(&page.title);
        RawRecord {
            url: Some(page.url.clone()),
            title: heading.to_string(),
            text: self.view.news_text(),
            fields: records::page_fields(&self.view),
        }
    }
}

/// The path of an answer without the query and without numbers.
pub(super) fn answer_path(url: &Url, query: &Query) -> String {
    let words = query.words.trim().to_lowercase();
    let parts = url
        .path_segments()
        .into_iter()
        .flatten()
        .map(|part| percent_decode(part).to_lowercase().replace(|c: char| c.is_ascii_digit(), ""));
    let until_query = parts.take_while(|part| words.is_empty() || !part.contains(&words));
    until_query.collect::<Vec<String>>().join("/")
}

/// A part of a path as it is meant to be read.
fn percent_decode(part: &str) -> String {
    let pair = format!("={}", part.replace('+', "%2B"));
    url::form_urlencoded::parse(pair.as_bytes()).map(|(_, value)| value.into_owned()).collect()
}

/// How many records a page shows, by its range of numbers or by a small total.
fn shown(count: &StatedCount) -> Option<u64> {
    count.shown.or(Some(count.total).filter(|total| (1..=ONE_PAGE).contains(total)))
}

/// The text of an answer without its records, line by line.
fn around(view: &AnswerView<'_>, scored: Option<&ScoredGroup>) -> String {
    let nodes = view.outline.nodes();
    let mut inside: Vec<std::ops::Range<usize>> =
        scored.iter().flat_map(|scored| &scored.group.segments).map(|segment| segment.nodes(view)).collect();
    inside.sort_unstable_by_key(|range| range.start);
    let mut text = String::with_capacity(view.outline.text().len());
    let mut at = 1;
    while at < nodes.len() {
        let within = inside.partition_point(|range| range.start <= at).checked_sub(1).map(|nth| &inside[nth]);
        if let Some(range) = within.filter(|range| range.end > at) {
            text.push('\n');
            at = range.end;
            continue;
        }
        if nodes[at].is_text() {
            text.push(if nodes[at].breaks { '\n' } else { ' ' });
            text.push_str(view.outline.text_of(at));
        }
        at += 1;
    }
    text
}
