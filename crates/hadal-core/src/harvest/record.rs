//! One record of a hidden database, as an answer shows it.

use serde::{Deserialize, Serialize};
use std::fmt;
use url::Url;

/// What makes a record the same in every answer and on every day. Session ids, positions and the query
/// that brought it up have no part in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordId(pub u64);

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A record, with what the list of results tells about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which one.
    pub id: RecordId,
    /// Where its own page is, when it has one.
    pub url: Option<Url>,
    /// What it is called.
    pub title: String,
    /// Everything the answer says about it, the title included.
    pub text: String,
    /// What it says as name and value.
    pub fields: Vec<(String, String)>,
}
