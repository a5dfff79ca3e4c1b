//! Queries of users to one form or to several forms.

use super::error::ApiError;
use super::extract::{Body, Number, PathParams, UrlParams};
use super::forms::{find, form_id};
use super::state::AppState;
use crate::ask::{Answers, AskError, SourceSelection};
use axum::Json;
use axum::extract::{FromRequest, Request, State};
use http::StatusCode;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Default number of forms queried.
const DEFAULT_FORMS: usize = 5;

/// A query to one form.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FormQueryRequest {
    /// Words to search for.
    #[schema(min_length = 1, max_length = 200, pattern = "\\S")]
    words: String,
}

/// Query in the URL, for programs that send no JSON.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FormQueryParams {
    /// Words to search for, instead of a body.
    #[param(min_length = 1, max_length = 200, pattern = "\\S")]
    words: Option<String>,
}

/// Sends one query to one form, within robots.txt and delays, and logs it. Forms that take orders, passwords or
/// messages are never submitted.
#[utoipa::path(post, path = "/api/forms/{form}/try", operation_id = "try_form", tag = "questions", request_body = Option<FormQueryRequest>,
    params(("form" = String, Path, description = "Form id", pattern = "^[0-9a-f]{16}$"), FormQueryParams),
    responses((status = 200, body = Answers)))]
pub async fn try_one(
    State(state): State<Arc<AppState>>,
    PathParams(form): PathParams<String>,
    UrlParams(params): UrlParams<FormQueryParams>,
    request: Request,
) -> Result<Json<Answers>, ApiError> {
    let words = match params.words {
        Some(words) => words,
        None => Body::<FormQueryRequest>::from_request(request, &state).await?.0.words,
    };
    let found = find(&state, &form, None).await?;
    let answers = state.asker.ask(&words, SourceSelection::Forms(vec![found.row.form_id])).await;
    answers.map(Json).map_err(problem)
}

/// A query to several forms.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum MultiQueryRequest {
    /// To the best forms of a topic.
    Best(TopicQueryRequest),
    /// To forms by id.
    Forms(FormsQueryRequest),
}

/// A query to the best forms of a topic.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TopicQueryRequest {
    /// Words to search for.
    #[schema(min_length = 1, max_length = 200, pattern = "\\S")]
    words: String,
    /// Topic of the forms that are queried.
    topic: String,
    /// Number of forms.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 20, default = 5)]
    most: Option<Number>,
}

/// A query to forms by id.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FormsQueryRequest {
    /// Words to search for.
    #[schema(min_length = 1, max_length = 200, pattern = "\\S")]
    words: String,
    /// Ids of the forms that are queried.
    #[schema(min_items = 1, max_items = 20, pattern = "^[0-9a-f]{16}$")]
    forms: Vec<String>,
}

/// Sends one query to several forms in parallel and merges their answers.
#[utoipa::path(post, path = "/api/ask", operation_id = "ask", tag = "questions", request_body = MultiQueryRequest,
    responses((status = 200, body = Answers)))]
pub async fn ask(
    State(state): State<Arc<AppState>>,
    Body(question): Body<MultiQueryRequest>,
) -> Result<Json<Answers>, ApiError> {
    let (words, selection) = match question {
        MultiQueryRequest::Best(TopicQueryRequest { words, topic, most }) => {
            let most = most.map_or(DEFAULT_FORMS, |most| usize::try_from(most.0).unwrap_or(usize::MAX));
            (words, SourceSelection::Best(topic, most))
        }
        MultiQueryRequest::Forms(FormsQueryRequest { words, forms }) => {
            let ids = forms.iter().map(|form| form_id(form)).collect::<Result<_, _>>()?;
            (words, SourceSelection::Forms(ids))
        }
    };
    state.asker.ask(&words, selection).await.map(Json).map_err(problem)
}

fn unprocessable(message: impl ToString) -> ApiError {
    ApiError::of(StatusCode::UNPROCESSABLE_ENTITY, message.to_string())
}

fn problem(error: AskError) -> ApiError {
    match error {
        AskError::NoWords | AskError::TooMany => unprocessable(error),
        AskError::NoSource(_) | AskError::NoForm => ApiError::missing(error.to_string()),
        AskError::Store(error) => error.into(),
    }
}
