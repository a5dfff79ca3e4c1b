//! Analysis of one result page with the state learned so far: its records, its stated total and its kind.

use super::AnswerKind;
use super::furniture::{FurnitureBasis, PageFurniture};
use super::kind::KindEvidence;
use super::records::{self, RawRecord, RecordTemplates, ScoredGroup};
use super::view::AnswerView;
use crate::critic::page_kind::{StatedCount, answer_kinds, stated_counts};
use crate::harvest::policy::StatedTotal;
use crate::harvest::query::Query;
use crate::html::Document;
use rustc_hash::FxHashSet;
use std::cell::LazyCell;
use url::Url;

/// Score from which a group of siblings counts as records, if records were not found in its place before. Guess.
const MIN_GROUP_SCORE: f32 = 12.0;
/// Largest stated total that is taken for the number of records on this page. Guess.
const MAX_PAGE_SIZE: u64 = 100;
/// Share of records with a query word from which a group is believed although its text is not new. Guess.
const MIN_MATCHING_SHARE: f32 = 0.5;

/// The part of the reader's state that an analysis uses.
pub(super) struct LearnedState<'r> {
    pub(super) furniture: &'r PageFurniture,
    pub(super) templates: &'r RecordTemplates,
    /// Path keys of answers with results.
    pub(super) paths: &'r [String],
}

impl LearnedState<'_> {
    /// Best group of records in a view, if it scores high enough. `stated` is the number of records that the page
    /// claims to show.
    fn find_group(&self, view: &AnswerView<'_>, stated: Option<u64>) -> Option<ScoredGroup> {
        let found = records::find_group(view, self.templates, stated)?;
        Some(found).filter(|found| found.score >= MIN_GROUP_SCORE || found.is_known)
    }

    /// Best group when text of earlier answers may count too: a small collection shows the same records for many
    /// queries. Such a group is believed if enough records contain a query word, or if it stands where records stood
    /// before and either an answer without results is known or the group is as long as the page states.
    fn find_familiar_group(
        &self,
        document: &Document,
        query: &Query,
        stated: Option<u64>,
    ) -> Option<ScoredGroup> {
        if !self.furniture.knows_any_answer() {
            return None;
        }
        let view = AnswerView::of(document, query, self.furniture, FurnitureBasis::EmptyAnswers);
        let found = self.find_group(&view, stated)?;
        let count = Some(found.group.segments.len() as u64);
        let in_place = found.is_known && (self.furniture.knows_empty_answer() || count == stated);
        Some(found).filter(|found| found.matching_share >= MIN_MATCHING_SHARE || in_place)
    }

    fn is_elsewhere(&self, url: &Url, query: &Query) -> bool {
        !self.paths.is_empty() && !self.paths.contains(&path_key(url, query))
    }
}

/// Findings on one result page.
pub(super) struct AnswerAnalysis<'a> {
    pub(super) document: &'a Document,
    pub(super) view: AnswerView<'a>,
    /// Group of records, if the page has a list.
    pub(super) found: Option<ScoredGroup>,
    /// The only record of a page without a list.
    single: Option<RawRecord>,
    /// Result count that the text around the records states.
    count: Option<StatedCount>,
    pub(super) kind: AnswerKind,
}

impl<'a> AnswerAnalysis<'a> {
    pub(super) fn of(
        state: &LearnedState<'_>,
        document: &'a Document,
        status: u16,
        query: &'a Query,
    ) -> AnswerAnalysis<'a> {
        let view = AnswerView::of(document, query, state.furniture, FurnitureBasis::AllAnswers);
        let stated = stated_counts(view.outline.text()).first().and_then(stated_page_size);
        let found =
            state.find_group(&view, stated).or_else(|| state.find_familiar_group(document, query, stated));
        let single = match found {
            None if state.furniture.knows_any_answer() => records::single_record(&view, state.templates),
            _ => None,
        };
        let records =
            found.as_ref().map_or(usize::from(single.is_some()), |found| found.group.segments.len());
        let fits = |count: &StatedCount| count.total == 0 || count.total >= records as u64;
        let outside = text_outside_records(&view, found.as_ref());
        let count = stated_counts(&outside).into_iter().find(fits);
        let message = match (&found, &single) {
            (Some(found), _) if is_believed(found) => &*outside,
            (None, Some(single)) if has_words(&single.text, query) => "",
            _ => &document.page.text,
        };
        let kinds = LazyCell::new(|| answer_kinds(&document.page, status, message, &query.words));
        let evidence = KindEvidence {
            status,
            kinds: &kinds,
            signature_share: state.furniture.signature_share(view.masked_texts()),
            records,
            knows_place: state.templates.best().is_some(),
            in_place: found.as_ref().is_some_and(|found| found.is_known),
            matching_share: found
                .as_ref()
                .map(|found| found.matching_share)
                .filter(|_| !query.words.trim().is_empty()),
            total: count.map(|count| count.total),
            is_elsewhere: state.is_elsewhere(&document.page.url, query),
        };
        let kind = evidence.kind();
        AnswerAnalysis { document, view, found, single, count, kind }
    }

    /// Total that the page states for the query.
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

    pub(super) fn records(&self) -> Vec<RawRecord> {
        match &self.found {
            Some(found) => records::records(&self.view, found),
            None => self.single.clone().into_iter().collect(),
        }
    }

    /// Positions of the links inside records, among the links of the page.
    pub(super) fn links_of_records(&self) -> FxHashSet<usize> {
        let segments = self.found.iter().flat_map(|found| &found.group.segments);
        let nodes = segments.flat_map(|segment| segment.nodes(&self.view));
        nodes.filter_map(|at| self.view.outline.nodes()[at].link).map(|link| link as usize).collect()
    }

    /// The whole page as a record, for a form that redirects to the detail page of its only match.
    pub(super) fn page_as_record(&self) -> RawRecord {
        let page = self.view.page;
        let heading = records::main_heading(&self.view).unwrap_or(&page.title);
        RawRecord {
            url: Some(page.url.clone()),
            title: heading.to_string(),
            text: self.view.new_text(),
            fields: records::page_fields(&self.view),
        }
    }
}

/// Returns true if a group surely holds records, so that its text is no message of the site: it stands in the place of
/// earlier records, or half of it contains a query word.
fn is_believed(found: &ScoredGroup) -> bool {
    found.is_known || found.matching_share >= MIN_MATCHING_SHARE
}

fn has_words(text: &str, query: &Query) -> bool {
    let words = query.words.trim().to_lowercase();
    !words.is_empty() && text.to_lowercase().contains(&words)
}

/// Path of an answer's URL up to the query's words, without digits. Answers of one form usually share it.
pub(super) fn path_key(url: &Url, query: &Query) -> String {
    let words = query.words.trim().to_lowercase();
    let segments = url
        .path_segments()
        .into_iter()
        .flatten()
        .map(|segment| percent_decode(segment).to_lowercase().replace(|c: char| c.is_ascii_digit(), ""));
    let before_query = segments.take_while(|segment| words.is_empty() || !segment.contains(&words));
    before_query.collect::<Vec<String>>().join("/")
}

fn percent_decode(segment: &str) -> String {
    let pair = format!("={}", segment.replace('+', "%2B"));
    url::form_urlencoded::parse(pair.as_bytes()).map(|(_, value)| value.into_owned()).collect()
}

/// Number of records that a page claims to show: its stated range ("11-20"), or a total that fits on one page.
fn stated_page_size(count: &StatedCount) -> Option<u64> {
    count.shown.or(Some(count.total).filter(|total| (1..=MAX_PAGE_SIZE).contains(total)))
}

/// Text of a page without its records, with line breaks between blocks.
fn text_outside_records(view: &AnswerView<'_>, found: Option<&ScoredGroup>) -> String {
    let nodes = view.outline.nodes();
    let mut inside: Vec<std::ops::Range<usize>> =
        found.iter().flat_map(|found| &found.group.segments).map(|segment| segment.nodes(view)).collect();
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
