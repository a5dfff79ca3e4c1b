//! A policy that asks one thing, reads one page, and is done.

use hadal_core::harvest::policy::{Policy, QueryOutcome, RequestCosts};
use hadal_core::harvest::query::Query;

/// The one question, until it was answered.
pub struct OneQuestion(pub Option<Query>);

impl Policy for OneQuestion {
    fn choose(&mut self, _: &RequestCosts) -> Option<Query> {
        self.0.clone()
    }

    fn wants_next_page(&self, _: &QueryOutcome<'_>, _: &RequestCosts) -> bool {
        false
    }

    fn learn(&mut self, _: &QueryOutcome<'_>) {
        self.0 = None;
    }

    fn top_queries(&self, _: &RequestCosts, _: usize) -> Vec<(Query, f64)> {
        self.0.iter().map(|query| (query.clone(), 1.0)).collect()
    }
}
