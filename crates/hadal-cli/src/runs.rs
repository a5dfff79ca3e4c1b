//! `hadal runs`: lists the crawls in the store, oldest first.

use super::exit::Exit;
use super::list::{ListArgs, list};
use super::session::{Session, known_topic};
use clap::Args;
use hadal::store::{RunRow, Walk};

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
    let wanted = |run: &RunRow| args.list.topic.as_ref().is_none_or(|topic| run.spec.topic == *topic);
    list::<RunRow>(&args.list, session, "no runs yet; start one with `hadal find`", |each| {
        for run in store.runs()?.into_iter().filter(wanted) {
            if each(run) == Walk::Stop {
                break;
            }
        }
        Ok(())
    })
}
