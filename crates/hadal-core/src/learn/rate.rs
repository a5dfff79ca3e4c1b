//! How many events a try brings: log-linear Poisson regression that learns from one try at a time.
//!
//! `ln(rate) = offset + w · x`. The loss of a try splits into what it cost, `rate`, and what came of it,
//! `-events * ln(rate)`, so the two can be told apart: a try when it is made, its events whenever they
//! come, also long after and in parts. Steps are AdaGrad's with a table of fixed size, as in
//! [`super::online`]; a cell counts as if it had been through one event before, so that a single try
//! moves it little and a single event much. Weights are drawn back a little ([`RIDGE`]) each time, or those
//! of features that always stand together drift apart: only their sum is learned.

use serde::{Deserialize, Serialize};

/// Rates are kept within `e^±LIMIT`.
const LIMIT: f32 = 12.0;

/// How much of a weight counts as excess.
const RIDGE: f32 = 0.003;

/// A feature and its value.
pub type HashedFeature = (u32, f32);

/// What was learned so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlineRate {
    step: f32,
    weights: Vec<f32>,
    travelled: Vec<f32>,
}

impl OnlineRate {
    /// A table of `2^bits` cells; an event moves a cell by about `step`.
    pub fn new(bits: u8, step: f32) -> OnlineRate {
        let cells = 1usize << bits.min(24);
        OnlineRate { step, weights: vec![0.0; cells], travelled: vec![0.0; cells] }
    }

    /// What the features add to the logarithm of the rate.
    pub fn log_rate(&self, row: &[HashedFeature]) -> f32 {
        let product: f32 = row.iter().map(|(index, value)| value * self.weights[self.cell(*index)]).sum();
        product.clamp(-LIMIT, LIMIT)
    }

    /// A try was made; `offset` is what stood beside the features when its rate was predicted.
    pub fn add_trial(&mut self, row: &[HashedFeature], offset: f32) {
        let rate = (self.log_rate(row) + offset).clamp(-LIMIT, 2.0).exp();
        self.move_by(row, rate);
    }

    /// So many events came of a try.
    pub fn add_events(&mut self, row: &[HashedFeature], events: f32) {
        if events > 0.0 {
            self.move_by(row, -events);
        }
    }

    fn move_by(&mut self, row: &[HashedFeature], excess: f32) {
        for (index, value) in row {
            let cell = self.cell(*index);
            let gradient = (excess + RIDGE * self.weights[cell]) * value;
            self.travelled[cell] += gradient * gradient;
            self.weights[cell] -= self.step * gradient / (1.0 + self.travelled[cell]).sqrt();
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
    fn the_rate_approaches_events_per_try() {
        let mut rate = OnlineRate::new(8, 0.3);
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
    fn features_that_stand_together_do_not_drift_apart_when_only_one_is_paid() {
        let mut rate = OnlineRate::new(8, 1.0);
        let (both, one) = ([(1, 1.0), (2, 1.0)], [(1, 1.0)]);
        for _ in 0..100_000 {
            rate.add_trial(&both, -2.0);
            rate.add_events(&both, 0.08);
            rate.add_events(&one, 0.02);
        }
        let (paid, other) = (rate.log_rate(&one), rate.log_rate(&[(2, 1.0)]));
        assert!(paid < LIMIT / 2.0 && other > -LIMIT / 2.0, "{paid} {other}");
        let together = (rate.log_rate(&both) - 2.0).exp();
        assert!((0.08..0.11).contains(&together), "{together}");
    }

    #[test]
    fn absurd_values_keep_rates_finite() {
        let mut rate = OnlineRate::new(4, 0.3);
        for _ in 0..1000 {
            rate.add_events(&[(3, 1.0)], 1e6);
            rate.add_trial(&[(3, 1.0)], 50.0);
        }
        assert!(rate.log_rate(&[(3, 1.0)]).is_finite());
    }
}
