//! Reading the result pages of a form: records, next page, total and facets.
//!
//! There are no rules for single sites. An [`AnswerReader`] is a heuristic model of the result pages of one form. It
//! learns by comparing answers to different queries ([`AnswerReader::improve`]), and then reads any answer
//! ([`AnswerReader::read`]). Reading a page takes these steps:
//!
//! 1. **Novelty.** `furniture` knows the texts of earlier answers. Text that most of them show is page furniture; the
//!    rest is new. `view` sums the new text over the nodes of the page, and `links` marks links that repeat the query.
//! 2. **Candidate groups.** Records are siblings that begin alike. `records::start` lists the ways in which the
//!    children of an element can be split into records, and `records::group` builds the groups with most new text.
//! 3. **Score.** `records::score` multiplies factors for the new text, the similarity of the records, their links to
//!    detail pages (`records::detail_link`), their place on the page and the query's words. The best group wins.
//! 4. **Template.** `records::template` stores the positions of the winning groups of earlier answers. A group in the
//!    same place scores higher.
//! 5. **Records.** `records::members` drops rows that are not records and adds irregular ones. `records` and
//!    `records::fields` read the title, URL, text and fields of each.
//!    If `sections` finds that they are the sections of one document, the document is the only record.
//! 6. **Identity.** `identity` derives a record's id from its URL without the parts that change from visit to visit.
//! 7. **Next page and facets.** `pager` finds the request for the next page, and `facets` the links that narrow the
//!    query.
//! 8. **Kind and total.** `kind` classifies the answer: results, no results, an error and others. The total is the
//!    number of results that the text around the records states.
//!
//! Answers that are JSON or XML have a reader of their own, [`DataReader`] (`data`), with the same result.
//!
//! `analysis` runs steps 1 to 5 and 8 on one page; `reader` holds the learned state and adds 6 and 7. Results depend on
//! the given pages only. [`AnswerPages`] detects pagers that loop, and [`NearDuplicates`] finds records that are listed
//! twice.
//!
//! The weights and thresholds of the model are guesses unless their comment gives another source. The saved pages of
//! `tests/answers` and the generated layouts of `tests/answers_layouts.rs` guard them.

mod analysis;
mod copied_parameters;
mod data;
mod facets;
mod furniture;
mod identity;
mod kind;
mod links;
mod near_duplicates;
mod pager;
mod reader;
mod records;
mod sections;
mod view;

pub use data::{DataDocument, DataReader, MAX_DATA_BYTES};
pub use kind::AnswerKind;
pub(super) use links::url_shape;
pub use near_duplicates::NearDuplicates;
pub(super) use pager::request_key;
pub use pager::{AnswerPages, NextPage, PagerKind, next_page};
pub use reader::{AnswerReader, AnswerSample, lists_records};

use super::policy::StatedTotal;
use super::record::Record;
use serde::{Deserialize, Serialize};
use url::Url;

/// One result page of an answer, as read.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Kind of the answer.
    pub kind: AnswerKind,
    /// Records in page order; empty unless the kind is `Results` or `OneRecord`.
    pub records: Vec<Record>,
    /// Request for the next page, if the page offers one.
    pub next: Option<NextPage>,
    /// Number of matches that the page states.
    pub total: Option<StatedTotal>,
    /// Links that narrow the query.
    pub facets: Vec<Facet>,
}

impl Answer {
    /// An answer without results.
    pub(super) fn nothing() -> Answer {
        Answer::without_records(AnswerKind::Nothing)
    }

    /// The page of one record.
    pub(super) fn of_record(record: Record) -> Answer {
        Answer { records: vec![record], ..Answer::without_records(AnswerKind::OneRecord) }
    }

    fn without_records(kind: AnswerKind) -> Answer {
        Answer { kind, records: Vec::new(), next: None, total: None, facets: Vec::new() }
    }
}

/// A link that narrows the query of its result page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facet {
    /// Anchor text without the count.
    pub label: String,
    /// Number of matches that the narrowed query has, if the page states it.
    pub count: Option<u64>,
    /// Target of the link.
    pub url: Url,
}
