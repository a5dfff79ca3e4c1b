//! Whether an answer shows all of its slice, and how large the slice is if not.

use super::plan::SliceSize;
use crate::harvest::policy::result_cap::ResultCap;
use crate::harvest::policy::{QueryOutcome, ReadingEnd, StatedTotal};

/// Answers shorter than this are never taken to be cut off.
const LEAST: usize = 5;
/// Forms like to cut off at round numbers.
const ROUND: usize = 50;
/// Capfuls in a database of which nothing is known.
const CAPFULS: f64 = 20.0;

/// How an answer relates to the slice it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Completeness {
    /// It shows all of it.
    Complete,
    /// It may be whole.
    Uncertain,
    /// There is more.
    Overflowing,
}

/// What answers so far tell about the most that one shows.
#[derive(Default)]
pub struct OverflowDetector {
    cap: ResultCap,
    longest: usize,
}

impl OverflowDetector {
    /// Takes in an answer and says how full it is.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) -> Completeness {
        let shown = answer.hits.len();
        self.cap.learn(answer);
        let is_told = match answer.total {
            Some(StatedTotal::Exactly(total)) => total > shown as u64,
            Some(StatedTotal::About(total)) => total as f64 > 1.1 * shown as f64,
            None => false,
        };
        let at_cap = self.cap.value().is_some_and(|cap| shown >= cap as usize);
        let is_longest = shown >= self.longest.max(LEAST);
        self.longest = self.longest.max(shown);
        if shown > 0 && (is_told || at_cap || answer.end != ReadingEnd::LastPage) {
            Completeness::Overflowing
        } else if is_longest && (answer.total.is_none() || shown.is_multiple_of(ROUND)) {
            Completeness::Uncertain
        } else {
            Completeness::Complete
        }
    }

    /// The size of a slice that an answer does not show as a whole. `expected` is what it was taken for.
    pub fn size(&self, answer: &QueryOutcome<'_>, expected: Option<f64>) -> SliceSize {
        let shown = answer.hits.len() as f64;
        let cap = self.cap.value().map_or(self.longest as f64, f64::from).max(shown).max(1.0);
        let told = answer.total.filter(|total| total.count() as f64 > shown);
        let is_told = matches!(told, Some(StatedTotal::Exactly(_)));
        let guessed = expected.map_or(CAPFULS * cap, |expected| expected.max(2.0 * shown));
        // Words overlap with each other: what others brought up is as frequent behind the cap as before it.
        let new = answer.hits.iter().filter(|hit| hit.is_new).count() as f64;
        let fresh = if answer.query.words.is_empty() || shown == 0.0 { 1.0 } else { new / shown };
        SliceSize { records: told.map_or(guessed, |total| total.count() as f64), is_told, cap, fresh }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::Hit;
    use crate::harvest::query::Query;
    use crate::harvest::record::RecordId;

    fn told(limits: &mut OverflowDetector, shown: usize, total: Option<StatedTotal>) -> Completeness {
        let hit = Hit { id: RecordId(1), is_new: true, title: "", text: "", fields: &[] };
        let query = Query::default();
        limits.learn(&QueryOutcome {
            query: &query,
            hits: &vec![hit; shown],
            total,
            pages: 1,
            end: ReadingEnd::LastPage,
        })
    }

    #[test]
    fn a_total_tells_and_the_longest_answer_is_doubtful_without_one() {
        let mut limits = OverflowDetector::default();
        assert_eq!(told(&mut limits, 60, Some(StatedTotal::Exactly(61))), Completeness::Overflowing);
        assert_eq!(told(&mut limits, 59, Some(StatedTotal::Exactly(59))), Completeness::Complete);
        let mut limits = OverflowDetector::default();
        assert_eq!(told(&mut limits, 60, None), Completeness::Uncertain);
        assert_eq!(told(&mut limits, 59, None), Completeness::Complete);
        assert_eq!(told(&mut limits, 60, None), Completeness::Uncertain);
        assert_eq!(
            told(&mut limits, 60, None),
            Completeness::Overflowing,
            "three of one length are no chance"
        );
        assert_eq!(told(&mut limits, 0, None), Completeness::Complete);
    }

    #[test]
    fn a_round_number_may_be_a_cap_even_if_it_is_told_as_the_total() {
        assert_eq!(
            told(&mut OverflowDetector::default(), 1000, Some(StatedTotal::Exactly(1000))),
            Completeness::Uncertain
        );
        assert_eq!(
            told(&mut OverflowDetector::default(), 997, Some(StatedTotal::Exactly(997))),
            Completeness::Complete
        );
    }
}
