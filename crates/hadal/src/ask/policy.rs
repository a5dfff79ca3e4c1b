//! A policy that asks one thing, reads one page, and is done.

use hadal_core::harvest::policy::{Asked, Costs, Policy};
use hadal_core::harvest::query::Query;

/// The one question, until it was answered.
pub struct OneQuestion(pub Option<Query>);

impl Policy for OneQuestion {
    fn choose(&mut self, _: &Costs) -> Option<Query> {
        self.0.clone()
    }

    fn goes_on(&self, _: &Asked<'_>, _: &Costs) -> bool {
        false
    }

    fn learn(&mut self, _: &Asked<'_>) {
        self.0 = None;
    }

    fn outlook(&self, _: &Costs, _: usize) -> Vec<(Query, f64)> {
        self.0.iter().map(|query| (query.clone(), 1.0)).collect()
    }
}
