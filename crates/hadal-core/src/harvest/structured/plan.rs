//! Ways to split a slice that overflows, and their costs.
//!
//! Choices are split value by value (slice-cover), ranges at quantiles of the values seen so far (rank-shrink), as
//! in Sheng et al. 2012. Let `N` be the records of the slice, `c` the result cap, and `s` the share of a part, so
//! that the part has `n = N s` records.
//!
//! - Share of a value that `k > 0` of `K` seen records have: `s = (1 - u) k / K`. Values not seen yet share `u`
//!   equally. `u` is the Good-Turing estimate `(f1 + 0.5) / (K + 1)`, at most 0.9, where `f1` is the number of values
//!   seen once.
//! - Share of a part of a range that holds `k` of `K` seen records, with `m` parts: `s = (k + 0.5) / (K + 0.5 m)`.
//! - Expected new records of a part with `k` known records: `min(n, c) (1 - k / n) f`, where `f` is the share of new
//!   records among those that the answer to the slice did not show.
//! - Cost of a plan in queries: the sum over parts of `1 - exp(-n)`, the probability that the part is not empty,
//!   plus `1.5 n / c` for each part with `n > c`, which is split again.

use super::inputs::{InputKind, SearchInputs};
use super::range::{RangeInput, RangePart};
use super::slice::{BoundValue, Slice};
use super::value_table::{ValueRow, ValueTable};

/// Intended records of a part of a range, as a share of the cap. Guess.
const FILL: f64 = 0.75;
/// Largest number of parts of a range in one split. Guess.
const MAX_PARTS: usize = 64;
/// Seen records needed for each part of a range. Guess.
const RECORDS_PER_PART: usize = 4;
/// Least number of records in order for an answer to count as sorted. Guess.
const MIN_SORTED: usize = 20;
/// Queries that a slice above the cap takes, per cap of records. Guess.
const QUERIES_PER_CAP: f64 = 1.5;

/// A way to split a slice by one input.
#[derive(Clone, Debug, PartialEq)]
pub struct SlicePlan {
    /// Index of the input that the parts bind, or bind to a smaller range.
    pub input: usize,
    /// Parts, most expected new records first.
    pub parts: Vec<SlicePart>,
    /// Expected number of queries.
    pub cost: f64,
}

/// A part of a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlicePart {
    /// Value of the input.
    pub bound: BoundValue,
    /// Estimated share of the slice's records.
    pub share: f64,
    /// Number of its records that were seen.
    pub known: f64,
}

/// Size of a slice, and the part of it that one answer shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceSize {
    /// Number of records, stated or estimated.
    pub records: f64,
    /// True if the form states this number exactly.
    pub is_stated: bool,
    /// Result cap: maximum number of records that one answer shows.
    pub cap: f64,
    /// Estimated share of new records among those that the slice's answer did not show.
    pub new_share: f64,
}

impl SliceSize {
    /// Expected new records of a part. The last term orders parts that are otherwise equal.
    pub fn expected_new(&self, part: &SlicePart) -> f64 {
        let records = self.records * part.share;
        let unseen = if records > part.known { 1.0 - part.known / records } else { 0.0 };
        records.min(self.cap) * unseen * self.new_share + 1e-6 * part.share
    }
}

/// Knowledge about a slice when it is split.
pub struct SliceEvidence<'a> {
    /// Size of the slice.
    pub size: SliceSize,
    /// Rows of its records that any answer showed.
    pub seen: Vec<&'a ValueRow>,
    /// Rows of its own answer in order.
    pub answer: &'a [ValueRow],
}

/// Plans to split a slice by one input; `None` if that is impossible.
pub fn plan(
    inputs: &SearchInputs,
    values: &ValueTable,
    slice: &Slice,
    input: usize,
    evidence: &SliceEvidence<'_>,
) -> Option<SlicePlan> {
    let is_open = slice.bound(input).is_none();
    let mut parts = match (&inputs.list()[input].kind, slice.bound(input)) {
        (InputKind::Choice(picks), _) if is_open => {
            by_value(picks.len(), input, evidence, BoundValue::Offered)
        }
        (InputKind::Typed(..), _) if is_open => {
            by_value(values.learned(input).len(), input, evidence, BoundValue::Learned)
        }
        (InputKind::Range(range), None) => by_range(range, &RangePart::default(), input, evidence),
        (InputKind::Range(range), Some(BoundValue::Within(part))) => by_range(range, part, input, evidence),
        _ => return None,
    };
    let is_split = parts.len() > 1 || (is_open && !parts.is_empty());
    parts.sort_by(|a, b| evidence.size.expected_new(b).total_cmp(&evidence.size.expected_new(a)));
    is_split.then(|| SlicePlan { input, cost: cost(&parts, &evidence.size), parts })
}

fn cost(parts: &[SlicePart], size: &SliceSize) -> f64 {
    let queries = |part: &SlicePart| {
        let records = size.records * part.share;
        let later = if records > size.cap { QUERIES_PER_CAP * records / size.cap } else { 0.0 };
        1.0 - (-records).exp() + later
    };
    parts.iter().map(queries).sum()
}

fn by_value(
    values: usize,
    input: usize,
    evidence: &SliceEvidence<'_>,
    bound: fn(u32) -> BoundValue,
) -> Vec<SlicePart> {
    let mut counts = vec![0u32; values];
    for row in &evidence.seen {
        if let Some(count) = counts.get_mut(row[input] as usize).filter(|_| !row[input].is_nan()) {
            *count += 1;
        }
    }
    let shown: f64 = counts.iter().map(|count| f64::from(*count)).sum();
    let once = counts.iter().filter(|count| **count == 1).count() as f64;
    let never = counts.iter().filter(|count| **count == 0).count();
    let unshown = match never {
        0 => 0.0,
        _ if shown == 0.0 => 1.0,
        _ => ((once + 0.5) / (shown + 1.0)).min(0.9),
    };
    let share = |count: f64| match count {
        0.0 => unshown / never as f64,
        _ => (1.0 - unshown) * count / shown,
    };
    let part = |(nth, count): (usize, &u32)| {
        let known = f64::from(*count);
        SlicePart { bound: bound(nth as u32), share: share(known), known }
    };
    counts.iter().enumerate().map(part).collect()
}

fn by_range(
    range: &RangeInput,
    part: &RangePart,
    input: usize,
    evidence: &SliceEvidence<'_>,
) -> Vec<SlicePart> {
    let mut values: Vec<f64> = evidence
        .seen
        .iter()
        .map(|row| row[input])
        .filter(|value| part.holds(*value) && !value.is_nan())
        .collect();
    values.sort_by(f64::total_cmp);
    let step = if values.iter().all(|value| value.fract() == 0.0) { 1.0 } else { 0.01 };
    if let Some(rest) = after_sorted(range, part, input, evidence, step) {
        return rest;
    }
    let parts = range.split(part, &split_points(range, part, &values, &evidence.size, step), step);
    let count = |part: &RangePart| values.iter().filter(|value| part.holds(**value)).count() as f64;
    let all = values.len() as f64 + 0.5 * parts.len() as f64;
    let weigh = |part: &RangePart| SlicePart {
        bound: BoundValue::Within(*part),
        share: (count(part) + 0.5) / all,
        known: count(part),
    };
    parts.iter().map(weigh).collect()
}

/// Parts of an answer that is sorted by the input. Such an answer is complete up to its last record, so only the
/// range after it is missing.
fn after_sorted(
    range: &RangeInput,
    part: &RangePart,
    input: usize,
    evidence: &SliceEvidence<'_>,
    step: f64,
) -> Option<Vec<SlicePart>> {
    let values: Vec<f64> = evidence.answer.iter().map(|row| row[input]).collect();
    let (first, last) = (*values.first()?, *values.last()?);
    let is_rising = values.windows(2).all(|pair| pair[0] <= pair[1]);
    let is_falling = values.windows(2).all(|pair| pair[0] >= pair[1]);
    if !range.is_free() || values.len() < MIN_SORTED || !(is_rising || is_falling) || first == last {
        return None;
    }
    let edge = if is_rising { last } else { last + step };
    let parts = range.split(part, &[edge], step);
    let (rest, done) = if is_rising { (parts.get(1)?, &parts[0]) } else { (&parts[0], parts.get(1)?) };
    let share = (1.0 - values.len() as f64 / evidence.size.records).max(0.01);
    let bound = |part: &RangePart| BoundValue::Within(*part);
    let done = SlicePart { bound: bound(done), share: 1.0 - share, known: f64::INFINITY };
    Some(vec![SlicePart { bound: bound(rest), share, known: 0.0 }, done])
}

/// Values at which to split a range, chosen so that parts fit under the cap if unseen records are spread like seen
/// ones.
fn split_points(
    range: &RangeInput,
    part: &RangePart,
    values: &[f64],
    size: &SliceSize,
    step: f64,
) -> Vec<f64> {
    let wanted = ((size.records / (FILL * size.cap)).ceil() as usize).clamp(2, MAX_PARTS);
    let cells = range.max_parts(part);
    if cells.is_some_and(|cells| wanted * 5 >= cells * 3 || values.len() < 2 * RECORDS_PER_PART) {
        return range.edges();
    }
    if values.len() < 2 * RECORDS_PER_PART || values.first() == values.last() {
        let around = values.first().map(|value| vec![*value, value + step]);
        return around.unwrap_or_else(|| vec![range.middle(part)]);
    }
    let wanted = wanted.min(values.len() / RECORDS_PER_PART).max(2);
    let quantiles: Vec<f64> = (1..wanted).map(|nth| values[nth * values.len() / wanted]).collect();
    let mut cuts = quantiles.clone();
    // A value that fills several quantiles becomes a part of its own.
    cuts.extend(quantiles.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0] + step));
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    if cuts == [values[0]] { vec![values[0] + step] } else { cuts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn inputs() -> SearchInputs {
        let html = "<form><select name=make><option value=''>Any<option>Ford<option>Opel<option>Saab</select>
            <input name=price_min><input name=price_max></form>";
        SearchInputs::of(
            &crate::html::parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap()).forms[0],
        )
    }

    fn planned(rows: &[ValueRow], input: usize, records: f64) -> SlicePlan {
        let inputs = inputs();
        let size = SliceSize { records, is_stated: true, cap: 10.0, new_share: 1.0 };
        let at = SliceEvidence { size, seen: rows.iter().collect(), answer: rows };
        plan(&inputs, &ValueTable::new(&inputs), &Slice::default(), input, &at).unwrap()
    }

    fn rows(values: impl Iterator<Item = (f64, f64)>) -> Vec<ValueRow> {
        values.map(|(make, price)| ValueRow::from([make, price])).collect()
    }

    #[test]
    fn frequent_values_come_first_and_unseen_ones_get_a_small_share() {
        let seen = rows((0..9).map(|nth| (f64::from(nth % 3 / 2), 1.0)));
        let plan = planned(&seen, 0, 90.0);
        let order: Vec<BoundValue> = plan.parts.iter().map(|part| part.bound).collect();
        assert_eq!(order, [BoundValue::Offered(0), BoundValue::Offered(1), BoundValue::Offered(2)]);
        assert!(plan.parts[2].share > 0.0 && plan.parts[2].share < 0.1);
        let all: f64 = plan.parts.iter().map(|part| part.share).sum();
        assert!((all - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ranges_are_split_into_parts_of_equal_size() {
        let seen = rows((0..40).map(|nth| (0.0, f64::from(nth * 7 % 40 * 10))));
        let plan = planned(&seen, 1, 30.0);
        assert_eq!(plan.parts.len(), 4);
        assert!(plan.parts.iter().all(|part| part.known == 10.0), "{:?}", plan.parts);
    }

    #[test]
    fn a_sorted_answer_is_continued_where_it_ends() {
        let seen = rows((0..30).map(|nth| (0.0, f64::from(nth))));
        let plan = planned(&seen, 1, 300.0);
        assert_eq!(plan.parts[0].bound, BoundValue::Within(RangePart { low: Some(29.0), high: None }));
        assert!(plan.parts[1].known.is_infinite());
    }
}
