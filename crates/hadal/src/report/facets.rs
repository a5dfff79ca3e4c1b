//! What the forms of a directory can be narrowed down by.

use crate::output::rows::method_name;
use crate::store::Glance;
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
pub fn facets(forms: &[Glance], or_more: bool) -> Facets {
    let count = |value: &dyn Fn(&Glance) -> String| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        forms.iter().for_each(|form| *counts.entry(value(form)).or_default() += 1);
        let mut values: Vec<FacetValue> =
            counts.into_iter().map(|(value, count)| FacetValue { value, count }).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.count));
        values.truncate(MOST_VALUES);
        values
    };
    let tenth = |p: f32| format!("{:.1}", (p * 10.0).floor().clamp(0.0, 9.0) / 10.0);
    Facets {
        counted: forms.len(),
        or_more,
        topic: count(&|form| form.place.topic.clone()),
        site: count(&|form| form.site.to_string()),
        language: count(&|form| form.language.clone().unwrap_or_default()),
        method: count(&|form| method_name(form.method).to_string()),
        fields: count(&|form| form.open_fields.to_string()),
        relevance: count(&|form| tenth(form.place.relevant)),
    }
}
