//! Decides whether a harvest is complete.
//!
//! [`CompletionState::ending`] is called before each query. It checks, in this order:
//!
//! 1. All answers are the same: the form does not search ([`SearchCheck`]).
//! 2. The wanted number of records is reached.
//! 3. The wanted coverage is reached by the size estimate ([`stop::is_covered`]). The estimate counts only after
//!    [`MIN_ANSWERED_WORDS`] words had records and if the last [`COMPARED_QUERIES`] queries found no more new records
//!    than it leaves; or if queries without words showed most records. While the last queries bring many new records,
//!    the lower end of the interval has to reach the coverage too.
//! 4. Both the recent and the expected yield, in new records per request, are low ([`stop::is_low_yield`]).
//! 5. The last `B` queries returned no new record, with `B = min(20 + R / 20, 100)` for `R` known records, and no
//!    browse list is left. `B` is 100 while the estimated coverage is below the target. A harvest without records first
//!    sends all words of the entry page and its language.

use super::search_check::SearchCheck;
use super::{HarvestEnding, HarvestOptions};
use crate::harvest::estimate::stop;
use crate::harvest::estimate::{EstimateEvidence, SizeEstimate, SizeEstimator};
use crate::harvest::policy::QueryOutcome;
use crate::harvest::query::Query;
use std::collections::VecDeque;

/// Base of `B`: consecutive queries without a new record that end a harvest. Guess.
const MIN_QUERIES_WITHOUT_NEW: u64 = 20;
/// Maximum of `B`. Guess.
const MAX_QUERIES_WITHOUT_NEW: u64 = 100;
/// Known records that allow one more query without a new record. Guess.
const RECORDS_PER_QUERY_WITHOUT_NEW: u64 = 20;
/// Number of words with records before an estimate from words ends a harvest. Guess: two are not enough, because the
/// words of one name occur together and are not independent observations.
const MIN_ANSWERED_WORDS: u32 = 5;
/// Latest queries whose new records are compared with the unseen records of an estimate. Guess.
const COMPARED_QUERIES: usize = 10;
/// Requests before the recent yield is used to choose facets. Guess.
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
    /// Records that queries without words returned first: browse lists, the empty query, and filters.
    records_from_lists: u64,
    /// Records that the empty query lists.
    listed_by_empty_query: u64,
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
        // A facet keeps the words of the answer that it narrows.
        let has_words = !outcome.query.words.trim().is_empty();
        let is_search = has_words && outcome.query.link.is_none() && outcome.query.after == 0;
        self.answered_words += u32::from(is_search && !outcome.hits.is_empty());
        if !has_words {
            self.records_from_lists += outcome.hits.iter().filter(|hit| hit.is_new).count() as u64;
        }
        if outcome.query.after(0) == Query::default() {
            let listed = u64::from(outcome.query.after) + outcome.hits.len() as u64;
            self.listed_by_empty_query = self.listed_by_empty_query.max(listed);
        }
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
        self.ending_by(self.estimate(false), options.coverage, search_check, prospects)
    }

    /// Ending by rules 3 to 5.
    fn ending_by(
        &self,
        estimate: Option<SizeEstimate>,
        target: f64,
        search_check: &SearchCheck,
        prospects: &Prospects,
    ) -> Option<HarvestEnding> {
        if estimate.is_some_and(|estimate| self.is_covered(&estimate, target, prospects)) {
            return Some(HarvestEnding::Covered);
        }
        let (requests, new) = self.recent.sums();
        if stop::is_low_yield(requests, new, prospects.expected_yield) {
            return Some(HarvestEnding::Unprofitable);
        }
        let is_short = estimate.is_some_and(|estimate| estimate.coverage.estimate < target);
        (self.has_no_new_records(is_short, prospects) && !prospects.has_browse_query)
            .then(|| ending_without_new(search_check, prospects))
    }

    /// Returns true if the estimate reaches the wanted coverage and may be used: queries without words showed at least
    /// half of the records, or at least [`MIN_ANSWERED_WORDS`] words had records and the last queries found no more
    /// new records than the estimate leaves.
    fn is_covered(&self, estimate: &SizeEstimate, target: f64, prospects: &Prospects) -> bool {
        let left = estimate.size.estimate - estimate.seen as f64;
        let is_contradicted = self.recent.of_last_queries().1 as f64 > left;
        let may_be_used = self.lists_showed_most(prospects)
            || self.answered_words >= MIN_ANSWERED_WORDS && !is_contradicted;
        may_be_used && stop::is_covered(target, estimate, self.latest_yield(prospects))
    }

    /// Returns true if queries without words returned at least half of the records.
    fn lists_showed_most(&self, prospects: &Prospects) -> bool {
        let listed = self.records_from_lists.max(self.listed_by_empty_query);
        listed > 0 && 2 * listed >= prospects.records
    }

    /// Returns true after too many queries without a new record. `is_short`: the wanted coverage is not reached.
    fn has_no_new_records(&self, is_short: bool, prospects: &Prospects) -> bool {
        // Words of the entry page are better evidence than the policy's first words.
        if prospects.has_opening_words {
            return false;
        }
        let by_records = MIN_QUERIES_WITHOUT_NEW + prospects.records / RECORDS_PER_QUERY_WITHOUT_NEW;
        let allowed = if is_short { MAX_QUERIES_WITHOUT_NEW } else { by_records };
        u64::from(self.recent.queries_without_new) >= allowed.min(MAX_QUERIES_WITHOUT_NEW)
    }

    /// New records per request of the last queries. 0 if queries without words returned most records, because the yield
    /// of a list does not show what words will return.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::estimate::EstimateInterval;
    use crate::harvest::policy::{Hit, ReadingEnd, StatedTotal};
    use crate::harvest::query::BrowseLink;
    use crate::harvest::record::RecordId;
    use url::Url;

    /// Records and the words of a query that returned them, as ids.
    fn learn(
        state: &mut CompletionState,
        query: &Query,
        new: std::ops::Range<u64>,
        known: std::ops::Range<u64>,
    ) {
        let hit = |id, is_new| Hit { id: RecordId(id), is_new, title: "", text: "", fields: &[] };
        let hits: Vec<Hit<'_>> = new.map(|id| hit(id, true)).chain(known.map(|id| hit(id, false))).collect();
        let (total, end) = (Some(StatedTotal::Exactly(hits.len() as u64)), ReadingEnd::LastPage);
        state.learn(&QueryOutcome { query, hits: &hits, total, pages: 1, end });
    }

    fn link(path: &str) -> BrowseLink {
        let url = Url::parse("http://a.example").unwrap().join(path).unwrap();
        BrowseLink { label: path.to_string(), url }
    }

    #[test]
    fn an_estimate_that_may_not_be_used_does_not_keep_a_harvest_alive() {
        let all = EstimateInterval { low: 1.0, estimate: 1.0, high: 1.0 };
        let size = EstimateInterval { low: 40.0, estimate: 40.0, high: 40.0 };
        let estimate = Some(SizeEstimate { seen: 40, size, coverage: all });
        let mut state = CompletionState::default();
        let ending = |state: &CompletionState| {
            let (expected_yield, has_browse_query, has_opening_words) = (Some(1.0), false, false);
            let prospects = Prospects { records: 40, expected_yield, has_browse_query, has_opening_words };
            state.ending_by(estimate, 0.95, &SearchCheck::default(), &prospects)
        };
        learn(&mut state, &Query::words("sea"), 0..40, 0..0);
        assert_eq!(ending(&state), None, "one word is too few");
        for word in 0..40 {
            learn(&mut state, &Query::words(&format!("x{word}")), 0..0, 0..0);
        }
        assert_eq!(ending(&state), Some(HarvestEnding::Unprofitable));
    }

    #[test]
    fn only_records_that_a_query_without_words_returned_first_count_as_listed() {
        let mut state = CompletionState::default();
        learn(&mut state, &Query::words("sea"), 0..40, 0..0);
        learn(&mut state, &Query::words("sea").narrowed(link("/fish")), 40..50, 0..40);
        assert_eq!(state.records_from_lists, 0, "a facet keeps the words");
        learn(&mut state, &Query::default().narrowed(link("/fish")), 50..60, 0..50);
        assert_eq!(state.records_from_lists, 10, "records that were known do not count");
    }
}
