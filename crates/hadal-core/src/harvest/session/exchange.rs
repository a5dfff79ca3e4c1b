//! Values that a harvest session exchanges with its caller: purpose of a request, response, update.

use crate::harvest::answer::{AnswerKind, DataDocument};
use crate::harvest::policy::{ReadingEnd, StatedTotal};
use crate::harvest::query::Query;
use crate::harvest::record::{Record, RecordId};
use crate::html::Document;
use crate::http::{Method, Request};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// Purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestPurpose {
    /// Entry page of the form.
    #[serde(rename = "form")]
    EntryPage,
    /// Calibration query, which matches nothing.
    #[serde(rename = "nonsense")]
    Calibration,
    /// First page of the answer to a query.
    Query,
    /// Browse link or facet that is followed instead of a query.
    Link,
    /// Target of a redirect.
    Redirect,
    /// Further page of an answer, by a link.
    Page,
    /// Further page of an answer, by a button or another value of a form.
    PageButton,
    /// Detail page of a record.
    Detail,
}

impl RequestPurpose {
    /// True if the request submits a form.
    pub fn submits(self) -> bool {
        matches!(self, RequestPurpose::Calibration | RequestPurpose::Query | RequestPurpose::PageButton)
    }

    /// True if the harvest can continue without this page.
    pub fn is_dispensable(self) -> bool {
        use RequestPurpose::{Detail, Link, Page, PageButton, Redirect};
        matches!(self, Link | Redirect | Page | PageButton | Detail)
    }

    /// Purpose after `redirects` redirects. A redirected POST that stays POST submits the form again.
    pub(super) fn after(self, redirects: u8, request: &Request) -> RequestPurpose {
        if redirects > 0 && request.method == Method::Get { RequestPurpose::Redirect } else { self }
    }
}

/// HTTP response to a request of the session.
#[derive(Debug, Default)]
pub struct ParsedResponse {
    /// Status code; 0 if the request failed.
    pub status: u16,
    /// Target of a redirect.
    pub location: Option<Url>,
    /// Parsed body; `None` if it is not HTML.
    pub document: Option<Document>,
    /// Body that is data, such as JSON; `None` if there is a document.
    pub data: Option<Box<DataDocument>>,
    /// Time since the previous response, if known.
    pub interval: Option<Duration>,
}

/// Results of one response, to be stored by the caller.
#[derive(Debug, Default)]
pub struct HarvestUpdate {
    /// Kind of the answer, for result pages.
    pub kind: Option<AnswerKind>,
    /// New records, each with its position in the answer, from 1.
    pub records: Vec<(Record, u32)>,
    /// Record and text of a detail page.
    pub detail: Option<(RecordId, String)>,
    /// Number of the query that the response belongs to.
    pub query_number: u32,
    /// That query, if there are new records.
    pub query: Option<Query>,
    /// Summary of the query, if this response was its last.
    pub finished: Option<FinishedQuery>,
    /// True if [`super::HarvestSession::save`] returns a new state.
    pub needs_save: bool,
    /// Time that the site wants between two searches. The caller waits before the next request.
    pub wait: Option<Duration>,
}

/// Summary of a finished query.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedQuery {
    /// Number of the query within the harvest, from 1.
    pub number: u32,
    /// Query that was sent.
    pub query: Query,
    /// Number of matches that the form states.
    pub total: Option<StatedTotal>,
    /// Kind of its first page.
    pub kind: AnswerKind,
    /// Ids of the records in order.
    pub hits: Vec<RecordId>,
    /// Number of new records.
    pub new: u32,
    /// Number of pages read, those before a pause excluded.
    pub pages: u32,
    /// Reason why no further page was read.
    pub end: ReadingEnd,
    /// Request for the next page, if the answer can be continued.
    pub next: Option<Request>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_by_a_button_is_a_submission_and_a_page_by_a_link_is_none() {
        assert!(RequestPurpose::PageButton.submits() && RequestPurpose::PageButton.is_dispensable());
        assert!(!RequestPurpose::Page.submits() && RequestPurpose::Page.is_dispensable());
    }

    #[test]
    fn a_redirect_that_may_not_be_followed_fails_one_query_only() {
        let target = Request::get(Url::parse("http://a.org/record/7").unwrap());
        assert!(RequestPurpose::Query.after(1, &target).is_dispensable());
        assert!(!RequestPurpose::Query.is_dispensable());
    }
}
