//! Intervals that hold the true size in nine of ten harvests. Their ends are 3 % and 97 % quantiles, wider than nine in
//! ten, because real databases differ more than the fitted collections.
//!
//! There are two sets of figures: one for forms that show all matches of a query, one for forms with answers that are
//! mostly cut by a result cap. Without a cap a few long answers bring most records, so a record is captured fewer
//! times.
//!
//! With stated totals, let `N` be the size by [stated totals](super::stated_totals), `se` the standard error of `ln N`,
//! `S` the number of seen records. The ends of the interval are
//!
//! ```text
//! ln(size / S) = ln(N / S) + z * factor * (se^2 + 0.03^2)^(power / 2)
//! ```
//!
//! with the factor and the power of [`Calibration::spread`] and a quantile `z` of the residuals.
//!
//! Without totals, let `x_i` be the features of the [capture history](super::capture_history), `w_i` the
//! feature weights, and `y = sum of w_i * x_i`. The ends are
//!
//! ```text
//! ln(unseen / S) = y + err(y)
//! ```
//!
//! where `err` is a quantile of the errors of `y`, linear between knots.
//!
//! [`Calibration::combined`] joins both where both apply.
//!
//! All figures come from `hadal eval calibrate --collections DIR --records 1500`, which harvests collections
//! of known size with all settings of `hadal eval harvest` and two policies. It prints the fitted figures
//! beside the shipped ones, and their quality on collections that were left out of the fit.

use super::capture_history::FEATURES;
use super::stated_totals::SizeByTotals;

/// Minimum standard error of `ln N`, added in quadrature. Guess; the fit of the other figures assumed it.
pub const MIN_ERROR: f64 = 0.03;

/// Number of knots of the error quantiles. Guess.
pub const KNOTS: usize = 8;

/// Fitted figures of the interval models, for one kind of form.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Factor and power that turn the standard error `se` into the spread of the residuals.
    pub spread: [f64; 2],
    /// 3 %, 50 % and 97 % quantile of the residuals of `ln N`, in units of the spread. They are skewed: the true size
    /// is above the one by totals more often than below, and by more.
    pub totals_quantiles: [f64; 3],
    /// `w_i`: weights of the features of the capture history.
    pub feature_weights: [f64; FEATURES],
    /// Values of `y` at which the error quantiles were taken: means of groups of equal size.
    pub knots: [f64; KNOTS],
    /// 3 %, 50 % and 97 % quantile of the errors of `y` at the knots.
    pub error_quantiles: [[f64; KNOTS]; 3],
    /// Combination of both sources.
    pub combination: Combination,
}

/// Figures of [`Calibration::combined`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Combination {
    /// Least half-width of the interval by captures when it is combined. A form with a fixed ranking repeats
    /// records, which makes that interval too narrow.
    pub least_captures: f64,
    /// Weight of the distance between both estimates in the half-widths.
    pub distance: f64,
    /// Factors of the lower and the upper half-width.
    pub scale: [f64; 2],
}

/// Figures for forms that show all matches of a query. See the module for their source.
pub const UNCUT_ANSWERS: Calibration = Calibration {
    spread: [0.899, 1.500],
    totals_quantiles: [-1.735, 0.359, 9.272],
    feature_weights: [-0.914, 0.301, 0.381, -0.062],
    knots: [-4.219, -3.340, -2.839, -2.485, -2.117, -1.547, -0.458, 0.792],
    error_quantiles: [
        [-1.147, -1.593, -1.808, -2.359, -1.612, -1.628, -4.728, -5.425],
        [0.342, -0.070, -0.179, -0.143, -0.205, 0.142, 0.806, 0.873],
        [2.652, 0.925, 0.873, 0.873, 1.485, 1.691, 2.735, 1.721],
    ],
    combination: Combination { least_captures: 0.078, distance: 3.125, scale: [1.000, 1.250] },
};

/// Figures for forms with answers that are mostly cut by a result cap. See the module for their source.
pub const CUT_ANSWERS: Calibration = Calibration {
    spread: [0.363, 1.136],
    totals_quantiles: [-3.613, 0.095, 6.884],
    feature_weights: [-0.181, 0.516, 0.740, -0.646],
    knots: [-3.590, -2.488, -1.872, -1.303, -0.675, -0.136, 0.380, 1.438],
    error_quantiles: [
        [-1.502, -1.309, -1.316, -0.731, -0.740, -0.584, -0.652, -1.380],
        [-0.140, -0.231, -0.171, -0.159, 0.013, 0.045, 0.082, -0.205],
        [1.485, 0.979, 1.882, 2.405, 2.190, 1.664, 1.509, 0.928],
    ],
    combination: Combination { least_captures: 0.050, distance: 1.250, scale: [1.000, 1.000] },
};

/// If the estimate lies a distance `d` below the bound, the corrected one lies this times `d` above it. Guess.
const ESTIMATE_ABOVE_BOUND: f64 = 0.5;

/// Lower end of `ln(unseen / S)` below which the database may have no unseen record: one for twenty seen ones. Guess.
const MIN_LOG_UNSEEN: f64 = -3.0;

/// Least half-width of an interval by totals; keeps the weights finite. Guess.
const MIN_TOTALS: f64 = 1e-3;

impl Calibration {
    /// Shipped figures: those for cut-off answers, or those for complete ones.
    pub fn shipped(is_cut_off: bool) -> &'static Calibration {
        if is_cut_off { &CUT_ANSWERS } else { &UNCUT_ANSWERS }
    }

    /// Lower end, best estimate and upper end of `ln(size / S)` by stated totals.
    pub fn log_size_by_totals(&self, by_totals: &SizeByTotals, seen: f64) -> [f64; 3] {
        let log_ratio = (by_totals.size / seen).ln();
        let spread = self.spread_of(by_totals.error);
        self.totals_quantiles.map(|quantile| log_ratio + quantile * spread)
    }

    /// Spread of the residuals of `ln N` for the standard error `se`.
    pub fn spread_of(&self, error: f64) -> f64 {
        let [factor, power] = self.spread;
        factor * error.hypot(MIN_ERROR).powf(power)
    }

    /// `y`: `ln(unseen / S)` by the capture history, before its errors are corrected.
    pub fn log_odds(&self, features: &[f64; FEATURES]) -> f64 {
        features.iter().zip(self.feature_weights).map(|(feature, weight)| feature * weight).sum()
    }

    /// Lower end, best estimate and upper end of `ln(size / S)` by the capture history.
    pub fn log_size_by_captures(&self, features: &[f64; FEATURES]) -> [f64; 3] {
        let y = self.log_odds(features);
        let [low, middle, high] = self.error_quantiles.map(|errors| y + interpolate(&self.knots, &errors, y));
        let low = if low < MIN_LOG_UNSEEN { f64::NEG_INFINITY } else { low };
        [low, middle, high].map(|odds| odds.exp().ln_1p())
    }

    /// Interval by two sources, each given as interval of `ln(size / S)`.
    ///
    /// Let `t` and `c` be the best estimates by totals and by captures, and `t_below`, `t_above`, `c_below`,
    /// `c_above` their half-widths. Then
    ///
    /// ```text
    /// p          = weight of captures = 1/(c_below c_above) / (1/(t_below t_above) + 1/(c_below c_above))
    /// estimate   = (1 - p) t + p c
    /// half-width = scale * sqrt(1 / (1/t_end^2 + 1/c_end^2) + (distance |c - t|)^2 p (1 - p))
    /// ```
    ///
    /// with `end` the lower or the upper end, and `scale` and `distance` of [`Combination`].
    pub fn combined(&self, totals: [f64; 3], captures: [f64; 3]) -> [f64; 3] {
        let half_widths = |[low, middle, high]: [f64; 3], least: f64| {
            [middle - low, high - middle].map(|half| half.max(least))
        };
        let Combination { least_captures, distance, scale } = self.combination;
        let of_totals = half_widths(totals, MIN_TOTALS);
        let of_captures = half_widths(captures, least_captures);
        let weights = [of_totals, of_captures].map(|[below, above]| 1.0 / (below * above));
        let share = weights[1] / (weights[0] + weights[1]);
        let middle = totals[1] + share * (captures[1] - totals[1]);
        let distance = distance * (captures[1] - totals[1]).abs() * (share * (1.0 - share)).sqrt();
        let half = |end: usize| {
            scale[end] * (of_totals[end].powi(-2) + of_captures[end].powi(-2)).powf(-0.5).hypot(distance)
        };
        [middle - half(0), middle, middle + half(1)]
    }
}

/// Interval of a logarithm that is known to be at least `bound`.
///
/// If `middle < bound`, the interval is
///
/// ```text
/// low = bound    estimate = bound + (bound - middle) / 2    high = bound + (bound - middle) + (high - middle)
/// ```
///
/// An estimate below the bound is wrong by at least the distance to it, and may be wrong by as much again.
pub fn above_bound([low, middle, high]: [f64; 3], bound: f64) -> [f64; 3] {
    if middle >= bound {
        return [low.max(bound), middle, high];
    }
    let distance = bound - middle;
    [bound, bound + ESTIMATE_ABOVE_BOUND * distance, bound + distance + (high - middle)]
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
                CUT_ANSWERS.log_size_by_totals(&SizeByTotals { size: 2_000.0, error }, 1_000.0);
            assert!(low <= middle && middle <= high);
            high - low
        };
        assert!(width(0.0) > 0.0 && width(0.1) > width(0.0) && width(0.5) > width(0.1));
    }

    #[test]
    fn a_bound_never_makes_the_interval_a_point() {
        for (size, least) in [(2_000.0, 1_000.0), (2_000.0, 4_000.0), (2_000.0, 2_100.0), (2_000.0, 2_000.0)]
        {
            let interval = CUT_ANSWERS.log_size_by_totals(&SizeByTotals { size, error: 0.0 }, 1_000.0);
            let [low, middle, high] = above_bound(interval, f64::ln(least / 1_000.0)).map(f64::exp);
            assert!(low <= middle && middle < high && high > 1.02 * low, "{low} {middle} {high}");
            assert!(low >= least / 1_000.0 - 1e-9);
        }
    }

    #[test]
    fn ends_are_in_order_for_all_features() {
        for (level, calibration) in [-6.0, -2.0, -0.3, 0.9, 6.0].into_iter().flat_map(both_kinds) {
            let mut features = [level; FEATURES];
            features[0] = 1.0;
            let [low, middle, high] = calibration.log_size_by_captures(&features);
            assert!(low <= middle && middle <= high, "{level}: {low} {middle} {high}");
        }
    }

    fn both_kinds(level: f64) -> [(f64, &'static Calibration); 2] {
        [(level, &UNCUT_ANSWERS), (level, &CUT_ANSWERS)]
    }

    #[test]
    fn the_surer_source_counts_more_and_contradictions_widen_the_interval() {
        let width = |[low, _, high]: [f64; 3]| high - low;
        let (sure, unsure) = ([0.9, 1.0, 1.1], [0.0, 2.0, 4.0]);
        for calibration in [&UNCUT_ANSWERS, &CUT_ANSWERS] {
            let [_, middle, _] = calibration.combined(sure, unsure);
            assert!((middle - 1.0).abs() < 0.1, "{middle}");
            let agreeing = width(calibration.combined(sure, [0.9, 1.0, 1.1]));
            assert!(width(calibration.combined(sure, [1.4, 1.5, 1.6])) > 2.0 * agreeing);
        }
    }

    #[test]
    fn values_between_knots_are_interpolated() {
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let half = (CUT_ANSWERS.knots[1] + CUT_ANSWERS.knots[2]) / 2.0;
        assert!((interpolate(&CUT_ANSWERS.knots, &values, half) - 1.5).abs() < 1e-9);
        assert_eq!(([-99.0, 99.0].map(|y| interpolate(&CUT_ANSWERS.knots, &values, y))), [0.0, 7.0]);
    }
}
