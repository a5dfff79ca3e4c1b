//! The critic: is a page on topic, and what is a form for?
//!
//! Judges read a page and change nothing, so any number of them work in parallel on one snapshot.
//!
//! - the critic of a crawl: [`trained`], made of what [`judges`] ships; [`keywords`] is the simplest one;
//! - what a form is for: [`signals`] read by [`searchable`]; as published in 2005: [`faithful`];
//! - what a form searches, what a page is about: [`subject`] read by [`domain`] and [`page_topic`], or for a
//!   topic of the user's own by [`learned`] against the [`background`]; as published: [`faithful_domain`];
//! - whether a form may be asked, and what came of it: [`veto`], [`probe`], [`inquiry`], [`page_kind`],
//!   [`quality`];
//! - [`example`]: a form somebody labelled, to learn from.

pub mod background;
pub mod domain;
pub mod example;
pub mod faithful;
pub mod faithful_domain;
pub mod inquiry;
pub mod judges;
pub mod keywords;
pub mod learned;
pub mod page_kind;
pub mod page_topic;
pub mod probe;
pub mod quality;
pub mod searchable;
pub mod signals;
pub mod subject;
pub mod trained;
pub mod veto;
pub(crate) mod wording;

use crate::page::{Form, Page};
use serde::{Deserialize, Serialize};

/// Judges pages and forms for one topic.
pub trait Critic: Send + Sync {
    /// How likely the page is on topic.
    fn judge_page(&self, page: &Page) -> PageVerdict;

    /// What a form of a judged page is for, and how likely it searches the topic.
    fn judge_form(&self, form: &Form, page: &Page, verdict: &PageVerdict) -> FormVerdict;
}

/// A page, judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageVerdict {
    /// P(on topic).
    pub p_topic: f32,
    /// What its text says ([`subject::page_words`]), read once for the page and its forms.
    #[serde(skip)]
    pub words: subject::Words,
}

/// A form, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormVerdict {
    /// What it is most likely for.
    pub kind: Kind,
    /// P(it searches something).
    pub p_searchable: f32,
    /// P(it searches something and that something is the topic).
    pub p_relevant: f32,
    /// Why, in a few words a person can check.
    pub evidence: Vec<String>,
}

impl FormVerdict {
    /// Whether it counts as searchable.
    pub fn is_searchable(&self) -> bool {
        self.p_searchable >= 0.5
    }

    /// Whether it counts as found.
    pub fn is_relevant(&self) -> bool {
        self.p_relevant >= 0.5
    }
}

/// What a form is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Search,
    Login,
    Registration,
    Recovery,
    Contact,
    Newsletter,
    Order,
    Comment,
    Booking,
    Other,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 10] = [
        Kind::Search,
        Kind::Login,
        Kind::Registration,
        Kind::Recovery,
        Kind::Contact,
        Kind::Newsletter,
        Kind::Order,
        Kind::Comment,
        Kind::Booking,
        Kind::Other,
    ];

    /// The name used in every table and export.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Search => "search",
            Kind::Login => "login",
            Kind::Registration => "registration",
            Kind::Recovery => "recovery",
            Kind::Contact => "contact",
            Kind::Newsletter => "newsletter",
            Kind::Order => "order",
            Kind::Comment => "comment",
            Kind::Booking => "booking",
            Kind::Other => "other",
        }
    }
}
