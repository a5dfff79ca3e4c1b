//! The program: every command, its output and its errors.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod crawl_process;
mod pages;
mod program;

mod backlinks;
mod config;
mod crash;
mod demo;
mod endings;
mod eval_find;
mod eval_harvest;
mod guide;
mod harvest;
mod harvested;
mod judge;
mod killed_browser;
mod lessons;
mod listing;
mod mcp;
mod postgres;
mod quality;
mod readme;
mod serve;
mod topics;
mod usage;
mod workers;
mod world;

use hadal_store_contract::{fixture, harvest_fixture};
