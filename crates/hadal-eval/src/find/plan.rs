//! What is compared: which worlds, topics and strategies, at what budget.

use hadal::choice::Choice;
use hadal_world::{Anchors, Hubs, Spec, TagPaths, World};
use serde::{Deserialize, Serialize};

/// All trials of one comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What the worlds are like.
    pub world: Preset,
    /// How many sites each has; `None` for the preset's own size.
    pub sites: Option<u32>,
    /// Seeds of the worlds.
    pub seeds: Vec<u64>,
    /// Topics, in the order they are run.
    pub topics: Vec<String>,
    /// Strategies, likewise.
    pub strategies: Vec<String>,
    /// Requests of each crawl.
    pub requests: u64,
}

/// One trial: everything its result depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Setting {
    /// What the world is like.
    pub world: Preset,
    /// How many sites it has.
    pub sites: u32,
    /// The world's seed, and the strategy's.
    pub seed: u64,
    /// What is looked for.
    pub topic: String,
    /// What orders the crawl.
    pub strategy: String,
    /// Its budget.
    pub requests: u64,
}

/// Kinds of worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Calibrated to the real web
    Standard,
    /// Nobody lists the sites of a topic
    NoHubs,
    /// Links of one kind stand in no fixed place
    RandomTags,
    /// Links do not say what they lead to
    PlainAnchors,
    /// Parameters drawn anew for every seed
    Varied,
    /// About 60 calm sites, for tests
    Tiny,
}

impl Choice for Preset {
    const CHOICES: &'static [(Preset, &'static str, &'static str)] = &[
        (Preset::Standard, "standard", "Calibrated to the real web"),
        (Preset::NoHubs, "no-hubs", "No page lists the sites of a topic"),
        (Preset::RandomTags, "random-tags", "Tag paths of links are random"),
        (Preset::PlainAnchors, "plain-anchors", "Anchor texts do not describe their targets"),
        (Preset::Varied, "varied", "Parameters drawn at random for each seed"),
        (Preset::Tiny, "tiny", "About 60 sites without faults, for tests"),
    ];
}

impl Preset {
    /// Specification of a world of this kind is made from.
    pub fn spec(self, seed: u64) -> Spec {
        let usual = Spec::evaluation(seed);
        match self {
            Preset::Standard => usual,
            Preset::NoHubs => Spec { hubs: Hubs::Absent, ..usual },
            Preset::RandomTags => Spec { tag_paths: TagPaths::Random, ..usual },
            Preset::PlainAnchors => Spec { anchors: Anchors::Uninformative, ..usual },
            Preset::Varied => Spec::varied(seed),
            Preset::Tiny => Spec::tiny(seed),
        }
    }
}

impl Plan {
    /// Every trial, world by world and topic by topic, so that neighbours share what they fetch.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = Vec::new();
        for &seed in &self.seeds {
            let sites = self.sites.unwrap_or_else(|| self.world.spec(seed).sites);
            for topic in &self.topics {
                for strategy in &self.strategies {
                    settings.push(Setting {
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
        settings
    }
}

impl Setting {
    /// A name for files: everything that sets it apart.
    pub fn name(&self) -> String {
        let Setting { world, sites, seed, topic, strategy, requests } = self;
        format!("{}-{sites}-seed{seed}-{topic}-{strategy}-{requests}", world.name())
    }

    /// The world it takes place in.
    pub fn make_world(&self) -> World {
        World::new(Spec { sites: self.sites, ..self.world.spec(self.seed) })
    }

    /// Whether two trials take place in the same world.
    pub fn same_world(&self, other: &Setting) -> bool {
        (self.world, self.sites, self.seed) == (other.world, other.sites, other.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_of_one_topic_stand_together_and_no_two_share_a_name() {
        let plan = Plan {
            world: Preset::Tiny,
            sites: None,
            seeds: vec![1, 2],
            topics: vec!["book".into(), "job".into()],
            strategies: vec!["random".into(), "best-first".into()],
            requests: 100,
        };
        let settings = plan.settings();
        let names: std::collections::BTreeSet<String> = settings.iter().map(Setting::name).collect();
        assert_eq!((settings.len(), names.len()), (8, 8));
        assert_eq!(settings[1].name(), "tiny-60-seed1-book-best-first-100");
        assert!(settings[0].same_world(&settings[3]) && !settings[3].same_world(&settings[4]));
    }
}
