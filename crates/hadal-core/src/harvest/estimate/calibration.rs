//! Intervals that hold the true size in nine of ten harvests.
//!
//! With stated totals, let `N` be the size by the [survey](super::survey), `e` the standard error of `ln N`, `S` the
//! number of seen records. The ends of the interval are
//!
//! ```text
//! ln(size / S) = ln(N / S) + z * 1.344 * (e^2 + 0.03^2)^(1.342 / 2)         z = -2.024, -0.044, 3.698
//! ```
//!
//! Without totals, let `x_i` be the features of the [capture history](super::capture_history), `w_i` the
//! [`FEATURE_WEIGHTS`], and `y = sum of w_i * x_i`. The ends are
//!
//! ```text
//! ln(unseen / S) = y + err(y)
//! ```
//!
//! where `err` is the 1 %, 50 % or 93 % quantile of the errors of `y`, linear between [`KNOTS`]. This interval is wide.
//!
//! All figures were fitted outside the project, by no command of it. The data were harvests by the `hadal` policy of
//! 2,000 and 6,000 records of each of 14 collections with totals (three generated) and 9 without, under 12 to 18
//! settings of cap, rank order, index, totals and page size. Weights come from regression, ends are quantiles of the
//! residuals, each collection left out in turn. `hadal eval harvest` prints how often the intervals hold; without totals
//! they hold less often where one answer without a cap returns nearly all records.

use super::capture_history::FEATURES;
use super::survey::SurveyedSize;

/// Least standard error of `ln N`, added in quadrature. Guess; the fit of the other figures assumed it.
const LEAST_ERROR: f64 = 0.03;

/// Factor and power that turn the error `e` into the spread of the residuals. Fitted.
const SPREAD_FACTOR: f64 = 1.344;
const SPREAD_POWER: f64 = 1.342;

/// 3 %, 50 % and 97 % quantiles of the residuals of `ln N`, in units of the spread. Fitted.
const SURVEY_QUANTILES: [f64; 3] = [-2.024, -0.044, 3.698];

/// Weights of the features of the capture history. Fitted by regression.
const FEATURE_WEIGHTS: [f64; FEATURES] =
    [-0.094, -0.109, -0.062, -0.053, 0.074, 1.001, -0.899, 0.451, -0.566];

/// Values of `y` at which the quantiles were taken. Fitted.
const KNOTS: [f64; 5] = [-2.129, -0.968, -0.243, 0.458, 1.462];

/// 1 %, 50 % and 93 % quantiles of the errors of `y` at the knots. Fitted. The tails are unequal, so that the coverage is
/// understated rather than overstated.
const ERROR_QUANTILES: [[f64; 5]; 3] = [
    [-1.439, -1.719, -1.726, -1.121, -1.422],
    [0.005, -0.171, -0.068, 0.052, 0.088],
    [1.090, 0.813, 0.805, 0.939, 0.986],
];

/// Place of the best estimate between a bound and the farthest value, where the estimate is below the bound. Guess.
const SHARE_OF_DISTANCE: f64 = 0.5;

/// Lower end of `ln(unseen / S)` below which the database may have no unseen record: one for twenty seen ones. Guess.
const MAYBE_COMPLETE: f64 = -3.0;

/// Lower end, best estimate and upper end of `ln(size / S)` by stated totals. `least` is a lower bound of the size: the
/// seen records, or a greater total.
pub fn log_size_by_totals(surveyed: &SurveyedSize, seen: f64, least: f64) -> [f64; 3] {
    let log_ratio = (surveyed.size / seen).ln();
    let spread = SPREAD_FACTOR * surveyed.error.hypot(LEAST_ERROR).powf(SPREAD_POWER);
    above_bound(SURVEY_QUANTILES.map(|quantile| log_ratio + quantile * spread), (least / seen).ln())
}

/// Interval of a logarithm that is known to be at least `bound`.
///
/// An estimate below the bound is wrong by the distance `d` at least, and may be wrong by as much again. So the best
/// estimate lies between the bound and `bound + d`, and the upper end is the bound, `d` and the half-width of the
/// interval.
pub fn above_bound([low, middle, high]: [f64; 3], bound: f64) -> [f64; 3] {
    if middle >= bound {
        return [low.max(bound), middle, high];
    }
    let distance = bound - middle;
    [bound, bound + SHARE_OF_DISTANCE * distance, bound + distance + (high - middle)]
}

/// Lower end, best estimate and upper end of `ln(unseen / S)` by the capture history.
pub fn log_odds_by_captures(features: &[f64; FEATURES]) -> [f64; 3] {
    let y: f64 = features.iter().zip(FEATURE_WEIGHTS).map(|(feature, weight)| feature * weight).sum();
    let [low, middle, high] = ERROR_QUANTILES.map(|errors| y + interpolate(&errors, y));
    [if low < MAYBE_COMPLETE { f64::NEG_INFINITY } else { low }, middle, high]
}

/// Linear interpolation of values at [`KNOTS`]; constant beyond the ends.
fn interpolate(values: &[f64; 5], y: f64) -> f64 {
    let above = KNOTS.partition_point(|knot| *knot <= y);
    if above == 0 || above == KNOTS.len() {
        return values[above.saturating_sub(1)];
    }
    let share = (y - KNOTS[above - 1]) / (KNOTS[above] - KNOTS[above - 1]);
    values[above - 1] + share * (values[above] - values[above - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wider_for_a_greater_error() {
        let width = |error: f64| {
            let [low, middle, high] = log_size_by_totals(&SurveyedSize { size: 2_000.0, error }, 1_000.0, 1_000.0);
            assert!(0.0 <= low && low <= middle && middle <= high);
            high - low
        };
        assert!(width(0.0) > 0.0 && width(0.1) > width(0.0) && width(0.5) > width(0.1));
    }

    #[test]
    fn a_bound_never_makes_the_interval_a_point() {
        for (size, least) in [(2_000.0, 1_000.0), (2_000.0, 4_000.0), (2_000.0, 2_100.0), (2_000.0, 2_000.0)] {
            let [low, middle, high] =
                log_size_by_totals(&SurveyedSize { size, error: 0.0 }, 1_000.0, least).map(f64::exp);
            assert!(low <= middle && middle < high && high > 1.02 * low, "{low} {middle} {high}");
            assert!(low >= least / 1_000.0 - 1e-9);
        }
    }

    #[test]
    fn ends_are_in_order_for_all_features() {
        for level in [-6.0, -2.0, -0.3, 0.9, 6.0] {
            let mut features = [level; FEATURES];
            features[0] = 1.0;
            let [low, middle, high] = log_odds_by_captures(&features);
            assert!(low <= middle && middle <= high, "{level}: {low} {middle} {high}");
        }
    }

    #[test]
    fn values_between_knots_are_interpolated() {
        let values = [0.0, 1.0, 2.0, 3.0, 4.0];
        let half = (KNOTS[1] + KNOTS[2]) / 2.0;
        assert!((interpolate(&values, half) - 1.5).abs() < 1e-9);
        assert_eq!((interpolate(&values, -99.0), interpolate(&values, 99.0)), (0.0, 4.0));
    }
}
