//! What one learning iteration selected, so that people can see what a crawl learned.

use serde::{Deserialize, Serialize};

/// What was learned at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// Which model learned: "link", "site".
    pub model: String,
    /// The how-manieth time, from 0: before the crawl.
    pub iteration: u32,
    /// Examples it learned from.
    pub examples: u32,
    /// The features it selected, by where they stand.
    pub selected: Vec<SelectedFeatures>,
}

/// The features selected in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedFeatures {
    /// Where they stand: "url", "path", "anchor", "around".
    pub space: String,
    /// Clicks to the form, when the model tells levels apart.
    pub level: Option<u8>,
    /// Stems, the most frequent first, and how many examples have them.
    pub terms: Vec<(String, u32)>,
}
