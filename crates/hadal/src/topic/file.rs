//! TOML file of a topic, which users read and edit.

use super::TopicError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Contents of a topic's TOML file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicFile {
    /// Name of the topic and of the file.
    pub name: String,
    /// Words that describe the topic.
    #[serde(default)]
    pub words: String,
    /// Pages with an example form: URLs or files. `#2` selects a form.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Start URLs of a crawl.
    #[serde(default)]
    pub seeds: Vec<String>,
    /// Training data of the model.
    #[serde(default)]
    pub made: TrainingData,
}

/// Training data of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingData {
    /// Origin of the examples.
    #[serde(default)]
    pub from: ExampleOrigin,
    /// Number of forms of the topic.
    #[serde(default)]
    pub relevant: u32,
    /// Number of forms known not to be of the topic, without the bundled background.
    #[serde(default)]
    pub other: u32,
}

/// Origin of a topic's examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExampleOrigin {
    /// No examples; only words.
    #[default]
    Words,
    /// Example pages listed in the file.
    Examples,
    /// A labelled folder.
    Folder,
    /// A group of similar forms.
    Cluster,
    /// Forms labelled in the directory.
    Labels,
}

const HEAD: &str = "# A topic of hadal. After editing words or examples: hadal topics train NAME\n";

impl TopicFile {
    /// Reads a file. Unknown keys are errors.
    pub fn read(path: &Path) -> Result<TopicFile, TopicError> {
        let fail = |detail: String| TopicError::File { path: path.to_path_buf(), detail };
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let file: TopicFile = toml::from_str(&text).map_err(|error| fail(error.to_string()))?;
        match path.file_stem().is_some_and(|stem| *stem == *file.name) {
            true => Ok(file),
            false => Err(TopicError::OtherName { path: path.to_path_buf(), name: file.name }),
        }
    }

    /// Formats the file.
    pub fn text(&self) -> String {
        let body = toml::to_string_pretty(self).expect("a topic holds only TOML values");
        HEAD.replace("NAME", &self.name) + &body
    }

    /// Command that trains the model again.
    pub fn retrain(&self) -> String {
        let from = match self.made.from {
            ExampleOrigin::Folder => " --from DIR",
            ExampleOrigin::Labels => " --from-labels",
            ExampleOrigin::Words | ExampleOrigin::Examples | ExampleOrigin::Cluster => "",
        };
        format!("hadal topics train {}{from}", self.name)
    }

    /// Short description of the training data.
    pub fn made_from(&self) -> String {
        let TrainingData { from, relevant, other } = &self.made;
        let others = if *other > 0 { format!(", {other} others") } else { String::new() };
        match from {
            ExampleOrigin::Words => "words only".to_string(),
            ExampleOrigin::Examples => format!("{relevant} example forms{others}"),
            ExampleOrigin::Folder => format!("a labelled folder: {relevant} forms{others}"),
            ExampleOrigin::Cluster => format!("a group of {relevant} forms"),
            ExampleOrigin::Labels => format!("{relevant} marked forms{others}"),
        }
    }
}

/// Checks that a name is a valid file name on all systems and needs no quoting in a shell.
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
            made: TrainingData { from: ExampleOrigin::Examples, relevant: 1, other: 0 },
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
    fn unknown_keys_and_wrong_names_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            let path = dir.path().join("recipes.toml");
            std::fs::write(&path, text).unwrap();
            TopicFile::read(&path).unwrap_err().to_string()
        };
        assert!(read("name = \"recipes\"\nseed = []\n").contains("unknown field `seed`"));
        assert!(read("name = \"recipes\"\n[made]\nby = 1\n").contains("unknown field `by`"));
        assert!(read("name = \"other\"\n").contains("has the name 'other'"));
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
