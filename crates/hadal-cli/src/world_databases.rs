//! `hadal world serve --databases`: databases on their own hosts.

use super::exit::Usage;
use anyhow::Context;
use hadal_world::database::{DatabaseHosts, DatabaseList};
use std::path::Path;

/// Greatest number of random databases. Each is built in memory before the server starts. Guess.
const MAX_DATABASES: u32 = 1_000;

/// Random databases from the seed, or those of a file.
pub fn library(given: &str, seed: u64) -> anyhow::Result<DatabaseHosts> {
    let path = Path::new(given);
    let catalogue = match given.parse::<u32>() {
        Ok(count) if count > MAX_DATABASES => {
            return Err(
                Usage(format!("--databases {count} is too many; the limit is {MAX_DATABASES}")).into()
            );
        }
        Ok(count) => DatabaseList::varied(count, seed),
        Err(_) => read(path)?,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    catalogue.build(folder).map_err(|error| Usage(format!("--databases {given}: {error}")).into())
}

fn read(path: &Path) -> anyhow::Result<DatabaseList> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read {}; give a TOML file or a number", path.display()))?;
    toml::from_str(&text).map_err(|error| Usage(format!("{}: {error}", path.display())).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("databases.toml");
        std::fs::write(&path, text).unwrap();
        library(path.to_str().unwrap(), 1).err().unwrap().to_string()
    }

    #[test]
    fn a_file_lists_databases_and_their_habits() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("two.jsonl"), "{\"title\":\"one\"}\n{\"title\":\"two\"}\n").unwrap();
        let path = place.path().join("databases.toml");
        let text = r#"
            [[database]]
            name = "db-two"
            source = { file = "two.jsonl" }
            conduct = { habits = { cap = 1, matching = "or", layout = { pager = "cursor" } } }

            [[database]]
            name = "cars"
            source = { cars = 50 }
            conduct = { preset = "used-cars" }

            [[database]]
            name = "texts"
            source = { generated = { records = 30, script = "unspaced" } }
        "#;
        std::fs::write(&path, text).unwrap();
        let library = library(path.to_str().unwrap(), 1).unwrap();
        let sizes: Vec<(&str, u32)> =
            library.iter().map(|(name, _, database)| (name, database.collection().len())).collect();
        assert_eq!(sizes, [("cars", 50), ("db-two", 2), ("texts", 30)]);
        assert_eq!(library.get("db-two").unwrap().config().result_cap, Some(1));
    }

    #[test]
    fn invalid_database_specifications_are_refused_by_name() {
        let entry = |name: &str, rest: &str| {
            format!("[[database]]\nname = \"{name}\"\nsource = {{ cars = 2 }}\n{rest}")
        };
        assert!(refused(&entry("No Name", "")).contains("No Name"));
        assert!(refused(&(entry("a", "") + "\n" + &entry("a", ""))).contains("two databases"));
        assert!(refused(&entry("a", "conduct = { preset = \"none\" }")).contains("used-cars"));
        assert!(refused(&entry("a", "conduct = { habits = { cup = 1 } }")).contains("cup"));
        assert!(
            refused("[[database]]\nname = \"a\"\nsource = { file = \"gone.jsonl\" }").contains("gone.jsonl")
        );
        assert!(library("100000", 1).is_err());
    }
}
