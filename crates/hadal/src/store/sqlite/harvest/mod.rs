//! Harvests in their tables.

pub mod harvests;
pub mod queries;
pub mod records;
pub mod steps;
pub mod word_index;
