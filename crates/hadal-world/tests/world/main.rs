//! The simulated web: its structure, its forms and its databases.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod behaviours;
mod common;
mod database_hosts;
mod database_presets;
mod database_sites;
mod forms;
mod harvestable;
mod probe;
mod reader;
mod structure;
mod trouble;
