//! Collections to harvest: files of a folder, or generated ones.

use anyhow::{Context, bail};
use hadal_world::database::{Collection, CollectionSpec, Script};
use std::path::{Path, PathBuf};

/// A named collection.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCollection {
    /// Name in tables and file names.
    pub name: String,
    source: Source,
}

#[derive(Clone, Debug, PartialEq)]
enum Source {
    File(PathBuf),
    Generated(CollectionSpec),
}

/// File name endings of collections.
const ENDINGS: [&str; 2] = [".jsonl.gz", ".jsonl"];

impl NamedCollection {
    /// Built-in collections: short texts, long texts, and a language without spaces between words.
    pub fn generated() -> Vec<NamedCollection> {
        let usual = CollectionSpec::default();
        let recipes = [
            ("short-texts", CollectionSpec { seed: 11, median_words: 25, ..usual }),
            ("long-texts", CollectionSpec { seed: 12, median_words: 90, ..usual }),
            ("unspaced", CollectionSpec { seed: 13, script: Script::Unspaced, ..usual }),
        ];
        let held = |(name, recipe): (&str, CollectionSpec)| NamedCollection {
            name: name.into(),
            source: Source::Generated(recipe),
        };
        recipes.map(held).into()
    }

    /// Collections of a folder in order of their names.
    pub fn in_folder(folder: &Path) -> anyhow::Result<Vec<NamedCollection>> {
        let unread = || format!("cannot read {}", folder.display());
        let mut all = Vec::new();
        for entry in std::fs::read_dir(folder).with_context(unread)? {
            let path = entry.with_context(unread)?.path();
            let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some(name) = ENDINGS.iter().find_map(|ending| file.strip_suffix(ending)) {
                all.push(NamedCollection { name: name.to_string(), source: Source::File(path) });
            }
        }
        if all.is_empty() {
            bail!("no .jsonl or .jsonl.gz file in {}", folder.display());
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Loads at most `most` records. Generated collections have exactly as many.
    pub fn load(&self, most: u32) -> anyhow::Result<Collection> {
        match &self.source {
            Source::File(path) => Ok(thinned(Collection::open(path)?, most)),
            Source::Generated(recipe) => Ok(CollectionSpec { records: most, ..*recipe }.generate()),
        }
    }
}

/// Every n-th record, because files are often sorted.
fn thinned(all: Collection, most: u32) -> Collection {
    if all.len() <= most {
        return all;
    }
    let mut thinned = Collection::default();
    for nth in 0..most {
        let number = u64::from(nth) * u64::from(all.len()) / u64::from(most);
        if let Some(record) = all.record(number as u32) {
            thinned.push(record, all.fields(number as u32));
        }
    }
    thinned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_of_a_folder_are_named_by_their_files() {
        let place = tempfile::tempdir().unwrap();
        let lines: String = (0..10)
            .map(|n| format!("{{\"id\": {n}, \"title\": \"record {n}\", \"year\": 19{n}0}}\n"))
            .collect();
        std::fs::write(place.path().join("ships.jsonl"), lines).unwrap();
        std::fs::write(place.path().join("notes.txt"), "nothing").unwrap();
        let held = NamedCollection::in_folder(place.path()).unwrap();
        assert_eq!(held.iter().map(|held| held.name.as_str()).collect::<Vec<_>>(), ["ships"]);
        let cut = held[0].load(5).unwrap();
        let titles: Vec<&str> = (0..cut.len()).map(|n| cut.record(n).unwrap().title).collect();
        assert_eq!(titles, ["record 0", "record 2", "record 4", "record 6", "record 8"]);
        assert_eq!(cut.fields(4).collect::<Vec<_>>(), [("year", "1980")]);
        assert_eq!(held[0].load(100).unwrap().len(), 10);
    }

    #[test]
    fn a_folder_without_collections_is_refused() {
        let place = tempfile::tempdir().unwrap();
        assert!(NamedCollection::in_folder(place.path()).unwrap_err().to_string().contains("no .jsonl"));
        assert!(NamedCollection::in_folder(&place.path().join("missing")).is_err());
    }

    #[test]
    fn generated_collections_differ_and_can_be_small() {
        let all: Vec<Collection> =
            NamedCollection::generated().iter().map(|held| held.load(50).unwrap()).collect();
        assert!(all.iter().all(|collection| collection.len() == 50));
        assert_ne!(all[0].record(0), all[1].record(0));
        assert!(all[2].is_unspaced() && !all[0].is_unspaced());
    }
}
