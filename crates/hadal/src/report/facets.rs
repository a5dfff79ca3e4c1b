//! Facet counts of the directory.

use super::values::method_name;
use crate::store::FormSummary;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Number of forms per facet value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Facets {
    /// Number of forms counted: the most relevant ones that pass the filter.
    pub counted: usize,
    /// True if more forms pass the filter than were counted.
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

/// Greatest number of values per facet. Guess.
const MAX_VALUES: usize = 50;

/// Counts the facets of forms.
pub fn facets(forms: &[FormSummary], or_more: bool) -> Facets {
    let tenth = |p: f32| (p * 10.0).floor().clamp(0.0, 9.0) as u8;
    Facets {
        counted: forms.len(),
        or_more,
        topic: count(forms, |form| form.place.topic.as_str()),
        site: count(forms, |form| &*form.site.0),
        language: count(forms, |form| form.language.as_deref().unwrap_or_default()),
        method: count(forms, |form| method_name(form.method)),
        fields: count(forms, |form| form.open_fields),
        relevance: facet_values(count_by(forms, |form| tenth(form.place.relevant)), |tenth| {
            format!("0.{tenth}")
        }),
    }
}

fn count<'a, K: Ord + ToString>(
    forms: &'a [FormSummary],
    key: impl Fn(&'a FormSummary) -> K,
) -> Vec<FacetValue> {
    facet_values(count_by(forms, key), |key| key.to_string())
}

fn count_by<'a, K: Ord>(forms: &'a [FormSummary], key: impl Fn(&'a FormSummary) -> K) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    forms.iter().for_each(|form| *counts.entry(key(form)).or_default() += 1);
    counts
}

/// Most frequent values as text.
fn facet_values<K>(counts: BTreeMap<K, usize>, text: impl Fn(&K) -> String) -> Vec<FacetValue> {
    let mut counts: Vec<(K, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
        .iter()
        .take(MAX_VALUES)
        .map(|(key, count)| FacetValue { value: text(key), count: *count })
        .collect()
}
