//! Crawls: the engine, its strategies, and resuming after a kill.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod contract;
mod further;
mod levels;
mod load;
mod probe;
mod resume;
mod same_everywhere;
mod smart;
mod walk;
mod workers;
