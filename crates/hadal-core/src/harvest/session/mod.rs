//! A harvest of one form, as a value: what to send next, and what came of it.
//!
//! [`HarvestSession::next_request`] and [`HarvestSession::receive`] are the functions to read first. Somebody else sends the
//! requests, politely, and keeps what is told; the rest is decided here, in this order:
//!
//! 1. the page of the form is opened, for hidden values that are still good;
//! 2. a nonsense query shows what answers without results look like;
//! 3. the policy picks a query or an answer that was left off, or a list to browse or a facet takes its turn; the
//!    answer is read page by page as long as that pays, then the own pages of its new records, when they are wanted;
//! 4. policy and estimator learn, and it goes on with 3 until there is enough or nothing left to ask.
//!
//! Whoever resumes a harvest lets a new one [`HarvestSession::replay`] the queries that ended.

mod choosing;
mod details;
mod door;
mod doubt;
mod ending;
mod exchange;
mod reading;
mod shelf;
mod wishes;

pub use door::EntryPage;
pub use ending::HarvestEnding;
pub use exchange::{FinishedQuery, HarvestUpdate, ParsedResponse, RequestPurpose};
pub use wishes::{DetailMode, HarvestOptions};

use super::answer::{Answer, AnswerKind, AnswerReader, AnswerSample, NearDuplicates};
use super::browse::BrowseState;
use super::estimate::stop;
use super::estimate::{SizeEstimate, SizeEstimator};
use super::policy::result_cap::ResultCap;
use super::policy::{Policy, QueryOutcome, ReadingEnd, StatedTotal};
use super::query::Query;
use super::record::{Record, RecordId};
use crate::address::Site;
use crate::http::{Method, Request};
use details::Digging;
use doubt::Doubt;
use ending::Trouble;
use reading::{MOST_PAGES, Reading};
use rustc_hash::FxHashSet;
use shelf::Shelf;
use std::collections::VecDeque;
use xxhash_rust::xxh3::xxh3_64;

/// Answers that the reader learns from.
const LESSONS: u32 = 6;
/// Redirects that are followed for one page.
const MOST_HOPS: u8 = 5;
/// Words that a text needs before it is compared with others for likeness.
const TELLING_WORDS: usize = 30;
/// First answers that must hold the same records before a form is said to answer everything alike.
const ALIKE: usize = 4;
/// A harvest under way.
pub struct HarvestSession {
    door: EntryPage,
    wishes: HarvestOptions,
    reader: AnswerReader,
    lessons: u32,
    policy: Box<dyn Policy>,
    /// The policy kept continuing answers that the session does not hold, and is not asked again.
    policy_failed: bool,
    browse: BrowseState,
    shelf: Shelf,
    estimator: SizeEstimator,
    cap: ResultCap,
    page_size: u32,
    known: FxHashSet<RecordId>,
    likenesses: NearDuplicates,
    first_pages: Vec<u64>,
    doubt: Doubt,
    nothing_comes_as: u16,
    digging: Digging,
    queries: u32,
    barren: u32,
    recent: VecDeque<(u64, u64)>,
    trouble: Trouble,
    stage: Stage,
}

enum Stage {
    Open,
    /// The page of the form is opened again before a query is sent once more.
    Reopen(Box<Reading>),
    /// The query, the request for it, and redirects so far.
    Nonsense(Box<(Query, Request)>, u8),
    Choose,
    Read(Box<Reading>),
    Over(HarvestEnding),
}

impl HarvestSession {
    /// A harvest that has asked nothing yet.
    pub fn new(door: EntryPage, policy: Box<dyn Policy>, wishes: HarvestOptions) -> HarvestSession {
        HarvestSession {
            door,
            wishes,
            reader: AnswerReader::default(),
            lessons: 0,
            policy,
            policy_failed: false,
            browse: BrowseState::default(),
            shelf: Shelf::default(),
            estimator: SizeEstimator::default(),
            cap: ResultCap::default(),
            page_size: 0,
            known: FxHashSet::default(),
            likenesses: NearDuplicates::default(),
            first_pages: Vec::new(),
            doubt: Doubt::default(),
            nothing_comes_as: 200,
            digging: Digging::default(),
            queries: 0,
            barren: 0,
            recent: VecDeque::new(),
            trouble: Trouble::default(),
            stage: Stage::Open,
        }
    }

    /// The request to send next, and what it is for; `None` when the harvest is over. The same until
    /// its reply was taken.
    pub fn next_request(&mut self) -> Option<(Request, RequestPurpose)> {
        if let Stage::Choose = self.stage {
            self.stage = self.choose();
        }
        match &self.stage {
            Stage::Open | Stage::Reopen(_) => {
                Some((Request::get(self.door.page().clone()), RequestPurpose::Form))
            }
            Stage::Nonsense(sent, hops) => {
                Some((sent.1.clone(), RequestPurpose::Nonsense.after(*hops, &sent.1)))
            }
            Stage::Read(reading) if reading.end.is_some() => {
                let (_, url) = reading.details.front()?;
                Some((Request::get(url.clone()), RequestPurpose::Detail))
            }
            Stage::Read(reading) => {
                let purpose = match reading.query.link {
                    _ if reading.pages > 0 => RequestPurpose::Page,
                    Some(_) => RequestPurpose::Link,
                    None => RequestPurpose::Query,
                };
                Some((reading.send.clone(), purpose.after(reading.hops, &reading.send)))
            }
            Stage::Choose | Stage::Over(_) => None,
        }
    }

    /// Takes in what came back for the request asked for last.
    pub fn receive(&mut self, reply: ParsedResponse) -> HarvestUpdate {
        match std::mem::replace(&mut self.stage, Stage::Choose) {
            Stage::Open => self.opened(reply),
            Stage::Reopen(reading) => self.reopened(reading, reply),
            Stage::Nonsense(sent, hops) => self.nonsense(sent, hops, reply),
            Stage::Read(reading) if reading.end.is_some() => self.detailed(reading, reply),
            Stage::Read(reading) => self.answered(reading, reply),
            Stage::Choose => HarvestUpdate::default(),
            Stage::Over(ending) => {
                self.stage = Stage::Over(ending);
                HarvestUpdate::default()
            }
        }
    }

    /// Ends it, for a reason that others know.
    pub fn end_with(&mut self, ending: HarvestEnding) {
        self.stage = Stage::Over(ending);
    }

    /// Why it ended, once it has.
    pub fn ending(&self) -> Option<HarvestEnding> {
        match self.stage {
            Stage::Over(ending) => Some(ending),
            _ => None,
        }
    }

    /// Takes in a query that an earlier session asked, as it was stored, with what brings the next page of its
    /// answer. They come in their order.
    pub fn replay(&mut self, asked: &QueryOutcome<'_>, next: Option<Request>) {
        self.queries += 1;
        self.shelf.recall(asked, next);
        for hit in asked.hits {
            self.known.insert(hit.id);
        }
        self.note(asked);
    }

    /// Goes on with what an earlier session had learned about answers, before it recalls any.
    pub fn restore(&mut self, saved: &[u8]) {
        if let Ok((reader, rest)) = postcard::take_from_bytes(saved) {
            self.reader = reader;
            self.lessons = LESSONS;
            // Older ones kept the reader alone.
            if let Ok(kept) = postcard::from_bytes(rest) {
                self.browse.restore(kept);
            }
        }
    }

    /// What was learned about answers and the links beside them, to be kept.
    pub fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&(&self.reader, self.browse.save())).unwrap_or_default()
    }

    /// How much there is, as far as one can tell. A form that can be asked nothing else is taken at its word.
    pub fn estimate(&self) -> Option<SizeEstimate> {
        let is_over = matches!(self.stage, Stage::Over(HarvestEnding::NothingLeft));
        self.estimator.estimate().or_else(|| self.estimator.by_stated_total().filter(|_| is_over))
    }

    /// Records found so far.
    pub fn record_count(&self) -> u64 {
        self.known.len() as u64
    }

    /// What would be asked next, and the new records expected of it.
    pub fn outlook(&self, most: usize) -> Vec<(Query, f64)> {
        self.policy_outlook(&self.costs(), most)
    }

    /// A page without the form is no obstacle: the form is asked as it was found.
    fn opened(&mut self, reply: ParsedResponse) -> HarvestUpdate {
        if let Some(document) = &reply.document {
            self.door.refresh(&document.page);
            self.browse.find_lists(&document.page, "");
        }
        let query = self.door.nonsense(self.wishes.seed).filter(|_| self.lessons == 0);
        if let Some(query) = query {
            let request = self.door.request_for(&query);
            self.stage = Stage::Nonsense(Box::new((query, request)), 0);
        }
        HarvestUpdate::default()
    }

    fn nonsense(
        &mut self,
        mut sent: Box<(Query, Request)>,
        hops: u8,
        reply: ParsedResponse,
    ) -> HarvestUpdate {
        if let Some(request) = self.redirected(&sent.1, &reply, hops) {
            sent.1 = request;
            self.stage = Stage::Nonsense(sent, hops + 1);
            return HarvestUpdate::default();
        }
        let query = &sent.0;
        let Some(document) = reply.document else { return HarvestUpdate::default() };
        self.door.refresh(&document.page);
        self.reader.improve(&AnswerSample { document: &document, status: reply.status, query });
        let answer = self.reader.read(&document, reply.status, query);
        self.nothing_comes_as = reply.status;
        self.note_first_page(&answer);
        if answer.kind == AnswerKind::TakenIn {
            self.stage = Stage::Over(HarvestEnding::TakenIn);
        }
        HarvestUpdate { kind: Some(answer.kind), needs_save: true, ..HarvestUpdate::default() }
    }

    fn answered(&mut self, mut reading: Box<Reading>, reply: ParsedResponse) -> HarvestUpdate {
        if let Some(request) = self.redirected(&reading.send, &reply, reading.hops) {
            (reading.send, reading.hops) = (request, reading.hops + 1);
            self.stage = Stage::Read(reading);
            return HarvestUpdate::default();
        }
        let Some(document) = reply.document else {
            return self.failed(reading, AnswerKind::Error, reply.status);
        };
        let has_form = self.door.refresh(&document.page);
        let learned = self.lessons < LESSONS && reading.pages == 0;
        if learned {
            self.lessons += 1;
            let (status, query) = (reply.status, &reading.query);
            self.reader.improve(&AnswerSample { document: &document, status, query });
            self.browse.find_lists(&document.page, &query.words);
        }
        let answer = self.recognised(&reading, self.reader.read(&document, reply.status, &reading.query));
        let kind = match answer.kind {
            AnswerKind::Nothing if matches!(reply.status, 404 | 410) && self.nothing_comes_as < 400 => {
                AnswerKind::Error
            }
            kind => kind,
        };
        if reading.pages == 0 {
            self.doubt.see(&document, reply.status, &reading.query, kind);
        }
        let is_mistaken = learned && kind == AnswerKind::Nothing && self.doubt.is_mistaken(&self.reader);
        let taken = match kind {
            AnswerKind::Results | AnswerKind::OneRecord | AnswerKind::Nothing => {
                self.take_page(reading, answer)
            }
            // A token that had expired may be all that is wrong.
            AnswerKind::Error if self.door.has_hidden() && !reading.reopened && reading.pages == 0 => {
                self.ask_again(reading, has_form)
            }
            kind => self.failed(reading, kind, reply.status),
        };
        if is_mistaken {
            self.stage = Stage::Over(HarvestEnding::Alike);
        }
        HarvestUpdate { needs_save: learned || taken.needs_save, ..taken }
    }

    /// The form is filled anew, with fresh hidden values: those of the page at hand, or of its own page.
    fn ask_again(&mut self, mut reading: Box<Reading>, has_form: bool) -> HarvestUpdate {
        reading.reopened = true;
        reading.hops = 0;
        reading.send = self.door.request_for(&reading.query);
        self.stage = if has_form { Stage::Read(reading) } else { Stage::Reopen(reading) };
        HarvestUpdate::default()
    }

    fn reopened(&mut self, mut reading: Box<Reading>, reply: ParsedResponse) -> HarvestUpdate {
        if let Some(document) = &reply.document {
            self.door.refresh(&document.page);
        }
        reading.send = self.door.request_for(&reading.query);
        self.stage = Stage::Read(reading);
        HarvestUpdate::default()
    }

    /// What a link leads to counts only if it is what words find.
    fn recognised(&self, reading: &Reading, answer: Answer) -> Answer {
        let is_strange = reading.is_browsing() && !self.browse.are_known_records(&answer.records);
        match answer.kind {
            AnswerKind::Results if is_strange => Answer::nothing(),
            _ => answer,
        }
    }

    fn take_page(&mut self, mut reading: Box<Reading>, mut answer: Answer) -> HarvestUpdate {
        self.trouble.over();
        if reading.pages == 0 {
            self.note_first_page(&answer);
            reading.facets = std::mem::take(&mut answer.facets);
        }
        if !reading.is_browsing() && answer.kind == AnswerKind::Results {
            self.browse.learn_record_urls(&answer.records);
        }
        reading.pages += 1;
        reading.hops = 0;
        reading.total = reading.total.or(answer.total);
        reading.trail.add(&reading.send, &answer);
        let (kind, number) = (answer.kind, reading.number);
        let next = answer.next.filter(|next| reading.trail.should_follow(next));
        let shown = answer.records.len() as u32;
        if next.is_some() {
            self.page_size = self.page_size.max(shown);
        }
        let records = self.take_records(&mut reading, answer.records);
        let query = Some(reading.query.clone()).filter(|_| !records.is_empty());
        let taken = HarvestUpdate {
            kind: Some(kind),
            records,
            query_number: number,
            query,
            ..HarvestUpdate::default()
        };
        reading.end = match next {
            None => Some(ReadingEnd::LastPage),
            Some(next) => {
                reading.send = next.request;
                let goes_on = reading.pages < MOST_PAGES && self.wants_next_page(&reading);
                if goes_on { None } else { Some(ReadingEnd::Paused) }
            }
        };
        self.go_on_or_end(reading, taken)
    }

    fn wants_next_page(&self, reading: &Reading) -> bool {
        if self.wishes.records.is_some_and(|wanted| self.record_count() >= wanted) {
            return false;
        }
        if reading.is_browsing() {
            return !reading.is_stale(self.page_size);
        }
        let hits = reading.hits();
        self.policy.wants_next_page(&reading.asked(&hits), &self.costs())
    }

    /// Records that are nearly the same as known ones count as those.
    fn take_records(&mut self, reading: &mut Reading, records: Vec<Record>) -> Vec<(Record, u32)> {
        let mut new = Vec::new();
        for mut record in records {
            self.digging.see(&record);
            let words = record.text.split_whitespace().take(TELLING_WORDS).count();
            if words == TELLING_WORDS {
                record.id = self.likenesses.find_or_insert(&record).unwrap_or(record.id);
            }
            let is_new = self.known.insert(record.id);
            if is_new {
                new.push((record.clone(), reading.query.after + reading.found.len() as u32 + 1));
            }
            reading.add(record, is_new, self.wants_details());
        }
        new
    }

    fn wants_details(&self) -> bool {
        self.digging.is_wanted(self.wishes.details, self.known.len())
    }

    fn failed(&mut self, mut reading: Box<Reading>, kind: AnswerKind, status: u16) -> HarvestUpdate {
        reading.end = Some(ReadingEnd::Failed);
        reading.details.clear();
        // A link that leads nowhere says nothing about the form, nor does a page of long ago.
        let is_fresh = reading.query.link.is_none() && reading.query.after == 0;
        let ending = if is_fresh { self.trouble.met(kind, status) } else { None };
        let taken =
            HarvestUpdate { kind: Some(kind), query_number: reading.number, ..HarvestUpdate::default() };
        let taken = self.go_on_or_end(reading, taken);
        if let Some(ending) = ending {
            self.stage = Stage::Over(ending);
        }
        taken
    }

    /// A record's own page says more about it.
    fn detailed(&mut self, mut reading: Box<Reading>, reply: ParsedResponse) -> HarvestUpdate {
        let mut taken = HarvestUpdate { query_number: reading.number, ..HarvestUpdate::default() };
        if let (Some((at, _)), Some(document)) = (reading.details.pop_front(), reply.document)
            && let Some((record, _)) = reading.found.get_mut(at)
        {
            let text = document.page.text;
            self.digging.compare(&record.text, &text);
            record.text = format!("{} {text}", record.text);
            taken.detail = Some((record.id, text));
        }
        if !self.wants_details() {
            reading.details.clear();
        }
        self.go_on_or_end(reading, taken)
    }

    fn go_on_or_end(&mut self, mut reading: Box<Reading>, taken: HarvestUpdate) -> HarvestUpdate {
        let Some(end) = reading.end.filter(|_| reading.details.is_empty()) else {
            self.stage = Stage::Read(reading);
            return taken;
        };
        let facets = std::mem::take(&mut reading.facets);
        let next = self.shelf.leave(&reading);
        let hits = reading.hits();
        self.queries += 1;
        let asked = reading.asked(&hits);
        self.note(&asked);
        let learned = self.is_cut(&asked) && self.browse.add_facets(&asked, facets);
        let finished = FinishedQuery {
            number: reading.number,
            total: reading.total,
            hits: reading.ids(),
            new: reading.new_records(),
            pages: reading.pages - reading.pages_before,
            end,
            next,
            query: reading.query,
        };
        HarvestUpdate { finished: Some(finished), needs_save: learned || taken.needs_save, ..taken }
    }

    /// Whether an answer shows less than there is, however many pages are turned.
    fn is_cut(&self, asked: &QueryOutcome<'_>) -> bool {
        let shown = u64::from(asked.query.after) + asked.hits.len() as u64;
        let at_cap = self.cap.value().is_some_and(|cap| shown >= u64::from(cap));
        let is_told = matches!(asked.total, Some(StatedTotal::Exactly(total)) if total > shown);
        asked.end == ReadingEnd::LastPage && (at_cap || is_told)
    }

    /// Everybody learns from an answer. Words have no part in what a link brings.
    fn note(&mut self, asked: &QueryOutcome<'_>) {
        let new = asked.hits.iter().filter(|hit| hit.is_new).count() as u64;
        self.barren = if new > 0 { 0 } else { self.barren + 1 };
        self.recent.push_back((u64::from(asked.pages.max(1)), new));
        while self.recent.iter().skip(1).map(|answer| answer.0).sum::<u64>() >= stop::WINDOW {
            self.recent.pop_front();
        }
        self.cap.learn(asked);
        self.estimator.learn(asked);
        self.browse.learn(asked);
        match &asked.query.link {
            Some(link) => {
                let query = Query::default().narrowed(link.clone());
                self.policy.learn(&QueryOutcome { query: &query, ..asked.clone() });
            }
            None => self.policy.learn(asked),
        }
    }

    fn note_first_page(&mut self, answer: &Answer) {
        if self.first_pages.len() < ALIKE {
            let ids: Vec<u8> = answer.records.iter().flat_map(|record| record.id.0.to_le_bytes()).collect();
            let nothing = self.queries + u32::try_from(self.first_pages.len()).unwrap_or(u32::MAX);
            // Answers without records are not alike: nothing was found, each time for another reason.
            let key = if ids.is_empty() { u64::from(nothing) } else { xxh3_64(&ids) };
            self.first_pages.push(key);
        }
    }

    /// The request for where an answer points, if it stays on the site. POST becomes GET, as in browsers,
    /// unless the server insists.
    fn redirected(&self, sent: &Request, reply: &ParsedResponse, hops: u8) -> Option<Request> {
        let target = reply.location.as_ref().filter(|_| (300..400).contains(&reply.status))?;
        let stays = Site::of(target) == Site::of(&sent.url) && hops < MOST_HOPS;
        let keeps = matches!(reply.status, 307 | 308) && sent.method == Method::Post;
        stays.then(|| match keeps {
            true => Request { url: target.clone(), ..sent.clone() },
            false => Request::get(target.clone()),
        })
    }
}
