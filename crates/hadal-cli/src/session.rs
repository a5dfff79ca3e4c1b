//! Common options, the checked configuration, and the topic argument of commands.

use super::exit::Usage;
use super::logging::LogFormat;
use clap::{ArgAction, Args};
use hadal::choice::nearest;
use hadal::config::layers::FILE_VARIABLE;
use hadal::config::{Config, Layers, Override};
use hadal::output::progress::DisplayStyle;
use hadal::output::terminal::{Color, Screen};
use hadal::render::{RenderMode, Renderer};
use hadal::store::{Access, RunQuery, Store, StoreError};
use hadal::topic::{ResolvedTopic, TopicError, resolve};
use hadal_core::critic::classifiers::{self, Classifiers};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Notice for a machine without a browser.
pub const NO_BROWSER: &str = "no browser is installed, so no page is rendered (install chromium)";

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// Store: file:DIR, postgres://USER@HOST/DATABASE or memory:
    #[arg(long, global = true, value_name = "URL")]
    pub store: Option<String>,
    /// Folder of your own topics
    #[arg(long = "topics-dir", alias = "topics", global = true, value_name = "DIR")]
    pub topics: Option<String>,
    /// Configuration file [default: hadal.toml, if it exists]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Number that all random choices depend on; the same number gives the same choices
    #[arg(long = "random-seed", alias = "seed", global = true, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = random_seed)]
    pub seed: u64,
    /// Print events and results as JSON lines on standard output; everything else goes to standard error
    #[arg(long, global = true)]
    pub json: bool,
    /// Write the log to a file instead of standard error
    #[arg(long, global = true, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
    /// Format of the log
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// Log one line per request; twice also decisions, three times everything
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// No progress display, errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Colour: auto, always or never
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<String>,
}

/// Parses `--random-seed`. Start URLs belong to `--seeds`.
fn random_seed(text: &str) -> Result<u64, String> {
    let hint = if text.contains("://") { "; start URLs are given with --seeds" } else { "" };
    text.parse().map_err(|_| format!("expected a whole number{hint}"))
}

impl Common {
    /// Effective settings, with the flags of this command.
    pub fn layers(&self, flags: &[Override]) -> anyhow::Result<Layers> {
        let own = [
            ("store.url", "--store", &self.store),
            ("topics.folder", "--topics-dir", &self.topics),
            ("output.color", "--color", &self.color),
        ];
        let mut all = flags.to_vec();
        for (key, flag, value) in own {
            all.extend(value.iter().map(|given| Override { key, flag, given: vec![given.clone()] }));
        }
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
        });
        Ok(Layers::gather(self.config_file().as_deref(), environment, &all)?)
    }

    /// Configuration file: from the flag or variable, or `hadal.toml` if it exists.
    pub fn config_file(&self) -> Option<PathBuf> {
        let usual = || Some(PathBuf::from("hadal.toml")).filter(|path| path.exists());
        let named = self.config.clone().or_else(|| std::env::var_os(FILE_VARIABLE).map(PathBuf::from));
        named.or_else(usual)
    }
}

/// Replaces the built-in classifiers of this process by those of a folder.
fn use_models(folder: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = folder.map(|folder| folder.join(classifiers::FILE_NAME)) else { return Ok(()) };
    let refused = |why: &dyn std::fmt::Display| {
        Usage(format!("models.folder: {}: {why}; `hadal topics built-in` writes this file", path.display()))
    };
    let bytes = std::fs::read(&path).map_err(|error| refused(&error))?;
    let models: Classifiers = classifiers::decode(&bytes).map_err(|error| refused(&error))?;
    Classifiers::replace_shipped(models);
    Ok(())
}

/// State of a running command.
pub struct Session {
    pub config: Config,
    pub seed: u64,
    /// Standard output is for programs.
    pub json: bool,
    quiet: bool,
}

impl Session {
    /// Checks the configuration with the flags of a command.
    pub fn open(common: &Common, flags: &[Override]) -> anyhow::Result<Session> {
        let config = Config::check(&common.layers(flags)?, &crate::extensions().names())?;
        use_models(config.models.as_deref())?;
        Ok(Session { config, seed: common.seed, json: common.json, quiet: common.quiet })
    }

    /// Opens the store for reading.
    pub fn reader(&self) -> Result<Arc<dyn Store>, StoreError> {
        hadal::store::open(&self.config.store.url, Access::Read)
    }

    /// Browser for a mode; `None` if there is none.
    pub fn renderer(&self, mode: RenderMode) -> Option<Renderer> {
        let renderer = if mode == RenderMode::Never { None } else { Renderer::installed() };
        renderer.map(|renderer| renderer.with_thumbnails(self.config.thumbnails.clone()))
    }

    pub fn stdout(&self) -> Screen {
        Screen::stdout(self.color())
    }

    pub fn stderr(&self) -> Screen {
        Screen::stderr(self.color())
    }

    fn color(&self) -> Color {
        self.config.color
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// True if a person watches: standard output and standard error are terminals and show all texts.
    pub fn is_interactive(&self) -> bool {
        !self.quiet && !self.json && std::io::stdout().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Style of the progress display.
    pub fn progress(&self) -> DisplayStyle {
        match (self.quiet, std::io::stderr().is_terminal()) {
            (true, _) => DisplayStyle::Silent,
            (false, true) => DisplayStyle::Bars,
            (false, false) => DisplayStyle::Lines,
        }
    }
}

/// Usage error if no run in the store has the topic; suggests the nearest name.
pub fn known_topic(store: &dyn Store, topic: &Option<String>) -> anyhow::Result<()> {
    let Some(topic) = topic else { return Ok(()) };
    let runs = store.runs(&RunQuery::default())?;
    if runs.is_empty() || runs.iter().any(|run| run.spec.topic == *topic) {
        return Ok(());
    }
    let known = runs.iter().map(|run| run.spec.topic.as_str());
    let suggestion = nearest(topic, known).map(|name| format!("; did you mean '{name}'?"));
    let hint = suggestion.unwrap_or_else(|| "; `hadal runs` lists all runs".to_string());
    Err(Usage(format!("no run in this store has the topic '{topic}'{hint}")).into())
}

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
