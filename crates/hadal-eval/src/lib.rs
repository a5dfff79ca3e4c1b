//! Evaluation and training of hadal.
//!
//! [`find`] compares crawling strategies on simulated webs and [`harvest`] compares query policies on known
//! collections. [`training`] builds the shipped classifiers from labelled data and [`forms`] measures them with
//! cross-validation by site. Every trial is a file in a [`trials::TrialFolder`], so the same command resumes.

mod figures;
pub mod find;
pub mod forms;
pub mod harvest;
pub mod order;
pub mod progress;
pub mod training;
pub mod trials;

/// Name of the oracle in the lists of strategies and policies.
pub const ORACLE: &str = "oracle";
