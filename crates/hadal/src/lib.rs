//! hadal finds the databases behind web search forms and downloads what is in them.
//!
//! This crate holds everything that touches the world: network, disk, clock, browser. Decisions are made in
//! `hadal-core`, which has no IO. The binary `hadal` is in `hadal-cli`; evaluation and training are in `hadal-eval`.
//!
//! - A page: [`engine`] chooses a link from its frontier, [`fetch`] sends the request, `hadal-core` parses and
//!   judges the page, [`store`] commits the outcome. [`backlinks`] answers which pages link to a URL.
//! - A query: [`harvest`] submits a form through the same [`fetch`] and commits records to the same [`store`].
//! - A script: [`render`] runs a page in a browser and learns the request of its search.
//! - People: [`config`] holds checked settings, [`report`] computes every number shown, [`output`] formats it,
//!   [`serve`] is the dashboard and HTTP API, [`ask`] sends one query to many forms.

pub mod ask;
pub mod atomic_file;
pub mod backlinks;
pub mod choice;
pub mod config;
pub mod engine;
pub mod fetch;
pub mod harvest;
pub mod output;
pub mod polite;
pub mod render;
pub mod report;
pub mod serve;
pub mod store;
pub mod topic;
