//! What the design promises and this version does not have yet.
//!
//! It is neither in the help nor in the parser. Whoever types it is told so, with exit status 2:
//! an option that is silently ignored would be worse than one that is missing.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A better message for a parse error, when it is about something not built yet.
pub fn explain(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let unbuilt = |what: &str| format!("'{what}' is not built yet in hadal {}", env!("CARGO_PKG_VERSION"));
    match error.kind() {
        ErrorKind::UnknownArgument => {
            text(ContextKind::InvalidArg).filter(|given| *given == "import").map(unbuilt)
        }
        ErrorKind::InvalidValue => {
            let rendering = text(ContextKind::InvalidArg)?.starts_with("--render");
            let value = text(ContextKind::InvalidValue)?;
            (rendering && ["auto", "always"].contains(&value)).then(|| unbuilt(&format!("--render {value}")))
        }
        _ => None,
    }
}
