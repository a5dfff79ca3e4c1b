//! Instructions of users to runs and harvests, in `control.json` beside the database.
//!
//! A crawl holds the write transaction of its database most of the time. A separate file lets an instruction take
//! effect without waiting for it. The file is replaced atomically, by one thread of the process at a time.

use super::super::{Activity, Control, StoreError};
use super::errors::io_fault;
use crate::atomic_file::AtomicFile;
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Mutex;

type Controls = BTreeMap<String, Control>;

/// Held while the file is read, changed and written.
static CHANGE: Mutex<()> = Mutex::new(());

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
    let _change = CHANGE.lock();
    let mut controls = read(folder)?;
    controls.insert(key(activity), control.clone());
    write(folder, &controls)
}

/// Removes the instruction to a run or harvest.
pub fn remove(folder: &Path, activity: Activity) -> Result<(), StoreError> {
    let _change = CHANGE.lock();
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
    let text = serde_json::to_vec(controls).map_err(|error| failed(error.into()))?;
    let (file, mut draft) = AtomicFile::create(&folder.join("control.json")).map_err(failed)?;
    draft.write_all(&text).and_then(|()| draft.flush()).map_err(failed)?;
    file.complete().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RunId;

    #[test]
    fn instructions_given_at_the_same_time_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for run in 0..8 {
                let folder = folder.path();
                scope.spawn(move || {
                    set(folder, Activity::Run(RunId(run)), &Control { stop: true, ..Control::default() })
                        .unwrap();
                });
            }
        });
        assert!((0..8).all(|run| get(folder.path(), Activity::Run(RunId(run))).unwrap().stop));
    }
}
