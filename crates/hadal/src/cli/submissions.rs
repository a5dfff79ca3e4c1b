//! `hadal submissions`: the audit log, oldest first.

use super::exit::Exit;
use super::list::{ListArgs, list};
use super::session::Session;
use crate::store::{Filter, HarvestId, RunId, Submission};
use clap::Args;

/// List or export every form submission ever made
///
/// Each is written down before it is sent, and never deleted: not by --fresh either.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal submissions --format csv --output submissions.csv")]
pub struct SubmissionsArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Only those of this run
    #[arg(long, value_name = "N")]
    run: Option<u64>,
    /// Only those of this harvest
    #[arg(long, value_name = "N", conflicts_with = "run")]
    harvest: Option<u64>,
}

/// Lists them. A topic whose runs and harvests were discarded may still have some.
pub fn run(args: &SubmissionsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let (run, harvest) = (args.run.map(RunId), args.harvest.map(HarvestId));
    let filter = Filter { run, harvest, topic: args.list.topic.clone(), ..Filter::default() };
    let nothing = "no form was submitted yet";
    list::<Submission>(&args.list, session, nothing, |each| store.submissions(&filter, each))
}
