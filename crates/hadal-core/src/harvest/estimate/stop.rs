//! Stop rule of a harvest: enough coverage or low yield.

use super::SizeEstimate;

/// Number of latest requests over which the yield is measured. Guess.
pub const WINDOW: u64 = 100;

/// Minimum of `1 - target` in that tolerance, so that a target of 1 can be reached. Guess.
const MIN_MISSING: f64 = 0.02;

/// New records or changes per request below which a harvest or refresh is not worth its requests: one in fifty. Guess.
pub const MIN_YIELD: f64 = 0.02;

/// The target counts as reached if the lower end of the coverage interval is at most this times `1 - target` below it.
/// Guess.
const TOLERANCE: f64 = 2.0;

/// While the last queries bring at least this many new records per request, even the lower end of the
/// coverage interval has to reach the target. Guess; a real application with short result lists brought 2.5
/// records per request when its estimate was 0.95 and the true coverage 0.92.
const MIN_GOOD_YIELD: f64 = 0.3;

/// Limits at which a harvest stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopRule {
    /// Target coverage, a share of all records.
    pub coverage: f64,
    /// Least yield, in new records per request.
    pub least_yield: f64,
}

/// State of a harvest that the stop rule is applied to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopEvidence<'a> {
    /// Requests of the latest answers: at least [`WINDOW`], fewer at the start.
    pub recent_requests: u64,
    /// New records of the same answers.
    pub recent_new: u64,
    /// New records per request of the last few queries; 0 if they say nothing about the next ones.
    pub latest_yield: f64,
    /// Expected new records per request of the best next query; `None` if no query is left.
    pub expected_yield: Option<f64>,
    /// Estimate of size and coverage, if there is one.
    pub estimate: Option<&'a SizeEstimate>,
}

/// Reason to stop a harvest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The target coverage is reached.
    Covered,
    /// Recent and expected yield are below the least yield.
    LowYield,
}

/// Returns the reason to stop, or `None` to continue.
pub fn stop_reason(rule: &StopRule, evidence: &StopEvidence<'_>) -> Option<StopReason> {
    if evidence.estimate.is_some_and(|estimate| is_covered(rule, estimate, evidence.latest_yield)) {
        return Some(StopReason::Covered);
    }
    let expected = evidence.expected_yield?;
    let recent = evidence.recent_new as f64 / evidence.recent_requests.max(1) as f64;
    let is_measured = evidence.recent_requests >= WINDOW;
    let is_low = is_measured && recent < rule.least_yield && expected < rule.least_yield;
    is_low.then_some(StopReason::LowYield)
}

/// Returns true if the coverage reaches the target by its best estimate, and nearly by the lower end of its
/// interval: `estimate >= target` and `low >= target - 2 * max(1 - target, 0.02)`. While the yield is at
/// least [`MIN_GOOD_YIELD`], `low >= target` is required. Later that would cost many requests without new
/// records.
fn is_covered(rule: &StopRule, estimate: &SizeEstimate, latest_yield: f64) -> bool {
    let missing = 1.0 - rule.coverage;
    let tolerance = if latest_yield >= MIN_GOOD_YIELD { 0.0 } else { TOLERANCE * missing.max(MIN_MISSING) };
    estimate.coverage.estimate >= rule.coverage && estimate.coverage.low >= rule.coverage - tolerance
}

#[cfg(test)]
mod tests {
    use super::super::EstimateInterval;
    use super::*;

    const RULE: StopRule = StopRule { coverage: 0.9, least_yield: 0.05 };

    fn covered(low: f64, estimate: f64) -> SizeEstimate {
        let size = EstimateInterval { low: 100.0, estimate: 110.0, high: 130.0 };
        SizeEstimate { seen: 100, size, coverage: EstimateInterval { low, estimate, high: 0.99 } }
    }

    fn evidence(estimate: Option<&SizeEstimate>) -> StopEvidence<'_> {
        let expected_yield = Some(0.7);
        StopEvidence { recent_requests: 100, recent_new: 80, latest_yield: 0.1, expected_yield, estimate }
    }

    #[test]
    fn a_harvest_with_a_good_yield_continues() {
        assert_eq!(stop_reason(&RULE, &evidence(None)), None);
        assert_eq!(stop_reason(&RULE, &evidence(Some(&covered(0.5, 0.8)))), None);
    }

    #[test]
    fn the_target_is_compared_with_estimate_and_lower_end() {
        assert_eq!(stop_reason(&RULE, &evidence(Some(&covered(0.8, 0.92)))), Some(StopReason::Covered));
        assert_eq!(stop_reason(&RULE, &evidence(Some(&covered(0.5, 0.92)))), None);
    }

    #[test]
    fn a_harvest_that_pays_continues_until_the_lower_end_reaches_the_target() {
        let stop = |estimate: SizeEstimate| {
            stop_reason(&RULE, &StopEvidence { latest_yield: 2.5, ..evidence(Some(&estimate)) })
        };
        assert_eq!(stop(covered(0.8, 0.92)), None);
        assert_eq!(stop(covered(0.91, 0.95)), Some(StopReason::Covered));
    }

    #[test]
    fn a_low_yield_stops_when_both_recent_and_expected() {
        let low = StopEvidence { recent_new: 2, expected_yield: Some(0.01), ..evidence(None) };
        assert_eq!(stop_reason(&RULE, &low), Some(StopReason::LowYield));
        assert_eq!(stop_reason(&RULE, &StopEvidence { expected_yield: Some(0.5), ..low }), None);
        assert_eq!(stop_reason(&RULE, &StopEvidence { recent_requests: 40, ..low }), None);
        let no_queries = StopEvidence { expected_yield: None, ..low };
        assert_eq!(stop_reason(&RULE, &no_queries), None);
    }
}
