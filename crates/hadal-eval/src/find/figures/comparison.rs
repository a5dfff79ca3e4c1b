//! Trials side by side: by topic, by strategy, by world.

use crate::find::score::Point;
use crate::find::trial::Trial;

/// Trials to compare.
#[derive(Clone, Copy)]
pub struct Comparison<'t>(pub &'t [Trial]);

/// Strategies that charts show when there are many; the rest stands in tables.
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

/// A count taken from a point of a curve.
pub type Count = fn(&Point) -> u64;

impl<'t> Comparison<'t> {
    /// Topics, in the order they were run.
    pub fn topics(self) -> Vec<&'t str> {
        each(self.0.iter().map(|trial| trial.setting.topic.as_str()))
    }

    /// Strategies, likewise.
    pub fn strategies(self) -> Vec<&'t str> {
        each(self.0.iter().map(|trial| trial.setting.strategy.as_str()))
    }

    /// Strategies to draw: few enough to be told apart.
    pub fn drawn(self) -> Vec<&'t str> {
        let mut names = self.strategies();
        if names.len() > DRAWN.len() {
            names.retain(|name| DRAWN.contains(name));
        }
        names
    }

    /// Worlds, by seed.
    pub fn seeds(self) -> Vec<u64> {
        each(self.0.iter().map(|trial| trial.setting.seed))
    }

    /// Whether a strategy took part.
    pub fn has(self, strategy: &str) -> bool {
        self.0.iter().any(|trial| trial.setting.strategy == strategy)
    }

    /// The trials of a strategy with a topic, one for each world.
    pub fn of(self, topic: &str, strategy: &str) -> impl Iterator<Item = &'t Trial> {
        self.0.iter().filter(move |trial| trial.setting.topic == topic && trial.setting.strategy == strategy)
    }

    /// The trials of two strategies with a topic, world by world.
    pub fn pairs(self, topic: &str, one: &str, other: &str) -> Vec<(&'t Trial, &'t Trial)> {
        let partner = |trial: &'t Trial| {
            let mut others = self.of(topic, other);
            others.find(|other| other.setting.seed == trial.setting.seed).map(|other| (trial, other))
        };
        self.of(topic, one).filter_map(partner).collect()
    }

    /// The mean over worlds.
    pub fn mean(self, topic: &str, strategy: &str, figure: impl Fn(&Trial) -> f64) -> Option<f64> {
        mean(self.of(topic, strategy).map(figure))
    }

    /// The topic whose lessons are shown: the papers' own, if it took part.
    pub fn model_topic(self) -> Option<&'t str> {
        let topics = self.topics();
        topics.iter().find(|topic| **topic == "book").or(topics.first()).copied()
    }
}

fn each<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut met = Vec::new();
    for item in items {
        if !met.contains(&item) {
            met.push(item);
        }
    }
    met
}

/// The mean, if there is anything.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// How much of one strategy's yield another one's is, at the same number of pages, training free of
/// charge: the most that both read, or fewer.
pub fn ratio_over_pages(pairs: &[(&Trial, &Trial)], most: Option<u64>, count: Count) -> Option<f64> {
    let mut sums = (0.0, 0.0);
    for (one, other) in pairs {
        let read = |trial: &Trial| trial.end().pages.saturating_sub(trial.training.pages);
        let pages = read(one).min(read(other)).min(most.unwrap_or(u64::MAX));
        sums.0 += count(&one.at_pages(pages)) as f64;
        sums.1 += count(&other.at_pages(pages)) as f64;
    }
    (sums.1 > 0.0).then(|| sums.0 / sums.1)
}

/// A figure for a table; nothing where there is none.
pub fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or_else(|| "-".into(), |figure| format!("{figure:.digits$}"))
}
