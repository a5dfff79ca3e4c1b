//! Commands and options that are planned but not implemented.
//!
//! They are absent from parser and help. Using one gives exit status 2 and a message.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Message for a parse error that is about something planned.
pub fn explain(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let not_implemented =
        |what: &str| format!("'{what}' is not implemented in hadal {}", env!("CARGO_PKG_VERSION"));
    match error.kind() {
        ErrorKind::UnknownArgument => {
            text(ContextKind::InvalidArg).filter(|given| *given == "import").map(not_implemented)
        }
        _ => None,
    }
}
