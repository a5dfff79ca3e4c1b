//! What runs and harvests do, as it happens: server-sent events.

use super::activity::{is_open, missing};
use super::desk::Desk;
use super::extract::Named;
use super::problem::Problem;
use crate::store::{Activity, HarvestId, RunId};
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::stream::unfold;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::watch;

/// What a run does, as it happens: an event `run` with the same JSON as `/api/runs/{run}`, whenever something
/// changed, twice a second at most.
#[utoipa::path(get, path = "/api/runs/{run}/events", operation_id = "run_events", tag = "runs",
    params(("run" = u64, Path, description = "Its number")),
    responses((status = 200, description = "Events without end", content_type = "text/event-stream", body = String)))]
pub async fn of_run(State(desk): State<Arc<Desk>>, Named(run): Named<u64>) -> Result<Response, Problem> {
    events(&desk, Activity::Run(RunId(run)), "run").await
}

/// What a harvest does, as it happens: an event `harvest` with the same JSON as `/api/harvests/{harvest}`,
/// whenever something changed, twice a second at most.
#[utoipa::path(get, path = "/api/harvests/{harvest}/events", operation_id = "harvest_events", tag = "harvests",
    params(("harvest" = u64, Path, description = "Its number")),
    responses((status = 200, description = "Events without end", content_type = "text/event-stream", body = String)))]
pub async fn of_harvest(
    State(desk): State<Arc<Desk>>,
    Named(harvest): Named<u64>,
) -> Result<Response, Problem> {
    events(&desk, Activity::Harvest(HarvestId(harvest)), "harvest").await
}

async fn events(desk: &Desk, of: Activity, name: &'static str) -> Result<Response, Problem> {
    let known = desk.read(move |store| is_open(store, of)).await?;
    known.ok_or_else(|| missing(of))?;
    let told = unfold((desk.live.watch(of), true), next);
    let events = told.map(move |told| Ok::<_, Infallible>(Event::default().event(name).data(&*told)));
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

type News = watch::Receiver<Option<Arc<str>>>;

/// The next that is told; whoever comes late is told at once how it stands.
async fn next((mut news, is_first): (News, bool)) -> Option<(Arc<str>, (News, bool))> {
    loop {
        let now = news.borrow_and_update().clone().filter(|_| is_first);
        let told = match now {
            Some(told) => Some(told),
            None => {
                news.changed().await.ok()?;
                news.borrow_and_update().clone()
            }
        };
        if let Some(told) = told {
            return Some((told, (news, false)));
        }
    }
}
