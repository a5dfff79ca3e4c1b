//! Folder of user-defined topics: `NAME.toml` and `NAME.model` for each.

use super::file::checked_name;
use super::{TopicError, TopicFile, TopicModel};
use crate::atomic_file::AtomicFile;
use anyhow::Context;
use hadal_core::topic::Topic;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use utoipa::ToSchema;

/// A folder of topics, which need not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicFolder(pub PathBuf);

/// A topic in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TopicEntry {
    /// Name of the topic.
    pub topic: String,
    /// True if it is part of the program.
    pub built_in: bool,
    /// Origin of the topic, or the reason why it cannot be used.
    pub made_from: String,
    /// Number of its default seeds.
    pub seeds: usize,
}

impl TopicFolder {
    /// Sorted names of the topics.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let name = |path: PathBuf| {
            let is_topic = path.extension().is_some_and(|extension| extension == "toml");
            let stem = path.file_stem()?.to_str()?.to_string();
            (is_topic && checked_name(&stem).is_ok()).then_some(stem)
        };
        let mut names: Vec<String> = entries.filter_map(|entry| name(entry.path())).collect();
        names.sort();
        names
    }

    /// True if the folder has the topic.
    pub fn has(&self, name: &str) -> bool {
        checked_name(name).is_ok() && self.path(name).is_file()
    }

    /// Reads a topic's file.
    pub fn file(&self, name: &str) -> Result<TopicFile, TopicError> {
        TopicFile::read(&self.path(checked_name(name)?))
    }

    /// Reads a topic's file and model.
    pub fn load(&self, name: &str) -> Result<(TopicFile, TopicModel), TopicError> {
        load(&self.path(checked_name(name)?))
    }

    /// Writes both files atomically, the model first.
    pub fn save(&self, file: &TopicFile, model: &TopicModel) -> anyhow::Result<PathBuf> {
        std::fs::create_dir_all(&self.0).with_context(|| format!("could not create {}", self.0.display()))?;
        let path = self.path(checked_name(&file.name)?);
        write(&path.with_extension("model"), &model.bytes())?;
        write(&path, file.text().as_bytes())?;
        Ok(path)
    }

    /// Built-in topics, and those of the folder.
    pub fn entries(&self) -> Vec<TopicEntry> {
        let own = self.names();
        let built_in = Topic::names().map(|name| TopicEntry {
            topic: name.to_string(),
            built_in: true,
            made_from: match own.iter().any(|own| own == name) {
                true => "built in; replaced by your own topic of this name".to_string(),
                false => "built in".to_string(),
            },
            seeds: 0,
        });
        let of_file = |name: &String| {
            let (made_from, seeds) = match self.load(name) {
                Ok((file, _)) => (file.made_from(), file.seeds.len()),
                Err(error) => (format!("unusable: {error}"), 0),
            };
            TopicEntry { topic: name.clone(), built_in: false, made_from, seeds }
        };
        built_in.chain(own.iter().map(of_file)).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.toml"))
    }
}

/// Reads a topic's file and the model beside it.
pub fn load(path: &Path) -> Result<(TopicFile, TopicModel), TopicError> {
    let file = TopicFile::read(path)?;
    let model = TopicModel::read(&path.with_extension("model"), &file)?;
    Ok((file, model))
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let context = || format!("could not write {}", path.display());
    let (whole, mut out) = AtomicFile::create(path).with_context(context)?;
    out.write_all(bytes).and_then(|()| out.flush()).with_context(context)?;
    whole.complete().with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topic::learn::learn;

    #[test]
    fn a_topic_is_read_back_and_a_damaged_model_is_reported_with_a_next_step() {
        let dir = tempfile::tempdir().unwrap();
        let folder = TopicFolder(dir.path().join("topics"));
        assert!(folder.names().is_empty() && !folder.has("recipes"));
        let file: TopicFile = toml::from_str("name = \"recipes\"\nwords = \"recipe\"\n").unwrap();
        let model = learn(&[], &[], &file.words);
        folder.save(&file, &model).unwrap();
        assert_eq!(folder.names(), ["recipes"]);
        let (file_read, model_read) = folder.load("recipes").unwrap();
        assert_eq!((file_read, model_read.bytes()), (file, model.bytes()));

        let beside = folder.0.join("recipes.model");
        std::fs::write(&beside, b"GIF89a").unwrap();
        let damaged = folder.load("recipes").unwrap_err().to_string();
        assert!(
            damaged.contains("not a model file") && damaged.contains("hadal topics train recipes"),
            "{damaged}"
        );
        std::fs::remove_file(&beside).unwrap();
        assert!(matches!(folder.load("recipes"), Err(TopicError::NoModel { .. })));
        assert!(matches!(folder.load("../recipes"), Err(TopicError::BadName(_))));
    }
}
