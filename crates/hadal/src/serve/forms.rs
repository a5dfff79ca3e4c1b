//! The directory: forms found, what they can be narrowed down by, and one of them.

use super::desk::Desk;
use super::extract::{Named, Number, Params};
use super::paging::limit;
use super::problem::Problem;
use crate::report::facets::{Facets, facets};
use crate::report::form::{FormPage, FormView, page, view};
use crate::store::{FormCursor, FormEntry, FormQuery, Label, LabelFilter, RunId};
use axum::Json;
use axum::extract::State;
use hadal_core::address::Site;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Forms that facets are counted over.
const COUNTED: usize = 500;

/// Which forms are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FormParams {
    /// Only of this run.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    run: Option<Number>,
    /// Only of this topic.
    topic: Option<String>,
    /// Only of this site.
    site: Option<String>,
    /// Only on pages in this language, as its ISO 639-1 code.
    language: Option<String>,
    /// Only sent in this way.
    #[param(inline)]
    method: Option<MethodName>,
    /// Only with so many fields that people fill.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    fields: Option<Number>,
    /// Only at least this likely to search and to be of the topic.
    #[param(minimum = 0, maximum = 1, default = 0)]
    min_relevance: Option<f64>,
    /// Only at least this likely to search.
    #[param(minimum = 0, maximum = 1, default = 0.5)]
    min_searchable: Option<f64>,
    /// By what people said: all but what they took out, all, or those with one label.
    #[serde(default)]
    #[param(inline)]
    label: LabelWanted,
}

/// How a form is sent.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MethodName {
    Get,
    Post,
}

/// Which forms by what people said of them.
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
    fn query(self) -> Result<FormQuery, Problem> {
        let marks = match self.label {
            LabelWanted::Standing => LabelFilter::Standing,
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
            fields: self.fields.and_then(|fields| usize::try_from(fields.0).ok()),
            min_relevance: probability(self.min_relevance, 0.0)?,
            min_searchable: probability(self.min_searchable, 0.5)?,
            marks,
            after: None,
            most: COUNTED,
        })
    }
}

fn probability(given: Option<f64>, usual: f32) -> Result<f32, Problem> {
    match given {
        None => Ok(usual),
        Some(p) if (0.0..=1.0).contains(&p) => Ok(p as f32),
        Some(_) => Err(Problem::bad("a probability is from 0 to 1")),
    }
}

/// Which page of the directory.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageParams {
    /// Only what comes after: `next` of the page before.
    #[param(pattern = "^[0-9a-f]{32}\\.")]
    after: Option<String>,
    /// Rows at most.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Some forms, the most relevant first.
#[derive(Debug, Serialize, ToSchema)]
pub struct FormList {
    /// There may be fewer than asked for although there is a `next`: of many forms few may pass.
    forms: Vec<FormView>,
    /// Give this as `after` for the next page.
    next: Option<String>,
}

/// Forms found, the most relevant first.
#[utoipa::path(get, path = "/api/forms", operation_id = "list_forms", tag = "forms", params(FormParams, PageParams),
    responses((status = 200, body = FormList)))]
pub async fn list(
    State(desk): State<Arc<Desk>>,
    Params(params): Params<FormParams>,
    Params(page): Params<PageParams>,
) -> Result<Json<FormList>, Problem> {
    let after = page.after.as_deref().map(place).transpose()?;
    let query = FormQuery { after, most: limit(page.limit)?, ..params.query()? };
    let found = desk.read(move |store| store.directory(&query)).await?;
    let next = found.next.as_ref().map(written);
    Ok(Json(FormList { forms: found.forms.iter().map(view).collect(), next }))
}

/// A place in the directory as clients hand it back: two probabilities by their bits, the form, the topic.
fn written(place: &FormCursor) -> String {
    let (relevant, searchable) = (place.relevant.to_bits(), place.searchable.to_bits());
    format!("{relevant:08x}{searchable:08x}{}.{}", place.form, place.topic)
}

fn place(text: &str) -> Result<FormCursor, Problem> {
    let read = || {
        let (key, topic) = text.split_once('.')?;
        let part = |range| u64::from_str_radix(key.get(range)?, 16).ok();
        let p = |bits: u64| Some(f32::from_bits(u32::try_from(bits).ok()?));
        let (relevant, searchable, form) = (p(part(0..8)?)?, p(part(8..16)?)?, FormId(part(16..32)?));
        (key.len() == 32).then(|| FormCursor { relevant, searchable, form, topic: topic.to_string() })
    };
    read().ok_or_else(|| Problem::bad("after is not what a page gave as next"))
}

/// What the forms that pass can be narrowed down by, counted over the most relevant five hundred.
#[utoipa::path(get, path = "/api/forms/facets", operation_id = "form_facets", tag = "forms", params(FormParams),
    responses((status = 200, body = Facets)))]
pub async fn narrow(
    State(desk): State<Arc<Desk>>,
    Params(params): Params<FormParams>,
) -> Result<Json<Facets>, Problem> {
    let query = params.query()?;
    let found = desk.read(move |store| store.glances(&query)).await?;
    Ok(Json(facets(&found.forms, found.next.is_some())))
}

/// Which form of that identity.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TopicParams {
    /// As found for this topic, when several have it.
    topic: Option<String>,
}

/// The identity in a path.
pub fn form_id(text: &str) -> Result<FormId, Problem> {
    let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = text.parse().ok().filter(|_| digits);
    id.ok_or_else(|| Problem::bad("a form is named by 16 hexadecimal digits"))
}

/// A form of the directory, or that there is none.
pub async fn find(desk: &Desk, form: &str, topic: Option<String>) -> Result<FormEntry, Problem> {
    let id = form_id(form)?;
    let found = desk.read(move |store| store.found(id, topic.as_deref())).await?;
    found.ok_or_else(|| Problem::missing(format!("there is no form {id}")))
}

/// One form with its fields, the way to it and why it was kept.
#[utoipa::path(get, path = "/api/forms/{form}", operation_id = "form", tag = "forms",
    params(("form" = String, Path, description = "Its identity", pattern = "^[0-9a-f]{16}$"), TopicParams),
    responses((status = 200, body = FormPage)))]
pub async fn one(
    State(desk): State<Arc<Desk>>,
    Named(form): Named<String>,
    Params(params): Params<TopicParams>,
) -> Result<Json<FormPage>, Problem> {
    let found = find(&desk, &form, params.topic).await?;
    Ok(Json(desk.read(move |store| page(store, &found)).await?))
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
