//! Finished trials as files, one each, named after what they depend on.

use super::plan::Setting;
use super::trial::Trial;
use anyhow::Context;
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
        self.0.join(setting.name() + ".json")
    }

    /// The finished trial of this setting. A file that is no such trial does not count: it is made anew.
    pub fn read(&self, setting: &Setting) -> Option<Trial> {
        let bytes = fs::read(self.file(setting)).ok()?;
        serde_json::from_slice(&bytes).ok().filter(|trial: &Trial| trial.setting == *setting)
    }

    /// Keeps a trial: as a whole or not at all.
    pub fn write(&self, trial: &Trial) -> anyhow::Result<()> {
        let path = self.file(&trial.setting);
        let beside = path.with_extension("json.new");
        let written =
            fs::write(&beside, serde_json::to_vec(trial)?).and_then(|()| fs::rename(&beside, &path));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Forgets a trial.
    pub fn remove(&self, setting: &Setting) -> anyhow::Result<()> {
        match fs::remove_file(self.file(setting)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
