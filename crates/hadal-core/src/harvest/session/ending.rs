//! Why a harvest ends.

use crate::harvest::answer::AnswerKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Answers in a row that show nothing but trouble before a harvest gives up.
const PATIENCE: u32 = 5;

/// Why a harvest ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HarvestEnding {
    /// As much as was wanted is here.
    Covered,
    /// As many records as were wanted are here.
    Enough,
    /// More requests would bring next to nothing.
    Unprofitable,
    /// There is nothing left to ask.
    NothingLeft,
    /// It answers every query alike: it does not search.
    Alike,
    /// The form is not there any more.
    Gone,
    /// It shows answers only to those who are logged in.
    LoginWall,
    /// It wants to see a person.
    Captcha,
    /// It wants to be asked less often than is sensible.
    RateLimited,
    /// It answers with errors.
    Errors,
    /// robots.txt forbids it.
    Forbidden,
    /// It takes in what is asked, as an entry or a message: it does not search.
    TakenIn,
    /// The policy kept asking to continue answers that the session does not hold.
    PolicyFailed,
}

impl HarvestEnding {
    /// The name in every table and export.
    pub fn name(self) -> &'static str {
        match self {
            HarvestEnding::Covered => "covered",
            HarvestEnding::Enough => "enough",
            HarvestEnding::Unprofitable => "unprofitable",
            HarvestEnding::NothingLeft => "nothing_left",
            HarvestEnding::Alike => "alike",
            HarvestEnding::Gone => "gone",
            HarvestEnding::LoginWall => "login_wall",
            HarvestEnding::Captcha => "captcha",
            HarvestEnding::RateLimited => "rate_limited",
            HarvestEnding::Errors => "errors",
            HarvestEnding::Forbidden => "forbidden",
            HarvestEnding::TakenIn => "taken_in",
            HarvestEnding::PolicyFailed => "policy_failed",
        }
    }
}

impl fmt::Display for HarvestEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HarvestEnding::Covered => "the coverage asked for is reached",
            HarvestEnding::Enough => "the number of records asked for is reached",
            HarvestEnding::Unprofitable => "more requests would bring next to nothing",
            HarvestEnding::NothingLeft => "there is nothing left to ask",
            HarvestEnding::Alike => "every query is answered alike: the form does not search",
            HarvestEnding::Gone => "the form is not there any more",
            HarvestEnding::LoginWall => "answers are shown only after logging in",
            HarvestEnding::Captcha => "the site wants to see a person",
            HarvestEnding::RateLimited => "the site wants to be asked less often; try again later",
            HarvestEnding::Errors => "the site answers with errors",
            HarvestEnding::Forbidden => "robots.txt forbids it",
            HarvestEnding::TakenIn => "the question was taken in as an entry: the form does not search",
            HarvestEnding::PolicyFailed => "the policy failed: it continues answers that are not known",
        })
    }
}

/// What went wrong, and how often in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trouble {
    in_a_row: u32,
    gone: u32,
}

impl Trouble {
    /// An answer came that answers.
    pub fn over(&mut self) {
        *self = Trouble::default();
    }

    /// One came that does not; the harvest ends when that is all there is, or when something was done by it.
    pub fn met(&mut self, kind: AnswerKind, status: u16) -> Option<HarvestEnding> {
        if kind == AnswerKind::TakenIn {
            return Some(HarvestEnding::TakenIn);
        }
        self.in_a_row += 1;
        self.gone += u32::from(matches!(status, 404 | 410));
        (self.in_a_row >= PATIENCE).then_some(match kind {
            AnswerKind::LoginWall => HarvestEnding::LoginWall,
            AnswerKind::Captcha => HarvestEnding::Captcha,
            AnswerKind::RateLimited => HarvestEnding::RateLimited,
            _ if self.gone == self.in_a_row => HarvestEnding::Gone,
            _ => HarvestEnding::Errors,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_in_a_row_ends_a_harvest_and_names_itself() {
        let mut trouble = Trouble::default();
        for _ in 0..4 {
            assert_eq!(trouble.met(AnswerKind::Error, 404), None);
        }
        assert_eq!(trouble.met(AnswerKind::Error, 404), Some(HarvestEnding::Gone));
        trouble.over();
        assert_eq!(trouble.met(AnswerKind::Captcha, 200), None);
        assert_eq!(trouble.met(AnswerKind::TakenIn, 200), Some(HarvestEnding::TakenIn), "at once");
    }
}
