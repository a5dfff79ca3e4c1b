//! Yield model: expected number of matching, unseen and new records of a query word.
//!
//! For a word `w`, from the counts `n_p(w)` and weights `g_p(w)` of the [capture table](super::captures):
//!
//! ```text
//! K = r_title * n_title + r_body * n_body       seen records that match and show w
//! G = r_title * g_title + r_body * g_body       their weight
//! U = lambda * G * v(n)                         unseen records that match and show w
//!
//! unseen   = beta * U
//! matching = beta * (U + K)
//! shown    = soft minimum of matching and cap
//! new      = unseen * shown / matching * kappa(matching / cap), at most shown
//! ```
//!
//! - `n`: `n_title + n_body`, seen records that contain `w`.
//! - `r_title`, `r_body`: share of seen records with `w` in that part that come back, learned from complete
//!   answers. `r_body` is near 0 if the form indexes titles only.
//! - `lambda`: unseen matching records per unit of weight, learned from every answer to one word. It falls
//!   during the harvest.
//! - `v(n)`: rarity factor. Most words are rare, so a word with one seen record has few others. It is
//!   `1 - 0.5 / n` at first, and learned from every answer to one word while `lambda` comes from stated
//!   totals.
//! - `beta`: matching records per matching record that shows `w`, learned from records that come again. It is
//!   above 1 if result lists show excerpts.
//! - `cap`: maximum number of records that are shown, the result cap or the page size.
//! - `kappa`: new records in a cut answer per new record expected of a random choice, by
//!   `floor(log2(matching / cap))`, learned from cut answers.
//!
//! All counts are records; the other symbols are ratios. On first pages of forms with excerpts (`beta` above
//! [`EXCERPT_BETA`]) `K` is too low, and `new` is multiplied by `phi`, the ratio of new records found to expected on
//! earlier first pages.
//!
//! Under small result caps most queried words are rare. Then `lambda` is taken from the stated totals of broad words:
//!
//! ```text
//! lambda = sum of max(0, T / beta - K)  /  sum of G * max(0, 1 - shown / (beta * max(1, K)))
//! ```
//!
//! over the broad words with a stated total `T`, where `shown` is the number of records in the word's own answers.
//! Those records were captured because of the word, so they are left out of its weight. `v(n)` is then learned per
//! class of `n`.

use super::captures::{AnswerCounts, WordCounts};

/// Factor by which an observation loses weight with each later one: about the last 14 count. Chosen by hand
/// over 0.95.
const DECAY: f64 = 0.93;

/// Records of each word that predict no unseen ones before anything is learned: `v(n) = 1 - DISCOUNTED_RECORDS / n`.
/// Guess.
const DISCOUNTED_RECORDS: f64 = 0.5;

/// Growth factor of the weight of all records above which `lambda` is corrected at once. Below it, learning keeps up.
/// Guess.
const LARGE_GROWTH: f64 = 1.3;

/// Least factor of that correction. Guess.
const MIN_CORRECTION: f64 = 0.05;

/// Weight of an answer with `U` expected unseen records: `1 / (1 + U / HALF_WEIGHT_UNSEEN)`, so that one
/// large answer does not outweigh many small ones. Guess.
const HALF_WEIGHT_UNSEEN: f64 = 5.0;

/// Maximum number of unseen records that one answer counts for, as a multiple of `U + 1`. Limits the effect
/// of outliers. Guess.
const MAX_FOUND_PER_EXPECTED: f64 = 8.0;

/// Least `n` of each rarity class. Guess.
const RARITY_CLASSES: [f32; 8] = [0.0, 2.0, 3.0, 4.0, 6.0, 10.0, 17.0, 33.0];

/// Weight of the initial `v(n)` of each rarity class, in expected unseen records. Guess.
const RARITY_PRIOR_WEIGHT: f64 = 20.0;

/// Maximum number of records that one cut answer counts for as evidence that the form indexes bodies. Guess.
const MAX_BODY_EVIDENCE: f64 = 10.0;

/// Maximum number of records that one complete answer counts for when the shares `r` are learned. Guess.
const MAX_RETURN_EVIDENCE: f64 = 20.0;

/// Share of shown records with the word outside the title, below which a form seems to index titles only. Guess.
const TITLE_ONLY_SHARE: f64 = 0.05;

/// `beta` above which the form is taken to show excerpts. Guess.
const EXCERPT_BETA: f64 = 1.05;

/// Least sums of unseen records and of weight for which `lambda` is taken from stated totals. Guesses.
const MIN_STATED_UNSEEN: f64 = 30.0;
const MIN_STATED_WEIGHT: f64 = 5.0;

/// Levels of `kappa` and `phi`; level `i` is for ratios from `2^i`. The ratio of `phi` is twice the number of matching
/// records over the page length, so its level 1 begins at one page. Guess.
const LEVELS: usize = 12;

/// Least share of known records that return for words outside titles, if the form indexes texts. Guess.
const INDEXED_BODIES: f64 = 0.5;

/// Initial values of the ratios, as (value, weight in expected records). Guesses.
const LAMBDA_PRIOR: (f64, f64) = (10.0, 1.0);
const RETURN_PRIOR: (f64, f64) = (1.0, 10.0);
const BETA_PRIOR: (f64, f64) = (1.0, 20.0);
const KAPPA_PRIOR: (f64, f64) = (1.0, 10.0);
const PHI_PRIOR: (f64, f64) = (1.0, 20.0);
const BODY_SHARE_PRIOR: (f64, f64) = (0.0, 1.0);

/// Limits of the evidence that sharpens the soft minimum, in records. Guess.
const SOFT_MINIMUM_EVIDENCE: (f64, f64) = (0.5, 8.0);

/// Ratio to the cap below which the soft minimum is the number itself. Saves time; the difference is at most 5 %.
const FAR_BELOW_CAP: f64 = 0.05;

/// Ratio of found to expected numbers, where older pairs count less: `sum found / sum expected`, each pair weighed by
/// [`DECAY`] to the power of its age.
#[derive(Clone, Copy, Debug)]
pub struct DecayingRatio {
    found: f64,
    expected: f64,
}

impl DecayingRatio {
    /// Ratio that starts at `value` with the weight of `weight` expected records.
    pub fn from_prior((value, weight): (f64, f64)) -> DecayingRatio {
        DecayingRatio { found: value * weight, expected: weight }
    }

    /// Adds a pair. Ignored if nothing was expected.
    pub fn learn(&mut self, found: f64, expected: f64) {
        if expected > 0.0 {
            self.found = self.found * DECAY + found;
            self.expected = self.expected * DECAY + expected;
        }
    }

    /// Found per expected.
    pub fn value(&self) -> f64 {
        self.found / self.expected.max(1e-9)
    }
}

/// Expected records of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpectedYield {
    /// Records that match.
    pub matching: f64,
    /// Matching records that are unseen.
    pub unseen: f64,
    /// Records that the form shows.
    pub shown: f64,
    /// Shown records that are new.
    pub new: f64,
}

/// Stated total of a word with a cut answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StatedMatches {
    /// Records that match.
    pub matching: f64,
    /// Records that the answers to the word showed.
    pub shown: f64,
}

/// Present values of the learned ratios; see the module for the symbols.
pub struct YieldRates {
    lambda: f64,
    /// Learned `v(n)` by rarity class, if `lambda` comes from stated totals.
    rarity_factors: Option<[f64; RARITY_CLASSES.len()]>,
    return_rates: [f64; 2],
    beta: f64,
    /// Greatest `kappa * phi`.
    most_new_factor: f64,
}

impl YieldRates {
    /// `K`: seen records that match and show the word.
    pub fn known_visible(&self, counts: &WordCounts) -> f64 {
        let [title, body] = self.return_rates;
        f64::from(counts.title.records) * title + f64::from(counts.body.records) * body
    }

    /// `beta * K`: seen records that match.
    pub fn known_matching(&self, counts: &WordCounts) -> f64 {
        self.known_visible(counts) * self.beta
    }

    /// `beta`: matching records per matching record that shows the word.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// True if the form finds most words that records show outside their titles.
    pub fn indexes_bodies(&self) -> bool {
        self.return_rates[1] > INDEXED_BODIES
    }

    /// `G`: weight of the seen records that match and show the word.
    fn weight(&self, counts: &WordCounts) -> f64 {
        let [title, body] = self.return_rates;
        f64::from(counts.title.weight) * title + f64::from(counts.body.weight) * body
    }

    /// `U`: unseen records that match and show the word. For the counts of all records, the unseen records of the
    /// database.
    pub fn unseen_visible(&self, counts: &WordCounts) -> f64 {
        let factor = match &self.rarity_factors {
            Some(factors) => factors[rarity_class(counts)],
            None => initial_rarity_factor(counts),
        };
        self.lambda * self.weight(counts) * factor
    }

    /// The rates for several words together. Rarity classes hold for single words only.
    pub fn without_rarity_classes(self) -> YieldRates {
        YieldRates { rarity_factors: None, ..self }
    }

    /// Upper bound of `new` per unit of `g_title + g_body`.
    pub fn most_new_per_weight(&self) -> f64 {
        let factor = self.rarity_factors.iter().flatten().copied().fold(1.0, f64::max);
        let [title, body] = self.return_rates;
        self.lambda * factor * self.beta * self.most_new_factor * title.max(body)
    }

    /// Upper bound of `new` of a word.
    pub fn most_new(&self, counts: &WordCounts) -> f64 {
        self.unseen_visible(counts) * self.beta * self.most_new_factor
    }
}

/// Learns the ratios of the model from answers.
pub struct YieldModel {
    lambda: DecayingRatio,
    /// `lambda` by the stated totals of broad words, while there are enough.
    stated_lambda: Option<f64>,
    rarity_factors: [DecayingRatio; RARITY_CLASSES.len()],
    title_return: DecayingRatio,
    body_return: DecayingRatio,
    beta: DecayingRatio,
    kappa: [DecayingRatio; LEVELS],
    phi: [DecayingRatio; LEVELS],
    /// Share of the records that show the word which have it outside the title only.
    body_share: DecayingRatio,
}

impl Default for YieldModel {
    fn default() -> YieldModel {
        let rarity_prior =
            |least: f32| (1.0 - DISCOUNTED_RECORDS / f64::from(least).max(1.0), RARITY_PRIOR_WEIGHT);
        YieldModel {
            lambda: DecayingRatio::from_prior(LAMBDA_PRIOR),
            stated_lambda: None,
            rarity_factors: RARITY_CLASSES.map(|least| DecayingRatio::from_prior(rarity_prior(least))),
            title_return: DecayingRatio::from_prior(RETURN_PRIOR),
            body_return: DecayingRatio::from_prior(RETURN_PRIOR),
            beta: DecayingRatio::from_prior(BETA_PRIOR),
            kappa: [DecayingRatio::from_prior(KAPPA_PRIOR); LEVELS],
            phi: [DecayingRatio::from_prior(PHI_PRIOR); LEVELS],
            body_share: DecayingRatio::from_prior(BODY_SHARE_PRIOR),
        }
    }
}

impl YieldModel {
    /// Expected yield of a word when at most `cap` records are shown.
    pub fn expect(&self, rates: &YieldRates, counts: &WordCounts, cap: Option<u32>) -> ExpectedYield {
        let unseen = rates.unseen_visible(counts) * rates.beta;
        let known = rates.known_visible(counts) * rates.beta;
        let evidence = f64::from(counts.records()) - DISCOUNTED_RECORDS;
        self.limit_to_cap(unseen, known, evidence, cap)
    }

    /// Expected yield of the first page, which shows at most `most` records. Includes `phi` for forms with excerpts.
    pub fn expect_first_page(
        &self,
        rates: &YieldRates,
        counts: &WordCounts,
        most: Option<u32>,
    ) -> ExpectedYield {
        let expected = self.expect(rates, counts, most);
        if rates.beta <= EXCERPT_BETA {
            return expected;
        }
        let most = most.map_or(expected.matching, f64::from);
        ExpectedYield { new: expected.new * self.phi[page_level(&expected, most)].value(), ..expected }
    }

    /// Present values of all ratios.
    pub fn rates(&self) -> YieldRates {
        let return_rates = [self.title_return.value(), self.body_return.value()];
        let most = |ratios: &[DecayingRatio]| ratios.iter().map(DecayingRatio::value).fold(1.0, f64::max);
        let most_new_factor = most(&self.kappa) * most(&self.phi);
        let lambda = self.stated_lambda.unwrap_or(self.lambda.value());
        let rarity_factors = self.stated_lambda.map(|_| self.rarity_factors.map(|ratio| ratio.value()));
        YieldRates { lambda, rarity_factors, return_rates, beta: self.beta.value(), most_new_factor }
    }

    /// Yield of a query with `unseen` and `known` matches under a cap. `evidence` is the number of records that the
    /// two numbers rest on.
    fn limit_to_cap(&self, unseen: f64, known: f64, evidence: f64, cap: Option<u32>) -> ExpectedYield {
        let matching = unseen + known;
        let Some(cap) = cap.map(f64::from) else {
            return ExpectedYield { matching, unseen, shown: matching, new: unseen };
        };
        let shown = soft_minimum(matching, cap, evidence);
        let kappa = if matching > cap { self.kappa[level(matching / cap)].value() } else { 1.0 };
        let new = unseen * shown / matching.max(1e-9) * kappa;
        ExpectedYield { matching, unseen, shown, new: new.min(shown) }
    }

    /// Corrects `lambda` after an answer with `new` new records that changed the weight of all records much.
    ///
    /// `lambda` is unseen records per weight. The answer reduced the unseen records `U` by `new` and multiplied the
    /// weight by `growth`, so `lambda` becomes `lambda * (1 - new / U) / growth`.
    pub fn correct_lambda(&mut self, before: &WordCounts, after: &WordCounts, new: f64) {
        let growth = f64::from(after.body.weight / before.body.weight.max(1e-9));
        if growth > LARGE_GROWTH && before.records() > 0.0 {
            let unseen = self.rates().unseen_visible(before);
            self.lambda.found *= ((1.0 - new / unseen.max(1e-9)) / growth).max(MIN_CORRECTION);
        }
    }

    /// Learns from an answer that holds all matching records. `before` are the counts of the word before it.
    ///
    /// `beta` is learned from records that were captured before by other words: new records may show the word because
    /// the excerpt was chosen for it.
    pub fn learn_complete(&mut self, before: &WordCounts, answer: &AnswerCounts) {
        let again = answer.again.records();
        self.beta.learn(f64::from(again), f64::from(again - answer.again.hidden));
        let rates = self.rates();
        self.learn_unseen(&rates, before, f64::from(answer.new.records()) / rates.beta);
        learn_return(&mut self.title_return, answer.again.title, before.title.records);
        learn_return(&mut self.body_return, answer.again.body, before.body.records);
    }

    /// Learns from a cut answer whether the form indexes more than titles.
    ///
    /// One record with the word outside the title shows that bodies are indexed. An answer without such a record shows
    /// the opposite only if they are rare in all answers, because many forms rank matches in titles first.
    pub fn learn_indexed_parts(&mut self, before: &WordCounts, answer: &AnswerCounts) {
        let in_body = answer.again.body + answer.new.body;
        let in_title = answer.again.title + answer.new.title;
        self.body_share.learn(f64::from(in_body), f64::from(in_body + in_title));
        let indexes_body = in_body > 0;
        if before.title.records > 0.0 && (indexes_body || self.body_share.value() < TITLE_ONLY_SHARE) {
            let body_per_title = before.body.records / before.title.records;
            let expected = f64::from(answer.again.title as f32 * body_per_title).min(MAX_BODY_EVIDENCE);
            self.body_return.learn(if indexes_body { expected } else { 0.0 }, expected);
        }
    }

    /// Learns from a cut answer with the stated total `matching`. Returns the matching and unseen records that follow
    /// from the total.
    pub fn learn_stated_total(&mut self, before: &WordCounts, matching: f64) -> ExpectedYield {
        let rates = self.rates();
        let unseen = (matching / rates.beta - rates.known_visible(before)).max(0.0);
        self.learn_unseen(&rates, before, unseen);
        ExpectedYield { matching, unseen: unseen * rates.beta, ..ExpectedYield::default() }
    }

    /// Learns from a cut answer without a total. The ratio of unseen to seen records among the matches is taken to be
    /// that among the shown records.
    pub fn learn_partial(&mut self, before: &WordCounts, expected: &ExpectedYield, answer: &AnswerCounts) {
        let (new, again) = (f64::from(answer.new.records()), f64::from(answer.again.records()));
        let rates = self.rates();
        self.learn_unseen(&rates, before, rates.known_visible(before) * new / again.max(1.0));
        self.learn_kappa(expected, answer.new.records(), answer.records());
    }

    /// Learns `lambda` and `v(n)` from the number of unseen records that a word turned out to have.
    fn learn_unseen(&mut self, rates: &YieldRates, before: &WordCounts, found: f64) {
        let expected = rates.unseen_visible(before);
        let importance = 1.0 / (1.0 + expected / HALF_WEIGHT_UNSEEN);
        let found = found.min(MAX_FOUND_PER_EXPECTED * (expected + 1.0));
        let weight = rates.weight(before);
        self.lambda.learn(importance * found, importance * weight * initial_rarity_factor(before));
        if let Some(lambda) = self.stated_lambda {
            self.rarity_factors[rarity_class(before)].learn(importance * found, importance * lambda * weight);
        }
    }

    /// Sets `lambda` from the stated totals of broad words, if they cover enough records. Otherwise the learned
    /// `lambda` is used.
    pub fn set_stated_lambda(&mut self, broad_words: impl Iterator<Item = (WordCounts, StatedMatches)>) {
        let rates = self.rates();
        let (mut unseen, mut weight) = (0.0, 0.0);
        for (counts, stated) in broad_words {
            let known = rates.known_visible(&counts);
            unseen += (stated.matching / rates.beta - known).max(0.0);
            weight += rates.weight(&counts) * (1.0 - stated.shown / rates.beta / known.max(1.0)).max(0.0);
        }
        let is_enough = unseen >= MIN_STATED_UNSEEN && weight >= MIN_STATED_WEIGHT;
        self.stated_lambda = is_enough.then(|| unseen / weight);
    }

    /// Learns `phi` from a first page with `new` new records.
    pub fn learn_phi(&mut self, expected: &ExpectedYield, new: u32, page_size: f64) {
        self.phi[page_level(expected, page_size)].learn(f64::from(new), expected.new);
    }

    /// Learns `kappa` from the first `shown` records of a cut answer, `new` of them new.
    pub fn learn_kappa(&mut self, expected: &ExpectedYield, new: u32, shown: u32) {
        if expected.matching > 0.0 && shown > 0 {
            let times = expected.matching / f64::from(shown);
            let random = f64::from(shown) * expected.unseen / expected.matching;
            self.kappa[level(times)].learn(f64::from(new), random);
        }
    }
}

/// Learns the share of seen records that came back. An answer counts for [`MAX_RETURN_EVIDENCE`] records at most: a
/// label that every record shows may not be indexed, and would otherwise outweigh all other words.
fn learn_return(share: &mut DecayingRatio, again: u32, before: f32) {
    let scale = (MAX_RETURN_EVIDENCE / f64::from(before).max(1e-9)).min(1.0);
    share.learn(scale * f64::from(again), scale * f64::from(before));
}

/// Expected minimum of an uncertain number `x` and a cap `c`: `x / (1 + (x / c)^p)^(1 / p)`.
///
/// The power `p` grows with the evidence for `x`; for large `p` the result is `min(x, c)`.
fn soft_minimum(uncertain: f64, cap: f64, evidence: f64) -> f64 {
    let (least, most) = SOFT_MINIMUM_EVIDENCE;
    let power = 0.5 + evidence.clamp(least, most);
    let ratio = uncertain / cap.max(1e-9);
    match ratio {
        _ if ratio < FAR_BELOW_CAP => uncertain,
        _ => uncertain / (1.0 + ratio.powf(power)).powf(1.0 / power),
    }
}

/// Rarity class of a word by `n`.
fn rarity_class(counts: &WordCounts) -> usize {
    RARITY_CLASSES.iter().rposition(|least| counts.records() >= *least).unwrap_or(0)
}

/// `v(n)` before anything is learned.
fn initial_rarity_factor(counts: &WordCounts) -> f64 {
    1.0 - DISCOUNTED_RECORDS / f64::from(counts.records()).max(1.0)
}

/// Level of `phi`: 0 if less than a page matches, 1 from one page, 2 from two pages, 3 from four.
fn page_level(expected: &ExpectedYield, page_size: f64) -> usize {
    level(2.0 * expected.matching / page_size.max(1.0))
}

/// `floor(log2(ratio))`, from 0 to the last level.
fn level(ratio: f64) -> usize {
    (ratio.max(1.0).log2() as usize).min(LEVELS - 1)
}

#[cfg(test)]
mod tests {
    use super::super::captures::PlaceCounts;
    use super::*;

    fn counts(records: u32, captures: u8) -> WordCounts {
        let mut counts = WordCounts::default();
        (0..records).for_each(|_| counts.add(false, 16, captures, 1.0));
        counts
    }

    #[test]
    fn records_with_many_captures_predict_fewer_unseen_ones() {
        let model = YieldModel::default();
        let unseen = |counts: &WordCounts| model.expect(&model.rates(), counts, None).unseen;
        assert!(unseen(&counts(10, 1)) > 3.0 * unseen(&counts(10, 4)));
        assert!(unseen(&counts(10, 1)) > 15.0 * unseen(&counts(1, 1)), "most words are rare");
    }

    #[test]
    fn expectations_approach_the_answers() {
        let mut model = YieldModel::default();
        let before = counts(20, 1);
        let answer = AnswerCounts {
            new: PlaceCounts { body: 4, ..PlaceCounts::default() },
            again: PlaceCounts { body: 20, ..PlaceCounts::default() },
        };
        (0..40).for_each(|_| model.learn_complete(&before, &answer));
        let expected = model.expect(&model.rates(), &before, None);
        assert!(
            (expected.unseen - 4.0).abs() < 0.5 && (expected.matching - 24.0).abs() < 0.5,
            "{expected:?}"
        );
    }

    #[test]
    fn one_label_that_is_not_indexed_does_not_look_like_a_title_index() {
        let mut model = YieldModel::default();
        let found = |body| AnswerCounts {
            again: PlaceCounts { body, ..PlaceCounts::default() },
            ..AnswerCounts::default()
        };
        (0..20).for_each(|_| model.learn_complete(&counts(10, 1), &found(10)));
        model.learn_complete(&counts(2_000, 1), &found(0));
        assert!(model.rates().known_visible(&counts(10, 1)) > 8.0);
    }

    #[test]
    fn titles_ranked_first_do_not_look_like_a_title_index() {
        let mut before = counts(30, 1);
        (0..10).for_each(|_| before.add(true, 16, 1, 1.0));
        let titles = PlaceCounts { title: 10, ..PlaceCounts::default() };
        let titles_only = AnswerCounts { again: titles, ..AnswerCounts::default() };
        let some_in_body =
            AnswerCounts { again: PlaceCounts { body: 4, ..titles }, ..AnswerCounts::default() };
        let known = |answers: &[AnswerCounts]| {
            let mut model = YieldModel::default();
            answers.iter().cycle().take(30).for_each(|answer| model.learn_indexed_parts(&before, answer));
            model.rates().known_visible(&before)
        };
        assert!(known(&[titles_only]) < 15.0);
        assert_eq!(known(&[some_in_body, titles_only]), 40.0);
    }

    #[test]
    fn first_pages_are_corrected_only_where_lists_show_excerpts() {
        let before = counts(20, 1);
        let after = |hidden| {
            let mut model = YieldModel::default();
            let again = PlaceCounts { body: 20, hidden, ..PlaceCounts::default() };
            model.learn_complete(&before, &AnswerCounts { again, ..AnswerCounts::default() });
            let expected = model.expect(&model.rates(), &before, Some(10));
            (0..60).for_each(|_| model.learn_phi(&expected, 0, 10.0));
            (model.expect_first_page(&model.rates(), &before, Some(10)).new, expected.new)
        };
        let (new, expected) = after(20);
        assert!(new < 0.1 * expected, "{new} {expected}");
        let (new, expected) = after(0);
        assert_eq!(new, expected);
    }

    #[test]
    fn an_uncertain_number_stays_well_below_the_cap() {
        assert!(soft_minimum(30.0, 10.0, 0.5) < 8.0);
        assert!(soft_minimum(30.0, 10.0, 8.0) > 9.9);
        assert_eq!(soft_minimum(0.2, 10.0, 0.5), 0.2);
    }
}
