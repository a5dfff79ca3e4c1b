//! How many records a word brings up, and how many of them are new.
//!
//! What was caught once resembles what was never caught (Good and Turing), but a word's own counts are
//! noisy: unseen records with a word are taken to be `lambda` times the seen ones, times the root of how
//! much more often than usual those came only once. Of seen records those come back whose indexed part has
//! the word. Both are learned from every answer that held all that match. When more match than the form
//! ever shows, those shown hold fewer new ones than a random choice: `cut` learns how many, by how many
//! times over they match.

use super::ledger::{CLASSES, Catch, Class, Tally};

/// How much of what was learned is left after another answer.
const MEMORY: f64 = 0.93;

/// Records of the usual kind that are mixed into a word's own.
const SHRINK: f64 = 5.0;

/// Records of the usual kind that are mixed into those of a class.
const STRENGTH: f64 = 10.0;

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

    /// The quotient, as if `weight` more had been expected and found at the usual rate.
    pub fn shrunk(&self, usual: f64, weight: f64) -> f64 {
        (self.found + weight * usual) / (self.expected + weight)
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

/// What was learned, as factors of a word's counts.
pub struct Rates {
    back: [f64; CLASSES],
    unseen: [f64; CLASSES],
    once: [f64; 2],
    usual_once: f64,
    beyond: f64,
}

impl Rates {
    /// Seen records that come back.
    pub fn known(&self, tally: &Tally) -> f64 {
        tally.seen.iter().zip(&self.back).map(|(seen, rate)| f64::from(*seen) * rate).sum()
    }

    /// The root of how much more often than usual records with a word came only once.
    fn unusual(&self, tally: &Tally, known: f64) -> f64 {
        let once = self.once[0] * f64::from(tally.title_once) + self.once[1] * f64::from(tally.body_once);
        ((once / self.usual_once + SHRINK) / (known + SHRINK)).sqrt()
    }

    /// A word in fewer records than this does not bring so many new ones.
    pub fn seen_for(&self, new: f64) -> u32 {
        let unseen = self.unseen.iter().copied().fold(0.0, f64::max) * (1.0 / self.usual_once + 1.0).sqrt();
        (new / self.beyond / unseen.max(1e-9)).max(1.0) as u32
    }
}

/// Everything learned about yields.
pub struct Yields {
    /// Unseen records to seen ones, for the usual word.
    lambda: Ratio,
    /// The same by class of record.
    lambdas: [Ratio; CLASSES],
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
            lambdas: [Ratio::starting_at(0.0, 0.0); CLASSES],
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
    pub fn expect(&self, rates: &Rates, tally: &Tally, cap: Option<u32>) -> Expected {
        let known = rates.known(tally);
        let unseen: f64 =
            tally.seen.iter().zip(&rates.unseen).map(|(seen, rate)| f64::from(*seen) * rate).sum();
        self.cut_off(unseen * rates.unusual(tally, known) * rates.beyond, known * rates.beyond, cap)
    }

    /// The rates in force.
    pub fn rates(&self) -> Rates {
        let lambda = self.lambda.value();
        let back =
            |class| if Class(class).is_title() { self.back_title.value() } else { self.back_body.value() };
        let back: [f64; CLASSES] = std::array::from_fn(back);
        let unseen = std::array::from_fn(|class| back[class] * self.lambdas[class].shrunk(lambda, STRENGTH));
        let once = [self.back_title.value(), self.back_body.value()];
        Rates { back, unseen, once, usual_once: self.usual_once, beyond: self.beyond.value() }
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
        let rates = self.rates();
        let unusual = rates.unusual(before, rates.known(before));
        let in_sight = f64::from(catch.new.all() - catch.new.hidden).max(1.0);
        let scale = f64::from(catch.new.all()) / in_sight / rates.beyond;
        for class in 0..CLASSES {
            let expected = f64::from(before.seen[class]) * rates.back[class] * unusual;
            self.lambdas[class].learn(f64::from(catch.new.seen[class]) * scale, expected);
        }
        self.lambda.learn(f64::from(catch.new.all()) / rates.beyond, rates.known(before) * unusual);
        self.back_title.learn(f64::from(catch.again.title()), f64::from(before.title()));
        self.back_body.learn(f64::from(catch.again.body()), f64::from(before.body()));
        let all = catch.new.all() + catch.again.all();
        let hidden = catch.new.hidden + catch.again.hidden;
        self.beyond.learn(f64::from(all), f64::from(all - hidden));
    }

    /// Learns how many are unseen from the number of matches that the form told.
    /// What was to be expected, had that number been known.
    pub fn learn_told(&mut self, before: &Tally, matching: f64) -> Expected {
        let rates = self.rates();
        let known = rates.known(before);
        let unusual = rates.unusual(before, known);
        let unseen = (matching / rates.beyond - known).max(0.0);
        let expected = self.expect(&rates, before, None).unseen / rates.beyond;
        for class in 0..CLASSES {
            let seen = f64::from(before.seen[class]);
            let share = seen * rates.unseen[class] * unusual / expected.max(1e-9);
            self.lambdas[class].learn(unseen * share, seen * rates.back[class] * unusual);
        }
        self.lambda.learn(unseen, known * unusual);
        Expected { matching, unseen: unseen * rates.beyond, ..Expected::default() }
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
