//! `--warc DIR`: archives all requests and responses.

use anyhow::Context;
use hadal::fetch::Fetch;
use hadal::fetch::archive::Archiving;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Wraps the fetcher in an archiving one if a folder is given.
pub fn archived(fetch: Arc<dyn Fetch>, folder: Option<&Path>) -> anyhow::Result<Arc<dyn Fetch>> {
    let Some(folder) = folder else { return Ok(fetch) };
    let archiving = Archiving::new(fetch, folder)
        .with_context(|| format!("could not write a WARC file in {}", folder.display()))?;
    writeln!(std::io::stderr(), "archiving to {}", archiving.path().display()).ok();
    Ok(Arc::new(archiving))
}
