//! A library as a file describes it: names, where records come from, how each database behaves.

use super::collection::Collection;
use super::collection::CollectionError;
use super::collection::CollectionSpec;
use super::config::DatabaseConfig;
use super::hosts::DatabaseHosts;
use super::{Database, generate_cars};
use crate::random::mix;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Databases to be built.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseList {
    /// One entry each.
    pub database: Vec<DatabaseEntry>,
}

/// A database to be built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseEntry {
    /// Its host is this name under `.example`.
    pub name: String,
    /// Where its records come from.
    pub source: RecordSource,
    /// How it behaves.
    #[serde(default, rename = "conduct")]
    pub config: ConfigSource,
}

/// Where records come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordSource {
    /// A `.jsonl` or `.jsonl.gz` file; paths begin at the catalogue's folder.
    File(PathBuf),
    /// Generated texts.
    Generated(CollectionSpec),
    /// So many generated used cars.
    Cars(u32),
}

/// How a database behaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfigSource {
    /// As the name says.
    Preset(String),
    /// As drawn from a seed.
    Varied(u64),
    /// Just so.
    #[serde(rename = "habits")]
    Explicit(Box<DatabaseConfig>),
}

impl Default for ConfigSource {
    fn default() -> ConfigSource {
        ConfigSource::Preset("plain".to_string())
    }
}

/// Why a catalogue cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseListError {
    /// A name that no host can have.
    #[error("'{0}' is no name for a database: use lower-case letters, digits and dashes")]
    Name(String),
    /// Two databases of one name.
    #[error("two databases are called '{0}'")]
    Twice(String),
    /// DatabaseConfig that nobody knows.
    #[error("'{0}' is no preset; there are {known}", known = known())]
    Preset(String),
    /// A file that cannot be read.
    #[error(transparent)]
    Collection(#[from] CollectionError),
}

fn known() -> String {
    DatabaseConfig::presets().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

impl DatabaseList {
    /// So many generated databases, no two alike, called `db1`, `db2` and so on.
    pub fn varied(count: u32, seed: u64) -> DatabaseList {
        let entry = |number: u32| {
            let seed = mix(seed, u64::from(number)) >> 1;
            let recipe =
                CollectionSpec { seed, records: 500 + (seed % 4_500) as u32, ..CollectionSpec::default() };
            let source = if number.is_multiple_of(7) {
                RecordSource::Cars(recipe.records)
            } else {
                RecordSource::Generated(recipe)
            };
            DatabaseEntry { name: format!("db{number}"), source, config: ConfigSource::Varied(seed) }
        };
        DatabaseList { database: (1..=count).map(entry).collect() }
    }

    /// Builds every database; those with the same source share their records.
    pub fn build(&self, folder: &Path) -> Result<DatabaseHosts, DatabaseListError> {
        let mut library = DatabaseHosts::default();
        let mut read: Vec<(&RecordSource, Arc<Collection>)> = Vec::new();
        for DatabaseEntry { name, source, config } in &self.database {
            if !DatabaseHosts::is_name(name) {
                return Err(DatabaseListError::Name(name.clone()));
            }
            if library.get(name).is_some() {
                return Err(DatabaseListError::Twice(name.clone()));
            }
            let known =
                read.iter().find(|(other, _)| *other == source).map(|(_, collection)| collection.clone());
            let collection = match known {
                Some(collection) => collection,
                None => Arc::new(source.collection(folder)?),
            };
            read.push((source, collection.clone()));
            let config = config.resolve(&collection)?;
            library.add(name, Database::new(collection, config));
        }
        Ok(library)
    }
}

impl RecordSource {
    fn collection(&self, folder: &Path) -> Result<Collection, CollectionError> {
        match self {
            RecordSource::File(path) => Collection::open(&folder.join(path)),
            RecordSource::Generated(recipe) => Ok(recipe.generate()),
            RecordSource::Cars(records) => Ok(generate_cars(1, *records)),
        }
    }
}

impl ConfigSource {
    fn resolve(&self, collection: &Collection) -> Result<DatabaseConfig, DatabaseListError> {
        match self {
            ConfigSource::Preset(name) => {
                DatabaseConfig::preset(name).ok_or_else(|| DatabaseListError::Preset(name.clone()))
            }
            ConfigSource::Varied(seed) => Ok(DatabaseConfig::varied(*seed).with_controls_for(collection)),
            ConfigSource::Explicit(config) => Ok((**config).clone()),
        }
    }
}
