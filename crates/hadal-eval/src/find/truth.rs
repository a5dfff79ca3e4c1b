//! Ground truth of a simulated web, by form id.

use hadal_core::critic::FormKind;
use hadal_core::identity::FormId;
use hadal_world::World;
use rustc_hash::{FxHashMap, FxHashSet};

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
