//! A form that shows all its records when nothing is asked of it.
//!
//! That it showed all is a claim; later answers are the test. When so many records come again, of all that other
//! questions bring, and none is new, then nineteen times out of twenty at most three in as many are unseen (the rule
//! of three).

use crate::harvest::policy::QueryOutcome;
use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashSet;

/// Records that have to come again before anything is said.
const ENOUGH: usize = 15;

/// Records that are remembered; more say nothing more.
const MOST: usize = 10_000;

/// What came of asking for everything.
#[derive(Default)]
pub struct Listing {
    /// Records that came again since, once everything was shown and as long as nothing new comes.
    again: Option<FxHashSet<RecordId>>,
}

impl Listing {
    /// Takes in an answer, with whether it held all that match and whether any of it is new.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>, is_whole: bool, is_news: bool) {
        if *answer.query == Query::default() {
            if is_whole && !answer.hits.is_empty() {
                self.again.get_or_insert_default();
            }
        } else if is_news {
            self.again = None;
        } else if let Some(again) = &mut self.again {
            let room = MOST.saturating_sub(again.len());
            again.extend(answer.hits.iter().take(room).map(|hit| hit.id));
        }
    }

    /// The share of all records that is seen, at least: when there is reason to think that it is all of them.
    pub fn least_share(&self) -> Option<f64> {
        let again = self.again.as_ref().filter(|again| again.len() >= ENOUGH)?.len();
        Some(1.0 - 3.0 / again as f64)
    }
}
