//! Splits slices that overflow until their parts fit under the result cap.
//!
//! [`SliceTree::start`] takes the answer to the first query. [`SliceTree::next`] returns the part with the most
//! expected new records. [`SliceTree::learn`] takes its answer: a part that overflows is split by the input with the
//! cheapest plan, and inputs that make no difference are abandoned.

use super::inputs::{InputKind, SearchInputs};
use super::overflow::{OverflowDetector, SliceCompleteness};
use super::plan::{SliceEvidence, SlicePlan, SliceSize, plan};
use super::slice::Slice;
use super::split::{SliceAnswer, SplitSlice};
use super::templates::{InputTemplates, TemplateVerdict};
use super::value_table::{ValueRow, ValueTable};
use crate::harvest::policy::QueryOutcome;
use crate::harvest::query::Query;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of parts that may wait for their queries; a split with more is dropped. Guess.
const MAX_WAITING: usize = 200_000;
/// Maximum number of slices without records that are kept to be narrowed further if no slice has records.
/// Guess.
const MAX_EMPTY: usize = 8;
/// Maximum number of inputs that are bound together, for a form that returns nothing for fewer. Guess.
const MAX_EMPTY_INPUTS: usize = 3;
/// Share of a slice that its parts must leave out before it is split again, by another input. Guess.
const MIN_REMAINDER: f64 = 0.05;

/// Slices of one form: those already queried, and those still to query.
pub struct SliceTree {
    inputs: SearchInputs,
    values: ValueTable,
    templates: InputTemplates,
    overflow: OverflowDetector,
    splits: Vec<SplitSlice>,
    /// Hashes of all queries sent.
    sent: FxHashSet<u64>,
    /// Slices without records.
    empty: Vec<Slice>,
    /// Result of the query for the whole database, if that was split.
    whole: Option<SliceAnswer>,
    /// Records of all answers that were new.
    new_records: u64,
}

impl SliceTree {
    /// Creates the tree of a form that was not queried yet.
    pub fn new(inputs: SearchInputs) -> SliceTree {
        SliceTree {
            values: ValueTable::new(&inputs),
            inputs,
            templates: InputTemplates::default(),
            overflow: OverflowDetector::default(),
            splits: Vec::new(),
            sent: FxHashSet::default(),
            empty: Vec::new(),
            whole: None,
            new_records: 0,
        }
    }

    /// Query for the next part, with its expected new records.
    pub fn next(&self) -> Option<(Query, f64)> {
        let split = &self.splits[self.best()?];
        Some((self.query(&split.next_slice()?), split.expected_new()))
    }

    /// Queries with the most expected new records, best first, one part of each slice.
    pub fn top_queries(&self, most: usize) -> Vec<(Query, f64)> {
        let mut best: Vec<&SplitSlice> = self.splits.iter().collect();
        best.sort_by(|a, b| b.expected_new().total_cmp(&a.expected_new()));
        let next = |split: &&SplitSlice| Some((self.query(&split.next_slice()?), split.expected_new()));
        best.iter().take(most).filter_map(next).collect()
    }

    /// Starts with the answer to a query without bound inputs.
    pub fn start(&mut self, answer: &QueryOutcome<'_>) {
        let slice = Slice::of_words(&answer.query.words);
        self.sent.insert(hash(answer.query));
        let expected = (!slice.words.is_empty()).then_some(0.0);
        self.learn_slice(slice, answer, expected);
        self.settle();
    }

    /// Learns from the answer to a part. Returns false if no such part was waiting.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) -> bool {
        let Some(at) = self.waiting_for(answer.query) else { return false };
        let split = &mut self.splits[at];
        let Some(slice) = split.next_slice() else { return false };
        let (expected, narrowed) = (split.expected_records(), split.answer.signature);
        let records = answer.total.map_or(answer.hits.len() as f64, |total| total.count() as f64);
        split.learn(records, answer.hits.iter().any(|hit| hit.is_new));
        self.sent.insert(hash(answer.query));
        let template = slice.template();
        let is_rejected = self.templates.learn(template, signature(answer), narrowed);
        self.learn_slice(slice, answer, Some(expected));
        if is_rejected {
            self.abandon(template);
        }
        self.settle();
        true
    }

    fn best(&self) -> Option<usize> {
        let expected = self.splits.iter().enumerate().map(|(at, split)| (split.expected_new(), at));
        // Among equals the first.
        expected.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, at)| at)
    }

    fn waiting_for(&self, query: &Query) -> Option<usize> {
        let asks = |split: &SplitSlice| split.next_slice().is_some_and(|slice| self.query(&slice) == *query);
        let best = self.best().filter(|at| asks(&self.splits[*at]));
        best.or_else(|| self.splits.iter().position(asks))
    }

    fn query(&self, slice: &Slice) -> Query {
        slice.query(&self.inputs, |input| self.values.learned(input))
    }

    fn learn_slice(&mut self, slice: Slice, answer: &QueryOutcome<'_>, expected: Option<f64>) {
        let rows = self.values.add(&self.inputs, &slice, answer.hits);
        let completeness = self.overflow.learn(answer);
        self.new_records += answer.hits.iter().filter(|hit| hit.is_new).count() as u64;
        if rows.is_empty() && self.empty.len() < MAX_EMPTY {
            self.empty.push(slice.clone());
        }
        let is_whole_empty = slice == Slice::default() && rows.is_empty();
        let may_be_more = completeness == SliceCompleteness::Uncertain
            || is_whole_empty
            || self.unbound_fixed(&slice).next().is_some();
        // An uncertain answer to words is not split: other words follow.
        if completeness == SliceCompleteness::Overflowing || may_be_more && slice.words.is_empty() {
            let size = self.overflow.size(answer, expected);
            let found = SliceAnswer {
                size,
                is_uncertain: completeness != SliceCompleteness::Overflowing,
                signature: signature(answer),
            };
            self.split(&slice, &found, &rows, 0);
            self.whole = self.whole.or((slice == Slice::default()).then_some(found));
        }
    }

    /// Inputs that always submit some value and that the slice does not bind.
    fn unbound_fixed<'a>(&'a self, slice: &'a Slice) -> impl Iterator<Item = usize> + 'a {
        let inputs = self.inputs.list().iter().enumerate();
        inputs.filter(|(at, input)| input.is_fixed && slice.bound(*at).is_none()).map(|(at, _)| at)
    }

    /// Splits a slice by the cheapest plan. `tried` is the template of inputs to leave out. Returns false if
    /// there is no plan.
    fn split(&mut self, slice: &Slice, found: &SliceAnswer, answer: &[ValueRow], tried: u64) -> bool {
        let evidence = SliceEvidence { size: found.size, seen: self.values.matching(slice, answer), answer };
        let fixed: Vec<usize> = self.unbound_fixed(slice).collect();
        let is_eligible = |input: &usize| {
            let is_next = fixed.is_empty() || fixed.contains(input);
            is_next && tried & 1 << input == 0 && self.verdict(slice, *input) != TemplateVerdict::Ignored
        };
        let inputs = (0..self.inputs.list().len()).filter(is_eligible);
        let plans = inputs.filter_map(|input| plan(&self.inputs, &self.values, slice, input, &evidence));
        let mut plans: Vec<SlicePlan> =
            plans.filter_map(|plan| self.without_queried_parts(slice, plan)).collect();
        let verdict = |plan: &SlicePlan| self.verdict(slice, plan.input);
        plans.sort_by(|a, b| verdict(a).cmp(&verdict(b)).then(a.cost.total_cmp(&b.cost)));
        // While no query has returned records, every input is tried.
        plans.truncate(if self.new_records == 0 { plans.len() } else { 1 });
        let is_split = !plans.is_empty();
        plans.into_iter().for_each(|plan| self.add(SplitSlice::new(slice.clone(), plan, found)));
        is_split
    }

    fn add(&mut self, split: SplitSlice) {
        let waiting: usize = self.splits.iter().map(SplitSlice::waiting).sum();
        if waiting + split.waiting() <= MAX_WAITING {
            self.splits.push(split);
        }
    }

    fn verdict(&self, slice: &Slice, input: usize) -> TemplateVerdict {
        self.templates.verdict(slice.template() | 1 << input)
    }

    /// Plan without the parts that were queried before; `None` if all were.
    fn without_queried_parts(&self, slice: &Slice, mut plan: SlicePlan) -> Option<SlicePlan> {
        let is_sent = |bound| self.sent.contains(&hash(&self.query(&slice.narrowed(plan.input, bound))));
        plan.parts.retain(|part| !is_sent(part.bound));
        (!plan.parts.is_empty()).then_some(plan)
    }

    /// Splits the slices of a rejected template by other inputs. If there is none and the template is not ignored,
    /// its split continues.
    fn abandon(&mut self, template: u64) {
        let gone: Vec<SplitSlice> =
            self.splits.extract_if(.., |split| split.template() == template).collect();
        for split in gone {
            let is_split = self.split(&split.slice, &split.answer, &[], 1 << split.input);
            self.split_whole(split.input);
            if !is_split && self.templates.verdict(template) == TemplateVerdict::Uninformative {
                self.add(split);
            }
        }
    }

    /// Splits the whole database by an input that was tried only together with others.
    fn split_whole(&mut self, input: usize) {
        let Some(whole) = self.whole else { return };
        let others = !(1 << input);
        if !self.templates.is_tried(1 << input) {
            self.split(&Slice::default(), &whole, &[], others);
        }
    }

    /// Removes finished splits, starts their follow-ups and skips parts that were queried before.
    fn settle(&mut self) {
        loop {
            let finished: Vec<SplitSlice> = self.splits.extract_if(.., |split| split.is_finished()).collect();
            finished.iter().for_each(|split| self.split_remainder(split));
            if self.splits.is_empty() && self.new_records == 0 {
                self.narrow_empty();
            }
            match self.best() {
                Some(at) if self.is_asked_next(at) => self.splits[at].skip(),
                Some(at) if self.splits[at].is_finished() => {}
                _ => return,
            }
        }
    }

    /// True if the next part of a split was queried before, as a part of another split.
    fn is_asked_next(&self, at: usize) -> bool {
        let next = self.splits[at].next_slice();
        next.is_some_and(|slice| self.sent.contains(&hash(&self.query(&slice))))
    }

    /// Splits the records that no part of a finished split contains: records without a value for the input, or with
    /// a value learned since.
    fn split_remainder(&mut self, split: &SplitSlice) {
        let is_typed = matches!(self.inputs.list()[split.input].kind, InputKind::Typed(..));
        let is_much = |left: f64| left > MIN_REMAINDER * split.answer.size.records;
        let is_missing = split.unfound().map_or(is_typed, is_much);
        if split.waiting() == 0 && is_missing {
            let records = split.unfound().unwrap_or(split.answer.size.records);
            let found = SliceAnswer { size: SliceSize { records, ..split.answer.size }, ..split.answer };
            self.split(&split.slice, &found, &[], if is_typed { 0 } else { 1 << split.input });
        }
    }

    /// Binds further inputs of slices without records, for forms that need several. The size is a guess.
    fn narrow_empty(&mut self) {
        let size = SliceSize { records: 20.0, is_stated: false, cap: 20.0, new_share: 1.0 };
        let found = SliceAnswer { size, is_uncertain: true, signature: xxh3_64(&[]) };
        for slice in std::mem::take(&mut self.empty) {
            if (1..MAX_EMPTY_INPUTS).contains(&slice.bounds.len()) {
                self.split(&slice, &found, &[], 0);
            }
        }
    }
}

/// Hash of the records of an answer, independent of their order.
fn signature(answer: &QueryOutcome<'_>) -> u64 {
    let mut ids: Vec<u64> = answer.hits.iter().map(|hit| hit.id.0).collect();
    ids.sort_unstable();
    let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

fn hash(query: &Query) -> u64 {
    FxBuildHasher.hash_one(query)
}
