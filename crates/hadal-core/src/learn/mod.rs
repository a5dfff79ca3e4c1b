//! Learners: small, deterministic, serialisable, each in a file of its own.
//!
//! They know rows and labels, nothing of forms or pages. Rows are [`sparse::SparseRow`] for text and
//! plain numbers for the trees. The same rows and options always give the same model; randomness comes
//! from a seed. A model that was read from somewhere may hold anything: it decides badly then, but it
//! neither panics nor runs on for ever.
//!
//! - separate two classes: [`svm`], [`logistic`], [`online`]; several: [`softmax`],
//!   [`bayes`], [`tree`];
//! - turn scores into probabilities: [`platt`], [`isotonic`];
//! - group rows without labels: [`cluster`];
//! - say how good a judge is: [`metrics`], [`resampling`].

pub mod bayes;

pub mod cluster;

pub mod isotonic;
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
pub mod tree;
pub mod vocabulary;

/// How much a row counts: 1 where no weights are given, 0 where its weight makes no sense.
fn weight_of(weights: Option<&[f32]>, row: usize) -> f64 {
    let given = weights.map_or(1.0, |weights| weights.get(row).copied().unwrap_or(0.0));
    if given.is_finite() && given > 0.0 { f64::from(given) } else { 0.0 }
}
