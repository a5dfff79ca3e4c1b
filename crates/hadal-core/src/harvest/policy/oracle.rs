//! The bound: greedy with the true answers. For evaluation only; nobody who harvests has them.

use super::{Policy, QueryOutcome, RequestCosts};
use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashSet;
use std::collections::BinaryHeap;

/// What a query brings up, in the order of its answer, the result cap applied.
pub type TrueAnswers<'a> = Box<dyn Fn(&str) -> Vec<RecordId> + Send + 'a>;

/// Asks the candidate that brings most new records for its requests.
///
/// Seen records only grow, so what a candidate is worth only falls: a candidate that is best when weighed
/// anew is best of all, and the others keep their old, higher figures.
pub struct OraclePolicy<'a> {
    truth: TrueAnswers<'a>,
    candidates: Vec<String>,
    waiting: BinaryHeap<Weighed>,
    seen: FxHashSet<RecordId>,
    settings: Option<(f64, f64, u32)>,
}

#[derive(PartialEq)]
struct Weighed {
    worth: f64,
    new: usize,
    candidate: usize,
}

impl Eq for Weighed {}

impl Ord for Weighed {
    fn cmp(&self, other: &Weighed) -> std::cmp::Ordering {
        self.worth.total_cmp(&other.worth).then(other.candidate.cmp(&self.candidate))
    }
}

impl PartialOrd for Weighed {
    fn partial_cmp(&self, other: &Weighed) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> OraclePolicy<'a> {
    /// Chooses among candidate queries, knowing their answers.
    pub fn new(truth: TrueAnswers<'a>, candidates: Vec<String>) -> OraclePolicy<'a> {
        OraclePolicy {
            truth,
            candidates,
            waiting: BinaryHeap::new(),
            seen: FxHashSet::default(),
            settings: None,
        }
    }

    /// Reading only as many pages of an answer as pay best.
    fn weigh(&self, candidate: usize, costs: &RequestCosts) -> Weighed {
        let found = (self.truth)(&self.candidates[candidate]);
        let page = costs.page_size.max(1) as usize;
        let (mut new, mut best) = (0, Weighed { worth: 0.0, new: 0, candidate });
        for (further, hits) in found.chunks(page).enumerate() {
            new += hits.iter().filter(|id| !self.seen.contains(id)).count();
            let cost = costs.query + costs.page * further as f64 + costs.detail * new as f64;
            let worth = new as f64 / cost.max(1e-9);
            if worth >= best.worth {
                best = Weighed { worth, new, candidate };
            }
        }
        best
    }

    fn start(&mut self, costs: &RequestCosts) {
        let settings = (costs.query, costs.page, costs.page_size);
        if self.settings != Some(settings) {
            self.settings = Some(settings);
            self.waiting = (0..self.candidates.len()).map(|candidate| self.weigh(candidate, costs)).collect();
        }
    }
}

impl Policy for OraclePolicy<'_> {
    fn choose(&mut self, costs: &RequestCosts) -> Option<Query> {
        self.start(costs);
        loop {
            let top = self.waiting.pop()?;
            let now = self.weigh(top.candidate, costs);
            let is_best = self.waiting.peek().is_none_or(|next| now >= *next);
            if now.new == 0 {
                continue;
            }
            let words = &self.candidates[now.candidate];
            let chosen = is_best.then(|| Query::words(words));
            self.waiting.push(now);
            if chosen.is_some() {
                return chosen;
            }
        }
    }

    /// Stops once all that the query was chosen for has come.
    fn wants_next_page(&self, answer: &QueryOutcome<'_>, _costs: &RequestCosts) -> bool {
        let Some(candidate) =
            self.waiting.peek().filter(|top| self.candidates[top.candidate] == answer.query.words)
        else {
            return true;
        };
        let new = answer.hits.iter().filter(|hit| !self.seen.contains(&hit.id)).count();
        new < candidate.new
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        self.seen.extend(answer.hits.iter().map(|hit| hit.id));
    }

    fn top_queries(&self, _costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        let mut waiting: Vec<&Weighed> = self.waiting.iter().collect();
        waiting.sort_by(|a, b| b.cmp(a));
        let shown = waiting.into_iter().take(most);
        shown.map(|weighed| (Query::words(&self.candidates[weighed.candidate]), weighed.new as f64)).collect()
    }
}
