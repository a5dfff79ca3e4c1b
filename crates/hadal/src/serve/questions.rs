//! People's questions: to one form of the directory, or to many at once.

use super::desk::Desk;
use super::extract::{Body, Named, Number};
use super::forms::{find, form_id};
use super::problem::Problem;
use crate::ask::{Answers, AskError, Whom};
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Forms of a topic that are asked when nobody says how many.
const USUAL: usize = 5;

/// A question to one form.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// What to ask.
    #[schema(min_length = 1, max_length = 200, pattern = "\\S")]
    words: String,
}

/// Puts one question to one form: within robots.txt and pauses, and on record. Forms that take orders,
/// passwords or messages are never sent.
#[utoipa::path(post, path = "/api/forms/{form}/try", operation_id = "try_form", tag = "questions", request_body = Trial,
    params(("form" = String, Path, description = "Its identity", pattern = "^[0-9a-f]{16}$")),
    responses((status = 200, body = Answers)))]
pub async fn try_one(
    State(desk): State<Arc<Desk>>,
    Named(form): Named<String>,
    Body(trial): Body<Trial>,
) -> Result<Json<Answers>, Problem> {
    let found = find(&desk, &form, None).await?;
    let answers = desk.asker.ask(&trial.words, Whom::Forms(vec![found.row.form_id])).await;
    answers.map(Json).map_err(problem)
}

/// A question to many forms.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Question {
    /// To the best of a topic.
    Best(BestQuestion),
    /// To some by name.
    Forms(FormsQuestion),
}

/// A question to the best forms of a topic.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BestQuestion {
    /// What to ask.
    #[schema(min_length = 1, max_length = 200, pattern = "\\S")]
    words: String,
    /// Which topic.
    topic: String,
    /// How many forms.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 20, default = 5)]
    most: Option<Number>,
}

/// A question to some forms by name.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FormsQuestion {
    /// What to ask.
    #[schema(min_length = 1, max_length = 200, pattern = "\\S")]
    words: String,
    /// Which forms.
    #[schema(min_items = 1, max_items = 20, pattern = "^[0-9a-f]{16}$")]
    forms: Vec<String>,
}

/// Puts one question to several forms side by side, and merges their answers.
#[utoipa::path(post, path = "/api/ask", operation_id = "ask", tag = "questions", request_body = Question,
    responses((status = 200, body = Answers)))]
pub async fn ask(
    State(desk): State<Arc<Desk>>,
    Body(question): Body<Question>,
) -> Result<Json<Answers>, Problem> {
    let (words, whom) = match question {
        Question::Best(BestQuestion { words, topic, most }) => {
            let most = most.map_or(USUAL, |most| usize::try_from(most.0).unwrap_or(usize::MAX));
            (words, Whom::Best(topic, most))
        }
        Question::Forms(FormsQuestion { words, forms }) => {
            let ids = forms.iter().map(|form| form_id(form)).collect::<Result<_, _>>()?;
            (words, Whom::Forms(ids))
        }
    };
    desk.asker.ask(&words, whom).await.map(Json).map_err(problem)
}

fn unprocessable(message: impl ToString) -> Problem {
    Problem::of(StatusCode::UNPROCESSABLE_ENTITY, message.to_string())
}

fn problem(error: AskError) -> Problem {
    match error {
        AskError::NoWords | AskError::TooMany => unprocessable(error),
        AskError::NoSource(_) | AskError::NoForm => Problem::missing(error.to_string()),
        AskError::Store(error) => error.into(),
    }
}
