//! Inputs shared by all strategies on one topic: world, ground truth, critic, seeds and the page cache.

use super::page_cache::{CacheLimit, PageCache};
use super::plan::TrialSpec;
use hadal_core::critic::Critic;
use hadal_core::critic::FormKind;
use hadal_core::critic::trained::{CriticTarget, TrainedCritic};
use hadal_core::identity::FormId;
use hadal_world::World;
use rustc_hash::{FxHashMap, FxHashSet};
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

/// Searchable forms of a web.
pub struct FormTruth {
    /// Topic of every searchable form.
    searches: FxHashMap<FormId, Option<&'static str>>,
    /// Topics with the sites that hold a form of them.
    deep: FxHashSet<(&'static str, String)>,
}

impl FormTruth {
    /// Collects the searchable forms of a world.
    pub fn of(world: &World) -> FormTruth {
        let (mut searches, mut deep) = (FxHashMap::default(), FxHashSet::default());
        for form in world.truth().filter(|form| form.kind == FormKind::Search) {
            let known = searches.entry(form.form_id).or_insert(form.topic);
            *known = known.or(form.topic);
            deep.extend(form.topic.map(|topic| (topic, form.site)));
        }
        FormTruth { searches, deep }
    }

    /// True if the form is a search.
    pub fn is_searchable(&self, form: FormId) -> bool {
        self.searches.contains_key(&form)
    }

    /// True if the form searches this topic.
    pub fn is_relevant(&self, form: FormId, topic: &str) -> bool {
        self.searches.get(&form).copied().flatten() == Some(topic)
    }

    /// Number of distinct forms of a topic.
    pub fn relevant(&self, topic: &str) -> u64 {
        self.searches.values().filter(|known| **known == Some(topic)).count() as u64
    }

    /// Sites that hold at least one form of a topic.
    pub fn deep_sites<'t>(&'t self, topic: &'t str) -> impl Iterator<Item = &'t str> {
        self.deep.iter().filter(move |(known, _)| *known == topic).map(|(_, site)| site.as_str())
    }
}
