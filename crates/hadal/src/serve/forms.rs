//! Directory: forms found, facets, and single forms.

use super::error::ApiError;
use super::extract::{Number, PathParams, UrlParams};
use super::paging::limit;
use super::state::AppState;
use crate::report::facets::{Facets, facets};
use crate::report::form::{FormPage, FormView, page, view};
use crate::store::{FormCursor, FormEntry, FormQuery, Label, LabelFilter, RunId, form_by_id};
use axum::Json;
use axum::extract::State;
use hadal_core::address::Site;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Number of forms over which facets are counted. Guess.
const COUNTED: usize = 500;

/// Filter of the directory.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FormParams {
    /// Only forms of this run.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    run: Option<Number>,
    /// Only forms of this topic.
    topic: Option<String>,
    /// Only forms of this site.
    site: Option<String>,
    /// Only forms on pages in this language, as ISO 639-1 code.
    language: Option<String>,
    /// Only forms with this method.
    #[param(inline)]
    method: Option<MethodName>,
    /// Only forms with this number of visible fields.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    fields: Option<Number>,
    /// Least probability of a search of the topic.
    #[param(minimum = 0, maximum = 1, default = 0)]
    min_relevance: Option<f64>,
    /// Least probability of a search.
    #[param(minimum = 0, maximum = 1, default = 0.5)]
    min_searchable: Option<f64>,
    /// Filter by label: all but rejected forms, all forms, or forms with one label.
    #[serde(default)]
    #[param(inline)]
    label: LabelWanted,
}

/// HTTP method of a form.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MethodName {
    Get,
    Post,
}

/// Filter by label.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LabelWanted {
    #[default]
    Standing,
    Any,
    Right,
    Wrong,
    NotASearch,
}

impl FormParams {
    fn query(self) -> Result<FormQuery, ApiError> {
        let labels = match self.label {
            LabelWanted::Standing => LabelFilter::Accepted,
            LabelWanted::Any => LabelFilter::Any,
            LabelWanted::Right => LabelFilter::Only(Label::Right),
            LabelWanted::Wrong => LabelFilter::Only(Label::Wrong),
            LabelWanted::NotASearch => LabelFilter::Only(Label::NotASearch),
        };
        let method = self.method.map(|method| match method {
            MethodName::Get => Method::Get,
            MethodName::Post => Method::Post,
        });
        Ok(FormQuery {
            run: self.run.map(|run| RunId(run.0)),
            topic: self.topic,
            site: self.site.map(Site),
            language: self.language,
            method,
            open_fields: self.fields.and_then(|fields| usize::try_from(fields.0).ok()),
            min_relevance: probability(self.min_relevance, 0.0)?,
            min_searchable: probability(self.min_searchable, MIN_ACCEPTED_P)?,
            labels,
            limit: Some(COUNTED),
            ..FormQuery::default()
        })
    }
}

fn probability(given: Option<f64>, usual: f32) -> Result<f32, ApiError> {
    match given {
        None => Ok(usual),
        Some(p) if (0.0..=1.0).contains(&p) => Ok(p as f32),
        Some(_) => Err(ApiError::bad("expected a probability from 0 to 1")),
    }
}

/// Position and size of a page of the directory.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageParams {
    /// Cursor: `next` of the previous page.
    #[param(pattern = "^[0-9a-f]{32}\\.")]
    after: Option<String>,
    /// Greatest number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Forms, most relevant first.
#[derive(Debug, Serialize, ToSchema)]
pub struct FormList {
    /// May be fewer than requested although there is a `next`, because a page ends after a number of forms
    /// examined.
    forms: Vec<FormView>,
    /// Cursor for the next page.
    next: Option<String>,
}

/// Forms found, most relevant first.
#[utoipa::path(get, path = "/api/forms", operation_id = "list_forms", tag = "forms", params(FormParams, PageParams),
    responses((status = 200, body = FormList)))]
pub async fn list(
    State(state): State<Arc<AppState>>,
    UrlParams(params): UrlParams<FormParams>,
    UrlParams(page): UrlParams<PageParams>,
) -> Result<Json<FormList>, ApiError> {
    let after = page.after.as_deref().map(place).transpose()?;
    let query = FormQuery { after, limit: Some(limit(page.limit)?), ..params.query()? };
    let found = state.read(move |store| store.forms(&query)).await?;
    let next = found.next.as_ref().map(written);
    Ok(Json(FormList { forms: found.rows.iter().map(view).collect(), next }))
}

/// Formats a cursor: the bits of two probabilities, the form and the topic.
fn written(place: &FormCursor) -> String {
    let (relevant, searchable) = (place.relevant.to_bits(), place.searchable.to_bits());
    format!("{relevant:08x}{searchable:08x}{}.{}", place.form, place.topic)
}

fn place(text: &str) -> Result<FormCursor, ApiError> {
    let read = || {
        let (key, topic) = text.split_once('.')?;
        let part = |range| u64::from_str_radix(key.get(range)?, 16).ok();
        let p = |bits: u64| Some(f32::from_bits(u32::try_from(bits).ok()?));
        let (relevant, searchable, form) = (p(part(0..8)?)?, p(part(8..16)?)?, FormId(part(16..32)?));
        (key.len() == 32).then(|| FormCursor { relevant, searchable, form, topic: topic.to_string() })
    };
    read().ok_or_else(|| ApiError::bad("invalid cursor 'after'"))
}

/// Facet counts of the forms that pass the filter, over the five hundred most relevant ones.
#[utoipa::path(get, path = "/api/forms/facets", operation_id = "form_facets", tag = "forms", params(FormParams),
    responses((status = 200, body = Facets)))]
pub async fn narrow(
    State(state): State<Arc<AppState>>,
    UrlParams(params): UrlParams<FormParams>,
) -> Result<Json<Facets>, ApiError> {
    let query = params.query()?;
    let found = state.read(move |store| store.form_summaries(&query)).await?;
    Ok(Json(facets(&found.rows, found.next.is_some())))
}

/// Selects a form by topic.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TopicParams {
    /// Topic for which the form was found, if several runs found it.
    topic: Option<String>,
}

/// Parses a form id in a path.
pub fn form_id(text: &str) -> Result<FormId, ApiError> {
    let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = text.parse().ok().filter(|_| digits);
    id.ok_or_else(|| ApiError::bad("a form id has 16 hexadecimal digits"))
}

/// Form of the directory, or an error.
pub async fn find(state: &AppState, form: &str, topic: Option<String>) -> Result<FormEntry, ApiError> {
    let id = form_id(form)?;
    let found = state.read(move |store| form_by_id(store, id, topic.as_deref(), false)).await?;
    found.ok_or_else(|| ApiError::missing(format!("unknown form {id}")))
}

/// A form with its fields, its path from a seed, and the evidence.
#[utoipa::path(get, path = "/api/forms/{form}", operation_id = "form", tag = "forms",
    params(("form" = String, Path, description = "Form id", pattern = "^[0-9a-f]{16}$"), TopicParams),
    responses((status = 200, body = FormPage)))]
pub async fn one(
    State(state): State<Arc<AppState>>,
    PathParams(form): PathParams<String>,
    UrlParams(params): UrlParams<TopicParams>,
) -> Result<Json<FormPage>, ApiError> {
    let found = find(&state, &form, params.topic).await?;
    Ok(Json(state.read(move |store| page(store, &found)).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back_as_it_was_and_nonsense_is_refused() {
        let here =
            FormCursor { relevant: 0.25, searchable: 1.0, form: FormId(7), topic: "used. books".into() };
        assert_eq!(place(&written(&here)).unwrap(), here);
        for text in ["", ".", "?", "00.x", &"0".repeat(32), &format!("{}\u{e9}.x", "0".repeat(31))] {
            assert!(place(text).is_err(), "{text}");
        }
    }
}
