//! Slices that overflow, cut until they fit.
//!
//! [`Tree::open`] begins with an answer, [`Tree::next`] is the part that promises most new records, and
//! [`Tree::take`] learns from what came back: a part that overflows is cut again, by the input for which
//! that seems cheapest; inputs that make no difference are given up.

use super::census::{Census, Row};
use super::group::Group;
use super::inputs::{InputKind, Inputs};
use super::plan::{Evidence, Plan, Size, plan};
use super::slice::Slice;
use super::template::Templates;
use crate::harvest::policy::cap::Cap;
use crate::harvest::policy::{Asked, End, Total};
use crate::harvest::query::Query;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;
use xxhash_rust::xxh3::xxh3_64;

/// Parts that wait at most; what would be more is left out.
const MOST_WAITING: usize = 200_000;
/// Answers shorter than this are never taken to be cut off.
const LEAST: usize = 5;
/// Slices without records that are narrowed further, when nothing was found at all.
const MOST_EMPTY: usize = 8;
/// Inputs that are bound in the hope that a form answers at all.
const DEEPEST_HOPE: usize = 3;
/// The share of a slice that must be unclaimed before it is cut once more, by another input.
const REMAINDER: f64 = 0.05;

/// Slices of one form.
pub struct Tree {
    inputs: Inputs,
    census: Census,
    templates: Templates,
    cap: Cap,
    longest: usize,
    groups: Vec<Group>,
    asked: FxHashSet<u64>,
    empty: Vec<Slice>,
    found: u64,
}

/// How an answer relates to the slice it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fullness {
    Whole,
    /// It may be whole.
    Doubtful,
    Over,
}

impl Tree {
    /// Nothing asked yet.
    pub fn new(inputs: Inputs) -> Tree {
        Tree {
            census: Census::new(&inputs),
            inputs,
            templates: Templates::default(),
            cap: Cap::default(),
            longest: 0,
            groups: Vec::new(),
            asked: FxHashSet::default(),
            empty: Vec::new(),
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
        let mut best: Vec<&Group> = self.groups.iter().collect();
        best.sort_by(|a, b| b.promise().total_cmp(&a.promise()));
        let told = |group: &&Group| Some((self.query(&group.next_slice()?), group.promise()));
        best.iter().take(most).filter_map(told).collect()
    }

    /// Begins with an answer that was asked for elsewhere: to nothing at all, or to words.
    pub fn open(&mut self, answer: &Asked<'_>) {
        let slice = Slice::of_words(&answer.query.words);
        self.asked.insert(hash(answer.query));
        self.learn(slice, answer, 0.0);
        self.tidy();
    }

    /// Takes in the answer to a part. Says whether it was one that waited.
    pub fn take(&mut self, answer: &Asked<'_>) -> bool {
        let Some(at) = self.waiting_for(answer.query) else { return false };
        let group = &mut self.groups[at];
        let Some(slice) = group.next_slice() else { return false };
        let (expected, narrowed) = (group.expected(), group.signature);
        let records = answer.total.map_or(answer.hits.len() as f64, |total| total.count() as f64);
        group.take(records, answer.hits.iter().any(|hit| hit.is_new));
        self.asked.insert(hash(answer.query));
        let template = slice.template();
        let is_dull = self.templates.learn(template, signature(answer), narrowed);
        self.learn(slice, answer, expected);
        if is_dull {
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
        let asks = |group: &Group| group.next_slice().is_some_and(|slice| self.query(&slice) == *query);
        let best = self.best().filter(|at| asks(&self.groups[*at]));
        best.or_else(|| self.groups.iter().position(asks))
    }

    fn query(&self, slice: &Slice) -> Query {
        slice.query(&self.inputs, |input| self.census.learned(input))
    }

    fn learn(&mut self, slice: Slice, answer: &Asked<'_>, expected: f64) {
        let rows = self.census.take(&self.inputs, &slice, answer.hits);
        self.cap.learn(answer);
        let fullness = self.fullness(&slice, answer);
        self.longest = self.longest.max(rows.len());
        self.found += answer.hits.iter().filter(|hit| hit.is_new).count() as u64;
        if rows.is_empty() && self.empty.len() < MOST_EMPTY {
            self.empty.push(slice.clone());
        }
        // Words are not worth a doubt: others come after them.
        if fullness == Fullness::Over || fullness == Fullness::Doubtful && slice.words.is_empty() {
            let size = self.size(&slice, answer, expected);
            self.cut(&slice, size, fullness == Fullness::Doubtful, signature(answer), &rows, 0);
        }
    }

    fn fullness(&self, slice: &Slice, answer: &Asked<'_>) -> Fullness {
        let shown = answer.hits.len();
        let is_cut = match answer.total {
            Some(Total::Exactly(total)) => total > shown as u64,
            Some(Total::About(total)) => total as f64 > 1.1 * shown as f64,
            None => false,
        };
        let at_cap = self.cap.known().is_some_and(|cap| shown >= cap as usize);
        let is_round = shown.is_multiple_of(50) && shown >= LEAST;
        let may_be_cut = shown >= self.longest.max(LEAST) && (answer.total.is_none() || is_round);
        let is_all_of_it = slice.bounds.is_empty() && shown == 0;
        if (is_cut || at_cap || answer.end != End::Last) && shown > 0 {
            Fullness::Over
        } else if may_be_cut || is_all_of_it || self.unbound_fixed(slice).next().is_some() {
            Fullness::Doubtful
        } else {
            Fullness::Whole
        }
    }

    /// Inputs of which something is always chosen, and nothing was by us.
    fn unbound_fixed<'a>(&'a self, slice: &'a Slice) -> impl Iterator<Item = usize> + 'a {
        let inputs = self.inputs.list().iter().enumerate();
        inputs.filter(|(at, input)| input.is_fixed && slice.bound(*at).is_none()).map(|(at, _)| at)
    }

    fn size(&self, slice: &Slice, answer: &Asked<'_>, expected: f64) -> Size {
        let shown = answer.hits.len() as f64;
        let cap = self.cap.known().map_or(self.longest as f64, f64::from).max(shown).max(1.0);
        match answer.total {
            Some(total) if total.count() as f64 > shown => {
                let is_told = matches!(total, Total::Exactly(_));
                Size { records: total.count() as f64, is_told, cap }
            }
            // Of the whole nothing is known; of a part at least what it was taken for.
            _ if *slice == Slice::default() => Size { records: 20.0 * cap, is_told: false, cap },
            _ => Size { records: expected.max(2.0 * shown), is_told: false, cap },
        }
    }

    /// Cuts a slice in the cheapest way, inputs already tried for it left out.
    fn cut(
        &mut self,
        slice: &Slice,
        size: Size,
        is_doubtful: bool,
        signature: u64,
        answer: &[Row],
        tried: u64,
    ) {
        let at = Evidence { size, seen: self.census.matching(slice, answer), answer };
        let fixed: Vec<usize> = self.unbound_fixed(slice).collect();
        let is_eligible = |input: &usize| {
            let is_next = fixed.is_empty() || fixed.contains(input);
            let template = slice.template() | 1 << input;
            is_next && tried & 1 << input == 0 && self.templates.is_informative(template)
        };
        let inputs = (0..self.inputs.list().len()).filter(is_eligible);
        let plans = inputs.filter_map(|input| plan(&self.inputs, &self.census, slice, input, &at));
        let mut plans: Vec<Plan> = plans.filter_map(|plan| self.unasked(slice, plan)).collect();
        plans.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        // As long as nothing answers, every input is worth a try.
        plans.truncate(if self.found == 0 { plans.len() } else { 1 });
        for plan in plans {
            let waiting: usize = self.groups.iter().map(Group::waiting).sum();
            if waiting + plan.parts.len() <= MOST_WAITING {
                self.groups.push(Group::new(slice.clone(), plan, size, is_doubtful, signature));
            }
        }
    }

    /// A plan without the parts that were asked; `None` when all were.
    fn unasked(&self, slice: &Slice, mut plan: Plan) -> Option<Plan> {
        let is_asked = |bound| self.asked.contains(&hash(&self.query(&slice.narrowed(plan.input, bound))));
        plan.parts.retain(|part| !is_asked(part.bound));
        (!plan.parts.is_empty()).then_some(plan)
    }

    /// Cuts in another way what was cut by a template that makes no difference.
    fn abandon(&mut self, template: u64) {
        let gone: Vec<Group> = self.groups.extract_if(.., |group| group.template() == template).collect();
        for group in gone {
            self.cut(&group.slice, group.size, group.is_doubtful, group.signature, &[], 1 << group.input);
        }
    }

    fn tidy(&mut self) {
        loop {
            let over: Vec<Group> = self.groups.extract_if(.., |group| group.is_over()).collect();
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
    fn cut_remainder(&mut self, group: &Group) {
        let is_typed = matches!(self.inputs.list()[group.input].kind, InputKind::Typed(..));
        let left = group.unclaimed().unwrap_or(0.0);
        let is_much = group.waiting() == 0 && left > REMAINDER * group.size.records;
        if is_much || is_typed {
            let size = Size { records: if is_much { left } else { group.size.records }, ..group.size };
            let tried = if is_typed { 0 } else { 1 << group.input };
            self.cut(&group.slice, size, group.is_doubtful, group.signature, &[], tried);
        }
    }

    /// A form that answers to no single input may want several.
    fn narrow_empty(&mut self) {
        let size = Size { records: 20.0, is_told: false, cap: 20.0 };
        for slice in std::mem::take(&mut self.empty) {
            if (1..DEEPEST_HOPE).contains(&slice.bounds.len()) {
                self.cut(&slice, size, true, xxh3_64(&[]), &[], 0);
            }
        }
    }
}

/// Which records an answer holds, whatever their order.
fn signature(answer: &Asked<'_>) -> u64 {
    let mut ids: Vec<u64> = answer.hits.iter().map(|hit| hit.id.0).collect();
    ids.sort_unstable();
    let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

fn hash(query: &Query) -> u64 {
    FxBuildHasher.hash_one(query)
}
