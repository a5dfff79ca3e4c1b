//! How the program behind a form behaves when it is asked.
//!
//! Drawn per form from its seed. Calm worlds have plain back ends only; elsewhere forms echo,
//! redirect, suggest, refuse, and some that look like searches answer everything alike.

use crate::form::plan::PlannedForm;
use crate::random::SeededRng;
use crate::spec::BackEnds;
use hadal_core::critic::FormKind;
use serde::Serialize;

/// What a form does with what it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behaviour {
    /// Lists results, or says that there are none; the status is 200 either way.
    Plain,
    /// The same, and repeats the query.
    Echo,
    /// Leads straight to the record when there is only one.
    OnlyHit,
    /// Answers every query with a redirect to its results.
    Redirect,
    /// Says what else could be meant and shows what others like when nothing is found.
    Suggest,
    /// Refuses an empty query.
    #[serde(rename = "fussy")]
    RejectsEmpty,
    /// Refuses many requests because there were too many.
    Limited,
    /// Answers everything with the same page.
    #[serde(rename = "alike")]
    SamePage,
}

impl Behaviour {
    /// Every behaviour.
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

    /// How often search forms behave so, in the order of [`Behaviour::ALL`].
    const SHARES: [f64; 8] = [0.35, 0.19, 0.11, 0.12, 0.1, 0.08, 0.05, 0.0];

    /// The name used in tables and exports.
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

    /// The behaviour of a form.
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
