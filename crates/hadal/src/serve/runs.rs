//! Runs: list, details, curve.

use super::error::ApiError;
use super::extract::{Number, PathParams, UrlParams, limit, next_page};
use super::live::{Live, RunRates};
use super::state::AppState;
use crate::report::curve::{self, RunPoint};
use crate::report::run::{RunView, view};
use crate::report::watching::{RunPage, page};
use crate::store::{RowOrder, RunId, RunQuery, Store, StoreError};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Filter and position of a page of runs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunParams {
    /// Only runs of this topic.
    topic: Option<String>,
    /// Only runs with a lower number: `next` of the previous page.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    before: Option<Number>,
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Runs, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunList {
    runs: Vec<RunView>,
    /// Cursor for the next page, as `before`.
    next: Option<u64>,
}

/// Runs, newest first.
#[utoipa::path(get, path = "/api/runs", operation_id = "list_runs", tag = "runs", params(RunParams), responses(
    (status = 200, body = RunList)))]
pub async fn list(
    State(state): State<Arc<AppState>>,
    UrlParams(params): UrlParams<RunParams>,
) -> Result<Json<RunList>, ApiError> {
    let limit = limit(params.limit)?;
    let rows = state
        .read(move |store| {
            store.runs(&RunQuery {
                topic: params.topic,
                order: RowOrder::Newest,
                after: params.before.map(|before| RunId(before.0)),
                limit: Some(limit),
                ..RunQuery::default()
            })
        })
        .await?;
    let next = next_page(&rows, limit, |row| row.id.0);
    Ok(Json(RunList { runs: rows.iter().map(view).collect(), next }))
}

/// A run with its current rates.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RunNow {
    #[serde(flatten)]
    page: RunPage,
    /// Rates over the last seconds.
    pace: RunRates,
}

/// Current state of a run with its rates.
pub fn now(store: &dyn Store, run: RunId, live: &Live) -> Result<Option<RunNow>, StoreError> {
    let Some(row) = store.runs(&RunQuery::one(run))?.pop() else { return Ok(None) };
    let pace = live.observe(&row);
    let page = live.strategies.with(store, &row, |strategy| page(store, &row, strategy))?;
    Ok(Some(RunNow { page, pace }))
}

/// A run with all details.
#[utoipa::path(get, path = "/api/runs/{run}", operation_id = "run", tag = "runs", params(("run" = u64, Path, description = "Number")),
    responses((status = 200, body = RunNow)))]
pub async fn one(
    State(state): State<Arc<AppState>>,
    PathParams(run): PathParams<u64>,
) -> Result<Json<RunNow>, ApiError> {
    let shared = Arc::clone(&state);
    let found = state.read(move |store| now(store, RunId(run), &shared.live)).await?;
    found.map(Json).ok_or_else(|| no_run(run))
}

/// Error for an unknown run.
pub fn no_run(run: u64) -> ApiError {
    ApiError::missing(format!("unknown run {run}"))
}

/// Curve of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunCurve {
    run: u64,
    /// At most 500 points, by requests; the last is the current state.
    points: Vec<RunPoint>,
}

/// Counts of a run over requests.
#[utoipa::path(get, path = "/api/runs/{run}/curve", operation_id = "run_curve", tag = "runs",
    params(("run" = u64, Path, description = "Number")),
    responses((status = 200, body = RunCurve)))]
pub async fn points(
    State(state): State<Arc<AppState>>,
    PathParams(run): PathParams<u64>,
) -> Result<Json<RunCurve>, ApiError> {
    let points = state.read(move |store| curve::of_run(store, RunId(run))).await?;
    if points.is_empty() { Err(no_run(run)) } else { Ok(Json(RunCurve { run, points })) }
}
