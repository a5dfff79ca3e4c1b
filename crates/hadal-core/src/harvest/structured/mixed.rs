//! Words, and choices beside them where words alone are cut off.

use super::inputs::Inputs;
use super::tree::Tree;
use crate::harvest::policy::retries::Retries;
use crate::harvest::policy::{Asked, Costs, Policy};
use crate::harvest::query::Query;

/// A policy for words that asks for parts of an answer which overflows, when these promise more new
/// records for their requests than the next words do.
pub struct Mixed {
    words: Box<dyn Policy>,
    tree: Tree,
    retries: Retries,
}

impl Mixed {
    /// Has asked nothing yet.
    pub fn new(words: Box<dyn Policy>, inputs: Inputs) -> Mixed {
        Mixed { words, tree: Tree::new(inputs), retries: Retries::default() }
    }

    /// The part to ask next, if it is worth more than words that promise so much.
    fn part(&self, words_promise: Option<f64>, costs: &Costs) -> Option<Query> {
        let (query, promise) = self.tree.next()?;
        let worth = |records: f64| {
            let pages = (records / f64::from(costs.page_size.max(1)) - 1.0).max(0.0);
            records / (costs.query + costs.page * pages + costs.detail * records)
        };
        words_promise.is_none_or(|words| worth(promise) > worth(words) && promise >= 1.0).then_some(query)
    }
}

impl Policy for Mixed {
    fn choose(&mut self, costs: &Costs) -> Option<Query> {
        let words = self.words.choose(costs);
        let outlook = self.words.outlook(costs, 1);
        // A policy that expects nothing, or does not know what it asks next, is left alone.
        let promise = match (&words, outlook.first()) {
            (Some(query), Some((best, promise))) if query == best && *promise > 0.0 => Some(*promise),
            (Some(_), _) => return words,
            (None, _) => None,
        };
        self.part(promise, costs).or(words)
    }

    fn goes_on(&self, answer: &Asked<'_>, costs: &Costs) -> bool {
        !answer.query.choices.is_empty() || self.words.goes_on(answer, costs)
    }

    fn learn(&mut self, answer: &Asked<'_>) {
        if answer.query.choices.is_empty() {
            self.words.learn(answer);
            if !answer.hits.is_empty() {
                self.tree.open(answer);
            }
        } else if self.retries.settles(answer) {
            self.tree.take(answer);
            // Its records are news, its length says nothing about its words.
            let nothing = Query::default();
            self.words.learn(&Asked { query: &nothing, total: None, ..answer.clone() });
        }
    }

    fn outlook(&self, costs: &Costs, most: usize) -> Vec<(Query, f64)> {
        let mut all = self.words.outlook(costs, most);
        all.extend(self.tree.outlook(most));
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(most);
        all
    }
}
