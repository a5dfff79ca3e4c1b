//! Crawls: the engine, the strategies on it, and what becomes of a crawl that is killed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod contract;
mod levels;
mod probe;
mod resume;
mod same_everywhere;
mod smart;
mod walk;
