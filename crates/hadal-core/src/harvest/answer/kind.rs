//! The kind of an answer, decided from the page's wording and from the records found on it.

use crate::critic::page_kind::PageKinds;
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// Least share of records with a query word in a list that is about the query. Guess.
pub(super) const MIN_MATCHING_SHARE: f32 = 0.5;
/// Least share of the no-result signature on a page that counts as empty. Guess.
const MIN_SIGNATURE_SHARE: f32 = 0.5;
/// Least number of records in a list that counts as results even where none were found before. Guess.
const MIN_LISTED_RECORDS: usize = 3;
/// Least score of the detail-page classifier for a page that may be a single record's own page. Guess; lower
/// than the classifier's own threshold because other evidence must agree.
const MIN_DETAIL_SCORE: f32 = 0.3;

/// Kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// A list of one or more records.
    Results,
    /// No record matches the query.
    Nothing,
    /// The detail page of the only match.
    OneRecord,
    /// The server or the request failed.
    Error,
    /// The server demands fewer requests.
    RateLimited,
    /// Results are shown to logged-in users only.
    LoginWall,
    /// The server demands proof of a human user.
    Captcha,
    /// The form stored its input, as a guest book or a contact form does.
    EntryStored,
}

impl AnswerKind {
    /// Name in tables and exports.
    pub fn name(self) -> &'static str {
        match self {
            AnswerKind::Results => "results",
            AnswerKind::Nothing => "nothing",
            AnswerKind::OneRecord => "one_record",
            AnswerKind::Error => "error",
            AnswerKind::RateLimited => "rate_limited",
            AnswerKind::LoginWall => "login_wall",
            AnswerKind::Captcha => "captcha",
            AnswerKind::EntryStored => "taken_in",
        }
    }
}

/// Evidence from which the kind of an answer is decided.
pub(super) struct KindEvidence<'a> {
    pub(super) status: u16,
    /// Kinds that the page's wording suggests. Computed on first use, because most lists do not need it.
    pub(super) kinds: &'a dyn Deref<Target = PageKinds>,
    /// Share of the form's no-result signature on this page; `None` while the signature is unknown.
    pub(super) signature_share: Option<f32>,
    /// Number of records found.
    pub(super) records: usize,
    /// The records are at the position of earlier answers' records.
    pub(super) in_place: bool,
    /// Earlier answers had records.
    pub(super) had_records: bool,
    /// Share of the records that contain a query word; `None` for a query without words.
    pub(super) matching_share: Option<f32>,
    /// No record has a link, while those of earlier answers had detail links.
    pub(super) lacks_links: bool,
    /// The query has neither words, choices nor a link, so that its answer is no single record.
    pub(super) is_open: bool,
    /// Total stated outside the records.
    pub(super) total: Option<u64>,
    /// The text outside the records states a number of results. The page of a single record states other numbers, such
    /// as that of its pages.
    pub(super) counts_results: bool,
    /// The URL path differs from those of earlier answers with results.
    pub(super) is_elsewhere: bool,
}

impl KindEvidence<'_> {
    /// Applies the rules in order: obstacles, no results, a single record's page, results.
    pub(super) fn kind(&self) -> AnswerKind {
        if let Some(obstacle) = self.obstacle() {
            return obstacle;
        }
        if self.is_empty() {
            return AnswerKind::Nothing;
        }
        let may_be_one = self.is_elsewhere && !self.is_open;
        if may_be_one && !self.in_place && !self.counts_results && self.looks_like_detail_page() {
            return AnswerKind::OneRecord;
        }
        match self.records {
            0 if self.kinds.detail.holds() && may_be_one => AnswerKind::OneRecord,
            0 => AnswerKind::Nothing,
            _ if self.is_unrelated_list() => AnswerKind::Nothing,
            _ => AnswerKind::Results,
        }
    }

    /// Most listed items lack the query's words, or the wording is that of a detail page.
    fn looks_like_detail_page(&self) -> bool {
        self.had_records && self.matching_share.is_some_and(|share| share < MIN_MATCHING_SHARE)
            || self.kinds.detail.score >= MIN_DETAIL_SCORE
    }

    /// The list is at another position than earlier records, and no item contains a query word. For a query without
    /// words, no item has a link as earlier records do: paragraphs that explain the search.
    fn is_unrelated_list(&self) -> bool {
        let is_other = self.matching_share.map_or(self.lacks_links, |share| share == 0.0);
        self.had_records && !self.in_place && is_other && self.total.is_none()
    }

    /// Kind of a page that withholds the records. A list of matching records is never an obstacle, whatever
    /// its wording.
    fn obstacle(&self) -> Option<AnswerKind> {
        let fits = self.in_place || self.matching_share >= Some(MIN_MATCHING_SHARE);
        if self.status < 400 && self.records >= 2 && fits {
            return None;
        }
        let PageKinds { rate_limit, captcha, login_wall, error, confirmation, .. } = &**self.kinds;
        let obstacles = [
            (captcha.holds(), AnswerKind::Captcha),
            (self.status == 429 || rate_limit.holds(), AnswerKind::RateLimited),
            (login_wall.holds(), AnswerKind::LoginWall),
            (error.holds() || self.status >= 500, AnswerKind::Error),
            // A form that has shown records answers queries, so its wording does not count here.
            (confirmation.holds() && self.records == 0 && !self.had_records, AnswerKind::EntryStored),
        ];
        obstacles.into_iter().find(|(holds, _)| *holds).map(|(_, kind)| kind)
    }

    /// The page states that nothing matches. Such a page may still list suggestions.
    fn is_empty(&self) -> bool {
        if self.total.is_some_and(|total| total > 0) && self.records > 0 {
            return false;
        }
        let has_signature = self.signature_share.is_some_and(|share| share >= MIN_SIGNATURE_SHARE);
        let fits = (self.records >= MIN_LISTED_RECORDS || self.in_place)
            && self.matching_share >= Some(MIN_MATCHING_SHARE);
        if !has_signature && (fits || self.in_place && self.signature_share == Some(0.0)) {
            return false;
        }
        let is_stated = self.total == Some(0) || self.kinds.no_results.holds();
        is_stated || has_signature && !fits
    }
}
