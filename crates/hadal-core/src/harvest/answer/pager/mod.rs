//! The next page of an answer.
//!
//! `links` scores every link that may lead to the next page: by its label (`labels`), its class, its page number
//! (`numbers`), the difference between its URL and the page's (`url_change`) and its surroundings. If no link scores
//! high enough, `buttons` looks for a button that turns the page, and `scripts` for a link with a script that submits a
//! form. [`AnswerPages`] detects pagers that loop. `list_pages` finds pages of the list among its records.

mod buttons;
mod labels;
mod links;
mod list_pages;
mod numbers;
mod scripts;
mod url_change;

use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use crate::html::Document;
use crate::http::Request;
use crate::url_query::encoded_pairs;
pub(super) use list_pages::ListPages;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Pages in a row without a new record after which an answer is not followed further. Guess.
const MAX_STALE_PAGES: u32 = 2;

/// Request for the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextPage {
    /// Request to send.
    pub request: Request,
    /// Form in which the page offers the request.
    pub kind: PagerKind,
}

/// Form in which a page offers its next page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PagerKind {
    /// A link or head element with `rel=next`.
    Declared,
    /// A link labelled "next" or with an arrow.
    Link,
    /// A link with the number that follows this page's.
    Number,
    /// A link labelled "more".
    More,
    /// A button of a form, or a link with a script that submits one.
    Button,
    /// A parameter of the request, set to the next page, offset or cursor.
    Parameter,
}

/// Finds the next page of the answer to a query. Links that `is_content` accepts, by their position among the page's
/// links, belong to records and are skipped.
pub fn next_page(document: &Document, query: &Query, is_content: impl Fn(usize) -> bool) -> Option<NextPage> {
    links::best_link(document, query, is_content)
        .or_else(|| buttons::next_button(&document.page, query))
        .or_else(|| scripts::next_script(&document.page, query))
}

/// Requests and records of one answer so far. Some pagers lead back to earlier pages, and some show the same records
/// for ever.
#[derive(Clone, Debug, Default)]
pub struct AnswerPages {
    requests: FxHashSet<u64>,
    records: FxHashSet<RecordId>,
    /// Pages in a row without a new record.
    stale_pages: u32,
}

impl AnswerPages {
    /// Adds a page, given by its request and its records. Returns the number of records that earlier pages of this
    /// answer lack.
    pub fn add(&mut self, request: &Request, page: impl Iterator<Item = RecordId>) -> usize {
        self.requests.insert(request_key(request));
        let new = page.filter(|record| self.records.insert(*record)).count();
        self.stale_pages = if new == 0 { self.stale_pages + 1 } else { 0 };
        new
    }

    /// Returns false if the request was sent before or the last pages brought no new record.
    pub fn should_follow(&self, next: &NextPage) -> bool {
        self.stale_pages < MAX_STALE_PAGES && !self.requests.contains(&request_key(&next.request))
    }
}

/// Hash of a request that ignores the order of its URL parameters.
pub(in crate::harvest) fn request_key(request: &Request) -> u64 {
    let mut pairs: Vec<&str> = encoded_pairs(&request.url).collect();
    pairs.sort_unstable();
    let path = &request.url[..url::Position::AfterPath];
    let body = String::from_utf8_lossy(&request.body);
    xxh3_64(format!("{:?} {path} {} {body}", request.method, pairs.join("&")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn request(page: &str) -> Request {
        Request::get(Url::parse(&format!("http://a.org/find?{page}")).unwrap())
    }

    fn records(ids: [u64; 2]) -> impl Iterator<Item = RecordId> {
        ids.into_iter().map(RecordId)
    }

    #[test]
    fn a_pager_that_leads_back_is_not_followed() {
        let mut pages = AnswerPages::default();
        assert_eq!(pages.add(&request("q=x&page=1"), records([1, 2])), 2);
        let next = |page| NextPage { request: request(page), kind: PagerKind::Link };
        assert!(pages.should_follow(&next("q=x&page=2")));
        assert!(!pages.should_follow(&next("page=1&q=x")));
    }

    #[test]
    fn a_pager_that_repeats_its_records_is_not_followed() {
        let mut pages = AnswerPages::default();
        for page in 1..=3 {
            pages.add(&request(&format!("page={page}")), records([1, 2]));
        }
        assert!(!pages.should_follow(&NextPage { request: request("page=4"), kind: PagerKind::Link }));
    }
}
