//! Topics: built-in and user-defined.
//!
//! A user-defined topic is a TOML file that users edit ([`mod@file`]) and a model ([`model`]) in a
//! [`folder`]. It is learned ([`learn`]) from forms of example pages ([`sample`]), which come from the web
//! ([`gather`]) or a labelled folder ([`labelled`]). [`comparison`] decides whether a topic trained on marks
//! replaces the old one. [`mod@propose`] finds groups of forms that could become topics. [`mod@resolve`]
//! finds the topic that a command names.

pub mod comparison;
pub mod file;
pub mod folder;
pub mod gather;
pub mod labelled;
pub mod learn;
pub mod model;
pub mod propose;
pub mod resolve;
pub mod sample;

pub use file::{ExampleOrigin, TopicFile, TrainingData};
pub use folder::TopicFolder;
pub use model::{StrongestWords, TopicModel};
pub use resolve::{ResolvedTopic, resolve};
pub use sample::Sample;

use hadal_core::critic::classifiers::ModelError;
use std::path::PathBuf;

/// A topic that cannot be used. Each message states a remedy.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum TopicError {
    #[error("'{0}' contains no words")]
    NoWords(String),
    #[error(
        "'{0}' is not a valid topic name; use letters, digits, '-' and '_', 60 at most, as in used-books"
    )]
    BadName(String),
    #[error("unknown topic '{name}'; did you mean '{meant}'? (a topic made of words needs at least two)")]
    Slip { name: String, meant: String },
    #[error("unknown topic '{name}'{hint} (`hadal topics list` shows all topics)")]
    Unknown { name: String, hint: String },
    #[error("topic file {}: {detail}", path.display())]
    File { path: PathBuf, detail: String },
    #[error("topic file {} has the name '{name}'; name and file name must be equal", path.display())]
    OtherName { path: PathBuf, name: String },
    #[error("model file {} is missing; `{retrain}` creates it", path.display())]
    NoModel { path: PathBuf, retrain: String },
    #[error("model file {}: {error}; `{retrain}` creates it again", path.display())]
    Model { path: PathBuf, error: ModelError, retrain: String },
    #[error("topic '{0}' exists; add --force to replace it")]
    Exists(String),
}
