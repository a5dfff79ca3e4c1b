//! What is asked next, or why nothing is.
//!
//! A list to browse comes before words, a facet when it promises more than they do. Enough is enough: when
//! what was wanted is here, or more requests would bring next to nothing, the harvest is over.

use super::reading::Reading;
use super::{ALIKE, HarvestEnding, HarvestSession, Stage};
use crate::harvest::browse::FacetEstimate;
use crate::harvest::estimate::SizeEstimate;
use crate::harvest::estimate::stop::{self, StopEvidence, StopReason, StopRule};
use crate::harvest::policy::RequestCosts;
use crate::harvest::query::Query;
use rustc_hash::FxHashMap;

/// Queries in a row without a new record after which more do not pay, whatever is expected of them: so many,
/// and one more for every twenty records found, up to a limit.
const BARREN: (u64, u64) = (20, 100);
/// Requests after which what they brought says what more of them bring at most.
const TELLING_REQUESTS: u64 = 20;
/// New records for each request below which more are not worth the while.
const LEAST_YIELD: f64 = 0.02;

/// Times that the policy may continue one unknown answer within one choice. Guess.
const MOST_REPEATS: u32 = 3;
/// Unknown answers that the policy may continue within one choice. As many as the session and the `hadal` policy
/// keep of paused answers, so that a policy may lose them all at once.
const MOST_UNREADABLE: u32 = 4_096;

/// Failures of the policy within one choice: requests to continue answers that the session does not hold.
#[derive(Default)]
struct UnreadableContinuations {
    total: u32,
    by_query: FxHashMap<Query, u32>,
}

impl UnreadableContinuations {
    /// Counts one failure. Returns true when a limit is reached.
    fn count(&mut self, query: &Query) -> bool {
        self.total += 1;
        let repeats = self.by_query.entry(query.after(0)).or_default();
        *repeats += 1;
        *repeats > MOST_REPEATS || self.total > MOST_UNREADABLE
    }
}

impl HarvestSession {
    pub(super) fn costs(&self) -> RequestCosts {
        let detail = if self.wants_details() { 1.0 } else { 0.0 };
        RequestCosts {
            query: 1.0,
            page: 1.0,
            detail,
            page_size: self.page_size.max(10),
            cap: self.cap.value(),
        }
    }

    pub(super) fn choose(&mut self) -> Stage {
        if let Some(ending) = self.is_enough() {
            return Stage::Over(ending);
        }
        let Some(query) = self.next_query() else { return Stage::Over(self.exhausted()) };
        let number = self.queries + 1;
        let reading = match self.shelf.take(&query) {
            Some(place) => Reading::on(number, query, place),
            None => Reading::new(number, query.clone(), self.door.request_for(&query)),
        };
        Stage::Read(Box::new(reading))
    }

    /// The ending when neither policy nor links have a query left.
    fn exhausted(&self) -> HarvestEnding {
        if self.policy_failed { HarvestEnding::PolicyFailed } else { HarvestEnding::NothingLeft }
    }

    /// A list to browse, once it is known what records look like; else words, or a facet that promises more.
    fn next_query(&mut self) -> Option<Query> {
        if let Some(query) = self.to_browse() {
            return Some(query);
        }
        let costs = self.costs();
        let facet = self.facet(&costs);
        match (self.policy_query(&costs), facet) {
            (Some(words), Some(facet)) if facet.new_per_request <= self.worth_of_words(&costs) => Some(words),
            (_, Some(facet)) => Some(facet.query),
            (words, None) => words,
        }
    }

    /// The policy's next query. A continuation of an answer that the session does not hold is a failure: the
    /// policy is notified by [`Policy::drop_continuation`] and asked again, until [`UnreadableContinuations`] reaches
    /// a limit. Then the policy is never asked again.
    ///
    /// [`Policy::drop_continuation`]: crate::harvest::policy::Policy::drop_continuation
    fn policy_query(&mut self, costs: &RequestCosts) -> Option<Query> {
        let mut unreadable = UnreadableContinuations::default();
        while !self.policy_failed {
            let query = self.policy.choose(costs)?;
            if query.after == 0 || self.shelf.has(&query) {
                return Some(query);
            }
            self.policy_failed = unreadable.count(&query);
            self.policy.drop_continuation(&query);
        }
        None
    }

    /// The policy's best queries with the new records it expects of each; none once the policy failed.
    pub(super) fn policy_outlook(&self, costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        if self.policy_failed { Vec::new() } else { self.policy.top_queries(costs, most) }
    }

    fn to_browse(&self) -> Option<Query> {
        self.browse.next_query().filter(|_| self.record_count() > 0)
    }

    fn facet(&self, costs: &RequestCosts) -> Option<FacetEstimate> {
        let unseen = self.estimate().map(|estimate| (1.0 - estimate.coverage.estimate).max(0.0));
        self.browse.best_facet(costs, unseen)
    }

    /// New records for each request that the best words promise, which are no more than came of late.
    fn worth_of_words(&self, costs: &RequestCosts) -> f64 {
        let expected = self.policy_outlook(costs, 1).pop().map_or(0.0, |(_, new)| costs.yield_of(new));
        let (requests, new) = self.recent.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let recent = (requests >= TELLING_REQUESTS).then(|| new as f64 / requests as f64);
        // Some policies expect nothing in particular.
        if expected > 0.0 {
            recent.map_or(expected, |recent| recent.min(expected))
        } else {
            recent.unwrap_or(f64::INFINITY)
        }
    }

    fn is_enough(&self) -> Option<HarvestEnding> {
        let is_first = |page: &u64| *page == self.first_pages[0];
        if self.first_pages.len() == ALIKE && self.first_pages.iter().all(is_first) {
            return Some(HarvestEnding::Alike);
        }
        if self.wishes.records.is_some_and(|wanted| self.record_count() >= wanted) {
            return Some(HarvestEnding::Enough);
        }
        match stop::stop_reason(&self.stop_rule(), &self.stop_evidence(self.estimate().as_ref())) {
            Some(StopReason::Covered) => Some(HarvestEnding::Covered),
            Some(StopReason::LowYield) => Some(HarvestEnding::Unprofitable),
            _ => (self.is_barren() && self.to_browse().is_none()).then_some(HarvestEnding::Unprofitable),
        }
    }

    fn is_barren(&self) -> bool {
        let (least, most) = BARREN;
        u64::from(self.barren) >= (least + self.record_count() / 20).min(most)
    }

    fn stop_rule(&self) -> StopRule {
        StopRule { coverage: self.wishes.coverage, least_yield: LEAST_YIELD }
    }

    fn stop_evidence<'a>(&self, estimate: Option<&'a SizeEstimate>) -> StopEvidence<'a> {
        let sum = |pick: fn(&(u64, u64)) -> u64| self.recent.iter().map(pick).sum();
        let costs = self.costs();
        let best = self.policy_outlook(&costs, 1).pop().map(|(_, new)| costs.yield_of(new));
        let offered = self.facet(&costs).map(|facet| facet.new_per_request);
        StopEvidence {
            recent_requests: sum(|answer| answer.0),
            recent_new: sum(|answer| answer.1),
            expected_yield: offered.into_iter().chain(best).reduce(f64::max),
            estimate,
        }
    }
}
