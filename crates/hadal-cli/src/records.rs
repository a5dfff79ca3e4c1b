//! `hadal records`: lists downloaded records.

use super::exit::Exit;
use super::harvested::{HarvestedArgs, some_words};
use super::list::list;
use super::session::Session;
use clap::Args;
use hadal::store::all_records;

/// List or export the records that harvests downloaded
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal records --topic book --format csv --output books.csv
  hadal records --search \"deep sea\" --limit 20")]
pub struct RecordsArgs {
    #[command(flatten)]
    filter: HarvestedArgs,
    /// Only records with all of these words in their title, text or detail page
    #[arg(long, value_name = "WORDS", value_parser = some_words)]
    search: Option<String>,
}

pub fn run(args: &RecordsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let query = args.filter.query(store.as_ref(), args.search.as_ref())?;
    let nothing = "no matching records; harvest a form first or loosen the filters";
    let rows = all_records(store.as_ref(), query);
    list(&args.filter.list, session, nothing, rows)
}
