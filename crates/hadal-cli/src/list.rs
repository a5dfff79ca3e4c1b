//! Options shared by all listings: output and format.

use super::choices::choice_parser;
use super::exit::{Exit, Usage};
use super::session::Session;
use anyhow::Context;
use clap::Args;
use hadal::atomic_file::AtomicFile;
use hadal::output::listing::Listed;
use hadal::output::terminal::Screen;
use hadal::output::writer::{Format, RowWriter, writer};
use hadal::store::StoreError;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;

/// Options of every listing.
#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    /// Output format [default: table, or jsonl with --json]
    #[arg(long, value_name = "FORMAT", value_parser = choice_parser::<Format>())]
    format: Option<Format>,
    /// Only rows of this topic
    #[arg(long)]
    pub topic: Option<String>,
    /// Write to a file, which appears when it is complete
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes all rows of a listing. `nothing` is printed if there is none.
pub fn list<R: Listed>(
    args: &ListArgs,
    session: &Session,
    nothing: &str,
    rows: impl Iterator<Item = Result<R, StoreError>>,
) -> anyhow::Result<Exit> {
    let format = args.chosen(session.json)?;
    let written = match &args.output {
        Some(path) => {
            let context = || format!("could not write {}", path.display());
            let (file, out) = AtomicFile::create(path).with_context(context)?;
            let written =
                write_rows(writer::<R>(format, out, Screen::file())?, rows).with_context(context)?;
            file.complete().with_context(context)?;
            written
        }
        None => {
            let out = BufWriter::new(std::io::stdout());
            write_rows(writer::<R>(format, out, session.stdout())?, rows)?
        }
    };
    if written == 0 && format == Format::Table {
        writeln!(std::io::stderr(), "{nothing}").ok();
    }
    Ok(Exit::Done)
}

impl ListArgs {
    fn chosen(&self, json: bool) -> Result<Format, Usage> {
        let format = match (self.format, json) {
            (Some(format), true) if format != Format::Jsonl => {
                return Err(Usage("--json and --format conflict; leave one out".to_string()));
            }
            (Some(format), _) => format,
            (None, true) => Format::Jsonl,
            (None, false) => Format::Table,
        };
        if format == Format::Parquet && self.output.is_none() && std::io::stdout().is_terminal() {
            return Err(Usage("Parquet needs a file; add --output FILE".to_string()));
        }
        Ok(format)
    }
}

fn write_rows<R: Listed>(
    mut writer: Box<dyn RowWriter>,
    rows: impl Iterator<Item = Result<R, StoreError>>,
) -> anyhow::Result<u64> {
    let mut written = 0;
    for row in rows {
        writer.row(&row?.cells())?;
        written += 1;
    }
    writer.finish()?;
    Ok(written)
}
