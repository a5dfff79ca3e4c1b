//! Paused answers: answers that were not read to their end. Their next pages compete with new queries.
//!
//! Once a word was queried, its stated total and the seen records with the word show how many matches are
//! unseen. So the next page of a paused answer is the surest source of new records. It is read when no new
//! query promises more.
//!
//! For an answer with stated total `T` of which `read` records were read, the value of its next page is
//!
//! ```text
//! value    = new / (c_p + c_d * new)
//! new      = share * psi(depth) * page
//! share    = (own * read + by_total * trust) / (read + trust)
//! by_total = (T - known) / (T - read), from 0 to 1
//! ```
//!
//! - `share`: share of new records on the next page.
//! - `own`: share of new records when the answer was paused, times `unseen now / unseen then`, the ratio of
//!   the unseen records of the whole database.
//! - `by_total`: share of new records by the stated total.
//! - `known`: seen records that match, `read + beta * max(0, K - read)`, with `beta` and `K` of the [yield
//!   model](super::yield_model). Records that were read show the word, so `beta` does not apply to them.
//! - `trust`: weight of `by_total` in records, `30 / (1 - 1 / beta + 0.05)`; lower where result lists show
//!   excerpts.
//! - `psi`: new records found per expected on later pages, by depth `floor(log2(read / page size))`.
//! - `page`: records on the next page.
//! - `c_p`, `c_d`: cost of a result page, of a detail page.
//!
//! Among answers the one with the greatest `value * breadth(s)` is continued, where `s` is the share of the database
//! that it can show ([`scoring`](super::scoring)). Where all pages are new, that is the longest answer.
//!
//! Without a total, `by_total` is the expected share of unseen records among the matches not yet read, and
//! `trust` is 30.

use super::HadalPolicy;
use super::scoring::breadth;
use super::word_table::WordStatus;
use super::yield_model::{DecayingRatio, YieldRates};
use crate::harvest::policy::MAX_PAUSED;
use crate::harvest::policy::lexicon::split_words;
use crate::harvest::policy::{Hit, QueryOutcome, ReadingEnd, RequestCosts};
use crate::harvest::query::Query;

/// Number of depths of `psi`. Guess.
const DEPTHS: usize = 6;

/// Initial value and weight of `psi`. Guess.
const PSI_PRIOR: (f64, f64) = (1.0, 20.0);

/// Weight of the expected share of new records, in records of the answer itself. Guess.
const EXPECTED_SHARE_WEIGHT: f64 = 30.0;

/// Least share of words that is taken to be hidden, because totals are never quite right. Guess.
const MIN_HIDDEN: f64 = 0.05;

/// The first answer of a harvest is paused for other words if it has more than this many pages. Guess.
const LONG_ANSWER_PAGES: f64 = 5.0;

/// Factor on the value of a next page beside new queries: the next page of an answer is known better than the
/// first page of a new query. Chosen by hand from 1, 1.1 and 1.2 on simulated databases.
pub const CONTINUATION_BONUS: f64 = 1.1;

/// Lost continuations in a row after which the form is taken to lose them all. Guess.
const MAX_FAILED_CONTINUATIONS: usize = 2;

/// If the form loses paused answers, an answer is read on while the value of its next page is at least this fraction of
/// the best alternative's. Guess.
const READ_NOW_FRACTION: f64 = 0.5;

/// An answer that was not read to its end.
struct PausedAnswer {
    query: Query,
    /// Word numbers of the query.
    words: Vec<u32>,
    /// Records that match, if the form stated a total.
    matching: Option<f64>,
    /// Records that were read.
    read: f64,
    /// Share of new records expected among the rest, at the time of the pause.
    new_share: f64,
    /// Unseen records of the database at the time of the pause.
    unseen: f64,
}

/// All paused answers.
pub struct PausedAnswers {
    waiting: Vec<PausedAnswer>,
    /// Answers that could not be continued, since the last continuation that succeeded.
    lost: Vec<PausedAnswer>,
    /// `psi` by depth.
    psi: [DecayingRatio; DEPTHS],
}

/// The paused answer with the most valuable next page.
#[derive(Default)]
pub struct BestContinuation {
    /// Query that continues the answer.
    pub query: Option<Query>,
    /// Expected new records on the next page.
    pub new: f64,
    /// New records per unit of cost.
    pub value: f64,
    /// `value` with the preference for long answers.
    pub preference: f64,
    /// The same of the second best paused answer.
    pub second_preference: f64,
}

impl Default for PausedAnswers {
    fn default() -> PausedAnswers {
        let psi = [DecayingRatio::from_prior(PSI_PRIOR); DEPTHS];
        PausedAnswers { waiting: Vec::new(), lost: Vec::new(), psi }
    }
}

impl PausedAnswers {
    /// Replaces each word number by `merged[number]`.
    pub fn merge_stems(&mut self, merged: &[u32]) {
        let all = self.waiting.iter_mut().chain(&mut self.lost);
        let words = all.flat_map(|paused| &mut paused.words);
        words.for_each(|word| *word = merged[*word as usize]);
    }

    fn take(&mut self, words: &str) -> Option<PausedAnswer> {
        let at = self.waiting.iter().position(|paused| paused.query.words == words)?;
        Some(self.waiting.swap_remove(at))
    }

    /// Adds an answer. If there are too many, the one with the least share of new records leaves.
    fn add(&mut self, paused: PausedAnswer) {
        if self.waiting.len() >= MAX_PAUSED {
            let least = |(_, one): &(usize, &PausedAnswer), (_, other): &(usize, &PausedAnswer)| {
                one.new_share.total_cmp(&other.new_share)
            };
            let worst = self.waiting.iter().enumerate().min_by(least).map(|(at, _)| at);
            worst.map(|at| self.waiting.swap_remove(at));
        }
        self.waiting.push(paused);
    }

    /// Removes an answer that cannot be continued. After [`MAX_FAILED_CONTINUATIONS`] of them, all paused answers count
    /// as lost. Returns the words of the lost answers; they may be queried again.
    fn remove_lost(&mut self, words: &str) -> Vec<u32> {
        let is_first_loss = self.lost.len() < MAX_FAILED_CONTINUATIONS;
        let Some(paused) = self.take(words).filter(|_| is_first_loss) else { return Vec::new() };
        self.lost.push(paused);
        if !self.loses_answers() {
            return Vec::new();
        }
        let single = |paused: &PausedAnswer| if let [word] = paused.words[..] { Some(word) } else { None };
        let words = self.waiting.iter().chain(&self.lost).filter_map(single).collect();
        self.waiting.clear();
        words
    }

    /// True if the form stated the total of a paused answer.
    pub fn has_totals(&self) -> bool {
        self.waiting.iter().any(|paused| paused.matching.is_some())
    }

    /// True if the form loses paused answers.
    fn loses_answers(&self) -> bool {
        self.lost.len() >= MAX_FAILED_CONTINUATIONS
    }

    /// Learns `psi` from the pages of an answer behind the first `from` hits. `stated` is (stated total, matching
    /// records seen before). A form that always ranks by the same order shows new records late.
    pub fn learn_psi(&mut self, answer: &QueryOutcome<'_>, stated: (f64, f64), from: usize, page_size: f64) {
        let (matching, known) = stated;
        let mut read = f64::from(answer.query.after) + from as f64;
        let mut known = known + count_new(&answer.hits[..from]);
        for page in answer.hits[from..].chunks(page_size as usize) {
            let (new, shown) = (count_new(page), page.len() as f64);
            self.psi[depth(read, page_size)].learn(new, shown * unseen_share(matching, known, read));
            (read, known) = (read + shown, known + new);
        }
    }

    /// `psi` behind the first `read` records.
    fn psi_at(&self, read: f64, page_size: f64) -> f64 {
        self.psi[depth(read, page_size)].value()
    }
}

impl HadalPolicy {
    /// Returns true if the next page of the answer is worth more than the best alternative.
    pub(super) fn is_next_page_worth_it(&self, answer: &QueryOutcome<'_>, costs: &RequestCosts) -> bool {
        let known = self.known_matching(&self.yields.rates(), &split_words(&answer.query.words));
        let read = answer.records_read() as f64;
        let matching = answer.total.map(|total| total.count() as f64);
        let share = self.new_share_of_rest(answer, known) * self.paused.psi_at(read, self.page_size);
        let least = if self.paused.loses_answers() { READ_NOW_FRACTION } else { 1.0 };
        let explores = self.explores(self.last_choice.second_best_query_value, matching.is_some(), costs)
            || self.is_long_first_answer(answer);
        let explores = explores && answer.query.after == 0;
        let new = share * self.next_page_records(matching, read, costs).max(1.0);
        let value = new / (costs.page + costs.detail * new).max(1e-9);
        let preference = value * self.breadth_of(matching.unwrap_or(read), costs);
        !explores
            && CONTINUATION_BONUS * value >= least * self.last_choice.second_best_query_value
            && preference >= least * self.last_choice.second_best_page_value
    }

    /// Returns true for a long answer before any other. Its first page shows words that may have longer answers.
    fn is_long_first_answer(&self, answer: &QueryOutcome<'_>) -> bool {
        let total = answer.total.map_or(0.0, |total| total.count() as f64);
        self.answers == 0 && total > LONG_ANSWER_PAGES * self.page_size
    }

    /// Returns the paused answer with the most valuable next page.
    pub(super) fn best_continuation(&self, costs: &RequestCosts) -> BestContinuation {
        let rates = self.yields.rates();
        let mut best = BestContinuation::default();
        for paused in &self.paused.waiting {
            let share = self.new_share_of(&rates, paused) * self.paused.psi_at(paused.read, self.page_size);
            let new = share * self.next_page_records(self.matching_of(paused), paused.read, costs);
            let value = new / (costs.page + costs.detail * new).max(1e-9);
            let matching = self.matching_of(paused).unwrap_or(paused.read);
            let preference = value * self.breadth_of(matching, costs);
            if preference > best.preference {
                let query = Some(paused.query.after(paused.read as u32));
                let second_preference = best.preference;
                best = BestContinuation { query, new, value, preference, second_preference };
            } else {
                best.second_preference = best.second_preference.max(preference);
            }
        }
        best
    }

    /// Preference for long answers, which hold no record twice: `breadth` of the share of the database that the answer
    /// can show.
    fn breadth_of(&self, matching: f64, costs: &RequestCosts) -> f64 {
        let cap = costs.cap.or(self.cap.value()).map_or(f64::INFINITY, f64::from);
        breadth(matching.min(cap) / self.size_by_broadest().max(1.0))
    }

    /// Size of the database by the stated total of the broadest word and its share of the seen records, at
    /// most the size by the yield model, which is far too great at the start.
    fn size_by_broadest(&self) -> f64 {
        let Some((counts, stated)) = self.words.broadest().next() else { return self.size() };
        let seen = f64::from(self.words.captures.all_records().records());
        (stated.matching * seen / f64::from(counts.records()).max(1.0)).min(self.size())
    }

    /// Removes a paused answer that cannot be continued.
    pub(super) fn drop_paused(&mut self, words: &str) {
        for word in self.paused.remove_lost(words) {
            self.words.set_status(word, WordStatus::NotQueried);
        }
    }

    /// Learns from the continuation of a paused answer.
    pub(super) fn learn_continuation(&mut self, answer: &QueryOutcome<'_>) {
        let words = split_words(&answer.query.words);
        let known = self.known_matching(&self.yields.rates(), &words);
        let query_word = if let [word] = &words[..] { Some(word.as_str()) } else { None };
        self.words.learn(query_word, answer.hits);
        let Some(paused) = self.paused.take(&answer.query.words) else { return };
        self.paused.lost.clear();
        if let Some(stated) = paused.matching.zip(known) {
            self.paused.learn_psi(answer, stated, 0, self.page_size);
        }
        if let [word] = paused.words[..] {
            self.words.add_shown(word, answer.hits.len());
        }
        self.pause(answer, paused.words, known);
    }

    /// Keeps an answer that was paused. `known` is the number of matching records seen before it.
    pub(super) fn pause(&mut self, answer: &QueryOutcome<'_>, words: Vec<u32>, known: Option<f64>) {
        if answer.end != ReadingEnd::Paused || words.is_empty() {
            return;
        }
        self.paused.add(PausedAnswer {
            query: answer.query.after(0),
            words,
            matching: answer.total.map(|total| total.count() as f64),
            read: answer.records_read() as f64,
            new_share: self.new_share_of_rest(answer, known),
            unseen: self.yields.rates().unseen_visible(self.words.captures.all_records()),
        });
    }

    /// Share of new records among the rest of an answer. `known` is the number of matching records seen before it.
    fn new_share_of_rest(&self, answer: &QueryOutcome<'_>, known: Option<f64>) -> f64 {
        let (new, shown) = (count_new(answer.hits), answer.hits.len() as f64);
        match answer.total.zip(known) {
            Some((total, known)) => {
                let by_total = unseen_share(total.count() as f64, known + new, answer.records_read() as f64);
                weighted_mean(new / shown.max(1.0), shown, by_total, weight_of_total(&self.yields.rates()))
            }
            None => {
                weighted_mean(new / shown.max(1.0), shown, self.last_choice.new_share, EXPECTED_SHARE_WEIGHT)
            }
        }
    }

    /// `share` of a paused answer.
    fn new_share_of(&self, rates: &YieldRates, paused: &PausedAnswer) -> f64 {
        let unseen = rates.unseen_visible(self.words.captures.all_records());
        let own = paused.new_share * (unseen / paused.unseen.max(1e-9)).min(1.0);
        let [word] = paused.words[..] else { return own };
        let counts = &self.words.captures.counts()[word as usize];
        match self.matching_of(paused) {
            Some(matching) => {
                let others = (rates.known_visible(counts) - paused.read).max(0.0) * rates.beta();
                let by_total = unseen_share(matching, paused.read + others, paused.read);
                weighted_mean(own, paused.read, by_total, weight_of_total(rates))
            }
            None => {
                let expected = self.yields.expect(rates, counts, None);
                let rest = (expected.matching - paused.read).max(expected.unseen).max(1.0);
                weighted_mean(own, paused.read, expected.unseen / rest, EXPECTED_SHARE_WEIGHT)
            }
        }
    }

    /// Records that match a paused answer by its total, while totals of the form are trusted.
    fn matching_of(&self, paused: &PausedAnswer) -> Option<f64> {
        paused.matching.filter(|_| self.totals.is_trusted())
    }

    /// Seen records that match a query of one word.
    fn known_matching(&self, rates: &YieldRates, words: &[String]) -> Option<f64> {
        let [word] = words else { return None };
        Some(rates.known_matching(&self.words.captures.counts_of(word)))
    }

    /// Records on the page behind the first `read` records.
    fn next_page_records(&self, matching: Option<f64>, read: f64, costs: &RequestCosts) -> f64 {
        let cap = costs.cap.or(self.cap.value()).map_or(f64::INFINITY, f64::from);
        (matching.unwrap_or(f64::INFINITY).min(cap) - read).clamp(0.0, f64::from(costs.page_size))
    }
}

/// Depth of `psi` behind the first `read` records.
fn depth(read: f64, page_size: f64) -> usize {
    ((read / page_size).max(1.0).log2() as usize).min(DEPTHS - 1)
}

/// `trust`: weight of the share by the total. `1 - 1 / beta` is the share of matches that do not show the
/// word.
fn weight_of_total(rates: &YieldRates) -> f64 {
    EXPECTED_SHARE_WEIGHT / (1.0 - 1.0 / rates.beta().max(1.0) + MIN_HIDDEN)
}

/// `by_total`: share of unseen records among the matches that were not read.
fn unseen_share(matching: f64, known: f64, read: f64) -> f64 {
    ((matching - known) / (matching - read).max(1.0)).clamp(0.0, 1.0)
}

/// Mean of the share `own` over `shown` records and the share `other`, which weighs `trust` records.
fn weighted_mean(own: f64, shown: f64, other: f64, trust: f64) -> f64 {
    ((own * shown + other * trust) / (shown + trust)).clamp(0.0, 1.0)
}

fn count_new(hits: &[Hit<'_>]) -> f64 {
    hits.iter().filter(|hit| hit.is_new).count() as f64
}
