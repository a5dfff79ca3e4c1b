//! Harvests: opening a form, harvesting it, politeness, and the same over real sockets.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../common/mod.rs"]
mod common;
mod endpoints;
mod network;
mod open_form;
mod politeness;
mod refresh;
mod run;
mod scripted;
