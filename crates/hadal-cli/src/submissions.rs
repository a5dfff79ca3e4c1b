//! `hadal submissions`: the audit log, oldest first.

use super::exit::{Exit, Usage};
use super::list::{ListArgs, list};
use super::quality::demo_world;
use super::session::Session;
use clap::Args;
use hadal::report::submitted::{Submitted, submitted};
use hadal::store::{Filter, HarvestId, RunId, Submission, Walk};

/// List or export every form submission ever made
///
/// Each is written down before it is sent, and never deleted: not by --fresh either.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal submissions --format csv --output submissions.csv
  hadal submissions --truth")]
pub struct SubmissionsArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Only those of this run
    #[arg(long, value_name = "N")]
    run: Option<u64>,
    /// Only those of this harvest
    #[arg(long, value_name = "N", conflicts_with = "run")]
    harvest: Option<u64>,
    /// What the forms really are, counted: only on the simulated web that `hadal demo` crawls
    #[arg(long)]
    truth: bool,
}

/// Lists them. A topic whose runs and harvests were discarded may still have some.
pub fn run(args: &SubmissionsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let (run, harvest) = (args.run.map(RunId), args.harvest.map(HarvestId));
    let filter = Filter { run, harvest, topic: args.list.topic.clone(), ..Filter::default() };
    let nothing = "no form was submitted yet";
    if args.truth {
        let rows = submitted(store.as_ref(), &filter, demo_world)?;
        if !rows.is_empty() && rows.iter().all(|row| row.kind.is_none()) {
            let nobody =
                "nobody knows the truth about these: --truth is for what was submitted on the simulated web";
            return Err(Usage(nobody.into()).into());
        }
        return list::<Submitted>(&args.list, session, nothing, |each| {
            rows.into_iter().all(|row| each(row) == Walk::On);
            Ok(())
        });
    }
    list::<Submission>(&args.list, session, nothing, |each| store.submissions(&filter, each))
}
