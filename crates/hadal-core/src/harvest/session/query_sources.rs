//! Sources of queries: browse lists first, then words of the entry page while there is no record, then the policy's
//! query or a facet, whichever is expected to return more new records per request.

use super::guarded_policy::GuardedPolicy;
use super::opening_words::OpeningWords;
use super::paused::PausedReadings;
use super::reading::{AnswerReading, LIST_PART, MAX_PAGES, STALE_LIST_PAGES, STALE_QUERY_PAGES};
use super::surroundings::Surroundings;
use super::{DetailMode, EntryPage, ParsedResponse};
use crate::harvest::answer::{Facet, request_key};
use crate::harvest::browse::{BrowseState, FacetEstimate};
use crate::harvest::policy::result_cap::ResultCap;
use crate::harvest::policy::{Policy, QueryOutcome, ReadingEnd, RequestCosts};
use crate::harvest::query::Query;
use crate::http::Request;
use crate::page::Page;
use rustc_hash::FxHashSet;
use url::Url;

/// Page size in records that is assumed before an answer with several pages was read. Guess.
const DEFAULT_PAGE_SIZE: u32 = 10;
/// Queries without a record after which the empty query is sent. Guess.
const QUERIES_BEFORE_EMPTY: u32 = 2;

/// Policy, browse lists, opening words and paused answers, with the facts about answers that they share.
pub struct QuerySources {
    /// The session sends the policy's queries only, until none is left.
    pub is_refresh: bool,
    pub browse: BrowseState,
    pub paused: PausedReadings,
    pub policy: GuardedPolicy,
    opening_words: OpeningWords,
    surroundings: Surroundings,
    /// Keys of requests for first pages that were answered without a record.
    answered_empty: FxHashSet<u64>,
    cap: ResultCap,
    /// Maximum number of records seen on one page of a longer answer.
    page_size: u32,
    /// Queries sent, and redirects on the way to their first pages.
    sent: u32,
    redirects: u32,
    /// Detail pages per new record.
    detail_cost: f64,
}

/// State of a harvest on which the choice of a query depends.
pub struct HarvestProgress {
    /// Number of finished queries.
    pub queries: u32,
    /// Number of records found.
    pub records: u64,
    /// Estimated share of all records that were not found.
    pub unseen: Option<f64>,
    /// New records per request of the last queries.
    pub recent_yield: Option<f64>,
    /// The form has a box for words.
    pub takes_words: bool,
}

impl QuerySources {
    /// Creates sources that have learned nothing.
    pub fn new(policy: Box<dyn Policy>, details: DetailMode) -> QuerySources {
        QuerySources {
            is_refresh: false,
            browse: BrowseState::default(),
            paused: PausedReadings::default(),
            policy: GuardedPolicy::new(policy),
            opening_words: OpeningWords::default(),
            surroundings: Surroundings::default(),
            answered_empty: FxHashSet::default(),
            cap: ResultCap::default(),
            page_size: 0,
            sent: 0,
            redirects: 0,
            detail_cost: if details == DetailMode::Always { 1.0 } else { 0.0 },
        }
    }

    /// Costs of queries and pages in requests.
    pub fn costs(&self) -> RequestCosts {
        let page_size = self.page_size.max(DEFAULT_PAGE_SIZE);
        let query = 1.0 + f64::from(self.redirects) / f64::from(self.sent.max(1));
        RequestCosts { query, page: 1.0, detail: self.detail_cost, page_size, cap: self.cap.value() }
    }

    /// Learns the cost of a query from the redirects on the way to its first page.
    pub fn add_first_page(&mut self, redirects: u32) {
        self.sent += 1;
        self.redirects += redirects;
    }

    /// Takes browse lists and words from the entry page. A list of all records (`lists_all`) needs no browse lists.
    pub fn add_entry_page(&mut self, page: &Page, lists_all: bool) {
        if !lists_all {
            self.browse.find_lists(page, "");
        }
        self.opening_words = OpeningWords::of(page);
        self.surroundings = Surroundings::of(page);
    }

    /// Another page of the site to take words from, if all words so far matched nothing.
    pub fn look_around(&mut self, progress: &HarvestProgress) -> Option<Url> {
        let is_due = progress.records == 0
            && progress.queries > 0
            && progress.takes_words
            && self.opening_words.is_empty()
            && !self.is_refresh;
        if is_due { self.surroundings.take_next() } else { None }
    }

    /// Takes words of another page of the site for the next queries.
    pub fn add_surroundings(&mut self, response: &ParsedResponse) {
        let document = response.document.as_ref().filter(|_| (200..300).contains(&response.status));
        if let Some(page) = document.map(|document| &document.page) {
            self.opening_words.add(OpeningWords::of(page));
            self.surroundings.add_links(page);
        }
    }

    /// Next query, or `None` if none is left.
    pub fn next_query(&mut self, progress: &HarvestProgress) -> Option<Query> {
        let costs = self.costs();
        if self.is_refresh {
            return self.policy.choose(&costs, &self.paused);
        }
        if let Some(query) = self.browse_query(progress).or_else(|| self.opening_query(progress)) {
            return Some(query);
        }
        let facet = self.best_facet(progress);
        match (self.policy.choose(&costs, &self.paused), facet) {
            (Some(query), Some(facet)) if facet.new_per_request <= self.policy_yield(progress) => Some(query),
            (_, Some(facet)) => Some(facet.query),
            (query, None) => query,
        }
    }

    /// Next query of the browse lists. They are followed once a query has shown what records look like. The empty query
    /// is also sent when the first queries returned nothing.
    pub fn browse_query(&self, progress: &HarvestProgress) -> Option<Query> {
        let is_early = |query: &Query| query.link.is_none() && progress.queries >= QUERIES_BEFORE_EMPTY;
        self.browse.next_query().filter(|query| progress.records > 0 || is_early(query))
    }

    /// Returns true while there is no record and words of the entry page are left.
    pub fn has_opening_words(&self, progress: &HarvestProgress) -> bool {
        progress.records == 0 && !self.opening_words.is_empty() && progress.takes_words
    }

    /// Word of the entry page or its language, while there is no record.
    fn opening_query(&mut self, progress: &HarvestProgress) -> Option<Query> {
        let is_due = self.has_opening_words(progress) && self.opening_words.is_due(progress.queries);
        if is_due { self.opening_words.take_next().map(|word| Query::words(&word)) } else { None }
    }

    /// Facet with the most expected new records per request.
    fn best_facet(&self, progress: &HarvestProgress) -> Option<FacetEstimate> {
        self.browse.best_facet(&self.costs(), progress.unseen)
    }

    /// Most new records per request that the policy's best query or a facet is expected to return.
    pub fn expected_yield(&self, progress: &HarvestProgress) -> Option<f64> {
        let of_facet = self.best_facet(progress).map(|facet| facet.new_per_request);
        of_facet.into_iter().chain(self.policy.expected_yield(&self.costs())).reduce(f64::max)
    }

    /// Expected new records per request of the policy's best query, at most the recent yield. Without an
    /// expectation it is the recent yield. Without both it is infinite, so that no facet is preferred before
    /// there is evidence.
    fn policy_yield(&self, progress: &HarvestProgress) -> f64 {
        let expected = self.policy.expected_yield(&self.costs()).unwrap_or(0.0);
        let recent = progress.recent_yield;
        if expected > 0.0 {
            recent.map_or(expected, |recent| recent.min(expected))
        } else {
            recent.unwrap_or(f64::INFINITY)
        }
    }

    /// Returns true if the first page of a query was answered without a record before.
    pub fn is_answered_empty(&self, query: &Query, form: &EntryPage) -> bool {
        query.after == 0 && self.answered_empty.contains(&request_key(&form.request_for(query)))
    }

    /// Starts the query with this number, or continues its paused answer.
    pub fn start(&mut self, number: u32, query: Query, form: &EntryPage) -> AnswerReading {
        match self.paused.take(&query) {
            Some(paused) => AnswerReading::resume(number, query, paused),
            None => AnswerReading::new(number, query.clone(), form.request_for(&query)),
        }
    }

    /// Reason not to read the next page of an answer now. A list of all records (`lists_all`) is read in parts, to its
    /// end or until it repeats itself.
    pub fn end_before_next_page(&self, reading: &AnswerReading, lists_all: bool) -> Option<ReadingEnd> {
        let continues = match lists_all && !self.is_refresh {
            true if reading.is_stale(STALE_LIST_PAGES, self.page_size) => return Some(ReadingEnd::LastPage),
            true => reading.own_pages() < LIST_PART,
            false => reading.pages < MAX_PAGES && self.wants_next_page(reading),
        };
        if continues { None } else { Some(ReadingEnd::Paused) }
    }

    fn wants_next_page(&self, reading: &AnswerReading) -> bool {
        if reading.is_browsing() && !self.is_refresh {
            return !reading.is_stale(STALE_LIST_PAGES, self.page_size);
        }
        if !self.is_refresh && reading.is_stale(STALE_QUERY_PAGES, self.page_size) {
            return false;
        }
        self.policy.wants_next_page(reading, &self.costs())
    }

    /// Learns the page size from a page that is not the last of its answer.
    pub fn add_full_page(&mut self, records: usize) {
        self.page_size = self.page_size.max(records as u32);
    }

    /// Stores an answer that is paused or empty. Returns the request for the next page of a paused one.
    pub fn end_reading(&mut self, reading: &AnswerReading, form: &EntryPage) -> Option<Request> {
        let is_empty = reading.query.after == 0 && reading.records.is_empty();
        if is_empty && reading.end == Some(ReadingEnd::LastPage) {
            self.answered_empty.insert(request_key(&form.request_for(&reading.query)));
        }
        self.paused.add(reading, form.lists_all())
    }

    /// Learns from an answer.
    pub fn learn(&mut self, outcome: &QueryOutcome<'_>) {
        self.cap.learn(outcome);
        self.browse.learn(outcome);
        self.policy.learn(outcome);
    }

    /// Queues the facets of an answer that shows only a part of its matches. Returns true if any of them is new.
    pub fn add_facets(&mut self, outcome: &QueryOutcome<'_>, facets: Vec<Facet>) -> bool {
        self.cap.cuts(outcome) && self.browse.add_facets(outcome, facets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::{PolicyContext, find_policy};

    #[test]
    fn redirects_are_part_of_the_cost_of_a_query() {
        let policy = find_policy("hadal").unwrap().make(&PolicyContext::default());
        let mut sources = QuerySources::new(policy, DetailMode::Never);
        assert_eq!(sources.costs().query, 1.0);
        sources.add_first_page(1);
        sources.add_first_page(0);
        assert_eq!(sources.costs().query, 1.5);
    }
}
