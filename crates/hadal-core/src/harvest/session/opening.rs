//! Entry page and calibration query: the requests before the first query of a harvest.

use super::opening_words::OpeningWords;
use super::reading::AnswerReading;
use super::{HarvestEnding, HarvestSession, HarvestUpdate, ParsedResponse, SessionStage};
use crate::address::Site;
use crate::critic::probe::redirect::meta_refresh;
use crate::harvest::answer::{AnswerKind, AnswerSample};
use crate::harvest::query::Query;
use crate::http::{Method, Request};
use crate::page::Page;

/// Maximum number of redirects within the site that are followed for one page, by status or by
/// `meta refresh`. Guess.
const MAX_REDIRECTS: u8 = 5;

/// A query that matches nothing, while it is sent.
pub struct CalibrationQuery {
    query: Query,
    /// Request for the query, or for the target of the last redirect.
    pub request: Request,
    /// Redirects followed so far.
    pub redirects: u8,
}

impl HarvestSession {
    /// Updates the form from its entry page and finds browse lists. If the page does not show the form, the form is
    /// submitted as it was found.
    pub(super) fn receive_entry_page(&mut self, response: ParsedResponse) -> HarvestUpdate {
        if self.redirect_entry_page(&response) {
            self.stage = SessionStage::Open;
            return HarvestUpdate::default();
        }
        if let Some(document) = &response.document {
            self.learn_entry_page(&document.page);
        }
        self.stage = self.after_opening();
        HarvestUpdate::default()
    }

    /// Opens the form with an entry page that the caller has just fetched, instead of a request of this session.
    pub fn open_with(&mut self, page: &Page) {
        if let SessionStage::Open = self.stage {
            self.learn_entry_page(page);
            self.stage = self.after_opening();
        }
    }

    fn learn_entry_page(&mut self, page: &Page) {
        self.entry_page.refresh(page);
        self.data_reader.add_links(page.links.iter().map(|link| &link.url));
        if !self.entry_page.lists_all() {
            self.browse.find_lists(page, "");
        }
        self.opening_words = OpeningWords::of(page);
        self.entry_text.clone_from(&page.text);
        self.reader.add_entry_page(&page.text);
    }

    /// Calibration query, or the first query of a resumed harvest.
    fn after_opening(&self) -> SessionStage {
        let query = self.entry_page.calibration_query(self.options.seed).filter(|_| self.reader_samples == 0);
        query.map_or(SessionStage::Choose, |query| {
            let request = self.entry_page.request_for(&query);
            SessionStage::Calibrate(Box::new(CalibrationQuery { query, request, redirects: 0 }))
        })
    }

    /// Follows a redirect of the entry page. Returns false if there is none.
    fn redirect_entry_page(&mut self, response: &ParsedResponse) -> bool {
        let (request, redirects) = &self.entry_request;
        let target = redirect_request(request, response, *redirects);
        let redirects = if target.is_some() { redirects + 1 } else { 0 };
        let is_redirect = target.is_some();
        let page = || Request::get(self.entry_page.page().clone());
        self.entry_request = (target.unwrap_or_else(page), redirects);
        is_redirect
    }

    /// Repeats a query with the hidden values of the page that was just fetched.
    pub(super) fn receive_entry_page_again(
        &mut self,
        mut reading: Box<AnswerReading>,
        response: ParsedResponse,
    ) -> HarvestUpdate {
        if self.redirect_entry_page(&response) {
            self.stage = SessionStage::Reopen(reading);
            return HarvestUpdate::default();
        }
        if let Some(document) = &response.document {
            self.entry_page.refresh(&document.page);
        }
        reading.request = self.entry_page.request_for(&reading.query);
        self.stage = SessionStage::Read(reading);
        HarvestUpdate::default()
    }

    /// Lets the reader learn from an answer without results.
    pub(super) fn receive_calibration(
        &mut self,
        mut sent: Box<CalibrationQuery>,
        response: ParsedResponse,
    ) -> HarvestUpdate {
        if let Some(request) = redirect_request(&sent.request, &response, sent.redirects) {
            (sent.request, sent.redirects) = (request, sent.redirects + 1);
            self.stage = SessionStage::Calibrate(sent);
            return HarvestUpdate::default();
        }
        let query = &sent.query;
        if let Some(data) = response.data {
            self.data_reader.add_empty_answer(&data);
            self.empty_answer_status = response.status;
            return HarvestUpdate { needs_save: true, ..HarvestUpdate::default() };
        }
        let Some(document) = response.document else { return HarvestUpdate::default() };
        self.entry_page.refresh(&document.page);
        self.reader.improve(&AnswerSample { document: &document, status: response.status, query });
        let answer = self.reader.read(&document, response.status, query);
        self.empty_answer_status = response.status;
        self.search_check.add_calibration(&document, query);
        self.search_check.add_first_page(&answer, self.queries);
        if answer.kind == AnswerKind::EntryStored {
            self.stage = SessionStage::Ended(HarvestEnding::EntryStored);
        }
        HarvestUpdate { kind: Some(answer.kind), needs_save: true, ..HarvestUpdate::default() }
    }
}

/// Request for the target of a redirect within the site, by status or by a meta refresh. As in browsers, POST
/// becomes GET unless the status is 307 or 308.
pub(super) fn redirect_request(sent: &Request, response: &ParsedResponse, redirects: u8) -> Option<Request> {
    let target = match response.status {
        300..400 => response.location.as_ref(),
        200..300 => response.document.as_ref().and_then(|document| meta_refresh(&document.page)),
        _ => None,
    }?;
    let is_followed = Site::of(target) == Site::of(&sent.url) && redirects < MAX_REDIRECTS;
    let keeps_post = matches!(response.status, 307 | 308) && sent.method == Method::Post;
    is_followed.then(|| match keeps_post {
        true => Request { url: target.clone(), ..sent.clone() },
        false => Request::get(target.clone()),
    })
}
