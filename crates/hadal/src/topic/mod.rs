//! Topics: the built-in ones, and the user's own.
//!
//! A topic of the user's own is a TOML file that people read and edit ([`file`]) and a model beside it
//! ([`model`]), in a [`folder`]. It is learned ([`learn`]) from forms on example pages ([`sample`]), which
//! come from the web ([`gather`]) or a labelled folder ([`labelled`]); [`mod@propose`] finds groups of forms
//! that could become topics. What a command calls a topic is looked up in one place, [`mod@resolve`].

pub mod file;
pub mod folder;
pub mod gather;
pub mod labelled;
pub mod learn;
pub mod model;
pub mod propose;
pub mod resolve;
pub mod sample;

pub use file::{Made, Origin, TopicFile};
pub use folder::Folder;
pub use model::{Telling, TopicModel};
pub use resolve::{Wanted, resolve};
pub use sample::{NoSample, Sample};

use hadal_core::critic::classifiers::ModelError;
use std::path::PathBuf;

/// Why a topic cannot be used; every message says what would help.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum TopicError {
    #[error("'{0}' has no words to look for")]
    NoWords(String),
    #[error("'{0}' cannot be a topic's name: use letters, digits, '-' and '_', 60 at most, as in used-books")]
    BadName(String),
    #[error("'{name}' is no topic; did you mean '{meant}'? (for the word itself, say more than one word)")]
    Slip { name: String, meant: String },
    #[error("there is no topic '{name}'{hint} (`hadal topics list` shows what there is)")]
    Unknown { name: String, hint: String },
    #[error("topic file {}: {detail}", path.display())]
    File { path: PathBuf, detail: String },
    #[error("topic file {} calls itself '{name}': name and file name must be the same", path.display())]
    OtherName { path: PathBuf, name: String },
    #[error("model file {} is missing; `{retrain}` makes it", path.display())]
    NoModel { path: PathBuf, retrain: String },
    #[error("model file {}: {error}; `{retrain}` makes it anew", path.display())]
    Model { path: PathBuf, error: ModelError, retrain: String },
    #[error("topic '{0}' exists; add --force to replace it")]
    Exists(String),
}
