//! Why a configuration is refused: always names the key, and says what would be right.

use super::layers::Origin;
use std::path::PathBuf;

/// A configuration that stops the start.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read, or is not TOML.
    #[error("configuration file {}: {detail}", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// Nobody knows this key.
    #[error("unknown setting '{key}'{}{}", place(.origin), did_you_mean(.suggestion))]
    Unknown {
        /// The key as written.
        key: String,
        /// Where it stands; `None` when the key itself says so.
        origin: Option<Origin>,
        /// The nearest key there is.
        suggestion: Option<String>,
    },
    /// The key is known, the value cannot be.
    #[error("setting '{key}' (from {origin}): {value} is not {expected}{}", did_you_mean(.suggestion))]
    Impossible {
        /// The key.
        key: &'static str,
        /// Where the value came from.
        origin: Origin,
        /// The value as written.
        value: String,
        /// What it should have been.
        expected: String,
        /// The nearest value there is.
        suggestion: Option<String>,
    },
}

fn place(origin: &Option<Origin>) -> String {
    origin.as_ref().map(|origin| format!(" in {origin}")).unwrap_or_default()
}

/// "; did you mean 'x'?" when there is an x.
pub fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}
