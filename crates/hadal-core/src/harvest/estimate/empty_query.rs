//! The empty query: some forms return all records for it.
//!
//! Two kinds of evidence give the size of the database:
//!
//! - The stated total of the empty query. It counts once another query has a smaller total, because some forms state
//!   one total for every query.
//! - A complete answer to the empty query. Later answers test the claim that it held all records: if they
//!   return `again` distinct known records and no new one, at most a share `3 / again` of the records is
//!   unseen, with 95 % confidence (rule of three).

use crate::harvest::policy::{QueryOutcome, StatedTotal};
use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashSet;

/// Relative error of the stated total of the empty query: a form may count records that no query finds. Guess.
pub const TOTAL_ERROR: f64 = 0.02;

/// Least number of recaptured records before the claim counts. Guess; the coverage is then at least 80 %.
const MIN_RECAPTURED: usize = 15;

/// Maximum number of recaptured records that are remembered. Guess; limits memory.
const MAX_RECAPTURED: usize = 10_000;

/// Evidence from the empty query.
#[derive(Default)]
pub struct EmptyQueryEvidence {
    /// Exact stated total of the empty query.
    total: Option<u64>,
    /// Least exact total of any other query.
    least_other_total: Option<u64>,
    /// Records that came back after a complete answer to the empty query. `None` before it, and after a new record.
    recaptured: Option<FxHashSet<RecordId>>,
}

impl EmptyQueryEvidence {
    /// Learns from an answer to any query. `has_new` is true if it holds a new record.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>, is_complete: bool, has_new: bool) {
        let is_empty_query = *answer.query == Query::default();
        let is_continued_empty_query = Query { after: 0, ..answer.query.clone() } == Query::default();
        if let Some(StatedTotal::Exactly(total)) = answer.total {
            match is_continued_empty_query {
                true => self.total = Some(total),
                false => {
                    let least = self.least_other_total.map_or(total, |least| least.min(total));
                    self.least_other_total = Some(least);
                }
            }
        }
        if is_empty_query {
            if is_complete && !answer.hits.is_empty() {
                self.recaptured.get_or_insert_default();
            }
        } else if has_new {
            self.recaptured = None;
        } else if let Some(recaptured) = &mut self.recaptured {
            let room = MAX_RECAPTURED.saturating_sub(recaptured.len());
            recaptured.extend(answer.hits.iter().take(room).map(|hit| hit.id));
        }
    }

    /// Stated total of the empty query.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// Stated total of the empty query, if another query has a smaller one.
    pub fn confirmed_total(&self) -> Option<u64> {
        self.total.filter(|total| self.least_other_total.is_some_and(|least| least < *total))
    }

    /// Lower bound of the coverage, if the empty query seems to have returned all records.
    pub fn least_coverage(&self) -> Option<f64> {
        let recaptured = self.recaptured.as_ref().map(FxHashSet::len)?;
        (recaptured >= MIN_RECAPTURED).then(|| 1.0 - 3.0 / recaptured as f64)
    }
}
