//! Labels that users give to forms.

use hadal_core::identity::FormId;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};

/// Judgement of a user on a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// The form searches and is on topic.
    Right,
    /// The form searches something else.
    Wrong,
    /// The form does not search.
    NotASearch,
}

impl Label {
    /// True if a form with this label is listed by default.
    pub fn is_listed(self) -> bool {
        self == Label::Right
    }
}

/// A labelled form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelRow {
    /// Identity of the form.
    pub form: FormId,
    /// Topic to which the label refers.
    pub topic: String,
    pub label: Label,
    /// Wall clock time of the labelling.
    pub at: Time,
}

/// Change of one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelUpdate {
    /// Identity of the form.
    pub form: FormId,
    /// Topic to which the label refers.
    pub topic: String,
    /// The new label; `None` removes the label.
    pub label: Option<Label>,
    /// Wall clock time of the labelling.
    pub at: Time,
}

impl From<LabelRow> for LabelUpdate {
    fn from(row: LabelRow) -> LabelUpdate {
        LabelUpdate { form: row.form, topic: row.topic, label: Some(row.label), at: row.at }
    }
}

/// Selection of labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelQuery {
    /// Only labels after this form and topic.
    pub after: Option<(FormId, String)>,
    /// Maximum number of rows; `None` for the usual page size of the store.
    pub limit: Option<usize>,
}
