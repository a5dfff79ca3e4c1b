//! Full-text search over a collection, in memory.
//!
//! [`analysis`] splits text into terms, [`index`] maps terms to [`postings`], [`matching`] evaluates the
//! words of a query to records with frequencies, and [`ranking`] scores and orders them.

pub(super) mod analysis;
pub(super) mod index;
pub(super) mod matching;
mod postings;
pub(super) mod ranking;
mod word_joiner;
