//! Facet counts of the directory.

use super::values::method_name;
use crate::store::FormSummary;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Number of forms per facet value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Facets {
    /// Number of forms that pass the filter.
    pub counted: usize,
    /// True if there are more forms than were counted. The counts are then those of the most relevant forms.
    pub or_more: bool,
    /// Forms by topic.
    pub topic: Vec<FacetValue>,
    /// Forms by site.
    pub site: Vec<FacetValue>,
    /// Forms by language; empty if unknown.
    pub language: Vec<FacetValue>,
    /// Forms by method.
    pub method: Vec<FacetValue>,
    /// Forms by number of visible fields.
    pub fields: Vec<FacetValue>,
    /// Forms by `p_relevant` in tenths: "0.9" means 0.9 to 1.
    pub relevance: Vec<FacetValue>,
}

/// One value of a facet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FacetValue {
    pub value: String,
    /// Number of forms with this value.
    pub count: usize,
}

/// Maximum number of values per facet. Guess.
const MAX_VALUES: usize = 50;

/// Counts of the facets, form by form.
#[derive(Default)]
pub struct FacetCounter {
    counted: usize,
    topic: BTreeMap<String, usize>,
    site: BTreeMap<String, usize>,
    language: BTreeMap<String, usize>,
    method: BTreeMap<&'static str, usize>,
    fields: BTreeMap<usize, usize>,
    /// By tenth of `p_relevant`.
    relevance: BTreeMap<u8, usize>,
}

impl FacetCounter {
    /// Counts a form.
    pub fn add(&mut self, form: &FormSummary) {
        self.counted += 1;
        add_one(&mut self.topic, &form.place.topic);
        add_one(&mut self.site, &form.site.0);
        add_one(&mut self.language, form.language.as_deref().unwrap_or_default());
        *self.method.entry(method_name(form.method)).or_default() += 1;
        *self.fields.entry(form.open_fields).or_default() += 1;
        let tenth = (form.place.relevant * 10.0).floor().clamp(0.0, 9.0) as u8;
        *self.relevance.entry(tenth).or_default() += 1;
    }

    /// The counts. `or_more`: there are forms that were not counted.
    pub fn facets(self, or_more: bool) -> Facets {
        Facets {
            counted: self.counted,
            or_more,
            topic: most_frequent(self.topic, String::clone),
            site: most_frequent(self.site, String::clone),
            language: most_frequent(self.language, String::clone),
            method: most_frequent(self.method, |name| (*name).to_string()),
            fields: most_frequent(self.fields, usize::to_string),
            relevance: most_frequent(self.relevance, |tenth| format!("0.{tenth}")),
        }
    }
}

/// Counts a value; its text is copied only when it is new.
fn add_one(counts: &mut BTreeMap<String, usize>, value: &str) {
    match counts.get_mut(value) {
        Some(count) => *count += 1,
        None => drop(counts.insert(value.to_string(), 1)),
    }
}

/// Most frequent values as text.
fn most_frequent<K>(counts: BTreeMap<K, usize>, text: impl Fn(&K) -> String) -> Vec<FacetValue> {
    let mut counts: Vec<(K, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
        .iter()
        .take(MAX_VALUES)
        .map(|(key, count)| FacetValue { value: text(key), count: *count })
        .collect()
}
