//! Live state of runs and harvests as server-sent events.

use super::control::{is_open, missing};
use super::error::ApiError;
use super::extract::PathParams;
use super::state::AppState;
use crate::store::{Activity, HarvestId, RunId};
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::stream::unfold;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::watch;

/// Live state of a run: an event `run` with the JSON of `/api/runs/{run}` after each change, at most twice a
/// second.
#[utoipa::path(get, path = "/api/runs/{run}/events", operation_id = "run_events", tag = "runs",
    params(("run" = u64, Path, description = "Number")),
    responses((status = 200, description = "Endless event stream", content_type = "text/event-stream", body = String)))]
pub async fn of_run(
    State(state): State<Arc<AppState>>,
    PathParams(run): PathParams<u64>,
) -> Result<Response, ApiError> {
    events(&state, Activity::Run(RunId(run)), "run").await
}

/// Live state of a harvest: an event `harvest` with the JSON of `/api/harvests/{harvest}` after each change, at
/// most twice a second.
#[utoipa::path(get, path = "/api/harvests/{harvest}/events", operation_id = "harvest_events", tag = "harvests",
    params(("harvest" = u64, Path, description = "Number")),
    responses((status = 200, description = "Endless event stream", content_type = "text/event-stream", body = String)))]
pub async fn of_harvest(
    State(state): State<Arc<AppState>>,
    PathParams(harvest): PathParams<u64>,
) -> Result<Response, ApiError> {
    events(&state, Activity::Harvest(HarvestId(harvest)), "harvest").await
}

async fn events(state: &AppState, of: Activity, name: &'static str) -> Result<Response, ApiError> {
    let known = state.read(move |store| is_open(store, of)).await?;
    known.ok_or_else(|| missing(of))?;
    let message = unfold((state.live.watch(of), true), next);
    let events =
        message.map(move |message| Ok::<_, Infallible>(Event::default().event(name).data(&*message)));
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

type Updates = watch::Receiver<Option<Arc<str>>>;

/// Next event. A new client gets the current state at once.
async fn next((mut updates, is_first): (Updates, bool)) -> Option<(Arc<str>, (Updates, bool))> {
    loop {
        let now = updates.borrow_and_update().clone().filter(|_| is_first);
        let message = match now {
            Some(message) => Some(message),
            None => {
                updates.changed().await.ok()?;
                updates.borrow_and_update().clone()
            }
        };
        if let Some(message) = message {
            return Some((message, (updates, false)));
        }
    }
}
