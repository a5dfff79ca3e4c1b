//! What was learned about the answers of one form, and reading with it.

use super::facets::facets;
use super::furniture::{Fullness, Furniture, Trust};
use super::identity::Identity;
use super::look::{Look, Memory, answer_path};
use super::next::next_page;
use super::records::{Raw, Templates};
use super::view::{View, query_hash};
use super::{Answer, Kind};
use crate::harvest::query::Query;
use crate::harvest::record::Record;
use crate::html::Document;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Addresses of answers that are remembered.
const MOST_PATHS: usize = 8;

/// An answer to learn from.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
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
pub struct Reader {
    furniture: Furniture,
    templates: Templates,
    identity: Identity,
    /// Paths under which answers with results were found.
    paths: Vec<String>,
}

impl Reader {
    /// Learns from result pages for different words and, if there is one, an answer without results.
    pub fn learn(samples: &[Sample<'_>]) -> Reader {
        // Which of them is without results is seen best once all are known to each other.
        let mut acquainted = Reader::default();
        for sample in samples {
            acquainted.note(sample, Fullness::Full);
        }
        for sample in samples {
            acquainted.find_place(sample);
        }
        let mut reader = Reader::default();
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
    pub fn improve(&mut self, sample: &Sample<'_>) -> bool {
        if let Some(fullness) = self.fullness(sample) {
            self.note(sample, fullness);
        }
        self.find_place(sample)
    }

    /// Reads an answer.
    pub fn read(&self, document: &Document, status: u16, query: &Query) -> Answer {
        let look = self.look(&Sample { document, status, query });
        let mut answer = Answer::bare(look.kind);
        answer.total = look.total();
        match look.kind {
            Kind::Results => self.read_results(&look, query, &mut answer),
            Kind::OneRecord => answer.records = self.identified(vec![look.only_record()]),
            _ => {}
        }
        answer
    }

    fn read_results(&self, look: &Look<'_>, query: &Query, answer: &mut Answer) {
        answer.records = self.identified(look.raws());
        let inside = look.links_of_records();
        answer.next = next_page(look.document, |link| inside.contains(&link));
        let next = answer.next.as_ref().map(|next| next.request.url.clone());
        let links = &look.view.page.links;
        let is_taken = |link: usize| inside.contains(&link) || Some(&links[link].url) == next.as_ref();
        answer.facets = facets(&look.view, query, is_taken);
    }

    fn look<'a>(&self, sample: &Sample<'a>) -> Look<'a> {
        let Reader { furniture, templates, paths, .. } = self;
        Look::at(&Memory { furniture, templates, paths }, sample.document, sample.status, sample.query)
    }

    fn identified(&self, raws: Vec<Raw>) -> Vec<Record> {
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
    fn fullness(&self, sample: &Sample<'_>) -> Option<Fullness> {
        match self.look(sample).kind {
            Kind::Results => Some(Fullness::Full),
            Kind::Nothing => Some(Fullness::Empty),
            _ => None,
        }
    }

    fn note(&mut self, sample: &Sample<'_>, fullness: Fullness) {
        let view = View::of(sample.document, sample.query, &self.furniture, Trust::All);
        let mut texts: Vec<u64> = view.texts().collect();
        if fullness == Fullness::Full {
            texts.extend(view.plain_texts());
        }
        self.furniture.note(texts, query_hash(sample.query), fullness);
    }

    fn find_place(&mut self, sample: &Sample<'_>) -> bool {
        let look = self.look(sample);
        if look.kind != Kind::Results {
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
