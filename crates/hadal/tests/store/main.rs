//! Stores: the contract of every back end, and the properties of a store in a folder.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod contract;
mod crash;
mod file;
mod migration;
mod postgres;
mod postgres_workers;
mod views;
