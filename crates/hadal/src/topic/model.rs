//! The model file of a topic: what judges, and the words that show a person what it goes by.

use super::TopicError;
use super::file::TopicFile;
use hadal_core::critic::classifiers::{decode, encode};
use hadal_core::critic::learned::LearnedTopic;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A trained topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicModel {
    /// What judges forms and pages.
    pub learned: LearnedTopic,
    /// What it goes by.
    pub telling: Telling,
}

/// The strongest words with what each alone adds to the log-odds, strongest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Telling {
    /// In a form and around it.
    pub forms: Vec<(String, f32)>,
    /// On a page.
    pub pages: Vec<(String, f32)>,
}

impl Telling {
    /// The words themselves, without concepts: what can be typed into a search box.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().map(|(word, _)| word.as_str()).filter(|word| !word.starts_with('['))
    }
}

impl TopicModel {
    /// The model beside a topic's file, or why it is not used and what makes it anew.
    pub fn read(path: &Path, file: &TopicFile) -> Result<TopicModel, TopicError> {
        let path = path.to_path_buf();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(TopicError::NoModel { path, retrain: file.retrain() });
            }
            Err(error) => return Err(TopicError::File { path, detail: error.to_string() }),
        };
        decode(&bytes).map_err(|error| TopicError::Model { path, error, retrain: file.retrain() })
    }

    /// The model as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        encode(self)
    }
}
