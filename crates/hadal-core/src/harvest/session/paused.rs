//! Paused answers: answers with pages left that may be continued later.

use super::reading::AnswerReading;
use crate::harvest::answer::AnswerPages;
use crate::harvest::policy::MAX_PAUSED;
use crate::harvest::policy::{QueryOutcome, ReadingEnd, StatedTotal};
use crate::harvest::query::Query;
use crate::http::Request;
use std::collections::VecDeque;

/// All paused answers of a session, oldest first.
#[derive(Default)]
pub struct PausedReadings {
    readings: VecDeque<(Query, PausedReading)>,
}

/// State needed to continue an answer.
pub struct PausedReading {
    /// Request for the next page.
    pub next: Request,
    /// That request submits a form.
    pub is_button: bool,
    /// Pages read so far.
    pub pages: u32,
    /// Number of matches that the form states.
    pub total: Option<StatedTotal>,
    /// Pages and records so far, to detect pages that repeat.
    pub seen: AnswerPages,
    /// Records read so far.
    pub records: u32,
}

impl PausedReadings {
    /// Continuation of the list of all records, if it is paused.
    pub fn list_continuation(&self) -> Option<Query> {
        let list = self.readings.iter().find(|(query, _)| *query == Query::default());
        list.map(|(query, paused)| query.after(paused.records)).filter(|query| query.after > 0)
    }

    /// True if the answer that a query continues is held.
    pub fn contains(&self, query: &Query) -> bool {
        self.find(query).is_some()
    }

    /// Removes the paused answer that a query continues.
    pub fn take(&mut self, query: &Query) -> Option<PausedReading> {
        self.readings.remove(self.find(query)?).map(|(_, paused)| paused)
    }

    /// Adds a reading if it is paused. Returns the request for its next page. Browse lists are never paused, except
    /// that of all records (`is_list`).
    pub fn add(&mut self, reading: &AnswerReading, is_list: bool) -> Option<Request> {
        if reading.end != Some(ReadingEnd::Paused) || reading.is_browsing() && !is_list {
            return None;
        }
        let AnswerReading { is_button, pages, total, .. } = *reading;
        let (next, seen) = (reading.next.request().clone(), reading.seen.clone());
        let records = reading.query.after + reading.records.len() as u32;
        let paused = PausedReading { next: next.clone(), is_button, pages, total, seen, records };
        self.put(&reading.query, paused);
        Some(next)
    }

    /// Adds an answer that an earlier session paused, with the request for its next page, or removes one that it
    /// continued to the end.
    pub fn replay(&mut self, outcome: &QueryOutcome<'_>, next: Option<Request>) {
        let before = self.take(outcome.query).map_or(0, |paused| paused.pages);
        if let Some(next) = next {
            let (pages, total) = (before + outcome.pages, outcome.total);
            // The store does not keep whether the request submits a form. It counts as one that does, so that it is in
            // the audit log.
            let (is_button, seen) = (true, AnswerPages::default());
            let records = outcome.query.after + outcome.hits.len() as u32;
            self.put(outcome.query, PausedReading { next, is_button, pages, total, seen, records });
        }
    }

    fn put(&mut self, query: &Query, paused: PausedReading) {
        self.readings.push_back((query.after(0), paused));
        if self.readings.len() > MAX_PAUSED {
            self.readings.pop_front();
        }
    }

    fn find(&self, query: &Query) -> Option<usize> {
        let first = query.after(0);
        self.readings.iter().position(|(kept, _)| *kept == first).filter(|_| query.after > 0)
    }
}
