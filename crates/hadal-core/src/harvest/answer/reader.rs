//! What was learned about the answers of one form, and reading with it.

use super::facets::facets;
use super::furniture::{Fullness, Furniture, Trust};
use super::identity::Identity;
use super::kind::Evidence;
use super::next::next_page;
use super::records::{self, Announced, Raw, Scored, Templates};
use super::view::{View, query_hash};
use super::{Answer, Kind};
use crate::critic::page_kind::{Count, counts, page_kind};
use crate::harvest::policy::Total;
use crate::harvest::query::Query;
use crate::harvest::record::Record;
use crate::html::Document;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use url::Url;

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

    /// The records of an answer, by what is new on it.
    fn find(&self, view: &View<'_>, announced: Announced) -> Option<Scored> {
        let found = records::find(view, &self.templates, announced)?;
        Some(found).filter(|found| found.score >= ENOUGH || found.is_known)
    }

    /// A small collection may show the same records whatever is asked. They are believed without being
    /// news when they have the words of the query; or stand where records stood, and are as many as the
    /// page says or known not to stand there when nothing is found.
    fn find_again(&self, document: &Document, query: &Query, announced: Announced) -> Option<Scored> {
        if !self.furniture.is_known() {
            return None;
        }
        let view = View::of(document, query, &self.furniture, Trust::EmptyAnswers);
        let found = self.find(&view, announced)?;
        let count = Some(found.group.segments.len() as u64);
        let in_place = found.is_known && (self.furniture.knows_empty() || count == announced.shown);
        Some(found).filter(|found| found.hits >= 0.5 || in_place)
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

    /// Whether an answer has results; `None` when it is no answer.
    fn fullness(&self, sample: &Sample<'_>) -> Option<Fullness> {
        match Look::at(self, sample.document, sample.status, sample.query).kind {
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
        let look = Look::at(self, sample.document, sample.status, sample.query);
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
        let view = View::of(document, query, &reader.furniture, Trust::All);
        let kinds = page_kind(&document.page, status);
        let announced = Announced { shown: counts(view.outline.text()).first().and_then(shown) };
        let scored = reader.find(&view, announced).or_else(|| reader.find_again(document, query, announced));
        let lone = match scored {
            None if reader.furniture.is_known() => records::lone(&view),
            _ => None,
        };
        let found = scored.as_ref().map_or(usize::from(lone.is_some()), |scored| scored.group.segments.len());
        let fits = |count: &Count| count.total == 0 || count.total >= found as u64;
        let count = counts(&around(&view, scored.as_ref())).into_iter().find(fits);
        let evidence = Evidence {
            status,
            kinds: &kinds,
            emptiness: reader.furniture.emptiness(view.texts()),
            records: found,
            knows_place: reader.templates.best().is_some(),
            in_place: scored.as_ref().is_some_and(|scored| scored.is_known),
            hits: scored.as_ref().map(|scored| scored.hits).filter(|_| !query.words.trim().is_empty()),
            total: count.map(|count| count.total),
            is_elsewhere: !reader.paths.is_empty()
                && !reader.paths.contains(&answer_path(&document.page.url, query)),
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

/// The path of an answer without the query and without numbers.
fn answer_path(url: &Url, query: &Query) -> String {
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
fn shown(count: &Count) -> Option<u64> {
    count.shown.or(Some(count.total).filter(|total| (1..=ONE_PAGE).contains(total)))
}

/// The text of an answer without its records, line by line.
fn around(view: &View<'_>, scored: Option<&Scored>) -> String {
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
