//! Entry page and calibration query: the requests before the first query of a harvest.

use super::reading::AnswerReading;
use super::redirects::FollowedRequest;
use super::{EntryPage, HarvestEnding, HarvestSession, HarvestUpdate, ParsedResponse, SessionStage};
use crate::harvest::answer::AnswerKind;
use crate::harvest::query::Query;
use crate::http::Request;
use crate::page::Page;

/// A query that matches nothing, while it is sent.
pub struct CalibrationQuery {
    query: Query,
    pub request: FollowedRequest,
}

impl CalibrationQuery {
    /// Builds the query; `None` if the form takes no words.
    fn new(form: &EntryPage, seed: u64) -> Option<CalibrationQuery> {
        let query = form.calibration_query(seed)?;
        Some(CalibrationQuery { request: FollowedRequest::new(form.request_for(&query)), query })
    }
}

impl HarvestSession {
    /// Updates the form from its entry page and finds browse lists. If the page does not show the form, the form is
    /// submitted as it was found. A `reading` is repeated with the hidden values of the page.
    pub(super) fn receive_entry_page(
        &mut self,
        reading: Option<Box<AnswerReading>>,
        response: &ParsedResponse,
    ) -> HarvestUpdate {
        let page = response.document.as_ref().map(|document| &document.page);
        let is_redirect = self.entry_request.follow(response);
        if !is_redirect {
            self.entry_request = FollowedRequest::new(Request::get(self.entry_page.page().clone()));
        }
        self.stage = match reading {
            None if is_redirect => SessionStage::Open,
            None => self.open(page),
            Some(reading) if is_redirect => SessionStage::Reopen(reading),
            Some(mut reading) => {
                page.map(|page| self.entry_page.refresh(page));
                reading.next = FollowedRequest::new(self.entry_page.request_for(&reading.query));
                SessionStage::Read(reading)
            }
        };
        HarvestUpdate::default()
    }

    /// Learns from the entry page. Returns the stage of the calibration query, or that of the first query of a resumed
    /// harvest.
    pub(super) fn open(&mut self, page: Option<&Page>) -> SessionStage {
        if let Some(page) = page {
            self.entry_page.refresh(page);
            self.reader.add_entry_page(page);
            self.sources.add_entry_page(page, self.entry_page.lists_all());
            self.search_check.add_entry_page(page);
        }
        let calibration =
            CalibrationQuery::new(&self.entry_page, self.options.seed).filter(|_| self.reader.samples() == 0);
        calibration.map_or(SessionStage::Choose, |query| SessionStage::Calibrate(Box::new(query)))
    }

    /// Lets the reader learn from an answer without results.
    pub(super) fn receive_calibration(
        &mut self,
        mut sent: Box<CalibrationQuery>,
        response: &ParsedResponse,
    ) -> HarvestUpdate {
        if sent.request.follow(response) {
            self.stage = SessionStage::Calibrate(sent);
            return HarvestUpdate::default();
        }
        let (query, status) = (&sent.query, response.status);
        if let Some(data) = &response.data {
            self.reader.add_empty_data(data, status);
            return HarvestUpdate { needs_save: true, ..HarvestUpdate::default() };
        }
        let Some(document) = &response.document else { return HarvestUpdate::default() };
        self.entry_page.refresh(&document.page);
        let answer = self.reader.read_calibration(document, status, query);
        self.search_check.add_calibration(document, query);
        self.search_check.add_first_page(&answer, self.queries);
        if answer.kind == AnswerKind::EntryStored {
            self.stage = SessionStage::Ended(HarvestEnding::EntryStored);
        }
        HarvestUpdate { kind: Some(answer.kind), needs_save: true, ..HarvestUpdate::default() }
    }
}
