//! What is compared: which collections, settings and policies, with how many seeds.

use super::collections::Held;
use super::settings::{PAPER, Setting};
use serde::{Deserialize, Serialize};

/// All trials of one comparison.
pub struct Plan {
    /// Collections, in the order they are harvested.
    pub collections: Vec<Held>,
    /// The most records of each.
    pub records: u32,
    /// Settings, in their order.
    pub settings: Vec<&'static Setting>,
    /// Policies, likewise.
    pub policies: Vec<String>,
    /// Seeds of first words, orders of records and failures.
    pub seeds: Vec<u64>,
    /// Requests of each harvest; `None` for what the setting gives.
    pub requests: Option<u64>,
}

/// One trial: everything its result depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Case {
    /// What is harvested.
    pub collection: String,
    /// The most records of it.
    pub records: u32,
    /// How the database behaves.
    pub setting: String,
    /// What chooses queries.
    pub policy: String,
    /// Fixes first words, the order of records, failures and random choices.
    pub seed: u64,
    /// Which of several first words it begins with; those beyond the first show whether that matters.
    pub start: u32,
    /// Its budget, when that is not the setting's own.
    pub requests: Option<u64>,
}

/// The policy that is started from different first words, and how often: as in the paper's figure 14.
pub const STARTED_ANEW: &str = "adaptive";
const STARTS: u32 = 4;

impl Plan {
    /// Every trial; neighbours share the collection, then the setting and seed.
    pub fn cases(&self) -> Vec<Case> {
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

    fn starts(&self, held: &Held, setting: &Setting, policy: &str, seed: u64) -> impl Iterator<Item = Case> {
        let is_anew = setting.name == PAPER && policy == STARTED_ANEW && self.seeds.first() == Some(&seed);
        let case = Case {
            collection: held.name.clone(),
            records: self.records,
            setting: setting.name.to_string(),
            policy: policy.to_string(),
            seed,
            start: 0,
            requests: self.requests,
        };
        (0..if is_anew { STARTS } else { 1 }).map(move |start| Case { start, ..case.clone() })
    }
}

impl Case {
    /// A name for files: everything that sets it apart.
    pub fn name(&self) -> String {
        let Case { collection, records, setting, policy, seed, start, requests } = self;
        let budget = requests.map_or_else(|| "usual".to_string(), |requests| requests.to_string());
        format!("{collection}-{records}-{setting}-{policy}-seed{seed}-start{start}-{budget}")
    }

    /// Whether two trials ask the same database.
    pub fn same_database(&self, other: &Case) -> bool {
        self.same_collection(other) && (&self.setting, self.seed) == (&other.setting, other.seed)
    }

    /// Whether two trials are after the same records.
    pub fn same_collection(&self, other: &Case) -> bool {
        (&self.collection, self.records) == (&other.collection, other.records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::settings::setting;
    use std::collections::BTreeSet;

    #[test]
    fn trials_of_one_database_stand_together_and_no_two_share_a_name() {
        let plan = Plan {
            collections: Held::generated()[..2].to_vec(),
            records: 100,
            settings: vec![setting("base").unwrap(), setting("paper").unwrap()],
            policies: vec!["adaptive".into(), "hadal".into()],
            seeds: vec![1, 2],
            requests: None,
        };
        let cases = plan.cases();
        let names: BTreeSet<String> = cases.iter().map(Case::name).collect();
        let anew = cases.iter().filter(|case| case.start > 0).count();
        assert_eq!((cases.len(), names.len(), anew), (22, 22, 6), "three more starts for two collections");
        assert_eq!(cases[0].name(), "short-texts-100-base-adaptive-seed1-start0-usual");
        assert!(cases[0].same_database(&cases[1]) && !cases[1].same_database(&cases[2]));
        assert!(cases[1].same_collection(&cases[10]) && !cases[10].same_collection(&cases[11]));
    }
}
