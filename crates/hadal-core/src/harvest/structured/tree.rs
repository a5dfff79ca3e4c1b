//! Slices that overflow, cut until they fit.
//!
//! [`SliceTree::open`] begins with an answer, [`SliceTree::next`] is the part that promises most new records, and
//! [`SliceTree::take`] learns from what came back: a part that overflows is cut again, by the input for which
//! that seems cheapest; inputs that make no difference are given up.

use super::inputs::{FormInputs, InputKind};
use super::overflow::{Completeness, OverflowDetector};
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

/// Parts that wait at most; what would be more is left out.
const MOST_WAITING: usize = 200_000;
/// Slices without records that are narrowed further, when nothing was found at all.
const MOST_EMPTY: usize = 8;
/// FormInputs that are bound in the hope that a form answers at all.
const DEEPEST_HOPE: usize = 3;
/// The share of a slice that must be unclaimed before it is cut once more, by another input.
const REMAINDER: f64 = 0.05;

/// Slices of one form.
pub struct SliceTree {
    inputs: FormInputs,
    values: ValueTable,
    templates: InputTemplates,
    limits: OverflowDetector,
    groups: Vec<SplitSlice>,
    asked: FxHashSet<u64>,
    empty: Vec<Slice>,
    /// The answer to everything at once.
    whole: Option<SliceAnswer>,
    found: u64,
}

impl SliceTree {
    /// Nothing asked yet.
    pub fn new(inputs: FormInputs) -> SliceTree {
        SliceTree {
            values: ValueTable::new(&inputs),
            inputs,
            templates: InputTemplates::default(),
            limits: OverflowDetector::default(),
            groups: Vec::new(),
            asked: FxHashSet::default(),
            empty: Vec::new(),
            whole: None,
            found: 0,
        }
    }

    /// The part to ask next, and the new records it promises.
    pub fn next(&self) -> Option<(Query, f64)> {
        let group = &self.groups[self.best()?];
        Some((self.query(&group.next_slice()?), group.promise()))
    }

    /// What promises most, best first, one part of each slice.
    pub fn outlook(&self, most: usize) -> Vec<(Query, f64)> {
        let mut best: Vec<&SplitSlice> = self.groups.iter().collect();
        best.sort_by(|a, b| b.promise().total_cmp(&a.promise()));
        let told = |group: &&SplitSlice| Some((self.query(&group.next_slice()?), group.promise()));
        best.iter().take(most).filter_map(told).collect()
    }

    /// Begins with an answer that was asked for elsewhere: to nothing at all, or to words.
    pub fn open(&mut self, answer: &QueryOutcome<'_>) {
        let slice = Slice::of_words(&answer.query.words);
        self.asked.insert(hash(answer.query));
        let expected = (!slice.words.is_empty()).then_some(0.0);
        self.learn(slice, answer, expected);
        self.tidy();
    }

    /// Takes in the answer to a part. Says whether it was one that waited.
    pub fn take(&mut self, answer: &QueryOutcome<'_>) -> bool {
        let Some(at) = self.waiting_for(answer.query) else { return false };
        let group = &mut self.groups[at];
        let Some(slice) = group.next_slice() else { return false };
        let (expected, narrowed) = (group.expected(), group.found.signature);
        let records = answer.total.map_or(answer.hits.len() as f64, |total| total.count() as f64);
        group.take(records, answer.hits.iter().any(|hit| hit.is_new));
        self.asked.insert(hash(answer.query));
        let template = slice.template();
        let is_judged = self.templates.learn(template, signature(answer), narrowed);
        self.learn(slice, answer, Some(expected));
        if is_judged {
            self.abandon(template);
        }
        self.tidy();
        true
    }

    fn best(&self) -> Option<usize> {
        let promises = self.groups.iter().enumerate().map(|(at, group)| (group.promise(), at));
        // Of equals the first.
        promises.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, at)| at)
    }

    fn waiting_for(&self, query: &Query) -> Option<usize> {
        let asks = |group: &SplitSlice| group.next_slice().is_some_and(|slice| self.query(&slice) == *query);
        let best = self.best().filter(|at| asks(&self.groups[*at]));
        best.or_else(|| self.groups.iter().position(asks))
    }

    fn query(&self, slice: &Slice) -> Query {
        slice.query(&self.inputs, |input| self.values.learned(input))
    }

    fn learn(&mut self, slice: Slice, answer: &QueryOutcome<'_>, expected: Option<f64>) {
        let rows = self.values.take(&self.inputs, &slice, answer.hits);
        let fullness = self.limits.learn(answer);
        self.found += answer.hits.iter().filter(|hit| hit.is_new).count() as u64;
        if rows.is_empty() && self.empty.len() < MOST_EMPTY {
            self.empty.push(slice.clone());
        }
        let is_nothing_at_all = slice == Slice::default() && rows.is_empty();
        let may_be_more = fullness == Completeness::Uncertain
            || is_nothing_at_all
            || self.unbound_fixed(&slice).next().is_some();
        // Words are not worth a doubt: others come after them.
        if fullness == Completeness::Overflowing || may_be_more && slice.words.is_empty() {
            let size = self.limits.size(answer, expected);
            let found = SliceAnswer {
                size,
                is_doubtful: fullness != Completeness::Overflowing,
                signature: signature(answer),
            };
            self.cut(&slice, &found, &rows, 0);
            self.whole = self.whole.or((slice == Slice::default()).then_some(found));
        }
    }

    /// FormInputs of which something is always chosen, and nothing was by us.
    fn unbound_fixed<'a>(&'a self, slice: &'a Slice) -> impl Iterator<Item = usize> + 'a {
        let inputs = self.inputs.list().iter().enumerate();
        inputs.filter(|(at, input)| input.is_fixed && slice.bound(*at).is_none()).map(|(at, _)| at)
    }

    /// Cuts a slice in the cheapest way, inputs already tried for it left out. Says whether there is one.
    fn cut(&mut self, slice: &Slice, found: &SliceAnswer, answer: &[ValueRow], tried: u64) -> bool {
        let at = SliceEvidence { size: found.size, seen: self.values.matching(slice, answer), answer };
        let fixed: Vec<usize> = self.unbound_fixed(slice).collect();
        let is_eligible = |input: &usize| {
            let is_next = fixed.is_empty() || fixed.contains(input);
            is_next && tried & 1 << input == 0 && self.verdict(slice, *input) != TemplateVerdict::Ignored
        };
        let inputs = (0..self.inputs.list().len()).filter(is_eligible);
        let plans = inputs.filter_map(|input| plan(&self.inputs, &self.values, slice, input, &at));
        let mut plans: Vec<SlicePlan> = plans.filter_map(|plan| self.unasked(slice, plan)).collect();
        let verdict = |plan: &SlicePlan| self.verdict(slice, plan.input);
        plans.sort_by(|a, b| verdict(a).cmp(&verdict(b)).then(a.cost.total_cmp(&b.cost)));
        // As long as nothing answers, every input is worth a try.
        plans.truncate(if self.found == 0 { plans.len() } else { 1 });
        let is_cut = !plans.is_empty();
        plans.into_iter().for_each(|plan| self.add(SplitSlice::new(slice.clone(), plan, found)));
        is_cut
    }

    fn add(&mut self, group: SplitSlice) {
        let waiting: usize = self.groups.iter().map(SplitSlice::waiting).sum();
        if waiting + group.waiting() <= MOST_WAITING {
            self.groups.push(group);
        }
    }

    fn verdict(&self, slice: &Slice, input: usize) -> TemplateVerdict {
        self.templates.verdict(slice.template() | 1 << input)
    }

    /// A plan without the parts that were asked; `None` when all were.
    fn unasked(&self, slice: &Slice, mut plan: SlicePlan) -> Option<SlicePlan> {
        let is_asked = |bound| self.asked.contains(&hash(&self.query(&slice.narrowed(plan.input, bound))));
        plan.parts.retain(|part| !is_asked(part.bound));
        (!plan.parts.is_empty()).then_some(plan)
    }

    /// Cuts in another way what was cut by a template that is not informative; where there is no other
    /// way and it is only dull, it goes on.
    fn abandon(&mut self, template: u64) {
        let gone: Vec<SplitSlice> =
            self.groups.extract_if(.., |group| group.template() == template).collect();
        for group in gone {
            let is_cut = self.cut(&group.slice, &group.found, &[], 1 << group.input);
            self.cut_whole(group.input);
            if !is_cut && self.templates.verdict(template) == TemplateVerdict::Dull {
                self.add(group);
            }
        }
    }

    /// An input that is mostly empty together with others may be fine alone.
    fn cut_whole(&mut self, input: usize) {
        let Some(whole) = self.whole else { return };
        let others = !(1 << input);
        if !self.templates.is_tried(1 << input) {
            self.cut(&Slice::default(), &whole, &[], others);
        }
    }

    fn tidy(&mut self) {
        loop {
            let over: Vec<SplitSlice> = self.groups.extract_if(.., |group| group.is_over()).collect();
            over.iter().for_each(|group| self.cut_remainder(group));
            if self.groups.is_empty() && self.found == 0 {
                self.narrow_empty();
            }
            match self.best() {
                Some(at) if self.is_asked_next(at) => self.groups[at].skip(),
                Some(at) if self.groups[at].is_over() => {}
                _ => return,
            }
        }
    }

    /// The same part may have been asked on another way.
    fn is_asked_next(&self, at: usize) -> bool {
        let next = self.groups[at].next_slice();
        next.is_some_and(|slice| self.asked.contains(&hash(&self.query(&slice))))
    }

    /// Records may lack every value of an input, and boxes have values that were learned meanwhile.
    fn cut_remainder(&mut self, group: &SplitSlice) {
        let is_typed = matches!(self.inputs.list()[group.input].kind, InputKind::Typed(..));
        let is_much = |left: f64| left > REMAINDER * group.found.size.records;
        let is_missing = group.unclaimed().map_or(is_typed, is_much);
        if group.waiting() == 0 && is_missing {
            let records = group.unclaimed().unwrap_or(group.found.size.records);
            let found = SliceAnswer { size: SliceSize { records, ..group.found.size }, ..group.found };
            self.cut(&group.slice, &found, &[], if is_typed { 0 } else { 1 << group.input });
        }
    }

    /// A form that answers to no single input may want several.
    fn narrow_empty(&mut self) {
        let size = SliceSize { records: 20.0, is_told: false, cap: 20.0, fresh: 1.0 };
        let found = SliceAnswer { size, is_doubtful: true, signature: xxh3_64(&[]) };
        for slice in std::mem::take(&mut self.empty) {
            if (1..DEEPEST_HOPE).contains(&slice.bounds.len()) {
                self.cut(&slice, &found, &[], 0);
            }
        }
    }
}

/// Which records an answer holds, whatever their order.
fn signature(answer: &QueryOutcome<'_>) -> u64 {
    let mut ids: Vec<u64> = answer.hits.iter().map(|hit| hit.id.0).collect();
    ids.sort_unstable();
    let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

fn hash(query: &Query) -> u64 {
    FxBuildHasher.hash_one(query)
}
