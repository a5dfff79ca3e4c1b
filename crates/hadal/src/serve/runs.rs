//! Runs: the list, one with all that is known of it, and its curve.

use super::desk::Desk;
use super::extract::{Named, Number, Params};
use super::live::{Live, Pace};
use super::paging::{limit, next};
use super::problem::Problem;
use crate::report::curve::{self, RunPoint};
use crate::report::run::{RunView, view};
use crate::report::watching::{RunPage, page};
use crate::store::{RunId, Store, StoreError};
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
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    before: Option<Number>,
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
#[utoipa::path(get, path = "/api/runs", operation_id = "list_runs", tag = "runs", params(RunParams), responses(
    (status = 200, body = RunList)))]
pub async fn list(
    State(desk): State<Arc<Desk>>,
    Params(params): Params<RunParams>,
) -> Result<Json<RunList>, Problem> {
    let limit = limit(params.limit)?;
    let rows = desk
        .read(move |store| {
            store.run_page(params.topic.as_deref(), params.before.map(|before| RunId(before.0)), limit)
        })
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

/// A run as it stands, with what is known of it by watching, if there is such a one.
pub fn now(store: &dyn Store, run: RunId, live: &Live) -> Result<Option<RunNow>, StoreError> {
    let Some(row) = store.run_row(run)? else { return Ok(None) };
    let pace = live.observe(&row);
    let page = live.minds.with(store, &row, |mind| page(store, &row, mind))?;
    Ok(Some(RunNow { page, pace }))
}

/// One run with all that is known of it.
#[utoipa::path(get, path = "/api/runs/{run}", operation_id = "run", tag = "runs", params(("run" = u64, Path, description = "Its number")),
    responses((status = 200, body = RunNow)))]
pub async fn one(State(desk): State<Arc<Desk>>, Named(run): Named<u64>) -> Result<Json<RunNow>, Problem> {
    let shared = Arc::clone(&desk);
    let found = desk.read(move |store| now(store, RunId(run), &shared.live)).await?;
    found.map(Json).ok_or_else(|| no_run(run))
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
#[utoipa::path(get, path = "/api/runs/{run}/curve", operation_id = "run_curve", tag = "runs",
    params(("run" = u64, Path, description = "Its number")),
    responses((status = 200, body = RunCurve)))]
pub async fn points(
    State(desk): State<Arc<Desk>>,
    Named(run): Named<u64>,
) -> Result<Json<RunCurve>, Problem> {
    let points = desk.read(move |store| curve::of_run(store, RunId(run))).await?;
    if points.is_empty() { Err(no_run(run)) } else { Ok(Json(RunCurve { run, points })) }
}
