//! `hadal lessons`: lists what strategies learned, by iteration.

use super::exit::{Exit, Usage};
use super::list::{ListArgs, list};
use super::session::{Session, known_topic};
use clap::Args;
use hadal::output::lessons::LessonLine;
use hadal::store::{RunId, RunParts, RunQuery};

/// List or export the terms that each learning iteration of a strategy selected
///
/// One row per iteration and position of the terms. Strategies that do not learn have no rows.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal lessons --topic book\n  hadal lessons --run 3 --format csv --output lessons.csv"
)]
pub struct LessonsArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Only this run
    #[arg(long, value_name = "N", conflicts_with = "topic")]
    run: Option<u64>,
}

pub fn run(args: &LessonsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    known_topic(store.as_ref(), &args.list.topic)?;
    let runs = store.runs(&RunQuery {
        run: args.run.map(RunId),
        topic: args.list.topic.clone(),
        parts: RunParts { lessons: usize::MAX, ..RunParts::default() },
        ..RunQuery::default()
    })?;
    if let (Some(id), true) = (args.run, runs.is_empty()) {
        return Err(Usage(format!("unknown run {id}; `hadal runs` lists all runs")).into());
    }
    let nothing = "no lessons; the strategies of these runs do not learn, or have not learned yet";
    let lines = runs
        .iter()
        .flat_map(|run| run.lessons.iter().flat_map(|row| LessonLine::of(run, row.clone())).map(Ok));
    list(&args.list, session, nothing, lines)
}
