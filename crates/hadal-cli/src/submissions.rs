//! `hadal submissions`: lists the audit log, oldest first.

use super::exit::{Exit, Usage};
use super::list::{ListArgs, list};
use super::quality::demo_world;
use super::session::Session;
use clap::Args;
use hadal::report::submitted::{Submitted, submitted};
use hadal::store::{Filter, HarvestId, RunId, Submission, Walk};

/// List or export all form submissions
///
/// Each submission is logged before it is sent. The log is never deleted, not even by --fresh.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal submissions --format csv --output submissions.csv
  hadal submissions --truth")]
pub struct SubmissionsArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Only this run
    #[arg(long, value_name = "N")]
    run: Option<u64>,
    /// Only this harvest
    #[arg(long, value_name = "N", conflicts_with = "run")]
    harvest: Option<u64>,
    /// Count submissions by the true kind of form; only for the simulated web of `hadal demo`
    #[arg(long)]
    truth: bool,
}

/// Lists submissions. A topic may have some although its runs and harvests were discarded.
pub fn run(args: &SubmissionsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let (run, harvest) = (args.run.map(RunId), args.harvest.map(HarvestId));
    let filter = Filter { run, harvest, topic: args.list.topic.clone(), ..Filter::default() };
    let nothing = "no form has been submitted";
    if args.truth {
        let rows = submitted(store.as_ref(), &filter, demo_world)?;
        if !rows.is_empty() && rows.iter().all(|row| row.kind.is_none()) {
            let nobody = "no ground truth; --truth works for submissions on the simulated web only";
            return Err(Usage(nobody.into()).into());
        }
        return list::<Submitted>(&args.list, session, nothing, |each| {
            rows.into_iter().all(|row| each(row) == Walk::On);
            Ok(())
        });
    }
    list::<Submission>(&args.list, session, nothing, |each| store.submissions(&filter, each))
}
