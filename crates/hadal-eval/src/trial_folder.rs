//! Finished trials as JSON files, named by their parameters.

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of finished trials.
pub struct TrialFolder(PathBuf);

impl TrialFolder {
    /// Opens a folder and creates it if it does not exist.
    pub fn open(path: &Path) -> anyhow::Result<TrialFolder> {
        fs::create_dir_all(path).with_context(|| format!("could not create {}", path.display()))?;
        Ok(TrialFolder(path.to_path_buf()))
    }

    /// File of the value stored under a name.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.json"))
    }

    /// Value stored under a name; `None` if the file is missing or unreadable.
    pub fn load<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let bytes = fs::read(self.file(name)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Stores a value under a name atomically.
    pub fn store<T: Serialize>(&self, name: &str, value: &T) -> anyhow::Result<()> {
        let (path, beside) = (self.file(name), self.0.join(format!("{name}.json.new")));
        let written =
            fs::write(&beside, serde_json::to_vec(value)?).and_then(|()| fs::rename(&beside, &path));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Deletes the value stored under a name.
    pub fn delete(&self, name: &str) -> anyhow::Result<()> {
        match fs::remove_file(self.file(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
