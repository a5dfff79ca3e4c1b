//! An answer while it is read, page by page.

use super::shelf::Place;
use crate::harvest::answer::{AnswerPages, Facet};
use crate::harvest::policy::{Hit, QueryOutcome, ReadingEnd, StatedTotal};
use crate::harvest::query::Query;
use crate::harvest::record::{Record, RecordId};
use crate::http::Request;
use std::collections::VecDeque;
use url::Url;

/// Pages of one answer that are read at most.
pub const MOST_PAGES: u32 = 2_000;
/// Records of one answer whose own pages are fetched at most.
const MOST_DETAILS: usize = 10_000;

/// Pages in a row that bring nothing new before the rest of a list is taken to be known.
const STALE_PAGES: u32 = 8;

/// A query, and what came of it so far.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its number within the harvest, from 1.
    pub number: u32,
    /// What was asked.
    pub query: Query,
    /// Pages that were read.
    pub pages: u32,
    /// Those of them that were read before it was left off.
    pub pages_before: u32,
    /// What is sent next.
    pub send: Request,
    /// How many records the form says there are.
    pub total: Option<StatedTotal>,
    /// Redirects since the last page.
    pub hops: u8,
    /// Whether the form was fetched anew for this query.
    pub reopened: bool,
    /// Pages and records so far.
    pub trail: AnswerPages,
    /// Records in their order, and whether each was new.
    pub found: Vec<(Record, bool)>,
    /// Own pages of new records, still to be fetched, by position in `found`.
    pub details: VecDeque<(usize, Url)>,
    /// Links beside its first page that narrow it.
    pub facets: Vec<Facet>,
    /// Why the reading ended, once it has.
    pub end: Option<ReadingEnd>,
}

impl Reading {
    /// A query that is about to be sent.
    pub fn new(number: u32, query: Query, send: Request) -> Reading {
        Reading {
            number,
            query,
            pages: 0,
            pages_before: 0,
            send,
            total: None,
            hops: 0,
            reopened: false,
            trail: AnswerPages::default(),
            found: Vec::new(),
            details: VecDeque::new(),
            facets: Vec::new(),
            end: None,
        }
    }

    /// One that was left off and is read on.
    pub fn on(number: u32, query: Query, place: Place) -> Reading {
        let Place { next, pages, total, trail } = place;
        Reading { pages, pages_before: pages, total, trail, ..Reading::new(number, query, next) }
    }

    /// Its records, as policies see them.
    pub fn hits<'a>(&'a self) -> Vec<Hit<'a>> {
        let hit = |(record, is_new): &'a (Record, bool)| Hit {
            id: record.id,
            is_new: *is_new,
            title: &record.title,
            text: &record.text,
            fields: &record.fields,
        };
        self.found.iter().map(hit).collect()
    }

    /// The answer so far.
    pub fn asked<'a>(&'a self, hits: &'a [Hit<'a>]) -> QueryOutcome<'a> {
        let end = self.end.unwrap_or(ReadingEnd::Paused);
        let pages = self.pages - self.pages_before;
        QueryOutcome { query: &self.query, hits, total: self.total, pages, end }
    }

    /// Adds a record; its own page is fetched later, when that is wanted.
    pub fn add(&mut self, record: Record, is_new: bool, wants_detail: bool) {
        let page = record.url.clone().filter(|_| is_new && wants_detail);
        if let Some(url) = page.filter(|_| self.details.len() < MOST_DETAILS) {
            self.details.push_back((self.found.len(), url));
        }
        self.found.push((record, is_new));
    }

    /// Whether it asks for everything or for what a link leads to, so that no word is at work in it.
    pub fn is_browsing(&self) -> bool {
        self.query.link.is_some() || self.query == Query::default()
    }

    /// Whether the last pages of this size brought nothing new.
    pub fn is_stale(&self, page_size: u32) -> bool {
        let last = self.found.iter().rev().take((STALE_PAGES * page_size) as usize);
        self.pages >= STALE_PAGES && last.into_iter().all(|(_, is_new)| !is_new)
    }

    /// How many of its records were new.
    pub fn new_records(&self) -> u32 {
        self.found.iter().filter(|(_, is_new)| *is_new).count() as u32
    }

    /// Its records' numbers.
    pub fn ids(&self) -> Vec<RecordId> {
        self.found.iter().map(|(record, _)| record.id).collect()
    }
}
