//! Comparison of query policies on collections of known records.
//!
//! A [`HarvestTrialPlan`] names collections, [`settings`] of the simulated databases, and policies. [`run`]
//! makes one [`HarvestTrial`] per [`HarvestCase`] and stores each as a file, so the same command resumes. A
//! policy queries the database directly, without result pages: this measures the choice of queries, not the
//! reading of answers. [`figures`] computes tables and charts.
//! [`calibrate`] fits the intervals of size estimates.
//! [`layouts`] harvests through result pages instead and measures the reading of answers.

pub mod calibrate;
pub mod collections;
pub mod curve;
pub mod database_setup;
pub mod figures;
pub mod layouts;
pub mod plan;
pub mod recorded_estimates;
pub mod refresh;
pub mod runner;
pub mod settings;
pub mod trial;

pub use collections::NamedCollection;
pub use curve::HIGHEST_LEVEL;
pub use plan::{HarvestCase, HarvestTrialPlan};
pub use runner::run;
pub use trial::HarvestTrial;

/// Largest body of a response in bytes. Guess; simulated pages are far smaller.
const BODY_LIMIT: u64 = 4 << 20;
