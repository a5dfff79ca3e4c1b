//! What an answer says: its records, the way to the next page, how many there are, how to narrow it.
//!
//! No site has a rule of its own. A [`AnswerReader`] compares answers of one form:
//!
//! 1. `furniture` remembers which texts stand on every answer; `view` weighs the rest of a page;
//! 2. `records` finds the row of siblings that holds most of what is new;
//! 3. `identity` says when records are the same, `likeness` when they nearly are;
//! 4. `next`, `facets` and `kind` say what else the answer offers and what sort of answer it is;
//! 5. `look` puts them together, `reader` is what is learned from one look for the next.
//!
//! Everything is a function of the pages given; [`AnswerPages`] notices pagers that lead nowhere.

mod analysis;
mod facets;
mod furniture;
mod identity;
mod kind;
mod near_duplicates;
mod pager;
mod pages;
mod reader;
mod records;
mod refining;
mod target;
mod view;

pub use near_duplicates::{NearDuplicateKey, NearDuplicates, merged};
pub use pager::{NextPage, PagerKind, next_page};
pub use pages::AnswerPages;
pub use reader::{AnswerReader, AnswerSample};
pub(super) use target::form_of;

use super::policy::StatedTotal;
use super::record::Record;
use serde::{Deserialize, Serialize};
use url::Url;

/// What came back for a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What sort of answer it is.
    pub kind: AnswerKind,
    /// The records in their order; empty unless the answer shows some.
    pub records: Vec<Record>,
    /// The request for the next page, when there seems to be one.
    pub next: Option<NextPage>,
    /// How many records there are, in the form's own words.
    pub total: Option<StatedTotal>,
    /// Links that narrow the same query.
    pub facets: Vec<Facet>,
}

impl Answer {
    /// An answer without any record.
    pub(super) fn nothing() -> Answer {
        Answer::bare(AnswerKind::Nothing)
    }

    /// An answer that shows nothing.
    fn bare(kind: AnswerKind) -> Answer {
        Answer { kind, records: Vec::new(), next: None, total: None, facets: Vec::new() }
    }
}

/// Sorts of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// A list of records, which may have one only.
    Results,
    /// Nothing was found.
    Nothing,
    /// The page of the only record that was found.
    OneRecord,
    /// An error of the server or of the request.
    Error,
    /// The server wants to be asked less often.
    RateLimited,
    /// Answers are for those who are logged in.
    LoginWall,
    /// The server wants to see a person.
    Captcha,
    /// What was asked was taken in, as an entry or a message is.
    TakenIn,
}

impl AnswerKind {
    /// The name in every table and export.
    pub fn name(self) -> &'static str {
        match self {
            AnswerKind::Results => "results",
            AnswerKind::Nothing => "nothing",
            AnswerKind::OneRecord => "one_record",
            AnswerKind::Error => "error",
            AnswerKind::RateLimited => "rate_limited",
            AnswerKind::LoginWall => "login_wall",
            AnswerKind::Captcha => "captcha",
            AnswerKind::TakenIn => "taken_in",
        }
    }
}

/// A link that narrows the query it stands under.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facet {
    /// What it narrows to.
    pub label: String,
    /// How many records that leaves, where it says so.
    pub count: Option<u64>,
    /// Where it leads.
    pub url: Url,
}
