//! Comparison of crawling strategies on simulated webs, scored by ground truth.
//!
//! A [`FindPlan`] names worlds, topics and strategies. [`run`] makes one [`FindTrial`] per combination and
//! stores each as a file, so the same command resumes. Crawls of one topic share fetched and judged pages
//! ([`page_cache`]), which saves time and changes no result. [`figures`] computes tables and charts. Query
//! policies are compared in [`crate::harvest`].

pub mod cached_web;
pub mod compact_page;
pub mod figures;
pub mod oracle;
pub mod page_cache;
pub mod plan;
pub mod protocol;
pub mod runner;
pub mod score;
pub mod topic_setup;
pub mod trial;

pub use crate::trials::{PlanProgress, TrialFolder};
pub use plan::{FindPlan, Preset, TrialSpec};
pub use protocol::Protocol;
pub use runner::run;
pub use trial::FindTrial;
