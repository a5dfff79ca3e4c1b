//! Control of running crawls and harvests.

use super::error::ApiError;
use super::extract::{Body, Number, PathParams};
use super::harvests::{self, no_harvest};
use super::runs::no_run;
use super::state::AppState;
use crate::report::watching::ControlView;
use crate::store::{
    Activity, Control, HarvestId, HarvestState, RunId, RunQuery, Store, StoreError, UserChange,
};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Changes of a run or a harvest. Missing fields stay as they are.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlChange {
    /// Pause or resume.
    pause: Option<bool>,
    /// Finish the requests in flight and stop.
    stop: Option<bool>,
    /// New request budget.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 9007199254740991_u64)]
    max_requests: Option<Number>,
}

impl ControlChange {
    /// Merges the change into earlier ones.
    fn after(&self, before: Control) -> Control {
        Control {
            pause: self.pause.unwrap_or(before.pause),
            stop: self.stop.unwrap_or(before.stop),
            max_requests: self.max_requests.map(|most| most.0).or(before.max_requests),
        }
    }
}

/// Pauses, resumes or stops a running crawl, or changes its budget. The crawl reads changes twice a second.
#[utoipa::path(post, path = "/api/runs/{run}/control", operation_id = "control_run", tag = "runs",
    params(("run" = u64, Path, description = "Number")), request_body = ControlChange,
    responses((status = 200, body = ControlView)))]
pub async fn of_run(
    State(state): State<Arc<AppState>>,
    PathParams(run): PathParams<u64>,
    Body(change): Body<ControlChange>,
) -> Result<Json<ControlView>, ApiError> {
    apply_change(&state, Activity::Run(RunId(run)), change).await
}

/// Pauses, resumes or stops a running harvest, or changes its budget. The harvest reads changes before every
/// request.
///
/// Harvests of one command share a budget. A harvest with its own budget leaves the shared one to the others.
#[utoipa::path(post, path = "/api/harvests/{harvest}/control", operation_id = "control_harvest", tag = "harvests",
    params(("harvest" = u64, Path, description = "Number")), request_body = ControlChange,
    responses((status = 200, body = ControlView)))]
pub async fn of_harvest(
    State(state): State<Arc<AppState>>,
    PathParams(harvest): PathParams<u64>,
    Body(change): Body<ControlChange>,
) -> Result<Json<ControlView>, ApiError> {
    apply_change(&state, Activity::Harvest(HarvestId(harvest)), change).await
}

async fn apply_change(
    state: &AppState,
    of: Activity,
    change: ControlChange,
) -> Result<Json<ControlView>, ApiError> {
    if change.max_requests.is_some_and(|most| most.0 == 0) {
        return Err(ApiError::of(http::StatusCode::UNPROCESSABLE_ENTITY, "max_requests must be at least 1"));
    }
    let known = state.read(move |store| Ok(is_open(store, of)?.map(|is_open| is_open && store.is_busy())));
    if !known.await?.ok_or_else(|| missing(of))? {
        return Err(ApiError::conflict(format!("{} is not running", name(of))));
    }
    let control = state
        .read(move |store| {
            let control = change.after(store.control(of)?);
            store.apply_user_changes(&[UserChange::Control(of, control.clone())])?;
            Ok(control)
        })
        .await?;
    Ok(Json(control.into()))
}

/// True if it has not ended; `None` if it does not exist.
pub fn is_open(store: &dyn Store, of: Activity) -> Result<Option<bool>, StoreError> {
    Ok(match of {
        Activity::Run(run) => store.runs(&RunQuery::one(run))?.pop().map(|row| row.progress.state.is_open()),
        Activity::Harvest(harvest) => {
            harvests::row(store, harvest)?.map(|row| row.progress.state == HarvestState::Running)
        }
    })
}

/// Name for messages.
fn name(of: Activity) -> String {
    match of {
        Activity::Run(run) => format!("run {}", run.0),
        Activity::Harvest(harvest) => format!("harvest {}", harvest.0),
    }
}

/// Error for a run or harvest that does not exist.
pub fn missing(of: Activity) -> ApiError {
    match of {
        Activity::Run(run) => no_run(run.0),
        Activity::Harvest(harvest) => no_harvest(harvest.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_leaves_other_controls_unchanged() {
        let before = Control { pause: true, stop: false, max_requests: Some(9) };
        assert_eq!(ControlChange::default().after(before.clone()), before);
        let more =
            ControlChange { pause: Some(false), max_requests: Some(Number(77)), ..ControlChange::default() };
        assert_eq!(more.after(before.clone()), Control { pause: false, stop: false, max_requests: Some(77) });
        let stop = ControlChange { stop: Some(true), ..ControlChange::default() };
        assert_eq!(stop.after(before.clone()), Control { stop: true, ..before });
    }
}
