//! Inputs shared by all strategies on one topic: world, truth, critic, seeds and the page cache.

use super::page_cache::{CacheLimit, PageCache};
use super::plan::TrialSpec;
use super::truth::FormTruth;
use hadal_core::critic::Critic;
use hadal_core::critic::trained::{CriticTarget, TrainedCritic};
use hadal_core::identity::FormId;
use hadal_world::World;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use url::Url;

/// A simulated web and its ground truth.
#[derive(Clone)]
pub struct KnownWorld {
    pub world: Arc<World>,
    pub truth: Arc<FormTruth>,
}

impl KnownWorld {
    /// Generates the world of a trial.
    pub fn of(spec: &TrialSpec) -> KnownWorld {
        let world = spec.make_world();
        let truth = FormTruth::of(&world);
        KnownWorld { world: Arc::new(world), truth: Arc::new(truth) }
    }
}

/// Everything that the crawls of one topic share.
pub struct TopicSetup {
    pub known_world: KnownWorld,
    pub topic: String,
    /// Critic of the topic, the shipped one.
    pub critic: Arc<dyn Critic>,
    /// Pages that an earlier crawl of the topic already fetched and judged.
    pub cache: PageCache,
    /// Start URLs of every crawl.
    pub seeds: Vec<Url>,
    /// Pages known to hold relevant forms, for strategies that train before they crawl.
    pub examples: Vec<Url>,
    /// Ids of the relevant forms on the example pages. They do not count as found.
    pub known: FxHashSet<FormId>,
}

impl TopicSetup {
    /// Sets up a topic. `None` if the world or the shipped critic does not know it.
    pub fn new(known_world: KnownWorld, topic: &str, limit: Arc<CacheLimit>) -> Option<TopicSetup> {
        let critic = Arc::new(TrainedCritic::new(CriticTarget::built_in(topic)?));
        let seeds = known_world.world.seeds(topic);
        let examples = known_world.world.examples(topic);
        let given: FxHashSet<&Url> = examples.iter().collect();
        let known = known_world.world.relevant(topic).filter(|form| given.contains(&form.page_url));
        let known = known.map(|form| form.form_id).collect();
        let topic = topic.to_string();
        Some(TopicSetup { known_world, topic, critic, cache: PageCache::new(limit), seeds, examples, known })
    }
}
