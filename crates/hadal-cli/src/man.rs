//! `hadal man`: writes man pages, one per command.

use super::exit::Exit;
use anyhow::Context;
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

/// Write man pages, one per command
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal man ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder for the pages; it is created
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(args: &ManArgs) -> anyhow::Result<Exit> {
    fs::create_dir_all(&args.folder).with_context(|| args.folder.display().to_string())?;
    write_pages(&super::description(), "hadal", &args.folder)?;
    Ok(Exit::Done)
}

/// Writes the page of a command and those of its subcommands, as `hadal-eval-find.1`.
fn write_pages(command: &clap::Command, name: &str, folder: &Path) -> anyhow::Result<()> {
    let named = command.clone().display_name(name.to_string()).bin_name(name.replace('-', " "));
    let page = clap_mangen::Man::new(named).title(name.to_string());
    let path = folder.join(format!("{name}.1"));
    let mut text = Vec::new();
    page.render(&mut text)?;
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        write_pages(below, &format!("{name}-{}", below.get_name()), folder)?;
    }
    Ok(())
}
