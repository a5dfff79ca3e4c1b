//! How a slice that overflows can be cut, and what that would cost.
//!
//! Choices are cut value by value (slice-cover), ranges where the records seen so far suggest parts that
//! fit under the cap (rank-shrink); Sheng et al. 2012. The shares of values that no record has shown yet
//! are guessed from those shown once (Good-Turing).

use super::inputs::{FormInputs, InputKind};
use super::range::{RangeInput, RangePart};
use super::slice::{BoundValue, Slice};
use super::value_table::{ValueRow, ValueTable};

/// How full a part of a range should be.
const FILL: f64 = 0.75;
/// Parts of one cut.
const MOST_PARTS: usize = 64;
/// Records with known values behind each part.
const EVIDENCE: usize = 4;
/// Records in order before an answer is taken to be sorted.
const SORTED: usize = 20;
/// Queries that a slice over the cap takes for each capful.
const LATER: f64 = 1.5;

/// A way to cut a slice.
#[derive(Clone, Debug, PartialEq)]
pub struct SlicePlan {
    /// The input that is bound, or bound more closely.
    pub input: usize,
    /// The parts, most promising first.
    pub parts: Vec<SlicePart>,
    /// Queries it will take, about.
    pub cost: f64,
}

/// A part of a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlicePart {
    /// What the input is bound to.
    pub bound: BoundValue,
    /// Of the slice's records.
    pub share: f64,
    /// Records of it that are here already.
    pub known: f64,
}

/// How large a slice is, and how much of it one answer shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceSize {
    /// Its records.
    pub records: f64,
    /// Whether the form told so.
    pub is_told: bool,
    /// The most that an answer shows.
    pub cap: f64,
    /// The share of what its answer did not show that is new, as far as is known.
    pub fresh: f64,
}

impl SliceSize {
    /// New records that a part of it promises.
    pub fn promise(&self, part: &SlicePart) -> f64 {
        let records = self.records * part.share;
        let unseen = if records > part.known { 1.0 - part.known / records } else { 0.0 };
        records.min(self.cap) * unseen * self.fresh + 1e-6 * part.share
    }
}

/// What is known of a slice when it is cut.
pub struct SliceEvidence<'a> {
    /// Its size.
    pub size: SliceSize,
    /// Records of it that were seen, whatever brought them.
    pub seen: Vec<&'a ValueRow>,
    /// Its own answer in order.
    pub answer: &'a [ValueRow],
}

/// The way to cut a slice by one input, if there is one.
pub fn plan(
    inputs: &FormInputs,
    values: &ValueTable,
    slice: &Slice,
    input: usize,
    at: &SliceEvidence<'_>,
) -> Option<SlicePlan> {
    let is_open = slice.bound(input).is_none();
    let mut parts = match (&inputs.list()[input].kind, slice.bound(input)) {
        (InputKind::Choice(picks), _) if is_open => by_value(picks.len(), input, at, BoundValue::Offered),
        (InputKind::Typed(..), _) if is_open => {
            by_value(values.learned(input).len(), input, at, BoundValue::Learned)
        }
        (InputKind::Range(range), None) => by_range(range, &RangePart::default(), input, at),
        (InputKind::Range(range), Some(BoundValue::Within(part))) => by_range(range, part, input, at),
        _ => return None,
    };
    let is_cut = parts.len() > 1 || (is_open && !parts.is_empty());
    parts.sort_by(|a, b| at.size.promise(b).total_cmp(&at.size.promise(a)));
    is_cut.then(|| SlicePlan { input, cost: cost(&parts, &at.size), parts })
}

fn cost(parts: &[SlicePart], size: &SliceSize) -> f64 {
    let queries = |part: &SlicePart| {
        let records = size.records * part.share;
        let later = if records > size.cap { LATER * records / size.cap } else { 0.0 };
        1.0 - (-records).exp() + later
    };
    parts.iter().map(queries).sum()
}

fn by_value(
    values: usize,
    input: usize,
    at: &SliceEvidence<'_>,
    bound: fn(u32) -> BoundValue,
) -> Vec<SlicePart> {
    let mut counts = vec![0u32; values];
    for row in &at.seen {
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

fn by_range(range: &RangeInput, part: &RangePart, input: usize, at: &SliceEvidence<'_>) -> Vec<SlicePart> {
    let mut values: Vec<f64> =
        at.seen.iter().map(|row| row[input]).filter(|value| part.holds(*value) && !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    let step = if values.iter().all(|value| value.fract() == 0.0) { 1.0 } else { 0.01 };
    if let Some(rest) = behind_sorted(range, part, input, at, step) {
        return rest;
    }
    let parts = range.cut(part, &cuts(range, part, &values, &at.size, step), step);
    let count = |part: &RangePart| values.iter().filter(|value| part.holds(**value)).count() as f64;
    let all = values.len() as f64 + 0.5 * parts.len() as f64;
    let weigh = |part: &RangePart| SlicePart {
        bound: BoundValue::Within(*part),
        share: (count(part) + 0.5) / all,
        known: count(part),
    };
    parts.iter().map(weigh).collect()
}

/// An answer in the order of the input is whole up to its last record: only what lies behind is missing.
fn behind_sorted(
    range: &RangeInput,
    part: &RangePart,
    input: usize,
    at: &SliceEvidence<'_>,
    step: f64,
) -> Option<Vec<SlicePart>> {
    let values: Vec<f64> = at.answer.iter().map(|row| row[input]).collect();
    let (first, last) = (*values.first()?, *values.last()?);
    let is_rising = values.windows(2).all(|pair| pair[0] <= pair[1]);
    let is_falling = values.windows(2).all(|pair| pair[0] >= pair[1]);
    if !range.is_free() || values.len() < SORTED || !(is_rising || is_falling) || first == last {
        return None;
    }
    let edge = if is_rising { last } else { last + step };
    let parts = range.cut(part, &[edge], step);
    let (rest, done) = if is_rising { (parts.get(1)?, &parts[0]) } else { (&parts[0], parts.get(1)?) };
    let share = (1.0 - values.len() as f64 / at.size.records).max(0.01);
    let bound = |part: &RangePart| BoundValue::Within(*part);
    let done = SlicePart { bound: bound(done), share: 1.0 - share, known: f64::INFINITY };
    Some(vec![SlicePart { bound: bound(rest), share, known: 0.0 }, done])
}

/// Where to cut, so that parts fit under the cap as far as the values tell.
fn cuts(range: &RangeInput, part: &RangePart, values: &[f64], size: &SliceSize, step: f64) -> Vec<f64> {
    let wanted = ((size.records / (FILL * size.cap)).ceil() as usize).clamp(2, MOST_PARTS);
    let cells = range.most_parts(part);
    if cells.is_some_and(|cells| wanted * 5 >= cells * 3 || values.len() < 2 * EVIDENCE) {
        return range.edges();
    }
    if values.len() < 2 * EVIDENCE || values.first() == values.last() {
        let around = values.first().map(|value| vec![*value, value + step]);
        return around.unwrap_or_else(|| vec![range.middle(part)]);
    }
    let wanted = wanted.min(values.len() / EVIDENCE).max(2);
    let quantiles: Vec<f64> = (1..wanted).map(|nth| values[nth * values.len() / wanted]).collect();
    let mut cuts = quantiles.clone();
    // A value that many records share is cut out on both sides.
    cuts.extend(quantiles.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0] + step));
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    if cuts == [values[0]] { vec![values[0] + step] } else { cuts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn inputs() -> FormInputs {
        let html = "<form><select name=make><option value=''>Any<option>Ford<option>Opel<option>Saab</select>
            <input name=price_min><input name=price_max></form>";
        FormInputs::of(
            &crate::html::parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap()).forms[0],
        )
    }

    fn planned(rows: &[ValueRow], input: usize, records: f64) -> SlicePlan {
        let inputs = inputs();
        let size = SliceSize { records, is_told: true, cap: 10.0, fresh: 1.0 };
        let at = SliceEvidence { size, seen: rows.iter().collect(), answer: rows };
        plan(&inputs, &ValueTable::new(&inputs), &Slice::default(), input, &at).unwrap()
    }

    fn rows(values: impl Iterator<Item = (f64, f64)>) -> Vec<ValueRow> {
        values.map(|(make, price)| ValueRow::from([make, price])).collect()
    }

    #[test]
    fn values_seen_often_come_first_and_unseen_ones_share_a_little() {
        let seen = rows((0..9).map(|nth| (f64::from(nth % 3 / 2), 1.0)));
        let plan = planned(&seen, 0, 90.0);
        let order: Vec<BoundValue> = plan.parts.iter().map(|part| part.bound).collect();
        assert_eq!(order, [BoundValue::Offered(0), BoundValue::Offered(1), BoundValue::Offered(2)]);
        assert!(plan.parts[2].share > 0.0 && plan.parts[2].share < 0.1);
        let all: f64 = plan.parts.iter().map(|part| part.share).sum();
        assert!((all - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ranges_are_cut_into_parts_of_equal_promise() {
        let seen = rows((0..40).map(|nth| (0.0, f64::from(nth * 7 % 40 * 10))));
        let plan = planned(&seen, 1, 30.0);
        assert_eq!(plan.parts.len(), 4);
        assert!(plan.parts.iter().all(|part| part.known == 10.0), "{:?}", plan.parts);
    }

    #[test]
    fn a_sorted_answer_is_gone_on_with_where_it_ends() {
        let seen = rows((0..30).map(|nth| (0.0, f64::from(nth))));
        let plan = planned(&seen, 1, 300.0);
        assert_eq!(plan.parts[0].bound, BoundValue::Within(RangePart { low: Some(29.0), high: None }));
        assert!(plan.parts[1].known.is_infinite());
    }
}
