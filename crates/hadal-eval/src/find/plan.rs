//! Plan of a comparison: worlds, topics, strategies and budget.

use hadal::choice::Choice;
use hadal_world::{Anchors, Hubs, Spec, TagPaths, World};
use serde::{Deserialize, Serialize};

/// All trials of one comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct FindPlan {
    /// Kind of the simulated webs.
    pub world: Preset,
    /// Number of sites per web; `None` for the default of the kind.
    pub sites: Option<u32>,
    /// Seeds of the webs.
    pub seeds: Vec<u64>,
    /// Topics in the order they are run.
    pub topics: Vec<String>,
    /// Strategies in the order they are run.
    pub strategies: Vec<String>,
    /// Request budget of each crawl.
    pub requests: u64,
}

/// Everything that the result of one trial depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TrialSpec {
    /// Kind of the simulated web.
    pub world: Preset,
    /// Number of sites of the web.
    pub sites: u32,
    /// Seed of the web and of the strategy.
    pub seed: u64,
    pub topic: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Maximum number of requests of the trial.
    pub requests: u64,
}

/// Kinds of simulated webs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Calibrated to published measurements of the real web.
    Standard,
    /// No page lists the sites of a topic.
    NoHubs,
    /// Tag paths of links are random.
    RandomTags,
    /// Anchor texts do not describe their targets.
    PlainAnchors,
    /// Parameters are drawn at random for each seed.
    Varied,
    /// Setting of the SmartCrawler paper: crawls start from 100 deep sites.
    DeepSeeds,
    /// About 60 sites without faults, for tests.
    Tiny,
}

impl Choice for Preset {
    const CHOICES: &'static [(Preset, &'static str, &'static str)] = &[
        (Preset::Standard, "standard", "Calibrated to the real web"),
        (Preset::NoHubs, "no-hubs", "No page lists the sites of a topic"),
        (Preset::RandomTags, "random-tags", "Tag paths of links are random"),
        (Preset::PlainAnchors, "plain-anchors", "Anchor texts do not describe their targets"),
        (Preset::Varied, "varied", "Parameters drawn at random for each seed"),
        (Preset::DeepSeeds, "deep-seeds", "Crawls start from 100 deep sites, as in the SmartCrawler paper"),
        (Preset::Tiny, "tiny", "About 60 sites without faults, for tests"),
    ];
}

impl Preset {
    /// Specification of a web of this kind.
    pub fn spec(self, seed: u64) -> Spec {
        let usual = Spec::evaluation(seed);
        match self {
            Preset::Standard => usual,
            Preset::NoHubs => Spec { hubs: Hubs::Absent, ..usual },
            Preset::RandomTags => Spec { tag_paths: TagPaths::Random, ..usual },
            Preset::PlainAnchors => Spec { anchors: Anchors::Uninformative, ..usual },
            Preset::Varied => Spec::varied(seed),
            Preset::DeepSeeds => Spec::smart_crawler(seed),
            Preset::Tiny => Spec::tiny(seed),
        }
    }
}

impl FindPlan {
    /// All trials, grouped by web and topic so that neighbours share the page cache.
    pub fn specs(&self) -> Vec<TrialSpec> {
        let mut specs = Vec::new();
        for &seed in &self.seeds {
            let sites = self.sites.unwrap_or_else(|| self.world.spec(seed).sites);
            for topic in &self.topics {
                for strategy in &self.strategies {
                    specs.push(TrialSpec {
                        world: self.world,
                        sites,
                        seed,
                        topic: topic.clone(),
                        strategy: strategy.clone(),
                        requests: self.requests,
                    });
                }
            }
        }
        specs
    }
}

impl TrialSpec {
    /// File name: all fields that distinguish the trial.
    pub fn name(&self) -> String {
        let TrialSpec { world, sites, seed, topic, strategy, requests } = self;
        format!("{}-{sites}-seed{seed}-{topic}-{strategy}-{requests}", world.name())
    }

    /// Generates the web of this trial.
    pub fn make_world(&self) -> World {
        World::new(Spec { sites: self.sites, ..self.world.spec(self.seed) })
    }

    /// True if both trials use the same web.
    pub fn same_world(&self, other: &TrialSpec) -> bool {
        (self.world, self.sites, self.seed) == (other.world, other.sites, other.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_of_one_topic_are_adjacent_and_names_are_unique() {
        let plan = FindPlan {
            world: Preset::Tiny,
            sites: None,
            seeds: vec![1, 2],
            topics: vec!["book".into(), "job".into()],
            strategies: vec!["random".into(), "best-first".into()],
            requests: 100,
        };
        let specs = plan.specs();
        let names: std::collections::BTreeSet<String> = specs.iter().map(TrialSpec::name).collect();
        assert_eq!((specs.len(), names.len()), (8, 8));
        assert_eq!(specs[1].name(), "tiny-60-seed1-book-best-first-100");
        assert!(specs[0].same_world(&specs[3]) && !specs[3].same_world(&specs[4]));
    }
}
