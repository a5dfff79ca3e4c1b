//! Gradient boosted trees for a yes or no: many shallow trees, each mending what the sum so far gets wrong.
//!
//! Second-order boosting of the logistic loss as in XGBoost (Chen and Guestrin 2016, section 2): splits by
//! the gain of equation 7, leaves by the Newton step of equation 5.

mod bins;
mod grow;

use super::dense::cell;
use super::logistic::sigmoid;
use super::random::Random;
use super::weight_of;
use bins::Column;
use grow::{Grower, Slope};
use serde::{Deserialize, Serialize};

/// How to train.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many trees.
    pub rounds: usize,
    /// Share of each tree's correction that is kept.
    pub rate: f64,
    /// Most tests on the way to a leaf.
    pub depth: usize,
    /// Least weight of a leaf, in units of p(1-p): a row in doubt weighs a quarter, a settled one little.
    pub min_leaf_weight: f64,
    /// Pulls the values of leaves towards 0.
    pub l2: f64,
    /// Share of the columns that each tree sees.
    pub column_share: f64,
    /// Share of the rows that each tree sees.
    pub row_share: f64,
    /// Draws rows and columns.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rounds: 200,
            rate: 0.1,
            depth: 4,
            min_leaf_weight: 1.0,
            l2: 1.0,
            column_share: 0.5,
            row_share: 0.8,
            seed: 1,
        }
    }
}

/// Log-odds to begin with and the trees that correct them, each as a flat list of nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Boosted {
    prior: f32,
    trees: Vec<Vec<Node>>,
}

/// Rows below the threshold go on at the next node, the others at node `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Node {
    Leaf(f32),
    Split { column: u32, threshold: f32, upper: u32 },
}

impl Boosted {
    /// Learns to tell the rows labelled yes from the others.
    pub fn train(rows: &[Vec<f32>], labels: &[bool], weights: Option<&[f32]>, options: &Options) -> Boosted {
        let rows = &rows[..rows.len().min(labels.len())];
        let weights: Vec<f64> = (0..rows.len()).map(|row| weight_of(weights, row)).collect();
        let columns = bins::columns(rows);
        let mut random = Random::new(options.seed);
        let mut model = Boosted { prior: log_odds(labels, &weights), trees: Vec::new() };
        let mut margins = vec![f64::from(model.prior); rows.len()];
        for _ in 0..options.rounds {
            let slopes = slopes(&margins, labels, &weights);
            let tree = round(&columns, &slopes, options, &mut random);
            margins.iter_mut().zip(rows).for_each(|(margin, row)| *margin += f64::from(value(&tree, row)));
            model.trees.push(tree);
        }
        model
    }

    /// Log-odds of a yes.
    pub fn margin(&self, row: &[f32]) -> f32 {
        let corrections: f64 = self.trees.iter().map(|tree| f64::from(value(tree, row))).sum();
        (f64::from(self.prior) + corrections) as f32
    }
}

/// One tree on a sample of rows and columns.
fn round(columns: &[Column], slopes: &[Slope], options: &Options, random: &mut Random) -> Vec<Node> {
    let rows =
        (0..slopes.len() as u32).filter(|_| options.row_share >= 1.0 || random.share() < options.row_share);
    let rows: Vec<u32> = rows.filter(|&row| slopes[row as usize].bend > 0.0).collect();
    let mut drawn: Vec<usize> = (0..columns.len()).collect();
    if options.column_share < 1.0 {
        random.shuffle(&mut drawn);
        drawn.truncate((options.column_share * columns.len() as f64).ceil() as usize);
        drawn.sort_unstable();
    }
    Grower::new(columns, &drawn, slopes, options).grow(rows)
}

/// First and second derivative of each row's loss at its margin.
fn slopes(margins: &[f64], labels: &[bool], weights: &[f64]) -> Vec<Slope> {
    let rows = margins.iter().zip(labels).zip(weights);
    let slope = |((&margin, &label), &weight): ((&f64, &bool), &f64)| {
        let probability = sigmoid(margin);
        let excess = probability - f64::from(u8::from(label));
        Slope { slope: weight * excess, bend: weight * (probability * (1.0 - probability)).max(1e-12) }
    };
    rows.map(slope).collect()
}

/// Log-odds of the labels, away from certainty.
fn log_odds(labels: &[bool], weights: &[f64]) -> f32 {
    let total: f64 = weights.iter().sum();
    if total == 0.0 {
        return 0.0;
    }
    let yes: f64 = labels.iter().zip(weights).filter(|(label, _)| **label).map(|(_, weight)| weight).sum();
    let share = (yes / total).clamp(0.001, 0.999);
    (share / (1.0 - share)).ln() as f32
}

/// What a tree says about a row. Every step goes on to a later node, so the walk ends even in a damaged tree.
fn value(tree: &[Node], row: &[f32]) -> f32 {
    let mut at = 0;
    loop {
        match tree.get(at) {
            None => return 0.0,
            Some(Node::Leaf(value)) => return *value,
            Some(&Node::Split { column, threshold, upper }) => {
                let is_upper = cell(row, column as usize) >= threshold;
                at = if is_upper { (upper as usize).max(at + 1) } else { at + 1 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One tree on everything.
    fn plain(rounds: usize, depth: usize) -> Options {
        Options { rounds, depth, rate: 1.0, column_share: 1.0, row_share: 1.0, ..Options::default() }
    }

    #[test]
    fn one_stump_by_hand() {
        // At margin 0 every row has slope 1/2 and bend 1/4: four rows a side give leaves of -+2/(1+1).
        let rows: Vec<Vec<f32>> = (0..8u8).map(|at| vec![1.0, f32::from(at)]).collect();
        let labels = [false, false, false, false, true, true, true, true];
        let model = Boosted::train(&rows, &labels, None, &plain(1, 1));
        assert_eq!(
            model.trees[0],
            [Node::Split { column: 1, threshold: 3.5, upper: 2 }, Node::Leaf(-1.0), Node::Leaf(1.0)]
        );
        assert_eq!((model.margin(&[0.0, 3.0]), model.margin(&[0.0, 3.5])), (-1.0, 1.0));
        let half = Boosted::train(&rows, &labels, None, &Options { rate: 0.5, ..plain(1, 1) });
        assert_eq!(half.margin(&[0.0, 0.0]), -0.5);
    }

    #[test]
    fn a_leaf_must_weigh_enough() {
        // With one yes in ten a row weighs 0.09: the four yes 0.36, twelve rows 1.08, half of all 1.8.
        let rows: Vec<Vec<f32>> = (0..40u8).map(|at| vec![f32::from(at)]).collect();
        let labels: Vec<bool> = (0..40).map(|at| at >= 36).collect();
        let threshold = |min_leaf_weight| {
            let model = Boosted::train(&rows, &labels, None, &Options { min_leaf_weight, ..plain(1, 1) });
            match model.trees[0][0] {
                Node::Split { threshold, .. } => Some(threshold),
                Node::Leaf(_) => None,
            }
        };
        assert_eq!((threshold(0.1), threshold(1.0), threshold(2.0)), (Some(35.5), Some(27.5), None));
    }

    #[test]
    fn a_conjunction_needs_depth_two() {
        let rows: Vec<Vec<f32>> =
            (0..80u8).map(|at| vec![f32::from(at % 2), f32::from(at / 2 % 2)]).collect();
        let labels: Vec<bool> = rows.iter().map(|row| row[0] + row[1] == 2.0).collect();
        let model = Boosted::train(&rows, &labels, None, &plain(20, 2));
        assert!(rows.iter().zip(&labels).all(|(row, &label)| (model.margin(row) > 2.0) == label));
    }

    #[test]
    fn many_rounds_approach_the_log_odds() {
        let rows: Vec<Vec<f32>> = (0..400u16).map(|at| vec![f32::from(at % 2)]).collect();
        let labels: Vec<bool> =
            (0..400).map(|at| if at % 2 == 0 { at % 10 == 0 } else { at % 10 != 1 }).collect();
        let model = Boosted::train(&rows, &labels, None, &Options { rate: 0.3, ..plain(100, 2) });
        assert!((sigmoid(f64::from(model.margin(&[0.0]))) - 0.2).abs() < 0.01);
        assert!((sigmoid(f64::from(model.margin(&[1.0]))) - 0.8).abs() < 0.01);
    }

    #[test]
    fn weights_stand_for_repeated_rows() {
        let rows: Vec<Vec<f32>> = (0..20u8).map(|at| vec![f32::from(at % 7)]).collect();
        let labels: Vec<bool> = (0..20).map(|at| at % 7 > 3).collect();
        let doubled = Boosted::train(&[&rows[..], &rows[..]].concat(), &labels.repeat(2), None, &plain(5, 2));
        let weighted = Boosted::train(&rows, &labels, Some(&[2.0; 20]), &plain(5, 2));
        assert!(rows.iter().all(|row| (doubled.margin(row) - weighted.margin(row)).abs() < 1e-5));
        let mute = Boosted::train(&rows, &labels, Some(&[0.0; 20]), &plain(5, 2));
        assert_eq!(mute.margin(&rows[0]), 0.0);
    }

    #[test]
    fn sampling_is_fixed_by_the_seed() {
        let mut random = Random::new(8);
        let rows: Vec<Vec<f32>> = (0..200).map(|_| (0..6).map(|_| random.share() as f32).collect()).collect();
        let labels: Vec<bool> = rows.iter().map(|row| row[0] + row[1] > 1.0).collect();
        let train =
            |seed| Boosted::train(&rows, &labels, None, &Options { rounds: 20, seed, ..Options::default() });
        assert_eq!(train(1), train(1));
        assert_ne!(train(1), train(2));
    }

    #[test]
    fn odd_rows_and_damaged_trees_are_borne() {
        let rows = vec![vec![], vec![f32::NAN, 1.0], vec![f32::INFINITY], vec![f32::NEG_INFINITY]];
        let model = Boosted::train(&rows, &[true, false, true, true, false], None, &plain(5, 3));
        assert!(rows.iter().all(|row| model.margin(row).is_finite()));
        assert_eq!(Boosted::train(&[], &[], None, &Options::default()).margin(&[1.0]), 0.0);
        let damaged = vec![Node::Split { column: 9, threshold: -1.0, upper: 0 }; 3];
        assert_eq!(Boosted { prior: 0.5, trees: vec![damaged] }.margin(&[]), 0.5);
    }
}
