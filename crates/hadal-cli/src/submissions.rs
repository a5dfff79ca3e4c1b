//! `hadal submissions`: lists the audit log, oldest first.

use super::exit::{Exit, Usage};
use super::list::{ListArgs, list};
use super::quality::demo_world;
use super::session::Session;
use clap::Args;
use hadal::report::submitted::submitted;
use hadal::store::{HarvestId, RunId, SubmissionQuery, all_submissions};

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
    let query =
        SubmissionQuery { run, harvest, topic: args.list.topic.clone(), ..SubmissionQuery::default() };
    let nothing = "no form has been submitted";
    if args.truth {
        let rows = submitted(store.as_ref(), &query, demo_world)?;
        if !rows.is_empty() && rows.iter().all(|row| row.kind.is_none()) {
            let nobody = "no ground truth; --truth works for submissions on the simulated web only";
            return Err(Usage(nobody.into()).into());
        }
        return list(&args.list, session, nothing, rows.into_iter().map(Ok));
    }
    list(&args.list, session, nothing, all_submissions(store.as_ref(), query))
}
