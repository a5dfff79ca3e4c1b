//! Chooses the next query: a browse list first, then the policy's query or a facet, whichever is expected to return
//! more new records per request.

use super::reading::AnswerReading;
use super::{DetailMode, HarvestEnding, HarvestSession, SessionStage};
use crate::harvest::answer::request_key;
use crate::harvest::browse::FacetEstimate;
use crate::harvest::policy::MAX_PAUSED;
use crate::harvest::policy::{QueryOutcome, ReadingEnd, RequestCosts};
use crate::harvest::query::Query;
use rustc_hash::FxHashMap;

/// Page size in records that is assumed before an answer with several pages was read. Guess.
const DEFAULT_PAGE_SIZE: u32 = 10;
/// Queries without a record after which the empty query is sent. Guess.
const QUERIES_BEFORE_EMPTY: u32 = 2;
/// Times that the policy may continue one unknown answer within one choice. Guess.
const MAX_REPEATS: u32 = 3;
/// Maximum number of unknown answers that the policy may continue within one choice: the session may have
/// dropped all paused answers.
const MAX_UNKNOWN_CONTINUATIONS: usize = MAX_PAUSED;
/// Maximum number of queries that one choice may skip because their requests were answered without a record.
/// Guess; bounds the loop.
const MAX_SKIPPED_QUERIES: usize = 4_096;

/// Failures of the policy within one choice: requests to continue answers that the session does not hold.
#[derive(Default)]
struct UnknownContinuations {
    total: usize,
    by_query: FxHashMap<Query, u32>,
}

impl UnknownContinuations {
    /// Counts one failure. Returns true when a limit is reached.
    fn count(&mut self, query: &Query) -> bool {
        self.total += 1;
        let repeats = self.by_query.entry(query.after(0)).or_default();
        *repeats += 1;
        *repeats > MAX_REPEATS || self.total > MAX_UNKNOWN_CONTINUATIONS
    }
}

impl HarvestSession {
    /// Costs of queries and pages in requests.
    pub(super) fn costs(&self) -> RequestCosts {
        let detail = if self.options.details == DetailMode::Always { 1.0 } else { 0.0 };
        let page_size = self.page_size.max(DEFAULT_PAGE_SIZE);
        RequestCosts { query: 1.0, page: 1.0, detail, page_size, cap: self.cap.value() }
    }

    /// Ends the harvest if it is complete or has no query left. Otherwise starts the next query.
    pub(super) fn choose(&mut self) -> SessionStage {
        let list = self.list_continuation();
        if let Some(ending) = self.completion().filter(|_| !self.is_refresh && list.is_none()) {
            return SessionStage::Ended(ending);
        }
        let Some(query) = list.or_else(|| self.unanswered_query()) else {
            return SessionStage::Ended(self.exhausted());
        };
        let number = self.queries + 1;
        let reading = match self.paused.take(&query) {
            Some(paused) => AnswerReading::resume(number, query, paused),
            None => AnswerReading::new(number, query.clone(), self.entry_page.request_for(&query)),
        };
        SessionStage::Read(Box::new(reading))
    }

    /// Continuation of a list of all records that was read in part.
    fn list_continuation(&self) -> Option<Query> {
        let is_enough = self.options.records.is_some_and(|wanted| self.record_count() >= wanted);
        let is_wanted = self.entry_page.lists_all() && !self.is_refresh && !is_enough;
        if is_wanted { self.paused.list_continuation() } else { None }
    }

    /// Ending of a harvest without a query left.
    fn exhausted(&self) -> HarvestEnding {
        if self.policy_failed { HarvestEnding::PolicyFailed } else { HarvestEnding::NothingLeft }
    }

    /// Next query with a request that was not yet answered without a record. Policy and browse state learn the empty
    /// answer of the others without a request.
    fn unanswered_query(&mut self) -> Option<Query> {
        for _ in 0..MAX_SKIPPED_QUERIES {
            let query = self.next_query()?;
            let key = request_key(&self.entry_page.request_for(&query));
            if query.after > 0 || !self.answered_empty.contains(&key) {
                return Some(query);
            }
            let (hits, total, end) = (&[], None, ReadingEnd::LastPage);
            self.learn(&QueryOutcome { query: &query, hits, total, pages: 0, end });
        }
        None
    }

    fn next_query(&mut self) -> Option<Query> {
        if self.is_refresh {
            return self.policy_query(&self.costs());
        }
        if let Some(query) = self.browse_query().or_else(|| self.opening_query()) {
            return Some(query);
        }
        let costs = self.costs();
        let facet = self.best_facet(&costs);
        match (self.policy_query(&costs), facet) {
            (Some(query), Some(facet)) if facet.new_per_request <= self.policy_yield(&costs) => Some(query),
            (_, Some(facet)) => Some(facet.query),
            (query, None) => query,
        }
    }

    /// The policy's next query. A continuation of an answer that the session does not hold is a failure: the
    /// policy is notified by [`Policy::drop_continuation`] and asked again, until [`UnknownContinuations`] reaches
    /// a limit. Then the policy is never asked again.
    ///
    /// [`Policy::drop_continuation`]: crate::harvest::policy::Policy::drop_continuation
    fn policy_query(&mut self, costs: &RequestCosts) -> Option<Query> {
        let mut unknown = UnknownContinuations::default();
        while !self.policy_failed {
            let query = self.policy.choose(costs)?;
            if query.after == 0 || self.paused.contains(&query) {
                return Some(query);
            }
            self.policy_failed = unknown.count(&query);
            self.policy.drop_continuation(&query);
        }
        None
    }

    /// The policy's best queries, each with its expected new records. Empty once the policy has failed.
    pub(super) fn policy_candidates(&self, costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        if self.policy_failed { Vec::new() } else { self.policy.top_queries(costs, most) }
    }

    /// Next query of the browse lists. They are followed once a query has shown what records look like. The empty query
    /// is also sent when the first queries returned nothing.
    pub(super) fn browse_query(&self) -> Option<Query> {
        let is_early = |query: &Query| query.link.is_none() && self.queries >= QUERIES_BEFORE_EMPTY;
        self.browse.next_query().filter(|query| self.record_count() > 0 || is_early(query))
    }

    /// Word of the entry page or its language, while there is no record.
    fn opening_query(&mut self) -> Option<Query> {
        let is_due = self.record_count() == 0
            && self.opening_words.is_due(self.queries)
            && self.entry_page.takes_words();
        if is_due { self.opening_words.take_next().map(|word| Query::words(&word)) } else { None }
    }

    /// Facet with the most expected new records per request.
    pub(super) fn best_facet(&self, costs: &RequestCosts) -> Option<FacetEstimate> {
        let unseen = self.estimate().map(|estimate| (1.0 - estimate.coverage.estimate).max(0.0));
        self.browse.best_facet(costs, unseen)
    }

    /// Expected new records per request of the policy's best query, at most the recent yield. Without an
    /// expectation it is the recent yield. Without both it is infinite, so that no facet is preferred before
    /// there is evidence.
    fn policy_yield(&self, costs: &RequestCosts) -> f64 {
        let expected = self.policy_candidates(costs, 1).pop().map_or(0.0, |(_, new)| costs.yield_of(new));
        let recent = self.recent.per_request();
        if expected > 0.0 {
            recent.map_or(expected, |recent| recent.min(expected))
        } else {
            recent.unwrap_or(f64::INFINITY)
        }
    }
}
