//! Cross-validation folds and bootstrap intervals that keep the rows of one group together.
//!
//! Forms of one site resemble each other. A fold therefore holds whole sites, and the bootstrap draws whole
//! sites; with single forms, error rates would be too low and intervals too narrow.

use super::rng::Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Usual number of bootstrap resamples of an interval. Efron and Tibshirani (1993) advise 1000 for percentile
/// intervals.
pub const RESAMPLES: usize = 1_000;

/// Assigns every row a fold from 0 to `k - 1`. Rows of one group share a fold.
///
/// Groups are placed by falling size, each into the smallest fold so far, which balances the folds. `seed`
/// orders groups of equal size.
pub fn grouped_folds<G: Ord + Clone>(groups: &[G], k: usize, seed: u64) -> Vec<usize> {
    let mut members = members(groups);
    Rng::new(seed).shuffle(&mut members);
    members.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    let mut sizes = vec![0; k.max(1)];
    let mut folds = vec![0; groups.len()];
    for rows in members {
        let smallest = (0..sizes.len()).min_by_key(|&fold| sizes[fold]).unwrap_or(0);
        sizes[smallest] += rows.len();
        rows.iter().for_each(|&row| folds[row] = smallest);
    }
    folds
}

/// Row numbers of each group, in the order of the group keys.
fn members<G: Ord>(groups: &[G]) -> Vec<Vec<usize>> {
    let mut members: BTreeMap<&G, Vec<usize>> = BTreeMap::new();
    groups.iter().enumerate().for_each(|(row, group)| members.entry(group).or_default().push(row));
    members.into_values().collect()
}

/// Statistic with its 95 % percentile interval. NaN if it is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BootstrapInterval {
    /// Statistic of the original rows.
    pub estimate: f64,
    /// 2.5 % quantile of the resampled statistics.
    pub low: f64,
    /// 97.5 % quantile of the resampled statistics.
    pub high: f64,
}

/// Bootstraps `statistic` over groups of rows.
///
/// `statistic` receives row numbers, with repetitions. Each of the `rounds` resamples draws as many groups as
/// there are, with replacement. Rounds in which the statistic is NaN are left out.
pub fn bootstrap_interval<G: Ord + Clone>(
    groups: &[G],
    rounds: usize,
    seed: u64,
    statistic: impl Fn(&[usize]) -> f64,
) -> BootstrapInterval {
    let members = members(groups);
    let mut random = Rng::new(seed);
    let mut figures: Vec<f64> = (0..rounds)
        .map(|_| statistic(&resample(&members, &mut random)))
        .filter(|figure| !figure.is_nan())
        .collect();
    figures.sort_by(f64::total_cmp);
    let rows: Vec<usize> = (0..groups.len()).collect();
    BootstrapInterval {
        estimate: statistic(&rows),
        low: quantile(&figures, 0.025),
        high: quantile(&figures, 0.975),
    }
}

fn resample(members: &[Vec<usize>], random: &mut Rng) -> Vec<usize> {
    let drawn = (0..members.len()).map(|_| &members[random.below(members.len())]);
    drawn.flatten().copied().collect()
}

/// Quantile of sorted figures, with linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITES: [&str; 12] = ["a", "a", "a", "b", "c", "d", "b", "e", "f", "a", "g", "h"];

    fn sizes(folds: &[usize], k: usize) -> Vec<usize> {
        (0..k).map(|fold| folds.iter().filter(|&&of| of == fold).count()).collect()
    }

    #[test]
    fn rows_of_one_site_share_a_fold_and_folds_are_balanced() {
        let folds = grouped_folds(&SITES, 3, 1);
        for rows in members(&SITES) {
            assert!(rows.iter().all(|&row| folds[row] == folds[rows[0]]));
        }
        assert_eq!(sizes(&folds, 3), [4, 4, 4]);
    }

    #[test]
    fn the_largest_site_is_placed_first_for_every_seed() {
        let sites = ["a", "b", "c", "d", "z", "z", "z", "z"];
        assert!((0..20).all(|seed| sizes(&grouped_folds(&sites, 2, seed), 2) == [4, 4]));
    }

    #[test]
    fn the_seed_decides_among_sites_of_one_size() {
        assert_eq!(grouped_folds(&SITES, 3, 1), grouped_folds(&SITES, 3, 1));
        assert!((2..20).any(|seed| grouped_folds(&SITES, 3, seed) != grouped_folds(&SITES, 3, 1)));
    }

    #[test]
    fn fewer_sites_than_folds_leave_folds_empty() {
        assert_eq!(sizes(&grouped_folds(&["a", "b"], 4, 1), 4), [1, 1, 0, 0]);
        assert_eq!(grouped_folds(&["a", "b"], 0, 1), [0, 0]);
        assert!(grouped_folds::<u8>(&[], 3, 1).is_empty());
    }

    fn mean(values: &[f64]) -> impl Fn(&[usize]) -> f64 {
        |rows| rows.iter().map(|&row| values[row]).sum::<f64>() / rows.len() as f64
    }

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[7.0], 0.975), 7.0);
    }

    #[test]
    fn the_interval_of_a_mean_covers_it_in_about_95_percent_of_samples() {
        let mut random = Rng::new(11);
        let covered = (0..200).filter(|&seed| {
            let values: Vec<f64> = (0..60).map(|_| random.fraction()).collect();
            let found = bootstrap_interval(&(0..60).collect::<Vec<_>>(), 200, seed, mean(&values));
            found.low <= 0.5 && 0.5 <= found.high
        });
        let covered = covered.count();
        assert!((175..=199).contains(&covered), "{covered} of 200");
    }

    #[test]
    fn rows_of_one_site_widen_the_interval() {
        let values: Vec<f64> = (0..100).map(|row| f64::from(row / 10 % 2)).collect();
        let alone: Vec<usize> = (0..100).collect();
        let sites: Vec<usize> = (0..100).map(|row| row / 10).collect();
        let width = |groups: &[usize]| {
            let found = bootstrap_interval(groups, 500, 1, mean(&values));
            found.high - found.low
        };
        assert!(width(&sites) > 2.0 * width(&alone));
    }

    #[test]
    fn undefined_rounds_are_left_out() {
        let whole = |rows: &[usize]| if rows == [0, 1] || rows == [1, 0] { 3.0 } else { f64::NAN };
        let found = bootstrap_interval(&["a", "b"], 50, 5, whole);
        assert_eq!(found, BootstrapInterval { estimate: 3.0, low: 3.0, high: 3.0 });
        let nothing = bootstrap_interval::<u8>(&[], 50, 5, |_| f64::NAN);
        assert!(nothing.low.is_nan() && nothing.high.is_nan());
    }
}
