//! Stores: what every one promises, and what the one in a folder does beyond that.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod backlinks;
mod catalogue;
mod contract;
mod crash;
mod file;
mod fixture;
mod frontier;
mod harvest_fixture;
mod harvest_lists;
mod harvest_steps;
mod migration;
mod outcomes;
mod reports;
mod submissions;
mod views;
