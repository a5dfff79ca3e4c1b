//! `hadal queries`: what harvests asked, and what came of each question.

use super::exit::Exit;
use super::harvested::{HarvestedArgs, some_words};
use super::list::list;
use super::session::Session;
use clap::Args;
use hadal::store::QueryRow;

/// List or export the queries that harvests put to forms
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal queries --harvest 1 --format jsonl
  hadal queries --topic book --search sea")]
pub struct QueriesArgs {
    #[command(flatten)]
    wanted: HarvestedArgs,
    /// Only queries with all of these words in them
    #[arg(long, value_name = "WORDS", value_parser = some_words)]
    search: Option<String>,
}

/// Lists them.
pub fn run(args: &QueriesArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let filter = args.wanted.filter(store.as_ref(), args.search.as_ref())?;
    let nothing = "no such queries: nothing was harvested yet, or the limits are too narrow";
    list::<QueryRow>(&args.wanted.list, session, nothing, |each| {
        store.asked(&filter, &mut args.wanted.limited(each))
    })
}
