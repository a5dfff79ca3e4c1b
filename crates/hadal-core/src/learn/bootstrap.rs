//! How sure a measured figure is: percentile bootstrap over groups.
//!
//! Forms of one site resemble each other, so whole sites are drawn again, not single forms; otherwise
//! the interval would be too narrow.

use super::folds::members;
use super::random::Random;
use serde::{Deserialize, Serialize};

/// A figure with its 95 % interval; NaN where nothing can be said.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The figure on the rows as they are.
    pub estimate: f64,
    /// 2.5 % of the resampled figures lie below.
    pub low: f64,
    /// 2.5 % of the resampled figures lie above.
    pub high: f64,
}

/// Interval of `statistic`, which is told the rows to compute it on, some of them several times.
/// `groups` says for each row which ones are drawn together. Rounds without a figure (NaN) are left out.
pub fn interval<G: Ord + Clone>(
    groups: &[G],
    rounds: usize,
    seed: u64,
    statistic: impl Fn(&[usize]) -> f64,
) -> Interval {
    let members = members(groups);
    let mut random = Random::new(seed);
    let mut figures: Vec<f64> = (0..rounds)
        .map(|_| statistic(&resample(&members, &mut random)))
        .filter(|figure| !figure.is_nan())
        .collect();
    figures.sort_by(f64::total_cmp);
    let rows: Vec<usize> = (0..groups.len()).collect();
    Interval { estimate: statistic(&rows), low: quantile(&figures, 0.025), high: quantile(&figures, 0.975) }
}

fn resample(members: &[Vec<usize>], random: &mut Random) -> Vec<usize> {
    let drawn = (0..members.len()).map(|_| &members[random.below(members.len())]);
    drawn.flatten().copied().collect()
}

/// Quantile of sorted figures, linear between neighbours.
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

    fn mean(values: &[f64]) -> impl Fn(&[usize]) -> f64 {
        |rows| rows.iter().map(|&row| values[row]).sum::<f64>() / rows.len() as f64
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[7.0], 0.975), 7.0);
    }

    #[test]
    fn the_interval_of_a_mean_covers_it_about_as_often_as_it_says() {
        let mut random = Random::new(11);
        let covered = (0..200).filter(|&seed| {
            let values: Vec<f64> = (0..60).map(|_| random.share()).collect();
            let found = interval(&(0..60).collect::<Vec<_>>(), 200, seed, mean(&values));
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
            let found = interval(groups, 500, 1, mean(&values));
            found.high - found.low
        };
        assert!(width(&sites) > 2.0 * width(&alone));
    }

    #[test]
    fn rounds_without_a_figure_are_left_out() {
        let whole = |rows: &[usize]| if rows == [0, 1] || rows == [1, 0] { 3.0 } else { f64::NAN };
        assert_eq!(interval(&["a", "b"], 50, 5, whole), Interval { estimate: 3.0, low: 3.0, high: 3.0 });
        let nothing = interval::<u8>(&[], 50, 5, |_| f64::NAN);
        assert!(nothing.low.is_nan() && nothing.high.is_nan());
    }
}
