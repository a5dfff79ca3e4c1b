//! Labels that users give to forms.

use super::error::ApiError;
use super::extract::{Body, PathParams, UrlParams, limit};
use super::forms::{find, form_id};
use super::state::AppState;
use crate::report::form::{FormView, LabelName, view};
use crate::report::values::timestamp;
use crate::store::{FormEntry, Label, LabelQuery, LabelRow, LabelUpdate, UserChange};
use axum::Json;
use axum::extract::State;
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::SystemTime;
use utoipa::{IntoParams, ToSchema};

/// Label of a form.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LabelChange {
    /// Topic of the label [default: the topic for which the form was found first].
    topic: Option<String>,
    /// The label; `null` removes it.
    label: Option<LabelName>,
}

/// Stores the label of a form.
#[utoipa::path(put, path = "/api/forms/{form}/label", operation_id = "label_form", tag = "forms", request_body = LabelChange,
    params(("form" = String, Path, description = "Form id", pattern = "^[0-9a-f]{16}$")),
    responses((status = 200, body = FormView)))]
pub async fn mark(
    State(state): State<Arc<AppState>>,
    PathParams(form): PathParams<String>,
    Body(verdict): Body<LabelChange>,
) -> Result<Json<FormView>, ApiError> {
    let found = find(&state, &form, verdict.topic).await?;
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let at = Time(0).after(since);
    let marked = state
        .read(move |store| {
            let (form, topic) = (found.row.form_id, found.row.topic.clone());
            let label = verdict.label.map(Label::from);
            store.apply_user_changes(&[UserChange::Label(LabelUpdate { form, topic, label, at })])?;
            Ok(FormEntry { label, ..found })
        })
        .await?;
    Ok(Json(view(&marked)))
}

/// Position and size of a page of labels.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LabelParams {
    /// Cursor: `next` of the previous page.
    #[param(pattern = "^[0-9a-f]{16}\\.")]
    after: Option<String>,
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Labels by form.
#[derive(Debug, Serialize, ToSchema)]
pub struct LabelList {
    labels: Vec<LabelView>,
    /// Cursor for the next page.
    next: Option<String>,
}

/// A labelled form.
#[derive(Debug, Serialize, ToSchema)]
pub struct LabelView {
    form_id: String,
    topic: String,
    label: LabelName,
    /// Time of the label.
    at: String,
}

/// Labels of all forms.
#[utoipa::path(get, path = "/api/labels", operation_id = "list_labels", tag = "forms", params(LabelParams),
    responses((status = 200, body = LabelList)))]
pub async fn list(
    State(state): State<Arc<AppState>>,
    UrlParams(page): UrlParams<LabelParams>,
) -> Result<Json<LabelList>, ApiError> {
    let limit = limit(page.limit)?;
    let after: Option<(FormId, String)> = page.after.as_deref().map(place).transpose()?;
    let rows = state.read(move |store| store.labels(&LabelQuery { after, limit: Some(limit) })).await?.rows;
    let next = rows.last().filter(|_| rows.len() == limit).map(|row| format!("{}.{}", row.form, row.topic));
    let view = |row: LabelRow| LabelView {
        form_id: row.form.to_string(),
        topic: row.topic,
        label: row.label.into(),
        at: timestamp(row.at),
    };
    Ok(Json(LabelList { labels: rows.into_iter().map(view).collect(), next }))
}

/// Parses a cursor: form and topic.
fn place(text: &str) -> Result<(FormId, String), ApiError> {
    let (form, topic) = text.split_once('.').unwrap_or((text, ""));
    Ok((form_id(form)?, topic.to_string()))
}
