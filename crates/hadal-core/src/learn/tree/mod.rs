//! C4.5 decision tree over numeric attributes (Quinlan 1993, thresholds as in release 8).
//!
//! `grow` splits nodes while a split gains information. `prune` removes splits that the training rows do not
//! support. The tree is stored as a list in depth-first order: the lower side of a node follows it directly.

mod grow;
mod prune;

use grow::{GrownNode, TrainingTable};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Training parameters. The defaults are those of C4.5.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeOptions {
    /// Confidence level of pruning, from 0 to 1. A lower level prunes more.
    pub confidence: f64,
    /// Minimum number of training rows on each side of a split.
    pub min_leaf: f64,
}

impl Default for TreeOptions {
    fn default() -> TreeOptions {
        TreeOptions { confidence: 0.25, min_leaf: 2.0 }
    }
}

/// Trained decision tree. The default tree has no nodes and no classes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DecisionTree {
    nodes: Vec<TreeNode>,
}

/// Training rows of each class in the node, and the split if the node is not a leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TreeNode {
    counts: Vec<u32>,
    split: Option<TreeSplit>,
}

/// Test of one column. Rows up to the threshold continue at the next node, other rows at node `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct TreeSplit {
    column: u32,
    threshold: f32,
    upper: u32,
}

impl DecisionTree {
    /// Grows a tree on all rows and prunes it. Rows with a class of at least `n_classes` are ignored.
    pub fn train(
        rows: &[Vec<f32>],
        classes: &[usize],
        n_classes: usize,
        options: &TreeOptions,
    ) -> DecisionTree {
        let table = TrainingTable::new(rows, classes, n_classes);
        let cases: Vec<usize> =
            (0..rows.len().min(classes.len())).filter(|&at| classes[at] < n_classes).collect();
        let grown = grow::grow(&table, &cases, options.min_leaf.max(1.0));
        let pruned = prune::prune(grown, &table, &cases, options.confidence.clamp(1e-6, 1.0));
        let mut tree = DecisionTree::default();
        tree.push(pruned);
        tree
    }

    /// Most frequent class in the leaf of `row`.
    pub fn classify(&self, row: &[f32]) -> usize {
        self.leaf(row).map_or(0, |leaf| majority(&leaf.counts).0)
    }

    /// Probability of each class: class counts of the leaf of `row` with Laplace smoothing (each count plus 1).
    pub fn distribution(&self, row: &[f32]) -> Vec<f32> {
        let Some(leaf) = self.leaf(row) else { return Vec::new() };
        let total: f32 = leaf.counts.iter().map(|&count| count as f32 + 1.0).sum();
        leaf.counts.iter().map(|&count| (count as f32 + 1.0) / total).collect()
    }

    /// Number of nodes, leaves included.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Formats the tree, one test per line. A leaf shows its class, its rows and the rows of other classes.
    pub fn describe(&self, names: &[&str]) -> String {
        let mut text = String::new();
        let mut waiting: Vec<(usize, usize, String)> = Vec::new();
        let mut depth = 0;
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some((_, outer, heading)) = waiting.pop_if(|(upper, ..)| *upper == at) {
                text.push_str(&heading);
                depth = outer + 1;
            }
            let Some(split) = node.split else {
                text.push_str(&leaf_text(&node.counts));
                continue;
            };
            let name = names
                .get(split.column as usize)
                .map_or(format!("column {}", split.column), ToString::to_string);
            let heading = |sign: &str| format!("{}{name} {sign} {}", "|   ".repeat(depth), split.threshold);
            let _ = write!(text, "{}{}", if at == 0 { "" } else { "\n" }, heading("<="));
            waiting.push((split.upper as usize, depth, heading(">")));
            depth += 1;
        }
        text
    }

    /// Leaf that `row` ends in. Each step moves to a later node, so the loop ends even in a damaged tree.
    fn leaf(&self, row: &[f32]) -> Option<&TreeNode> {
        let mut at = 0;
        loop {
            let node = self.nodes.get(at)?;
            let Some(split) = node.split else { return Some(node) };
            let is_upper = cell(row, split.column as usize) > split.threshold;
            let next = if is_upper { split.upper as usize } else { at + 1 };
            at = Some(next).filter(|&next| next > at)?;
        }
    }

    fn push(&mut self, grown: GrownNode) {
        let at = self.nodes.len();
        self.nodes.push(TreeNode { counts: grown.counts, split: None });
        if let Some(split) = grown.split {
            let (lower, upper) = *split.sides;
            self.push(lower);
            let split = TreeSplit {
                column: split.column as u32,
                threshold: split.threshold,
                upper: self.nodes.len() as u32,
            };
            self.nodes[at].split = Some(split);
            self.push(upper);
        }
    }
}

/// Most frequent class and its count. The lowest class wins a tie.
fn majority(counts: &[u32]) -> (usize, u32) {
    let best = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count);
    best.map_or((0, 0), |(class, &count)| (class, count))
}

fn leaf_text(counts: &[u32]) -> String {
    let (class, count) = majority(counts);
    let total: u32 = counts.iter().sum();
    let others = if total == count { String::new() } else { format!("/{}", total - count) };
    format!(": class {class} ({total}{others})\n")
}

/// Bound on the absolute value of a cell. Large enough for any count, and midpoints of two cells do not overflow.
const MAX_CELL: f32 = 1e30;

/// Value of a row in a column. Missing values and NaN count as 0.
fn cell(row: &[f32], column: usize) -> f32 {
    let value = row.get(column).copied().unwrap_or(0.0);
    if value.is_nan() { 0.0 } else { value.clamp(-MAX_CELL, MAX_CELL) }
}

#[cfg(test)]
mod tests {
    use super::grow::fixture::golf;
    use super::*;

    const NAMES: [&str; 4] = ["outlook", "temperature", "humidity", "windy"];

    #[test]
    fn cells_are_finite_numbers() {
        let row = [1.5, f32::NAN, f32::INFINITY];
        assert_eq!((0..4).map(|column| cell(&row, column)).collect::<Vec<_>>(), [1.5, 0.0, MAX_CELL, 0.0]);
    }

    #[test]
    fn quinlans_days_with_outlook_as_a_number() {
        // The wind comes first: gain ratio 0.048 / 0.985 against 0.031 / 0.940 for sunny or not (see `grow`).
        let (rows, classes) = golf();
        let tree = DecisionTree::train(
            &rows,
            &classes,
            2,
            &TreeOptions { confidence: 1.0, ..TreeOptions::default() },
        );
        let expected = [
            "windy <= 0",
            "|   outlook <= 0: class 0 (3/1)",
            "|   outlook > 0: class 1 (5)",
            "windy > 0",
            "|   outlook <= 1: class 1 (4/1)",
            "|   outlook > 1: class 0 (2)",
        ];
        assert_eq!(tree.describe(&NAMES).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_tree_reads_like_rules() {
        let rows: Vec<Vec<f32>> = (0..40u8).map(|at| vec![f32::from(at % 2), f32::from(at / 10)]).collect();
        let classes: Vec<usize> =
            rows.iter().map(|row| if row[1] < 1.5 { row[0] as usize } else { 2 }).collect();
        let tree = DecisionTree::train(&rows, &classes, 3, &TreeOptions::default());
        let expected = "b <= 1\n|   a <= 0: class 0 (10)\n|   a > 0: class 1 (10)\nb > 1: class 2 (20)\n";
        assert_eq!(tree.describe(&["a", "b"]), expected);
        assert_eq!((tree.size(), tree.classify(&[1.0, 0.0]), tree.classify(&[1.0, 9.0])), (5, 1, 2));
        assert_eq!(tree.distribution(&[0.0, 0.0]), [11.0 / 13.0, 1.0 / 13.0, 1.0 / 13.0]);
    }

    #[test]
    fn noise_is_pruned_to_the_majority() {
        let mut random = super::super::rng::Rng::new(9);
        let rows: Vec<Vec<f32>> =
            (0..200).map(|_| vec![random.fraction() as f32, random.fraction() as f32]).collect();
        let classes: Vec<usize> = (0..200).map(|at| usize::from(at % 5 == 0)).collect();
        let tree = DecisionTree::train(&rows, &classes, 2, &TreeOptions { confidence: 0.05, min_leaf: 2.0 });
        assert!(tree.size() <= 3, "{}", tree.describe(&[]));
    }

    #[test]
    fn odd_rows_are_decided_too() {
        let rows = vec![vec![], vec![f32::NAN], vec![1.0], vec![f32::INFINITY], vec![2.0, 1.0]];
        let tree = DecisionTree::train(
            &rows,
            &[0, 0, 1, 1, 1],
            2,
            &TreeOptions { min_leaf: 1.0, ..TreeOptions::default() },
        );
        assert_eq!((tree.classify(&[]), tree.classify(&[9.0, 9.0, 9.0])), (0, 1));
        let empty = DecisionTree::train(&[], &[], 2, &TreeOptions::default());
        assert_eq!((empty.classify(&[1.0]), empty.distribution(&[1.0])), (0, vec![0.5, 0.5]));
    }

    #[test]
    fn a_damaged_tree_still_ends() {
        let split = Some(TreeSplit { column: 7, threshold: -1.0, upper: 0 });
        let tree = DecisionTree { nodes: vec![TreeNode { counts: vec![1], split }; 3] };
        assert!(tree.classify(&[]) == 0 && tree.distribution(&[]).is_empty());
        assert!(tree.describe(&[]).contains("column 7 <= -1"));
    }
}
