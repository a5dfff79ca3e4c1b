//! Online logistic regression in constant memory.
//!
//! `P(label is true) = sigmoid(b + sum over j of w_j * x_j)`. Feature hashes are masked to the size of a
//! fixed table. Each row updates the weights of its features by AdaGrad (Duchi, Hazan and Singer 2011): with
//! the gradient `g` of the log loss and the sum `G` of all squared gradients of the cell so far,
//! `w -= r * g / sqrt(G)`. A rare feature thus still learns fast after a frequent one has converged.

use super::logistic::sigmoid;
use super::sparse::SparseRow;
use serde::{Deserialize, Serialize};

/// Largest table: 2^24 cells, 128 MB. Guess.
const MAX_BITS: u8 = 24;

/// Bound on the absolute gradient, so that one extreme value does not end the learning of a cell. Guess.
const MAX_GRADIENT: f32 = 32.0;

/// Weight with its AdaGrad state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct AdaGradCell {
    weight: f32,
    /// Sum `G` of the squared gradients.
    squared_gradients: f32,
}

/// Online logistic regression model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlineLogistic {
    rate: f32,
    l2: f32,
    bias: AdaGradCell,
    cells: Vec<AdaGradCell>,
}

impl OnlineLogistic {
    /// Creates a model with `2^bits` cells. `rate` is the learning rate `r`, the size of the first step of a cell. `l2`
    /// is the penalty on the weights of the features of each row.
    pub fn new(bits: u8, rate: f32, l2: f32) -> OnlineLogistic {
        OnlineLogistic {
            rate,
            l2,
            bias: AdaGradCell::default(),
            cells: vec![AdaGradCell::default(); 1 << bits.min(MAX_BITS)],
        }
    }

    /// Updates the model with a labelled row. `weight` multiplies the gradient.
    pub fn learn(&mut self, row: &SparseRow, label: bool, weight: f32) {
        if !(weight.is_finite() && weight > 0.0) {
            return;
        }
        let excess = (self.probability(row) - f32::from(u8::from(label))) * weight;
        for &(index, value) in row.items() {
            let at = self.cell_of(index);
            if let Some(cell) = self.cells.get_mut(at) {
                cell.step(excess * value + self.l2 * cell.weight, self.rate);
            }
        }
        self.bias.step(excess, self.rate);
    }

    /// P(label is true); 0.5 for a new model.
    pub fn probability(&self, row: &SparseRow) -> f32 {
        let weight = |index| self.cells.get(self.cell_of(index)).map_or(0.0, |cell| f64::from(cell.weight));
        let product = row.items().iter().map(|&(index, value)| f64::from(value) * weight(index));
        sigmoid(product.sum::<f64>() + f64::from(self.bias.weight)) as f32
    }

    fn cell_of(&self, index: u32) -> usize {
        index as usize & self.cells.len().saturating_sub(1)
    }
}

impl AdaGradCell {
    fn step(&mut self, gradient: f32, rate: f32) {
        let gradient = gradient.clamp(-MAX_GRADIENT, MAX_GRADIENT);
        self.squared_gradients += gradient * gradient;
        if self.squared_gradients > 0.0 {
            self.weight -= rate * gradient / self.squared_gradients.sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::*;

    fn row(items: &[(u32, f32)]) -> SparseRow {
        SparseRow::new(items.to_vec())
    }

    #[test]
    fn the_first_two_steps_by_hand() {
        let mut model = OnlineLogistic::new(8, 0.5, 0.0);
        let seen = row(&[(3, 2.0)]);
        assert_eq!(model.probability(&seen), 0.5);
        model.learn(&seen, true, 1.0);
        // Whatever the gradient, the first step of a cell is the rate: weight 0.5, bias 0.5.
        let p = sigmoid(1.5);
        assert!((f64::from(model.probability(&seen)) - p).abs() < 1e-6);
        model.learn(&seen, true, 1.0);
        let weight = 0.5 + 0.5 * 2.0 * (1.0 - p) / (1.0 + (2.0 * (1.0 - p)).powi(2)).sqrt();
        let bias = 0.5 + 0.5 * (1.0 - p) / (0.25 + (1.0 - p).powi(2)).sqrt();
        assert!((f64::from(model.probability(&seen)) - sigmoid(2.0 * weight + bias)).abs() < 1e-6);
    }

    #[test]
    fn a_noisy_rule_is_learned_to_its_probability() {
        let mut random = Rng::new(4);
        let mut model = OnlineLogistic::new(10, 0.1, 0.0);
        for _ in 0..20_000 {
            let tells = random.below(2) as u32;
            let label = random.fraction() < if tells == 1 { 0.9 } else { 0.2 };
            model.learn(
                &row(&[(0x9000_0000 + tells, 1.0), (random.below(300) as u32 + 10, 1.0)]),
                label,
                1.0,
            );
        }
        assert!((model.probability(&row(&[(0x9000_0001, 1.0)])) - 0.9).abs() < 0.07);
        assert!((model.probability(&row(&[(0x9000_0000, 1.0)])) - 0.2).abs() < 0.07);
    }

    #[test]
    fn the_penalty_keeps_weights_small() {
        let learned = |l2| {
            let mut model = OnlineLogistic::new(4, 0.5, l2);
            (0..200).for_each(|_| model.learn(&row(&[(1, 1.0)]), true, 1.0));
            model.probability(&row(&[(1, 1.0)]))
        };
        assert!(learned(0.5) < learned(0.0));
    }

    #[test]
    fn any_index_fits_any_table() {
        let mut model = OnlineLogistic::new(2, 0.5, 0.0);
        model.learn(&row(&[(u32::MAX, 1.0)]), true, 1.0);
        assert!(model.probability(&row(&[(7, 1.0)])) > model.probability(&row(&[(6, 1.0)])));
        assert_eq!(OnlineLogistic::new(200, 0.5, 0.0).cells.len(), 1 << MAX_BITS);
    }

    #[test]
    fn extreme_values_and_weights_leave_a_usable_model() {
        let mut model = OnlineLogistic::new(4, 0.5, 1.0);
        model.learn(&row(&[(0, f32::MAX), (1, f32::MIN)]), true, 1e30);
        model.learn(&row(&[(0, 1.0)]), false, f32::NAN);
        (0..500).for_each(|_| model.learn(&row(&[(2, 1.0)]), false, 1.0));
        assert!(model.probability(&row(&[(2, 1.0)])) < 0.2);
    }
}
