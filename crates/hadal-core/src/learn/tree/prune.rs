//! Pruning: a branch stays only if it is expected to err less than a leaf or than its larger side alone.
//!
//! Errors on the training rows flatter. The rate expected is the upper end of a confidence interval around
//! them (Quinlan 1993, chapter 4), computed as C4.5 release 8 does.

use super::grow::{Branch, Data, Fork};
use super::most;

/// A smaller tree may err this much more and is still taken.
const INDULGENCE: f64 = 0.1;

/// Normal deviates for one-sided confidences, C4.5's table: between them it interpolates.
const DEVIATES: [(f64, f64); 9] = [
    (0.0, 4.0),
    (0.001, 3.09),
    (0.005, 2.58),
    (0.01, 2.33),
    (0.05, 1.65),
    (0.10, 1.28),
    (0.20, 0.84),
    (0.40, 0.25),
    (1.0, 0.0),
];

/// Replaces branches by leaves or raises their larger side, from the leaves up.
pub(super) fn prune(branch: Branch, data: &Data, cases: &[usize], confidence: f64) -> Branch {
    let counts = data.counts(cases);
    let Some(fork) = branch.fork else { return Branch::leaf(counts) };
    let (lower_cases, upper_cases) = data.divide(cases, fork.column, fork.threshold);
    let lower = prune(fork.sides.0, data, &lower_cases, confidence);
    let upper = prune(fork.sides.1, data, &upper_cases, confidence);
    let as_leaf = leaf_errors(&counts, confidence);
    let as_tree =
        errors(&lower, data, &lower_cases, confidence) + errors(&upper, data, &upper_cases, confidence);
    let larger = if lower_cases.len() > upper_cases.len() { &lower } else { &upper };
    let as_larger = errors(larger, data, cases, confidence);
    if as_leaf <= as_larger.min(as_tree) + INDULGENCE {
        Branch::leaf(counts)
    } else if as_larger <= as_tree + INDULGENCE {
        prune(larger.clone(), data, cases, confidence)
    } else {
        Branch { counts, fork: Some(Fork { sides: Box::new((lower, upper)), ..fork }) }
    }
}

/// Errors expected of a branch that `cases` are sent through.
fn errors(branch: &Branch, data: &Data, cases: &[usize], confidence: f64) -> f64 {
    let Some(fork) = &branch.fork else { return leaf_errors(&data.counts(cases), confidence) };
    let (lower, upper) = data.divide(cases, fork.column, fork.threshold);
    errors(&fork.sides.0, data, &lower, confidence) + errors(&fork.sides.1, data, &upper, confidence)
}

fn leaf_errors(counts: &[u32], confidence: f64) -> f64 {
    let total = f64::from(counts.iter().sum::<u32>());
    let seen = total - f64::from(most(counts).1);
    seen + unseen_errors(total, seen, confidence)
}

/// Errors to add to those seen among `total` cases to reach the upper end of the interval.
fn unseen_errors(total: f64, seen: f64, confidence: f64) -> f64 {
    if total == 0.0 {
        return 0.0;
    }
    if seen == 0.0 {
        return total * (1.0 - confidence.powf(1.0 / total));
    }
    let centre = seen + 0.5;
    if centre >= total {
        return 0.67 * (total - seen);
    }
    let squared = deviate(confidence).powi(2);
    let spread = (squared * (centre * (1.0 - centre / total) + squared / 4.0)).sqrt();
    total * (centre + squared / 2.0 + spread) / (total + squared) - seen
}

fn deviate(confidence: f64) -> f64 {
    let above = DEVIATES.iter().position(|entry| entry.0 >= confidence).unwrap_or(DEVIATES.len() - 1).max(1);
    let (low, high) = (DEVIATES[above - 1], DEVIATES[above]);
    low.1 + (high.1 - low.1) * (confidence - low.0) / (high.0 - low.0)
}

#[cfg(test)]
mod tests {
    use super::super::grow::grow;
    use super::*;

    fn rate(total: f64, seen: f64) -> f64 {
        (seen + unseen_errors(total, seen, 0.25)) / total
    }

    fn fork(column: usize, threshold: f32, lower: Branch, upper: Branch) -> Branch {
        Branch { counts: Vec::new(), fork: Some(Fork { column, threshold, sides: Box::new((lower, upper)) }) }
    }

    fn leaf() -> Branch {
        Branch::leaf(Vec::new())
    }

    #[test]
    fn upper_bounds_are_those_of_the_book() {
        for (total, seen, bound) in
            [(6.0, 0.0, 0.206), (9.0, 0.0, 0.143), (1.0, 0.0, 0.75), (16.0, 1.0, 0.157)]
        {
            assert!((rate(total, seen) - bound).abs() < 5e-4, "{total} {seen}: {}", rate(total, seen));
        }
        assert!((deviate(0.25) - 0.6925).abs() < 1e-9 && deviate(1.0) == 0.0);
        assert_eq!(unseen_errors(2.0, 2.0, 0.25), 0.0);
    }

    #[test]
    fn three_nearly_pure_leaves_become_one() {
        // 6, 9 and 1 cases: 6 * 0.206 + 9 * 0.143 + 1 * 0.75 = 3.27 errors against 16 * 0.157 = 2.51.
        let side = |is_upper: bool| f32::from(u8::from(is_upper));
        let rows: Vec<Vec<f32>> = (0..16).map(|at| vec![side(at >= 6), side(at < 3 || at == 15)]).collect();
        let classes: Vec<usize> = (0..16).map(|at| usize::from(at == 15)).collect();
        let data = Data::new(&rows, &classes, 2);
        let cases: Vec<usize> = (0..16).collect();
        let three = fork(0, 0.0, leaf(), fork(1, 0.0, leaf(), leaf()));
        assert!((errors(&three, &data, &cases, 0.25) - 3.273).abs() < 2e-3);
        assert_eq!(prune(three, &data, &cases, 0.25), Branch::leaf(vec![15, 1]));
    }

    #[test]
    fn a_good_side_is_raised_over_an_idle_test() {
        let rows: Vec<Vec<f32>> =
            (0..20).map(|at| vec![f32::from(u8::from(at >= 2)), f32::from(u8::from(at % 2 == 1))]).collect();
        let classes: Vec<usize> = (0..20).map(|at| at % 2).collect();
        let data = Data::new(&rows, &classes, 2);
        let idle = fork(0, 0.0, leaf(), fork(1, 0.0, leaf(), leaf()));
        let raised = prune(idle, &data, &(0..20).collect::<Vec<_>>(), 0.25);
        assert_eq!(
            raised.fork.map(|fork| (fork.column, fork.sides.0.counts.clone())),
            Some((1, vec![10, 0]))
        );
    }

    #[test]
    fn what_the_rows_support_stays() {
        let rows: Vec<Vec<f32>> = (0..30u8).map(|at| vec![f32::from(at)]).collect();
        let classes: Vec<usize> = (0..30).map(|at| usize::from(at >= 12)).collect();
        let (data, cases) = (Data::new(&rows, &classes, 2), (0..30).collect::<Vec<_>>());
        let grown = grow(&data, &cases, 2.0);
        assert_eq!(prune(grown.clone(), &data, &cases, 0.25), grown);
    }
}
