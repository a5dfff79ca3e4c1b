//! What people make of forms.

use super::desk::Desk;
use super::extract::{Body, Named, Params};
use super::forms::{find, form_id};
use super::paging::limit;
use super::problem::Problem;
use crate::report::form::{FormView, view};
use crate::report::values::timestamp;
use crate::store::{FormEntry, Label, LabelRow};
use axum::Json;
use axum::extract::State;
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::SystemTime;
use utoipa::{IntoParams, ToSchema};

/// What a person makes of a form.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// For this topic; else for the one it was found for first.
    topic: Option<String>,
    /// What it is; `null` takes back what was said.
    label: Option<Label>,
}

/// Keeps what a person makes of a form.
#[utoipa::path(put, path = "/api/forms/{form}/label", operation_id = "label_form", tag = "forms", request_body = Verdict,
    params(("form" = String, Path, description = "Its identity", pattern = "^[0-9a-f]{16}$")),
    responses((status = 200, body = FormView)))]
pub async fn mark(
    State(desk): State<Arc<Desk>>,
    Named(form): Named<String>,
    Body(verdict): Body<Verdict>,
) -> Result<Json<FormView>, Problem> {
    let found = find(&desk, &form, verdict.topic).await?;
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let at = Time(0).after(since);
    let marked = desk
        .read(move |store| {
            let (form, topic) = (found.row.form_id, found.row.topic.clone());
            match verdict.label {
                Some(label) => store.mark(&LabelRow { form, topic, label, at })?,
                None => store.unmark(form, &topic)?,
            }
            Ok(FormEntry { label: verdict.label, ..found })
        })
        .await?;
    Ok(Json(view(&marked)))
}

/// Which page of the labels.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LabelParams {
    /// Only what comes after: `next` of the page before.
    #[param(pattern = "^[0-9a-f]{16}\\.")]
    after: Option<String>,
    /// Rows at most.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Some labels, by form.
#[derive(Debug, Serialize, ToSchema)]
pub struct LabelList {
    labels: Vec<LabelView>,
    /// Give this as `after` for the next page.
    next: Option<String>,
}

/// A form with a person's word on it.
#[derive(Debug, Serialize, ToSchema)]
pub struct LabelView {
    form_id: String,
    topic: String,
    label: Label,
    /// When that was said.
    at: String,
}

/// What people made of forms.
#[utoipa::path(get, path = "/api/labels", operation_id = "list_labels", tag = "forms", params(LabelParams),
    responses((status = 200, body = LabelList)))]
pub async fn list(
    State(desk): State<Arc<Desk>>,
    Params(page): Params<LabelParams>,
) -> Result<Json<LabelList>, Problem> {
    let limit = limit(page.limit)?;
    let after: Option<(FormId, String)> = page.after.as_deref().map(place).transpose()?;
    let rows = desk
        .read(move |store| store.labels(after.as_ref().map(|(form, topic)| (*form, topic.as_str())), limit))
        .await?;
    let next = rows.last().filter(|_| rows.len() == limit).map(|row| format!("{}.{}", row.form, row.topic));
    let view = |row: LabelRow| LabelView {
        form_id: row.form.to_string(),
        topic: row.topic,
        label: row.label,
        at: timestamp(row.at),
    };
    Ok(Json(LabelList { labels: rows.into_iter().map(view).collect(), next }))
}

/// A place in the list as clients hand it back: the form and the topic.
fn place(text: &str) -> Result<(FormId, String), Problem> {
    let (form, topic) = text.split_once('.').unwrap_or((text, ""));
    Ok((form_id(form)?, topic.to_string()))
}
