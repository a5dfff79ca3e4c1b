//! The learned state of one form's result pages, and reading with it.

use super::analysis::{AnswerAnalysis, LearnedState, path_key};
use super::copied_parameters::CopiedParameters;
use super::facets::facets;
use super::furniture::{FurnitureBasis, PageFurniture, SampleKind};
use super::identity::{IdentityRules, PartEvidence};
use super::links::url_shape;
use super::pager::{ListPages, next_page};
use super::records::{RawRecord, RecordTemplates};
use super::sections::SectionTitles;
use super::view::{AnswerView, query_hash};
use super::{Answer, AnswerKind};
use crate::critic::page_kind::stated_counts;
use crate::harvest::query::Query;
use crate::harvest::record::Record;
use crate::html::Document;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use url::Url;

/// Maximum number of URL paths of answers stored per form. Guess.
const MAX_PATHS: usize = 8;
/// Greatest score that one answer adds to a template, so that one long page does not outweigh many. Guess.
const MAX_TEMPLATE_WEIGHT: f32 = 10_000.0;

/// Least count on an entry page that is taken not to be the total of a query. Smaller counts agree by chance.
/// Guess.
const MIN_ENTRY_COUNT: u64 = 20;

/// Least number of records on a page that is a list without a search. Guess.
const MIN_LISTED: usize = 5;

/// Returns true if a page lists linked records and has a next page, so that they can be read without a search.
pub fn lists_records(document: &Document) -> bool {
    let answer = AnswerReader::default().read(document, 200, &Query::default());
    let linked = answer.records.iter().filter(|record| record.url.is_some()).count();
    answer.kind == AnswerKind::Results && answer.next.is_some() && linked >= MIN_LISTED
}

/// A result page to learn from.
#[derive(Clone, Copy, Debug)]
pub struct AnswerSample<'a> {
    /// The parsed page.
    pub document: &'a Document,
    /// HTTP status code of the page.
    pub status: u16,
    /// Query that the page answers.
    pub query: &'a Query,
}

/// Heuristic model of the result pages of one form. The default model knows no page and finds records by repetition
/// alone; each sample improves it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerReader {
    furniture: PageFurniture,
    templates: RecordTemplates,
    identity: IdentityRules,
    copied_parameters: CopiedParameters,
    /// Path keys of answers with results, see [`path_key`].
    paths: Vec<String>,
    /// Counts from [`MIN_ENTRY_COUNT`] on that the entry page states.
    entry_counts: BTreeSet<u64>,
    /// A resumed harvest learns them again.
    #[serde(skip)]
    sections: SectionTitles,
}

impl AnswerReader {
    /// Learns from result pages for different words and, if available, an answer without results.
    ///
    /// A first pass takes every sample for one with results. The model of that pass decides which samples have
    /// results, and the second pass learns from that.
    pub fn learn(samples: &[AnswerSample<'_>]) -> AnswerReader {
        let mut first_pass = AnswerReader::default();
        for sample in samples {
            first_pass.add_furniture(sample, SampleKind::WithResults);
        }
        for sample in samples {
            first_pass.add_template(sample);
        }
        let mut reader = AnswerReader::default();
        for sample in samples {
            if let Some(kind) = first_pass.sample_kind(sample) {
                reader.add_furniture(sample, kind);
            }
        }
        for sample in samples {
            reader.add_template(sample);
        }
        reader
    }

    /// Learns the counts of the page that shows the form before any query.
    pub fn add_entry_page(&mut self, text: &str) {
        let counts = stated_counts(text).into_iter().map(|count| count.total);
        self.entry_counts = counts.filter(|count| *count >= MIN_ENTRY_COUNT).collect();
    }

    /// Learns from one more answer. Returns true if the rules for record ids changed, so that answers read before
    /// would now get other ids.
    pub fn improve(&mut self, sample: &AnswerSample<'_>) -> bool {
        if let Some(kind) = self.sample_kind(sample) {
            self.add_furniture(sample, kind);
        }
        self.add_template(sample)
    }

    /// Reads a result page.
    pub fn read(&self, document: &Document, status: u16, query: &Query) -> Answer {
        self.answer_of(&self.analyse(&AnswerSample { document, status, query }), query)
    }

    /// Reads the first page of an answer and learns the rules for record ids from it. The second value is true if they
    /// changed, so that answers read before would now get other ids.
    pub fn read_first_page(&mut self, document: &Document, status: u16, query: &Query) -> (Answer, bool) {
        let analysis = self.analyse(&AnswerSample { document, status, query });
        let records = self.raw_records(&analysis);
        let is_list = analysis.kind == AnswerKind::Results && !self.is_document(&analysis, query);
        if is_list {
            self.sections.learn(&records);
        }
        let has_new_rules = is_list && self.identity.learn_parts(&records, query, PartEvidence::TwoAnswers);
        (self.answer_of(&analysis, query), has_new_rules)
    }

    /// Returns true if the answer to words is one document, read as a list of its sections.
    fn is_document(&self, analysis: &AnswerAnalysis<'_>, query: &Query) -> bool {
        let is_list = analysis.kind == AnswerKind::Results && !query.words.trim().is_empty();
        is_list && self.sections.are_sections(&analysis.records())
    }

    fn answer_of(&self, analysis: &AnswerAnalysis<'_>, query: &Query) -> Answer {
        let mut answer = Answer::without_records(analysis.kind);
        answer.total = analysis.total();
        match analysis.kind {
            AnswerKind::Results if self.is_document(analysis, query) => {
                let document = analysis.page_as_record();
                let url = document.url.filter(|url| names_query(url, query));
                answer.kind = AnswerKind::OneRecord;
                answer.records = self.identify(vec![RawRecord { url, ..document }]);
            }
            AnswerKind::Results => self.read_results(analysis, query, &mut answer),
            AnswerKind::OneRecord => answer.records = self.identify(vec![analysis.page_as_record()]),
            _ => {}
        }
        answer
    }

    fn read_results(&self, analysis: &AnswerAnalysis<'_>, query: &Query, answer: &mut Answer) {
        let in_records = analysis.links_of_records();
        answer.next = next_page(analysis.document, query, |link| in_records.contains(&link));
        let next = answer.next.as_ref().map(|next| next.request.url.clone());
        let pages = ListPages { page: &analysis.document.page.url, next: next.as_ref() };
        answer.records = self.identify(pages.without_pages(self.raw_records(analysis)));
        let links = &analysis.view.page.links;
        let is_taken = |link: usize| in_records.contains(&link) || Some(&links[link].url) == next.as_ref();
        answer.facets = facets(&analysis.view, query, is_taken);
    }

    fn analyse<'a>(&self, sample: &AnswerSample<'a>) -> AnswerAnalysis<'a> {
        let AnswerReader { furniture, templates, paths, entry_counts, .. } = self;
        let state = LearnedState { furniture, templates, paths, entry_counts };
        AnswerAnalysis::of(&state, sample.document, sample.status, sample.query)
    }

    /// Records of a page, with addresses that do not depend on the page.
    fn raw_records(&self, analysis: &AnswerAnalysis<'_>) -> Vec<RawRecord> {
        let mut records = analysis.records();
        self.copied_parameters.remove(&mut records, &analysis.document.page.url);
        records
    }

    /// Gives records their ids and drops repeated ones.
    fn identify(&self, raw: Vec<RawRecord>) -> Vec<Record> {
        let ids = self.identity.ids_of(&raw);
        let mut seen = FxHashSet::default();
        let records = raw.into_iter().zip(ids).map(|(raw, id)| Record {
            id,
            url: raw.url.map(|url| self.identity.address(url)),
            title: raw.title,
            text: raw.text,
            fields: raw.fields.pairs,
        });
        records.filter(|record| seen.insert(record.id)).collect()
    }

    /// Role of a sample; `None` for errors and other pages that are not answers.
    fn sample_kind(&self, sample: &AnswerSample<'_>) -> Option<SampleKind> {
        match self.analyse(sample).kind {
            AnswerKind::Results => Some(SampleKind::WithResults),
            AnswerKind::Nothing => Some(SampleKind::WithoutResults),
            _ => None,
        }
    }

    fn add_furniture(&mut self, sample: &AnswerSample<'_>, kind: SampleKind) {
        let view = AnswerView::of(sample.document, sample.query, &self.furniture, FurnitureBasis::AllAnswers);
        let mut texts: Vec<u64> = view.masked_texts().collect();
        // The signature of answers without results must not contain a query, so only texts of other answers
        // count there.
        let is_counted = |text: &u64| kind == SampleKind::WithResults || self.furniture.knows_text(*text);
        texts.extend(view.unmasked_texts().filter(is_counted));
        self.furniture.add(texts, query_hash(sample.query), kind);
    }

    /// Stores where the records of a sample stand and learns their identity. Returns true if the rules for record
    /// ids changed.
    fn add_template(&mut self, sample: &AnswerSample<'_>) -> bool {
        let analysis = self.analyse(sample);
        if analysis.kind != AnswerKind::Results || self.is_document(&analysis, sample.query) {
            return false;
        }
        self.sections.learn(&analysis.records());
        let has_new_names = self.copied_parameters.learn(&analysis.records());
        let records = self.raw_records(&analysis);
        if let Some(found) = analysis.found {
            let shapes: Vec<u64> =
                records.iter().filter_map(|record| record.url.as_ref()).map(url_shape).collect();
            self.templates.add(&found, found.score.min(MAX_TEMPLATE_WEIGHT), &shapes);
            let path = path_key(&sample.document.page.url, sample.query);
            if self.paths.len() < MAX_PATHS && !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
        self.identity.learn(&records, sample.query) | has_new_names
    }
}

/// Returns true if an address contains the words of a query, so that it differs between answers.
fn names_query(url: &Url, query: &Query) -> bool {
    let words = query.words.trim().to_lowercase();
    let has_value = url.query_pairs().any(|(_, value)| value.trim().to_lowercase() == words);
    has_value || path_key(url, query) != path_key(url, &Query::default())
}
