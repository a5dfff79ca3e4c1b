//! What a run's strategy learned.

use super::desk::Desk;
use super::extract::{Named, Params};
use super::paging::limit;
use super::problem::Problem;
use super::runs::no_run;
use crate::store::{LessonRow, RunId};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// How many lessons are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LessonParams {
    /// Lessons at most.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// What a strategy learned, the latest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonList {
    lessons: Vec<LessonView>,
}

/// What was learned at one moment.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonView {
    /// Requests of the run so far.
    at_request: u64,
    /// Pages of the run so far.
    at_page: u64,
    /// Which model learned: link, site.
    model: String,
    /// The how-manieth time, from 0: before the crawl.
    iteration: u32,
    /// Examples it learned from.
    examples: u32,
    /// The features it selected, by where they stand.
    features: Vec<FeatureSpace>,
}

/// The features selected in one place.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeatureSpace {
    /// Where they stand: url, path, anchor, around.
    space: String,
    /// Clicks to the form, when the model tells levels apart.
    level: Option<u8>,
    /// Stems, the most frequent first.
    terms: Vec<Feature>,
}

/// A feature that a model holds.
#[derive(Debug, Serialize, ToSchema)]
pub struct Feature {
    /// Its stem.
    term: String,
    /// Examples that have it.
    examples: u32,
}

fn lesson(row: LessonRow) -> LessonView {
    let lesson = row.lesson;
    let spaces = lesson.selected.into_iter().map(|chosen| FeatureSpace {
        space: chosen.space,
        level: chosen.level,
        terms: chosen.terms.into_iter().map(|(term, examples)| Feature { term, examples }).collect(),
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

/// What a run's strategy learned, the latest first.
#[utoipa::path(get, path = "/api/runs/{run}/lessons", operation_id = "run_lessons", tag = "runs",
    params(("run" = u64, Path, description = "Its number"), LessonParams),
    responses((status = 200, body = LessonList)))]
pub async fn latest(
    State(desk): State<Arc<Desk>>,
    Named(run): Named<u64>,
    Params(params): Params<LessonParams>,
) -> Result<Json<LessonList>, Problem> {
    let limit = limit(params.limit)?;
    let rows = desk
        .read(move |store| {
            let Some(row) = store.run_row(RunId(run))? else { return Ok(None) };
            store.latest_lessons(row.id, limit).map(Some)
        })
        .await?;
    let rows = rows.ok_or_else(|| no_run(run))?;
    Ok(Json(LessonList { lessons: rows.into_iter().map(lesson).collect() }))
}
