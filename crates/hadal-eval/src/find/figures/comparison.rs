//! Access to trials by topic, strategy and web.

use crate::figures::{distinct, mean};
use crate::find::score::CurvePoint;
use crate::find::trial::FindTrial;

/// Trials to compare.
#[derive(Clone, Copy)]
pub struct FindComparison<'t>(pub &'t [FindTrial]);

/// Strategies that charts show when there are more than ten. Tables show all.
const DRAWN: [&str; 10] = [
    "hadal",
    "smart",
    "scdi",
    "ache-offline-online",
    "ache-online",
    "ache-offline",
    "ffc",
    "best-first-sc",
    "random",
    "oracle",
];

/// One of the counts of a curve point.
pub type Count = fn(&CurvePoint) -> u64;

impl<'t> FindComparison<'t> {
    /// Topics in the order they were run.
    pub fn topics(self) -> Vec<&'t str> {
        distinct(self.0.iter().map(|trial| trial.spec.topic.as_str()))
    }

    /// Strategies in the order they were run.
    pub fn strategies(self) -> Vec<&'t str> {
        distinct(self.0.iter().map(|trial| trial.spec.strategy.as_str()))
    }

    /// Strategies for a chart, at most ten.
    pub fn drawn(self) -> Vec<&'t str> {
        let mut names = self.strategies();
        if names.len() > DRAWN.len() {
            names.retain(|name| DRAWN.contains(name));
        }
        names
    }

    /// Seeds of the webs.
    pub fn seeds(self) -> Vec<u64> {
        distinct(self.0.iter().map(|trial| trial.spec.seed))
    }

    /// True if a strategy was run.
    pub fn has(self, strategy: &str) -> bool {
        self.0.iter().any(|trial| trial.spec.strategy == strategy)
    }

    /// Trials of a strategy on a topic, one per web.
    pub fn of(self, topic: &str, strategy: &str) -> impl Iterator<Item = &'t FindTrial> {
        self.0.iter().filter(move |trial| trial.spec.topic == topic && trial.spec.strategy == strategy)
    }

    /// Trials of two strategies on a topic, paired by web.
    pub fn pairs(self, topic: &str, one: &str, other: &str) -> Vec<(&'t FindTrial, &'t FindTrial)> {
        let partner = |trial: &'t FindTrial| {
            let mut others = self.of(topic, other);
            others.find(|other| other.spec.seed == trial.spec.seed).map(|other| (trial, other))
        };
        self.of(topic, one).filter_map(partner).collect()
    }

    /// Mean over webs.
    pub fn mean(self, topic: &str, strategy: &str, figure: impl Fn(&FindTrial) -> f64) -> Option<f64> {
        mean(self.of(topic, strategy).map(figure))
    }

    /// Topic of the lessons that are shown: `book`, as in the papers, or else the first.
    pub fn model_topic(self) -> Option<&'t str> {
        let topics = self.topics();
        topics.iter().find(|topic| **topic == "book").or(topics.first()).copied()
    }
}

/// Ratio of the counts of two strategies at the same number of pages, without training: the smaller of both
/// ends, or `most`.
pub fn ratio_over_pages(pairs: &[(&FindTrial, &FindTrial)], most: Option<u64>, count: Count) -> Option<f64> {
    let mut sums = (0.0, 0.0);
    for (one, other) in pairs {
        let read = |trial: &FindTrial| trial.end().pages.saturating_sub(trial.training.pages);
        let pages = read(one).min(read(other)).min(most.unwrap_or(u64::MAX));
        sums.0 += count(&one.at_pages(pages)) as f64;
        sums.1 += count(&other.at_pages(pages)) as f64;
    }
    (sums.1 > 0.0).then(|| sums.0 / sums.1)
}
