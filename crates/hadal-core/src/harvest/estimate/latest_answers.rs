//! Share of new records in the latest answers.
//!
//! Query words come from seen records, so every answer repeats at least one seen record. One seen record per
//! answer is therefore left out. Answers that a result cap cut are left out too, because their ranking may
//! prefer seen records. Of the other records of the latest answers, `new` are new and `again` were seen
//! before. The share of all records that is not seen is estimated as
//!
//! ```text
//! unseen     = (new + 0.5) / (new + again + 1)
//! half_width = 1.645 * sqrt(unseen * (1 - unseen) / (new + again + 1))
//! ```
//!
//! A policy prefers words with many new records, so `unseen` is biased upwards. Therefore it replaces an estimate only
//! if both contradict each other.

use super::SizeEstimate;
use std::collections::VecDeque;

/// Maximum number of records of the latest answers that are kept. Guess: 5 new ones are expected at a
/// coverage of 0.95.
const MAX_EVIDENCE: u64 = 100;

/// Least number of records that may contradict an estimate. Guess.
const MIN_EVIDENCE: u64 = 30;

/// Half-width of the interval of `unseen` in standard deviations: nine of ten values of a normal
/// distribution.
const HALF_WIDTH: f64 = 1.645;

/// New and seen records of one answer.
#[derive(Clone, Copy, Default)]
struct AnswerCount {
    new: u64,
    again: u64,
}

impl AnswerCount {
    fn records(&self) -> u64 {
        self.new + self.again
    }
}

/// The latest answers that hold [`MAX_EVIDENCE`] records.
#[derive(Default)]
pub struct LatestAnswers {
    answers: VecDeque<AnswerCount>,
    sum: AnswerCount,
}

impl LatestAnswers {
    /// Adds the answer to a word with its numbers of new and of seen records.
    pub fn add(&mut self, new: u64, seen: u64) {
        let answer = AnswerCount { new, again: seen.saturating_sub(1) };
        self.sum = AnswerCount { new: self.sum.new + answer.new, again: self.sum.again + answer.again };
        self.answers.push_back(answer);
        while let Some(first) = self.answers.front().copied()
            && self.sum.records() - first.records() >= MAX_EVIDENCE
        {
            self.sum = AnswerCount { new: self.sum.new - first.new, again: self.sum.again - first.again };
            self.answers.pop_front();
        }
    }

    /// Corrects an estimate that claims more coverage than the latest answers allow.
    ///
    /// If `1 - unseen + half_width` is below the coverage interval, returns the size `seen / (1 - unseen)`
    /// with the upper end `seen / (1 - unseen - half_width)` and the lower end of `estimate`. Otherwise
    /// returns `estimate`.
    pub fn corrected(&self, estimate: SizeEstimate) -> SizeEstimate {
        if self.sum.records() < MIN_EVIDENCE {
            return estimate;
        }
        let records = self.sum.records() as f64 + 1.0;
        let share = (self.sum.new as f64 + 0.5) / records;
        let half_width = HALF_WIDTH * (share * (1.0 - share) / records).sqrt();
        if 1.0 - (share - half_width) >= estimate.coverage.low {
            return estimate;
        }
        let seen = estimate.seen as f64;
        let size = |unseen: f64| seen / (1.0 - unseen).max(1.0 / records);
        SizeEstimate::of(seen, [estimate.size.low, size(share), size(share + half_width)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> SizeEstimate {
        SizeEstimate::of(300.0, [300.0, 310.0, 340.0])
    }

    #[test]
    fn answers_that_hold_only_the_record_of_the_word_are_no_evidence() {
        let mut latest = LatestAnswers::default();
        (0..20).for_each(|_| latest.add(2, 2));
        (0..500).for_each(|_| latest.add(0, 1));
        let corrected = latest.corrected(claim());
        assert!(corrected.coverage.low < 0.34 && corrected.coverage.estimate < 0.4, "{corrected:?}");
        assert_eq!(corrected.coverage.high, claim().coverage.high);
    }

    #[test]
    fn answers_of_seen_records_confirm_an_estimate() {
        let mut latest = LatestAnswers::default();
        assert_eq!(latest.corrected(claim()), claim(), "no answer is known");
        latest.add(200, 0);
        assert!(latest.corrected(claim()).coverage.low < 0.1);
        (0..12).for_each(|_| latest.add(0, 10));
        assert_eq!(latest.corrected(claim()), claim(), "the first answer is too long ago");
    }
}
