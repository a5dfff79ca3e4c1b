//! What a run does, as it happens: server-sent events.

use super::desk::Desk;
use super::extract::Named;
use super::problem::Problem;
use super::runs::no_run;
use crate::store::RunId;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::Stream;
use futures::stream::unfold;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::watch;

/// What a run does, as it happens: an event `run` with the same JSON as `/api/runs/{run}`, whenever something
/// changed, twice a second at most.
#[utoipa::path(get, path = "/api/runs/{run}/events", operation_id = "run_events", tag = "runs",
    params(("run" = u64, Path, description = "Its number")),
    responses((status = 200, description = "Events without end", content_type = "text/event-stream", body = String)))]
pub async fn events(
    State(desk): State<Arc<Desk>>,
    Named(run): Named<u64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let row = desk.read(move |store| store.run_row(RunId(run))).await?;
    let row = row.ok_or_else(|| no_run(run))?;
    let news = desk.live.watch(row.id);
    Ok(Sse::new(unfold((news, true), next)).keep_alive(KeepAlive::default()))
}

type News = watch::Receiver<Option<Arc<str>>>;

/// The next event; whoever comes late is told at once where the run stands.
async fn next((mut news, is_first): (News, bool)) -> Option<(Result<Event, Infallible>, (News, bool))> {
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
            return Some((Ok(Event::default().event("run").data(&*told)), (news, false)));
        }
    }
}
