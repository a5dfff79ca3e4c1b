//! What people ask of a running crawl.

use super::desk::Desk;
use super::extract::{Body, Named, Number};
use super::problem::Problem;
use super::runs::no_run;
use crate::report::watching::ControlView;
use crate::store::{Control, RunId, RunState};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// What is asked of a run; what is left out stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// Hold dispatching, or go on.
    pause: Option<bool>,
    /// Finish what is in flight and stop.
    stop: Option<bool>,
    /// Requests it may spend in all.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 9007199254740991_u64)]
    max_requests: Option<Number>,
}

/// Asks a running crawl to pause, go on or stop, or gives it another budget. It looks about twice a second.
#[utoipa::path(post, path = "/api/runs/{run}/control", operation_id = "control_run", tag = "runs",
    params(("run" = u64, Path, description = "Its number")), request_body = Wish,
    responses((status = 200, body = ControlView)))]
pub async fn wish(
    State(desk): State<Arc<Desk>>,
    Named(run): Named<u64>,
    Body(wish): Body<Wish>,
) -> Result<Json<ControlView>, Problem> {
    if wish.max_requests.is_some_and(|most| most.0 == 0) {
        return Err(Problem::of(http::StatusCode::UNPROCESSABLE_ENTITY, "max_requests is at least 1"));
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
                max_requests: wish.max_requests.map(|most| most.0).or(before.max_requests),
            };
            store.set_control(row.id, &control)?;
            Ok(control)
        })
        .await?;
    Ok(Json(asked.into()))
}
