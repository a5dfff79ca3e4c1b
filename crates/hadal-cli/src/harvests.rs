//! `hadal harvests`: lists harvests with their coverage.

use super::exit::{Exit, Usage};
use super::harvested::HarvestedArgs;
use super::list::list;
use super::quality::demo_world;
use super::session::Session;
use clap::Args;
use hadal::harvest::truth::{HarvestComparison, HarvestTruth};
use hadal::store::{HarvestQuery, HarvestRow, HarvestRowQuery, Store, StoreError};

/// List or export the harvests in the store
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal harvests --topic book --format jsonl
  hadal harvests --truth")]
pub struct HarvestsArgs {
    #[command(flatten)]
    filter: HarvestedArgs,
    /// Compare with ground truth; only for harvests of the simulated web of `hadal demo`
    #[arg(long)]
    truth: bool,
}

pub fn run(args: &HarvestsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let HarvestRowQuery { harvest, form, topic, .. } = args.filter.query(store.as_ref(), None)?;
    let rows = store.harvests(&HarvestQuery { harvest, form, topic, ..HarvestQuery::default() })?;
    if args.truth {
        return list_with_truth(args, session, store.as_ref(), rows);
    }
    list(&args.filter.list, session, NOTHING, rows.into_iter().map(Ok))
}

const NOTHING: &str = "no harvests yet";

fn list_with_truth(
    args: &HarvestsArgs,
    session: &Session,
    store: &dyn Store,
    rows: Vec<HarvestRow>,
) -> anyhow::Result<Exit> {
    let is_simulated = |row: &HarvestRow| demo_world(&row.spec.source).is_some();
    if !rows.is_empty() && !rows.iter().any(is_simulated) {
        return Err(
            Usage("no ground truth; --truth works for harvests of the simulated web only".into()).into()
        );
    }
    let simulated: Vec<HarvestRow> = rows.into_iter().filter(is_simulated).collect();
    list(&args.filter.list, session, NOTHING, compare(store, &simulated)?.into_iter().map(Ok))
}

/// Harvests of the same simulated web are adjacent, so each web is generated once.
fn compare(store: &dyn Store, rows: &[HarvestRow]) -> Result<Vec<HarvestComparison>, StoreError> {
    let mut compared = Vec::new();
    for of_one in rows.chunk_by(|a, b| a.spec.source == b.spec.source) {
        let Some(world) = demo_world(&of_one[0].spec.source) else { continue };
        let truth = HarvestTruth::of(&world, of_one);
        for row in of_one {
            compared.push(truth.compare(store, row.clone())?);
        }
    }
    Ok(compared)
}
