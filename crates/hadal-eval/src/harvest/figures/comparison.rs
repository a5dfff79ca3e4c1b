//! Access to trials by setting, policy, collection and seed.

use crate::figures::distinct;
use crate::harvest::settings::setting;
use crate::harvest::trial::HarvestTrial;

/// Trials to compare.
#[derive(Clone, Copy)]
pub struct HarvestComparison<'t>(pub &'t [HarvestTrial]);

impl<'t> HarvestComparison<'t> {
    /// Settings in the order they were run.
    pub fn settings(self) -> Vec<&'t str> {
        distinct(self.0.iter().map(|trial| trial.case.setting.as_str()))
    }

    /// Settings with a result cap.
    pub fn capped(self) -> Vec<&'t str> {
        let is_capped = |name: &&str| setting(name).is_some_and(|setting| setting.is_capped());
        self.settings().into_iter().filter(is_capped).collect()
    }

    /// Policies in the order they were run.
    pub fn policies(self) -> Vec<&'t str> {
        distinct(self.0.iter().map(|trial| trial.case.policy.as_str()))
    }

    /// Collections in the order they were run.
    pub fn collections(self) -> Vec<&'t str> {
        distinct(self.0.iter().map(|trial| trial.case.collection.as_str()))
    }

    /// Trials of a policy in a setting, one per collection and seed.
    pub fn of(self, setting: &str, policy: &str) -> impl Iterator<Item = &'t HarvestTrial> {
        self.0.iter().filter(move |trial| {
            trial.case.setting == setting && trial.case.policy == policy && trial.case.start == 0
        })
    }

    /// Trials of one collection.
    pub fn within(
        self,
        collection: &str,
        setting: &str,
        policy: &str,
    ) -> impl Iterator<Item = &'t HarvestTrial> {
        self.of(setting, policy).filter(move |trial| trial.case.collection == collection)
    }

    /// Trials of two policies in a setting, paired by collection and seed.
    pub fn pairs(self, setting: &str, one: &str, other: &str) -> Vec<(&'t HarvestTrial, &'t HarvestTrial)> {
        let partner = |trial: &'t HarvestTrial| {
            let mut others = self.of(setting, other);
            let is_like = |other: &&HarvestTrial| source(trial) == source(other);
            others.find(is_like).map(|other| (trial, other))
        };
        self.of(setting, one).filter_map(partner).collect()
    }
}

/// Key of a pair: collection and seed.
pub fn source(trial: &HarvestTrial) -> (&str, u64) {
    (trial.case.collection.as_str(), trial.case.seed)
}
