//! Plan of a comparison: collections, settings, policies and seeds.

use super::collections::NamedCollection;
use super::settings::{DatabaseSetting, PAPER};
use serde::{Deserialize, Serialize};

/// All trials of one comparison.
pub struct HarvestTrialPlan {
    /// Collections in the order they are harvested.
    pub collections: Vec<NamedCollection>,
    /// Limit of records per collection.
    pub records: u32,
    /// Settings in the order they are run.
    pub settings: Vec<&'static DatabaseSetting>,
    /// Policies in the order they are run.
    pub policies: Vec<String>,
    /// Seeds of first words, record order and failures.
    pub seeds: Vec<u64>,
    /// Request budget of each harvest; `None` for the budget of the setting.
    pub requests: Option<u64>,
    /// Coverage in percent at which a harvest ends.
    pub until_percent: u8,
}

/// Everything that the result of one trial depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HarvestCase {
    /// Name of the collection.
    pub collection: String,
    /// Limit of records.
    pub records: u32,
    /// Name of the setting.
    pub setting: String,
    /// Name of the policy.
    pub policy: String,
    /// Seed of first words, record order, failures and random choices.
    pub seed: u64,
    /// Number of the set of first words. Sets after the first show how much the start matters.
    pub start: u32,
    /// Request budget, if it differs from the budget of the setting.
    pub requests: Option<u64>,
    /// Coverage in percent at which the harvest ends.
    pub until_percent: u8,
}

/// Policy that is run from several sets of first words, as in figure 14 of the paper.
pub const RESTARTED_POLICY: &str = "adaptive";
/// Number of these sets.
const STARTS: u32 = 4;

impl HarvestTrialPlan {
    /// All trials, grouped by collection, setting and seed so that neighbours share the database.
    pub fn cases(&self) -> Vec<HarvestCase> {
        let mut cases = Vec::new();
        for held in &self.collections {
            for setting in &self.settings {
                for &seed in &self.seeds {
                    cases.extend(
                        self.policies.iter().flat_map(|policy| self.starts(held, setting, policy, seed)),
                    );
                }
            }
        }
        cases
    }

    fn starts(
        &self,
        held: &NamedCollection,
        setting: &DatabaseSetting,
        policy: &str,
        seed: u64,
    ) -> impl Iterator<Item = HarvestCase> {
        let is_restarted =
            setting.name == PAPER && policy == RESTARTED_POLICY && self.seeds.first() == Some(&seed);
        let case = HarvestCase {
            collection: held.name.clone(),
            records: self.records,
            setting: setting.name.to_string(),
            policy: policy.to_string(),
            seed,
            start: 0,
            requests: self.requests,
            until_percent: self.until_percent,
        };
        (0..if is_restarted { STARTS } else { 1 }).map(move |start| HarvestCase { start, ..case.clone() })
    }
}

impl HarvestCase {
    /// File name: all fields that distinguish the trial.
    pub fn name(&self) -> String {
        let HarvestCase { collection, records, setting, policy, seed, start, requests, until_percent } = self;
        let budget = requests.map_or_else(|| "usual".to_string(), |requests| requests.to_string());
        format!(
            "{collection}-{records}-{setting}-{policy}-seed{seed}-start{start}-{budget}-to{until_percent}"
        )
    }

    /// True if both trials query the same database.
    pub fn same_database(&self, other: &HarvestCase) -> bool {
        self.same_collection(other) && (&self.setting, self.seed) == (&other.setting, other.seed)
    }

    /// True if both trials use the same collection.
    pub fn same_collection(&self, other: &HarvestCase) -> bool {
        (&self.collection, self.records) == (&other.collection, other.records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::curve::HIGHEST_LEVEL;
    use crate::harvest::settings::setting;
    use std::collections::BTreeSet;

    #[test]
    fn trials_of_one_database_are_adjacent_and_names_are_unique() {
        let plan = HarvestTrialPlan {
            collections: NamedCollection::generated()[..2].to_vec(),
            records: 100,
            settings: vec![setting("base").unwrap(), setting("paper").unwrap()],
            policies: vec!["adaptive".into(), "hadal".into()],
            seeds: vec![1, 2],
            requests: None,
            until_percent: HIGHEST_LEVEL,
        };
        let cases = plan.cases();
        let names: BTreeSet<String> = cases.iter().map(HarvestCase::name).collect();
        let anew = cases.iter().filter(|case| case.start > 0).count();
        assert_eq!((cases.len(), names.len(), anew), (22, 22, 6), "three more starts for two collections");
        assert_eq!(cases[0].name(), "short-texts-100-base-adaptive-seed1-start0-usual-to95");
        assert!(cases[0].same_database(&cases[1]) && !cases[1].same_database(&cases[2]));
        assert!(cases[1].same_collection(&cases[10]) && !cases[10].same_collection(&cases[11]));
    }
}
