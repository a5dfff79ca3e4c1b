//! Linear support vector machine with squared hinge loss, for two classes.
//!
//! Minimises `|w|²/2 + sum over rows of C * c * max(0, 1 - y * w.x)²` by coordinate descent in the dual
//! (Hsieh et al. 2008, algorithm 1), where `C` is the cost, `x` a row, `y` its label (1 or -1) and `c` its
//! weight. The bias is the weight of a feature that is always 1, and is regularised.

use super::rng::Rng;
use super::sparse::{SparseRow, columns};
use super::weight_of;
use serde::{Deserialize, Serialize};

/// Training parameters of [`LinearSvm`].
#[derive(Clone, Debug, PartialEq)]
pub struct SvmOptions {
    /// Cost `C` of a margin violation.
    pub cost: f64,
    /// Maximum number of passes over the rows.
    pub epochs: usize,
    /// Training ends when the projected gradients of one pass differ by less.
    pub tolerance: f64,
    /// Seed for the order of the rows in each pass.
    pub seed: u64,
}

impl Default for SvmOptions {
    fn default() -> SvmOptions {
        SvmOptions { cost: 1.0, epochs: 1000, tolerance: 1e-3, seed: 1 }
    }
}

/// Trained model: a weight per feature index and a bias.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinearSvm {
    weights: Vec<f32>,
    bias: f32,
}

impl LinearSvm {
    /// Trains on labelled rows. `weights` are row weights; without them each row has weight 1.
    pub fn train(
        rows: &[SparseRow],
        labels: &[bool],
        weights: Option<&[f32]>,
        options: &SvmOptions,
    ) -> LinearSvm {
        let mut dual = DualProblem::new(rows, labels, weights, options);
        let mut random = Rng::new(options.seed);
        for _ in 0..options.epochs {
            random.shuffle(&mut dual.examples);
            if dual.pass() < options.tolerance {
                break;
            }
        }
        let weights = dual.weights.iter().map(|&weight| weight as f32).collect();
        LinearSvm { weights, bias: dual.bias as f32 }
    }

    /// `w.x` of a row plus bias. Positive values mean the label true.
    pub fn margin(&self, row: &SparseRow) -> f32 {
        row.dot(&self.weights) + self.bias
    }
}

/// Row with a positive cost, and its dual variable.
struct SvmExample<'a> {
    row: &'a SparseRow,
    sign: f64,
    /// Diagonal term `1 / (2C)` of the squared loss.
    slack: f64,
    squared: f64,
    dual: f64,
}

struct DualProblem<'a> {
    examples: Vec<SvmExample<'a>>,
    weights: Vec<f64>,
    bias: f64,
}

impl<'a> DualProblem<'a> {
    fn new(
        rows: &'a [SparseRow],
        labels: &[bool],
        weights: Option<&[f32]>,
        options: &SvmOptions,
    ) -> DualProblem<'a> {
        let columns = columns(rows);
        let examples = rows.iter().zip(labels).enumerate().filter_map(|(at, (row, &label))| {
            let sign = if label { 1.0 } else { -1.0 };
            let cost = options.cost * weight_of(weights, at);
            let squared = 1.0 + row.within(columns).map(|(_, value)| value * value).sum::<f64>();
            (cost > 0.0).then(|| SvmExample { row, sign, slack: 0.5 / cost, squared, dual: 0.0 })
        });
        DualProblem { examples: examples.collect(), weights: vec![0.0; columns], bias: 0.0 }
    }

    /// Optimises each dual variable once. Returns the difference of the largest and smallest projected gradient.
    fn pass(&mut self) -> f64 {
        let (mut lowest, mut highest) = (0.0f64, 0.0f64);
        for example in &mut self.examples {
            let columns = self.weights.len();
            let product = example.row.within(columns).map(|(index, value)| value * self.weights[index]);
            let margin = product.sum::<f64>() + self.bias;
            let slope = example.sign * margin - 1.0 + example.slack * example.dual;
            if example.dual == 0.0 && slope >= 0.0 {
                continue;
            }
            (lowest, highest) = (lowest.min(slope), highest.max(slope));
            let dual = (example.dual - slope / (example.squared + example.slack)).max(0.0);
            let step = example.sign * (dual - example.dual);
            example.row.within(columns).for_each(|(index, value)| self.weights[index] += step * value);
            self.bias += step;
            example.dual = dual;
        }
        highest - lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(items: &[(u32, f32)]) -> SparseRow {
        SparseRow::new(items.to_vec())
    }

    fn exact(cost: f64) -> SvmOptions {
        SvmOptions { cost, tolerance: 1e-10, epochs: 100_000, ..SvmOptions::default() }
    }

    #[test]
    fn two_opposite_points_have_a_closed_form() {
        // By symmetry the bias is 0 and w minimises w²/2 + 2C(1-w)²: w = 4C / (1 + 4C).
        let rows = [row(&[(0, 1.0)]), row(&[(0, -1.0)])];
        for cost in [0.1, 1.0, 10.0] {
            let model = LinearSvm::train(&rows, &[true, false], None, &exact(cost));
            let expected = 4.0 * cost / (1.0 + 4.0 * cost);
            assert!((f64::from(model.weights[0]) - expected).abs() < 1e-6 && model.bias.abs() < 1e-6);
        }
    }

    #[test]
    fn only_support_vectors_matter() {
        // Hard margin: w.(1,0) + b = 1 and w.(0,0) + b = -1 with least w² + b² is w = 2, b = -1.
        let rows = [row(&[(0, 1.0)]), row(&[]), row(&[(0, 5.0)]), row(&[(0, -4.0), (1, 1e-3)])];
        let model = LinearSvm::train(&rows, &[true, false, true, false], None, &exact(1e6));
        assert!((model.weights[0] - 2.0).abs() < 1e-3 && (model.bias + 1.0).abs() < 1e-3, "{model:?}");
        assert!(model.weights[1].abs() < 1e-6);
    }

    #[test]
    fn the_seed_does_not_change_the_optimum() {
        let rows: Vec<SparseRow> =
            (0u8..40).map(|at| row(&[(u32::from(at) % 7, 1.0), (u32::from(at) % 3, 0.5)])).collect();
        let labels: Vec<bool> = (0..40).map(|at| at % 7 < 3 || at % 11 == 0).collect();
        let train = |seed| LinearSvm::train(&rows, &labels, None, &SvmOptions { seed, ..exact(1.0) });
        let (one, other) = (train(1), train(99));
        assert!(one.weights.iter().zip(&other.weights).all(|(a, b)| (a - b).abs() < 1e-5));
    }

    #[test]
    fn without_rows_the_margin_is_0() {
        let nothing = LinearSvm::train(&[], &[], None, &SvmOptions::default());
        let free =
            LinearSvm::train(&[row(&[(0, 1.0)])], &[true], None, &SvmOptions { cost: 0.0, ..exact(1.0) });
        assert_eq!((nothing.margin(&row(&[(3, 1.0)])), free.margin(&row(&[(0, 1.0)]))), (0.0, 0.0));
    }
}
