//! Strategies by name.

use super::baselines::{BestFirst, FixedDepth, FixedOrder, SiteLimits};
use super::hadal::HadalStrategy;
use super::levels::LevelStrategy;
use super::levels::config::{self, LevelConfig};
use super::sb_classifier::SbClassifier;
use super::smart::{SmartCrawler, SmartOptions};
use super::tres::Tres;
use super::{Strategy, StrategyContext};
use crate::registry::{Registry, RegistryEntry};

/// A strategy that users can choose by name.
pub type StrategyEntry = RegistryEntry<StrategyContext, dyn Strategy>;

/// Strategies that users can choose from, simplest first.
pub type StrategyRegistry = Registry<StrategyContext, dyn Strategy>;

impl StrategyRegistry {
    /// The strategies of this crate. A new one is a module and a line here.
    pub fn built_in() -> StrategyRegistry {
        let mut entries = baselines();
        entries.extend(level_strategies());
        entries.extend(smart_crawlers());
        entries.extend(newer_baselines());
        entries.push(StrategyEntry::new(
            "hadal",
            "links by expected new relevant forms per request, learned at every page; the usual choice",
            |context| Box::new(HadalStrategy::new(context)),
        ));
        StrategyRegistry::of(entries)
    }
}

/// Entry of a built-in strategy.
pub fn find_strategy(name: &str) -> Option<StrategyEntry> {
    StrategyRegistry::built_in().find(name).cloned()
}

fn baselines() -> Vec<StrategyEntry> {
    vec![
        StrategyEntry::new("random", "known links in random order; a control for measurements", |context| {
            Box::new(FixedOrder::random(context.seed))
        }),
        StrategyEntry::new(
            "breadth-first",
            "fewest clicks from a seed first; for small, known parts of the web",
            |_| Box::new(FixedOrder::breadth_first()),
        ),
        StrategyEntry::new(
            "fixed-depth",
            "every site from its root to depth 3; for lists of sites that are known to be good",
            |_| Box::new(FixedDepth),
        ),
        StrategyEntry::new(
            "best-first",
            "links of on-topic pages, highest page probability first; stays long in large sites",
            |_| Box::new(BestFirst { limits: None }),
        ),
        StrategyEntry::new(
            "best-first-sc",
            "best-first that leaves a site after 5 searchable forms or 100 pages; the usual baseline",
            |_| Box::new(BestFirst { limits: Some(SiteLimits::USUAL) }),
        ),
    ]
}

fn level_strategies() -> Vec<StrategyEntry> {
    let entry = |config: LevelConfig, about| {
        StrategyEntry::new(config.name, about, move |context| Box::new(LevelStrategy::new(config, context)))
    };
    vec![
        entry(
            config::FFC,
            "links by clicks to a form, learned backward from pages with forms; any searchable form counts",
        ),
        entry(config::FFC_1, "ffc with one level; shows the value of delayed benefit"),
        entry(
            config::ACHE_OFFLINE,
            "ffc with automatic feature selection and a fixed link classifier; a baseline",
        ),
        entry(
            config::ACHE_OFFLINE_ONLINE,
            "ache-offline that learns again after every 100 relevant forms; needs examples and backlinks",
        ),
        entry(
            config::ACHE_ONLINE,
            "starts as best-first-sc and learns its link classifier during the crawl; needs only seeds",
        ),
        entry(
            config::ACHE_APPRENTICE,
            "ache-offline-online with a second model that learns which links stay on topic",
        ),
        entry(
            config::ACHE_BACKWARD,
            "ache-offline-online with backward crawls from new forms at each learning iteration; costs requests",
        ),
    ]
}

fn smart_crawlers() -> Vec<StrategyEntry> {
    let entry = |name, options: SmartOptions, about| {
        StrategyEntry::new(name, about, move |context| Box::new(SmartCrawler::new(options, context)))
    };
    let none = SmartOptions::default();
    vec![
        entry("scdi", none, "sites by their home pages, then the links of on-topic sites; learns nothing"),
        entry(
            "scdi+reverse",
            SmartOptions { reverse: true, ..none },
            "scdi that looks up backlinks of good sites when few sites wait",
        ),
        entry(
            "scdi+incremental",
            SmartOptions { incremental: true, ..none },
            "scdi that prefers sites linked from sites with searchable forms",
        ),
        entry(
            "scdi+adaptive",
            SmartOptions { adaptive: true, ..none },
            "scdi that ranks sites and links by similarity to earlier finds",
        ),
        entry(
            "smart",
            SmartOptions::ALL,
            "SmartCrawler: scdi with all three; for many sites of a topic, few pages of each",
        ),
    ]
}

fn newer_baselines() -> Vec<StrategyEntry> {
    vec![
        StrategyEntry::new(
            "tres",
            "links by the value of similar visited ones, with a neural network; a baseline",
            |context| Box::new(Tres::new(context)),
        ),
        StrategyEntry::new(
            "sb-classifier",
            "groups of links with similar tag paths by their yield so far; a baseline",
            |context| Box::new(SbClassifier::new(context)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::DuplicateName;

    #[test]
    fn a_registered_strategy_is_found_and_its_name_is_taken() {
        let mut registry = StrategyRegistry::built_in();
        let count = registry.iter().count();
        let entry = StrategyEntry::new("mine", "breadth first", |_| Box::new(FixedOrder::breadth_first()));
        assert_eq!(registry.register(entry.clone()), Ok(()));
        assert_eq!(registry.find("mine").unwrap().about, "breadth first");
        assert_eq!(registry.register(entry), Err(DuplicateName { name: "mine" }));
        assert_eq!(registry.iter().count(), count + 1);
        registry.replace(StrategyEntry::new("mine", "changed", |_| Box::new(FixedOrder::breadth_first())));
        assert_eq!((registry.find("mine").unwrap().about, registry.iter().count()), ("changed", count + 1));
    }

    #[test]
    fn built_in_names_are_unique() {
        let mut registry = StrategyRegistry::default();
        for entry in StrategyRegistry::built_in().iter() {
            assert_eq!(registry.register(entry.clone()), Ok(()));
        }
        assert!(find_strategy("hadal").is_some() && find_strategy("no-such").is_none());
    }
}
