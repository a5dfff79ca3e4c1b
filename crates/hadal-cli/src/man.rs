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
    let version = concat!("hadal ", env!("CARGO_PKG_VERSION"));
    let page =
        clap_mangen::Man::new(named).title(name.to_uppercase()).source(version).manual("User Commands");
    let path = folder.join(format!("{name}.1"));
    let mut text = Vec::new();
    page.render(&mut text)?;
    let text = tidy(&String::from_utf8_lossy(&text), name != "hadal");
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        write_pages(below, &format!("{name}-{}", below.get_name()), folder)?;
    }
    Ok(())
}

/// Keeps the line breaks of indented lines, names the section of examples, and refers to `hadal(1)` for options of all
/// commands.
fn tidy(page: &str, is_subcommand: bool) -> String {
    let page = page.replace(".br\n\n.br\n", ".sp\n").replace(".SH EXTRA\nExample:\n", ".SH EXAMPLES\n");
    let mut tidy = String::new();
    let mut is_indented = false;
    for line in page.lines() {
        if line.starts_with(' ') != is_indented {
            is_indented = !is_indented;
            tidy.push_str(if is_indented { ".nf\n" } else { ".fi\n" });
        }
        tidy.push_str(line.trim_end());
        tidy.push('\n');
    }
    if is_indented {
        tidy.push_str(".fi\n");
    }
    if is_subcommand {
        tidy.push_str(".SH SEE ALSO\n\\fBhadal\\fR(1) describes the options of all commands.\n");
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_examples_keep_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        write_pages(&crate::description(), "hadal", folder.path()).unwrap();
        let page = fs::read_to_string(folder.path().join("hadal-find.1")).unwrap();
        assert!(
            page.contains(":\n.nf\n  random  ") && page.contains("\n.SH EXAMPLES\n.nf\n  hadal find"),
            "{page}"
        );
        assert_eq!(page.matches(".nf\n").count(), page.matches(".fi\n").count());
        assert!(page.lines().all(|line| line == line.trim_end()), "{page}");
        assert!(page.contains("describes the options of all commands"));
    }
}
