//! Harvesting without words: through selects, ranges and boxes for values of one kind.
//!
//! 1. `inputs`, `pairs`, `wording`: what each control of a form is good for;
//! 2. `slice`: a part of the database, as a query for it; `range`: ranges cut into parts;
//! 3. `values`: what the records so far tell about the inputs;
//! 4. `limits`, `plan`, `group`, `tree`: a slice that overflows the cap is cut until its parts fit;
//! 5. `template`: inputs that make no difference are left alone.
//!
//! [`StructuredPolicy`] is the policy for forms that take no words; [`choose_policy`] says whether a harvest begins
//! with it.

mod control_words;
mod inputs;
mod number;
mod overflow;
mod plan;
mod range;
mod range_pairs;
mod slice;
mod split;
mod templates;
mod tree;
mod value_table;

pub use control_words::ValueKind;
pub use inputs::{FormInput, FormInputs, InputKind, InputValue};
pub use range::{RangeInput, RangePart};

use super::policy::RetryCounter;
use super::policy::{Policy, PolicyContext, QueryOutcome, RequestCosts, find_policy};
use super::query::Query;
use crate::critic::probe::query_field;
use crate::page::Form;
use tree::SliceTree;

/// The policy that a harvest of a form begins with: the named one where words can be typed, one that needs
/// none where they cannot. `None` when no policy has that name.
pub fn choose_policy(form: &Form, name: &str, context: &PolicyContext) -> Option<Box<dyn Policy>> {
    let named = find_policy(name)?;
    let inputs = FormInputs::of(form);
    let offers_values = inputs.list().iter().any(|input| !matches!(input.kind, InputKind::Typed(..)));
    Some(match query_field(form) {
        // A lone box for a city is asked with words: there is nothing that values could be learned from.
        Some(at) if !offers_values || !inputs.types_into(at) => named.make(context),
        _ => Box::new(StructuredPolicy::new(inputs)),
    })
}

/// Asks for everything first, then for parts of what was too much for one answer.
pub struct StructuredPolicy {
    tree: SliceTree,
    retries: RetryCounter,
    has_begun: bool,
}

impl StructuredPolicy {
    /// Has asked nothing yet.
    pub fn new(inputs: FormInputs) -> StructuredPolicy {
        StructuredPolicy { tree: SliceTree::new(inputs), retries: RetryCounter::default(), has_begun: false }
    }
}

impl Policy for StructuredPolicy {
    fn choose(&mut self, _costs: &RequestCosts) -> Option<Query> {
        if self.has_begun { self.tree.next().map(|(query, _)| query) } else { Some(Query::default()) }
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        if !self.retries.is_settled(answer) {
            return;
        }
        if !self.has_begun && *answer.query == Query::default() {
            self.has_begun = true;
            self.tree.open(answer);
        } else {
            self.tree.take(answer);
        }
    }

    fn top_queries(&self, _costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        match self.has_begun {
            true => self.tree.outlook(most),
            false => vec![(Query::default(), 0.0)],
        }
    }
}
