//! Downloads a simulated database through its search form and compares the estimate with the truth:
//! `cargo run --release --example harvest_simulated`.

use hadal::fetch::in_process::InProcess;
use hadal::harvest::open_form::{SearchLocation, form_at_url};
use hadal::harvest::{HarvestJob, HarvestPlan, harvest};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::store::{Access, open};
use hadal_core::harvest::policy::find_policy;
use hadal_core::harvest::session::{DetailMode, HarvestOptions};
use hadal_world::database::{CollectionSpec, Database, DatabaseConfig, DatabaseHosts};
use hadal_world::{Spec, World};
use std::sync::Arc;
use tokio::sync::watch;
use url::Url;

const RECORDS: u32 = 600;

/// A simulated web with one database of our own at `http://museum.example/`.
fn world() -> World {
    let collection = CollectionSpec { records: RECORDS, seed: 5, ..CollectionSpec::default() }.generate();
    let mut hosts = DatabaseHosts::default();
    hosts.add("museum", Database::new(Arc::new(collection), DatabaseConfig::default()));
    World::new(Spec::tiny(1)).with_databases(hosts)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let fetch = Arc::new(InProcess(Arc::new(world())));
    let options = ClientOptions::new(Politeness::default(), "example", 4 << 20);
    let client = PoliteClient::new(fetch, options, watch::channel(false).1);

    let home = Url::parse("http://museum.example/")?;
    let mut clock = Clock::simulated();
    let form = form_at_url(&SearchLocation::at(&home, "simulated"), &client, &mut clock).await?;
    let policy = find_policy("hadal").expect("a built-in policy");
    let targets = HarvestOptions { coverage: 0.95, records: None, details: DetailMode::Never, seed: 1 };
    let jobs = vec![HarvestJob::new(form, &policy, targets)];

    let store = open("memory:", Access::Crawl)?;
    let plan = HarvestPlan { max_requests: Some(1_000), clock, ..HarvestPlan::new(store, client, jobs) };
    for summary in harvest(plan, &mut |_| {}).await? {
        let counters = summary.counters;
        println!("{} of {RECORDS} records after {} requests", counters.records, counters.requests);
        println!("estimate: {:?}, ending: {:?}", summary.estimate, summary.ending);
    }
    Ok(())
}
