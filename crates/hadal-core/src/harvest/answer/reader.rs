//! What was learned about the answers of one form, and reading with it.

use super::facets::facets;
use super::furniture::{Fullness, Furniture};
use super::identity::Identity;
use super::kind::Evidence;
use super::next::next_page;
use super::records::{self, Announced, Raw, Scored, Templates};
use super::view::{View, query_hash};
use super::{Answer, Kind};
use crate::critic::page_kind::{Count, count, page_kind};
use crate::harvest::policy::Total;
use crate::harvest::query::Query;
use crate::harvest::record::Record;
use crate::html::Document;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// A row of siblings needs this score to be taken for records.
const ENOUGH: f32 = 12.0;
/// The most records that a page shows at once, going by its total alone.
const ONE_PAGE: u64 = 100;
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
        let mut reader = Reader::default();
        for sample in samples {
            reader.note(sample);
        }
        // Once all are known to each other, every one of them says more than it did alone.
        reader.templates.forget();
        for sample in samples {
            reader.find_place(sample);
        }
        reader
    }

    /// Learns from one more answer; says whether records are identified differently from now on, so that
    /// answers read before had better be read again.
    pub fn improve(&mut self, sample: &Sample<'_>) -> bool {
        self.note(sample);
        self.find_place(sample)
    }

    /// Reads an answer.
    pub fn read(&self, document: &Document, status: u16, query: &Query) -> Answer {
        let look = Look::at(self, document, status, query);
        let mut answer = Answer::bare(look.kind);
        answer.total = look.total();
        match look.kind {
            Kind::Results => self.read_results(&look, &mut answer),
            Kind::OneRecord => answer.records = self.identified(vec![only_record(&look)]),
            _ => {}
        }
        answer
    }

    fn read_results(&self, look: &Look<'_>, answer: &mut Answer) {
        answer.records = self.identified(look.raws());
        let inside = look.links_of_records();
        answer.next = next_page(look.document, |link| inside.contains(&link));
        let next = answer.next.as_ref().map(|next| next.request.url.clone());
        let links = &look.view.page.links;
        answer.facets =
            facets(&look.view, |link| inside.contains(&link) || Some(&links[link].url) == next.as_ref());
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
        records.filter(|record| seen.insert(record.id)).take(records::MOST_RECORDS).collect()
    }

    fn note(&mut self, sample: &Sample<'_>) {
        let look = Look::at(self, sample.document, sample.status, sample.query);
        let fullness = match look.kind {
            Kind::Results => Fullness::Full,
            Kind::Nothing => Fullness::Empty,
            _ => return,
        };
        let texts: Vec<u64> = look.view.texts().collect();
        self.furniture.note(texts.into_iter(), query_hash(sample.query), fullness);
    }

    fn find_place(&mut self, sample: &Sample<'_>) -> bool {
        let look = Look::at(self, sample.document, sample.status, sample.query);
        if look.kind != Kind::Results {
            return false;
        }
        let raws = look.raws();
        let found = look.scored.map(|scored| (scored.group, scored.score));
        if let Some((group, score)) = &found {
            self.templates.note(group, score.min(10_000.0));
        }
        let path = sample.document.page.url.path();
        if self.paths.len() < MOST_PATHS && !self.paths.iter().any(|known| known == path) {
            self.paths.push(path.to_string());
        }
        self.identity.learn(&raws, sample.query)
    }
}

/// An answer as a reader sees it.
struct Look<'a> {
    document: &'a Document,
    view: View<'a>,
    scored: Option<Scored>,
    lone: Option<Raw>,
    count: Option<Count>,
    kind: Kind,
}

impl<'a> Look<'a> {
    fn at(reader: &Reader, document: &'a Document, status: u16, query: &'a Query) -> Look<'a> {
        let view = View::of(document, query, &reader.furniture);
        let kinds = page_kind(&document.page, status);
        let rough = count(view.outline.text());
        let announced = Announced { shown: rough.and_then(shown) };
        let scored = records::find(&view, &reader.templates, announced);
        let scored = scored.filter(|scored| scored.score >= ENOUGH || scored.is_known);
        let lone = match scored {
            None if reader.furniture.is_known() => records::lone(&view),
            _ => None,
        };
        let count = count(&around(&view, scored.as_ref()));
        let found = scored.as_ref().map_or(usize::from(lone.is_some()), |scored| scored.group.segments.len());
        let count = count.filter(|count| count.total == 0 || count.total >= found as u64);
        let evidence = Evidence {
            status,
            kinds: &kinds,
            emptiness: reader.furniture.emptiness(view.texts()),
            records: found,
            in_place: scored.as_ref().is_some_and(|scored| scored.is_known),
            hits: scored.as_ref().map(|scored| scored.hits).filter(|_| !query.words.trim().is_empty()),
            total: count.map(|count| count.total),
            is_elsewhere: !reader.paths.is_empty()
                && !reader.paths.iter().any(|path| path == document.page.url.path()),
        };
        let kind = evidence.kind();
        Look { document, view, scored, lone, count, kind }
    }

    fn total(&self) -> Option<Total> {
        match (self.kind, self.count?) {
            (Kind::Results, Count { total, is_round: false, .. }) => Some(Total::Exactly(total)),
            (Kind::Results, Count { total, .. }) => Some(Total::About(total)),
            (Kind::Nothing, Count { total: 0, .. }) => Some(Total::Exactly(0)),
            _ => None,
        }
    }

    fn raws(&self) -> Vec<Raw> {
        match &self.scored {
            Some(scored) => records::records(&self.view, scored),
            None => self.lone.clone().into_iter().collect(),
        }
    }

    /// The links that stand inside records.
    fn links_of_records(&self) -> FxHashSet<usize> {
        let segments = self.scored.iter().flat_map(|scored| &scored.group.segments);
        let nodes = segments.flat_map(|segment| segment.nodes(&self.view));
        nodes.filter_map(|at| self.view.outline.nodes()[at].link).map(|link| link as usize).collect()
    }
}

/// How many records a page shows, by its range of numbers or by a small total.
fn shown(count: Count) -> Option<u64> {
    count.shown.or(Some(count.total).filter(|total| (1..=ONE_PAGE).contains(total)))
}

/// The text of an answer without its records.
fn around(view: &View<'_>, scored: Option<&Scored>) -> String {
    let text = view.outline.text();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for segment in scored.iter().flat_map(|scored| &scored.group.segments) {
        let inner = segment.text(view);
        out.push_str(text.get(from..inner.start.max(from)).unwrap_or_default());
        out.push_str(" . ");
        from = inner.end.max(from);
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// The page of the only hit as a record.
fn only_record(look: &Look<'_>) -> Raw {
    let page = look.view.page;
    let heading = records::main_heading(&look.view).unwrap_or(&page.title);
    Raw {
        url: Some(page.hints.canonical.clone().unwrap_or_else(|| page.url.clone())),
        title: heading.to_string(),
        text: look.view.news_text(),
        fields: Vec::new(),
    }
}
