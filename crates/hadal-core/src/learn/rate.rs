//! Online Poisson regression: expected number of events per trial.
//!
//! A trial with features `x` has the rate
//!
//! `λ = exp(o + w.x)`
//!
//! where `w` are the weights and `o` is an offset that the caller supplies and that is not learned. If `n`
//! events follow from the trial, its negative log-likelihood is `λ - n * ln λ + const`, with the derivative
//! `(λ - n) * x_j` by `w_j`. The two terms are applied separately: [`OnlinePoisson::add_trial`] applies
//! `λ * x_j` when the trial is made, and [`OnlinePoisson::add_events`] applies `-n * x_j` whenever events
//! arrive, possibly later and in parts.
//!
//! Each update is an AdaGrad step in a table of fixed size, as in [`super::online`]. With the residual
//! `r = λ` or `r = -n`:
//!
//! - `g = (r + RIDGE * w_j) * x_j`, the gradient with a penalty,
//! - `G += g²`, the sum of squared gradients of the cell,
//! - `w_j -= step * g / sqrt(1 + G)`.
//!
//! The 1 under the root makes the first step of a cell proportional to its gradient: a single trial (`λ` is small)
//! changes a weight little, a single event changes it much. Without the penalty, the weights of features that always
//! occur together drift apart, because the data determine only their sum.

use serde::{Deserialize, Serialize};

/// Bound on `|w.x|`. Guess.
const MAX_LOG_RATE: f32 = 12.0;

/// Largest `ln λ` of a trial in an update: 7.4 events per trial. Guess.
const MAX_TRIAL_LOG_RATE: f32 = 2.0;

/// Factor of the penalty on weights. Guess.
const RIDGE: f32 = 0.003;

/// Hash and value of a feature.
pub type HashedFeature = (u32, f32);

/// Online Poisson regression model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlinePoisson {
    step: f32,
    weights: Vec<f32>,
    /// Sum `G` of the squared gradients of each cell.
    squared_gradients: Vec<f32>,
}

impl OnlinePoisson {
    /// Creates a model with `2^bits` cells. `step` is the learning rate.
    pub fn new(bits: u8, step: f32) -> OnlinePoisson {
        let cells = 1usize << bits.min(24);
        OnlinePoisson { step, weights: vec![0.0; cells], squared_gradients: vec![0.0; cells] }
    }

    /// Changes the learning rate of later updates.
    pub fn set_step(&mut self, step: f32) {
        self.step = step;
    }

    /// `w.x`: the part of `ln λ` that is learned.
    pub fn log_rate(&self, row: &[HashedFeature]) -> f32 {
        let product: f32 = row.iter().map(|(index, value)| value * self.weights[self.cell(*index)]).sum();
        product.clamp(-MAX_LOG_RATE, MAX_LOG_RATE)
    }

    /// Updates the model with a trial. `offset` is the `o` of the trial.
    pub fn add_trial(&mut self, row: &[HashedFeature], offset: f32) {
        let rate = (self.log_rate(row) + offset).clamp(-MAX_LOG_RATE, MAX_TRIAL_LOG_RATE).exp();
        self.update(row, rate);
    }

    /// Updates the model with events that followed from a trial with features `row`.
    pub fn add_events(&mut self, row: &[HashedFeature], events: f32) {
        if events > 0.0 {
            self.update(row, -events);
        }
    }

    /// One AdaGrad step for each feature. `residual` is `r` in the module documentation.
    fn update(&mut self, row: &[HashedFeature], residual: f32) {
        for (index, value) in row {
            let cell = self.cell(*index);
            let gradient = (residual + RIDGE * self.weights[cell]) * value;
            self.squared_gradients[cell] += gradient * gradient;
            self.weights[cell] -= self.step * gradient / (1.0 + self.squared_gradients[cell]).sqrt();
        }
    }

    fn cell(&self, index: u32) -> usize {
        index as usize & (self.weights.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_approaches_events_per_trial() {
        let mut rate = OnlinePoisson::new(8, 0.3);
        let (rich, poor) = ([(1, 1.0)], [(2, 1.0)]);
        let offset = (0.05f32).ln();
        for n in 0..4000 {
            rate.add_trial(&rich, offset);
            rate.add_trial(&poor, offset);
            if n % 5 == 0 {
                rate.add_events(&rich, 1.0);
            }
            if n % 100 == 0 {
                rate.add_events(&poor, 1.0);
            }
        }
        let learned = |row: &[HashedFeature]| (rate.log_rate(row) + offset).exp();
        assert!((0.15..0.27).contains(&learned(&rich)), "{}", learned(&rich));
        assert!((0.005..0.02).contains(&learned(&poor)), "{}", learned(&poor));
    }

    #[test]
    fn weights_of_features_that_occur_together_do_not_drift_apart() {
        let mut rate = OnlinePoisson::new(8, 1.0);
        let (both, one) = ([(1, 1.0), (2, 1.0)], [(1, 1.0)]);
        for _ in 0..100_000 {
            rate.add_trial(&both, -2.0);
            rate.add_events(&both, 0.08);
            rate.add_events(&one, 0.02);
        }
        let (paid, other) = (rate.log_rate(&one), rate.log_rate(&[(2, 1.0)]));
        assert!(paid < MAX_LOG_RATE / 2.0 && other > -MAX_LOG_RATE / 2.0, "{paid} {other}");
        let together = (rate.log_rate(&both) - 2.0).exp();
        assert!((0.08..0.11).contains(&together), "{together}");
    }

    #[test]
    fn extreme_values_keep_rates_finite() {
        let mut rate = OnlinePoisson::new(4, 0.3);
        for _ in 0..1000 {
            rate.add_events(&[(3, 1.0)], 1e6);
            rate.add_trial(&[(3, 1.0)], 50.0);
        }
        assert!(rate.log_rate(&[(3, 1.0)]).is_finite());
    }
}
