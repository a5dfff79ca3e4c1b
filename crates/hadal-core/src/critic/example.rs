//! A form somebody labelled: what judges are trained and measured on.

use super::Kind;
use crate::page::{Form, Page};

/// A labelled form.
#[derive(Clone, Debug)]
pub struct Example {
    /// The form.
    pub form: Form,
    /// The page it stands on.
    pub page: Page,
    /// The site it was found on: examples of one site are never on both sides of a test.
    pub site: String,
    /// What it is for.
    pub kind: Kind,
    /// What it searches; `None` when it is no search or nobody said.
    pub domain: Option<usize>,
    /// How sure the label is, 0 to 1.
    pub confidence: f32,
    /// Where it can be read again.
    pub name: String,
}

impl Example {
    /// Whether it is a search.
    pub fn is_search(&self) -> bool {
        self.kind == Kind::Search
    }
}
