//! Operations that runs and harvests have in common.

use super::error::ApiError;
use super::harvests::{self, no_harvest};
use super::runs::{self, no_run};
use super::state::AppState;
use crate::store::{Activity, HarvestState, RunQuery, Store, StoreError};
use serde::Serialize;

/// Current state as JSON; `None` if it does not exist.
pub fn state_json(state: &AppState, of: Activity) -> Result<Option<String>, StoreError> {
    let store = state.store.as_ref();
    match of {
        Activity::Run(run) => Ok(runs::now(store, run, &state.live)?.and_then(|now| json(&now))),
        Activity::Harvest(harvest) => Ok(harvests::now(store, harvest)?.and_then(|now| json(&now))),
    }
}

fn json(now: &impl Serialize) -> Option<String> {
    serde_json::to_string(now).ok()
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
pub fn name(of: Activity) -> String {
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
