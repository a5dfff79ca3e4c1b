//! Strategies compared: crawls of simulated webs through the real engine, scored by the truth.
//!
//! A [`Plan`] names worlds, topics and strategies; [`run`] makes one [`Trial`] of each combination and
//! keeps it in a folder, so that the same command goes on where it stopped. Crawls of one topic share
//! what was fetched, read and judged ([`shelf`]), which changes their cost and nothing else. What the
//! trials tell is drawn in [`figures`]. Query policies are compared in [`crate::harvest`].

pub mod arena;
pub mod carrier;
pub mod compact;
pub mod figures;
pub mod oracle;
pub mod plan;
pub mod runner;
pub mod score;
pub mod shelf;
pub mod trial;
pub mod truth;

pub use crate::trial_folder::Folder;
pub use plan::{Plan, Preset, Setting};
pub use runner::{Advance, run};
pub use trial::Trial;
