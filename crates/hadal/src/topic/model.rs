//! Model file of a topic: the learned classifier and its strongest words.

use super::TopicError;
use super::file::TopicFile;
use hadal_core::critic::classifiers::{decode, encode};
use hadal_core::critic::learned::LearnedTopic;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A trained topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicModel {
    /// Classifier of forms and pages.
    pub learned: LearnedTopic,
    pub strongest_words: StrongestWords,
}

/// Strongest words with their contribution to the log-odds, strongest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StrongestWords {
    /// Words in and around forms.
    pub forms: Vec<(String, f32)>,
    /// Words on pages.
    pub pages: Vec<(String, f32)>,
}

impl StrongestWords {
    /// Words without concepts, usable as query words.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().map(|(word, _)| word.as_str()).filter(|word| !word.starts_with('['))
    }
}

impl TopicModel {
    /// Reads the model of a topic's file. Errors name the command that trains it again.
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

    /// Serialises the model.
    pub fn bytes(&self) -> Vec<u8> {
        encode(self)
    }
}
