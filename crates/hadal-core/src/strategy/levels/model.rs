//! The link classifier: how many clicks a link is away from a form (FFC paper, section 3.1).
//!
//! Naive Bayes in Bernoulli's form: with so few features a missing one tells as much as one that is
//! there. Priors are uniform, because how many examples a level has says how far the backward crawl
//! went, not how common such links are. A rate is smoothed towards the feature's rate over all levels, so
//! that a level with few examples neither attracts nor repels what it has not met.

use super::super::features::{Matcher, is_among};
use super::super::{Lesson, SelectedFeatures};
use super::example::{Example, SPACES};
use super::selection::Selection;
use crate::page::LinkContext;
use serde::{Deserialize, Serialize};
use url::Url;

/// Levels that can be told apart.
pub const MOST_LEVELS: usize = 4;
/// How many examples the rate over all levels counts for in the rate of one.
const SMOOTHING: f32 = 2.0;

/// What was counted: all a model is made of, and all that is saved of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Examples of each level.
    examples: Vec<u32>,
    /// What each space knows.
    spaces: [Vec<Feature>; 3],
}

/// A stem, and how many examples of each level have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Feature {
    stem: String,
    having: Vec<u32>,
}

/// A link classifier, ready for use.
pub struct LinkModel {
    counts: Counts,
    matchers: [Matcher; 3],
    /// Logarithm of a level's likelihood when a link has no feature; none for a level without examples.
    without: Vec<Option<f32>>,
    /// What having a feature adds to that: by space, feature and level.
    adds: [Vec<Vec<f32>>; 3],
}

impl LinkModel {
    /// Learns from the examples of each level, nearest first; nothing without an example of level 1.
    pub fn learn(
        levels: &[Vec<&Example>],
        selection: Selection,
    ) -> Option<(LinkModel, Vec<SelectedFeatures>)> {
        if levels.first().is_none_or(Vec::is_empty) {
            return None;
        }
        let selected = selection.of_all(levels);
        let spaces = std::array::from_fn(|space| {
            let of_space = selected.iter().filter(|selected| selected.space == SPACES[space].name());
            let mut stems: Vec<&String> =
                of_space.flat_map(|one| one.terms.iter().map(|(stem, _)| stem)).collect();
            stems.sort_unstable();
            stems.dedup();
            stems.into_iter().map(|stem| Feature::counted(stem, space, levels)).collect()
        });
        let examples = levels.iter().map(|level| level.len() as u32).collect();
        Some((LinkModel::of(Counts { examples, spaces }), selected))
    }

    /// The model that counts make.
    pub fn of(counts: Counts) -> LinkModel {
        let matchers = std::array::from_fn(|space| {
            Matcher::new(SPACES[space], counts.spaces[space].iter().map(|feature| feature.stem.as_str()))
        });
        let levels = counts.examples.len().min(MOST_LEVELS);
        let rates_of = |feature: &Feature| (0..levels).map(|level| counts.rate(feature, level)).collect();
        let rates: [Vec<Vec<f32>>; 3] =
            counts.spaces.each_ref().map(|space| space.iter().take(Matcher::MOST).map(rates_of).collect());
        let none = |level: usize| rates.iter().flatten().map(|rates| (1.0 - rates[level]).ln()).sum::<f32>();
        let without = (0..levels).map(|level| (counts.examples[level] > 0).then(|| none(level))).collect();
        let log_odds =
            |rates: Vec<f32>| rates.into_iter().map(|rate| rate.ln() - (1.0 - rate).ln()).collect();
        let adds = rates.map(|space| space.into_iter().map(log_odds).collect());
        LinkModel { matchers, without, adds, counts }
    }

    /// The probability of each level, nearest first; none when the link has no feature at all.
    pub fn levels(&self, url: &Url, context: &LinkContext) -> Option<[f32; MOST_LEVELS]> {
        let found: [u64; 3] = std::array::from_fn(|space| self.matchers[space].find(url, context));
        if found == [0; 3] {
            return None;
        }
        let mut sums = [f32::NEG_INFINITY; MOST_LEVELS];
        for (level, sum) in self.without.iter().enumerate() {
            let Some(without) = sum else { continue };
            sums[level] = *without;
            for (space, mut bits) in found.into_iter().enumerate() {
                while bits != 0 {
                    let feature = bits.trailing_zeros() as usize;
                    sums[level] += self.adds[space][feature][level];
                    bits &= bits - 1;
                }
            }
        }
        sums.iter().any(|sum| sum.is_finite()).then(|| normalised(sums))
    }

    /// What it is made of.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The lesson that made it.
    pub fn lesson(&self, iteration: u32, selected: Vec<SelectedFeatures>) -> Lesson {
        let examples = self.counts.examples.iter().sum();
        Lesson { model: "link".into(), iteration, examples, selected }
    }
}

impl Counts {
    /// Whether another model looks at the same stems.
    pub fn looks_at_the_same(&self, other: &Counts) -> bool {
        let stems = |counts: &Counts| {
            let spaces = counts.spaces.each_ref();
            spaces.map(|space| space.iter().map(|feature| feature.stem.clone()).collect::<Vec<String>>())
        };
        stems(self) == stems(other)
    }

    /// P(a link of this level has the feature). Counts that were read from somewhere may be anything.
    fn rate(&self, feature: &Feature, level: usize) -> f32 {
        let having = |level: usize| feature.having.get(level).copied().unwrap_or(0) as f32;
        let examples: f32 = self.examples.iter().map(|&n| n as f32).sum();
        let overall = ((0..self.examples.len()).map(having).sum::<f32>() + 1.0) / (examples + 2.0);
        let rate = (having(level) + SMOOTHING * overall) / (self.examples[level] as f32 + SMOOTHING);
        rate.clamp(1e-4, 1.0 - 1e-4)
    }
}

impl Feature {
    fn counted(stem: &str, space: usize, levels: &[Vec<&Example>]) -> Feature {
        let has = |example: &&&Example| is_among(SPACES[space], stem, example.terms(space));
        let having = levels.iter().map(|examples| examples.iter().filter(has).count() as u32).collect();
        Feature { stem: stem.to_string(), having }
    }
}

/// Logarithms become shares of 1; at least one of them is a number.
fn normalised(mut sums: [f32; MOST_LEVELS]) -> [f32; MOST_LEVELS] {
    let highest = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    sums.iter_mut().for_each(|sum| *sum = (*sum - highest).exp());
    let total: f32 = sums.iter().sum();
    sums.map(|share| share / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(anchor: &str, n: usize) -> Example {
        let url = Url::parse(&format!("http://h{n}.org/")).unwrap();
        Example::of(&url, &LinkContext { anchor: anchor.into(), ..LinkContext::default() })
    }

    fn learned(levels: &[&[&str]]) -> LinkModel {
        let examples: Vec<Vec<Example>> = levels
            .iter()
            .map(|anchors| anchors.iter().enumerate().map(|(n, anchor)| example(anchor, n)).collect())
            .collect();
        let levels: Vec<Vec<&Example>> = examples.iter().map(|level| level.iter().collect()).collect();
        LinkModel::learn(&levels, Selection::MostFrequent(5)).unwrap().0
    }

    fn levels(model: &LinkModel, anchor: &str) -> Option<[f32; MOST_LEVELS]> {
        let context = LinkContext { anchor: anchor.into(), ..LinkContext::default() };
        model.levels(&Url::parse("http://x.org/").unwrap(), &context)
    }

    #[test]
    fn the_posterior_by_hand() {
        // Level 1: 2 of 2 have "search"; level 2: 0 of 2 do, 2 of 2 have "hotel". Addresses have no stems.
        let model = learned(&[&["search", "search"], &["hotel", "hotel"]]);
        // Over all levels each is at (2 + 1) / (4 + 2) = 1/2; smoothed rates: 3/4 and 1/4.
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
    fn a_level_without_examples_is_never_met() {
        let model = learned(&[&["search"], &[], &["hotel"]]);
        assert_eq!(levels(&model, "hotel").unwrap()[1], 0.0);
        assert!(
            LinkModel::learn(&[vec![], vec![&example("hotel", 1)]], Selection::MostFrequent(5)).is_none()
        );
    }

    #[test]
    fn counts_make_the_same_model_again_and_nonsense_makes_one_that_answers() {
        let model = learned(&[&["search", "find"], &["hotel", "search"]]);
        let again = LinkModel::of(model.counts().clone());
        assert_eq!(levels(&model, "search"), levels(&again, "search"));
        let feature = Feature { stem: "search".into(), having: vec![9; 40] };
        let absurd = Counts { examples: vec![0, 1], spaces: [vec![], vec![feature; 80], vec![]] };
        assert!(levels(&LinkModel::of(absurd), "search").unwrap().iter().all(|p| p.is_finite()));
        assert!(levels(&LinkModel::of(Counts::default()), "search").is_none());
    }
}
