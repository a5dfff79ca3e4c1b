//! A slice that was split, with the parts that were not queried yet.

use super::plan::{SlicePart, SlicePlan, SliceSize};
use super::slice::Slice;

/// Consecutive parts without a new record after which a slice of uncertain completeness counts as complete. Guess.
const MAX_PARTS_WITHOUT_NEW: u32 = 5;

/// Result of the query for a slice that may overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceAnswer {
    /// Size of the slice.
    pub size: SliceSize,
    /// True while nothing proves that the slice has more records than its answer showed.
    pub is_uncertain: bool,
    /// Hash of the records in its answer.
    pub signature: u64,
}

/// A slice that was split by one input.
#[derive(Clone, Debug)]
pub struct SplitSlice {
    /// Slice that was split.
    pub slice: Slice,
    /// Index of the input by which it was split.
    pub input: usize,
    /// Result of its own query.
    pub answer: SliceAnswer,
    /// Parts after the next one.
    parts: std::vec::IntoIter<SlicePart>,
    next: Option<SlicePart>,
    /// Records of the slice minus those of all queried parts.
    left: f64,
    /// Sum of the shares of the parts not queried yet.
    share_left: f64,
    /// Consecutive parts without a new record.
    parts_without_new: u32,
}

impl SplitSlice {
    /// Starts to query a slice part by part.
    pub fn new(slice: Slice, plan: SlicePlan, answer: &SliceAnswer) -> SplitSlice {
        let mut parts = plan.parts.into_iter();
        let next = parts.next();
        let left = answer.size.records;
        SplitSlice {
            slice,
            input: plan.input,
            answer: *answer,
            parts,
            next,
            left,
            share_left: 1.0,
            parts_without_new: 0,
        }
    }

    /// Next part to query.
    pub fn next_slice(&self) -> Option<Slice> {
        self.next.map(|part| self.slice.narrowed(self.input, part.bound))
    }

    /// Expected records of the next part.
    pub fn expected_records(&self) -> f64 {
        self.next.map_or(0.0, |part| self.scaled_size().records * part.share)
    }

    /// Expected new records of the next part.
    pub fn expected_new(&self) -> f64 {
        self.next.map_or(0.0, |part| self.scaled_size().expected_new(&part))
    }

    /// Template of the parts.
    pub fn template(&self) -> u64 {
        self.slice.template() | 1 << self.input
    }

    /// Number of parts not queried yet.
    pub fn waiting(&self) -> usize {
        self.parts.len() + usize::from(self.next.is_some())
    }

    /// Records in none of the queried parts; `None` if the size is an estimate or the parts overlap.
    pub fn unfound(&self) -> Option<f64> {
        (self.answer.size.is_stated && !self.overlaps()).then_some(self.left.max(0.0))
    }

    /// Skips the next part.
    pub fn skip(&mut self) {
        self.share_left -= self.next.map_or(0.0, |part| part.share);
        self.next = self.parts.next();
    }

    /// Learns the number of records of the next part, and whether some were new, and moves on.
    pub fn learn(&mut self, records: f64, has_new: bool) {
        self.left -= records;
        self.parts_without_new = if has_new { 0 } else { self.parts_without_new + 1 };
        self.answer.is_uncertain &= !has_new;
        self.skip();
    }

    /// True if no further part is expected to return records.
    pub fn is_finished(&self) -> bool {
        let is_complete = self.unfound().is_some_and(|left| left < 0.5);
        self.next.is_none()
            || is_complete
            || (self.answer.is_uncertain && self.parts_without_new >= MAX_PARTS_WITHOUT_NEW)
    }

    /// True if the parts have more records than the slice, because records have several values. 1 % and one record are
    /// tolerated; guess.
    fn overlaps(&self) -> bool {
        self.left < -0.01 * self.answer.size.records - 1.0
    }

    /// Size of the slice at which the parts not queried yet have their estimated shares.
    fn scaled_size(&self) -> SliceSize {
        match self.unfound() {
            Some(left) => SliceSize { records: left / self.share_left.max(1e-9), ..self.answer.size },
            None => self.answer.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::structured::slice::BoundValue;

    fn split(is_stated: bool, is_uncertain: bool) -> SplitSlice {
        let part = |nth| SlicePart { bound: BoundValue::Offered(nth), share: 0.1, known: 0.0 };
        let plan = SlicePlan { input: 0, parts: (0..10).map(part).collect(), cost: 10.0 };
        let size = SliceSize { records: 100.0, is_stated, cap: 50.0, new_share: 1.0 };
        SplitSlice::new(Slice::default(), plan, &SliceAnswer { size, is_uncertain, signature: 0 })
    }

    #[test]
    fn records_of_queried_parts_are_not_expected_again() {
        let mut split = split(true, false);
        split.learn(55.0, true);
        assert!((split.expected_records() - 5.0).abs() < 1e-9);
        split.learn(45.0, true);
        assert!(split.is_finished(), "all records were found");
    }

    #[test]
    fn overlapping_parts_do_not_reduce_each_other() {
        let mut split = split(true, false);
        split.learn(80.0, true);
        split.learn(80.0, true);
        assert_eq!(split.unfound(), None);
        assert!(!split.is_finished() && (split.expected_records() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn an_uncertain_slice_ends_when_nothing_new_comes() {
        let mut split = split(false, true);
        (0..4).for_each(|_| split.learn(3.0, false));
        assert!(!split.is_finished());
        split.learn(3.0, false);
        assert!(split.is_finished());
    }
}
