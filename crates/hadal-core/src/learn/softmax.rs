//! L2-regularised softmax regression for several classes (maximum entropy).
//!
//! Minimises `l2/2 * |w|² - sum over rows of c * log p(k | x)` by L-BFGS, where `c` is the weight and `k` the
//! class of row `x`, and `p(k | x) = exp(w_k.x) / sum over j of exp(w_j.x)`. The bias of a class is the
//! weight of a feature that is always 1, and is regularised.

use super::lbfgs::minimise;
use super::logistic::LogisticOptions;
use super::packed::rounded;
use super::platt::PlattScaling;
use super::sparse::{CompactRows, SparseRow};
use super::weight_of;
use serde::{Deserialize, Serialize};

/// Trained model: a weight per feature index and class, and a bias per class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Softmax {
    biases: Vec<f32>,
    /// Weight of index `i` and class `k` at `i * classes + k`.
    #[serde(with = "super::packed")]
    weights: Vec<f32>,
}

impl Softmax {
    /// Trains on rows with classes. Rows with a class of at least `n_classes` are ignored.
    pub fn train(
        rows: &[SparseRow],
        classes: &[usize],
        n_classes: usize,
        weights: Option<&[f32]>,
        options: &LogisticOptions,
    ) -> Softmax {
        let compact = CompactRows::new(rows);
        let rows = compact.rows.iter().zip(classes).enumerate();
        let examples =
            rows.map(|(at, (items, &class))| SoftmaxExample { items, class, weight: weight_of(weights, at) });
        let examples = examples.filter(|example| example.class < n_classes).collect();
        let problem = SoftmaxProblem { examples, n_classes, l2: options.l2.max(1e-9) };
        let start = vec![0.0; (compact.used.len() + 1) * n_classes];
        let found =
            minimise(start, options.epochs, options.tolerance, |at, gradient| problem.evaluate(at, gradient));
        let (biases, learned) = found.split_at(n_classes);
        let biases = biases.iter().map(|&bias| bias as f32).collect();
        Softmax { biases, weights: rounded(&compact.spread(learned, n_classes)) }
    }

    /// Logarithm of each class probability, up to a common constant.
    pub fn margins(&self, row: &SparseRow) -> Vec<f32> {
        let classes = self.biases.len();
        let mut margins: Vec<f64> = self.biases.iter().map(|&bias| f64::from(bias)).collect();
        for (index, value) in row.within(self.weights.len() / classes.max(1)) {
            let weights = &self.weights[index * classes..][..classes];
            margins
                .iter_mut()
                .zip(weights)
                .for_each(|(margin, &weight)| *margin += value * f64::from(weight));
        }
        margins.into_iter().map(|margin| margin as f32).collect()
    }

    /// Probability of each class.
    pub fn probabilities(&self, row: &SparseRow) -> Vec<f32> {
        let mut parts: Vec<f64> = self.margins(row).into_iter().map(f64::from).collect();
        normalise(&mut parts);
        parts.into_iter().map(|part| part as f32).collect()
    }

    /// Log-odds of each class against all others together.
    pub fn log_odds(&self, row: &SparseRow) -> Vec<f32> {
        let odds = |p: &f32| {
            let p = f64::from(*p).clamp(1e-6, 1.0 - 1e-6);
            (p / (1.0 - p)).ln() as f32
        };
        self.probabilities(row).iter().map(odds).collect()
    }

    /// Probability of each class after calibration of its log-odds. The probabilities add up to 1.
    pub fn calibrated(&self, row: &SparseRow, sigmoid: &PlattScaling) -> Vec<f32> {
        sigmoid.normalised_probabilities(&self.log_odds(row))
    }

    /// Weight of a feature index for a class.
    pub fn weight(&self, class: usize, index: u32) -> f32 {
        let classes = self.biases.len();
        let known = class < classes;
        known.then(|| self.weights.get(index as usize * classes + class)).flatten().copied().unwrap_or(0.0)
    }
}

/// Replaces logarithms by probabilities that add up to 1. Returns the logarithm of the normalising constant.
pub(super) fn normalise(parts: &mut [f64]) -> f64 {
    let highest = parts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    parts.iter_mut().for_each(|part| *part = (*part - highest).exp());
    let total: f64 = parts.iter().sum();
    parts.iter_mut().for_each(|part| *part /= total);
    highest + total.ln()
}

struct SoftmaxExample<'a> {
    items: &'a [(usize, f64)],
    class: usize,
    weight: f64,
}

struct SoftmaxProblem<'a> {
    examples: Vec<SoftmaxExample<'a>>,
    n_classes: usize,
    l2: f64,
}

impl SoftmaxProblem<'_> {
    /// Loss and gradient at a point. The biases come first, then the weights of each index.
    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let mut loss = super::penalty(self.l2, at, gradient);
        for example in &self.examples {
            let mut parts = at[..self.n_classes].to_vec();
            for (place, value) in example.with_bias().skip(1) {
                let weights = &at[place * self.n_classes..][..self.n_classes];
                parts.iter_mut().zip(weights).for_each(|(part, weight)| *part += value * weight);
            }
            let own = parts[example.class];
            loss += example.weight * (normalise(&mut parts) - own);
            parts[example.class] -= 1.0;
            for (place, value) in example.with_bias() {
                let slopes = &mut gradient[place * self.n_classes..][..self.n_classes];
                let step = example.weight * value;
                slopes.iter_mut().zip(&parts).for_each(|(slope, part)| *slope += step * part);
            }
        }
        loss
    }
}

impl SoftmaxExample<'_> {
    /// Positions and values of the features. Position 0 is the bias feature, which is always 1.
    fn with_bias(&self) -> impl Iterator<Item = (usize, f64)> {
        std::iter::once((0, 1.0)).chain(self.items.iter().map(|&(place, value)| (place + 1, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::logistic::Logistic;
    use super::*;

    fn row(items: &[(u32, f32)]) -> SparseRow {
        SparseRow::new(items.to_vec())
    }

    fn exact(l2: f64) -> LogisticOptions {
        LogisticOptions { l2, tolerance: 1e-12, epochs: 10_000 }
    }

    #[test]
    fn rows_without_features_give_the_shares_of_the_classes() {
        let model = Softmax::train(&vec![SparseRow::default(); 5], &[0, 1, 1, 2, 2], 3, None, &exact(1e-7));
        let found = model.probabilities(&SparseRow::default());
        assert!(found.iter().zip([0.2, 0.4, 0.4]).all(|(p, share)| (p - share).abs() < 1e-5), "{found:?}");
    }

    #[test]
    fn two_classes_are_logistic_regression_at_half_the_penalty() {
        let rows =
            [row(&[(0, 1.0), (4, 2.0)]), row(&[(0, -1.0)]), row(&[(4, 0.5), (9, 1.0)]), row(&[(9, -3.0)])];
        let weights = [1.0, 2.0, 0.5, 3.0];
        let several = Softmax::train(&rows, &[1, 0, 0, 1], 2, Some(&weights), &exact(1.4));
        let two = Logistic::train(&rows, &[true, false, false, true], Some(&weights), &exact(0.7));
        for row in &rows {
            assert!((several.probabilities(row)[1] - two.probability(row)).abs() < 1e-5);
        }
    }

    #[test]
    fn separable_classes_are_separated() {
        let rows: Vec<SparseRow> = (0..30).map(|at| row(&[(at % 3 * 1000, 1.0), (5 + at, 1.0)])).collect();
        let classes: Vec<usize> = (0..30).map(|at| at % 3).collect();
        let model = Softmax::train(
            &rows,
            &classes,
            3,
            None,
            &LogisticOptions { l2: 0.01, ..LogisticOptions::default() },
        );
        for class in 0..3 {
            assert!(model.probabilities(&row(&[(class * 1000, 1.0)]))[class as usize] > 0.9);
            assert!(model.weight(class as usize, class * 1000) > 1.0);
        }
    }

    #[test]
    fn unknown_classes_and_huge_indices_are_ignored() {
        let rows = [row(&[(0, 1.0), (u32::MAX, 1.0)]), row(&[(1, 1.0)]), row(&[(2, 1.0)])];
        let model = Softmax::train(&rows, &[0, 1, 7], 2, None, &LogisticOptions::default());
        assert_eq!(model.weight(0, 2), 0.0);
        assert_eq!(model.weight(5, 0), 0.0);
        assert!(
            Softmax::train(&[], &[], 0, None, &LogisticOptions::default()).probabilities(&rows[0]).is_empty()
        );
    }
}
