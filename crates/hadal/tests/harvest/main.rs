//! Harvests: which form is meant, the walk from it to its records, and the same over real sockets.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../common/mod.rs"]
mod common;
mod network;
mod open_form;
mod run;
