//! One request of a harvest and what came of it: what it was for, the reply, and what that brought.

use crate::harvest::answer::AnswerKind;
use crate::harvest::policy::{ReadingEnd, StatedTotal};
use crate::harvest::query::Query;
use crate::harvest::record::{Record, RecordId};
use crate::html::Document;
use crate::http::{Method, Request};
use serde::{Deserialize, Serialize};
use url::Url;

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestPurpose {
    /// The page of the form.
    Form,
    /// A query that nothing answers.
    Nonsense,
    /// A query.
    Query,
    /// A link that is followed as a query.
    Link,
    /// Where the answer to a query points.
    Redirect,
    /// A further page of an answer.
    Page,
    /// A record's own page.
    Detail,
}

impl RequestPurpose {
    /// Whether the form is submitted.
    pub fn submits(self) -> bool {
        matches!(self, RequestPurpose::Nonsense | RequestPurpose::Query)
    }

    /// Whether a harvest goes on when this cannot be had.
    pub fn is_dispensable(self) -> bool {
        matches!(self, RequestPurpose::Link | RequestPurpose::Page | RequestPurpose::Detail)
    }

    /// The same after so many redirects: the form is submitted again only when its data travel along.
    pub(super) fn after(self, hops: u8, request: &Request) -> RequestPurpose {
        if hops > 0 && request.method == Method::Get { RequestPurpose::Redirect } else { self }
    }
}

/// What came back.
#[derive(Debug, Default)]
pub struct ParsedResponse {
    /// Status code; 0 when there was no answer.
    pub status: u16,
    /// Where a redirect points.
    pub location: Option<Url>,
    /// The page, when one came.
    pub document: Option<Document>,
}

/// What a reply brought.
#[derive(Debug, Default)]
pub struct HarvestUpdate {
    /// What sort of answer it was.
    pub kind: Option<AnswerKind>,
    /// Records that no answer had held before, with their positions in this one.
    pub records: Vec<(Record, u32)>,
    /// The text of a record's own page.
    pub detail: Option<(RecordId, String)>,
    /// The number of the query it belongs to.
    pub query_number: u32,
    /// That query, when records came.
    pub query: Option<Query>,
    /// The query, if this was the last of it.
    pub finished: Option<FinishedQuery>,
    /// Whether something was learned that [`super::HarvestSession::save`] keeps.
    pub needs_save: bool,
}

/// A query that was asked and read.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedQuery {
    /// Its number, from 1.
    pub number: u32,
    /// What was asked.
    pub query: Query,
    /// How many records the form says there are.
    pub total: Option<StatedTotal>,
    /// The records in their order.
    pub hits: Vec<RecordId>,
    /// How many of them were new.
    pub new: u32,
    /// Pages that were read.
    pub pages: u32,
    /// Why no more were read.
    pub end: ReadingEnd,
    /// What brings the next page, when it can be read on.
    pub next: Option<Request>,
}
