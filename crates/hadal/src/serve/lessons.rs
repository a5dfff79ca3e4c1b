//! Lessons of a run's strategy.

use super::error::ApiError;
use super::extract::{PathParams, UrlParams, limit};
use super::runs::no_run;
use super::state::AppState;
use crate::store::{LessonRow, RunId, RunParts, RunQuery};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Number of lessons.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LessonParams {
    /// Maximum number of lessons.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Lessons, latest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonList {
    lessons: Vec<LessonView>,
}

/// Lesson of a learning strategy, with its time.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonView {
    /// Requests of the run at that time.
    at_request: u64,
    /// Pages of the run at that time.
    at_page: u64,
    /// Model: link or site.
    model: String,
    /// Iteration number; 0 is the model before the crawl.
    iteration: u32,
    /// Number of training examples.
    examples: u32,
    /// Selected features by position.
    features: Vec<LessonTerms>,
}

/// Selected features of one position.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonTerms {
    /// Position: url, path, anchor, around.
    space: String,
    /// Distance to the form in clicks, if the model has levels.
    level: Option<u8>,
    /// Stems, most frequent first.
    terms: Vec<LessonTerm>,
}

/// A feature of a model.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonTerm {
    /// Stem of the feature.
    term: String,
    /// Number of examples with it.
    examples: u32,
}

fn lesson(row: LessonRow) -> LessonView {
    let lesson = row.lesson;
    let spaces = lesson.selected.into_iter().map(|chosen| LessonTerms {
        space: chosen.space,
        level: chosen.level,
        terms: chosen.terms.into_iter().map(|(term, examples)| LessonTerm { term, examples }).collect(),
    });
    LessonView {
        at_request: row.at_request,
        at_page: row.at_page,
        features: spaces.collect(),
        model: lesson.model,
        iteration: lesson.iteration,
        examples: lesson.examples,
    }
}

/// Lessons of a run's strategy, latest first.
#[utoipa::path(get, path = "/api/runs/{run}/lessons", operation_id = "run_lessons", tag = "runs",
    params(("run" = u64, Path, description = "Number"), LessonParams),
    responses((status = 200, body = LessonList)))]
pub async fn latest(
    State(state): State<Arc<AppState>>,
    PathParams(run): PathParams<u64>,
    UrlParams(params): UrlParams<LessonParams>,
) -> Result<Json<LessonList>, ApiError> {
    let limit = limit(params.limit)?;
    let rows = state
        .read(move |store| {
            let parts = RunParts { lessons: limit, ..RunParts::default() };
            let row = store.runs(&RunQuery { parts, ..RunQuery::one(RunId(run)) })?.pop();
            Ok(row.map(|row| row.lessons))
        })
        .await?;
    let rows = rows.ok_or_else(|| no_run(run))?;
    Ok(Json(LessonList { lessons: rows.into_iter().rev().map(lesson).collect() }))
}
