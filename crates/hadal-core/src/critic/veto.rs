//! What must never be submitted, whatever a classifier says.
//!
//! The veto looks at structure and words alone and errs on the side of not asking.

use crate::page::{FieldKind, Form};
use serde::{Deserialize, Serialize};

/// Why a form is never submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Veto {
    /// It asks for a password.
    Password,
}

/// The first reason not to submit a form, if there is one.
pub fn veto(form: &Form) -> Option<Veto> {
    form.fields.iter().any(|field| field.kind == FieldKind::Password).then_some(Veto::Password)
}
