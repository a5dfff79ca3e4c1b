//! From features to an interval that holds nine times in ten.
//!
//! A weighted sum of the features is the logarithm of unseen to seen records; how far the truth lies to
//! either side of it was read off harvests by the `hadal` policy of 2,000 records from each of four text
//! collections, under ten settings of cap, order, index, totals, page size and failures: weights by ridge
//! regression, ends as the 4 % and 96 % quantiles of what was left, smoothed over the sum. With each
//! collection left out in turn the interval held in 92, 93 and 89 % of cases at coverages of 30, 60 and
//! 90 %; its median width was 1.5, 0.8 and 0.3 of the coverage. It is honest, and it is wide.

use super::evidence::FEATURES;

/// Weights of the features.
const WEIGHTS: [f64; FEATURES] = [1.684, -0.135, 0.097, 0.213, -0.012, 0.321, -0.021, 0.223, -1.376];

/// Sums at which the quantiles were taken.
const KNOTS: [f64; 5] = [-1.704, -0.733, 0.014, 0.654, 1.620];

/// Quantiles of the error at these sums: 4 %, 50 %, 96 %.
const ERRORS: [[f64; 5]; 3] = [
    [-1.003, -1.010, -0.895, -0.895, -1.091],
    [-0.056, -0.076, -0.031, -0.014, -0.123],
    [0.742, 0.943, 1.229, 1.333, 1.030],
];

/// Logarithm of unseen to seen records: low, middle, high.
pub fn log_odds(features: &[f64; FEATURES]) -> [f64; 3] {
    let sum: f64 = features.iter().zip(WEIGHTS).map(|(feature, weight)| feature * weight).sum();
    ERRORS.map(|errors| sum + between(&errors, sum))
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
