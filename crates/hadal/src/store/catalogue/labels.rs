//! What people make of forms.

use hadal_core::identity::FormId;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};

/// A person's word on a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// It searches, and it is of the topic.
    Right,
    /// It searches something else.
    Wrong,
    /// It does not search at all.
    NotASearch,
}

impl Label {
    /// Whether the form stays in the directory.
    pub fn keeps(self) -> bool {
        self == Label::Right
    }
}

/// A form with a person's word on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelRow {
    /// Which form.
    pub form: FormId,
    /// For which topic.
    pub topic: String,
    /// What it is.
    pub label: Label,
    /// When that was said, on the wall's clock.
    pub at: Time,
}
