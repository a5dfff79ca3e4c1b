//! Records of a database.

use serde::{Deserialize, Serialize};
use std::fmt;
use url::Url;

/// Identity of a record, equal in all answers. It does not depend on session ids, list positions or the query.
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

/// One item of a database, as shown on a result page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Identity within the form.
    pub id: RecordId,
    /// URL of the detail page, if there is one.
    pub url: Option<Url>,
    /// Title as shown in the list.
    pub title: String,
    /// Whole text in the list, including the title.
    pub text: String,
    /// Fields as name and value.
    pub fields: Vec<(String, String)>,
}
