//! Harvests in their tables.

pub mod commit;
pub mod harvests;
pub mod lists;
