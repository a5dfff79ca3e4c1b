//! Machine learning: small, deterministic, serialisable models.
//!
//! The learners take feature rows and labels and are independent of forms and pages. Text features are
//! [`sparse::SparseRow`]; decision trees take dense rows. Equal rows, options and seeds give equal models. A model
//! that was deserialised from bad data may predict badly, but it neither panics nor loops forever.
//!
//! - Two classes: [`svm`], [`logistic`], [`online`]. Several classes: [`softmax`], [`bayes`], [`tree`].
//! - Event rates: [`rate`].
//! - Calibration of scores: [`platt`]; of the probabilities of several classes: [`temperature`].
//! - Clustering: [`cluster`].
//! - Evaluation: [`metrics`], [`resampling`].

pub mod bayes;
pub mod cluster;
mod lbfgs;
pub mod logistic;
pub mod metrics;
pub mod online;
pub mod packed;
pub mod platt;
pub mod rate;
pub mod resampling;
pub mod rng;
pub mod softmax;
pub mod sparse;
pub mod svm;
pub mod temperature;
pub mod tree;
pub mod vocabulary;

/// Penalty `l2 / 2 |w|^2` of the weights `w`. Sets the gradient to its slope `l2 w`.
fn penalty(l2: f64, weights: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.iter_mut().zip(weights).for_each(|(slope, weight)| *slope = l2 * weight);
    l2 / 2.0 * weights.iter().map(|weight| weight * weight).sum::<f64>()
}

/// Training weight of a row: 1 if no weights are given, 0 if the weight is missing, negative or not finite.
fn weight_of(weights: Option<&[f32]>, row: usize) -> f64 {
    let given = weights.map_or(1.0, |weights| weights.get(row).copied().unwrap_or(0.0));
    if given.is_finite() && given > 0.0 { f64::from(given) } else { 0.0 }
}
