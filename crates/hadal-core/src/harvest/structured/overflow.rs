//! Detects answers that show less than their slice holds, and estimates the size of such slices.

use super::plan::SliceSize;
use crate::harvest::policy::result_cap::ResultCap;
use crate::harvest::policy::{QueryOutcome, ReadingEnd, StatedTotal};

/// Shortest answer that may be cut off without evidence such as a total. Guess.
const MIN_CAPPED: usize = 5;
/// Result caps are often multiples of this. Guess.
const ROUND_NUMBER: usize = 50;
/// Assumed size of a slice of unknown size, in units of the result cap. Guess.
const UNKNOWN_SIZE_CAPS: f64 = 20.0;

/// Relation of an answer to its slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SliceCompleteness {
    /// The answer shows the whole slice.
    Complete,
    /// The answer may show the whole slice or be cut off.
    Uncertain,
    /// The slice holds more records than the answer shows.
    Overflowing,
}

/// Result cap and longest answer of a form, learned from its answers.
#[derive(Default)]
pub struct OverflowDetector {
    cap: ResultCap,
    longest: usize,
}

impl OverflowDetector {
    /// Learns from an answer and returns whether it is complete.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) -> SliceCompleteness {
        let shown = answer.hits.len();
        self.cap.learn(answer);
        let is_stated = match answer.total {
            Some(StatedTotal::Exactly(total)) => total > shown as u64,
            Some(StatedTotal::About(total)) => total as f64 > 1.1 * shown as f64,
            None => false,
        };
        let at_cap = self.cap.value().is_some_and(|cap| shown >= cap as usize);
        let is_longest = shown >= self.longest.max(MIN_CAPPED);
        self.longest = self.longest.max(shown);
        if shown > 0 && (is_stated || at_cap || answer.end != ReadingEnd::LastPage) {
            SliceCompleteness::Overflowing
        } else if is_longest && (answer.total.is_none() || shown.is_multiple_of(ROUND_NUMBER)) {
            SliceCompleteness::Uncertain
        } else {
            SliceCompleteness::Complete
        }
    }

    /// Estimates the size of a slice that its answer does not show completely. `expected` is the estimate before
    /// the answer, if there was one.
    pub fn size(&self, answer: &QueryOutcome<'_>, expected: Option<f64>) -> SliceSize {
        let shown = answer.hits.len() as f64;
        let cap = self.cap.value().map_or(self.longest as f64, f64::from).max(shown).max(1.0);
        let stated = answer.total.filter(|total| total.count() as f64 > shown);
        let is_stated = matches!(stated, Some(StatedTotal::Exactly(_)));
        let guessed = expected.map_or(UNKNOWN_SIZE_CAPS * cap, |expected| expected.max(2.0 * shown));
        // Slices of different words overlap. The share of known records is assumed equal above and below the cap.
        let new = answer.hits.iter().filter(|hit| hit.is_new).count() as f64;
        let new_share = if answer.query.words.is_empty() || shown == 0.0 { 1.0 } else { new / shown };
        SliceSize { records: stated.map_or(guessed, |total| total.count() as f64), is_stated, cap, new_share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::Hit;
    use crate::harvest::query::Query;
    use crate::harvest::record::RecordId;

    fn completeness(
        detector: &mut OverflowDetector,
        shown: usize,
        total: Option<StatedTotal>,
    ) -> SliceCompleteness {
        let hit = Hit { id: RecordId(1), is_new: true, title: "", text: "", fields: &[] };
        let query = Query::default();
        detector.learn(&QueryOutcome {
            query: &query,
            hits: &vec![hit; shown],
            total,
            pages: 1,
            end: ReadingEnd::LastPage,
        })
    }

    #[test]
    fn a_total_decides_and_without_one_the_longest_answer_is_uncertain() {
        let mut detector = OverflowDetector::default();
        assert_eq!(
            completeness(&mut detector, 60, Some(StatedTotal::Exactly(61))),
            SliceCompleteness::Overflowing
        );
        assert_eq!(
            completeness(&mut detector, 59, Some(StatedTotal::Exactly(59))),
            SliceCompleteness::Complete
        );
        let mut detector = OverflowDetector::default();
        assert_eq!(completeness(&mut detector, 60, None), SliceCompleteness::Uncertain);
        assert_eq!(completeness(&mut detector, 59, None), SliceCompleteness::Complete);
        assert_eq!(completeness(&mut detector, 60, None), SliceCompleteness::Uncertain);
        assert_eq!(
            completeness(&mut detector, 60, None),
            SliceCompleteness::Overflowing,
            "three answers of one length show the cap"
        );
        assert_eq!(completeness(&mut detector, 0, None), SliceCompleteness::Complete);
    }

    #[test]
    fn a_round_number_may_be_a_cap_even_if_it_is_stated_as_the_total() {
        assert_eq!(
            completeness(&mut OverflowDetector::default(), 1000, Some(StatedTotal::Exactly(1000))),
            SliceCompleteness::Uncertain
        );
        assert_eq!(
            completeness(&mut OverflowDetector::default(), 997, Some(StatedTotal::Exactly(997))),
            SliceCompleteness::Complete
        );
    }
}
