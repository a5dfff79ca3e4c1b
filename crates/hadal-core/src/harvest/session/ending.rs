//! Endings of a harvest, and the failures in a row that lead to one.

use crate::harvest::answer::AnswerKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Consecutive failed queries that end a harvest. Guess.
const MAX_FAILURES: u32 = 5;

/// Reason why a harvest ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HarvestEnding {
    /// The wanted coverage is reached.
    Covered,
    /// The wanted number of records is reached.
    Enough,
    /// Recent and expected requests return too few new records.
    Unprofitable,
    /// No query is left.
    NothingLeft,
    /// All answers are the same: the form does not search.
    SameAnswers,
    /// The form no longer exists.
    Gone,
    /// The site shows answers only after login.
    LoginWall,
    /// The site requires a captcha.
    Captcha,
    /// The site limits the request rate.
    RateLimited,
    /// The site does not answer, or several answers in a row are errors.
    Errors,
    /// robots.txt forbids the form.
    Forbidden,
    /// The form stores queries as entries or messages: it does not search.
    EntryStored,
    /// The policy repeatedly asked to continue answers that are not paused: an error in the policy.
    PolicyFailed,
}

impl HarvestEnding {
    /// Returns the name used in tables and exports.
    pub fn name(self) -> &'static str {
        match self {
            HarvestEnding::Covered => "covered",
            HarvestEnding::Enough => "enough",
            HarvestEnding::Unprofitable => "unprofitable",
            HarvestEnding::NothingLeft => "nothing_left",
            HarvestEnding::SameAnswers => "alike",
            HarvestEnding::Gone => "gone",
            HarvestEnding::LoginWall => "login_wall",
            HarvestEnding::Captcha => "captcha",
            HarvestEnding::RateLimited => "rate_limited",
            HarvestEnding::Errors => "errors",
            HarvestEnding::Forbidden => "forbidden",
            HarvestEnding::EntryStored => "taken_in",
            HarvestEnding::PolicyFailed => "policy_failed",
        }
    }
}

impl fmt::Display for HarvestEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HarvestEnding::Covered => "the wanted coverage is reached",
            HarvestEnding::Enough => "the wanted number of records is reached",
            HarvestEnding::Unprofitable => "too few new records per request",
            HarvestEnding::NothingLeft => "no query is left",
            HarvestEnding::SameAnswers => "all answers are the same: the server does not search",
            HarvestEnding::Gone => "the form no longer exists",
            HarvestEnding::LoginWall => "the site shows answers only after login",
            HarvestEnding::Captcha => "the site requires a captcha",
            HarvestEnding::RateLimited => "the site limits the request rate; try again later",
            HarvestEnding::Errors => "the site does not answer or returns errors",
            HarvestEnding::Forbidden => "robots.txt forbids the form",
            HarvestEnding::EntryStored => "the form stored the query as an entry: it does not search",
            HarvestEnding::PolicyFailed => {
                "internal error: the query policy kept asking for pages of unknown answers; please report it"
            }
        })
    }
}

/// Consecutive failed queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FailureStreak {
    failures: u32,
    /// Failures with status 404 or 410.
    gone: u32,
}

impl FailureStreak {
    /// Ends the streak after a query that succeeded.
    pub fn reset(&mut self) {
        *self = FailureStreak::default();
    }

    /// Adds a failed query. Returns the ending after [`MAX_FAILURES`], or at once if the form stored the query.
    pub fn add(&mut self, kind: AnswerKind, status: u16) -> Option<HarvestEnding> {
        if kind == AnswerKind::EntryStored {
            return Some(HarvestEnding::EntryStored);
        }
        self.failures += 1;
        self.gone += u32::from(matches!(status, 404 | 410));
        (self.failures >= MAX_FAILURES).then_some(match kind {
            AnswerKind::LoginWall => HarvestEnding::LoginWall,
            AnswerKind::Captcha => HarvestEnding::Captcha,
            AnswerKind::RateLimited => HarvestEnding::RateLimited,
            _ if self.gone == self.failures => HarvestEnding::Gone,
            _ => HarvestEnding::Errors,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_in_a_row_end_a_harvest_with_their_kind() {
        let mut failures = FailureStreak::default();
        for _ in 0..4 {
            assert_eq!(failures.add(AnswerKind::Error, 404), None);
        }
        assert_eq!(failures.add(AnswerKind::Error, 404), Some(HarvestEnding::Gone));
        failures.reset();
        assert_eq!(failures.add(AnswerKind::Captcha, 200), None);
        assert_eq!(failures.add(AnswerKind::EntryStored, 200), Some(HarvestEnding::EntryStored), "at once");
    }
}
