//! Formatting: listings in four formats, tables, charts, progress displays, and escaping of web content.
//!
//! A row type defines its [`listing`] columns once ([`rows`], [`harvested`]); [`writer`] selects the format.
//! All numbers are computed in [`crate::report`].

pub mod card;
pub mod chart;
pub mod csv;
pub mod demo;
pub mod engines;
pub mod escape;
pub mod harvest;
pub mod harvested;
pub mod jsonl;
pub mod lessons;
pub mod listing;
pub mod parquet;
pub mod progress;
pub mod rows;
pub mod sections;
pub mod table;
pub mod terminal;
pub mod writer;
