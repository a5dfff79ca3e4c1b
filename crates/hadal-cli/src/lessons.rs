//! `hadal lessons`: what the strategies of runs have learned, iteration by iteration.

use super::exit::{Exit, Usage};
use super::list::{ListArgs, list};
use super::session::{Session, known_topic};
use clap::Args;
use hadal::output::lessons::LessonLine;
use hadal::store::{RunRow, Walk};

/// List or export what strategies learned: the terms that each learning iteration selected
///
/// One row per iteration and place where terms stand. Strategies that do not learn leave nothing here.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal lessons --topic book\n  hadal lessons --run 3 --format csv --output lessons.csv"
)]
pub struct LessonsArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Only those of this run
    #[arg(long, value_name = "N", conflicts_with = "topic")]
    run: Option<u64>,
}

/// Lists them, run by run, oldest first.
pub fn run(args: &LessonsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    known_topic(store.as_ref(), &args.list.topic)?;
    let meant = |run: &RunRow| {
        args.run.is_none_or(|id| run.id.0 == id)
            && args.list.topic.as_ref().is_none_or(|topic| run.spec.topic == *topic)
    };
    let runs: Vec<RunRow> = store.runs()?.into_iter().filter(meant).collect();
    if let (Some(id), true) = (args.run, runs.is_empty()) {
        return Err(Usage(format!("there is no run {id}; `hadal runs` lists what there is")).into());
    }
    let nothing = "nothing was learned: the strategies of these runs do not learn, or not yet";
    list::<LessonLine>(&args.list, session, nothing, |each| {
        for run in runs {
            let lines = store.lessons(run.id)?.into_iter().flat_map(|row| LessonLine::of(&run, row));
            if lines.into_iter().any(|line| each(line) == Walk::Stop) {
                break;
            }
        }
        Ok(())
    })
}
