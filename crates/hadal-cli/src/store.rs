//! `hadal store`: work on whole stores.

use super::exit::Exit;
use super::session::Session;
use clap::{Args, Subcommand};
use hadal::report::values::plural;
use hadal::store::{CopyProgress, copy, shown_url};
use std::io::Write;
use std::time::{Duration, Instant};

/// Copy a store from a folder to PostgreSQL or back
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal store copy file:./hadal-data postgres://hadal@localhost/hadal\n  hadal store copy postgres://hadal@localhost/hadal file:./copy"
)]
pub struct StoreArgs {
    #[command(subcommand)]
    action: StoreAction,
}

#[derive(Debug, Subcommand)]
enum StoreAction {
    /// Copy everything in a store into an empty one
    #[command(after_help = "Example:\n  hadal store copy file:./hadal-data postgres://hadal@localhost/hadal")]
    Copy {
        /// Store to read; no process may crawl or harvest in it
        from: String,
        /// Store to write; it must be empty or not exist
        to: String,
    },
}

/// Time between two lines of progress. Guess.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

pub fn run(args: &StoreArgs, session: &Session) -> anyhow::Result<Exit> {
    let StoreAction::Copy { from, to } = &args.action;
    let (began, mut last) = (Instant::now(), Instant::now());
    let rows = copy(from, to, &mut |progress: CopyProgress| {
        if !session.is_quiet() && last.elapsed() >= PROGRESS_INTERVAL {
            last = Instant::now();
            writeln!(std::io::stderr(), "{}: {} rows", progress.table, progress.rows).ok();
        }
    })?;
    let seconds = began.elapsed().as_secs_f64();
    if session.json {
        let line = serde_json::json!({"event": "copied", "from": shown_url(from), "to": shown_url(to), "rows": rows});
        writeln!(std::io::stdout(), "{line}")?;
    } else {
        let rows = plural(rows, "row", "rows");
        writeln!(std::io::stdout(), "copied {rows} to {} in {seconds:.1} s", shown_url(to))?;
    }
    Ok(Exit::Done)
}
