//! An answer while its pages and the detail pages of its records are fetched.

use super::RequestPurpose;
use super::paused::PausedReading;
use super::redirects::FollowedRequest;
use crate::harvest::answer::{Answer, AnswerKind, AnswerPages, Facet, NextPage, PagerKind};
use crate::harvest::policy::{Hit, QueryOutcome, ReadingEnd, StatedTotal};
use crate::harvest::query::Query;
use crate::harvest::record::{Record, RecordId};
use crate::http::Request;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Maximum number of pages read of one answer. Guess.
pub const MAX_PAGES: u32 = 2_000;
/// Pages of a full list that are read and stored as one part. A kill loses at most one part. Guess.
pub const LIST_PART: u32 = 100;
/// Detail pages fetched for one answer. Guess.
const MAX_DETAILS: usize = 10_000;
/// Consecutive pages without a new record after which the rest of a browse list is skipped. Guess.
pub const STALE_LIST_PAGES: u32 = 8;
/// Consecutive pages without a new record after which the answer to a query is paused, so that the stop rules are
/// applied. The policy may continue the answer at once. Guess.
pub const STALE_QUERY_PAGES: u32 = 10;

/// A query and its answer so far.
#[derive(Clone, Debug)]
pub struct AnswerReading {
    /// Number of the query within the harvest, from 1.
    pub number: u32,
    pub query: Query,
    /// Pages read so far.
    pub pages: u32,
    /// Pages read before the answer was paused.
    pub pages_before: u32,
    /// Request for the next page.
    pub next: FollowedRequest,
    /// The request for the next page submits a form.
    pub is_button: bool,
    /// Kind of the first page.
    pub kind: AnswerKind,
    /// Number of matches that the form states.
    pub total: Option<StatedTotal>,
    /// True if the query was sent a second time with new hidden values.
    pub is_repeated: bool,
    /// Times that the site asked to wait and send the query again.
    pub waits: u8,
    /// Pages and records so far, to detect pages that repeat.
    pub seen: AnswerPages,
    /// Records in order, each with true if it was new.
    pub records: Vec<(Record, bool)>,
    /// Ids of these records.
    pub ids: FxHashSet<RecordId>,
    /// Detail pages to fetch, each with the index of its record.
    pub details: VecDeque<(usize, FollowedRequest)>,
    /// Facets on the first page.
    pub facets: Vec<Facet>,
    /// Reason why no further page is read; `None` while pages are read.
    pub end: Option<ReadingEnd>,
}

impl AnswerReading {
    /// Starts a query.
    pub fn new(number: u32, query: Query, request: Request) -> AnswerReading {
        AnswerReading {
            number,
            query,
            pages: 0,
            pages_before: 0,
            next: FollowedRequest::new(request),
            is_button: false,
            kind: AnswerKind::Nothing,
            total: None,
            is_repeated: false,
            waits: 0,
            seen: AnswerPages::default(),
            records: Vec::new(),
            ids: FxHashSet::default(),
            details: VecDeque::new(),
            facets: Vec::new(),
            end: None,
        }
    }

    /// Continues a paused answer.
    pub fn resume(number: u32, query: Query, paused: PausedReading) -> AnswerReading {
        let PausedReading { next, is_button, pages, total, seen, .. } = paused;
        let new = AnswerReading::new(number, query, next);
        AnswerReading { is_button, pages, pages_before: pages, total, seen, ..new }
    }

    /// Returns the next request and its purpose: the next page, or the next detail page once the answer has ended.
    pub fn next_request(&self) -> Option<(Request, RequestPurpose)> {
        if self.end.is_some() {
            let (_, detail) = self.details.front()?;
            return Some((detail.request().clone(), RequestPurpose::Detail));
        }
        let purpose = match self.query.link {
            _ if self.pages > 0 && self.is_button => RequestPurpose::PageButton,
            _ if self.pages > 0 => RequestPurpose::Page,
            Some(_) => RequestPurpose::Link,
            None => RequestPurpose::Query,
        };
        Some(self.next.with_purpose(purpose))
    }

    /// Counts a page; its records are added afterwards by `add`.
    pub fn add_page(&mut self, answer: &mut Answer) {
        if self.own_pages() == 0 {
            self.kind = answer.kind;
        }
        if self.pages == 0 {
            self.facets = std::mem::take(&mut answer.facets);
        }
        self.pages += 1;
        self.total = self.total.or(answer.total);
    }

    /// Adds the last `shown` records, which the current request returned, to the pages seen.
    pub fn note_page(&mut self, shown: usize) {
        let earlier = self.records.len().saturating_sub(shown);
        self.seen.add(self.next.request(), self.records[earlier..].iter().map(|(record, _)| record.id));
    }

    /// Sets the request for the next page.
    pub fn continue_at(&mut self, next: NextPage) {
        self.is_button = matches!(next.kind, PagerKind::Button | PagerKind::Parameter);
        self.next = FollowedRequest::new(next.request);
    }

    /// Sets the total to the number of records read, if the list of all records ended and the form stated no total.
    /// `kind` is that of the last page.
    pub fn complete_list(&mut self, kind: AnswerKind) {
        if kind == AnswerKind::Results || self.pages > 1 {
            let all = u64::from(self.query.after) + self.records.len() as u64;
            self.total = self.total.or(Some(StatedTotal::Exactly(all)));
        }
    }

    /// Records in the form that policies take.
    pub fn hits<'a>(&'a self) -> Vec<Hit<'a>> {
        let hit = |(record, is_new): &'a (Record, bool)| Hit {
            id: record.id,
            is_new: *is_new,
            title: &record.title,
            text: &record.text,
            fields: &record.fields,
        };
        self.records.iter().map(hit).collect()
    }

    /// Answer so far, in the form that policies take.
    pub fn outcome<'a>(&'a self, hits: &'a [Hit<'a>]) -> QueryOutcome<'a> {
        let end = self.end.unwrap_or(ReadingEnd::Paused);
        let pages = self.own_pages();
        QueryOutcome { query: &self.query, hits, total: self.total, pages, end }
    }

    /// Adds a record. The detail page of a new record is queued if it is wanted.
    pub fn add(&mut self, record: Record, is_new: bool, wants_detail: bool) {
        let page = record.url.clone().filter(|_| is_new && wants_detail);
        if let Some(url) = page.filter(|_| self.details.len() < MAX_DETAILS) {
            self.details.push_back((self.records.len(), FollowedRequest::new(Request::get(url))));
        }
        self.records.push((record, is_new));
    }

    /// True for a link, and for the query without words and values.
    pub fn is_browsing(&self) -> bool {
        self.query.link.is_some() || self.query == Query::default()
    }

    /// True if the last `pages` pages of `page_size` records, all read since the last pause, had no new record.
    pub fn is_stale(&self, pages: u32, page_size: u32) -> bool {
        let last = self.records.iter().rev().take((pages * page_size) as usize);
        self.own_pages() >= pages && last.into_iter().all(|(_, is_new)| !is_new)
    }

    /// Pages read since the answer was begun or continued.
    pub fn own_pages(&self) -> u32 {
        self.pages - self.pages_before
    }

    /// Number of new records.
    pub fn new_records(&self) -> u32 {
        self.records.iter().filter(|(_, is_new)| *is_new).count() as u32
    }

    /// Ids of all records in order.
    pub fn ordered_ids(&self) -> Vec<RecordId> {
        self.records.iter().map(|(record, _)| record.id).collect()
    }
}
