//! Capture history: the number of captures of each record, and features for a size estimate.
//!
//! Answers are ranked and queries are chosen, so no classic capture-recapture estimator holds by itself. Several are
//! computed as features, and [`calibration`](super::calibration) combines them. With `S` seen records and `f_k` records
//! captured exactly `k` times:
//!
//! | feature | formula |
//! |---|---|
//! | 0 | 1 |
//! | 1 | `ln((new + 0.5) / (again + 1))`, odds of a new record in the latest answers |
//! | 2 | `ln((f_1 * (f_1 - 1) / (2 * (f_2 + 1)) + 0.5) / S)`, Chao's lower bound of unseen per seen record |
//! | 3 | `ln((f_1 + 0.5) / S)` |
//!
//! The latest answers are those of the last one or two spans. A span ends when its answers held
//! [`SPAN_SHARE`] of the seen records. Of the distinct records in these answers, `new` were new and `again`
//! were seen before. Distinct records are counted, because a form with a fixed ranking repeats some records
//! in every answer.
//!
//! The added 0.5 keeps the logarithms finite. All features decrease while answers repeat seen records and bring no new
//! one.

use super::latest_answers::LatestAnswers;
use crate::harvest::policy::result_cap::ResultCap;
use crate::harvest::policy::{QueryOutcome, ReadingEnd};
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;

/// Maximum number of records with counted captures. Guess; limits memory.
const MAX_RECORDS: usize = 20_000_000;

/// Least number of answers with records for features. Guess.
const MIN_ANSWERS: u32 = 4;

/// Least number of seen records for features. Guess.
const MIN_SEEN: f64 = 20.0;

/// Least number of records captured more than once for features. Guess.
const MIN_RECAPTURED: f64 = 3.0;

/// Distinct records of a span per seen record. Guess.
const SPAN_SHARE: f64 = 0.25;

/// Number of features.
pub const FEATURES: usize = 4;

/// Captures of all records, and the latest spans.
#[derive(Default)]
pub struct CaptureHistory {
    records: FxHashMap<RecordId, CapturedRecord>,
    /// `f_1`, `f_2`.
    frequencies: [u64; 2],
    cap: ResultCap,
    /// Answers that held records.
    answers: u32,
    /// Answers among them that did not show all matching records.
    cut_answers: u32,
    spans: Vec<CaptureSpan>,
    latest: LatestAnswers,
}

/// A seen record.
#[derive(Default)]
struct CapturedRecord {
    captures: u8,
    /// Number of the span that held the record last, from 1.
    last_span: u32,
}

/// Distinct records of the answers of one span.
#[derive(Clone, Copy, Default)]
struct CaptureSpan {
    new: u64,
    again: u64,
}

impl CaptureSpan {
    fn records(&self) -> u64 {
        self.new + self.again
    }
}

impl CaptureHistory {
    /// Counts an answer. Returns true if it is complete, that is, holds all matching records.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) -> bool {
        self.cap.learn(answer);
        let is_complete = self.is_complete(answer);
        if answer.hits.is_empty() {
            return is_complete;
        }
        if self.spans.last().is_none_or(|span| self.is_long(span)) {
            self.spans.push(CaptureSpan::default());
        }
        self.compare(answer);
        answer.hits.iter().for_each(|hit| self.capture(hit.id));
        self.answers += 1;
        self.cut_answers += u32::from(!is_complete);
        is_complete
    }

    fn is_long(&self, span: &CaptureSpan) -> bool {
        span.records() as f64 >= SPAN_SHARE * self.records.len() as f64
    }

    /// Counts a capture.
    fn capture(&mut self, id: RecordId) {
        let number = self.spans.len() as u32;
        if self.records.len() >= MAX_RECORDS && !self.records.contains_key(&id) {
            return;
        }
        let record = self.records.entry(id).or_default();
        let before = usize::from(record.captures);
        record.captures = record.captures.saturating_add(1);
        let is_first_of_span = std::mem::replace(&mut record.last_span, number) != number;
        if let Some(span) = self.spans.last_mut().filter(|_| is_first_of_span) {
            *if before == 0 { &mut span.new } else { &mut span.again } += 1;
        }
        if (1..=2).contains(&before) {
            self.frequencies[before - 1] -= 1;
        }
        if before < 2 {
            self.frequencies[before] += 1;
        }
    }

    /// Counts the new and the seen records of an answer to words that no result cap cut off.
    fn compare(&mut self, answer: &QueryOutcome<'_>) {
        if answer.query.words.is_empty() || self.is_at_cap(answer) {
            return;
        }
        let seen = answer.hits.iter().filter(|hit| self.records.contains_key(&hit.id)).count();
        self.latest.add((answer.hits.len() - seen) as u64, seen as u64);
    }

    fn is_at_cap(&self, answer: &QueryOutcome<'_>) -> bool {
        self.cap.value().is_some_and(|cap| answer.hits.len() as u64 >= u64::from(cap))
    }

    /// The latest answers to words.
    pub fn latest(&self) -> &LatestAnswers {
        &self.latest
    }

    fn is_complete(&self, answer: &QueryOutcome<'_>) -> bool {
        let shown = answer.hits.len() as u64;
        let at_cap = self.is_at_cap(answer);
        let is_below_total = answer.total.is_some_and(|total| total.count() > shown);
        let is_whole = answer.query.after == 0 && answer.end == ReadingEnd::LastPage;
        is_whole && !at_cap && !is_below_total
    }

    /// `S`: number of seen records.
    pub fn seen(&self) -> usize {
        self.records.len()
    }

    /// True if most answers were cut off by a known result cap.
    pub fn is_cut_off(&self) -> bool {
        self.cap.value().is_some() && 2 * self.cut_answers > self.answers
    }

    /// The features of the module's table, or `None` with too few answers or captures.
    pub fn features(&self) -> Option<[f64; FEATURES]> {
        let seen = self.records.len() as f64;
        let [once, twice] = self.frequencies.map(|records| records as f64);
        if seen < MIN_SEEN || seen - once < MIN_RECAPTURED || self.answers < MIN_ANSWERS {
            return None;
        }
        let latest = &self.spans[self.spans.len().saturating_sub(2)..];
        let new: u64 = latest.iter().map(|span| span.new).sum();
        let again: u64 = latest.iter().map(|span| span.again).sum();
        let chao = once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
        Some([
            1.0,
            ((new as f64 + 0.5) / (again as f64 + 1.0)).ln(),
            ((chao + 0.5) / seen).ln(),
            ((once + 0.5) / seen).ln(),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::Hit;
    use crate::harvest::query::Query;

    fn learn(history: &mut CaptureHistory, ids: impl Iterator<Item = u64>) {
        let query = Query::words("sea");
        let hit = |id| Hit { id: RecordId(id), is_new: false, title: "", text: "", fields: &[] };
        let hits: Vec<Hit<'_>> = ids.map(hit).collect();
        let end = ReadingEnd::LastPage;
        history.learn(&QueryOutcome { query: &query, hits: &hits, total: None, pages: 1, end });
    }

    #[test]
    fn the_odds_of_a_new_record_fall_while_only_seen_records_come() {
        let mut history = CaptureHistory::default();
        let mut odds = Vec::new();
        for round in 0..40 {
            learn(&mut history, (0..20).map(|at| (round * 7 + at) % 100));
            odds.extend(history.features().map(|features| features[1]));
        }
        assert!(odds.first() > odds.last() && odds[odds.len() - 1] < -4.0, "{odds:?}");
    }

    #[test]
    fn records_that_every_answer_repeats_count_once() {
        let mut history = CaptureHistory::default();
        learn(&mut history, 0..100);
        (0..50).for_each(|_| learn(&mut history, 0..10));
        let span = history.spans.last().unwrap();
        assert_eq!((span.new, span.again), (0, 10));
    }
}
