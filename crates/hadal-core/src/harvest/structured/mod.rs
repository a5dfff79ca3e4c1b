//! Harvesting forms without a box for words: through selects, ranges and boxes for values of one kind.
//!
//! [`StructuredPolicy`] first sends the form without any value. A slice with more records than one answer shows is
//! split into parts that are queried one by one, until every part fits (slice-cover and rank-shrink of Sheng et al.
//! 2012). [`choose_policy`] decides whether a harvest uses it.
//!
//! 1. `inputs`, `range_pairs`, `control_words`: find the inputs of a form, that is its usable fields.
//! 2. `slice`, `range`: turn a part of the database into a query, and split ranges.
//! 3. `value_table`: read the values of the inputs off the records seen so far.
//! 4. `overflow`, `plan`, `split`, `tree`: detect slices that overflow the result cap and split them.
//! 5. `templates`: find inputs that the server ignores.

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
pub use inputs::{InputKind, InputValue, SearchInput, SearchInputs};
pub use range::{RangeInput, RangePart};

use super::policy::RetryCounter;
use super::policy::{Policy, PolicyContext, PolicyEntry, QueryOutcome, RequestCosts};
use super::query::Query;
use crate::critic::probe::query_field;
use crate::page::Form;
use tree::SliceTree;

/// Policy for a harvest of `form`: a policy of `entry` if the form takes words, [`StructuredPolicy`] otherwise.
pub fn choose_policy(form: &Form, entry: &PolicyEntry, context: &PolicyContext) -> Box<dyn Policy> {
    let inputs = SearchInputs::of(form);
    let offers_values = inputs.list().iter().any(|input| !matches!(input.kind, InputKind::Typed(..)));
    match query_field(form) {
        // A form with nothing but a box for cities is queried with words: no other input brings up records from
        // which city names could be learned.
        Some(at) if !offers_values || !inputs.types_into(at) => entry.make(context),
        _ => Box::new(StructuredPolicy::new(inputs)),
    }
}

/// Queries the whole database first, then parts of every slice that one answer cannot show.
pub struct StructuredPolicy {
    tree: SliceTree,
    retries: RetryCounter,
    /// True once the query for the whole database was answered.
    has_begun: bool,
}

impl StructuredPolicy {
    /// Creates the policy for a form that was not queried yet.
    pub fn new(inputs: SearchInputs) -> StructuredPolicy {
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
            self.tree.start(answer);
        } else {
            self.tree.learn(answer);
        }
    }

    fn top_queries(&self, _costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        match self.has_begun {
            true => self.tree.top_queries(most),
            false => vec![(Query::default(), 0.0)],
        }
    }
}
