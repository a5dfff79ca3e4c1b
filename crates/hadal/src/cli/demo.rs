//! `hadal demo`: the whole story on the built-in simulated web, without any network.

use super::exit::Exit;
use super::session::Session;
use clap::Args;

/// Watch hadal find search forms on a simulated web; ends by itself
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal demo")]
pub struct DemoArgs {}

/// Runs the demo.
pub fn run(_args: &DemoArgs, session: &Session) -> anyhow::Result<Exit> {
    run_demo(session)
}

/// Crawls the simulated web and compares what was found with what is there.
pub fn run_demo(session: &Session) -> anyhow::Result<Exit> {
    anyhow::bail!("the engine is missing: nothing was done (seed {})", session.seed)
}
