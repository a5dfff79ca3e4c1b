//! L2-regularised logistic regression for two classes.
//!
//! Minimises `l2/2 * |w|² + sum over rows of c * log(1 + exp(-y * w.x))` by L-BFGS, where `x` is a row, `y`
//! its label (1 or -1) and `c` its weight. L-BFGS converges for a weak penalty too, unlike coordinate descent
//! in the dual. The bias is the weight of a feature that is always 1, and is regularised.

use super::lbfgs::minimise;
use super::packed::rounded;
use super::sparse::{CompactRows, SparseRow};
use super::weight_of;
use serde::{Deserialize, Serialize};

/// Training parameters of [`Logistic`] and [`super::softmax::Softmax`].
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticOptions {
    /// Factor of the penalty `|w|²/2`. The loss is the sum over rows, not the mean.
    pub l2: f64,
    /// Maximum number of iterations. Each one takes about one pass over the rows.
    pub epochs: usize,
    /// Training ends when the largest gradient component has shrunk by this factor.
    pub tolerance: f64,
}

impl Default for LogisticOptions {
    fn default() -> LogisticOptions {
        LogisticOptions { l2: 1.0, epochs: 500, tolerance: 1e-5 }
    }
}

/// Trained model: a weight per feature index and a bias.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Logistic {
    #[serde(with = "super::packed")]
    weights: Vec<f32>,
    bias: f32,
}

impl Logistic {
    /// Trains on labelled rows. `weights` are row weights; without them each row has weight 1.
    pub fn train(
        rows: &[SparseRow],
        labels: &[bool],
        weights: Option<&[f32]>,
        options: &LogisticOptions,
    ) -> Logistic {
        let compact = CompactRows::new(rows);
        let examples: Vec<LogisticExample> = compact
            .rows
            .iter()
            .zip(labels)
            .enumerate()
            .map(|(at, (items, &label))| LogisticExample {
                items,
                sign: if label { 1.0 } else { -1.0 },
                weight: weight_of(weights, at),
            })
            .collect();
        let start = vec![0.0; compact.used.len() + 1];
        let found = minimise(start, options.epochs, options.tolerance, |at, gradient| {
            evaluate(&examples, options.l2.max(1e-9), at, gradient)
        });
        Logistic { weights: rounded(&compact.spread(&found[1..], 1)), bias: found[0] as f32 }
    }

    /// Log-odds of the label true.
    pub fn margin(&self, row: &SparseRow) -> f32 {
        row.dot(&self.weights) + self.bias
    }

    /// P(label is true).
    pub fn probability(&self, row: &SparseRow) -> f32 {
        sigmoid(f64::from(self.margin(row))) as f32
    }

    /// Weights by feature index.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

/// Logistic function: probability of log-odds.
pub fn sigmoid(margin: f64) -> f64 {
    1.0 / (1.0 + (-margin).exp())
}

struct LogisticExample<'a> {
    items: &'a [(usize, f64)],
    sign: f64,
    weight: f64,
}

/// Loss and gradient at a point. Component 0 is the bias, the others are weights.
fn evaluate(examples: &[LogisticExample], l2: f64, at: &[f64], gradient: &mut [f64]) -> f64 {
    let mut loss = super::penalty(l2, at, gradient);
    for example in examples {
        let product = example.items.iter().map(|&(place, value)| value * at[place + 1]);
        let margin = example.sign * (product.sum::<f64>() + at[0]);
        loss += example.weight * ((-margin).max(0.0) + (-margin.abs()).exp().ln_1p());
        let step = -example.weight * example.sign * sigmoid(-margin);
        gradient[0] += step;
        example.items.iter().for_each(|&(place, value)| gradient[place + 1] += step * value);
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(items: &[(u32, f32)]) -> SparseRow {
        SparseRow::new(items.to_vec())
    }

    fn exact(l2: f64) -> LogisticOptions {
        LogisticOptions { l2, tolerance: 1e-12, epochs: 10_000 }
    }

    #[test]
    fn rows_without_features_give_the_log_odds_of_the_labels() {
        let model =
            Logistic::train(&vec![SparseRow::default(); 4], &[true, true, true, false], None, &exact(1e-6));
        assert!((model.bias - 3f32.ln()).abs() < 1e-4, "{model:?}");
    }

    #[test]
    fn each_of_two_disjoint_groups_gets_its_own_log_odds() {
        let rows: Vec<SparseRow> = (0..10).map(|at| row(&[(u32::from(at >= 5), 1.0)])).collect();
        let labels = [true, false, false, false, false, true, true, true, true, false];
        let model = Logistic::train(&rows, &labels, None, &exact(1e-7));
        assert!((model.probability(&rows[0]) - 0.2).abs() < 1e-4);
        assert!((model.probability(&rows[9]) - 0.8).abs() < 1e-4);
    }

    #[test]
    fn the_gradient_vanishes_at_the_optimum() {
        let rows =
            [row(&[(0, 1.0), (1, 2.0)]), row(&[(0, -1.0)]), row(&[(1, 0.5), (2, 1.0)]), row(&[(2, -3.0)])];
        let labels = [true, false, false, true];
        let weights = [1.0, 2.0, 0.5, 3.0];
        let model = Logistic::train(&rows, &labels, Some(&weights), &exact(0.7));
        let mut gradient: Vec<f64> = model.weights().iter().map(|&weight| 0.7 * f64::from(weight)).collect();
        for ((row, &label), &weight) in rows.iter().zip(&labels).zip(&weights) {
            let excess = f64::from(weight) * (f64::from(model.probability(row)) - f64::from(u8::from(label)));
            row.items()
                .iter()
                .for_each(|&(index, value)| gradient[index as usize] += excess * f64::from(value));
        }
        assert!(gradient.iter().all(|slope| slope.abs() < 1e-3), "{gradient:?}");
    }

    #[test]
    fn weight_2_equals_two_rows_and_weight_0_none() {
        let rows = [row(&[(0, 1.0)]), row(&[(0, 1.0)]), row(&[(0, -0.5)]), row(&[(0, 9.0)])];
        let twice = Logistic::train(&rows[..3], &[true, true, false], None, &exact(1.0));
        let weighted = [rows[0].clone(), rows[2].clone(), rows[3].clone()];
        let once = Logistic::train(&weighted, &[true, false, true], Some(&[2.0, 1.0, f32::NAN]), &exact(1.0));
        assert!((twice.margin(&rows[0]) - once.margin(&rows[0])).abs() < 1e-5);
    }

    #[test]
    fn without_rows_the_probability_is_one_half() {
        let model = Logistic::train(&[], &[], None, &LogisticOptions::default());
        assert_eq!(model.probability(&row(&[(1, 1.0)])), 0.5);
    }

    #[test]
    fn huge_values_and_indices_are_handled() {
        let rows = [row(&[(0, f32::MAX), (u32::MAX, 1.0)]), row(&[(0, f32::MIN)])];
        let model = Logistic::train(&rows, &[true, false], None, &LogisticOptions::default());
        assert!(model.weights().len() == 1 && model.margin(&rows[0]).is_finite());
    }
}
