//! Decides whether a harvest is complete.
//!
//! [`HarvestSession::completion`] is called before each query. It checks, in this order:
//!
//! 1. The first answers are all the same: the form does not search.
//! 2. The wanted number of records is reached.
//! 3. [`stop::stop_reason`]: the wanted coverage is reached by the size estimate, or both the recent and the
//!    expected yield are below [`MIN_YIELD`]. Yield is the number of new records per request. Coverage counts
//!    only after [`MIN_ANSWERED_WORDS`] words had records, unless the empty query or lists showed most
//!    records. An estimate of fewer unseen records than the last [`COMPARED_QUERIES`] queries found is
//!    ignored. While the last queries bring many new records, the lower end of the interval has to reach the
//!    coverage too.
//! 4. The last `B` queries returned no new record, with `B = min(20 + R / 20, 100)` for `R` known records, and no
//!    browse list is left. `B` is 100 while the estimated coverage is below the target. A harvest without records first
//!    sends all words of the entry page and its language.

use super::{HarvestEnding, HarvestSession};
use crate::harvest::estimate::SizeEstimate;
use crate::harvest::estimate::stop::MIN_YIELD;
use crate::harvest::estimate::stop::{self, StopEvidence, StopReason, StopRule};
use crate::harvest::policy::QueryOutcome;
use std::collections::VecDeque;

/// Base of `B`: consecutive queries without a new record that end a harvest. Guess.
const MIN_QUERIES_WITHOUT_NEW: u64 = 20;
/// Greatest value of `B`. Guess.
const MAX_QUERIES_WITHOUT_NEW: u64 = 100;
/// Known records that allow one more query without a new record. Guess.
const RECORDS_PER_QUERY_WITHOUT_NEW: u64 = 20;
/// Words with records before an estimate from words ends a harvest. Guess: two words of one name always occur
/// together and give one observation.
const MIN_ANSWERED_WORDS: u32 = 5;
/// Latest queries whose new records are compared with the unseen records of an estimate. Guess.
const COMPARED_QUERIES: usize = 10;
/// Requests before the recent yield is used. Guess.
const MIN_REQUESTS: u64 = 20;

/// New records of the last queries.
#[derive(Default)]
pub struct RecentYield {
    /// Requests and new records of each of the last queries, which cover [`stop::WINDOW`] requests.
    window: VecDeque<(u64, u64)>,
    /// Consecutive queries without a new record.
    queries_without_new: u32,
}

impl RecentYield {
    /// Adds a finished query.
    pub fn add(&mut self, outcome: &QueryOutcome<'_>) {
        let new = outcome.hits.iter().filter(|hit| hit.is_new).count() as u64;
        self.queries_without_new = if new > 0 { 0 } else { self.queries_without_new + 1 };
        self.window.push_back((u64::from(outcome.pages.max(1)), new));
        while self.window.iter().skip(1).map(|query| query.0).sum::<u64>() >= stop::WINDOW {
            self.window.pop_front();
        }
    }

    /// Requests and new records in the window.
    fn sums(&self) -> (u64, u64) {
        self.window.iter().fold((0, 0), |sum, query| (sum.0 + query.0, sum.1 + query.1))
    }

    /// Requests and new records of the last [`COMPARED_QUERIES`] queries.
    fn of_last_queries(&self) -> (u64, u64) {
        let last = self.window.iter().rev().take(COMPARED_QUERIES);
        last.fold((0, 0), |sum, query| (sum.0 + query.0, sum.1 + query.1))
    }

    /// New records per request; `None` after fewer than [`MIN_REQUESTS`] requests.
    pub fn per_request(&self) -> Option<f64> {
        let (requests, new) = self.sums();
        (requests >= MIN_REQUESTS).then(|| new as f64 / requests as f64)
    }
}

impl HarvestSession {
    /// Returns the ending if the harvest is complete.
    pub(super) fn completion(&self) -> Option<HarvestEnding> {
        if self.search_check.are_first_pages_alike() {
            return Some(HarvestEnding::SameAnswers);
        }
        if self.options.records.is_some_and(|wanted| self.record_count() >= wanted) {
            return Some(HarvestEnding::Enough);
        }
        let rule = StopRule { coverage: self.options.coverage, least_yield: MIN_YIELD };
        let estimate = self.estimate();
        let is_short = estimate.is_some_and(|estimate| estimate.coverage.estimate < rule.coverage);
        match stop::stop_reason(&rule, &self.stop_evidence(estimate.as_ref())) {
            Some(StopReason::Covered)
                if !self.lists_showed_most() && self.answered_words < MIN_ANSWERED_WORDS =>
            {
                None
            }
            Some(StopReason::Covered) if estimate.is_some_and(|estimate| self.is_contradicted(&estimate)) => {
                None
            }
            Some(StopReason::Covered) => Some(HarvestEnding::Covered),
            Some(StopReason::LowYield) => Some(HarvestEnding::Unprofitable),
            None => {
                (self.is_barren(is_short) && self.browse_query().is_none()).then(|| self.ending_without_new())
            }
        }
    }

    /// Returns true if the last queries returned more records than the estimate leaves. A list of all records
    /// that was read at once is not a contradiction.
    fn is_contradicted(&self, estimate: &SizeEstimate) -> bool {
        let left = estimate.size.estimate - estimate.seen as f64;
        !self.lists_showed_most() && self.recent.of_last_queries().1 as f64 > left
    }

    /// Returns true if the empty query or browse lists showed most records.
    fn lists_showed_most(&self) -> bool {
        self.records_from_lists > 0 && 2 * self.records_from_lists >= self.record_count()
    }

    /// Ending after too many queries without a new record.
    fn ending_without_new(&self) -> HarvestEnding {
        match self.record_count() == 0 && self.search_check.are_texts_alike() {
            true => HarvestEnding::SameAnswers,
            false => HarvestEnding::Unprofitable,
        }
    }

    /// Returns true after too many queries without a new record. `is_short`: the wanted coverage is not reached.
    fn is_barren(&self, is_short: bool) -> bool {
        // Words of the entry page are better evidence than the policy's first words.
        if self.record_count() == 0 && !self.opening_words.is_empty() && self.entry_page.takes_words() {
            return false;
        }
        let by_records = MIN_QUERIES_WITHOUT_NEW + self.record_count() / RECORDS_PER_QUERY_WITHOUT_NEW;
        let allowed = if is_short { MAX_QUERIES_WITHOUT_NEW } else { by_records };
        u64::from(self.recent.queries_without_new) >= allowed.min(MAX_QUERIES_WITHOUT_NEW)
    }

    fn stop_evidence<'a>(&self, estimate: Option<&'a SizeEstimate>) -> StopEvidence<'a> {
        let (recent_requests, recent_new) = self.recent.sums();
        let costs = self.costs();
        let of_policy = self.policy_candidates(&costs, 1).pop().map(|(_, new)| costs.yield_of(new));
        let of_facet = self.best_facet(&costs).map(|facet| facet.new_per_request);
        let expected_yield = of_facet.into_iter().chain(of_policy).reduce(f64::max);
        StopEvidence {
            recent_requests,
            recent_new,
            latest_yield: self.latest_yield(),
            expected_yield,
            estimate,
        }
    }

    /// New records per request of the last queries; 0 after a list of all records, which says nothing about words.
    fn latest_yield(&self) -> f64 {
        let (requests, new) = self.recent.of_last_queries();
        if self.lists_showed_most() { 0.0 } else { new as f64 / requests.max(1) as f64 }
    }
}
