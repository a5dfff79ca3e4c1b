//! What people ask of running crawls and harvests: `control.json` beside the database.
//!
//! A crawl keeps the database's one writing transaction open most of the time; a request to pause
//! must not wait for it. The file is replaced as a whole, so nobody reads half of it.

use super::super::{Activity, Control, StoreError};
use super::errors::io_fault;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

type Requests = BTreeMap<String, Control>;

fn key(of: Activity) -> String {
    match of {
        Activity::Run(run) => run.0.to_string(),
        Activity::Harvest(harvest) => format!("harvest {}", harvest.0),
    }
}

pub fn get(folder: &Path, of: Activity) -> Result<Control, StoreError> {
    Ok(read(folder)?.remove(&key(of)).unwrap_or_default())
}

pub fn set(folder: &Path, of: Activity, control: &Control) -> Result<(), StoreError> {
    let mut requests = read(folder)?;
    requests.insert(key(of), control.clone());
    write(folder, &requests)
}

/// Forgets what was asked of a run or a harvest.
pub fn forget(folder: &Path, of: Activity) -> Result<(), StoreError> {
    let mut requests = read(folder)?;
    requests.remove(&key(of)).map_or(Ok(()), |_| write(folder, &requests))
}

fn read(folder: &Path) -> Result<Requests, StoreError> {
    let text = match fs::read(folder.join("control.json")) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Requests::new()),
        Err(error) => return Err(io_fault(folder, "read control.json", error)),
    };
    serde_json::from_slice(&text).map_err(|error| {
        let detail = format!("control.json is not understood ({error}): delete it");
        StoreError::Failed { path: folder.to_path_buf(), detail }
    })
}

fn write(folder: &Path, requests: &Requests) -> Result<(), StoreError> {
    let failed = |error| io_fault(folder, "write control.json", error);
    let draft = folder.join(format!("control.json.{}", std::process::id()));
    let text = serde_json::to_vec(requests).map_err(|error| failed(error.into()))?;
    fs::write(&draft, text).map_err(failed)?;
    fs::rename(&draft, folder.join("control.json")).map_err(failed)
}
