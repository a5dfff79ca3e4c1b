//! `hadal queries`: lists the queries of harvests with their results.

use super::exit::Exit;
use super::harvested::{HarvestedArgs, some_words};
use super::list::list;
use super::session::Session;
use clap::Args;
use hadal::store::all_queries;

/// List or export the queries that harvests sent
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal queries --harvest 1 --format jsonl
  hadal queries --topic book --search sea")]
pub struct QueriesArgs {
    #[command(flatten)]
    filter: HarvestedArgs,
    /// Only queries with all of these words
    #[arg(long, value_name = "WORDS", value_parser = some_words)]
    search: Option<String>,
}

pub fn run(args: &QueriesArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let query = args.filter.query(store.as_ref(), args.search.as_ref())?;
    let nothing = "no matching queries; harvest a form first or loosen the filters";
    let rows = all_queries(store.as_ref(), query);
    list(&args.filter.list, session, nothing, rows)
}
