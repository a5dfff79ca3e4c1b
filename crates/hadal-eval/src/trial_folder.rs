//! Finished trials as files, one each, named after what they depend on.

use crate::find::Setting;
use crate::find::Trial;
use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of finished trials.
pub struct Folder(PathBuf);

impl Folder {
    /// Opens a folder, making it if need be.
    pub fn open(path: &Path) -> anyhow::Result<Folder> {
        fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Folder(path.to_path_buf()))
    }

    /// Where a trial is kept.
    pub fn file(&self, setting: &Setting) -> PathBuf {
        self.named(&setting.name())
    }

    fn named(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.json"))
    }

    /// The finished trial of this setting. A file that is no such trial does not count: it is made anew.
    pub fn read(&self, setting: &Setting) -> Option<Trial> {
        self.load(&setting.name()).filter(|trial: &Trial| trial.setting == *setting)
    }

    /// Keeps a trial: as a whole or not at all.
    pub fn write(&self, trial: &Trial) -> anyhow::Result<()> {
        self.keep(&trial.setting.name(), trial)
    }

    /// Forgets a trial.
    pub fn remove(&self, setting: &Setting) -> anyhow::Result<()> {
        self.forget(&setting.name())
    }

    /// What is kept under a name; `None` for a file that holds something else.
    pub fn load<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let bytes = fs::read(self.named(name)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps something under a name: as a whole or not at all.
    pub fn keep<T: Serialize>(&self, name: &str, value: &T) -> anyhow::Result<()> {
        let (path, beside) = (self.named(name), self.0.join(format!("{name}.json.new")));
        let written =
            fs::write(&beside, serde_json::to_vec(value)?).and_then(|()| fs::rename(&beside, &path));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Forgets what is kept under a name.
    pub fn forget(&self, name: &str) -> anyhow::Result<()> {
        match fs::remove_file(self.named(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
