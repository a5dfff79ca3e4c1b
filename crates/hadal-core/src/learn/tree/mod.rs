//! C4.5 decision tree (Quinlan 1993, with release 8's continuous attributes), every attribute a number.
//!
//! `grow` splits while that gains information, `prune` takes back what the training rows do not
//! support. What remains is stored flat: a node's lower side follows it, its upper side comes later.

mod grow;
mod prune;

use super::dense::cell;
use grow::{Branch, Data};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// How to train.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The lower, the more is pruned.
    pub confidence: f64,
    /// Fewest rows on each side of a split.
    pub min_leaf: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { confidence: 0.25, min_leaf: 2.0 }
    }
}

/// A trained tree; the default one knows no class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    nodes: Vec<Node>,
}

/// Training rows of each class that came by, and where rows go from here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Node {
    counts: Vec<u32>,
    split: Option<Split>,
}

/// Rows up to the threshold go on at the next node, the others at node `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Split {
    column: u32,
    threshold: f32,
    upper: u32,
}

impl Tree {
    /// Grows a tree on all rows and prunes it; rows of a class outside `n_classes` are left out.
    pub fn train(rows: &[Vec<f32>], classes: &[usize], n_classes: usize, options: &Options) -> Tree {
        let data = Data::new(rows, classes, n_classes);
        let cases: Vec<usize> =
            (0..rows.len().min(classes.len())).filter(|&at| classes[at] < n_classes).collect();
        let grown = grow::grow(&data, &cases, options.min_leaf.max(1.0));
        let pruned = prune::prune(grown, &data, &cases, options.confidence.clamp(1e-6, 1.0));
        let mut tree = Tree::default();
        tree.push(pruned);
        tree
    }

    /// The most frequent class of the row's leaf.
    pub fn classify(&self, row: &[f32]) -> usize {
        self.leaf(row).map_or(0, |leaf| most(&leaf.counts).0)
    }

    /// Probability of every class: counts of the row's leaf, each raised by one (Laplace).
    pub fn distribution(&self, row: &[f32]) -> Vec<f32> {
        let Some(leaf) = self.leaf(row) else { return Vec::new() };
        let total: f32 = leaf.counts.iter().map(|&count| count as f32 + 1.0).sum();
        leaf.counts.iter().map(|&count| (count as f32 + 1.0) / total).collect()
    }

    /// Nodes, leaves included.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The tree as text, one test per line; a leaf tells its class, its rows and how many are of another class.
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

    /// Every step goes on to a later node, so the walk ends even in a damaged tree.
    fn leaf(&self, row: &[f32]) -> Option<&Node> {
        let mut at = 0;
        loop {
            let node = self.nodes.get(at)?;
            let Some(split) = node.split else { return Some(node) };
            let is_upper = cell(row, split.column as usize) > split.threshold;
            let next = if is_upper { split.upper as usize } else { at + 1 };
            at = Some(next).filter(|&next| next > at)?;
        }
    }

    fn push(&mut self, branch: Branch) {
        let at = self.nodes.len();
        self.nodes.push(Node { counts: branch.counts, split: None });
        if let Some(fork) = branch.fork {
            let (lower, upper) = *fork.sides;
            self.push(lower);
            let split = Split {
                column: fork.column as u32,
                threshold: fork.threshold,
                upper: self.nodes.len() as u32,
            };
            self.nodes[at].split = Some(split);
            self.push(upper);
        }
    }
}

/// The most frequent class, the first of equals, and its count.
fn most(counts: &[u32]) -> (usize, u32) {
    let best = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count);
    best.map_or((0, 0), |(class, &count)| (class, count))
}

fn leaf_text(counts: &[u32]) -> String {
    let (class, count) = most(counts);
    let total: u32 = counts.iter().sum();
    let others = if total == count { String::new() } else { format!("/{}", total - count) };
    format!(": class {class} ({total}{others})\n")
}

#[cfg(test)]
mod tests {
    use super::grow::fixture::golf;
    use super::*;

    const NAMES: [&str; 4] = ["outlook", "temperature", "humidity", "windy"];

    #[test]
    fn quinlans_days_with_outlook_as_a_number() {
        // Wind is first: 0.048 / 0.985 bits against 0.031 / 0.940 for sunny or not (see `grow`).
        let (rows, classes) = golf();
        let tree = Tree::train(&rows, &classes, 2, &Options { confidence: 1.0, ..Options::default() });
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
        let tree = Tree::train(&rows, &classes, 3, &Options::default());
        let expected = "b <= 1\n|   a <= 0: class 0 (10)\n|   a > 0: class 1 (10)\nb > 1: class 2 (20)\n";
        assert_eq!(tree.describe(&["a", "b"]), expected);
        assert_eq!((tree.size(), tree.classify(&[1.0, 0.0]), tree.classify(&[1.0, 9.0])), (5, 1, 2));
        assert_eq!(tree.distribution(&[0.0, 0.0]), [11.0 / 13.0, 1.0 / 13.0, 1.0 / 13.0]);
    }

    #[test]
    fn noise_is_pruned_to_the_majority() {
        let mut random = super::super::random::Random::new(9);
        let rows: Vec<Vec<f32>> =
            (0..200).map(|_| vec![random.share() as f32, random.share() as f32]).collect();
        let classes: Vec<usize> = (0..200).map(|at| usize::from(at % 5 == 0)).collect();
        let tree = Tree::train(&rows, &classes, 2, &Options { confidence: 0.05, min_leaf: 2.0 });
        assert!(tree.size() <= 3, "{}", tree.describe(&[]));
    }

    #[test]
    fn odd_rows_are_decided_too() {
        let rows = vec![vec![], vec![f32::NAN], vec![1.0], vec![f32::INFINITY], vec![2.0, 1.0]];
        let tree = Tree::train(&rows, &[0, 0, 1, 1, 1], 2, &Options { min_leaf: 1.0, ..Options::default() });
        assert_eq!((tree.classify(&[]), tree.classify(&[9.0, 9.0, 9.0])), (0, 1));
        let empty = Tree::train(&[], &[], 2, &Options::default());
        assert_eq!((empty.classify(&[1.0]), empty.distribution(&[1.0])), (0, vec![0.5, 0.5]));
    }

    #[test]
    fn a_damaged_tree_still_ends() {
        let split = Some(Split { column: 7, threshold: -1.0, upper: 0 });
        let tree = Tree { nodes: vec![Node { counts: vec![1], split }; 3] };
        assert!(tree.classify(&[]) == 0 && tree.distribution(&[]).is_empty());
        assert!(tree.describe(&[]).contains("column 7 <= -1"));
    }
}
