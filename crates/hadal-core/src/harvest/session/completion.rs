//! Decides whether a harvest is complete.
//!
//! [`CompletionState::ending`] is called before each query. It checks, in this order:
//!
//! 1. The first answers are all the same: the form does not search.
//! 2. The wanted number of records is reached.
//! 3. [`stop::stop_reason`]: the wanted coverage is reached by the size estimate, or both the recent and the expected
//!    yield are below [`MIN_YIELD`]. Yield is the number of new records per request. Coverage counts only after
//!    [`MIN_ANSWERED_WORDS`] words had records, unless the empty query or lists showed most records. If the last
//!    [`COMPARED_QUERIES`] queries found more new records than the estimate says are left, the estimate is ignored.
//!    While the last queries bring many new records, the lower end of the interval has to reach the coverage too.
//! 4. The last `B` queries returned no new record, with `B = min(20 + R / 20, 100)` for `R` known records, and no
//!    browse list is left. `B` is 100 while the estimated coverage is below the target. A harvest without records first
//!    sends all words of the entry page and its language.

use super::search_check::SearchCheck;
use super::{HarvestEnding, HarvestOptions};
use crate::harvest::estimate::stop::{self, MIN_YIELD, StopEvidence, StopReason, StopRule};
use crate::harvest::estimate::{EstimateEvidence, SizeEstimate, SizeEstimator};
use crate::harvest::policy::QueryOutcome;
use std::collections::VecDeque;

/// Base of `B`: consecutive queries without a new record that end a harvest. Guess.
const MIN_QUERIES_WITHOUT_NEW: u64 = 20;
/// Greatest value of `B`. Guess.
const MAX_QUERIES_WITHOUT_NEW: u64 = 100;
/// Known records that allow one more query without a new record. Guess.
const RECORDS_PER_QUERY_WITHOUT_NEW: u64 = 20;
/// Words with records before an estimate from words ends a harvest. Guess. Words of one name occur together and are not
/// independent observations, so two are not enough.
const MIN_ANSWERED_WORDS: u32 = 5;
/// Latest queries whose new records are compared with the unseen records of an estimate. Guess.
const COMPARED_QUERIES: usize = 10;
/// Requests before the recent yield is used. Guess.
const MIN_REQUESTS: u64 = 20;

/// New records of the last queries.
#[derive(Default)]
struct RecentYield {
    /// Requests and new records of each of the last queries, which cover [`stop::WINDOW`] requests.
    window: VecDeque<(u64, u64)>,
    /// Consecutive queries without a new record.
    queries_without_new: u32,
}

impl RecentYield {
    /// Adds a finished query.
    fn add(&mut self, outcome: &QueryOutcome<'_>) {
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
    fn per_request(&self) -> Option<f64> {
        let (requests, new) = self.sums();
        (requests >= MIN_REQUESTS).then(|| new as f64 / requests as f64)
    }
}

/// Evidence about the completion of a harvest: size estimate, and records that the queries returned.
#[derive(Default)]
pub struct CompletionState {
    estimator: SizeEstimator,
    recent: RecentYield,
    /// Finished queries with words that had records.
    answered_words: u32,
    /// Records that links and the query without words listed.
    records_from_lists: u64,
}

/// Records found, and queries that could be sent next.
pub struct Prospects {
    /// Number of records found.
    pub records: u64,
    /// Most new records per request that a query is expected to return.
    pub expected_yield: Option<f64>,
    /// A browse list is left.
    pub has_browse_query: bool,
    /// There is no record, and words of the entry page are left.
    pub has_opening_words: bool,
}

impl CompletionState {
    /// Learns from an answer.
    pub fn learn(&mut self, outcome: &QueryOutcome<'_>) {
        self.recent.add(outcome);
        let has_words = outcome.query.link.is_none() && !outcome.query.words.trim().is_empty();
        self.answered_words += u32::from(has_words && outcome.query.after == 0 && !outcome.hits.is_empty());
        self.records_from_lists += if has_words { 0 } else { outcome.hits.len() as u64 };
        self.estimator.learn(outcome);
    }

    /// Size estimate. If nothing was estimated and no query is left (`is_exhausted`), the form's stated total counts.
    pub fn estimate(&self, is_exhausted: bool) -> Option<SizeEstimate> {
        self.estimator.estimate().or_else(|| self.estimator.by_stated_total().filter(|_| is_exhausted))
    }

    /// Evidence behind the size estimate.
    pub fn evidence(&self) -> EstimateEvidence {
        self.estimator.evidence()
    }

    /// New records per request of the last queries.
    pub fn recent_yield(&self) -> Option<f64> {
        self.recent.per_request()
    }

    /// Returns the ending if the harvest is complete.
    pub fn ending(
        &self,
        options: &HarvestOptions,
        search_check: &SearchCheck,
        prospects: &Prospects,
    ) -> Option<HarvestEnding> {
        if search_check.are_first_pages_alike() || search_check.always_lists_records() {
            return Some(HarvestEnding::SameAnswers);
        }
        if options.is_enough(prospects.records) {
            return Some(HarvestEnding::Enough);
        }
        let rule = StopRule { coverage: options.coverage, least_yield: MIN_YIELD };
        let estimate = self.estimate(false);
        let is_short = estimate.is_some_and(|estimate| estimate.coverage.estimate < rule.coverage);
        match stop::stop_reason(&rule, &self.stop_evidence(estimate.as_ref(), prospects)) {
            Some(StopReason::Covered) => estimate
                .is_none_or(|estimate| self.may_end_by(&estimate, prospects))
                .then_some(HarvestEnding::Covered),
            Some(StopReason::LowYield) => Some(HarvestEnding::Unprofitable),
            None => (self.is_barren(is_short, prospects) && !prospects.has_browse_query)
                .then(|| ending_without_new(search_check, prospects)),
        }
    }

    /// True if the coverage rule may end the harvest: lists showed at least half of the records, or at least
    /// [`MIN_ANSWERED_WORDS`] words had records and the last queries found no more new records than the estimate
    /// leaves.
    fn may_end_by(&self, estimate: &SizeEstimate, prospects: &Prospects) -> bool {
        let left = estimate.size.estimate - estimate.seen as f64;
        let is_contradicted = self.recent.of_last_queries().1 as f64 > left;
        self.lists_showed_most(prospects) || self.answered_words >= MIN_ANSWERED_WORDS && !is_contradicted
    }

    /// Returns true if the empty query or browse lists showed most records.
    fn lists_showed_most(&self, prospects: &Prospects) -> bool {
        self.records_from_lists > 0 && 2 * self.records_from_lists >= prospects.records
    }

    /// Returns true after too many queries without a new record. `is_short`: the wanted coverage is not reached.
    fn is_barren(&self, is_short: bool, prospects: &Prospects) -> bool {
        // Words of the entry page are better evidence than the policy's first words.
        if prospects.has_opening_words {
            return false;
        }
        let by_records = MIN_QUERIES_WITHOUT_NEW + prospects.records / RECORDS_PER_QUERY_WITHOUT_NEW;
        let allowed = if is_short { MAX_QUERIES_WITHOUT_NEW } else { by_records };
        u64::from(self.recent.queries_without_new) >= allowed.min(MAX_QUERIES_WITHOUT_NEW)
    }

    fn stop_evidence<'a>(
        &self,
        estimate: Option<&'a SizeEstimate>,
        prospects: &Prospects,
    ) -> StopEvidence<'a> {
        let (recent_requests, recent_new) = self.recent.sums();
        let (expected_yield, latest_yield) = (prospects.expected_yield, self.latest_yield(prospects));
        StopEvidence { recent_requests, recent_new, latest_yield, expected_yield, estimate }
    }

    /// New records per request of the last queries; 0 after a list of all records, which says nothing about words.
    fn latest_yield(&self, prospects: &Prospects) -> f64 {
        let (requests, new) = self.recent.of_last_queries();
        if self.lists_showed_most(prospects) { 0.0 } else { new as f64 / requests.max(1) as f64 }
    }
}

/// Ending after too many queries without a new record.
fn ending_without_new(search_check: &SearchCheck, prospects: &Prospects) -> HarvestEnding {
    match prospects.records == 0 && search_check.are_texts_alike() {
        true => HarvestEnding::SameAnswers,
        false => HarvestEnding::Unprofitable,
    }
}
