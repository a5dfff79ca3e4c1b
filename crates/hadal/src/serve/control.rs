//! What people ask of a running crawl or harvest.

use super::activity::{control, is_open, missing, name, set_control};
use super::desk::Desk;
use super::extract::{Body, Named, Number};
use super::problem::Problem;
use crate::report::watching::ControlView;
use crate::store::{Activity, Control, HarvestId, RunId};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// What is asked of a run or a harvest; what is left out stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
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

impl Wish {
    /// All that is asked, after what was asked before.
    fn after(&self, before: Control) -> Control {
        Control {
            pause: self.pause.unwrap_or(before.pause),
            stop: self.stop.unwrap_or(before.stop),
            max_requests: self.max_requests.map(|most| most.0).or(before.max_requests),
        }
    }
}

/// Asks a running crawl to pause, go on or stop, or gives it another budget. It looks about twice a second.
#[utoipa::path(post, path = "/api/runs/{run}/control", operation_id = "control_run", tag = "runs",
    params(("run" = u64, Path, description = "Its number")), request_body = Wish,
    responses((status = 200, body = ControlView)))]
pub async fn of_run(
    State(desk): State<Arc<Desk>>,
    Named(run): Named<u64>,
    Body(wish): Body<Wish>,
) -> Result<Json<ControlView>, Problem> {
    ask(&desk, Activity::Run(RunId(run)), wish).await
}

/// Asks a running harvest to pause, go on or stop, or gives it another budget. It looks before every request.
///
/// Harvests side by side share the budget that they were started with. One that is given its own has that in all,
/// fewer or more, and leaves to the others what is left of theirs.
#[utoipa::path(post, path = "/api/harvests/{harvest}/control", operation_id = "control_harvest", tag = "harvests",
    params(("harvest" = u64, Path, description = "Its number")), request_body = Wish,
    responses((status = 200, body = ControlView)))]
pub async fn of_harvest(
    State(desk): State<Arc<Desk>>,
    Named(harvest): Named<u64>,
    Body(wish): Body<Wish>,
) -> Result<Json<ControlView>, Problem> {
    ask(&desk, Activity::Harvest(HarvestId(harvest)), wish).await
}

async fn ask(desk: &Desk, of: Activity, wish: Wish) -> Result<Json<ControlView>, Problem> {
    if wish.max_requests.is_some_and(|most| most.0 == 0) {
        return Err(Problem::of(http::StatusCode::UNPROCESSABLE_ENTITY, "max_requests is at least 1"));
    }
    let known = desk.read(move |store| Ok(is_open(store, of)?.map(|is_open| is_open && store.is_busy())));
    if !known.await?.ok_or_else(|| missing(of))? {
        return Err(Problem::conflict(format!("nobody works on {} now", name(of))));
    }
    let asked = desk
        .read(move |store| {
            let asked = wish.after(control(store, of)?);
            set_control(store, of, &asked)?;
            Ok(asked)
        })
        .await?;
    Ok(Json(asked.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_wished_stays_as_it_was() {
        let before = Control { pause: true, stop: false, max_requests: Some(9) };
        assert_eq!(Wish::default().after(before.clone()), before);
        let more = Wish { pause: Some(false), max_requests: Some(Number(77)), ..Wish::default() };
        assert_eq!(more.after(before.clone()), Control { pause: false, stop: false, max_requests: Some(77) });
        let stop = Wish { stop: Some(true), ..Wish::default() };
        assert_eq!(stop.after(before.clone()), Control { stop: true, ..before });
    }
}
