//! Experimental settings of papers, for comparisons with their figures.

use super::plan::Preset;
use hadal::choice::Choice;
use hadal_core::strategy::baselines::SiteLimits;
use hadal_core::strategy::levels::config::ACHE_OFFLINE_ONLINE;
use hadal_core::strategy::levels::{LevelConfig, LevelStrategy};
use hadal_core::strategy::smart::stop_early::{MAX_DEPTH, MAX_FORMS, MAX_PAGES};
use hadal_core::strategy::{StrategyEntry, StrategyRegistry};

/// Experimental setting of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// SmartCrawler paper, section 5: one hundred deep sites as seeds, ACHE with the limits on pages and forms of a site
    /// that SmartCrawler has, and the paper's density of forms.
    SmartCrawler,
}

impl Choice for Protocol {
    const CHOICES: &'static [(Protocol, &'static str, &'static str)] = &[(
        Protocol::SmartCrawler,
        "smartcrawler",
        "100 deep sites as seeds, ACHE with SmartCrawler's limits per site",
    )];
}

impl Protocol {
    /// Kind of the webs.
    pub fn world(self) -> Preset {
        match self {
            Protocol::SmartCrawler => Preset::DeepSeeds,
        }
    }

    /// Strategies that the paper compares, and ours.
    pub fn strategies(self) -> &'static [&'static str] {
        match self {
            Protocol::SmartCrawler => &["ache-offline-online", "scdi", "smart", "hadal"],
        }
    }

    /// The strategies as the paper ran them.
    pub fn adapt(self, mut strategies: StrategyRegistry) -> StrategyRegistry {
        let config = LevelConfig { limits: limits(), ..ACHE_OFFLINE_ONLINE };
        let about = "ACHE with the limits per site that SmartCrawler has";
        strategies.replace(StrategyEntry::new(config.name, about, move |context| {
            Box::new(LevelStrategy::new(config, context))
        }));
        strategies
    }
}

/// "The maximum visiting pages and a predefined number of forms for each site" (section 5.1), without numbers. Ours: the
/// limits of SmartCrawler for one depth, times the number of depths below the home page.
fn limits() -> SiteLimits {
    let depths = u32::from(MAX_DEPTH);
    SiteLimits { forms: depths * MAX_FORMS, pages: depths * MAX_PAGES }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compared_strategies_exist_and_only_ache_is_replaced() {
        let built_in = StrategyRegistry::built_in();
        let adapted = Protocol::SmartCrawler.adapt(built_in.clone());
        let changed = |name: &&str| {
            built_in.find(name).map(|entry| entry.about) != adapted.find(name).map(|entry| entry.about)
        };
        let names = Protocol::SmartCrawler.strategies();
        assert!(names.iter().all(|name| adapted.find(name).is_some()));
        assert_eq!(names.iter().filter(|name| changed(name)).collect::<Vec<_>>(), [&"ache-offline-online"]);
    }
}
