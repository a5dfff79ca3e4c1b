//! Logging: warnings by default, one line per request with `-v`, to standard error or a file.

use super::session::Common;
use anyhow::Context;
use clap::ValueEnum;
use hadal::output::progress::AboveBars;
use std::sync::Mutex;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

/// Format of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Starts logging for this process.
pub fn start(common: &Common) -> anyhow::Result<()> {
    let level = match (common.quiet, common.verbose) {
        (true, _) => "error",
        (_, 0) => "warn,html5ever=error",
        (_, 1) => "hadal=info,warn,html5ever=error",
        (_, 2) => "hadal=debug,info,html5ever=error",
        _ => "trace",
    };
    let writer = match &common.log_file {
        None => BoxMakeWriter::new(|| AboveBars),
        Some(path) => {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            let file = file.with_context(|| format!("could not write the log to {}", path.display()))?;
            BoxMakeWriter::new(Mutex::new(file))
        }
    };
    let log = tracing_subscriber::fmt().with_env_filter(EnvFilter::new(level)).with_writer(writer);
    // Only a second start in one process fails; the first log continues.
    match common.log_format {
        LogFormat::Text => log.with_ansi(false).with_target(false).try_init().ok(),
        LogFormat::Json => log.json().flatten_event(true).with_target(false).try_init().ok(),
    };
    Ok(())
}
