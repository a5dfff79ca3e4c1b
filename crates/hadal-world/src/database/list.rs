//! Lists of databases to build, as read from a file: name, records and configuration of each.

use super::collection::{Collection, CollectionError, CollectionSpec};
use super::config::DatabaseConfig;
use super::hosts::DatabaseHosts;
use super::{Database, generate_cars};
use crate::random::mix;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// List of databases to build, as read from a TOML file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseList {
    /// Entries, `[[database]]` in the file.
    pub database: Vec<DatabaseEntry>,
}

/// Database to build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseEntry {
    /// Name; the host is `NAME.example`.
    pub name: String,
    /// Source of the records.
    pub source: RecordSource,
    /// Configuration; the preset `plain` if not given.
    #[serde(default, rename = "conduct")]
    pub config: ConfigSource,
}

/// Source of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordSource {
    /// A `.jsonl` or `.jsonl.gz` file; relative paths start at the folder of the list.
    File(PathBuf),
    /// Texts generated with these parameters.
    Generated(CollectionSpec),
    /// This many generated used cars.
    Cars(u32),
}

/// Source of a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfigSource {
    /// Preset by name.
    Preset(String),
    /// Random configuration with this seed.
    Varied(u64),
    /// Configuration given in the list.
    #[serde(rename = "habits")]
    Explicit(Box<DatabaseConfig>),
}

impl Default for ConfigSource {
    fn default() -> ConfigSource {
        ConfigSource::Preset("plain".to_string())
    }
}

/// Error of building a list of databases.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseListError {
    /// Name that cannot be part of a host name.
    #[error("'{0}' is not a valid database name: use lower-case letters, digits and dashes")]
    Name(String),
    /// Name used twice.
    #[error("two databases have the name '{0}'")]
    Twice(String),
    /// Preset that does not exist.
    #[error("unknown preset '{0}'; available: {known}", known = preset_names())]
    Preset(String),
    /// File that could not be read.
    #[error(transparent)]
    Collection(#[from] CollectionError),
}

fn preset_names() -> String {
    DatabaseConfig::presets().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

impl DatabaseList {
    /// List of `count` generated databases with random configurations, named `db1`, `db2` and so on.
    pub fn varied(count: u32, seed: u64) -> DatabaseList {
        let entry = |number: u32| {
            let seed = mix(seed, u64::from(number)) >> 1;
            let spec =
                CollectionSpec { seed, records: 500 + (seed % 4_500) as u32, ..CollectionSpec::default() };
            let source = if number.is_multiple_of(7) {
                RecordSource::Cars(spec.records)
            } else {
                RecordSource::Generated(spec)
            };
            DatabaseEntry { name: format!("db{number}"), source, config: ConfigSource::Varied(seed) }
        };
        DatabaseList { database: (1..=count).map(entry).collect() }
    }

    /// Builds all databases. Entries with equal sources share their records. `folder` is the folder of the list.
    pub fn build(&self, folder: &Path) -> Result<DatabaseHosts, DatabaseListError> {
        let mut hosts = DatabaseHosts::default();
        let mut read: Vec<(&RecordSource, Arc<Collection>)> = Vec::new();
        for DatabaseEntry { name, source, config } in &self.database {
            if !DatabaseHosts::is_name(name) {
                return Err(DatabaseListError::Name(name.clone()));
            }
            if hosts.get(name).is_some() {
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
            hosts.add(name, Database::new(collection, config));
        }
        Ok(hosts)
    }
}

impl RecordSource {
    fn collection(&self, folder: &Path) -> Result<Collection, CollectionError> {
        match self {
            RecordSource::File(path) => Collection::open(&folder.join(path)),
            RecordSource::Generated(spec) => Ok(spec.generate()),
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
