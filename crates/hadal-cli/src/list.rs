//! Options shared by all listings: output and format.

use super::args::choice_parser;
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
use std::path::{Path, PathBuf};

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
    /// Maximum number of rows, or all [default: 50 for a table in a terminal, else all]
    #[arg(long, value_name = "N|all", value_parser = limit)]
    limit: Option<Limit>,
}

/// Maximum number of rows of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Rows(usize),
    All,
}

/// Rows of a table in a terminal. Guess: the first ones stay within reach.
const ROWS_IN_TERMINAL: usize = 50;
/// Maximum number of further rows that are counted after a limit. Guess: they are read in less than a second.
const MAX_COUNTED: usize = 100_000;

fn limit(text: &str) -> Result<Limit, String> {
    match text.parse() {
        _ if text == "all" => Ok(Limit::All),
        Ok(rows) if rows > 0 => Ok(Limit::Rows(rows)),
        _ => Err("expected a number of rows, or all".to_string()),
    }
}

/// Writes all rows of a listing. `nothing` is printed if there is none.
pub fn list<R: Listed>(
    args: &ListArgs,
    session: &Session,
    nothing: &str,
    rows: impl Iterator<Item = Result<R, StoreError>>,
) -> anyhow::Result<Exit> {
    let format = args.chosen(session.json)?;
    let mut rows = rows;
    let limited = rows.by_ref().take(args.most_rows(format));
    let written = match &args.output {
        Some(path) => {
            let context = || format!("could not write {}", path.display());
            let (file, out) = AtomicFile::create(path).with_context(context)?;
            let written =
                write_rows(writer::<R>(format, out, Screen::file())?, limited).with_context(context)?;
            file.complete().with_context(context)?;
            written
        }
        None => {
            let out = BufWriter::new(std::io::stdout());
            write_rows(writer::<R>(format, out, session.stdout())?, limited)?
        }
    };
    if written == 0 && format == Format::Table {
        writeln!(std::io::stderr(), "{nothing}").ok();
    }
    if args.limit.is_none() {
        announce_more(rows.take(MAX_COUNTED + 1).count());
    }
    Ok(Exit::Done)
}

/// Prints how many rows follow those of the table.
fn announce_more(rows: usize) {
    match rows {
        0 => Ok(()),
        1..=MAX_COUNTED => writeln!(std::io::stderr(), "{rows} more; --limit all lists them"),
        _ => writeln!(std::io::stderr(), "more than {MAX_COUNTED} more; --limit all lists them"),
    }
    .ok();
}

impl ListArgs {
    /// File or folder of the output, if it is not standard output.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Maximum number of rows of a file.
    pub fn max_rows(&self) -> usize {
        match self.limit {
            Some(Limit::Rows(rows)) => rows,
            None | Some(Limit::All) => usize::MAX,
        }
    }

    fn most_rows(&self, format: Format) -> usize {
        let on_terminal = self.output.is_none() && std::io::stdout().is_terminal();
        match self.limit {
            Some(Limit::Rows(rows)) => rows,
            None if format == Format::Table && on_terminal => ROWS_IN_TERMINAL,
            None | Some(Limit::All) => usize::MAX,
        }
    }

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
