//! When a harvest is over, and why.

use super::SizeEstimate;

/// Requests over which it is judged whether more of them pay.
pub const WINDOW: u64 = 100;

/// What is wanted of a harvest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopRule {
    /// Share of all records that is enough.
    pub coverage: f64,
    /// New records for each request below which it is not worth the while.
    pub least_yield: f64,
}

/// How a harvest stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopEvidence<'a> {
    /// Requests since the window began, [`WINDOW`] of them when there were as many.
    pub recent_requests: u64,
    /// New records of those.
    pub recent_new: u64,
    /// New records for each request that the policy expects of its best query; `None` when it has none left.
    pub expected_yield: Option<f64>,
    /// What is known of the coverage.
    pub estimate: Option<&'a SizeEstimate>,
}

/// Why a harvest is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Enough of the records have come.
    Covered,
    /// What more requests bring is not worth them.
    LowYield,
    /// Nothing is left to ask.
    NoQueries,
}

/// Whether to stop, and why. The estimate, not its lower end, is held against the target: an interval that
/// lies wholly above it would cost many requests that find nothing. But a target is reached only once the
/// answers agree, that is, when recent requests bring less than the share that would still be missing.
pub fn stop_reason(goal: &StopRule, standing: &StopEvidence<'_>) -> Option<StopReason> {
    if standing.estimate.is_some_and(|estimate| is_covered(goal, estimate)) {
        return Some(StopReason::Covered);
    }
    let Some(expected) = standing.expected_yield else { return Some(StopReason::NoQueries) };
    let recent = standing.recent_new as f64 / standing.recent_requests.max(1) as f64;
    let is_dry =
        standing.recent_requests >= WINDOW && recent < goal.least_yield && expected < goal.least_yield;
    is_dry.then_some(StopReason::LowYield)
}

/// The estimate has reached the target and the lower end is not far below it.
fn is_covered(goal: &StopRule, estimate: &SizeEstimate) -> bool {
    let missing = 1.0 - goal.coverage;
    estimate.coverage.estimate >= goal.coverage
        && estimate.coverage.low >= goal.coverage - 2.0 * missing.max(0.02)
}

#[cfg(test)]
mod tests {
    use super::super::EstimateInterval;
    use super::*;

    const GOAL: StopRule = StopRule { coverage: 0.9, least_yield: 0.05 };

    fn covered(low: f64, estimate: f64) -> SizeEstimate {
        let size = EstimateInterval { low: 100.0, estimate: 110.0, high: 130.0 };
        SizeEstimate { seen: 100, size, coverage: EstimateInterval { low, estimate, high: 0.99 } }
    }

    fn stop_evidence(estimate: Option<&SizeEstimate>) -> StopEvidence<'_> {
        StopEvidence { recent_requests: 100, recent_new: 80, expected_yield: Some(0.7), estimate }
    }

    #[test]
    fn a_harvest_that_pays_goes_on() {
        assert_eq!(stop_reason(&GOAL, &stop_evidence(None)), None);
        assert_eq!(stop_reason(&GOAL, &stop_evidence(Some(&covered(0.5, 0.8)))), None);
    }

    #[test]
    fn the_target_is_held_against_estimate_and_lower_end() {
        assert_eq!(stop_reason(&GOAL, &stop_evidence(Some(&covered(0.8, 0.92)))), Some(StopReason::Covered));
        assert_eq!(stop_reason(&GOAL, &stop_evidence(Some(&covered(0.5, 0.92)))), None);
    }

    #[test]
    fn it_is_dry_when_the_past_and_the_outlook_both_are() {
        let dry = StopEvidence { recent_new: 2, expected_yield: Some(0.01), ..stop_evidence(None) };
        assert_eq!(stop_reason(&GOAL, &dry), Some(StopReason::LowYield));
        assert_eq!(stop_reason(&GOAL, &StopEvidence { expected_yield: Some(0.5), ..dry }), None);
        assert_eq!(stop_reason(&GOAL, &StopEvidence { recent_requests: 40, ..dry }), None);
        assert_eq!(
            stop_reason(&GOAL, &StopEvidence { expected_yield: None, ..dry }),
            Some(StopReason::NoQueries)
        );
    }
}
