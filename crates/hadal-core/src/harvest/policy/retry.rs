//! Queries that failed are asked again, a few times.

use super::{QueryOutcome, ReadingEnd};
use crate::harvest::query::Query;
use rustc_hash::FxHashMap;

/// How often a query is asked that never comes back.
const TRIES: u8 = 3;

/// Counts of failures by query.
#[derive(Default)]
pub struct RetryCounter {
    failed: FxHashMap<Query, u8>,
}

impl RetryCounter {
    /// Whether a query is done with: it was answered, in part at least, or has failed too often.
    pub fn is_settled(&mut self, answer: &QueryOutcome<'_>) -> bool {
        if answer.end != ReadingEnd::Failed || !answer.hits.is_empty() {
            self.failed.remove(answer.query);
            return true;
        }
        let failed = self.failed.entry(answer.query.clone()).or_default();
        *failed += 1;
        let is_over = *failed >= TRIES;
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
    fn a_failed_query_is_given_three_tries() {
        let query = Query::words("sea");
        let answer = |end| QueryOutcome { query: &query, hits: &[], total: None, pages: 0, end };
        let mut retries = RetryCounter::default();
        assert_eq!([(); 3].map(|()| retries.is_settled(&answer(ReadingEnd::Failed))), [false, false, true]);
        assert!(retries.is_settled(&answer(ReadingEnd::LastPage)));
        assert!(!retries.is_settled(&answer(ReadingEnd::Failed)), "what came back starts anew");
    }
}
