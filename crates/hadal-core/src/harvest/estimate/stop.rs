//! Stop rules of a harvest: enough coverage, or a low yield.

use super::SizeEstimate;

/// Number of latest requests over which the yield is measured. Guess.
pub const WINDOW: u64 = 100;

/// The target counts as reached if the lower end of the coverage interval is at most this times `1 - target` below it.
/// Guess.
const TOLERANCE: f64 = 2.0;

/// Minimum of `1 - target` in the tolerance, so that a target of 1 can be reached. Guess.
const MIN_MISSING: f64 = 0.02;

/// While the last queries bring at least this many new records per request, even the lower end of the
/// coverage interval has to reach the target. Guess; a real application with short result lists brought 2.5
/// records per request when its estimate was 0.95 and the true coverage 0.92.
const MIN_GOOD_YIELD: f64 = 0.3;

/// New records or changes per request below which a harvest or refresh is not worth its requests: one in fifty. Guess.
pub const MIN_YIELD: f64 = 0.02;

/// Returns true if the coverage reaches the target by its best estimate, and nearly by the lower end of its
/// interval: `estimate >= target` and `low >= target - 2 * max(1 - target, 0.02)`. While the yield of the last queries
/// is at least [`MIN_GOOD_YIELD`], `low >= target` is required. Later that would cost many requests without new
/// records.
pub fn is_covered(target: f64, estimate: &SizeEstimate, latest_yield: f64) -> bool {
    let missing = (1.0 - target).max(MIN_MISSING);
    let tolerance = if latest_yield >= MIN_GOOD_YIELD { 0.0 } else { TOLERANCE * missing };
    estimate.coverage.estimate >= target && estimate.coverage.low >= target - tolerance
}

/// Returns true if the yield of at least [`WINDOW`] latest requests and the expected yield of the best next query are
/// below [`MIN_YIELD`]. `new` is the number of new records of the latest requests; `expected` is `None` if no query is
/// left.
pub fn is_low_yield(requests: u64, new: u64, expected: Option<f64>) -> bool {
    let is_low = |yielded: f64| yielded < MIN_YIELD;
    requests >= WINDOW && is_low(new as f64 / requests as f64) && expected.is_some_and(is_low)
}

#[cfg(test)]
mod tests {
    use super::super::EstimateInterval;
    use super::*;

    const TARGET: f64 = 0.9;

    fn covered(low: f64, estimate: f64) -> SizeEstimate {
        let size = EstimateInterval { low: 100.0, estimate: 110.0, high: 130.0 };
        SizeEstimate { seen: 100, size, coverage: EstimateInterval { low, estimate, high: 0.99 } }
    }

    #[test]
    fn the_target_is_compared_with_estimate_and_lower_end() {
        assert!(!is_covered(TARGET, &covered(0.5, 0.8), 0.1));
        assert!(is_covered(TARGET, &covered(0.8, 0.92), 0.1));
        assert!(!is_covered(TARGET, &covered(0.5, 0.92), 0.1));
    }

    #[test]
    fn a_harvest_that_pays_continues_until_the_lower_end_reaches_the_target() {
        assert!(!is_covered(TARGET, &covered(0.8, 0.92), 2.5));
        assert!(is_covered(TARGET, &covered(0.91, 0.95), 2.5));
    }

    #[test]
    fn a_yield_is_low_when_both_recent_and_expected_are() {
        assert!(is_low_yield(100, 1, Some(0.01)));
        assert!(!is_low_yield(100, 80, Some(0.01)));
        assert!(!is_low_yield(100, 1, Some(0.5)));
        assert!(!is_low_yield(40, 0, Some(0.01)));
        assert!(!is_low_yield(100, 1, None), "no query is left");
    }
}
