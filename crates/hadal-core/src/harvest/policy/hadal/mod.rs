//! `hadal`: the query that promises most new records for its requests.

mod indexed;
mod ledger;
mod yields;

use super::opening::Opening;
use super::retries::Retries;
use super::{Asked, Briefing, Costs, End, Policy};
use crate::harvest::query::Query;
use crate::text::language::Language;
use indexed::{Indexed, Kind};
use ledger::Ledger;
use std::cmp::Ordering;
use yields::{Expected, Yields};

/// Candidates that one look through all words brings up.
const BEST: usize = 64;

/// The policy.
pub struct Hadal {
    language: &'static Language,
    opening: Opening,
    retries: Retries,
    ledger: Ledger,
    yields: Yields,
    indexed: Indexed,
    kinds: Vec<Kind>,
    asked: Vec<bool>,
    longest: u32,
    cap: Option<u32>,
}

/// A word and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weighed {
    word: u32,
    worth: f64,
    expected: Expected,
}

impl Weighed {
    /// The more worth comes first, then the word that was met first.
    fn order(&self, other: &Weighed) -> Ordering {
        other.worth.total_cmp(&self.worth).then(self.word.cmp(&other.word))
    }
}

impl Hadal {
    /// Starts with the briefing's first words.
    pub fn new(briefing: &Briefing) -> Hadal {
        Hadal {
            language: Language::of(briefing.language.as_deref()),
            opening: Opening::new(briefing),
            retries: Retries::default(),
            ledger: Ledger::default(),
            yields: Yields::default(),
            indexed: Indexed::default(),
            kinds: Vec::new(),
            asked: Vec::new(),
            longest: 0,
            cap: None,
        }
    }

    /// The words that are worth most, best first.
    fn best(&self, costs: &Costs, most: usize) -> Vec<Weighed> {
        let mut best: Vec<Weighed> = Vec::with_capacity(2 * most + 1);
        let mut least = 0.0;
        for (at, tally) in self.ledger.tallies().iter().enumerate() {
            if self.asked.get(at).copied().unwrap_or(false) || tally.all() == 0 {
                continue;
            }
            let mut expected = self.yields.expect(tally, costs.cap);
            expected.new *= self.indexed.chance(self.kinds[at]);
            let worth = expected.new / cost(&expected, costs);
            if worth > least {
                best.push(Weighed { word: at as u32, worth, expected });
                if best.len() > 2 * most {
                    best.select_nth_unstable_by(most, Weighed::order);
                    best.truncate(most);
                    least = best.iter().map(|weighed| weighed.worth).fold(f64::INFINITY, f64::min);
                }
            }
        }
        best.sort_by(Weighed::order);
        best.truncate(most);
        best
    }

    fn query(&self, weighed: &Weighed) -> Query {
        Query::words(self.ledger.lexicon().word(weighed.word))
    }

    fn mark_asked(&mut self, word: &str) {
        if let Some(number) = self.ledger.lexicon().number(word) {
            let at = number as usize;
            if self.asked.len() <= at {
                self.asked.resize(at + 1, false);
            }
            self.asked[at] = true;
        }
    }

    fn is_cut(&self, answer: &Asked<'_>, known: f64, again: f64) -> bool {
        let shown = answer.hits.len() as u32;
        let is_told = answer.total.is_some_and(|total| total.count() > u64::from(shown));
        let is_odd = shown >= self.longest && again < 0.9 * known;
        answer.end != End::Last
            || self.cap.is_some_and(|cap| shown >= cap)
            || is_told
            || (answer.total.is_none() && is_odd)
    }
}

/// What a query is expected to cost.
fn cost(expected: &Expected, costs: &Costs) -> f64 {
    let pages = expected.shown / f64::from(costs.page_size.max(1)) - 0.5;
    costs.query + costs.page * pages.max(0.0) + costs.detail * expected.new
}

impl Policy for Hadal {
    fn choose(&mut self, costs: &Costs) -> Option<Query> {
        self.cap = costs.cap;
        let best = self.best(costs, BEST).first().map(|weighed| self.query(weighed));
        best.or_else(|| self.opening.next().map(Query::words))
    }

    fn learn(&mut self, answer: &Asked<'_>) {
        if !self.retries.settles(answer) {
            return;
        }
        let word = &answer.query.words;
        self.opening.asked(word);
        let before = self.ledger.tally(word);
        let known = self.yields.back(before.title, before.body);
        let expected = self.yields.expect(&before, None);
        let catch = self.ledger.learn(Some(word), answer.hits, |_, _| {});
        while self.kinds.len() < self.ledger.lexicon().len() {
            self.kinds.push(Kind::of(self.ledger.lexicon().word(self.kinds.len() as u32), self.language));
        }
        self.mark_asked(word);
        let shown = answer.hits.len() as u32;
        let is_cut = self.is_cut(answer, known, f64::from(catch.again.all()));
        self.longest = self.longest.max(shown);
        if before.all() > 0 && (before.title > 0 || shown > 0) {
            self.indexed.learn(Kind::of(word, self.language), shown > 0);
        }
        if shown == 0 && before.title > 0 {
            return;
        }
        if is_cut {
            self.yields.learn_cut(&expected, catch.new.all(), shown);
        } else {
            self.yields.learn_whole(&before, &catch);
        }
        self.yields.set_usual_once(self.ledger.once_share());
    }

    fn outlook(&self, costs: &Costs, most: usize) -> Vec<(Query, f64)> {
        let best = self.best(costs, most);
        best.iter().map(|weighed| (self.query(weighed), weighed.expected.new)).collect()
    }
}
