//! What was learned about the answers of one form, and reading with it.

use super::analysis::{AnswerAnalysis, LearnedState, answer_path};
use super::facets::facets;
use super::furniture::{FurnitureBasis, PageFurniture, SampleKind};
use super::identity::IdentityRules;
use super::pager::next_page;
use super::records::{RawRecord, RecordTemplates};
use super::view::{AnswerView, query_hash};
use super::{Answer, AnswerKind};
use crate::harvest::query::Query;
use crate::harvest::record::Record;
use crate::html::Document;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Addresses of answers that are remembered.
const MOST_PATHS: usize = 8;

/// An answer to learn from.
#[derive(Clone, Copy, Debug)]
pub struct AnswerSample<'a> {
    /// The page.
    pub document: &'a Document,
    /// Its status code.
    pub status: u16,
    /// What was asked.
    pub query: &'a Query,
}

/// What is known about the answers of one form. Knowing nothing, it reads by repetition alone; every
/// sample makes it surer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerReader {
    furniture: PageFurniture,
    templates: RecordTemplates,
    identity: IdentityRules,
    /// Paths under which answers with results were found.
    paths: Vec<String>,
}

impl AnswerReader {
    /// Learns from result pages for different words and, if there is one, an answer without results.
    pub fn learn(samples: &[AnswerSample<'_>]) -> AnswerReader {
        // Which of them is without results is seen best once all are known to each other.
        let mut acquainted = AnswerReader::default();
        for sample in samples {
            acquainted.note(sample, SampleKind::Full);
        }
        for sample in samples {
            acquainted.find_place(sample);
        }
        let mut reader = AnswerReader::default();
        for sample in samples {
            if let Some(fullness) = acquainted.fullness(sample) {
                reader.note(sample, fullness);
            }
        }
        for sample in samples {
            reader.find_place(sample);
        }
        reader
    }

    /// Learns from one more answer; says whether records are identified differently from now on, so that
    /// answers read before had better be read again.
    pub fn improve(&mut self, sample: &AnswerSample<'_>) -> bool {
        if let Some(fullness) = self.fullness(sample) {
            self.note(sample, fullness);
        }
        self.find_place(sample)
    }

    /// Reads an answer.
    pub fn read(&self, document: &Document, status: u16, query: &Query) -> Answer {
        let look = self.look(&AnswerSample { document, status, query });
        let mut answer = Answer::bare(look.kind);
        answer.total = look.total();
        match look.kind {
            AnswerKind::Results => self.read_results(&look, query, &mut answer),
            AnswerKind::OneRecord => answer.records = self.identified(vec![look.only_record()]),
            _ => {}
        }
        answer
    }

    fn read_results(&self, look: &AnswerAnalysis<'_>, query: &Query, answer: &mut Answer) {
        answer.records = self.identified(look.raws());
        let inside = look.links_of_records();
        answer.next = next_page(look.document, |link| inside.contains(&link));
        let next = answer.next.as_ref().map(|next| next.request.url.clone());
        let links = &look.view.page.links;
        let is_taken = |link: usize| inside.contains(&link) || Some(&links[link].url) == next.as_ref();
        answer.facets = facets(&look.view, query, is_taken);
    }

    fn look<'a>(&self, sample: &AnswerSample<'a>) -> AnswerAnalysis<'a> {
        let AnswerReader { furniture, templates, paths, .. } = self;
        AnswerAnalysis::at(
            &LearnedState { furniture, templates, paths },
            sample.document,
            sample.status,
            sample.query,
        )
    }

    fn identified(&self, raws: Vec<RawRecord>) -> Vec<Record> {
        let ids = self.identity.of(&raws);
        let mut seen = FxHashSet::default();
        let records = raws.into_iter().zip(ids).map(|(raw, id)| Record {
            id,
            url: raw.url,
            title: raw.title,
            text: raw.text,
            fields: raw.fields,
        });
        records.filter(|record| seen.insert(record.id)).collect()
    }

    /// Whether an answer has results; `None` when it is no answer.
    fn fullness(&self, sample: &AnswerSample<'_>) -> Option<SampleKind> {
        match self.look(sample).kind {
            AnswerKind::Results => Some(SampleKind::Full),
            AnswerKind::Nothing => Some(SampleKind::Empty),
            _ => None,
        }
    }

    fn note(&mut self, sample: &AnswerSample<'_>, fullness: SampleKind) {
        let view = AnswerView::of(sample.document, sample.query, &self.furniture, FurnitureBasis::All);
        let mut texts: Vec<u64> = view.texts().collect();
        if fullness == SampleKind::Full {
            texts.extend(view.plain_texts());
        }
        self.furniture.note(texts, query_hash(sample.query), fullness);
    }

    fn find_place(&mut self, sample: &AnswerSample<'_>) -> bool {
        let look = self.look(sample);
        if look.kind != AnswerKind::Results {
            return false;
        }
        let raws = look.raws();
        if let Some(scored) = look.scored {
            self.templates.note(&scored.group, scored.score.min(10_000.0));
            let path = answer_path(&sample.document.page.url, sample.query);
            if self.paths.len() < MOST_PATHS && !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
        self.identity.learn(&raws, sample.query)
    }
}
