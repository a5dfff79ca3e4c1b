//! Configuration errors. Each names the key and what is expected.

use super::layers::Origin;
use std::path::PathBuf;

/// An invalid configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is unreadable or not TOML.
    #[error("configuration file {}: {detail}", .path.display())]
    File { path: PathBuf, detail: String },
    /// No setting has this key.
    #[error("unknown setting '{key}'{}{}", place(.origin), did_you_mean(.suggestion))]
    Unknown {
        /// Key as written.
        key: String,
        /// Origin of the key; `None` if the key itself shows it.
        origin: Option<Origin>,
        /// Nearest known key.
        suggestion: Option<String>,
    },
    /// Known key with an invalid value.
    #[error("setting '{key}' (from {origin}): {value} is not {expected}{}", did_you_mean(.suggestion))]
    Impossible {
        key: &'static str,
        origin: Origin,
        /// Value as written.
        value: String,
        /// Description of valid values.
        expected: String,
        /// Nearest valid value.
        suggestion: Option<String>,
    },
}

fn place(origin: &Option<Origin>) -> String {
    origin.as_ref().map(|origin| format!(" in {origin}")).unwrap_or_default()
}

/// Formats "; did you mean 'x'?", or nothing.
pub fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}
