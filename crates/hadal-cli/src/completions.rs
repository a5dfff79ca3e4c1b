//! `hadal completions`: prints shell completion scripts.

use super::exit::Exit;
use clap::Args;
use clap_complete::Shell;
use std::io::Write;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal completions bash > ~/.local/share/bash-completion/completions/hadal"
)]
pub struct CompletionsArgs {
    /// Shell to write the completion script for
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::description(), "hadal", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Exit::Done)
}
