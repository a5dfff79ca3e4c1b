//! The file of a topic that people read and edit: what it is called, what it was made from.

use super::TopicError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a topic's TOML file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicFile {
    /// Its name, which is the file's too.
    pub name: String,
    /// Words that describe it.
    #[serde(default)]
    pub words: String,
    /// Pages with an example form: addresses or files, `#2` behind one picks the form.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Where a crawl for it starts.
    #[serde(default)]
    pub seeds: Vec<String>,
    /// What the model beside the file was trained from.
    #[serde(default)]
    pub made: Made,
}

/// What a model was trained from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// Where its examples came from.
    #[serde(default)]
    pub from: Origin,
    /// Forms of the topic.
    #[serde(default)]
    pub relevant: u32,
    /// Forms that are known not to be of the topic, beyond the bundled background.
    #[serde(default)]
    pub other: u32,
}

/// Where a topic's examples came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Nowhere: words describe it.
    #[default]
    Words,
    /// Example pages that the file lists.
    Examples,
    /// A labelled folder.
    Folder,
    /// A group of forms that resemble each other.
    Cluster,
    /// Forms that people marked in the directory.
    Labels,
}

const HEAD: &str = "# A topic of hadal. After editing words or examples: hadal topics train NAME\n";

impl TopicFile {
    /// Reads a file; a key that means nothing here is named.
    pub fn read(path: &Path) -> Result<TopicFile, TopicError> {
        let fail = |detail: String| TopicError::File { path: path.to_path_buf(), detail };
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let file: TopicFile = toml::from_str(&text).map_err(|error| fail(error.to_string()))?;
        match path.file_stem().is_some_and(|stem| *stem == *file.name) {
            true => Ok(file),
            false => Err(TopicError::OtherName { path: path.to_path_buf(), name: file.name }),
        }
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let body = toml::to_string_pretty(self).expect("a topic holds only what TOML can say");
        HEAD.replace("NAME", &self.name) + &body
    }

    /// The command that makes the model anew.
    pub fn retrain(&self) -> String {
        let from = match self.made.from {
            Origin::Folder => " --from DIR",
            Origin::Labels => " --from-labels",
            Origin::Words | Origin::Examples | Origin::Cluster => "",
        };
        format!("hadal topics train {}{from}", self.name)
    }

    /// What it was made from, in a few words.
    pub fn made_from(&self) -> String {
        let Made { from, relevant, other } = &self.made;
        let others = if *other > 0 { format!(", {other} others") } else { String::new() };
        match from {
            Origin::Words => "words only".to_string(),
            Origin::Examples => format!("{relevant} example forms{others}"),
            Origin::Folder => format!("a labelled folder: {relevant} forms{others}"),
            Origin::Cluster => format!("a group of {relevant} forms"),
            Origin::Labels => format!("{relevant} marked forms{others}"),
        }
    }
}

/// A name that can be a file's: whatever the system, whatever the shell.
pub fn checked_name(name: &str) -> Result<&str, TopicError> {
    let fits = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let good = !name.is_empty() && name.chars().count() <= 60 && name.chars().all(fits);
    match good && name.to_lowercase() == name && !name.starts_with('-') {
        true => Ok(name),
        false => Err(TopicError::BadName(name.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipes() -> TopicFile {
        TopicFile {
            name: "recipes".into(),
            words: "recipe \"home\" cooking".into(),
            examples: vec!["http://a.example/find#1".into()],
            seeds: vec!["http://a.example/".into()],
            made: Made { from: Origin::Examples, relevant: 1, other: 0 },
        }
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("recipes.toml");
        std::fs::write(&path, recipes().text()).unwrap();
        assert_eq!(TopicFile::read(&path).unwrap(), recipes());
    }

    #[test]
    fn unknown_keys_and_other_names_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            let path = dir.path().join("recipes.toml");
            std::fs::write(&path, text).unwrap();
            TopicFile::read(&path).unwrap_err().to_string()
        };
        assert!(read("name = \"recipes\"\nseed = []\n").contains("unknown field `seed`"));
        assert!(read("name = \"recipes\"\n[made]\nby = 1\n").contains("unknown field `by`"));
        assert!(read("name = \"other\"\n").contains("calls itself 'other'"));
        assert!(read("name = 3\n").contains("recipes.toml"));
    }

    #[test]
    fn names_are_those_of_plain_files() {
        assert!(checked_name("used-books").is_ok() && checked_name("b\u{fc}cher_2").is_ok());
        for name in ["", "a b", "../x", "A", "-x", "x.toml", "a/b"] {
            assert!(checked_name(name).is_err(), "{name}");
        }
    }
}
