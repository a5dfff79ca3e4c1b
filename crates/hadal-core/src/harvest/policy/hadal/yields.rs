//! How many records a word brings up, and how many of them are new.
//!
//! What was caught once resembles what was never caught (Good and Turing), but a word's own counts are
//! noisy: unseen records with a word are taken to be `lambda` times the seen ones, times the root of how
//! much more often than usual those came only once. Of seen records those come back whose indexed part has
//! the word. Both are learned from every answer that held all that match. When more match than the form
//! ever shows, those shown hold fewer new ones than a random choice: `cut` learns how many, by how many
//! times over they match.

use super::ledger::{Catch, Tally};

/// How much of what was learned is left after another answer.
const MEMORY: f64 = 0.93;

/// Records of the usual kind that are mixed into a word's own.
const SHRINK: f64 = 5.0;

/// A quotient of two sums that forget.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    found: f64,
    expected: f64,
}

impl Ratio {
    /// As if `weight` had been expected, and `value` times as much found.
    pub fn starting_at(value: f64, weight: f64) -> Ratio {
        Ratio { found: value * weight, expected: weight }
    }

    /// Takes in another pair.
    pub fn learn(&mut self, found: f64, expected: f64) {
        if expected > 0.0 {
            self.found = self.found * MEMORY + found;
            self.expected = self.expected * MEMORY + expected;
        }
    }

    /// The quotient.
    pub fn value(&self) -> f64 {
        self.found / self.expected.max(1e-9)
    }
}

/// What is expected of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Records that match.
    pub matching: f64,
    /// Of those, unseen ones.
    pub unseen: f64,
    /// Records that will be shown.
    pub shown: f64,
    /// Of those, new ones.
    pub new: f64,
}

/// Everything learned about yields.
pub struct Yields {
    /// Unseen records to seen ones, for the usual word.
    lambda: Ratio,
    back_title: Ratio,
    back_body: Ratio,
    /// Records that match to those of them that have the word in sight.
    beyond: Ratio,
    cut: [Ratio; 12],
    /// Share of seen records that came once.
    usual_once: f64,
}

impl Default for Yields {
    fn default() -> Yields {
        Yields {
            lambda: Ratio::starting_at(5.0, 3.0),
            back_title: Ratio::starting_at(1.0, 10.0),
            back_body: Ratio::starting_at(1.0, 10.0),
            beyond: Ratio::starting_at(1.0, 20.0),
            cut: [Ratio::starting_at(1.0, 10.0); 12],
            usual_once: 1.0,
        }
    }
}

impl Yields {
    /// What a word with this tally will bring when at most `cap` records are shown.
    pub fn expect(&self, tally: &Tally, cap: Option<u32>) -> Expected {
        let known = self.back(tally.title, tally.body);
        let unseen = self.lambda.value() * self.unusual(tally, known);
        let beyond = self.beyond.value();
        self.cut_off(unseen * beyond, known * beyond, cap)
    }

    /// Seen records that come back.
    pub fn back(&self, title: u32, body: u32) -> f64 {
        self.back_title.value() * f64::from(title) + self.back_body.value() * f64::from(body)
    }

    /// Seen records with a word, weighed by how much more often than usual they came only once.
    fn unusual(&self, tally: &Tally, known: f64) -> f64 {
        let once = self.back(tally.title_once, tally.body_once);
        let share = (once + SHRINK * self.usual_once) / (known + SHRINK);
        known * (share / self.usual_once).sqrt()
    }

    /// What comes of so many unseen and seen records that match.
    pub fn cut_off(&self, unseen: f64, known: f64, cap: Option<u32>) -> Expected {
        let matching = unseen + known;
        let Some(cap) = cap.map(f64::from).filter(|cap| *cap < matching) else {
            return Expected { matching, unseen, shown: matching, new: unseen };
        };
        let new = cap * unseen / matching * self.cut[level(matching / cap)].value();
        Expected { matching, unseen, shown: cap, new: new.min(cap) }
    }

    /// Learns from an answer that held all that match.
    pub fn learn_whole(&mut self, before: &Tally, catch: &Catch) {
        let new = f64::from(catch.new.all()) / self.beyond.value();
        self.lambda.learn(new, self.unusual(before, self.back(before.title, before.body)));
        self.back_title.learn(f64::from(catch.again.title), f64::from(before.title));
        self.back_body.learn(f64::from(catch.again.body), f64::from(before.body));
        let all = catch.new.all() + catch.again.all();
        let hidden = catch.new.hidden + catch.again.hidden;
        self.beyond.learn(f64::from(all), f64::from(all - hidden));
    }

    /// Learns how many are unseen from the number of matches that the form told.
    pub fn learn_told(&mut self, before: &Tally, matching: f64) {
        let known = self.back(before.title, before.body);
        let unseen = (matching / self.beyond.value() - known).max(0.0);
        self.lambda.learn(unseen, self.unusual(before, known));
    }

    /// Learns from an answer of which some was left off.
    pub fn learn_cut(&mut self, expected: &Expected, new: u32, shown: u32) {
        if expected.matching > 0.0 && shown > 0 {
            let times = expected.matching / f64::from(shown);
            let random = f64::from(shown) * expected.unseen / expected.matching;
            self.cut[level(times)].learn(f64::from(new), random);
        }
    }

    /// Takes note of how many of the seen records came once.
    pub fn set_usual_once(&mut self, share: f64) {
        self.usual_once = share.clamp(0.01, 1.0);
    }
}

fn level(times: f64) -> usize {
    (times.max(1.0).log2() as usize).min(11)
}
