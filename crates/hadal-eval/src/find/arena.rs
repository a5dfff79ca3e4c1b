//! Where the strategies of one topic meet: the same world, truth, critic and kept pages for all.

use super::plan::Setting;
use super::shelf::{Room, Shelf};
use super::truth::Truth;
use hadal_core::critic::Critic;
use hadal_core::critic::trained::{Aim, TrainedCritic};
use hadal_core::identity::FormId;
use hadal_world::World;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use url::Url;

/// A world and what is really in it.
#[derive(Clone)]
pub struct Ground {
    /// The world.
    pub world: Arc<World>,
    /// What its forms are.
    pub truth: Arc<Truth>,
}

impl Ground {
    /// Draws the world of a trial.
    pub fn of(setting: &Setting) -> Ground {
        let world = setting.make_world();
        let truth = Truth::of(&world);
        Ground { world: Arc::new(world), truth: Arc::new(truth) }
    }
}

/// A topic in a world.
pub struct Arena {
    /// The world.
    pub ground: Ground,
    /// What is looked for.
    pub topic: String,
    /// Judges pages and forms.
    pub critic: Arc<dyn Critic>,
    /// Pages that were visited before.
    pub shelf: Shelf,
    /// Where every crawl starts.
    pub seeds: Vec<Url>,
    /// Pages known to hold relevant forms, for those who train before they crawl.
    pub examples: Vec<Url>,
    /// The relevant forms on them, which nobody needs to find.
    pub known: FxHashSet<FormId>,
}

impl Arena {
    /// A topic that is both the world's and the shipped critic's; `None` for any other.
    pub fn new(ground: Ground, topic: &str, room: Arc<Room>) -> Option<Arena> {
        let critic = Arc::new(TrainedCritic::new(Aim::built_in(topic)?));
        let seeds = ground.world.seeds(topic);
        let examples = ground.world.examples(topic);
        let given: FxHashSet<&Url> = examples.iter().collect();
        let known = ground.world.relevant(topic).filter(|form| given.contains(&form.page_url));
        let known = known.map(|form| form.form_id).collect();
        let topic = topic.to_string();
        Some(Arena { ground, topic, critic, shelf: Shelf::new(room), seeds, examples, known })
    }
}
