//! Answers that were left off, and what their next pages promise.
//!
//! Once a word was asked, the form has told how many records match, and it is known how many of them were seen:
//! nothing is as sure as the next page of such an answer. It waits until no first page of another promises more.
//! Where totals are not told, or records show only some of their words, what its pages brought so far counts too.

use super::yields::{Rates, Ratio};
use super::{Answered, HadalPolicy};
use crate::harvest::policy::lexicon::words_of;
use crate::harvest::policy::{Hit, QueryOutcome, ReadingEnd, RequestCosts};
use crate::harvest::query::Query;

/// Answers that wait at most.
const MOST: usize = 4_096;

/// Depths that are told apart, each of twice as many pages as the one before.
const DEPTHS: usize = 6;

/// Records at the usual rate that are mixed into an answer's own when its next page is weighed.
const TRUST: f64 = 30.0;

/// Share of the words that is taken to be out of sight at the least: totals are never quite right.
const SURE: f64 = 0.05;

/// Answers lost in a row after which all that wait are taken to be.
const ALL_LOST: usize = 2;

/// Where pages are lost once they are left, an answer is read as long as its next page promises this share of what
/// others do.
const NOW_OR_NEVER: f64 = 0.5;

/// An answer that was left off.
struct Left {
    query: Query,
    words: Vec<u32>,
    /// Records that match, if the form told.
    matching: Option<f64>,
    /// Records that were read.
    read: f64,
    /// Share of new ones among those to come, as it seemed when it was left.
    share: f64,
    /// Unseen records that there were then, in all.
    unseen: f64,
}

/// Those that wait.
pub struct LeftOff {
    waiting: Vec<Left>,
    /// The last ones that were to be read on and had gone, in a row.
    lost: Vec<Left>,
    /// New records on later pages to those that were expected, by how deep they are.
    found: [Ratio; DEPTHS],
}

/// The best of those that wait.
#[derive(Default)]
pub struct Best {
    /// It, to be read on.
    pub query: Option<Query>,
    /// New records that its next page should hold.
    pub new: f64,
    /// New records for each unit of cost.
    pub worth: f64,
    /// The same of the next best.
    pub second: f64,
}

impl Default for LeftOff {
    fn default() -> LeftOff {
        LeftOff { waiting: Vec::new(), lost: Vec::new(), found: [Ratio::starting_at(1.0, 20.0); DEPTHS] }
    }
}

impl LeftOff {
    /// Puts the words that they are now in place of words.
    pub fn fold(&mut self, folded: &[u32]) {
        let all = self.waiting.iter_mut().chain(&mut self.lost);
        let words = all.flat_map(|left| &mut left.words);
        words.for_each(|word| *word = folded[*word as usize]);
    }

    fn take(&mut self, words: &str) -> Option<Left> {
        let at = self.waiting.iter().position(|left| left.query.words == words)?;
        Some(self.waiting.swap_remove(at))
    }

    /// Lets one wait, in place of the one that promised least when there are too many.
    fn add(&mut self, left: Left) {
        if self.waiting.len() >= MOST {
            let least =
                |(_, one): &(usize, &Left), (_, other): &(usize, &Left)| one.share.total_cmp(&other.share);
            let worst = self.waiting.iter().enumerate().min_by(least).map(|(at, _)| at);
            worst.map(|at| self.waiting.swap_remove(at));
        }
        self.waiting.push(left);
    }
}

impl HadalPolicy {
    /// Whether the next page of an answer promises enough, by what is known of it and by what others promise.
    pub(super) fn is_worth_reading_on(&self, answer: &QueryOutcome<'_>, costs: &RequestCosts) -> bool {
        let known = self.known(&self.yields.rates(), &words_of(&answer.query.words));
        let read = read(answer);
        let matching = answer.total.map(|total| total.count() as f64);
        let share = self.share_to_come(answer, known) * self.found_at(read);
        let least =
            if self.left.lost.len() >= ALL_LOST { NOW_OR_NEVER * self.elsewhere } else { self.elsewhere };
        share * self.next_page(matching, read, costs).max(1.0) >= least * costs.page
    }

    /// The best of the answers that were left off.
    pub(super) fn best_left(&self, costs: &RequestCosts) -> Best {
        let rates = self.yields.rates();
        let mut best = Best::default();
        for left in &self.left.waiting {
            let share = self.share_of_new(&rates, left) * self.found_at(left.read);
            let new = share * self.next_page(left.matching, left.read, costs);
            let worth = new / (costs.page + costs.detail * new).max(1e-9);
            if worth > best.worth {
                let query = Some(left.query.after(left.read as u32));
                best = Best { query, new, worth, second: best.worth };
            } else {
                best.second = best.second.max(worth);
            }
        }
        best
    }

    /// Takes note that an answer cannot be read on. Once that is the rule, all that wait are asked anew, one time,
    /// to be read while they are there.
    pub(super) fn lose_left(&mut self, words: &str) {
        let Some(left) = self.left.take(words).filter(|_| self.left.lost.len() < ALL_LOST) else { return };
        self.left.lost.push(left);
        if self.left.lost.len() == ALL_LOST {
            let all = self.left.waiting.iter().chain(&self.left.lost);
            for left in all {
                if let [word] = left.words[..] {
                    self.answered[word as usize] = Answered::NotAsked;
                }
            }
            self.left.waiting.clear();
        }
    }

    /// Takes in more of an answer that had been left off.
    pub(super) fn read_on(&mut self, answer: &QueryOutcome<'_>) {
        let words = words_of(&answer.query.words);
        let known = self.known(&self.yields.rates(), &words);
        let asked = if let [word] = &words[..] { Some(word.as_str()) } else { None };
        self.take_in(asked, answer);
        let Some(left) = self.left.take(&answer.query.words) else { return };
        self.left.lost.clear();
        self.learn_pages(answer, left.matching.zip(known), 0);
        if let [word] = &left.words[..]
            && let Some(told) = self.told.get_mut(word)
        {
            told.shown += answer.hits.len() as f64;
        }
        self.leave(answer, left.words, known);
    }

    /// Lets an answer wait that was not read to its end; `known` are the records that matched and were seen before.
    pub(super) fn leave(&mut self, answer: &QueryOutcome<'_>, words: Vec<u32>, known: Option<f64>) {
        if answer.end != ReadingEnd::Paused || words.is_empty() {
            return;
        }
        self.left.add(Left {
            query: answer.query.after(0),
            words,
            matching: answer.total.map(|total| total.count() as f64),
            read: read(answer),
            share: self.share_to_come(answer, known),
            unseen: self.yields.unseen(&self.yields.rates(), self.ledger.everything()),
        });
    }

    /// Learns how many are new on later pages, from those behind so many records of an answer: a form that shows
    /// its records always in the same order shows the new ones last. `told` are the records that match and those of
    /// them that were seen before.
    pub(super) fn learn_pages(&mut self, answer: &QueryOutcome<'_>, told: Option<(f64, f64)>, from: usize) {
        let Some((matching, known)) = told else { return };
        let mut read = f64::from(answer.query.after) + from as f64;
        let mut known = known + count_new(&answer.hits[..from]);
        for page in answer.hits[from..].chunks(self.page_size as usize) {
            let (new, shown) = (count_new(page), page.len() as f64);
            let depth = self.depth(read);
            self.left.found[depth].learn(new, shown * unseen_share(matching, known, read));
            (read, known) = (read + shown, known + new);
        }
    }

    /// The share of new records among those to come of an answer; `known` are the records that matched and were
    /// seen before it came.
    fn share_to_come(&self, answer: &QueryOutcome<'_>, known: Option<f64>) -> f64 {
        let (new, shown) = (count_new(answer.hits), answer.hits.len() as f64);
        match answer.total.zip(known) {
            Some((total, known)) => {
                let told = unseen_share(total.count() as f64, known + new, read(answer));
                mixed(new / shown.max(1.0), shown, told, trust_in_totals(&self.yields.rates()))
            }
            None => mixed(new / shown.max(1.0), shown, self.hope, TRUST),
        }
    }

    /// The same of one that was left off.
    fn share_of_new(&self, rates: &Rates, left: &Left) -> f64 {
        let unseen = self.yields.unseen(rates, self.ledger.everything());
        let own = left.share * (unseen / left.unseen.max(1e-9)).min(1.0);
        let [word] = left.words[..] else { return own };
        let tally = &self.ledger.tallies()[word as usize];
        match left.matching {
            Some(matching) => {
                let told = unseen_share(matching, rates.known_beyond(tally), left.read);
                mixed(own, left.read, told, trust_in_totals(rates))
            }
            None => {
                let expected = self.yields.expect(rates, tally, None);
                let to_come = (expected.matching - left.read).max(expected.unseen).max(1.0);
                mixed(own, left.read, expected.unseen / to_come, TRUST)
            }
        }
    }

    /// Seen records that match, when one word is asked.
    fn known(&self, rates: &Rates, words: &[String]) -> Option<f64> {
        let [word] = words else { return None };
        Some(rates.known_beyond(&self.ledger.tally(word)))
    }

    /// Records on the page behind so many.
    fn next_page(&self, matching: Option<f64>, read: f64, costs: &RequestCosts) -> f64 {
        let cap = costs.cap.or(self.cap.value()).map_or(f64::INFINITY, f64::from);
        (matching.unwrap_or(f64::INFINITY).min(cap) - read).clamp(0.0, f64::from(costs.page_size))
    }

    /// How much more is new on a page than numbers say, behind so many records.
    fn found_at(&self, read: f64) -> f64 {
        self.left.found[self.depth(read)].value()
    }

    fn depth(&self, read: f64) -> usize {
        ((read / self.page_size).max(1.0).log2() as usize).min(DEPTHS - 1)
    }
}

/// Totals say the more, the less is out of sight of the records that they are held against.
fn trust_in_totals(rates: &Rates) -> f64 {
    TRUST / (1.0 - 1.0 / rates.beyond().max(1.0) + SURE)
}

/// The share of unseen records among those that match and were not read.
fn unseen_share(matching: f64, known: f64, read: f64) -> f64 {
    ((matching - known) / (matching - read).max(1.0)).clamp(0.0, 1.0)
}

/// What an answer's own records say, mixed with what else is known, which counts as so many of them.
fn mixed(own: f64, shown: f64, other: f64, trust: f64) -> f64 {
    ((own * shown + other * trust) / (shown + trust)).clamp(0.0, 1.0)
}

/// Records of an answer that were read, now and before.
fn read(answer: &QueryOutcome<'_>) -> f64 {
    f64::from(answer.query.after) + answer.hits.len() as f64
}

fn count_new(hits: &[Hit<'_>]) -> f64 {
    hits.iter().filter(|hit| hit.is_new).count() as f64
}
