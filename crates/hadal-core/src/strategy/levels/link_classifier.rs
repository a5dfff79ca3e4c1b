//! Link classifier: probability of each level for a link (FFC paper, section 3.1).
//!
//! Bernoulli naive Bayes. For the binary features `x_f` of a link (the link contains stem `f` in a feature space) and a
//! level `c`:
//!
//! ```text
//! P(c | x)  ~  product over f of  theta_fc^x_f (1 - theta_fc)^(1 - x_f)
//!
//! theta_fc = (n_fc + a m_f) / (n_c + a)       P(a link of level c contains f)
//! m_f      = (n_f + 1) / (n + 2)              the same over all levels
//! ```
//!
//! `n_fc` is the number of examples of level `c` that contain `f`, `n_c` the number of examples of level `c`, `n_f` and
//! `n` are the sums over all levels, and `a` is `SMOOTHING`. Smoothing towards `m_f` keeps a level with few examples
//! from attracting or repelling stems it has not seen.
//!
//! The prior of the levels is uniform, because the number of examples of a level only shows how far the backward crawl
//! went. Absent features count, because there are few of them and their absence is informative.

use super::super::features::{StemMatcher, contains_stem};
use super::super::{Lesson, SelectedFeatures};
use super::examples::{FeatureSelection, LinkExample, SPACES};
use crate::page::LinkContext;
use serde::{Deserialize, Serialize};
use url::Url;

/// Maximum number of levels of a classifier (FFC paper, section 4: configurations with up to four levels).
pub const MAX_LEVELS: usize = 4;
/// Number of examples that the rate over all levels counts for, `a`. Guess.
const SMOOTHING: f32 = 2.0;
/// Bound of the rates `theta_fc` away from 0 and 1. Guess.
const MIN_RATE: f32 = 1e-4;

/// Counts that determine a classifier. Only these are saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelCounts {
    /// Examples of each level, `n_c`.
    examples: Vec<u32>,
    /// Features of each space.
    spaces: [Vec<LevelFeature>; 3],
}

/// A stem with the number of examples of each level that contain it, `n_fc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LevelFeature {
    stem: String,
    counts: Vec<u32>,
}

/// Link classifier with precomputed logarithms.
pub struct LinkClassifier {
    counts: LevelCounts,
    matchers: [StemMatcher; 3],
    /// Log likelihood of each level for a link without features; `None` for a level without examples.
    base: Vec<Option<f32>>,
    /// Change of the log likelihood by a feature: by space, feature and level.
    log_odds: [Vec<Vec<f32>>; 3],
}

impl LinkClassifier {
    /// Trains a classifier with the examples of each level, nearest level first. Returns `None` without an example of
    /// level 1.
    pub fn train(
        levels: &[Vec<&LinkExample>],
        selection: FeatureSelection,
    ) -> Option<(LinkClassifier, Vec<SelectedFeatures>)> {
        if levels.first().is_none_or(Vec::is_empty) {
            return None;
        }
        let selected = selection.select(levels);
        let spaces = std::array::from_fn(|space| {
            let of_space = selected.iter().filter(|selected| selected.space == SPACES[space].name());
            let mut stems: Vec<&String> =
                of_space.flat_map(|one| one.terms.iter().map(|(stem, _)| stem)).collect();
            stems.sort_unstable();
            stems.dedup();
            stems.into_iter().map(|stem| LevelFeature::count(stem, space, levels)).collect()
        });
        let examples = levels.iter().map(|level| level.len() as u32).collect();
        Some((LinkClassifier::from_counts(LevelCounts { examples, spaces }), selected))
    }

    /// The classifier that counts determine.
    pub fn from_counts(counts: LevelCounts) -> LinkClassifier {
        let matchers = std::array::from_fn(|space| {
            StemMatcher::new(SPACES[space], counts.spaces[space].iter().map(|feature| feature.stem.as_str()))
        });
        let levels = counts.examples.len().min(MAX_LEVELS);
        let rates_of =
            |feature: &LevelFeature| (0..levels).map(|level| counts.rate(feature, level)).collect();
        let rates: [Vec<Vec<f32>>; 3] = counts
            .spaces
            .each_ref()
            .map(|space| space.iter().take(StemMatcher::MAX_STEMS).map(rates_of).collect());
        let absent =
            |level: usize| rates.iter().flatten().map(|rates| (1.0 - rates[level]).ln()).sum::<f32>();
        let base = (0..levels).map(|level| (counts.examples[level] > 0).then(|| absent(level))).collect();
        let log_odds_of =
            |rates: Vec<f32>| rates.into_iter().map(|rate| rate.ln() - (1.0 - rate).ln()).collect();
        let log_odds = rates.map(|space| space.into_iter().map(log_odds_of).collect());
        LinkClassifier { matchers, base, log_odds, counts }
    }

    /// Probability of each level, nearest first; `None` if the link has no feature.
    pub fn level_probabilities(&self, url: &Url, context: &LinkContext) -> Option<[f32; MAX_LEVELS]> {
        let found: [u64; 3] = std::array::from_fn(|space| self.matchers[space].find(url, context));
        if found == [0; 3] {
            return None;
        }
        let mut sums = [f32::NEG_INFINITY; MAX_LEVELS];
        for (level, base) in self.base.iter().enumerate() {
            let Some(base) = base else { continue };
            sums[level] = *base;
            for (space, mut bits) in found.into_iter().enumerate() {
                while bits != 0 {
                    let feature = bits.trailing_zeros() as usize;
                    sums[level] += self.log_odds[space][feature][level];
                    bits &= bits - 1;
                }
            }
        }
        sums.iter().any(|sum| sum.is_finite()).then(|| softmax(sums))
    }

    /// Counts that determine this classifier.
    pub fn counts(&self) -> &LevelCounts {
        &self.counts
    }

    /// Lesson of the iteration that trained it.
    pub fn lesson(&self, iteration: u32, selected: Vec<SelectedFeatures>) -> Lesson {
        let examples = self.counts.examples.iter().sum();
        Lesson { model: "link".into(), iteration, examples, selected }
    }
}

impl LevelCounts {
    /// True if both have the same stems as features.
    pub fn has_same_stems(&self, other: &LevelCounts) -> bool {
        let stems = |counts: &LevelCounts| {
            let spaces = counts.spaces.each_ref();
            spaces.map(|space| space.iter().map(|feature| feature.stem.clone()).collect::<Vec<String>>())
        };
        stems(self) == stems(other)
    }

    /// `theta_fc` of the module documentation. Counts from a damaged store may be inconsistent, so it is clamped.
    fn rate(&self, feature: &LevelFeature, level: usize) -> f32 {
        let count = |level: usize| feature.counts.get(level).copied().unwrap_or(0) as f32;
        let examples: f32 = self.examples.iter().map(|&n| n as f32).sum();
        let overall = ((0..self.examples.len()).map(count).sum::<f32>() + 1.0) / (examples + 2.0);
        let rate = (count(level) + SMOOTHING * overall) / (self.examples[level] as f32 + SMOOTHING);
        rate.clamp(MIN_RATE, 1.0 - MIN_RATE)
    }
}

impl LevelFeature {
    fn count(stem: &str, space: usize, levels: &[Vec<&LinkExample>]) -> LevelFeature {
        let has = |example: &&&LinkExample| contains_stem(SPACES[space], stem, example.stems(space));
        let counts = levels.iter().map(|examples| examples.iter().filter(has).count() as u32).collect();
        LevelFeature { stem: stem.to_string(), counts }
    }
}

/// Probabilities from log likelihoods, of which at least one is finite.
fn softmax(mut sums: [f32; MAX_LEVELS]) -> [f32; MAX_LEVELS] {
    let highest = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    sums.iter_mut().for_each(|sum| *sum = (*sum - highest).exp());
    let total: f32 = sums.iter().sum();
    sums.map(|share| share / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(anchor: &str, n: usize) -> LinkExample {
        let url = Url::parse(&format!("http://h{n}.org/")).unwrap();
        LinkExample::of(&url, &LinkContext { anchor: anchor.into(), ..LinkContext::default() })
    }

    fn learned(levels: &[&[&str]]) -> LinkClassifier {
        let examples: Vec<Vec<LinkExample>> = levels
            .iter()
            .map(|anchors| anchors.iter().enumerate().map(|(n, anchor)| example(anchor, n)).collect())
            .collect();
        let levels: Vec<Vec<&LinkExample>> = examples.iter().map(|level| level.iter().collect()).collect();
        LinkClassifier::train(&levels, FeatureSelection::MostFrequent(5)).unwrap().0
    }

    fn levels(model: &LinkClassifier, anchor: &str) -> Option<[f32; MAX_LEVELS]> {
        let context = LinkContext { anchor: anchor.into(), ..LinkContext::default() };
        model.level_probabilities(&Url::parse("http://x.org/").unwrap(), &context)
    }

    #[test]
    fn the_posterior_equals_a_calculation_by_hand() {
        // Level 1: 2 of 2 contain "search". Level 2: 0 of 2 do, and 2 of 2 contain "hotel". The URLs have no stems.
        let model = learned(&[&["search", "search"], &["hotel", "hotel"]]);
        // Rate over all levels (2 + 1) / (4 + 2) = 1/2; smoothed rates 3/4 and 1/4.
        let [near, far, third, _] = levels(&model, "search").unwrap();
        assert!((near - 0.9).abs() < 1e-5, "0.75 * 0.75 against 0.25 * 0.25: {near}");
        assert!((near + far - 1.0).abs() < 1e-6);
        assert_eq!(third, 0.0);
        assert_eq!(levels(&model, "search hotel").map(|found| found[0]), Some(0.5));
    }

    #[test]
    fn a_link_without_any_feature_has_no_level() {
        assert_eq!(levels(&learned(&[&["search"], &["hotel"]]), "privacy"), None);
    }

    #[test]
    fn a_level_without_examples_has_probability_zero() {
        let model = learned(&[&["search"], &[], &["hotel"]]);
        assert_eq!(levels(&model, "hotel").unwrap()[1], 0.0);
        assert!(
            LinkClassifier::train(&[vec![], vec![&example("hotel", 1)]], FeatureSelection::MostFrequent(5))
                .is_none()
        );
    }

    #[test]
    fn saved_counts_give_the_same_classifier_and_absurd_ones_give_finite_results() {
        let model = learned(&[&["search", "find"], &["hotel", "search"]]);
        let again = LinkClassifier::from_counts(model.counts().clone());
        assert_eq!(levels(&model, "search"), levels(&again, "search"));
        let feature = LevelFeature { stem: "search".into(), counts: vec![9; 40] };
        let absurd = LevelCounts { examples: vec![0, 1], spaces: [vec![], vec![feature; 80], vec![]] };
        assert!(
            levels(&LinkClassifier::from_counts(absurd), "search").unwrap().iter().all(|p| p.is_finite())
        );
        assert!(levels(&LinkClassifier::from_counts(LevelCounts::default()), "search").is_none());
    }
}
