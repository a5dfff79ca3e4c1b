//! From what was seen to an interval that holds nine times in ten.
//!
//! Where totals are told, what they say of the size is nearly right, and [`log_size`] says by how much it errs.
//! Where they are not, there is the capture history alone: a weighted sum of its features is the logarithm of
//! unseen to seen records, and the interval around it, [`log_odds`], is wide.
//!
//! Errors were read off harvests by the `hadal` policy of 2,000 and of 6,000 records from each of several collections
//! (fourteen for totals, three of them generated; nine without), under 12 to 18 settings of cap, order, index, totals
//! and page size: weights by regression, ends as quantiles of what was left, each collection left out in turn. `hadal
//! eval harvest` says how often they hold. Without totals they hold less where one uncapped answer brings nearly
//! everything.

use super::evidence::FEATURES;
use super::survey::Surveyed;

/// Standard error of what totals say of the logarithm of the size that is never undercut, and what comes of it: a
/// factor, and a power.
const LEAST_ERROR: f64 = 0.03;
const SPREAD: (f64, f64) = (1.344, 1.342);

/// Quantiles of the error of totals, in units of its spread: 3 %, 50 %, 97 %.
const TOTALS: [f64; 3] = [-2.024, -0.044, 3.698];

/// Weights of the features.
const WEIGHTS: [f64; FEATURES] = [-0.094, -0.109, -0.062, -0.053, 0.074, 1.001, -0.899, 0.451, -0.566];

/// Sums at which the quantiles were taken.
const KNOTS: [f64; 5] = [-2.129, -0.968, -0.243, 0.458, 1.462];

/// Quantiles of the error at these sums: 1 %, 50 %, 93 %. Unequal, for coverage is understated rather.
const ERRORS: [[f64; 5]; 3] = [
    [-1.439, -1.719, -1.726, -1.121, -1.422],
    [0.005, -0.171, -0.068, 0.052, 0.088],
    [1.090, 0.813, 0.805, 0.939, 0.986],
];

/// Where there may be as few unseen records as one to twenty seen ones, there may be none.
const MAYBE_NONE: f64 = -3.0;

/// Logarithm of all to seen records, by totals: low, middle, high.
pub fn log_size(surveyed: &Surveyed, seen: f64) -> [f64; 3] {
    let size = (surveyed.size / seen).ln().max(0.0);
    let (factor, power) = SPREAD;
    let spread = factor * surveyed.error.hypot(LEAST_ERROR).powf(power);
    TOTALS.map(|quantile| (size + quantile * spread).max(0.0))
}

fn dot<const N: usize>(features: [f64; N], weights: [f64; N]) -> f64 {
    features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum()
}

/// Logarithm of unseen to seen records: low, middle, high.
pub fn log_odds(features: &[f64; FEATURES]) -> [f64; 3] {
    let sum = dot(*features, WEIGHTS);
    let [low, middle, high] = ERRORS.map(|errors| sum + between(&errors, sum));
    [if low < MAYBE_NONE { f64::NEG_INFINITY } else { low }, middle, high]
}

/// The error at a sum, by lines between the knots; level beyond them.
fn between(errors: &[f64; 5], sum: f64) -> f64 {
    let above = KNOTS.partition_point(|knot| *knot <= sum);
    if above == 0 || above == KNOTS.len() {
        return errors[above.saturating_sub(1)];
    }
    let share = (sum - KNOTS[above - 1]) / (KNOTS[above] - KNOTS[above - 1]);
    errors[above - 1] + share * (errors[above] - errors[above - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_trusted_less_the_more_they_disagree() {
        let width = |error: f64| {
            let [low, middle, high] = log_size(&Surveyed { size: 2_000.0, error }, 1_000.0);
            assert!(0.0 <= low && low <= middle && middle <= high);
            high - low
        };
        assert!(width(0.0) > 0.0 && width(0.1) > width(0.0) && width(0.5) > width(0.1));
        assert_eq!(log_size(&Surveyed { size: 2_000.0, error: 0.1 }, 4_000.0)[0], 0.0);
    }

    #[test]
    fn ends_are_in_order_whatever_the_features() {
        for level in [-6.0, -2.0, -0.3, 0.9, 6.0] {
            let mut features = [level; FEATURES];
            features[0] = 1.0;
            let [low, middle, high] = log_odds(&features);
            assert!(low <= middle && middle <= high, "{level}: {low} {middle} {high}");
        }
    }

    #[test]
    fn errors_are_joined_by_lines() {
        let errors = [0.0, 1.0, 2.0, 3.0, 4.0];
        let half = (KNOTS[1] + KNOTS[2]) / 2.0;
        assert!((between(&errors, half) - 1.5).abs() < 1e-9);
        assert_eq!((between(&errors, -99.0), between(&errors, 99.0)), (0.0, 4.0));
    }
}
