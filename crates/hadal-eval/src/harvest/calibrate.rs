//! Fit of the size intervals to harvests of known true size.
//!
//! Each harvest gives one row per recorded coverage: the evidence of the estimator and the true size `N`.
//!
//! - **Stated totals**: residual `r = ln(N / size)`. Least squares of `ln(|r| + 0.003)` on `ln se` give
//!   factor and power of the spread; the ends are quantiles of `r / spread`.
//! - **Captures**: least squares of `ln((N - S + 0.5) / S)` on the features give the weights. The rows are
//!   sorted by the fitted `y` and cut into groups of equal size. The means of the groups are the knots; the ends are
//!   quantiles of the errors in each group.
//! - **Both**: the figures of the combination are searched coordinate by coordinate for the least mean
//!   interval score: width of the coverage interval, plus `2 / 0.05` times the distance of the true coverage
//!   from it.
//!
//! Forms that show all matches and forms with cut-off answers are fitted separately. A fit is judged by
//! leaving out one collection at a time: its intervals come from a fit to all others.

use super::recorded_estimates::RecordedEvidence;
use super::trial::HarvestTrial;
use hadal::output::sections::{Section, headings};
use hadal_core::harvest::estimate::calibration::{Calibration, Combination, KNOTS, MIN_ERROR};
use hadal_core::harvest::estimate::{EstimateEvidence, SizeByTotals};

/// Quantiles of the residuals that become lower end, best estimate and upper end. A little wider than nine in
/// ten, because real databases differ more than the collections.
const QUANTILES: [f64; 3] = [0.03, 0.5, 0.97];

/// Factors that are tried for each figure of the combination. Guess.
const STEPS: [f64; 4] = [0.5, 0.8, 1.25, 2.0];

/// Maximum number of rounds of the search over the figures of the combination. Guess.
const MAX_ROUNDS: usize = 20;

/// Penalty for a coverage outside the interval, per unit of distance: `2 / 0.05` for intervals of nineteen in
/// twenty. Wider than nine in ten for the same reason.
const MISS_PENALTY: f64 = 40.0;

/// Figures of the combination at the start of the search. Guess.
const FIRST_COMBINATION: Combination = Combination { least_captures: 0.05, distance: 1.0, scale: [1.0, 1.0] };

/// Added to absolute residuals before their logarithm is taken. Guess.
const MIN_RESIDUAL: f64 = 0.003;

/// Limits of the power of the spread. Guess.
const POWERS: (f64, f64) = (0.3, 1.5);

/// Ridge penalty of the feature weights. Guess; features are logarithms of size 1.
const RIDGE: f64 = 30.0;

/// Minimum number of rows of a fit. Guess.
const MIN_ROWS: usize = 40;

/// One recorded estimate of one harvest.
struct CalibrationRow<'t> {
    collection: &'t str,
    size: f64,
    recorded: &'t RecordedEvidence,
}

/// Sections with the fitted figures and with the quality of shipped and fitted figures.
pub fn sections(trials: &[HarvestTrial]) -> Vec<Section> {
    let rows: Vec<CalibrationRow<'_>> = trials.iter().flat_map(rows_of).collect();
    let mut sections: Vec<Section> = KINDS
        .iter()
        .map(|(name, is_cut_off)| {
            figures(name, &fit(&of_kind(&rows, *is_cut_off)), Calibration::shipped(*is_cut_off))
        })
        .collect();
    sections.push(quality(&rows));
    sections
}

/// Kinds of forms with figures of their own: name, and true if answers are cut off.
const KINDS: [(&str, bool); 2] = [("all matches shown", false), ("answers cut off", true)];

fn of_kind<'r, 't>(rows: &'r [CalibrationRow<'t>], is_cut_off: bool) -> Vec<&'r CalibrationRow<'t>> {
    rows.iter().filter(|row| row.recorded.evidence.is_cut_off == is_cut_off).collect()
}

fn rows_of(trial: &HarvestTrial) -> impl Iterator<Item = CalibrationRow<'_>> {
    let (collection, size) = (trial.case.collection.as_str(), trial.curve.existing as f64);
    trial.evidence.iter().map(move |recorded| CalibrationRow { collection, size, recorded })
}

/// Fits all figures for rows of one kind. Figures without enough rows are the shipped ones.
fn fit(rows: &[&CalibrationRow<'_>]) -> Calibration {
    let is_cut_off = rows.first().is_some_and(|row| row.recorded.evidence.is_cut_off);
    let mut fitted = fit_captures(rows, Calibration::shipped(is_cut_off).clone());
    if let Some((spread, totals_quantiles)) = fit_totals(rows) {
        fitted = Calibration { spread, totals_quantiles, ..fitted };
    }
    fit_combination(rows, fitted)
}

/// Searches the figures of the combination with the least interval score.
fn fit_combination(rows: &[&CalibrationRow<'_>], fitted: Calibration) -> Calibration {
    let with = |combination: Combination| Calibration { combination, ..fitted.clone() };
    let mut best = with(FIRST_COMBINATION);
    let mut least = score(rows, &best);
    for _ in 0..MAX_ROUNDS {
        let before = least;
        for (figure, step) in (0..4).flat_map(|figure| STEPS.map(|step| (figure, step))) {
            let tried = with(stepped(best.combination, figure, step));
            let reached = score(rows, &tried);
            if reached < least {
                (best, least) = (tried, reached);
            }
        }
        if least == before {
            break;
        }
    }
    best
}

/// Combination with one figure multiplied by `step`.
fn stepped(mut combination: Combination, figure: usize, step: f64) -> Combination {
    let [lower, upper] = &mut combination.scale;
    *[&mut combination.least_captures, &mut combination.distance, lower, upper][figure] *= step;
    combination
}

/// Mean interval score of the coverages, for rows with both sources.
fn score(rows: &[&CalibrationRow<'_>], calibration: &Calibration) -> f64 {
    let both = rows.iter().filter(|row| {
        let evidence = &row.recorded.evidence;
        evidence.by_totals.is_some() && evidence.captures.is_some()
    });
    let scores: Vec<f64> = both
        .filter_map(|row| {
            let coverage = row.recorded.evidence.estimate(calibration)?.coverage;
            let truth = row.recorded.evidence.seen / row.size;
            let miss = (coverage.low - truth).max(truth - coverage.high).max(0.0);
            Some(coverage.high - coverage.low + MISS_PENALTY * miss)
        })
        .collect();
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

/// Spread and quantiles of the interval by stated totals.
fn fit_totals(rows: &[&CalibrationRow<'_>]) -> Option<([f64; 2], [f64; 3])> {
    let residual = |row: &&CalibrationRow<'_>| {
        let by_totals: SizeByTotals = row.recorded.evidence.by_totals?;
        Some((by_totals.error.hypot(MIN_ERROR), (row.size / by_totals.size).ln()))
    };
    let residuals: Vec<(f64, f64)> = rows.iter().filter_map(residual).collect();
    if residuals.len() < MIN_ROWS {
        return None;
    }
    let points: Vec<[f64; 2]> = residuals.iter().map(|(error, _)| [1.0, error.ln()]).collect();
    let values: Vec<f64> = residuals.iter().map(|(_, r)| (r.abs() + MIN_RESIDUAL).ln()).collect();
    let [level, power] = least_squares(&points, &values, 0.0)?;
    let spread = [level.exp(), power.clamp(POWERS.0, POWERS.1)];
    let scaled = |(error, r): &(f64, f64)| r / (spread[0] * error.powf(spread[1]));
    Some((spread, quantiles(residuals.iter().map(scaled).collect())))
}

/// Fits weights, knots and quantiles of the interval by captures. With too few rows, `shipped` stays as it is.
fn fit_captures(rows: &[&CalibrationRow<'_>], shipped: Calibration) -> Calibration {
    let target = |row: &&CalibrationRow<'_>| {
        let EstimateEvidence { seen, captures, .. } = row.recorded.evidence;
        Some((captures?, ((row.size - seen).max(0.0) + 0.5).ln() - seen.ln()))
    };
    let (features, targets): (Vec<_>, Vec<f64>) = rows.iter().filter_map(target).unzip();
    let Some(feature_weights) =
        least_squares(&features, &targets, RIDGE).filter(|_| features.len() >= MIN_ROWS)
    else {
        return shipped;
    };
    let mut fitted = Calibration { feature_weights, ..shipped };
    let mut errors: Vec<(f64, f64)> = features
        .iter()
        .zip(&targets)
        .map(|(features, target)| (fitted.log_odds(features), target - fitted.log_odds(features)))
        .collect();
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    for knot in 0..KNOTS {
        let group = &errors[knot * errors.len() / KNOTS..(knot + 1) * errors.len() / KNOTS];
        fitted.knots[knot] = group.iter().map(|(y, _)| y).sum::<f64>() / group.len() as f64;
        let ends = quantiles(group.iter().map(|(_, error)| *error).collect());
        (0..3).for_each(|end| fitted.error_quantiles[end][knot] = ends[end]);
    }
    fitted
}

/// [`QUANTILES`] of some values.
fn quantiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    QUANTILES.map(|share| values[((values.len() - 1) as f64 * share).round() as usize])
}

/// Weights `w` that minimise the sum of `(value - w * point)^2` plus `ridge` times the sum of `w^2`, by elimination.
fn least_squares<const D: usize>(points: &[[f64; D]], values: &[f64], ridge: f64) -> Option<[f64; D]> {
    let mut normal = [[0.0; D]; D];
    let mut right = [0.0; D];
    for (point, value) in points.iter().zip(values) {
        for row in 0..D {
            right[row] += point[row] * value;
            (0..D).for_each(|column| normal[row][column] += point[row] * point[column]);
        }
    }
    (0..D).for_each(|at| normal[at][at] += ridge);
    for pivot in 0..D {
        for row in pivot + 1..D {
            let factor = normal[row][pivot] / normal[pivot][pivot];
            (pivot..D).for_each(|column| normal[row][column] -= factor * normal[pivot][column]);
            right[row] -= factor * right[pivot];
        }
    }
    let mut weights = [0.0; D];
    for row in (0..D).rev() {
        let known: f64 = (row + 1..D).map(|column| normal[row][column] * weights[column]).sum();
        weights[row] = (right[row] - known) / normal[row][row];
    }
    weights.iter().all(|weight| weight.is_finite()).then_some(weights)
}

/// Fitted figures of one kind of form, in the order of [`Calibration`].
fn figures(kind: &str, fitted: &Calibration, shipped: &Calibration) -> Section {
    let list =
        |values: &[f64]| values.iter().map(|value| format!("{value:.3}")).collect::<Vec<_>>().join(", ");
    let row =
        |name: &str, fitted: &[f64], shipped: &[f64]| vec![name.to_string(), list(fitted), list(shipped)];
    let mut rows = vec![
        row("spread", &fitted.spread, &shipped.spread),
        row("totals_quantiles", &fitted.totals_quantiles, &shipped.totals_quantiles),
        row("feature_weights", &fitted.feature_weights, &shipped.feature_weights),
        row("knots", &fitted.knots, &shipped.knots),
    ];
    for end in 0..3 {
        rows.push(row("error_quantiles", &fitted.error_quantiles[end], &shipped.error_quantiles[end]));
    }
    let combination = |of: &Calibration| {
        let Combination { least_captures, distance, scale } = of.combination;
        [least_captures, distance, scale[0], scale[1]]
    };
    rows.push(row("combination", &combination(fitted), &combination(shipped)));
    Section {
        title: format!("Figures of the size intervals, {kind}"),
        note: "Fitted to all harvests, and as shipped.".into(),
        headings: headings(&["figure", "fitted", "shipped"]),
        rows,
        ..Section::default()
    }
}

/// Share of intervals that hold and median width, by kind of form, source and coverage.
fn quality(rows: &[CalibrationRow<'_>]) -> Section {
    let mut table = Vec::new();
    for (kind, is_cut_off) in KINDS {
        let all = of_kind(rows, is_cut_off);
        for (source, has_totals) in [("totals", true), ("no totals", false)] {
            let group: Vec<&CalibrationRow<'_>> = all
                .iter()
                .copied()
                .filter(|row| row.recorded.evidence.by_totals.is_some() == has_totals)
                .collect();
            let shipped = Calibration::shipped(is_cut_off);
            let judged: Vec<Judged> = group.iter().filter_map(|row| judge(row, shipped)).collect();
            table.push(quality_row(&format!("{kind}, {source}, shipped"), &judged));
            table.push(quality_row(&format!("{kind}, {source}, one left out"), &left_out(&all, &group)));
        }
    }
    let moment = |coverage: f64| format!("at {:.0} %", 100.0 * coverage).into();
    Section {
        title: "Quality of the size intervals".into(),
        note: "Share of the intervals that hold the true size, and their median width over it. One left out: intervals of \
               each collection by figures that were fitted to the others. Aimed at: 0.85 to 0.95 that hold, widths of at \
               most 0.25, 0.20 and 0.10."
            .into(),
        headings: std::iter::once("intervals".into()).chain(MOMENTS.map(moment)).collect(),
        rows: table,
        ..Section::default()
    }
}

/// Coverages at which the quality is printed. Choice of the report.
const MOMENTS: [f64; 4] = [0.3, 0.6, 0.9, 0.97];

/// Coverage of an interval, true if it holds, and its width over the true size.
type Judged = (f64, bool, f64);

fn judge(row: &CalibrationRow<'_>, calibration: &Calibration) -> Option<Judged> {
    let size = row.recorded.evidence.estimate(calibration)?.size;
    let holds = size.low <= row.size && row.size <= size.high;
    Some((row.recorded.coverage, holds, (size.high - size.low) / row.size))
}

/// Intervals of a group, each by figures fitted without its collection.
fn left_out(rows: &[&CalibrationRow<'_>], group: &[&CalibrationRow<'_>]) -> Vec<Judged> {
    let mut names: Vec<&str> = group.iter().map(|row| row.collection).collect();
    names.sort_unstable();
    names.dedup();
    let judge_all = |name: &str| {
        let fitted = fit(&rows.iter().copied().filter(|row| row.collection != name).collect::<Vec<_>>());
        let own = group.iter().filter(|row| row.collection == name);
        own.filter_map(|row| judge(row, &fitted)).collect::<Vec<Judged>>()
    };
    names.into_iter().flat_map(judge_all).collect()
}

fn quality_row(name: &str, judged: &[Judged]) -> Vec<String> {
    let cell = |coverage: f64| {
        let near: Vec<&Judged> = judged.iter().filter(|(at, ..)| (at - coverage).abs() < 0.02).collect();
        let mut widths: Vec<f64> = near.iter().map(|(.., width)| *width).collect();
        widths.sort_by(f64::total_cmp);
        let held = near.iter().filter(|(_, holds, _)| *holds).count();
        match widths.get(widths.len() / 2) {
            Some(width) => {
                format!("{:.2} of {}, width {width:.2}", held as f64 / near.len() as f64, near.len())
            }
            None => "-".into(),
        }
    };
    std::iter::once(name.to_string()).chain(MOMENTS.map(cell)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_squares_finds_the_weights() {
        let points = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 5.0]];
        let values = points.map(|[one, x]| 2.0 * one - 0.5 * x);
        let [level, slope] = least_squares(&points, &values, 0.0).unwrap();
        assert!((level - 2.0).abs() < 1e-9 && (slope + 0.5).abs() < 1e-9);
        assert_eq!(least_squares(&[[0.0, 0.0]], &[1.0], 0.0), None);
    }

    #[test]
    fn a_fit_holds_as_often_as_its_quantiles_say() {
        let evidence = |nth: u32| EstimateEvidence {
            seen: 500.0,
            least: 500.0,
            by_totals: Some(SizeByTotals {
                size: 1_000.0 * (0.2 * f64::from(nth % 101) / 100.0 - 0.1).exp(),
                error: 0.05,
            }),
            captures: None,
            is_cut_off: false,
        };
        let recorded: Vec<RecordedEvidence> =
            (0..1010).map(|nth| RecordedEvidence { coverage: 0.5, evidence: evidence(nth) }).collect();
        let rows: Vec<CalibrationRow<'_>> = recorded
            .iter()
            .map(|recorded| CalibrationRow { collection: "ships", size: 1_000.0, recorded })
            .collect();
        let fitted = fit(&rows.iter().collect::<Vec<_>>());
        let held = rows.iter().filter_map(|row| judge(row, &fitted)).filter(|(_, holds, _)| *holds).count();
        assert!((900..=960).contains(&held), "{held}");
    }
}
