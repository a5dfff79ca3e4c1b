//! `hadal config`: prints the commented defaults, or the effective configuration.

use super::exit::Exit;
use super::session::Common;
use clap::Args;
use hadal::config::Config;
use hadal::config::settings::default_file;
use std::io::Write;

/// Print the commented default configuration, or the effective one
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal config > hadal.toml\n  hadal config --in-force")]
pub struct ConfigArgs {
    /// Show the effective values and where each came from
    #[arg(long)]
    in_force: bool,
}

/// Checks the effective configuration before printing it.
pub fn run(args: &ConfigArgs, common: &Common) -> anyhow::Result<Exit> {
    let text = if args.in_force {
        let layers = common.layers(&[])?;
        Config::check(&layers, &crate::extensions().names())?;
        layers.effective_text()
    } else {
        default_file()
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}
