//! Trials side by side: by setting, by policy, by collection and seed.

use crate::harvest::settings::setting;
use crate::harvest::trial::Trial;

/// Trials to compare.
#[derive(Clone, Copy)]
pub struct Comparison<'t>(pub &'t [Trial]);

impl<'t> Comparison<'t> {
    /// Settings, in the order they were run.
    pub fn settings(self) -> Vec<&'t str> {
        each(self.0.iter().map(|trial| trial.case.setting.as_str()))
    }

    /// Settings with a result cap.
    pub fn capped(self) -> Vec<&'t str> {
        let is_capped = |name: &&str| setting(name).is_some_and(|setting| setting.is_capped());
        self.settings().into_iter().filter(is_capped).collect()
    }

    /// Policies, in the order they were run.
    pub fn policies(self) -> Vec<&'t str> {
        each(self.0.iter().map(|trial| trial.case.policy.as_str()))
    }

    /// Collections, likewise.
    pub fn collections(self) -> Vec<&'t str> {
        each(self.0.iter().map(|trial| trial.case.collection.as_str()))
    }

    /// The trials of a policy in a setting, one for each collection and seed.
    pub fn of(self, setting: &str, policy: &str) -> impl Iterator<Item = &'t Trial> {
        self.0.iter().filter(move |trial| {
            trial.case.setting == setting && trial.case.policy == policy && trial.case.start == 0
        })
    }

    /// Those of one collection.
    pub fn within(self, collection: &str, setting: &str, policy: &str) -> impl Iterator<Item = &'t Trial> {
        self.of(setting, policy).filter(move |trial| trial.case.collection == collection)
    }

    /// The trials of two policies in a setting, by collection and seed.
    pub fn pairs(self, setting: &str, one: &str, other: &str) -> Vec<(&'t Trial, &'t Trial)> {
        let partner = |trial: &'t Trial| {
            let mut others = self.of(setting, other);
            let is_like = |other: &&Trial| source(trial) == source(other);
            others.find(is_like).map(|other| (trial, other))
        };
        self.of(setting, one).filter_map(partner).collect()
    }
}

/// What the trials of a pair have in common.
pub fn source(trial: &Trial) -> (&str, u64) {
    (trial.case.collection.as_str(), trial.case.seed)
}

/// The mean, if there is anything.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// A figure for a table; nothing where there is none.
pub fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or_else(|| "-".into(), |figure| format!("{figure:.digits$}"))
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
