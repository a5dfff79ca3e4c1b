//! Fetching, against servers on loopback that behave as badly as real ones do.
//!
//! One binary for all of it: what takes time here is linking.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its fixtures too")]

mod addresses;
mod answers;
mod fixture;
mod robots;
mod tls;
mod world;
