//! `hadal records`: what harvests brought up.

use super::exit::Exit;
use super::harvested::{HarvestedArgs, some_words};
use super::list::list;
use super::session::Session;
use clap::Args;
use hadal::store::RecordRow;

/// List or export the records that harvests brought up
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal records --topic book --format csv --output books.csv
  hadal records --search \"deep sea\" --limit 20")]
pub struct RecordsArgs {
    #[command(flatten)]
    wanted: HarvestedArgs,
    /// Only records with all of these words in their title, text or own page
    #[arg(long, value_name = "WORDS", value_parser = some_words)]
    search: Option<String>,
}

/// Lists them.
pub fn run(args: &RecordsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let filter = args.wanted.filter(store.as_ref(), args.search.as_ref())?;
    let nothing = "no such records: nothing was harvested yet, or the limits are too narrow";
    list::<RecordRow>(&args.wanted.list, session, nothing, |each| {
        store.records(&filter, &mut args.wanted.limited(each))
    })
}
