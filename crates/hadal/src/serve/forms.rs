//! Directory: forms found, facets, and single forms.

use super::error::ApiError;
use super::extract::{Number, PathParams, UrlParams, limit};
use super::state::AppState;
use crate::output::engines::opensearch;
use crate::render::thumbnail_name;
use crate::report::facets::{FacetCounter, Facets};
use crate::report::form::{FormPage, FormView, has_words, page, search_words, view};
use crate::store::{
    FormCursor, FormEntry, FormQuery, FormSummary, Label, LabelFilter, RunId, Store, StoreError, all_forms,
    all_rows, form_by_id,
};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use hadal_core::address::Site;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use http::header;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Number of forms up to which facets are counted and lists are sorted. Guess: index entries of that many
/// forms are read in a tenth of a second.
const MAX_COUNTED: usize = 100_000;
/// Number of forms that a search examines per response. Guess: their rows are read in a tenth of a second.
const MAX_SEARCHED: usize = 5_000;

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
    /// Minimum relevance for the topic.
    #[param(minimum = 0, maximum = 1, default = 0)]
    min_relevance: Option<f64>,
    /// Minimum probability that the form is a search.
    #[param(minimum = 0, maximum = 1, default = 0.5)]
    min_searchable: Option<f64>,
    /// Filter by label: all but rejected forms, all forms, or forms with one label.
    #[serde(default)]
    #[param(inline)]
    label: LabelWanted,
    /// Only forms with all of these words in their site, addresses, topic or fields.
    q: Option<String>,
}

/// Order of the directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FormOrder {
    /// Most relevant first.
    #[default]
    Relevance,
    /// Found last first.
    Newest,
    /// By name of the site.
    Site,
    /// Most likely search first.
    Searchable,
    /// Most fields first.
    Fields,
}

impl FormOrder {
    fn sort(self, forms: &mut [FormSummary]) {
        match self {
            FormOrder::Relevance => {}
            FormOrder::Newest => forms.sort_by_key(|form| std::cmp::Reverse(form.found)),
            FormOrder::Site => forms.sort_by(|a, b| a.site.cmp(&b.site)),
            FormOrder::Searchable => forms.sort_by(|a, b| b.place.searchable.total_cmp(&a.place.searchable)),
            FormOrder::Fields => forms.sort_by_key(|form| std::cmp::Reverse(form.open_fields)),
        }
    }
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
    /// Words of the search; none without a search.
    pub fn words(&self) -> Vec<String> {
        self.q.as_deref().map(search_words).unwrap_or_default()
    }

    pub fn query(self) -> Result<FormQuery, ApiError> {
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
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
    /// Order of the list.
    #[serde(default)]
    #[param(inline)]
    sort: FormOrder,
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

/// Forms found, most relevant first unless another order is wanted.
#[utoipa::path(get, path = "/api/forms", operation_id = "list_forms", tag = "forms", params(FormParams, PageParams),
    responses((status = 200, body = FormList)))]
pub async fn list(
    State(state): State<Arc<AppState>>,
    UrlParams(params): UrlParams<FormParams>,
    UrlParams(page): UrlParams<PageParams>,
) -> Result<Json<FormList>, ApiError> {
    let after = page.after.as_deref().map(place).transpose()?;
    let (limit, words) = (limit(page.limit)?, params.words());
    let query = FormQuery { after, limit: Some(limit), ..params.query()? };
    let found = state.read(move |store| match page.sort {
        FormOrder::Relevance if words.is_empty() => store.forms(&query).map(|page| (page.rows, page.next)),
        FormOrder::Relevance => searched_page(store, query, &words, limit),
        order => sorted_page(store, query, &words, (order, limit)),
    });
    let (rows, next) = found.await?;
    Ok(Json(FormList { forms: rows.iter().map(view).collect(), next: next.as_ref().map(written) }))
}

/// Rows of a response and the position of the next one.
type FormRows = (Vec<FormEntry>, Option<FormCursor>);

/// Forms with these words, in order of relevance. Examines a limited number of forms.
fn searched_page(
    store: &dyn Store,
    query: FormQuery,
    words: &[String],
    limit: usize,
) -> Result<FormRows, StoreError> {
    let (mut rows, mut last) = (Vec::new(), None);
    for (examined, entry) in all_forms(store, FormQuery { limit: None, ..query }).enumerate() {
        let entry = entry?;
        if rows.len() == limit || examined == MAX_SEARCHED {
            return Ok((rows, last));
        }
        last = Some(FormCursor::of(&entry.row));
        rows.extend(Some(entry).filter(|entry| has_words(&entry.row, words)));
    }
    Ok((rows, None))
}

/// Page of a list in another order. The whole list is read and sorted; a form that left it in the meantime ends it.
fn sorted_page(
    store: &dyn Store,
    query: FormQuery,
    words: &[String],
    (order, limit): (FormOrder, usize),
) -> Result<FormRows, StoreError> {
    let all = FormQuery { after: None, limit: None, ..query.clone() };
    let (mut forms, _) = summaries(store, &all, words)?;
    order.sort(&mut forms);
    let is_last = |form: &FormSummary| query.after.as_ref().is_some_and(|last| is_same(last, &form.place));
    let from = match &query.after {
        Some(_) => forms.iter().position(is_last).map_or(forms.len(), |last| last + 1),
        None => 0,
    };
    let page = &forms[from..forms.len().min(from + limit)];
    let next = page.last().filter(|_| from + limit < forms.len()).map(|form| form.place.clone());
    let ids = page.iter().map(|form| form.place.form).collect::<Vec<FormId>>();
    if ids.is_empty() {
        return Ok((Vec::new(), None));
    }
    let read = all_forms(store, FormQuery { ids, ..all }).collect::<Result<Vec<FormEntry>, StoreError>>()?;
    let row = |form: &FormSummary| {
        read.iter().find(|entry| is_same(&FormCursor::of(&entry.row), &form.place)).cloned()
    };
    Ok((page.iter().filter_map(row).collect(), next))
}

fn is_same(a: &FormCursor, b: &FormCursor) -> bool {
    a.form == b.form && a.topic == b.topic
}

/// All forms that pass the filter and have these words, in order of relevance. The flag is true if there may be more.
fn summaries(
    store: &dyn Store,
    query: &FormQuery,
    words: &[String],
) -> Result<(Vec<FormSummary>, bool), StoreError> {
    if words.is_empty() {
        let mut rows = all_rows(|after| store.form_summaries(&FormQuery { after, ..query.clone() }));
        let forms = rows.by_ref().take(MAX_COUNTED).collect::<Result<Vec<_>, _>>()?;
        return Ok((forms, rows.next().is_some()));
    }
    let mut rows = all_forms(store, query.clone());
    let read = rows.by_ref().take(MAX_SEARCHED).collect::<Result<Vec<FormEntry>, _>>()?;
    let found = read.iter().filter(|entry| has_words(&entry.row, words)).map(FormSummary::of).collect();
    Ok((found, rows.next().is_some()))
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

/// Facet counts of the forms that pass the filter: exact up to 100,000 forms, or 5,000 examined by a search.
#[utoipa::path(get, path = "/api/forms/facets", operation_id = "form_facets", tag = "forms", params(FormParams),
    responses((status = 200, body = Facets)))]
pub async fn narrow(
    State(state): State<Arc<AppState>>,
    UrlParams(params): UrlParams<FormParams>,
) -> Result<Json<Facets>, ApiError> {
    let words = params.words();
    let query = params.query()?;
    let (forms, or_more) = state.read(move |store| summaries(store, &query, &words)).await?;
    let mut counter = FacetCounter::default();
    forms.iter().for_each(|form| counter.add(form));
    Ok(Json(counter.facets(or_more)))
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

/// Small picture of the rendered page of a form.
#[utoipa::path(get, path = "/api/forms/{form}/thumbnail", operation_id = "form_thumbnail", tag = "forms",
    params(("form" = String, Path, description = "Form id", pattern = "^[0-9a-f]{16}$")),
    responses((status = 200, description = "The picture", content_type = "image/jpeg", body = Vec<u8>)))]
pub async fn thumbnail(
    State(state): State<Arc<AppState>>,
    PathParams(form): PathParams<String>,
) -> Result<Response, ApiError> {
    let found = find(&state, &form, None).await?;
    let none = || ApiError::missing("there is no picture of this form's page");
    let file = state.thumbnails.get().ok_or_else(none)?.join(thumbnail_name(&found.row.page_url));
    let picture = tokio::fs::read(file).await.map_err(|_| none())?;
    Ok(([(header::CONTENT_TYPE, "image/jpeg")], picture).into_response())
}

/// OpenSearch description of a form, with which browsers and other programs search its site.
#[utoipa::path(get, path = "/api/forms/{form}/opensearch", operation_id = "form_opensearch", tag = "forms",
    params(("form" = String, Path, description = "Form id", pattern = "^[0-9a-f]{16}$")),
    responses((status = 200, description = "The description", content_type = "application/opensearchdescription+xml", body = String)))]
pub async fn description(
    State(state): State<Arc<AppState>>,
    PathParams(form): PathParams<String>,
) -> Result<Response, ApiError> {
    let id = form_id(&form)?;
    let found = state.read(move |store| form_by_id(store, id, None, true)).await?;
    let found = found.ok_or_else(|| ApiError::missing(format!("unknown form {id}")))?;
    let text = opensearch(&found.row).ok_or_else(|| ApiError::missing("this form takes no query words"))?;
    Ok(([(header::CONTENT_TYPE, "application/opensearchdescription+xml")], text).into_response())
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
