//! Calibration of the probabilities of exclusive classes, the last of which is "everything else": temperature scaling
//! with a bias of the last class.
//!
//! `P(k) = p(k)^s * e^(b [k = r]) / Z`, where `p` are the probabilities of a model, `r` is the last class and `Z` makes
//! the sum 1. A slope `s` above 1 makes the model more confident. A bias `b` below 0 makes the last class rarer. Both
//! minimise the weighted log loss plus [`PENALTY`]` / 2 * ((s - 1)² + b²)`, by L-BFGS.

use super::lbfgs::minimise;
use super::softmax::normalise;
use super::weight_of;
use serde::{Deserialize, Serialize};

/// Weight of the penalty. Guess: as strong as a third of one training row.
const PENALTY: f64 = 0.3;

/// Lower bound of the logarithm of a probability. Guess.
const MIN_LOG: f64 = -12.0;

/// Map from the probabilities of a model to calibrated ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// Exponent of the probabilities, `s`.
    pub slope: f32,
    /// Log-odds added to the last class, `b`.
    pub bias: f32,
}

impl Temperature {
    /// Fits slope and bias. `rows` are probabilities by models that were not trained on these rows.
    pub fn fit(rows: &[Vec<f32>], classes: &[usize], weights: &[f32]) -> Temperature {
        let found = minimise(vec![1.0, 0.0], 100, 1e-6, |point, gradient| {
            let mut loss = PENALTY / 2.0 * ((point[0] - 1.0).powi(2) + point[1].powi(2));
            gradient.copy_from_slice(&[PENALTY * (point[0] - 1.0), PENALTY * point[1]]);
            for (at, (row, &class)) in rows.iter().zip(classes).enumerate() {
                let weight = weight_of(Some(weights), at);
                loss += weight * add_loss(row, class, point, gradient, weight);
            }
            loss
        });
        Temperature { slope: found[0] as f32, bias: found[1] as f32 }
    }

    /// Calibrated probabilities. They add up to 1.
    pub fn probabilities(&self, model: &[f32]) -> Vec<f32> {
        let point = [f64::from(self.slope), f64::from(self.bias)];
        let mut parts = log_parts(model, &point);
        normalise(&mut parts);
        parts.into_iter().map(|part| part as f32).collect()
    }
}

fn log_parts(row: &[f32], point: &[f64]) -> Vec<f64> {
    let part = |(class, p): (usize, &f32)| {
        let bias = if class + 1 == row.len() { point[1] } else { 0.0 };
        point[0] * log(*p) + bias
    };
    row.iter().enumerate().map(part).collect()
}

fn log(p: f32) -> f64 {
    f64::from(p).ln().max(MIN_LOG)
}

/// Log loss of one row. Adds its gradient times `weight`.
fn add_loss(row: &[f32], class: usize, point: &[f64], gradient: &mut [f64], weight: f64) -> f64 {
    let mut parts = log_parts(row, point);
    let Some(own) = parts.get(class).copied() else { return 0.0 };
    let loss = normalise(&mut parts) - own;
    let expected: f64 = row.iter().zip(&parts).map(|(p, part)| log(*p) * part).sum();
    let is_rest = f64::from(u8::from(class + 1 == row.len()));
    gradient[0] += weight * (expected - log(row[class]));
    gradient[1] += weight * (parts.last().copied().unwrap_or(0.0) - is_rest);
    loss
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model that gives the last class 0.6, though only a third of the rows belong to it.
    fn timid() -> (Vec<Vec<f32>>, Vec<usize>) {
        let rows = (0..30).map(|_| vec![0.3, 0.1, 0.6]).collect();
        (rows, (0..30).map(|at| if at % 3 == 0 { 2 } else { 0 }).collect())
    }

    #[test]
    fn a_last_class_that_is_expected_too_often_becomes_rarer() {
        let (rows, classes) = timid();
        let fitted = Temperature::fit(&rows, &classes, &[1.0; 30]);
        let p = fitted.probabilities(&rows[0]);
        assert!(fitted.bias < -0.3 && p[0] > p[2], "{fitted:?} {p:?}");
        assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_model_that_is_too_cautious_becomes_more_confident() {
        let rows: Vec<Vec<f32>> = (0..40).map(|_| vec![0.6, 0.2, 0.2]).collect();
        let fitted = Temperature::fit(&rows, &[0; 40], &[1.0; 40]);
        assert!(fitted.slope > 1.5 && fitted.probabilities(&rows[0])[0] > 0.8, "{fitted:?}");
    }

    #[test]
    fn without_rows_nothing_changes() {
        let fitted = Temperature::fit(&[], &[], &[]);
        assert_eq!((fitted.slope, fitted.bias), (1.0, 0.0));
        assert!(fitted.probabilities(&[1.0, 0.0, 0.0]).iter().all(|p| p.is_finite()));
    }
}
