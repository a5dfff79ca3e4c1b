//! The answer to one query, as policies and estimators see it.

use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;

/// A query and its answer. A continuation ([`Query::after`] > 0) holds only the pages read now.
#[derive(Clone, Debug)]
pub struct QueryOutcome<'a> {
    /// The query that was sent.
    pub query: &'a Query,
    /// Records in the order of the result pages.
    pub hits: &'a [Hit<'a>],
    /// Number of matches that the form states.
    pub total: Option<StatedTotal>,
    /// Number of result pages read.
    pub pages: u32,
    /// Reason why no further page was read.
    pub end: ReadingEnd,
}

impl QueryOutcome<'_> {
    /// Records of the answer up to the last page that was read, those before a continuation included.
    pub fn records_read(&self) -> u64 {
        u64::from(self.query.after) + self.hits.len() as u64
    }
}

/// One record in an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<'a> {
    /// Identity of the record across answers.
    pub id: RecordId,
    /// True if no earlier answer held the record.
    pub is_new: bool,
    /// Title in the result list.
    pub title: &'a str,
    /// All text of the record in this answer, including the title.
    pub text: &'a str,
    /// Labelled values, as (label, value).
    pub fields: &'a [(String, String)],
}

/// Number of matching records that a form states for a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum StatedTotal {
    /// A number without qualification.
    Exactly(u64),
    /// A rounded number or bound, as in "about 1,200" or "more than 500".
    About(u64),
}

impl StatedTotal {
    /// The stated number, exact or not.
    pub fn count(self) -> u64 {
        match self {
            StatedTotal::Exactly(count) | StatedTotal::About(count) => count,
        }
    }

    /// Rounding unit of a rounded number: 100 for "about 1,400", 1 for an exact number.
    fn rounding_unit(self) -> u64 {
        match self {
            StatedTotal::Exactly(_) | StatedTotal::About(0) => 1,
            StatedTotal::About(count) => {
                let zeros = (1..=count.ilog10()).take_while(|zeros| count.is_multiple_of(10u64.pow(*zeros)));
                10u64.pow(zeros.count() as u32)
            }
        }
    }

    /// Least number of matching records that the statement allows: half a rounding unit below a rounded number.
    pub fn least(self) -> u64 {
        match self {
            StatedTotal::Exactly(count) => count,
            StatedTotal::About(count) => count - (self.rounding_unit() / 2).min(count),
        }
    }

    /// Standard deviation of the logarithm of the true number, if rounding errors are uniform over one unit each way.
    pub fn log_error(self) -> f64 {
        match self {
            StatedTotal::Exactly(_) => 0.0,
            StatedTotal::About(count) => self.rounding_unit() as f64 / count.max(1) as f64 / 3f64.sqrt(),
        }
    }
}

/// Why the reading of an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ReadingEnd {
    /// The answer has no further page. It is complete or cut by the result cap.
    #[serde(rename = "Last")]
    LastPage,
    /// A further page exists and was not requested.
    #[serde(rename = "LeftOff")]
    Paused,
    /// A page could not be fetched.
    Failed,
}

/// Number of times a query that fails is sent. Guess.
const MAX_TRIES: u8 = 3;

/// Number of failures of each query that got no answer yet.
#[derive(Default)]
pub struct RetryCounter {
    failed: FxHashMap<Query, u8>,
}

impl RetryCounter {
    /// Returns true if the query is finished: it returned records, it ended without a failure, or it failed
    /// [`MAX_TRIES`] times. Returns false if it should be sent again.
    pub fn is_settled(&mut self, answer: &QueryOutcome<'_>) -> bool {
        if answer.end != ReadingEnd::Failed || !answer.hits.is_empty() {
            self.failed.remove(answer.query);
            return true;
        }
        let failures = self.failed.entry(answer.query.clone()).or_default();
        *failures += 1;
        let is_over = *failures >= MAX_TRIES;
        if is_over {
            self.failed.remove(answer.query);
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_total_has_a_rounding_error() {
        assert_eq!((StatedTotal::Exactly(1_400).least(), StatedTotal::About(1_400).least()), (1_400, 1_350));
        assert_eq!((StatedTotal::About(37).least(), StatedTotal::About(500).least()), (37, 450));
        assert_eq!(StatedTotal::Exactly(500).log_error(), 0.0);
        assert!(StatedTotal::About(500).log_error() > StatedTotal::About(1_450).log_error());
    }

    #[test]
    fn a_failed_query_is_sent_three_times() {
        let query = Query::words("sea");
        let answer = |end| QueryOutcome { query: &query, hits: &[], total: None, pages: 0, end };
        let mut retries = RetryCounter::default();
        let failed = answer(ReadingEnd::Failed);
        assert_eq!([(); 3].map(|()| retries.is_settled(&failed)), [false, false, true]);
        assert!(retries.is_settled(&answer(ReadingEnd::LastPage)));
        assert!(!retries.is_settled(&failed), "a success resets the count");
    }
}
