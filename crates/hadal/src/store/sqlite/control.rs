//! Instructions of users to runs and harvests, in `control.json` beside the database.
//!
//! A crawl holds the write transaction of its database most of the time. A separate file lets an instruction take
//! effect without waiting for it. The file is replaced atomically.

use super::super::{Activity, Control, StoreError};
use super::errors::io_fault;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

type Controls = BTreeMap<String, Control>;

fn key(activity: Activity) -> String {
    match activity {
        Activity::Run(run) => run.0.to_string(),
        Activity::Harvest(harvest) => format!("harvest {}", harvest.0),
    }
}

pub fn get(folder: &Path, activity: Activity) -> Result<Control, StoreError> {
    Ok(read(folder)?.remove(&key(activity)).unwrap_or_default())
}

pub fn set(folder: &Path, activity: Activity, control: &Control) -> Result<(), StoreError> {
    let mut controls = read(folder)?;
    controls.insert(key(activity), control.clone());
    write(folder, &controls)
}

/// Removes the instruction to a run or harvest.
pub fn remove(folder: &Path, activity: Activity) -> Result<(), StoreError> {
    let mut controls = read(folder)?;
    controls.remove(&key(activity)).map_or(Ok(()), |_| write(folder, &controls))
}

fn read(folder: &Path) -> Result<Controls, StoreError> {
    let text = match fs::read(folder.join("control.json")) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Controls::new()),
        Err(error) => return Err(io_fault(folder, "read control.json", error)),
    };
    serde_json::from_slice(&text).map_err(|error| {
        let detail = format!("cannot read control.json ({error}): delete it");
        StoreError::Failed { path: folder.to_path_buf(), detail }
    })
}

fn write(folder: &Path, controls: &Controls) -> Result<(), StoreError> {
    let failed = |error| io_fault(folder, "write control.json", error);
    let draft = folder.join(format!("control.json.{}", std::process::id()));
    let text = serde_json::to_vec(controls).map_err(|error| failed(error.into()))?;
    fs::write(&draft, text).map_err(failed)?;
    fs::rename(&draft, folder.join("control.json")).map_err(failed)
}
