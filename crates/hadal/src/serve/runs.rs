//! Runs: the list, one with all that is known of it, its curve, its lessons, and what people ask of it.

use super::desk::Desk;
use super::extract::{Body, Named, Params};
use super::live::{Live, Pace};
use super::paging::{limit, next};
use super::problem::{ErrorBody, Problem};
use crate::report::curve::{self, RunPoint};
use crate::report::run::{ControlView, RunPage, RunView, page, view};
use crate::store::{Control, LessonRow, RunId, RunRow, RunState, Store, StoreError};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Which runs are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunParams {
    /// Only of this topic.
    topic: Option<String>,
    /// Only runs with a lower number: `next` of the page before.
    before: Option<u64>,
    /// Rows at most.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Some runs, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunList {
    runs: Vec<RunView>,
    /// Give this as `before` for the next page.
    next: Option<u64>,
}

/// Runs, the newest first.
#[utoipa::path(get, path = "/api/runs", tag = "runs", params(RunParams), responses(
    (status = 200, body = RunList), (status = 400, body = ErrorBody)))]
pub async fn list(
    State(desk): State<Arc<Desk>>,
    Params(params): Params<RunParams>,
) -> Result<Json<RunList>, Problem> {
    let limit = limit(params.limit)?;
    let rows = desk
        .read(move |store| store.run_page(params.topic.as_deref(), params.before.map(RunId), limit))
        .await?;
    let next = next(&rows, limit, |row| row.id.0);
    Ok(Json(RunList { runs: rows.iter().map(view).collect(), next }))
}

/// A run, and how fast it goes now.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RunNow {
    #[serde(flatten)]
    page: RunPage,
    /// How fast it goes.
    pace: Pace,
}

impl RunNow {
    /// A run as it stands, with what is known of it by watching.
    pub fn look(store: &dyn Store, row: &RunRow, live: &Live) -> Result<RunNow, StoreError> {
        let pace = live.observe(row);
        let page = live.minds.with(store, row, |mind| page(store, row, mind))?;
        Ok(RunNow { page, pace })
    }
}

/// One run with all that is known of it.
#[utoipa::path(get, path = "/api/runs/{run}", tag = "runs", params(("run" = u64, Path, description = "Its number")),
    responses((status = 200, body = RunNow), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub async fn one(State(desk): State<Arc<Desk>>, Named(run): Named<u64>) -> Result<Json<RunNow>, Problem> {
    let shared = Arc::clone(&desk);
    let now = desk
        .read(move |store| {
            let Some(row) = store.run_row(RunId(run))? else { return Ok(None) };
            RunNow::look(store, &row, &shared.live).map(Some)
        })
        .await?;
    now.map(Json).ok_or_else(|| no_run(run))
}

/// There is no run of this number.
pub fn no_run(run: u64) -> Problem {
    Problem::missing(format!("there is no run {run}"))
}

/// What a run had found after so many requests.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunCurve {
    run: u64,
    /// At most 500 points, by requests; the last is where the run stands.
    points: Vec<RunPoint>,
}

/// What a run had found after so many requests.
#[utoipa::path(get, path = "/api/runs/{run}/curve", tag = "runs",
    params(("run" = u64, Path, description = "Its number")),
    responses((status = 200, body = RunCurve), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub async fn points(
    State(desk): State<Arc<Desk>>,
    Named(run): Named<u64>,
) -> Result<Json<RunCurve>, Problem> {
    let points = desk.read(move |store| curve::of_run(store, RunId(run))).await?;
    if points.is_empty() { Err(no_run(run)) } else { Ok(Json(RunCurve { run, points })) }
}

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
#[utoipa::path(get, path = "/api/runs/{run}/lessons", tag = "runs",
    params(("run" = u64, Path, description = "Its number"), LessonParams),
    responses((status = 200, body = LessonList), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub async fn lessons(
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

/// What is asked of a run; what is left out stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// Hold dispatching, or go on.
    pause: Option<bool>,
    /// Finish what is in flight and stop.
    stop: Option<bool>,
    /// Requests it may spend in all.
    #[schema(minimum = 1, maximum = 9007199254740991_u64)]
    max_requests: Option<u64>,
}

/// The largest number that every client reads as it is.
const MOST_REQUESTS: u64 = (1 << 53) - 1;

/// Asks a running crawl to pause, go on or stop, or gives it another budget. It looks about twice a second.
#[utoipa::path(post, path = "/api/runs/{run}/control", tag = "runs",
    params(("run" = u64, Path, description = "Its number")), request_body = Wish,
    responses((status = 200, body = ControlView), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 422, body = ErrorBody)))]
pub async fn control(
    State(desk): State<Arc<Desk>>,
    Named(run): Named<u64>,
    Body(wish): Body<Wish>,
) -> Result<Json<ControlView>, Problem> {
    if wish.max_requests.is_some_and(|most| most == 0 || most > MOST_REQUESTS) {
        return Err(Problem::of(
            http::StatusCode::UNPROCESSABLE_ENTITY,
            "max_requests is from 1 to 2^53 - 1",
        ));
    }
    let row = desk.read(move |store| Ok(store.run_row(RunId(run))?.zip(Some(store.is_busy())))).await?;
    let (row, is_busy) = row.ok_or_else(|| no_run(run))?;
    if !is_busy || !matches!(row.progress.state, RunState::Running | RunState::Paused) {
        return Err(Problem::conflict(format!("nobody works on run {run} now")));
    }
    let asked = desk
        .read(move |store| {
            let before = store.control(row.id)?;
            let control = Control {
                pause: wish.pause.unwrap_or(before.pause),
                stop: wish.stop.unwrap_or(before.stop),
                max_requests: wish.max_requests.or(before.max_requests),
            };
            store.set_control(row.id, &control)?;
            Ok(control)
        })
        .await?;
    Ok(Json(asked.into()))
}
