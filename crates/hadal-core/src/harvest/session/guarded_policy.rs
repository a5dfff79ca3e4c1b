//! The policy of a session, with a guard against policies that continue answers which the session does not hold.

use super::paused::PausedReadings;
use super::reading::AnswerReading;
use crate::harvest::policy::{MAX_PAUSED, Policy, QueryOutcome, RequestCosts};
use crate::harvest::query::Query;
use rustc_hash::FxHashMap;

/// Number of times that the policy may continue one unknown answer within one choice. Guess.
const MAX_REPEATS: u32 = 3;
/// Maximum number of unknown answers that the policy may continue within one choice: the session may have
/// dropped all paused answers.
const MAX_UNKNOWN_CONTINUATIONS: usize = MAX_PAUSED;

/// A policy and its state.
pub struct GuardedPolicy {
    policy: Box<dyn Policy>,
    /// The policy kept continuing answers that the session does not hold, and is not asked again.
    has_failed: bool,
}

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

impl GuardedPolicy {
    /// Takes a policy that has not failed.
    pub fn new(policy: Box<dyn Policy>) -> GuardedPolicy {
        GuardedPolicy { policy, has_failed: false }
    }

    /// True if the policy is not asked any more.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// The policy's next query. A continuation of an answer that is not `paused` is a failure: the policy is
    /// notified by [`Policy::drop_continuation`] and asked again, until [`UnknownContinuations`] reaches a limit.
    /// Then the policy is never asked again.
    pub fn choose(&mut self, costs: &RequestCosts, paused: &PausedReadings) -> Option<Query> {
        let mut unknown = UnknownContinuations::default();
        while !self.has_failed {
            let query = self.policy.choose(costs)?;
            if query.after == 0 || paused.contains(&query) {
                return Some(query);
            }
            self.has_failed = unknown.count(&query);
            self.policy.drop_continuation(&query);
        }
        None
    }

    /// The policy's best queries, each with its expected new records. Empty once the policy has failed.
    pub fn top_queries(&self, costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        if self.has_failed { Vec::new() } else { self.policy.top_queries(costs, most) }
    }

    /// Expected new records per request of the policy's best query.
    pub fn expected_yield(&self, costs: &RequestCosts) -> Option<f64> {
        self.top_queries(costs, 1).pop().map(|(_, new)| costs.yield_of(new))
    }

    /// Returns true if the policy wants the next page of an answer.
    pub fn wants_next_page(&self, reading: &AnswerReading, costs: &RequestCosts) -> bool {
        self.policy.wants_next_page(&reading.outcome(&reading.hits()), costs)
    }

    /// Learns from an answer. The policy sees the answer of a link without the words that the link narrows, because
    /// its size is unrelated to them.
    pub fn learn(&mut self, outcome: &QueryOutcome<'_>) {
        match &outcome.query.link {
            Some(link) => {
                let query = Query::default().narrowed(link.clone());
                self.policy.learn(&QueryOutcome { query: &query, ..outcome.clone() });
            }
            None => self.policy.learn(outcome),
        }
    }
}
