//! Weighing: every query by the new records it promises for its cost.

use super::ledger::Tally;
use super::yields::Expected;
use super::{Answered, Hadal};
use crate::harvest::policy::{Asked, Costs};
use crate::harvest::query::Query;
use std::cmp::Ordering;

/// Candidates among which the first is taken that repeats no other query.
pub const SHORTLIST: usize = 64;

/// Records at the usual rate that are mixed into an answer's own when its next page is weighed.
const TRUST: f64 = 30.0;

/// An answer is left when its next page promises less than this share of what another query does.
const LEAVE: f64 = 0.05;

/// Words and what they are worth together.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// The words.
    pub words: Vec<u32>,
    /// New records for each unit of cost.
    pub worth: f64,
    /// What they will bring.
    pub expected: Expected,
}

impl Weighed {
    /// The more worth comes first, then the word that was met first.
    fn order(&self, other: &Weighed) -> Ordering {
        other.worth.total_cmp(&self.worth).then_with(|| self.words.cmp(&other.words))
    }
}

impl Hadal {
    /// The queries that are worth most, best first.
    ///
    /// All words are looked at; those in too few records to come among the best are passed over at once.
    pub(super) fn best(&self, costs: &Costs, most: usize) -> Vec<Weighed> {
        let rates = self.yields.rates();
        let cap = costs.cap.or(self.cap.known());
        let mut best = self.several(costs, cap);
        let (mut least_worth, mut least_seen) = (0.0, 1);
        for (at, tally) in self.ledger.tallies().iter().enumerate() {
            if tally.all() < least_seen || self.answered(at as u32) != Answered::NotAsked {
                continue;
            }
            let expected = self.yields.expect(&rates, tally, cap);
            let worth = worth(&expected, self.indexed.chance(self.kinds[at]), costs);
            if worth > least_worth {
                best.push(Weighed { words: vec![at as u32], worth, expected });
            }
            if best.len() > 2 * most {
                best.select_nth_unstable_by(most, Weighed::order);
                best.truncate(most);
                least_worth = best.iter().map(|weighed| weighed.worth).fold(f64::INFINITY, f64::min);
                least_seen = rates.seen_for(least_worth * costs.query);
            }
        }
        best.sort_by(Weighed::order);
        best.truncate(most);
        best
    }

    /// Queries of several words that wait, weighed.
    fn several(&self, costs: &Costs, cap: Option<u32>) -> Vec<Weighed> {
        if self.matches.is_either() {
            return Vec::new();
        }
        let rates = self.yields.rates();
        let weigh = |(words, tally): (Vec<u32>, &Tally)| {
            let mut expected = self.yields.expect(&rates, tally, cap);
            expected.new *= self.deeper.found.value();
            Weighed { worth: worth(&expected, self.chance(&words), costs), words, expected }
        };
        self.deeper.waiting().map(weigh).filter(|weighed| weighed.worth > 0.0).collect()
    }

    /// Chance that all words are in the index.
    fn chance(&self, words: &[u32]) -> f64 {
        words.iter().map(|word| self.indexed.chance(self.kinds[*word as usize])).product()
    }

    /// Words that match more than is shown, with their unseen records, most first.
    pub(super) fn broad_words(&self, cap: u32) -> Vec<(u32, f64)> {
        let rates = self.yields.rates();
        let mut broad = Vec::new();
        for (at, tally) in self.ledger.tallies().iter().enumerate().filter(|(_, tally)| tally.all() * 2 > cap)
        {
            let expected = self.yields.expect(&rates, tally, None);
            if expected.matching > f64::from(cap) {
                broad.push((at as u32, expected.unseen * self.indexed.chance(self.kinds[at])));
            }
        }
        broad.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        broad.truncate(SHORTLIST);
        broad
    }

    /// Whether a word would bring what another has brought.
    pub(super) fn is_repeat(&self, word: u32) -> bool {
        let lexicon = self.ledger.lexicon();
        let in_full = |word: u32| self.answered(word) == Answered::InFull;
        let was_whole = |part: &str| lexicon.number(part).is_some_and(in_full);
        self.matches.is_repeat(lexicon.word(word), self.language, was_whole)
    }

    pub(super) fn query(&self, weighed: &Weighed) -> Query {
        let words: Vec<&str> = weighed.words.iter().map(|word| self.ledger.lexicon().word(*word)).collect();
        Query::words(&words.join(" "))
    }

    /// Whether the next page of an answer promises enough, by its pages so far and by what other queries do.
    pub(super) fn is_worth_reading_on(&self, answer: &Asked<'_>, costs: &Costs) -> bool {
        let new = answer.hits.iter().filter(|hit| hit.is_new).count() as f64;
        let read = answer.hits.len() as f64;
        let told = answer.total.map(|total| total.count() as f64 - read);
        let cap = costs.cap.or(self.cap.known()).map(|cap| f64::from(cap) - read);
        let rest = told.into_iter().chain(cap).fold(f64::INFINITY, f64::min).max(1.0);
        let page = f64::from(costs.page_size.max(1));
        let usual = self.elsewhere * costs.page / page;
        let share = (new + TRUST * usual) / (read + TRUST) * self.later.value();
        share * rest.min(page) >= LEAVE * self.elsewhere * costs.page
    }
}

/// New records for each unit of cost, of a query that is answered with some chance.
fn worth(expected: &Expected, chance: f64, costs: &Costs) -> f64 {
    let pages = (expected.shown / f64::from(costs.page_size.max(1)) - 0.5).max(0.0);
    let cost = costs.query + chance * (costs.page * pages + costs.detail * expected.new);
    chance * expected.new / cost.max(1e-9)
}
