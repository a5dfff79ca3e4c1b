//! What sort of answer a page is, by what it says and by what was found on it.

use super::AnswerKind;
use crate::critic::page_kind::PageKinds;
use std::ops::Deref;

/// What is known about an answer when its kind is decided.
pub(super) struct KindEvidence<'a> {
    pub(super) status: u16,
    /// What the page says in so many words, read only when that matters: for most lists it does not.
    pub(super) kinds: &'a dyn Deref<Target = PageKinds>,
    /// How likely its texts say that nothing was found, by earlier answers.
    pub(super) emptiness: Option<f32>,
    /// How many records were found on it.
    pub(super) records: usize,
    /// Whether they stand where records stood before.
    pub(super) in_place: bool,
    /// Whether it is known where records stand.
    pub(super) knows_place: bool,
    /// The share of records with a word of the query; `None` when no words were asked for.
    pub(super) hits: Option<f32>,
    /// The number of results it names, outside of the records.
    pub(super) total: Option<u64>,
    /// Whether it has another address than answers with results had.
    pub(super) is_elsewhere: bool,
}

impl KindEvidence<'_> {
    /// Decides.
    pub(super) fn kind(&self) -> AnswerKind {
        if let Some(wall) = self.wall() {
            return wall;
        }
        if self.is_empty() {
            return AnswerKind::Nothing;
        }
        if self.is_elsewhere && !self.in_place && self.total.is_none() && self.is_of_one() {
            return AnswerKind::OneRecord;
        }
        match self.records {
            0 if self.kinds.detail.holds() && self.is_elsewhere => AnswerKind::OneRecord,
            0 => AnswerKind::Nothing,
            _ if self.is_beside() => AnswerKind::Nothing,
            _ => AnswerKind::Results,
        }
    }

    /// Whether a page looks like that of one record; what it lists beside that has little to do with the query.
    fn is_of_one(&self) -> bool {
        self.knows_place && self.hits.is_some_and(|hits| hits < 0.5) || self.kinds.detail.score >= 0.3
    }

    /// Whether what was found stands elsewhere than records do and has nothing to do with the query.
    fn is_beside(&self) -> bool {
        self.knows_place && !self.in_place && self.hits == Some(0.0) && self.total.is_none()
    }

    /// What stands in the way. A page full of records is none of these, whatever words are on it.
    fn wall(&self) -> Option<AnswerKind> {
        if self.status < 400 && self.records >= 2 && (self.in_place || self.hits >= Some(0.5)) {
            return None;
        }
        let PageKinds { rate_limit, captcha, login_wall, error, confirmation, .. } = &**self.kinds;
        let walls = [
            (captcha.holds(), AnswerKind::Captcha),
            (self.status == 429 || rate_limit.holds(), AnswerKind::RateLimited),
            (login_wall.holds(), AnswerKind::LoginWall),
            (error.holds() || self.status >= 500, AnswerKind::Error),
            // A form that has shown records answers questions, whatever these say.
            (confirmation.holds() && self.records == 0 && !self.knows_place, AnswerKind::TakenIn),
        ];
        walls.into_iter().find(|(stands, _)| *stands).map(|(_, kind)| kind)
    }

    /// Whether the answer says that nothing was found. Such an answer may still list what others liked.
    fn is_empty(&self) -> bool {
        if self.total.is_some_and(|total| total > 0) && self.records > 0 {
            return false;
        }
        let learned = self.emptiness.is_some_and(|share| share >= 0.5);
        let fits = (self.records >= 3 || self.in_place) && self.hits >= Some(0.5);
        if !learned && (fits || self.in_place && self.emptiness == Some(0.0)) {
            return false;
        }
        match (self.total == Some(0) || self.kinds.no_results.holds(), learned) {
            (true, _) => true,
            (false, learned) => learned && !fits,
        }
    }
}
