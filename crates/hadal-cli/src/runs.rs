//! `hadal runs`: lists the crawls in the store, oldest first.

use super::exit::Exit;
use super::list::{ListArgs, list};
use super::session::{Session, known_topic};
use clap::Args;
use hadal::store::RunQuery;

/// List or export the runs in the store
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal runs --format jsonl")]
pub struct RunsArgs {
    #[command(flatten)]
    list: ListArgs,
}

pub fn run(args: &RunsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    known_topic(store.as_ref(), &args.list.topic)?;
    let runs = store.runs(&RunQuery { topic: args.list.topic.clone(), ..RunQuery::default() })?;
    let nothing = "no runs yet; start one with `hadal find`";
    list(&args.list, session, nothing, runs.into_iter().map(Ok))
}
