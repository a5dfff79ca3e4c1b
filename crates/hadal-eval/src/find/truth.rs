//! What a world's forms really are, by identity.

use hadal_core::critic::Kind;
use hadal_core::identity::FormId;
use hadal_world::World;
use rustc_hash::{FxHashMap, FxHashSet};

/// The searches of a world.
pub struct Truth {
    /// Every form that searches, and the topic it searches.
    searches: FxHashMap<FormId, Option<&'static str>>,
    /// Sites that hold a search of one of the topics.
    deep: FxHashSet<(&'static str, String)>,
}

impl Truth {
    /// Looks at every form there is.
    pub fn of(world: &World) -> Truth {
        let (mut searches, mut deep) = (FxHashMap::default(), FxHashSet::default());
        for form in world.truth().filter(|form| form.kind == Kind::Search) {
            let known = searches.entry(form.form_id).or_insert(form.topic);
            *known = known.or(form.topic);
            deep.extend(form.topic.map(|topic| (topic, form.site)));
        }
        Truth { searches, deep }
    }

    /// Whether a form searches anything.
    pub fn is_searchable(&self, form: FormId) -> bool {
        self.searches.contains_key(&form)
    }

    /// Whether a form searches this topic.
    pub fn is_relevant(&self, form: FormId, topic: &str) -> bool {
        self.searches.get(&form).copied().flatten() == Some(topic)
    }

    /// How many distinct forms search this topic.
    pub fn relevant(&self, topic: &str) -> u64 {
        self.searches.values().filter(|known| **known == Some(topic)).count() as u64
    }

    /// The sites that hold at least one of them.
    pub fn deep_sites<'t>(&'t self, topic: &'t str) -> impl Iterator<Item = &'t str> {
        self.deep.iter().filter(move |(known, _)| *known == topic).map(|(_, site)| site.as_str())
    }
}
