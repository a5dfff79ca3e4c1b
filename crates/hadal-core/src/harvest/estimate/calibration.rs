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
//! feature weights, and `y = sum of w_i * x_i`. The ends are
//!
//! ```text
//! ln(unseen / S) = y + err(y)
//! ```
//!
//! where `err` is a quantile of the errors of `y`, linear between knots. If most answers are cut off by a result cap, the
//! best estimate is at least that of the first-order jackknife (Burnham and Overton 1979), `unseen = f_1`, and the
//! upper end is shifted with it: a ranked form shows some records to few queries.
//!
//! `hadal eval calibrate --collections DIR` harvests collections whose size is known, fits [`Calibration`] to all of them
//! and prints the figures beside the shipped ones, with their quality on collections that were left out. The shipped
//! figures are older than the command, except for the error quantiles at `y` from -4 to 1. These lie between the older
//! ones and the quantiles of 88 harvests of 3,000 records by `hadal` in ten settings.

use super::capture_history::FEATURES;
use super::survey::SurveyedSize;

/// Least standard error of `ln N`, added in quadrature. Guess; the fit of the other figures assumed it.
pub const LEAST_ERROR: f64 = 0.03;

/// Number of knots of the error quantiles.
pub const KNOTS: usize = 8;

/// Fitted figures of the two interval models.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Factor and power that turn the error `e` into the spread of the residuals.
    pub spread: [f64; 2],
    /// Lower, middle and upper quantile of the residuals of `ln N`, in units of the spread.
    pub survey_quantiles: [f64; 3],
    /// `w_i`: weights of the features of the capture history.
    pub feature_weights: [f64; FEATURES],
    /// Values of `y` at which the error quantiles were taken: means of groups of equal size.
    pub knots: [f64; KNOTS],
    /// Lower, middle and upper quantile of the errors of `y` at the knots.
    pub error_quantiles: [[f64; KNOTS]; 3],
}

/// Figures that estimates use. See the module for their source.
pub const SHIPPED: Calibration = Calibration {
    spread: [1.344, 1.342],
    survey_quantiles: [-2.024, -0.044, 3.698],
    feature_weights: [-0.006, 0.792, 0.183, 0.159],
    knots: [-7.3, -5.8, -3.8, -2.0, -0.9, -0.2, 0.35, 1.05],
    error_quantiles: [
        [-1.9, -2.6, -1.7, -1.3, -1.0, -1.0, -1.0, -1.5],
        [0.03, 0.10, -0.05, 0.0, 0.0, 0.05, 0.10, 0.10],
        [1.9, 1.55, 1.4, 0.7, 0.75, 1.3, 1.15, 1.0],
    ],
};

/// Least half-width of the capture history's interval of `ln(size / S)` beside totals. Chosen by hand: with 0.04 only 7 of
/// 12 intervals of `hadal eval harvest --quick` hold at 90 %.
const LEAST_CAPTURES_HALF_WIDTH: f64 = 0.13;

/// Place of the best estimate between a bound and the farthest value, where the estimate is below the bound. Guess.
const SHARE_OF_DISTANCE: f64 = 0.5;

/// Lower end of `ln(unseen / S)` below which the database may have no unseen record: one for twenty seen ones. Guess.
const MAYBE_COMPLETE: f64 = -3.0;

impl Calibration {
    /// Lower end, best estimate and upper end of `ln(size / S)` by stated totals.
    pub fn log_size_by_totals(&self, surveyed: &SurveyedSize, seen: f64) -> [f64; 3] {
        let log_ratio = (surveyed.size / seen).ln();
        let spread = self.spread_of(surveyed.error);
        self.survey_quantiles.map(|quantile| log_ratio + quantile * spread)
    }

    /// Spread of the residuals of `ln N` for the standard error `e`.
    pub fn spread_of(&self, error: f64) -> f64 {
        let [factor, power] = self.spread;
        factor * error.hypot(LEAST_ERROR).powf(power)
    }

    /// `y`: `ln(unseen / S)` by the capture history, before its errors are corrected.
    pub fn log_odds(&self, features: &[f64; FEATURES]) -> f64 {
        features.iter().zip(self.feature_weights).map(|(feature, weight)| feature * weight).sum()
    }

    /// Lower end, best estimate and upper end of `ln(unseen / S)` by the capture history; the best estimate is at least
    /// `least`.
    fn log_odds_by_captures(&self, features: &[f64; FEATURES], least: f64) -> [f64; 3] {
        let y = self.log_odds(features);
        let [low, middle, high] = self.error_quantiles.map(|errors| y + interpolate(&self.knots, &errors, y));
        let shift = (least - middle).max(0.0);
        [if low < MAYBE_COMPLETE { f64::NEG_INFINITY } else { low }, middle + shift, high + shift]
    }

    /// Lower end, best estimate and upper end of `ln(size / S)` by the capture history.
    pub fn log_size_by_captures(&self, features: &[f64; FEATURES], least_log_odds: f64) -> [f64; 3] {
        self.log_odds_by_captures(features, least_log_odds).map(|odds| odds.exp().ln_1p())
    }
}

/// Interval by two sources, each given as interval of `ln(size / S)`.
///
/// The best estimate is the mean of both, weighed by the inverse squares of their half-widths. Half-widths combine like
/// standard errors of a weighted mean, and grow with the distance of the two estimates. The capture history has a least
/// half-width beside totals, because a form that always ranks in the same order repeats its records. Intervals that do
/// not overlap are joined if the captures speak for fewer records. If they speak for more, the upper half of the interval
/// by totals is doubled: one long answer without recaptures shows little about the size.
pub fn combined(totals: [f64; 3], captures: [f64; 3]) -> [f64; 3] {
    let half_widths =
        |[low, middle, high]: [f64; 3], least: f64| [middle - low, high - middle].map(|half| half.max(least));
    let of_totals = half_widths(totals, 1e-3);
    let of_captures = half_widths(captures, LEAST_CAPTURES_HALF_WIDTH);
    let weights = [of_totals, of_captures].map(|[below, above]| 1.0 / (below * above));
    let share = weights[1] / (weights[0] + weights[1]);
    let middle = totals[1] + share * (captures[1] - totals[1]);
    let distance = (captures[1] - totals[1]).abs() * (share * (1.0 - share)).sqrt();
    let half = |at: usize| (of_totals[at].powi(-2) + of_captures[at].powi(-2)).powf(-0.5).hypot(distance);
    if totals[0] > captures[2] {
        return [captures[0], middle, totals[2]];
    }
    if captures[0] > totals[2] {
        return [totals[0], totals[1], totals[2] + of_totals[1]];
    }
    [middle - half(0), middle, middle + half(1)]
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

/// Linear interpolation of values at the knots; constant beyond the ends.
fn interpolate(knots: &[f64; KNOTS], values: &[f64; KNOTS], y: f64) -> f64 {
    let above = knots.partition_point(|knot| *knot <= y);
    if above == 0 || above == knots.len() {
        return values[above.saturating_sub(1)];
    }
    let share = (y - knots[above - 1]) / (knots[above] - knots[above - 1]);
    values[above - 1] + share * (values[above] - values[above - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wider_for_a_greater_error() {
        let width = |error: f64| {
            let [low, middle, high] =
                SHIPPED.log_size_by_totals(&SurveyedSize { size: 2_000.0, error }, 1_000.0);
            assert!(low <= middle && middle <= high);
            high - low
        };
        assert!(width(0.0) > 0.0 && width(0.1) > width(0.0) && width(0.5) > width(0.1));
    }

    #[test]
    fn a_bound_never_makes_the_interval_a_point() {
        for (size, least) in [(2_000.0, 1_000.0), (2_000.0, 4_000.0), (2_000.0, 2_100.0), (2_000.0, 2_000.0)]
        {
            let interval = SHIPPED.log_size_by_totals(&SurveyedSize { size, error: 0.0 }, 1_000.0);
            let [low, middle, high] = above_bound(interval, f64::ln(least / 1_000.0)).map(f64::exp);
            assert!(low <= middle && middle < high && high > 1.02 * low, "{low} {middle} {high}");
            assert!(low >= least / 1_000.0 - 1e-9);
        }
    }

    #[test]
    fn ends_are_in_order_for_all_features() {
        for level in [-6.0, -2.0, -0.3, 0.9, 6.0] {
            let mut features = [level; FEATURES];
            features[0] = 1.0;
            let [low, middle, high] = SHIPPED.log_odds_by_captures(&features, f64::NEG_INFINITY);
            assert!(low <= middle && middle <= high, "{level}: {low} {middle} {high}");
        }
    }

    #[test]
    fn the_estimate_is_not_below_its_least_value() {
        let [_, middle, high] = SHIPPED.log_odds_by_captures(&[1.0, -3.7, -3.0, -2.6], -2.6);
        assert!(middle >= -2.6 && high > middle, "{middle} {high}");
    }

    #[test]
    fn two_sources_that_agree_are_better_than_one_and_contradictions_widen() {
        let width = |[low, _, high]: [f64; 3]| high - low;
        let one = [0.2, 0.5, 1.0];
        assert!(width(combined(one, [0.3, 0.5, 0.8])) < width([0.3, 0.5, 0.8]));
        assert!(width(combined(one, [0.3, 0.9, 1.3])) > width(combined(one, [0.1, 0.5, 0.9])));
        assert_eq!(combined(one, [0.0, 0.05, 0.1])[2], 1.0, "the intervals do not overlap");
        assert_eq!(combined(one, [2.0, 3.0, 4.0]), [0.2, 0.5, 1.5]);
    }

    #[test]
    fn values_between_knots_are_interpolated() {
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let half = (SHIPPED.knots[1] + SHIPPED.knots[2]) / 2.0;
        assert!((interpolate(&SHIPPED.knots, &values, half) - 1.5).abs() < 1e-9);
        assert_eq!(([-99.0, 99.0].map(|y| interpolate(&SHIPPED.knots, &values, y))), [0.0, 7.0]);
    }
}
