//! Topic argument of a command, with a warning for topics made of words only.

use super::session::Session;
use hadal::topic::{ResolvedTopic, TopicError, resolve};
use std::io::Write;

/// Resolves a topic, see [`resolve()`].
pub fn resolve_topic(text: &str, session: &Session) -> Result<ResolvedTopic, TopicError> {
    let resolved = resolve(text, &session.config.topics)?;
    if resolved.weak {
        let name = &resolved.topic.name;
        writeln!(
            std::io::stderr(),
            "note: '{name}' is judged by its words alone, which finds less and errs more; make a better topic \
             from example pages:\n  hadal topics new {} --examples URL ... --words \"{name}\"",
            suggested(name)
        )
        .ok();
    }
    Ok(resolved)
}

/// Suggested name for a topic made of words.
fn suggested(words: &str) -> String {
    let parts = words.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.take(3).collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal::topic::file::checked_name;

    #[test]
    fn the_suggested_name_is_one_that_is_taken() {
        for words in ["used books", "caf\u{e9} & bars, late!", "a b c d e"] {
            assert!(checked_name(&suggested(words)).is_ok(), "{words}");
        }
        assert_eq!(suggested("Used Books"), "used-books");
    }
}
