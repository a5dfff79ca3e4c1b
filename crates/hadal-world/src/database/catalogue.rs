//! A library as a file describes it: names, where records come from, how each database behaves.

use super::collection::Collection;
use super::generate::Recipe;
use super::habits::Habits;
use super::jsonl::CollectionError;
use super::library::Library;
use super::{Database, cars};
use crate::draw::mix;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Databases to be built.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// One entry each.
    pub database: Vec<Entry>,
}

/// A database to be built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its host is this name under `.example`.
    pub name: String,
    /// Where its records come from.
    pub source: Source,
    /// How it behaves.
    #[serde(default)]
    pub conduct: Conduct,
}

/// Where records come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A `.jsonl` or `.jsonl.gz` file; paths begin at the catalogue's folder.
    File(PathBuf),
    /// Generated texts.
    Generated(Recipe),
    /// So many generated used cars.
    Cars(u32),
}

/// How a database behaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conduct {
    /// As the name says.
    Preset(String),
    /// As drawn from a seed.
    Varied(u64),
    /// Just so.
    Habits(Box<Habits>),
}

impl Default for Conduct {
    fn default() -> Conduct {
        Conduct::Preset("plain".to_string())
    }
}

/// Why a catalogue cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A name that no host can have.
    #[error("'{0}' is no name for a database: use lower-case letters, digits and dashes")]
    Name(String),
    /// Two databases of one name.
    #[error("two databases are called '{0}'")]
    Twice(String),
    /// Habits that nobody knows.
    #[error("'{0}' is no preset; there are {known}", known = known())]
    Preset(String),
    /// A file that cannot be read.
    #[error(transparent)]
    Collection(#[from] CollectionError),
}

fn known() -> String {
    Habits::presets().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

impl Catalogue {
    /// So many generated databases, no two alike, called `db1`, `db2` and so on.
    pub fn varied(count: u32, seed: u64) -> Catalogue {
        let entry = |number: u32| {
            let seed = mix(seed, u64::from(number)) >> 1;
            let recipe = Recipe { seed, records: 500 + (seed % 4_500) as u32, ..Recipe::default() };
            let source = if number.is_multiple_of(7) {
                Source::Cars(recipe.records)
            } else {
                Source::Generated(recipe)
            };
            Entry { name: format!("db{number}"), source, conduct: Conduct::Varied(seed) }
        };
        Catalogue { database: (1..=count).map(entry).collect() }
    }

    /// Builds every database; those with the same source share their records.
    pub fn build(&self, folder: &Path) -> Result<Library, CatalogueError> {
        let mut library = Library::default();
        let mut read: Vec<(&Source, Arc<Collection>)> = Vec::new();
        for Entry { name, source, conduct } in &self.database {
            if !Library::is_name(name) {
                return Err(CatalogueError::Name(name.clone()));
            }
            if library.get(name).is_some() {
                return Err(CatalogueError::Twice(name.clone()));
            }
            let known =
                read.iter().find(|(other, _)| *other == source).map(|(_, collection)| collection.clone());
            let collection = match known {
                Some(collection) => collection,
                None => Arc::new(source.collection(folder)?),
            };
            read.push((source, collection.clone()));
            let habits = conduct.habits(&collection)?;
            library.add(name, Database::new(collection, habits));
        }
        Ok(library)
    }
}

impl Source {
    fn collection(&self, folder: &Path) -> Result<Collection, CollectionError> {
        match self {
            Source::File(path) => Collection::open(&folder.join(path)),
            Source::Generated(recipe) => Ok(recipe.collection()),
            Source::Cars(records) => Ok(cars(1, *records)),
        }
    }
}

impl Conduct {
    fn habits(&self, collection: &Collection) -> Result<Habits, CatalogueError> {
        match self {
            Conduct::Preset(name) => Habits::preset(name).ok_or_else(|| CatalogueError::Preset(name.clone())),
            Conduct::Varied(seed) => Ok(Habits::varied(*seed).with_controls_for(collection)),
            Conduct::Habits(habits) => Ok((**habits).clone()),
        }
    }
}
