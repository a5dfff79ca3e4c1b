//! Policies by name.

use super::adaptive::{AdaptiveOptions, AdaptivePolicy, CostModel, CostWeights, FrequencyEstimator};
use super::hadal::HadalPolicy;
use super::word_list::{GenericFrequencyPolicy, WordListPolicy};
use super::{Policy, PolicyContext};
use crate::registry::{Registry, RegistryEntry};

/// Words of `random-16k`, as in section 4 of the 2005 paper.
const RANDOM_16K: usize = 16_000;

/// A policy that users can choose by name.
pub type PolicyEntry = RegistryEntry<PolicyContext, dyn Policy>;

/// Policies that users can choose from, simplest first.
pub type PolicyRegistry = Registry<PolicyContext, dyn Policy>;

impl PolicyRegistry {
    /// The policies of this crate. A new one is a module and a line here.
    pub fn built_in() -> PolicyRegistry {
        let mut entries = word_list_policies();
        entries.extend(adaptive_policies());
        entries.push(PolicyEntry::new(
            "hadal",
            "most expected new records per request; the usual choice",
            |context| Box::new(HadalPolicy::new(context)),
        ));
        PolicyRegistry::of(entries)
    }
}

/// Entry of a built-in policy.
pub fn find_policy(name: &str) -> Option<PolicyEntry> {
    PolicyRegistry::built_in().find(name).cloned()
}

fn word_list_policies() -> Vec<PolicyEntry> {
    vec![
        PolicyEntry::new(
            "random-16k",
            "the 16,000 most frequent words in random order; a control for measurements",
            |context| Box::new(WordListPolicy::random(context, RANDOM_16K)),
        ),
        PolicyEntry::new("random-all", "all words of the list in random order; a control", |context| {
            Box::new(WordListPolicy::random(context, usize::MAX))
        }),
        PolicyEntry::new(
            "generic-frequency",
            "the most frequent words of the language first; ignores the answers",
            |context| Box::new(GenericFrequencyPolicy::new(context)),
        ),
    ]
}

fn adaptive_policies() -> Vec<PolicyEntry> {
    let entry = |name, about, options: AdaptiveOptions| {
        PolicyEntry::new(name, about, move |context| Box::new(AdaptivePolicy::new(context, options)))
    };
    let default = AdaptiveOptions::default();
    vec![
        entry(
            "adaptive",
            "the most frequent word of the records so far, each once; fewest queries where answers have no cap",
            default,
        ),
        entry(
            "adaptive-zipf",
            "adaptive with word frequencies from a fitted Zipf curve",
            AdaptiveOptions { estimator: FrequencyEstimator::Zipf, ..default },
        ),
        entry(
            "adaptive-cost",
            "adaptive that weighs the cost of a query and of its new records",
            AdaptiveOptions { cost: CostModel::NewRecords(CostWeights::default()), ..default },
        ),
        entry(
            "adaptive-limit",
            "adaptive that corrects word counts for answers cut by a result cap",
            AdaptiveOptions { corrects_cap: true, ..default },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::DuplicateName;

    #[test]
    fn a_registered_policy_is_found_and_its_name_is_taken() {
        let mut registry = PolicyRegistry::built_in();
        let count = registry.iter().count();
        let entry = PolicyEntry::new("mine", "words of the list", |context| {
            Box::new(WordListPolicy::random(context, 10))
        });
        assert_eq!(registry.register(entry.clone()), Ok(()));
        assert_eq!(registry.find("mine").unwrap().about, "words of the list");
        assert_eq!(registry.register(entry), Err(DuplicateName { name: "mine" }));
        assert_eq!(registry.iter().count(), count + 1);
    }

    #[test]
    fn built_in_names_are_unique() {
        let mut registry = PolicyRegistry::default();
        for entry in PolicyRegistry::built_in().iter() {
            assert_eq!(registry.register(entry.clone()), Ok(()));
        }
        assert!(find_policy("hadal").is_some() && find_policy("no-such").is_none());
    }
}
