//! Isotonic calibration: a monotone map from scores to probabilities with maximum likelihood.
//!
//! The pool-adjacent-violators algorithm merges neighbouring rows into pools of rising probability. Pool
//! probabilities have Laplace smoothing; pools that violate the order after smoothing are merged again. Between
//! the mean scores of two pools the probability is interpolated linearly.

use serde::{Deserialize, Serialize};

/// Monotone map from scores to probabilities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Isotonic {
    /// Mean score and probability of each pool, both rising.
    knots: Vec<(f32, f32)>,
}

impl Isotonic {
    /// Fits the map. The scores must come from a model that was not trained on these rows.
    pub fn fit(scores: &[f32], labels: &[bool]) -> Isotonic {
        let mut rows: Vec<(f32, bool)> = scores.iter().copied().zip(labels.iter().copied()).collect();
        rows.retain(|row| row.0.is_finite());
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ties = rows.chunk_by(|a, b| a.0 == b.0).map(|tied| Pool {
            scores: tied.iter().map(|row| f64::from(row.0)).sum(),
            yes: tied.iter().filter(|row| row.1).count() as f64,
            count: tied.len() as f64,
        });
        let pools = pool(pool(ties, Pool::mean), Pool::smoothed);
        let knot = |pool: &Pool| ((pool.scores / pool.count) as f32, pool.smoothed() as f32);
        Isotonic { knots: pools.iter().map(knot).collect() }
    }

    /// P(label is true) at a score. Constant beyond the outermost pools, 0.5 without pools.
    pub fn probability(&self, score: f32) -> f32 {
        let above = self.knots.partition_point(|knot| knot.0 <= score);
        let below = above.checked_sub(1).and_then(|below| self.knots.get(below));
        let probability = match (below, self.knots.get(above)) {
            (Some(below), Some(above)) => between(*below, *above, score),
            (Some(end), None) | (None, Some(end)) => end.1,
            (None, None) => 0.5,
        };
        probability.clamp(1e-6, 1.0 - 1e-6)
    }
}

/// Linear interpolation between two knots.
fn between(below: (f32, f32), above: (f32, f32), score: f32) -> f32 {
    let share = (f64::from(score) - f64::from(below.0)) / (f64::from(above.0) - f64::from(below.0));
    (f64::from(below.1) + share * (f64::from(above.1) - f64::from(below.1))) as f32
}

/// Neighbouring rows with one probability.
#[derive(Clone, Copy)]
struct Pool {
    scores: f64,
    yes: f64,
    count: f64,
}

impl Pool {
    fn mean(&self) -> f64 {
        self.yes / self.count
    }

    /// Share of true labels with Laplace smoothing.
    fn smoothed(&self) -> f64 {
        (self.yes + 1.0) / (self.count + 2.0)
    }

    fn joined(self, other: Pool) -> Pool {
        Pool {
            scores: self.scores + other.scores,
            yes: self.yes + other.yes,
            count: self.count + other.count,
        }
    }
}

/// Merges neighbours until `level` rises from pool to pool.
fn pool(pools: impl IntoIterator<Item = Pool>, level: impl Fn(&Pool) -> f64) -> Vec<Pool> {
    let mut rising: Vec<Pool> = Vec::new();
    for mut next in pools {
        while let Some(last) = rising.pop_if(|last| level(last) >= level(&next)) {
            next = last.joined(next);
        }
        rising.push(next);
    }
    rising
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(values: &[f64]) -> Vec<f64> {
        let pools = values.iter().map(|&yes| Pool { scores: 0.0, yes, count: 1.0 });
        pool(pools, Pool::mean).iter().flat_map(|pool| vec![pool.mean(); pool.count as usize]).collect()
    }

    #[test]
    fn violators_are_pooled() {
        assert_eq!(means(&[1.0, 3.0, 2.0, 4.0, 3.5, 5.0]), [1.0, 2.5, 2.5, 3.75, 3.75, 5.0]);
        assert_eq!(means(&[4.0, 3.0, 2.0, 1.0]), [2.5; 4]);
        assert_eq!(means(&[1.0, 2.0, 6.0, 2.0, 1.0, 7.0]), [1.0, 2.0, 3.0, 3.0, 3.0, 7.0]);
    }

    #[test]
    fn pools_are_smoothed_and_joined_by_lines() {
        // No at 0, 1, 2; no-yes-no-yes pooled to a half around 4.5; yes at 7, 8, 9.
        let scores = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let labels = [false, false, false, true, false, true, false, true, true, true];
        let fitted = Isotonic::fit(&scores, &labels);
        assert_eq!(fitted.knots, [(1.0, 0.2), (4.5, 0.5), (8.0, 0.8)]);
        assert!((fitted.probability(2.75) - 0.35).abs() < 1e-6);
        assert_eq!((fitted.probability(-9.0), fitted.probability(99.0)), (0.2, 0.8));
    }

    #[test]
    fn equal_scores_get_one_probability_in_any_order() {
        let one = Isotonic::fit(&[1.0, 1.0, 2.0, 2.0], &[true, false, true, true]);
        let other = Isotonic::fit(&[2.0, 1.0, 1.0, 2.0], &[true, false, true, true]);
        assert_eq!(one, other);
        assert_eq!(one.knots, [(1.0, 0.5), (2.0, 0.75)]);
    }

    #[test]
    fn smoothing_does_not_break_the_order() {
        // A single no smooths to 1/3, two yes among a hundred to 0.03: they become one pool.
        let mut labels = vec![false; 101];
        (labels[50], labels[100]) = (true, true);
        let scores: Vec<f32> = (0u8..101).map(|at| if at == 0 { 0.0 } else { 1.0 }).collect();
        assert_eq!(Isotonic::fit(&scores, &labels).knots.len(), 1);
    }

    #[test]
    fn without_rows_the_probability_is_one_half_and_never_0_or_1() {
        assert_eq!(Isotonic::fit(&[f32::NAN], &[true]).probability(3.0), 0.5);
        let sure = Isotonic { knots: vec![(0.0, 0.0), (1.0, 1.0)] };
        assert!(sure.probability(0.0) > 0.0 && sure.probability(1.0) < 1.0);
        assert!(sure.probability(f32::NAN) > 0.0);
    }
}
