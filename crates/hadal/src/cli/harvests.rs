//! `hadal harvests`: which forms were harvested, how, and how much of what is behind them came up.

use super::exit::Exit;
use super::harvested::HarvestedArgs;
use super::list::list;
use super::session::Session;
use crate::store::{HarvestRow, Walk};
use clap::Args;

/// List or export the harvests in the store
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal harvests --topic book --format jsonl")]
pub struct HarvestsArgs {
    #[command(flatten)]
    wanted: HarvestedArgs,
}

/// Lists them, oldest first.
pub fn run(args: &HarvestsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let filter = args.wanted.filter(store.as_ref(), None)?;
    list::<HarvestRow>(&args.wanted.list, session, "nothing was harvested yet", |each| {
        let mut each = args.wanted.limited(each);
        store.harvests(&filter)?.into_iter().all(|row| each(row) == Walk::On);
        Ok(())
    })
}
