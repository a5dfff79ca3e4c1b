//! Pruning: a split stays only if fewer errors are expected of it than of a leaf or of its larger side alone.
//!
//! The error rate on the training rows is too optimistic. The expected rate is the upper end of a confidence
//! interval around it (Quinlan 1993, chapter 4), computed as in C4.5 release 8.

use super::grow::{GrownNode, GrownSplit, TrainingTable};
use super::majority;

/// Additional expected errors that are accepted for a smaller tree. Value of C4.5.
const SMALLER_TREE_BONUS: f64 = 0.1;

/// One-sided confidence levels and their normal deviates: the table of C4.5, interpolated linearly.
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

/// Replaces splits by leaves or by their larger side, from the leaves up.
pub(super) fn prune(node: GrownNode, table: &TrainingTable, cases: &[usize], confidence: f64) -> GrownNode {
    let counts = table.counts(cases);
    let Some(split) = node.split else { return GrownNode::leaf(counts) };
    let (lower_cases, upper_cases) = table.divide(cases, split.column, split.threshold);
    let lower = prune(split.sides.0, table, &lower_cases, confidence);
    let upper = prune(split.sides.1, table, &upper_cases, confidence);
    let as_leaf = leaf_errors(&counts, confidence);
    let as_tree =
        errors(&lower, table, &lower_cases, confidence) + errors(&upper, table, &upper_cases, confidence);
    let larger = if lower_cases.len() > upper_cases.len() { &lower } else { &upper };
    let as_larger = errors(larger, table, cases, confidence);
    if as_leaf <= as_larger.min(as_tree) + SMALLER_TREE_BONUS {
        GrownNode::leaf(counts)
    } else if as_larger <= as_tree + SMALLER_TREE_BONUS {
        prune(larger.clone(), table, cases, confidence)
    } else {
        GrownNode { counts, split: Some(GrownSplit { sides: Box::new((lower, upper)), ..split }) }
    }
}

/// Expected errors of a subtree on the rows `cases`.
fn errors(node: &GrownNode, table: &TrainingTable, cases: &[usize], confidence: f64) -> f64 {
    let Some(split) = &node.split else { return leaf_errors(&table.counts(cases), confidence) };
    let (lower, upper) = table.divide(cases, split.column, split.threshold);
    errors(&split.sides.0, table, &lower, confidence) + errors(&split.sides.1, table, &upper, confidence)
}

fn leaf_errors(counts: &[u32], confidence: f64) -> f64 {
    let total = f64::from(counts.iter().sum::<u32>());
    let seen = total - f64::from(majority(counts).1);
    seen + unseen_errors(total, seen, confidence)
}

/// Difference between the upper end of the interval and the errors `seen` among `total` rows.
fn unseen_errors(total: f64, seen: f64, confidence: f64) -> f64 {
    if total == 0.0 {
        return 0.0;
    }
    if seen == 0.0 {
        return total * (1.0 - confidence.powf(1.0 / total));
    }
    let centre = seen + 0.5;
    if centre >= total {
        // Constant of C4.5 release 8 for leaves in which nearly all cases are errors.
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

    fn node(column: usize, threshold: f32, lower: GrownNode, upper: GrownNode) -> GrownNode {
        GrownNode {
            counts: Vec::new(),
            split: Some(GrownSplit { column, threshold, sides: Box::new((lower, upper)) }),
        }
    }

    fn leaf() -> GrownNode {
        GrownNode::leaf(Vec::new())
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
        let table = TrainingTable::new(&rows, &classes, 2);
        let cases: Vec<usize> = (0..16).collect();
        let three = node(0, 0.0, leaf(), node(1, 0.0, leaf(), leaf()));
        assert!((errors(&three, &table, &cases, 0.25) - 3.273).abs() < 2e-3);
        assert_eq!(prune(three, &table, &cases, 0.25), GrownNode::leaf(vec![15, 1]));
    }

    #[test]
    fn a_good_side_is_raised_over_an_idle_test() {
        let rows: Vec<Vec<f32>> =
            (0..20).map(|at| vec![f32::from(u8::from(at >= 2)), f32::from(u8::from(at % 2 == 1))]).collect();
        let classes: Vec<usize> = (0..20).map(|at| at % 2).collect();
        let table = TrainingTable::new(&rows, &classes, 2);
        let idle = node(0, 0.0, leaf(), node(1, 0.0, leaf(), leaf()));
        let raised = prune(idle, &table, &(0..20).collect::<Vec<_>>(), 0.25);
        assert_eq!(
            raised.split.map(|split| (split.column, split.sides.0.counts.clone())),
            Some((1, vec![10, 0]))
        );
    }

    #[test]
    fn subtrees_that_the_rows_support_are_kept() {
        let rows: Vec<Vec<f32>> = (0..30u8).map(|at| vec![f32::from(at)]).collect();
        let classes: Vec<usize> = (0..30).map(|at| usize::from(at >= 12)).collect();
        let (table, cases) = (TrainingTable::new(&rows, &classes, 2), (0..30).collect::<Vec<_>>());
        let grown = grow(&table, &cases, 2.0);
        assert_eq!(prune(grown.clone(), &table, &cases, 0.25), grown);
    }
}
