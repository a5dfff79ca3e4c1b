//! Helpers of the figures of all evaluations.

use hadal_core::learn::resampling::RESAMPLES;

/// Bootstrap resamples of a ratio of two strategies or policies. Twice the usual number, because ratios of few trials
/// have long tails. Guess.
pub const RATIO_RESAMPLES: usize = 2 * RESAMPLES;

/// Seed of the bootstrap of ratios. Arbitrary.
pub const RATIO_SEED: u64 = 7;

/// Items without repetitions, in the order of their first occurrence.
pub fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut met = Vec::new();
    for item in items {
        if !met.contains(&item) {
            met.push(item);
        }
    }
    met
}

/// Mean of the values; `None` without values.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Table cell with a number of digits; `-` for `None`.
pub fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or_else(|| "-".into(), |figure| format!("{figure:.digits$}"))
}
