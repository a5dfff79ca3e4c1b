//! `hadal forms`: lists the forms found, most relevant first. `hadal forms import` adds forms of known pages.

use super::args::probability;
use super::exit::{Exit, Usage};
use super::find::FindArgs;
use super::list::{ListArgs, list};
use super::session::{Session, known_topic};
use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use hadal::output::engines::{SEARXNG_HEAD, opensearch, searxng};
use hadal::store::{FormQuery, FormRow, LabelFilter, StoreError, all_forms};
use hadal_core::critic::MIN_ACCEPTED_P;
use std::io::Write;
use std::path::Path;

/// List or export the forms found
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Example:
  hadal forms --topic book --min-relevance 0.5 --format csv --output books.csv
  hadal forms import book pages.txt
  hadal forms --topic book --engines searxng --output engines.yml
  hadal forms --topic book --engines opensearch --output descriptions")]
pub struct FormsArgs {
    #[command(subcommand)]
    command: Option<FormsCommand>,
    #[command(flatten)]
    list: ListArgs,
    /// Minimum relevance of the forms, from 0 to 1
    #[arg(long, value_name = "P", value_parser = probability)]
    min_relevance: Option<f32>,
    /// Include forms that are not searchable
    #[arg(long)]
    all: bool,
    /// Write forms that take words for another search program: searxng (engines for settings.yml, which send queries
    /// through `hadal serve`) or opensearch (a description per form, in the folder --output)
    #[arg(long, value_name = "PROGRAM", hide_possible_values = true, conflicts_with = "format")]
    engines: Option<Engines>,
    /// URL of the `hadal serve` that SearXNG reaches
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7878", requires = "engines")]
    server: String,
}

#[derive(Debug, Subcommand)]
enum FormsCommand {
    Import(Box<ImportArgs>),
}

/// Add the forms of known pages; no link is followed
///
/// The pages are the seeds of a crawl with --max-depth 0, so all options of `hadal find` apply.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal forms import book pages.txt
  hadal forms import \"used books\" http://books.example/search --contact you@example.org")]
struct ImportArgs {
    #[command(flatten)]
    find: FindArgs,
    /// Pages with forms: URLs, files with one URL per line, or - for standard input
    #[arg(required = true, value_name = "FILE|URL")]
    pages: Vec<String>,
}

impl FormsArgs {
    /// The crawl that imports forms, for `hadal forms import`.
    pub fn import(&self) -> Option<FindArgs> {
        let FormsCommand::Import(args) = self.command.as_ref()?;
        Some(args.find.clone().of_pages(&args.pages))
    }
}

/// Programs that can search the forms found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engines {
    Searxng,
    Opensearch,
}

pub fn run(args: &FormsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    known_topic(store.as_ref(), &args.list.topic)?;
    let query = FormQuery {
        topic: args.list.topic.clone(),
        min_relevance: args.min_relevance.unwrap_or(0.0),
        min_searchable: if args.all { 0.0 } else { MIN_ACCEPTED_P },
        labels: if args.engines.is_some() { LabelFilter::Accepted } else { LabelFilter::Any },
        with_snapshot: args.engines.is_some(),
        ..FormQuery::default()
    };
    let nothing = "no matching forms; continue the crawl or loosen the filters (--all, --min-relevance)";
    let rows = all_forms(store.as_ref(), query).map(|entry| entry.map(|entry| entry.row));
    match args.engines {
        None => list(&args.list, session, nothing, rows),
        Some(engines) => write_engines(engines, args, rows),
    }
}

/// Writes the forms that take words for another program.
fn write_engines(
    engines: Engines,
    args: &FormsArgs,
    rows: impl Iterator<Item = Result<FormRow, StoreError>>,
) -> anyhow::Result<Exit> {
    let limited = rows.take(args.list.max_rows());
    let written = match (engines, args.list.file()) {
        (Engines::Searxng, file) => write_searxng(limited, &args.server, file)?,
        (Engines::Opensearch, Some(folder)) => write_descriptions(limited, folder)?,
        (Engines::Opensearch, None) => {
            return Err(Usage("OpenSearch descriptions need a folder; add --output DIR".to_string()).into());
        }
    };
    if written == 0 {
        writeln!(std::io::stderr(), "no form that takes words; continue the crawl or loosen the filters")
            .ok();
    }
    Ok(Exit::Done)
}

fn write_searxng(
    rows: impl Iterator<Item = Result<FormRow, StoreError>>,
    server: &str,
    file: Option<&Path>,
) -> anyhow::Result<usize> {
    let items = rows.filter_map(|row| row.map(|row| searxng(&row, server)).transpose());
    let items = items.collect::<Result<Vec<String>, StoreError>>()?;
    let text = format!("{SEARXNG_HEAD}{}", items.concat());
    match file {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("could not write {}", path.display()))?
        }
        None => std::io::stdout().write_all(text.as_bytes())?,
    }
    Ok(items.len())
}

fn write_descriptions(
    rows: impl Iterator<Item = Result<FormRow, StoreError>>,
    folder: &Path,
) -> anyhow::Result<usize> {
    let failed = |path: &Path| format!("could not write {}", path.display());
    std::fs::create_dir_all(folder).with_context(|| failed(folder))?;
    let mut written = 0;
    for row in rows {
        let row = row?;
        if let Some(text) = opensearch(&row) {
            let path = folder.join(format!("{}.xml", row.form_id));
            std::fs::write(&path, text).with_context(|| failed(&path))?;
            written += 1;
        }
    }
    Ok(written)
}
