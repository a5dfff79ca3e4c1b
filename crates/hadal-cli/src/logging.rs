//! Logging: warnings by default, more with `-v`, to standard error or a file.

use super::session::Common;
use anyhow::Context;
use hadal::output::progress::AboveBars;
use std::sync::Mutex;
use tracing_subscriber::EnvFilter;

/// Starts logging for this process.
pub fn start(common: &Common) -> anyhow::Result<()> {
    let level = match (common.quiet, common.verbose) {
        (true, _) => "error",
        (_, 0) => "warn,html5ever=error",
        (_, 1) => "hadal=info,warn,html5ever=error",
        (_, 2) => "hadal=debug,info",
        _ => "trace",
    };
    let log = tracing_subscriber::fmt().with_env_filter(EnvFilter::new(level)).with_ansi(false);
    // Only a second start in one process fails; the first log continues.
    match &common.log_file {
        None => log.with_writer(|| AboveBars).try_init().ok(),
        Some(path) => {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            let file = file.with_context(|| format!("could not write the log to {}", path.display()))?;
            log.with_writer(Mutex::new(file)).try_init().ok()
        }
    };
    Ok(())
}
