//! The parts of one slice that are still to be asked.

use super::plan::{SlicePart, SlicePlan, SliceSize};
use super::slice::Slice;

/// Parts in a row without a new record before a slice that may have been whole is taken to be.
const DOUBT: u32 = 5;

/// What the answer to a slice told about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceAnswer {
    /// Its size.
    pub size: SliceSize,
    /// Whether nothing proves that it is more than its answer showed.
    pub is_doubtful: bool,
    /// Which records its answer held.
    pub signature: u64,
}

/// A slice that was cut, and what of it is not asked yet.
#[derive(Clone, Debug)]
pub struct SplitSlice {
    /// The slice.
    pub slice: Slice,
    /// The input it is cut by.
    pub input: usize,
    /// What its own answer told.
    pub found: SliceAnswer,
    parts: std::vec::IntoIter<SlicePart>,
    next: Option<SlicePart>,
    /// Records and shares that no part asked so far has claimed.
    left: f64,
    share_left: f64,
    barren: u32,
}

impl SplitSlice {
    /// A slice about to be asked part by part.
    pub fn new(slice: Slice, plan: SlicePlan, found: &SliceAnswer) -> SplitSlice {
        let mut parts = plan.parts.into_iter();
        let next = parts.next();
        let left = found.size.records;
        SplitSlice { slice, input: plan.input, found: *found, parts, next, left, share_left: 1.0, barren: 0 }
    }

    /// The slice that is asked next.
    pub fn next_slice(&self) -> Option<Slice> {
        self.next.map(|part| self.slice.narrowed(self.input, part.bound))
    }

    /// The records that the next part is guessed to have.
    pub fn expected(&self) -> f64 {
        self.next.map_or(0.0, |part| self.rest().records * part.share)
    }

    /// The new records that the next part promises.
    pub fn promise(&self) -> f64 {
        self.next.map_or(0.0, |part| self.rest().promise(&part))
    }

    /// The inputs that its parts bind.
    pub fn template(&self) -> u64 {
        self.slice.template() | 1 << self.input
    }

    /// Parts that wait.
    pub fn waiting(&self) -> usize {
        self.parts.len() + usize::from(self.next.is_some())
    }

    /// Records that no part has claimed, where they can be counted.
    pub fn unclaimed(&self) -> Option<f64> {
        (self.found.size.is_told && !self.overlaps()).then_some(self.left.max(0.0))
    }

    /// Leaves out the next part: it was asked before.
    pub fn skip(&mut self) {
        self.share_left -= self.next.map_or(0.0, |part| part.share);
        self.next = self.parts.next();
    }

    /// Takes in how many records the next part has, and whether some were new.
    pub fn take(&mut self, records: f64, has_new: bool) {
        self.left -= records;
        self.barren = if has_new { 0 } else { self.barren + 1 };
        self.found.is_doubtful &= !has_new;
        self.skip();
    }

    /// Whether nothing more is expected of it.
    pub fn is_over(&self) -> bool {
        let is_claimed = self.unclaimed().is_some_and(|left| left < 0.5);
        self.next.is_none() || is_claimed || (self.found.is_doubtful && self.barren >= DOUBT)
    }

    /// Parts claim more than there is: records have several values.
    fn overlaps(&self) -> bool {
        self.left < -0.01 * self.found.size.records - 1.0
    }

    /// The size by which the shares of what is left are measured.
    fn rest(&self) -> SliceSize {
        match self.unclaimed() {
            Some(left) => SliceSize { records: left / self.share_left.max(1e-9), ..self.found.size },
            None => self.found.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::structured::slice::BoundValue;

    fn group(is_told: bool, is_doubtful: bool) -> SplitSlice {
        let part = |nth| SlicePart { bound: BoundValue::Offered(nth), share: 0.1, known: 0.0 };
        let plan = SlicePlan { input: 0, parts: (0..10).map(part).collect(), cost: 10.0 };
        let size = SliceSize { records: 100.0, is_told, cap: 50.0, fresh: 1.0 };
        SplitSlice::new(Slice::default(), plan, &SliceAnswer { size, is_doubtful, signature: 0 })
    }

    #[test]
    fn what_parts_claim_is_gone_for_the_others() {
        let mut group = group(true, false);
        group.take(55.0, true);
        assert!((group.expected() - 5.0).abs() < 1e-9);
        group.take(45.0, true);
        assert!(group.is_over(), "all records are claimed");
    }

    #[test]
    fn parts_that_overlap_claim_nothing_from_each_other() {
        let mut group = group(true, false);
        group.take(80.0, true);
        group.take(80.0, true);
        assert_eq!(group.unclaimed(), None);
        assert!(!group.is_over() && (group.expected() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn doubt_ends_when_nothing_new_comes() {
        let mut group = group(false, true);
        (0..4).for_each(|_| group.take(3.0, false));
        assert!(!group.is_over());
        group.take(3.0, false);
        assert!(group.is_over());
    }
}
