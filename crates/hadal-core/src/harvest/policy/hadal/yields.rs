//! How many records a word brings up, and how many of them are new.
//!
//! Every seen record with a word vouches for unseen ones, the more so the more it is like them: what was caught
//! once resembles what was never caught (Good and Turing), and short records are hard to catch. How many
//! unseen ones that makes is learned from every answer. Words are many and most are rare, so that one which
//! stands in a single record is mostly in few others: half a record of each word vouches for nothing. Where the
//! form tells how many records have a broad word, that is the measure instead, and how much less the records of
//! rare words vouch for is learned by itself. Of seen records those come back whose indexed part has the word. When
//! more match than the form ever shows, those shown hold fewer new ones than a random choice: `cut` learns how many,
//! by how many times over they match. Where lists show only some words of a record, what is known of those that match is
//! too little, and `first` learns what first pages really bring.

use super::ledger::{Catch, Tally};

/// How much of what was learned is left after another answer.
const MEMORY: f64 = 0.93;

/// The records of a word that vouch for nothing.
const IDLE: f64 = 0.5;

/// Times as much as before that is much.
const MUCH: f64 = 1.3;

/// Share of the unseen records that are left after an answer, at the least.
const LEFT: f64 = 0.05;

/// Unseen records beyond which an answer counts no more for having more of them.
const EVEN: f64 = 5.0;

/// Times as many as expected that an answer may at most be taken to have.
const SURPRISE: f64 = 8.0;

/// Seen records with a word, from which on it is less rare.
const RARITIES: [f32; 8] = [0.0, 2.0, 3.0, 4.0, 6.0, 10.0, 17.0, 33.0];

/// Records elsewhere than in titles that part of an answer counts for at most.
const MOST_EXPECTED: f64 = 10.0;

/// Share of records with the word elsewhere than in the title, below which the index seems not to have them.
const HARDLY_ANY: f64 = 0.05;

/// Records that match to those that have the word in sight, from which on too much is out of sight.
const OUT_OF_SIGHT: f64 = 1.05;

/// Records below which what was told of broad words says too little: unseen ones, and seen ones like them.
const LEAST_UNSEEN: f64 = 30.0;
const LEAST_ALIKE: f64 = 5.0;

/// What the first guess for a rarity counts for.
const FIRM: f64 = 20.0;

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

/// What a form told of a word of which it showed only some records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// Records that match.
    pub matching: f64,
    /// Of those, records in the answer.
    pub shown: f64,
}

/// What was learned, as factors of a word's counts.
pub struct Rates {
    lambda: f64,
    /// What the records of a word vouch for to those of a broad one, by its rarity, where that is known.
    rare: Option<[f64; RARITIES.len()]>,
    back: [f64; 2],
    beyond: f64,
    /// New records to those of a random choice, at most.
    most_cut: f64,
}

impl Rates {
    /// Seen records that come back.
    pub fn known(&self, tally: &Tally) -> f64 {
        f64::from(tally.title.count) * self.back[0] + f64::from(tally.body.count) * self.back[1]
    }

    /// Seen records that come back, those included that have the word out of sight.
    pub fn known_beyond(&self, tally: &Tally) -> f64 {
        self.known(tally) * self.beyond
    }

    /// Records that match to those of them that have the word in sight.
    pub fn beyond(&self) -> f64 {
        self.beyond
    }

    /// Those among them that are like unseen ones.
    fn alike(&self, tally: &Tally) -> f64 {
        f64::from(tally.title.alike) * self.back[0] + f64::from(tally.body.alike) * self.back[1]
    }

    /// Unseen records that have the word in sight.
    fn unseen(&self, tally: &Tally) -> f64 {
        let vouched = self.rare.as_ref().map_or_else(|| usually_vouched(tally), |rare| rare[rarity(tally)]);
        self.lambda * self.alike(tally) * vouched
    }

    /// The same for several words together, which are no rare word.
    pub fn of_several(self) -> Rates {
        Rates { rare: None, ..self }
    }

    /// New records that a word brings at the most, for each of its records that is like unseen ones.
    pub fn most_for_each(&self) -> f64 {
        let vouched = self.rare.iter().flatten().copied().fold(1.0, f64::max);
        self.lambda * vouched * self.beyond * self.most_cut * self.back[0].max(self.back[1])
    }

    /// New records that a word brings at the most.
    pub fn most_new(&self, tally: &Tally) -> f64 {
        self.unseen(tally) * self.beyond * self.most_cut
    }
}

/// Everything learned about yields.
pub struct Yields {
    /// Unseen records for each that is like them; this falls as the harvest goes on.
    lambda: Ratio,
    /// The same by what the form told of broad words.
    told: Option<f64>,
    rare: [Ratio; RARITIES.len()],
    back_title: Ratio,
    back_body: Ratio,
    /// Records that match to those of them that have the word in sight.
    beyond: Ratio,
    cut: [Ratio; 12],
    /// New records on first pages to those expected, where words are out of sight.
    first: [Ratio; 12],
    /// Records with the word elsewhere than in the title, to all that show it.
    elsewhere: Ratio,
}

impl Default for Yields {
    fn default() -> Yields {
        Yields {
            lambda: Ratio::starting_at(10.0, 1.0),
            told: None,
            rare: RARITIES.map(|count| Ratio::starting_at(1.0 - IDLE / f64::from(count).max(1.0), FIRM)),
            back_title: Ratio::starting_at(1.0, 10.0),
            back_body: Ratio::starting_at(1.0, 10.0),
            beyond: Ratio::starting_at(1.0, 20.0),
            cut: [Ratio::starting_at(1.0, 10.0); 12],
            first: [Ratio::starting_at(1.0, 20.0); 12],
            elsewhere: Ratio::starting_at(0.0, 1.0),
        }
    }
}

impl Yields {
    /// What a word with this tally will bring when at most `cap` records are shown.
    pub fn expect(&self, rates: &Rates, tally: &Tally, cap: Option<u32>) -> Expected {
        let (unseen, known) = (rates.unseen(tally) * rates.beyond, rates.known(tally) * rates.beyond);
        let sure = f64::from(tally.all()) - IDLE;
        self.cut_off(unseen, known, sure, cap)
    }

    /// The same of the first page alone. Where records show only some of their words, those that match and were seen
    /// are more than is known; then what first pages brought is the measure.
    pub fn expect_first(&self, rates: &Rates, tally: &Tally, most: Option<u32>) -> Expected {
        let expected = self.expect(rates, tally, most);
        if rates.beyond <= OUT_OF_SIGHT {
            return expected;
        }
        let most = most.map_or(expected.matching, f64::from);
        Expected { new: expected.new * self.first[fullness(&expected, most)].value(), ..expected }
    }

    /// Unseen records in all, when these are the seen ones.
    pub fn unseen(&self, rates: &Rates, everything: &Tally) -> f64 {
        rates.unseen(everything)
    }

    /// The rates in force.
    pub fn rates(&self) -> Rates {
        let back = [self.back_title.value(), self.back_body.value()];
        let most = |ratios: &[Ratio]| ratios.iter().map(Ratio::value).fold(1.0, f64::max);
        let most_cut = most(&self.cut) * most(&self.first);
        let lambda = self.told.unwrap_or(self.lambda.value());
        let rare = self.told.map(|_| self.rare.map(|ratio| ratio.value()));
        Rates { lambda, rare, back, beyond: self.beyond.value(), most_cut }
    }

    /// What comes of so many unseen and seen records that match; the numbers are the surer, the more records
    /// they come from.
    fn cut_off(&self, unseen: f64, known: f64, sure: f64, cap: Option<u32>) -> Expected {
        let matching = unseen + known;
        let Some(cap) = cap.map(f64::from) else {
            return Expected { matching, unseen, shown: matching, new: unseen };
        };
        let shown = soft_least(matching, cap, sure);
        let cut = if matching > cap { self.cut[level(matching / cap)].value() } else { 1.0 };
        let new = unseen * shown / matching.max(1e-9) * cut;
        Expected { matching, unseen, shown, new: new.min(shown) }
    }

    /// Takes note of what an answer changed, when that is much: by so many `new` records there are fewer unseen
    /// ones, and more that are like them.
    pub fn settle(&mut self, before: &Tally, after: &Tally, new: f64) {
        let more = f64::from(after.body.alike / before.body.alike.max(1e-9));
        if more > MUCH && before.all() > 0.0 {
            let unseen = self.rates().unseen(before);
            self.lambda.found *= ((1.0 - new / unseen.max(1e-9)) / more).max(LEFT);
        }
    }

    /// Learns from an answer that held all that match; also how many of them have the word out of sight, from those
    /// that came before for other words: new ones may show it because it was asked for.
    pub fn learn_whole(&mut self, before: &Tally, catch: &Catch) {
        let again = catch.again.all();
        self.beyond.learn(f64::from(again), f64::from(again - catch.again.hidden));
        let rates = self.rates();
        self.learn_unseen(&rates, before, f64::from(catch.new.all()) / rates.beyond);
        self.back_title.learn(f64::from(catch.again.title), f64::from(before.title.count));
        self.back_body.learn(f64::from(catch.again.body), f64::from(before.body.count));
    }

    /// Learns from part of an answer where the index has the word: with none that has it elsewhere than in the
    /// title, those do not come back. Many forms show titles first, so that this is said only where hardly any ever
    /// came.
    pub fn learn_where(&mut self, before: &Tally, catch: &Catch) {
        let elsewhere = catch.again.body + catch.new.body;
        let titles = catch.again.title + catch.new.title;
        self.elsewhere.learn(f64::from(elsewhere), f64::from(elsewhere + titles));
        let is_anywhere = elsewhere > 0;
        if before.title.count > 0.0 && (is_anywhere || self.elsewhere.value() < HARDLY_ANY) {
            let per_title = before.body.count / before.title.count;
            let expected = f64::from(catch.again.title as f32 * per_title).min(MOST_EXPECTED);
            self.back_body.learn(if is_anywhere { expected } else { 0.0 }, expected);
        }
    }

    /// Learns how many are unseen from the number of matches that the form told.
    /// What was to be expected, had that number been known.
    pub fn learn_told(&mut self, before: &Tally, matching: f64) -> Expected {
        let rates = self.rates();
        let unseen = (matching / rates.beyond - rates.known(before)).max(0.0);
        self.learn_unseen(&rates, before, unseen);
        Expected { matching, unseen: unseen * rates.beyond, ..Expected::default() }
    }

    /// Learns from an answer of which an unknown part was left off: the unseen ones among all that match are at
    /// least as many as among those shown.
    pub fn learn_part(&mut self, before: &Tally, expected: &Expected, catch: &Catch) {
        let (new, again) = (f64::from(catch.new.all()), f64::from(catch.again.all()));
        let rates = self.rates();
        self.learn_unseen(&rates, before, rates.known(before) * new / again.max(1.0));
        self.learn_cut(expected, catch.new.all(), catch.all());
    }

    /// Takes in how many unseen records a word turned out to have.
    fn learn_unseen(&mut self, rates: &Rates, before: &Tally, found: f64) {
        let expected = rates.unseen(before);
        let weight = 1.0 / (1.0 + expected / EVEN);
        let found = found.min(SURPRISE * (expected + 1.0));
        let alike = rates.alike(before);
        self.lambda.learn(weight * found, weight * alike * usually_vouched(before));
        if let Some(told) = self.told {
            self.rare[rarity(before)].learn(weight * found, weight * told * alike);
        }
    }

    /// Holds to what the form told of broad words, as long as there is any: each with its tally, the records that
    /// match and those that its own answer showed, which vouch for nothing.
    pub fn hold_to(&mut self, broad: impl Iterator<Item = (Tally, Told)>) {
        let rates = self.rates();
        let (mut unseen, mut alike) = (0.0, 0.0);
        for (tally, told) in broad {
            let known = rates.known(&tally);
            unseen += (told.matching / rates.beyond - known).max(0.0);
            alike += rates.alike(&tally) * (1.0 - told.shown / rates.beyond / known.max(1.0)).max(0.0);
        }
        self.told = (unseen >= LEAST_UNSEEN && alike >= LEAST_ALIKE).then(|| unseen / alike);
    }

    /// Learns how many new records a first page of so many brought, of which this was expected.
    pub fn learn_first(&mut self, expected: &Expected, new: u32, page_size: f64) {
        self.first[fullness(expected, page_size)].learn(f64::from(new), expected.new);
    }

    /// Learns from an answer of which some was left off.
    pub fn learn_cut(&mut self, expected: &Expected, new: u32, shown: u32) {
        if expected.matching > 0.0 && shown > 0 {
            let times = expected.matching / f64::from(shown);
            let random = f64::from(shown) * expected.unseen / expected.matching;
            self.cut[level(times)].learn(f64::from(new), random);
        }
    }
}

/// The least of an uncertain number and a sure one, on average: the surer the first, the nearer to the least.
fn soft_least(uncertain: f64, sure: f64, evidence: f64) -> f64 {
    let power = 0.5 + evidence.clamp(IDLE, 8.0);
    let ratio = uncertain / sure.max(1e-9);
    match ratio {
        _ if ratio < 0.05 => uncertain,
        _ => uncertain / (1.0 + ratio.powf(power)).powf(1.0 / power),
    }
}

/// How rare a word is, by the records of it that were seen.
fn rarity(tally: &Tally) -> usize {
    RARITIES.iter().rposition(|from| tally.all() >= *from).unwrap_or(0)
}

/// What the records of a word vouch for to those of a broad one, before anything is known.
fn usually_vouched(tally: &Tally) -> f64 {
    1.0 - IDLE / f64::from(tally.all()).max(1.0)
}

/// How often a page of so many records could be filled: not once, once, twice or four times.
fn fullness(expected: &Expected, page: f64) -> usize {
    level(2.0 * expected.matching / page.max(1.0))
}

fn level(times: f64) -> usize {
    (times.max(1.0).log2() as usize).min(11)
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Places;
    use super::*;

    fn tally(records: u32, captures: u8) -> Tally {
        let mut tally = Tally::default();
        (0..records).for_each(|_| tally.add(false, 16, captures, 1.0));
        tally
    }

    #[test]
    fn records_that_came_often_vouch_for_fewer_unseen_ones() {
        let yields = Yields::default();
        let unseen = |tally: &Tally| yields.expect(&yields.rates(), tally, None).unseen;
        assert!(unseen(&tally(10, 1)) > 3.0 * unseen(&tally(10, 4)));
        assert!(unseen(&tally(10, 1)) > 15.0 * unseen(&tally(1, 1)), "most words are rare");
    }

    #[test]
    fn what_answers_hold_is_soon_what_is_expected() {
        let mut yields = Yields::default();
        let before = tally(20, 1);
        let catch = Catch {
            new: Places { body: 4, ..Places::default() },
            again: Places { body: 20, ..Places::default() },
        };
        (0..40).for_each(|_| yields.learn_whole(&before, &catch));
        let expected = yields.expect(&yields.rates(), &before, None);
        assert!(
            (expected.unseen - 4.0).abs() < 0.5 && (expected.matching - 24.0).abs() < 0.5,
            "{expected:?}"
        );
    }

    #[test]
    fn titles_that_come_first_do_not_hide_the_rest() {
        let mut before = tally(30, 1);
        (0..10).for_each(|_| before.add(true, 16, 1, 1.0));
        let titles = Places { title: 10, ..Places::default() };
        let titles_only = Catch { again: titles, ..Catch::default() };
        let some_elsewhere = Catch { again: Places { body: 4, ..titles }, ..Catch::default() };
        let known = |answers: &[Catch]| {
            let mut yields = Yields::default();
            answers.iter().cycle().take(30).for_each(|catch| yields.learn_where(&before, catch));
            yields.rates().known(&before)
        };
        assert!(known(&[titles_only]) < 15.0);
        assert_eq!(known(&[some_elsewhere, titles_only]), 40.0);
    }

    #[test]
    fn first_pages_are_measured_by_first_pages_where_words_are_out_of_sight() {
        let before = tally(20, 1);
        let after = |hidden| {
            let mut yields = Yields::default();
            let again = Places { body: 20, hidden, ..Places::default() };
            yields.learn_whole(&before, &Catch { again, ..Catch::default() });
            let expected = yields.expect(&yields.rates(), &before, Some(10));
            (0..60).for_each(|_| yields.learn_first(&expected, 0, 10.0));
            (yields.expect_first(&yields.rates(), &before, Some(10)).new, expected.new)
        };
        let (new, expected) = after(20);
        assert!(new < 0.1 * expected, "{new} {expected}");
        let (new, expected) = after(0);
        assert_eq!(new, expected);
    }

    #[test]
    fn an_uncertain_number_stays_well_below_the_cap() {
        assert!(soft_least(30.0, 10.0, 0.5) < 8.0);
        assert!(soft_least(30.0, 10.0, 8.0) > 9.9);
        assert_eq!(soft_least(0.2, 10.0, 0.5), 0.2);
    }
}
