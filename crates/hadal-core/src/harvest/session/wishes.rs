//! What a harvest is after, as a person says it.

use serde::{Deserialize, Serialize};

/// What a harvest is after.
#[derive(Clone, Debug, PartialEq)]
pub struct HarvestOptions {
    /// Coverage at which it is enough.
    pub coverage: f64,
    /// Records at which it is enough.
    pub records: Option<u64>,
    /// Whether the own pages of records are fetched.
    pub details: DetailMode,
    /// Feeds random choices.
    pub seed: u64,
}

/// Whether the own pages of records are fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DetailMode {
    /// Not one.
    Never,
    /// When lists tell little about their records and the pages clearly more.
    #[default]
    Auto,
    /// All of them.
    Always,
}
