//! Fetching from servers on loopback that misbehave as real ones do.
//!
//! These tests share one binary because linking takes most of their time.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its fixtures too")]

mod addresses;
mod answers;
mod fixture;
mod robots;
mod tls;
mod world;
