//! Everything hadal shows: listings in four formats, tables, progress, and the escaping between
//! the web and whoever reads.
//!
//! A row says once which [`listing`] columns it has ([`rows`], [`harvested`]); [`writer`] picks the format.
//! What is shown is computed in [`crate::report`]; nothing here counts.

pub mod card;
pub mod chart;
pub mod csv;
pub mod demo;
pub mod escape;
pub mod harvest;
pub mod harvested;
pub mod jsonl;
pub mod lessons;
pub mod listing;
pub mod parquet;
pub mod progress;
pub mod reasons;
pub mod rows;
pub mod sections;
pub mod table;
pub mod terminal;
mod truth;
pub mod writer;
