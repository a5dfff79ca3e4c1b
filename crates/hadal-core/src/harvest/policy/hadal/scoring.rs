//! Scores of queries: expected new records per unit of cost, with a preference for broad and long answers.
//!
//! For a word `w` with expected new records `new` on its first page ([`yield_model`](super::yield_model)):
//!
//! ```text
//! rate(w)  = P * new / (c_q + P * c_d * new)
//! score(w) = rate(w) * breadth(s) * depth(m)
//! breadth(s) = -ln(1 - s) / s
//! depth(m)   = 1 + ln(max(1, m / page))
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `P` | probability that the form indexes words of this class ([`word_classes`](super::word_classes)) |
//! | `c_q`, `c_d` | cost of a query with its first page, of a detail page |
//! | `s` | share of the database that the answer can show: `(n(w) + 2 * prior) / (seen + 2)`, at most `cap / size` |
//! | `m` | records that the form will show, at most the cap |
//! | `page` | records on the first page |
//!
//! `breadth`: one answer never holds a record twice, but several small answers overlap. Independent draws of
//! together `x` times the database cover the share `1 - e^-x`. So small answers must together hold
//! `-ln(1 - s)` times the database to cover the share `s`. `depth`: further pages of an answer are an option
//! for later, when few words promise anything. Both factors are heuristics.

use super::HadalPolicy;
use super::captures::WordCounts;
use super::conjunctions::BroadWord;
use super::word_classes::WordClass;
use super::word_table::WordStatus;
use super::yield_model::ExpectedYield;
use crate::harvest::policy::RequestCosts;
use crate::harvest::query::Query;
use std::cmp::Ordering;

/// Number of best queries among which the first without a repeated answer is chosen. Guess.
pub const SHORTLIST: usize = 64;

/// Number of first answers during which the cap does not limit the share `s`. Early on every page is new, and totals of
/// broad words show the size of the database. Guess.
const BROAD_FIRST_ANSWERS: u32 = 8;

/// Weight of the prior share of a word, in records. Guess.
const SHARE_PRIOR_WEIGHT: f64 = 2.0;

/// Prior shares of records that contain a common stop word, another stop word, any other word. Guesses.
const COMMON_STOP_SHARE: f64 = 0.8;
const STOP_SHARE: f64 = 0.4;
const WORD_SHARE: f64 = 0.05;

/// Share above which `breadth` does not grow. Guess; keeps it finite.
const MAX_SHARE: f64 = 0.95;

/// Slope of the chord above `breadth` on the shares up to [`MAX_SHARE`]: `(breadth(0.95) - 1) / 0.95`, rounded up.
const BREADTH_BOUND_SLOPE: f64 = 2.27;

/// Exponent of the preference for broad and long answers when a new query competes with a paused answer. Chosen by
/// hand: with 0.5 instead, `hadal eval harvest --records 2000` needs 4 % more requests to reach 50 to 90 % coverage in
/// the setting `base`.
const PREFERENCE_EXPONENT: f64 = 0.25;

/// Limits of the ratio of stated to expected unseen records of a broad word. Guess.
const STATED_RATIO: (f64, f64) = (0.2, 5.0);

/// A query with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredQuery {
    /// Word numbers of the query.
    pub words: Vec<u32>,
    /// Expected new records per unit of cost.
    pub rate: f64,
    /// `rate` with the factors `breadth` and `depth`.
    pub score: f64,
    /// Expected yield of the first page.
    pub expected: ExpectedYield,
}

impl ScoredQuery {
    /// Greatest score first; among equals the word that occurred first.
    fn order(&self, other: &ScoredQuery) -> Ordering {
        other.score.total_cmp(&self.score).then_with(|| self.words.cmp(&other.words))
    }
}

impl HadalPolicy {
    /// Returns the `most` queries with the greatest scores, best first.
    ///
    /// Reads the counts of all words. Two upper bounds of the score skip most of them early.
    pub(super) fn best_queries(&self, costs: &RequestCosts, most: usize) -> Vec<ScoredQuery> {
        let rates = self.yields.rates();
        let cap = costs.cap.or(self.cap.value());
        let mut best = self.score_conjunctions(costs, cap);
        let most_share = if self.answers < BROAD_FIRST_ANSWERS { 1.0 } else { self.most_share(cap) };
        let mut least_score = 0.0;
        let page = first_page(costs, cap);
        let most_depth = depth(cap.map_or(self.size(), f64::from), page);
        let most_per_weight =
            rates.most_new_per_weight() * breadth_bound(most_share) * most_depth / costs.query;
        for (at, counts) in self.words.captures.counts().iter().enumerate() {
            if f64::from(counts.title.weight + counts.body.weight) * most_per_weight <= least_score {
                continue;
            }
            let share_bound = self.share(counts, WordClass::CommonStop).min(most_share);
            let score_bound = rates.most_new(counts) * breadth_bound(share_bound) * most_depth / costs.query;
            if score_bound <= least_score || self.words.status(at as u32) != WordStatus::NotQueried {
                continue;
            }
            let expected = self.yields.expect_first_page(&rates, counts, page);
            let rate = rate(&expected, self.indexed.probability(self.words.class(at as u32)), costs);
            let shown = cap.map_or(expected.matching, |cap| expected.matching.min(f64::from(cap)));
            let breadth = breadth(self.share(counts, self.words.class(at as u32)).min(most_share));
            let score = rate * breadth * depth(shown, page);
            if score > least_score {
                best.push(ScoredQuery { words: vec![at as u32], rate, score, expected });
            }
            if best.len() > 2 * most {
                best.select_nth_unstable_by(most, ScoredQuery::order);
                best.truncate(most);
                least_score = best.iter().map(|scored| scored.score).fold(f64::INFINITY, f64::min);
            }
        }
        best.sort_by(ScoredQuery::order);
        best.truncate(most);
        best
    }

    /// Maximum share of the database that one answer can show.
    fn most_share(&self, cap: Option<u32>) -> f64 {
        cap.map_or(1.0, |cap| (f64::from(cap) / self.size().max(1.0)).min(1.0))
    }

    /// Value of a new query beside the next pages of paused answers, in new records per unit of cost.
    ///
    /// The preference `score / rate` enters with the exponent `0.25 * (1 - most_share)`, because the total of the new
    /// answer is worth something too. The value is at most that of a full page of new records.
    pub(super) fn value_of_new_query(&self, scored: &ScoredQuery, costs: &RequestCosts) -> f64 {
        let preference = scored.score / scored.rate.max(1e-9);
        let new = f64::from(costs.page_size.max(1));
        let full_page = new / (costs.query + costs.detail * new);
        let most_share = self.most_share(costs.cap.or(self.cap.value()));
        (scored.rate * preference.powf(PREFERENCE_EXPONENT * (1.0 - most_share))).min(full_page)
    }

    /// Share of all records that contain a word, from the seen records and a prior by word class.
    fn share(&self, counts: &WordCounts, class: WordClass) -> f64 {
        let prior = match class {
            WordClass::CommonStop => COMMON_STOP_SHARE,
            WordClass::Stop => STOP_SHARE,
            _ => WORD_SHARE,
        };
        let seen = f64::from(self.words.captures.all_records().records());
        (f64::from(counts.records()) + SHARE_PRIOR_WEIGHT * prior) / (seen + SHARE_PRIOR_WEIGHT)
    }

    /// Estimated number of records of the database: seen and unseen ones, at least the greatest stated total.
    pub(super) fn size(&self) -> f64 {
        let all = self.words.captures.all_records();
        let unseen = self.yields.rates().unseen_visible(all);
        (f64::from(all.records()) + unseen).max(self.greatest_total)
    }

    /// Scores the candidate queries of several words.
    fn score_conjunctions(&self, costs: &RequestCosts, cap: Option<u32>) -> Vec<ScoredQuery> {
        if self.matching.matches_any_word() {
            return Vec::new();
        }
        let rates = self.yields.rates().without_rarity_classes();
        let score = |(words, counts, stated_ratio): (Vec<u32>, &WordCounts, f64)| {
            let mut expected = self.yields.expect(&rates, counts, first_page(costs, cap));
            let new = expected.new * stated_ratio * self.conjunctions.found.value();
            expected.new = new.min(expected.shown);
            let rate = rate(&expected, self.index_probability(&words), costs);
            ScoredQuery { words, rate, score: rate, expected }
        };
        self.conjunctions.candidates().map(score).filter(|scored| scored.score > 0.0).collect()
    }

    /// Probability that all words are in the index.
    fn index_probability(&self, words: &[u32]) -> f64 {
        words.iter().map(|word| self.indexed.probability(self.words.class(*word))).product()
    }

    /// Returns words that match more records than the cap, those with most unseen records first.
    pub(super) fn broad_words(&self, cap: u32) -> Vec<BroadWord> {
        let rates = self.yields.rates();
        let mut broad = Vec::new();
        let is_frequent = |(_, counts): &(usize, &WordCounts)| counts.records() * 2.0 > cap as f32;
        for (at, counts) in self.words.captures.counts().iter().enumerate().filter(is_frequent) {
            let expected = self.yields.expect(&rates, counts, None);
            let known = rates.known_visible(counts);
            let stated = self.words.stated(at as u32).map(|stated| (stated.matching - known).max(0.0));
            if stated.map_or(expected.matching, |unseen| unseen + known) > f64::from(cap) {
                let probability = self.indexed.probability(self.words.class(at as u32));
                let unseen = stated.unwrap_or(expected.unseen) * probability;
                let (least, most) = STATED_RATIO;
                let stated_ratio = (unseen / expected.unseen.max(1e-9)).clamp(least, most);
                broad.push(BroadWord { word: at as u32, unseen, stated_ratio, seen: counts.records() });
            }
        }
        broad.sort_by(|a, b| b.unseen.total_cmp(&a.unseen).then(a.word.cmp(&b.word)));
        broad.truncate(SHORTLIST);
        broad
    }

    /// Returns true if earlier answers hold all matches of a word, because the form matches parts of words.
    pub(super) fn is_repeat(&self, word: u32) -> bool {
        let lexicon = self.words.captures.lexicon();
        let is_complete = |word: u32| self.words.status(word) == WordStatus::Complete;
        let was_complete = |part: &str| lexicon.number(part).is_some_and(is_complete);
        self.matching.is_repeat(lexicon.word(word), was_complete)
    }

    /// The query of some word numbers.
    pub(super) fn query(&self, scored: &ScoredQuery) -> Query {
        let words: Vec<&str> =
            scored.words.iter().map(|word| self.words.captures.lexicon().word(*word)).collect();
        Query::words(&words.join(" "))
    }
}

/// `-ln(1 - s) / s`, for shares up to [`MAX_SHARE`].
pub fn breadth(share: f64) -> f64 {
    let share = share.clamp(1e-6, MAX_SHARE);
    -(-share).ln_1p() / share
}

/// Upper bound of [`breadth`] without a logarithm: the chord above the convex curve.
fn breadth_bound(share: f64) -> f64 {
    1.0 + share.clamp(1e-6, MAX_SHARE) * BREADTH_BOUND_SLOPE
}

/// `1 + ln(pages)` of an answer that shows `shown` records.
fn depth(shown: f64, page: Option<u32>) -> f64 {
    let pages = page.map_or(1.0, |page| shown / f64::from(page.max(1)));
    1.0 + pages.max(1.0).ln()
}

/// Number of records that the cost of a query includes: a page, or the cap if further pages are free.
fn first_page(costs: &RequestCosts, cap: Option<u32>) -> Option<u32> {
    if costs.page > 0.0 { Some(cap.unwrap_or(u32::MAX).min(costs.page_size)) } else { cap }
}

/// Expected new records per unit of cost of a query that is in the index with this probability.
fn rate(expected: &ExpectedYield, probability: f64, costs: &RequestCosts) -> f64 {
    let cost = costs.query + probability * costs.detail * expected.new;
    probability * expected.new / cost.max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{capped, context};
    use super::*;

    #[test]
    fn skipped_words_are_not_among_the_best() {
        for (cap, answers) in [(30, 3), (30, 200), (usize::MAX, 2), (usize::MAX, 40)] {
            let database = capped(cap);
            let mut policy = HadalPolicy::new(&context());
            database.harvest(&mut policy, usize::MAX, answers);
            let costs = database.costs();
            let words = policy.words.captures.counts().len();
            let mut all = policy.best_queries(&costs, words);
            all.truncate(5);
            assert_eq!(policy.best_queries(&costs, 5), all, "cap {cap}, {answers} answers");
        }
    }

    #[test]
    fn breadth_is_below_its_bound() {
        for percent in 0..=100 {
            let share = f64::from(percent) / 100.0;
            assert!(breadth(share) <= breadth_bound(share), "{share}");
        }
    }
}
