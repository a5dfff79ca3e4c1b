//! Second part of `hadal demo`: harvests the best forms and compares the records with ground truth.

use super::crawl::stop_on_signals;
use super::demo::print_text;
use super::exit::Exit;
use super::harvest_run::{harvest_job, harvest_plan, run_plan};
use super::network;
use super::session::Session;
use anyhow::Context;
use hadal::fetch::in_process::InProcess;
use hadal::harvest::HarvestSummary;
use hadal::harvest::open_form::{self, PostForms};
use hadal::harvest::truth::{HarvestComparison, HarvestTruth};
use hadal::output::demo::render_harvests;
use hadal::polite::{Clock, PoliteClient};
use hadal::store::{HarvestId, HarvestQuery, HarvestRow, HarvestState, Store, StoreError};
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_world::World;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::watch;

/// Harvests the best forms of a topic and prints the comparison.
pub fn run(
    most: usize,
    fresh: bool,
    topic: &str,
    world: &Arc<World>,
    store: &Arc<dyn Store>,
    session: &Session,
) -> anyhow::Result<Exit> {
    let forms = if most == 0 {
        Vec::new()
    } else {
        open_form::best_forms(store.as_ref(), topic, MIN_ACCEPTED_P, most, PostForms::Sure)?
    };
    if forms.is_empty() {
        return Ok(Exit::Done);
    }
    let jobs = forms
        .into_iter()
        .map(|form| harvest_job(form, &[], fresh, session))
        .collect::<anyhow::Result<_>>()?;
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let ended = runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(stop_on_signals(stop));
        let fetch = Arc::new(InProcess(Arc::clone(world)));
        let client = PoliteClient::new(fetch, network::client_options(&session.config), stopped);
        run_plan(harvest_plan(jobs, client, Clock::simulated(), Arc::clone(store), session), session).await
    });
    runtime.shutdown_background();
    let ended = ended?;
    let compared = compare_with_truth(&ended, world, store.as_ref())?;
    let screen = if session.json { session.stderr() } else { session.stdout() };
    print_text(&render_harvests(&compared, screen), session)?;
    let is_stopped = ended.iter().any(|summary| summary.state == HarvestState::Stopped);
    Ok(if is_stopped { Exit::Interrupted } else { Exit::Done })
}

fn compare_with_truth(
    ended: &[HarvestSummary],
    world: &World,
    store: &dyn Store,
) -> Result<Vec<HarvestComparison>, StoreError> {
    let ids: BTreeSet<HarvestId> = ended.iter().map(|summary| summary.id).collect();
    let rows = store.harvests(&HarvestQuery::default())?;
    let rows: Vec<HarvestRow> = rows.into_iter().filter(|row| ids.contains(&row.id)).collect();
    let truth = HarvestTruth::of(world, &rows);
    rows.into_iter().map(|row| truth.compare(store, row)).collect()
}
