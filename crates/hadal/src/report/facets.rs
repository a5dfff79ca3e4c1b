//! What the forms of a directory can be narrowed down by.

use super::values::method_name;
use crate::store::FormSummary;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// How many forms have what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Facets {
    /// Forms that were counted: the most relevant of those that pass.
    pub counted: usize,
    /// Whether there are more.
    pub or_more: bool,
    /// Topics.
    pub topic: Vec<FacetValue>,
    /// Sites.
    pub site: Vec<FacetValue>,
    /// Languages; the empty one is unknown.
    pub language: Vec<FacetValue>,
    /// Methods.
    pub method: Vec<FacetValue>,
    /// Numbers of fields that people fill.
    pub fields: Vec<FacetValue>,
    /// P(relevant), by tenths: "0.9" is from 0.9 to 1.
    pub relevance: Vec<FacetValue>,
}

/// One value of a facet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FacetValue {
    /// The value.
    pub value: String,
    /// Forms that have it.
    pub count: usize,
}

/// Values of one facet that are told.
const MOST_VALUES: usize = 50;

/// What these forms can be narrowed down by.
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
        relevance: told(count_by(forms, |form| tenth(form.place.relevant)), |tenth| format!("0.{tenth}")),
    }
}

fn count<'a, K: Ord + ToString>(
    forms: &'a [FormSummary],
    key: impl Fn(&'a FormSummary) -> K,
) -> Vec<FacetValue> {
    told(count_by(forms, key), |key| key.to_string())
}

fn count_by<'a, K: Ord>(forms: &'a [FormSummary], key: impl Fn(&'a FormSummary) -> K) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    forms.iter().for_each(|form| *counts.entry(key(form)).or_default() += 1);
    counts
}

/// The most frequent values, as people read them.
fn told<K>(counts: BTreeMap<K, usize>, text: impl Fn(&K) -> String) -> Vec<FacetValue> {
    let mut counts: Vec<(K, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
        .iter()
        .take(MOST_VALUES)
        .map(|(key, count)| FacetValue { value: text(key), count: *count })
        .collect()
}
