//! A run or a harvest, for all that is done alike with both.

use super::desk::Desk;
use super::harvests::{self, no_harvest};
use super::problem::Problem;
use super::runs::{self, no_run};
use crate::store::{Activity, Control, HarvestState, RunState, Store, StoreError};
use serde::Serialize;

/// How it stands, as JSON; nothing when there is no such thing.
pub fn told(desk: &Desk, of: Activity) -> Result<Option<String>, StoreError> {
    let store = desk.store.as_ref();
    match of {
        Activity::Run(run) => Ok(runs::now(store, run, &desk.live)?.and_then(|now| json(&now))),
        Activity::Harvest(harvest) => Ok(harvests::now(store, harvest)?.and_then(|now| json(&now))),
    }
}

fn json(now: &impl Serialize) -> Option<String> {
    serde_json::to_string(now).ok()
}

/// Whether it has not ended; nothing when there is no such thing.
pub fn is_open(store: &dyn Store, of: Activity) -> Result<Option<bool>, StoreError> {
    Ok(match of {
        Activity::Run(run) => {
            let is_open = |state| matches!(state, RunState::Running | RunState::Paused);
            store.run_row(run)?.map(|row| is_open(row.progress.state))
        }
        Activity::Harvest(harvest) => {
            harvests::row(store, harvest)?.map(|row| row.progress.state == HarvestState::Running)
        }
    })
}

/// What people asked of it.
pub fn control(store: &dyn Store, of: Activity) -> Result<Control, StoreError> {
    match of {
        Activity::Run(run) => store.control(run),
        Activity::Harvest(harvest) => store.harvest_control(harvest),
    }
}

/// Asks something of it.
pub fn set_control(store: &dyn Store, of: Activity, control: &Control) -> Result<(), StoreError> {
    match of {
        Activity::Run(run) => store.set_control(run, control),
        Activity::Harvest(harvest) => store.set_harvest_control(harvest, control),
    }
}

/// What it is called in a sentence.
pub fn name(of: Activity) -> String {
    match of {
        Activity::Run(run) => format!("run {}", run.0),
        Activity::Harvest(harvest) => format!("harvest {}", harvest.0),
    }
}

/// There is no such thing.
pub fn missing(of: Activity) -> Problem {
    match of {
        Activity::Run(run) => no_run(run.0),
        Activity::Harvest(harvest) => no_harvest(harvest.0),
    }
}
