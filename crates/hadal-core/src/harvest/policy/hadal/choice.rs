//! Weighing: every query by the new records it promises for its cost.

use super::deeper::Broad;
use super::indexed::Kind;
use super::ledger::Tally;
use super::yields::Expected;
use super::{Answered, HadalPolicy};
use crate::harvest::policy::RequestCosts;
use crate::harvest::query::Query;
use std::cmp::Ordering;

/// Candidates among which the first is taken that repeats no other query.
pub const SHORTLIST: usize = 64;

/// Answers before which broad words go first, whatever is shown of them: at the beginning every page is new, and their
/// totals tell how much there is.
const BROAD_FIRST: u32 = 8;

/// Records that the language's own frequencies count for.
const HEARSAY: f64 = 2.0;

/// Shares above this one are all as good.
const WIDE: f64 = 0.95;

/// Words and what they are worth together.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// The words.
    pub words: Vec<u32>,
    /// New records for each unit of cost.
    pub rate: f64,
    /// The same, the more the broader the answer and the more pages it has.
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

impl HadalPolicy {
    /// The queries that are worth most, best first.
    ///
    /// All words are looked at; those that cannot come among the best are passed over at once.
    pub(super) fn best(&self, costs: &RequestCosts, most: usize) -> Vec<Weighed> {
        let rates = self.yields.rates();
        let cap = costs.cap.or(self.cap.value());
        let mut best = self.several(costs, cap);
        let widest = if self.answers < BROAD_FIRST { 1.0 } else { self.widest(cap) };
        let mut least_worth = 0.0;
        let first = first_page(costs, cap);
        let most_further = further(cap.map_or(self.size(), f64::from), first);
        let most_for_each = rates.most_for_each() * most_breadth(widest) * most_further / costs.query;
        for (at, tally) in self.ledger.tallies().iter().enumerate() {
            if f64::from(tally.title.alike + tally.body.alike) * most_for_each <= least_worth {
                continue;
            }
            let most_share = self.share(tally, Kind::CommonStop).min(widest);
            let most_worth = rates.most_new(tally) * most_breadth(most_share) * most_further / costs.query;
            if most_worth <= least_worth || self.answered(at as u32) != Answered::NotAsked {
                continue;
            }
            let expected = self.yields.expect_first(&rates, tally, first);
            let rate = rate(&expected, self.indexed.chance(self.kinds[at]), costs);
            let shown = cap.map_or(expected.matching, |cap| expected.matching.min(f64::from(cap)));
            let breadth = breadth(self.share(tally, self.kinds[at]).min(widest));
            let worth = rate * breadth * further(shown, first);
            if worth > least_worth {
                best.push(Weighed { words: vec![at as u32], rate, worth, expected });
            }
            if best.len() > 2 * most {
                best.select_nth_unstable_by(most, Weighed::order);
                best.truncate(most);
                least_worth = best.iter().map(|weighed| weighed.worth).fold(f64::INFINITY, f64::min);
            }
        }
        best.sort_by(Weighed::order);
        best.truncate(most);
        best
    }

    /// The share of all records that an answer holds at the most.
    fn widest(&self, cap: Option<u32>) -> f64 {
        cap.map_or(1.0, |cap| (f64::from(cap) / self.size().max(1.0)).min(1.0))
    }

    /// What the first page of a query promises beside later pages of others. That the form then tells how many match
    /// is worth something too: half of what sets broad words before others, the less the more one answer holds.
    pub(super) fn promise(&self, weighed: &Weighed, costs: &RequestCosts) -> f64 {
        let favour = weighed.worth / weighed.rate.max(1e-9);
        let new = f64::from(costs.page_size.max(1));
        let full = new / (costs.query + costs.detail * new);
        let widest = self.widest(costs.cap.or(self.cap.value()));
        (weighed.rate * favour.powf(0.5 * (1.0 - widest))).min(full)
    }

    /// Share of all records that has a word: what is seen tells, and the language before that.
    fn share(&self, tally: &Tally, kind: Kind) -> f64 {
        let usual = match kind {
            Kind::CommonStop => 0.8,
            Kind::Stop => 0.4,
            _ => 0.05,
        };
        let seen = f64::from(self.ledger.everything().all());
        (f64::from(tally.all()) + HEARSAY * usual) / (seen + HEARSAY)
    }

    /// Records that there are, by what is known now.
    pub(super) fn size(&self) -> f64 {
        let everything = self.ledger.everything();
        let unseen = self.yields.unseen(&self.yields.rates(), everything);
        (f64::from(everything.all()) + unseen).max(self.most_told)
    }

    /// Queries of several words that wait, weighed.
    fn several(&self, costs: &RequestCosts, cap: Option<u32>) -> Vec<Weighed> {
        if self.matches.is_either() {
            return Vec::new();
        }
        let rates = self.yields.rates().of_several();
        let weigh = |(words, tally, more): (Vec<u32>, &Tally, f64)| {
            let mut expected = self.yields.expect(&rates, tally, first_page(costs, cap));
            expected.new = (expected.new * more * self.deeper.found.value()).min(expected.shown);
            let rate = rate(&expected, self.chance(&words), costs);
            Weighed { words, rate, worth: rate, expected }
        };
        self.deeper.waiting().map(weigh).filter(|weighed| weighed.worth > 0.0).collect()
    }

    /// Chance that all words are in the index.
    fn chance(&self, words: &[u32]) -> f64 {
        words.iter().map(|word| self.indexed.chance(self.kinds[*word as usize])).product()
    }

    /// Words that match more than is shown, with their unseen records, most first.
    pub(super) fn broad_words(&self, cap: u32) -> Vec<Broad> {
        let rates = self.yields.rates();
        let mut broad = Vec::new();
        for (at, tally) in
            self.ledger.tallies().iter().enumerate().filter(|(_, tally)| tally.all() * 2.0 > cap as f32)
        {
            let expected = self.yields.expect(&rates, tally, None);
            let told = self.told.get(&(at as u32)).map(|told| (told.matching - rates.known(tally)).max(0.0));
            if told.map_or(expected.matching, |told| told + rates.known(tally)) > f64::from(cap) {
                let unseen = told.unwrap_or(expected.unseen) * self.indexed.chance(self.kinds[at]);
                let more = (unseen / expected.unseen.max(1e-9)).clamp(0.2, 5.0);
                broad.push(Broad { word: at as u32, unseen, more, seen: tally.all() });
            }
        }
        broad.sort_by(|a, b| b.unseen.total_cmp(&a.unseen).then(a.word.cmp(&b.word)));
        broad.truncate(SHORTLIST);
        broad
    }

    /// Whether a word would bring what another has brought.
    pub(super) fn is_repeat(&self, word: u32) -> bool {
        let lexicon = self.ledger.lexicon();
        let in_full = |word: u32| self.answered(word) == Answered::InFull;
        let was_whole = |part: &str| lexicon.number(part).is_some_and(in_full);
        self.matches.is_repeat(lexicon.word(word), was_whole)
    }

    pub(super) fn query(&self, weighed: &Weighed) -> Query {
        let words: Vec<&str> = weighed.words.iter().map(|word| self.ledger.lexicon().word(*word)).collect();
        Query::words(&words.join(" "))
    }
}

/// How much more an answer is worth for holding no record twice: many small ones that bring the same share of
/// all records overlap.
fn breadth(share: f64) -> f64 {
    let share = share.clamp(1e-6, WIDE);
    -(-share).ln_1p() / share
}

/// What [`breadth`] is at most, found in less time: a chord above the curve.
fn most_breadth(share: f64) -> f64 {
    1.0 + share.clamp(1e-6, WIDE) * 2.27
}

/// How much more a query is worth for pages that can be read behind its first: when fewer words promise anything,
/// these are what is left.
fn further(shown: f64, first: Option<u32>) -> f64 {
    let pages = first.map_or(1.0, |first| shown / f64::from(first.max(1)));
    1.0 + pages.max(1.0).ln()
}

/// The most records that are had for the price of a query.
fn first_page(costs: &RequestCosts, cap: Option<u32>) -> Option<u32> {
    if costs.page > 0.0 { Some(cap.unwrap_or(u32::MAX).min(costs.page_size)) } else { cap }
}

/// New records for each unit of cost, of a query that is answered with some chance.
fn rate(expected: &Expected, chance: f64, costs: &RequestCosts) -> f64 {
    let cost = costs.query + chance * costs.detail * expected.new;
    chance * expected.new / cost.max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{capped, context};
    use super::*;

    #[test]
    fn what_is_passed_over_is_not_among_the_best() {
        for (cap, answers) in [(30, 3), (30, 200), (usize::MAX, 2), (usize::MAX, 40)] {
            let database = capped(cap);
            let mut policy = HadalPolicy::new(&context());
            database.harvest(&mut policy, usize::MAX, answers);
            let costs = database.costs();
            let words = policy.ledger.tallies().len();
            let mut all = policy.best(&costs, words);
            all.truncate(5);
            assert_eq!(policy.best(&costs, 5), all, "cap {cap}, {answers} answers");
        }
    }

    #[test]
    fn no_breadth_is_above_the_most() {
        for percent in 0..=100 {
            let share = f64::from(percent) / 100.0;
            assert!(breadth(share) <= most_breadth(share), "{share}");
        }
    }
}
