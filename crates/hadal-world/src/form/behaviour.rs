//! Behaviour of the programs behind forms, drawn per form.

use crate::form::plan::PlannedForm;
use crate::random::SeededRng;
use crate::spec::BackEnds;
use hadal_core::critic::FormKind;
use serde::Serialize;

/// Response of a form to a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behaviour {
    /// Lists results, or states that there are none, with status 200.
    Plain,
    /// As `Plain`, and repeats the query.
    Echo,
    /// Redirects to the detail page if only one record matches.
    OnlyHit,
    /// Redirects every query to a results URL.
    Redirect,
    /// Shows suggestions and popular records if nothing matches.
    Suggest,
    /// Rejects an empty query.
    #[serde(rename = "fussy")]
    RejectsEmpty,
    /// Answers many requests with status 429.
    Limited,
    /// Returns the same page for every submission. All forms that do not search behave so.
    #[serde(rename = "alike")]
    SamePage,
}

impl Behaviour {
    /// Every behaviour, for tests and evaluation.
    pub const ALL: [Behaviour; 8] = [
        Behaviour::Plain,
        Behaviour::Echo,
        Behaviour::OnlyHit,
        Behaviour::Redirect,
        Behaviour::Suggest,
        Behaviour::RejectsEmpty,
        Behaviour::Limited,
        Behaviour::SamePage,
    ];

    /// Shares of search forms with each behaviour, in the order of [`Behaviour::ALL`]. Guess.
    const SHARES: [f64; 8] = [0.35, 0.19, 0.11, 0.12, 0.1, 0.08, 0.05, 0.0];

    /// Name in tables and exports.
    pub fn name(self) -> &'static str {
        match self {
            Behaviour::Plain => "plain",
            Behaviour::Echo => "echo",
            Behaviour::OnlyHit => "only-hit",
            Behaviour::Redirect => "redirect",
            Behaviour::Suggest => "suggest",
            Behaviour::RejectsEmpty => "fussy",
            Behaviour::Limited => "limited",
            Behaviour::SamePage => "alike",
        }
    }

    /// Behaviour of a form.
    pub(crate) fn of(form: &PlannedForm, back_ends: BackEnds) -> Behaviour {
        match (form.kind, back_ends) {
            (FormKind::Search, BackEnds::Plain) => Behaviour::Plain,
            (FormKind::Search, BackEnds::Varied) => {
                Behaviour::ALL[SeededRng::new(form.seed, 120).weighted(&Behaviour::SHARES)]
            }
            _ => Behaviour::SamePage,
        }
    }
}
