//! Answers that were left off, and how each goes on.

use super::reading::Reading;
use crate::harvest::answer::AnswerPages;
use crate::harvest::policy::{QueryOutcome, ReadingEnd, StatedTotal};
use crate::harvest::query::Query;
use crate::http::Request;
use std::collections::VecDeque;

/// Answers that are kept; of more, the oldest are forgotten.
const MOST: usize = 4_096;

/// All that can be gone on with.
#[derive(Default)]
pub struct Shelf {
    places: VecDeque<(Query, Place)>,
}

/// Where the reading of an answer stopped.
pub struct Place {
    /// What brings the next page.
    pub next: Request,
    /// Pages that were read.
    pub pages: u32,
    /// How many records the form says there are.
    pub total: Option<StatedTotal>,
    /// Pages and records so far.
    pub trail: AnswerPages,
}

impl Shelf {
    /// Whether a query that was left off can be read on.
    pub fn has(&self, query: &Query) -> bool {
        self.find(query).is_some()
    }

    /// Takes out where it goes on.
    pub fn take(&mut self, query: &Query) -> Option<Place> {
        self.places.remove(self.find(query)?).map(|(_, place)| place)
    }

    /// Keeps an answer that is left off here, if it is; what brings its next page.
    pub fn leave(&mut self, reading: &Reading) -> Option<Request> {
        if reading.end != Some(ReadingEnd::Paused) || reading.is_browsing() {
            return None;
        }
        let Reading { pages, total, .. } = *reading;
        let next = reading.send.clone();
        self.put(&reading.query, Place { next: next.clone(), pages, total, trail: reading.trail.clone() });
        Some(next)
    }

    /// Keeps one that an earlier session left off, and what brings its next page.
    pub fn recall(&mut self, asked: &QueryOutcome<'_>, next: Option<Request>) {
        let before = self.take(asked.query).map_or(0, |place| place.pages);
        if let Some(next) = next {
            let (pages, total) = (before + asked.pages, asked.total);
            self.put(asked.query, Place { next, pages, total, trail: AnswerPages::default() });
        }
    }

    fn put(&mut self, query: &Query, place: Place) {
        self.places.push_back((query.after(0), place));
        if self.places.len() > MOST {
            self.places.pop_front();
        }
    }

    fn find(&self, query: &Query) -> Option<usize> {
        let first = query.after(0);
        self.places.iter().position(|(kept, _)| *kept == first).filter(|_| query.after > 0)
    }
}
