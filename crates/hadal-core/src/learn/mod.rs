//! Learners: small, deterministic, serialisable, each in a file of its own.
//!
//! They know rows and labels, nothing of forms or pages. The same rows and options always give the same model; randomness comes
//! from a seed. A model that was read from somewhere may hold anything: it decides badly then, but it
//! neither panics nor runs on for ever.
//!
//! - say how good a judge is: [`folds`], [`metrics`], [`bootstrap`].

pub mod bootstrap;
pub mod folds;
pub mod metrics;
pub mod random;
