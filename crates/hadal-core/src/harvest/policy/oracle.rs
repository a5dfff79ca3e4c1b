//! `oracle`: greedy choice with the true answers. An upper bound for evaluation; no real harvest knows them.

use super::{Policy, QueryOutcome, RequestCosts};
use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashSet;
use std::collections::BinaryHeap;

/// Returns the records of a query in the order of its answer, with the result cap applied.
pub type TrueAnswers<'a> = Box<dyn Fn(&str) -> Vec<RecordId> + Send + 'a>;

/// Sends the candidate with most new records per unit of cost.
///
/// The score of a candidate can only fall, because the set of seen records only grows. So a candidate that stays on
/// top of the queue when it is scored again is the best of all, and the others keep their older, higher scores (lazy
/// greedy evaluation).
pub struct OraclePolicy<'a> {
    answers: TrueAnswers<'a>,
    candidates: Vec<String>,
    queue: BinaryHeap<ScoredCandidate>,
    seen: FxHashSet<RecordId>,
    /// Costs of a query and of a page, and page size, that the scores in the queue are for.
    scored_for: Option<(f64, f64, u32)>,
}

#[derive(PartialEq)]
struct ScoredCandidate {
    /// New records per unit of cost.
    score: f64,
    /// New records on the pages that the score counts.
    new: usize,
    /// Index into the candidates.
    candidate: usize,
}

impl Eq for ScoredCandidate {}

impl Ord for ScoredCandidate {
    fn cmp(&self, other: &ScoredCandidate) -> std::cmp::Ordering {
        self.score.total_cmp(&other.score).then(other.candidate.cmp(&self.candidate))
    }
}

impl PartialOrd for ScoredCandidate {
    fn partial_cmp(&self, other: &ScoredCandidate) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> OraclePolicy<'a> {
    /// Chooses among `candidates`, given their true answers.
    pub fn new(answers: TrueAnswers<'a>, candidates: Vec<String>) -> OraclePolicy<'a> {
        let (queue, seen) = (BinaryHeap::new(), FxHashSet::default());
        OraclePolicy { answers, candidates, queue, seen, scored_for: None }
    }

    /// Scores a candidate, reading the number of pages with the best ratio of new records to cost.
    fn score(&self, candidate: usize, costs: &RequestCosts) -> ScoredCandidate {
        let records = (self.answers)(&self.candidates[candidate]);
        let page = costs.page_size.max(1) as usize;
        let (mut new, mut best) = (0, ScoredCandidate { score: 0.0, new: 0, candidate });
        for (further, hits) in records.chunks(page).enumerate() {
            new += hits.iter().filter(|id| !self.seen.contains(id)).count();
            let cost = costs.query + costs.page * further as f64 + costs.detail * new as f64;
            let score = new as f64 / cost.max(1e-9);
            if score >= best.score {
                best = ScoredCandidate { score, new, candidate };
            }
        }
        best
    }

    /// Scores all candidates, at the start and when costs change.
    fn fill_queue(&mut self, costs: &RequestCosts) {
        let settings = (costs.query, costs.page, costs.page_size);
        if self.scored_for != Some(settings) {
            self.scored_for = Some(settings);
            self.queue = (0..self.candidates.len()).map(|candidate| self.score(candidate, costs)).collect();
        }
    }
}

impl Policy for OraclePolicy<'_> {
    fn choose(&mut self, costs: &RequestCosts) -> Option<Query> {
        self.fill_queue(costs);
        loop {
            let top = self.queue.pop()?;
            let now = self.score(top.candidate, costs);
            let is_best = self.queue.peek().is_none_or(|next| now >= *next);
            if now.new == 0 {
                continue;
            }
            let words = &self.candidates[now.candidate];
            let chosen = is_best.then(|| Query::words(words));
            self.queue.push(now);
            if chosen.is_some() {
                return chosen;
            }
        }
    }

    /// Stops when the new records that the query was chosen for are read.
    fn wants_next_page(&self, answer: &QueryOutcome<'_>, _costs: &RequestCosts) -> bool {
        let Some(candidate) =
            self.queue.peek().filter(|top| self.candidates[top.candidate] == answer.query.words)
        else {
            return true;
        };
        let new = answer.hits.iter().filter(|hit| !self.seen.contains(&hit.id)).count();
        new < candidate.new
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        self.seen.extend(answer.hits.iter().map(|hit| hit.id));
    }

    fn top_queries(&self, _costs: &RequestCosts, limit: usize) -> Vec<(Query, f64)> {
        let mut queue: Vec<&ScoredCandidate> = self.queue.iter().collect();
        queue.sort_by(|a, b| b.cmp(a));
        let top = queue.into_iter().take(limit);
        top.map(|scored| (Query::words(&self.candidates[scored.candidate]), scored.new as f64)).collect()
    }
}
