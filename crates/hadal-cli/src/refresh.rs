//! `hadal refresh`: checks forms again and updates the records behind them.

use super::args::probability;
use super::crawl::stop_on_signals;
use super::exit::{Exit, Usage, is_usage};
use super::harvested::find_form;
use super::network::NetworkArgs;
use super::network::archived;
use super::session::{Session, known_topic};
use super::{network, quality};
use anyhow::Context;
use clap::Args;
use hadal::config::Override;
use hadal::config::units::duration;
use hadal::harvest::refresh::{CheckedForm, RefreshEvent, RefreshPlan, RefreshSummary, refresh};
use hadal::output::escape::for_json;
use hadal::polite::PoliteClient;
use hadal::report::values::plural;
use hadal::store::*;
use hadal_core::address::Site;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use url::Url;

/// Check whether forms are alive and update the records of their harvests
///
/// Sends again the queries of earlier harvests that probably return the most changes per request, and
/// compares the answers with the store. Rates of change are learned per form and per query. New, changed and
/// removed records get dates: `hadal records --since 7d` lists them. A refresh that was interrupted
/// continues. On the simulated web a refresh takes place a simulated day after the last request.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal refresh
  hadal refresh --topic book --max-requests 500
  hadal refresh 00c5e1f2a9b84d37 --json
  hadal refresh --every 1d")]
pub struct RefreshArgs {
    /// Forms to refresh: form_ids or their first digits [default: all harvested forms]
    #[arg(value_name = "FORM", conflicts_with = "topic")]
    targets: Vec<String>,
    /// Only forms found for this topic
    #[arg(long, help_heading = "Forms", value_name = "NAME")]
    topic: Option<String>,
    /// Forms without a harvest whose pages are fetched again, those with the oldest check first
    #[arg(long, help_heading = "Forms", value_name = "N", default_value_t = 100)]
    checks: usize,
    /// Minimum relevance of these forms, from 0 to 1
    #[arg(long, help_heading = "Forms", value_name = "P", value_parser = probability, default_value = "0.5")]
    min_relevance: f32,
    /// Request budget of this refresh [default: a quarter of the requests that all queries took last]
    #[arg(long, help_heading = "Limits", value_name = "N")]
    max_requests: Option<u64>,
    /// Refresh again at this interval, as 1d or 12h, until Ctrl-C
    #[arg(long, help_heading = "Limits", value_name = "TIME", value_parser = interval)]
    every: Option<Duration>,
    /// Folder for a WARC file with every request and response
    #[arg(long, value_name = "DIR")]
    warc: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkArgs,
}

/// Least interval of `--every`. Guess: more often is a load on the sites rather than a refresh.
const MIN_INTERVAL: Duration = Duration::from_secs(60);

fn interval(text: &str) -> Result<Duration, String> {
    let parsed = duration(text).filter(|time| *time >= MIN_INTERVAL);
    parsed.ok_or_else(|| "expected a time of at least a minute, as 1d, 12h or 30m".to_string())
}

impl RefreshArgs {
    pub fn overrides(&self) -> Vec<Override> {
        self.network.overrides()
    }
}

pub fn run(args: &RefreshArgs, session: &Session) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let ended = runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(stop_on_signals(stop));
        loop {
            let began = Instant::now();
            let refreshed = refresh_once(args, session, &stopped).await;
            let Some(every) = args.every.filter(|_| !matches!(refreshed, Ok(true))) else {
                return refreshed.map(|is_stopped| if is_stopped { Exit::Interrupted } else { Exit::Done });
            };
            let wait = every.saturating_sub(began.elapsed());
            if let Err(error) = refreshed {
                if is_lasting(&error) {
                    return Err(error);
                }
                let next = format!("the next refresh begins in {} s", wait.as_secs());
                writeln!(std::io::stderr(), "error: {error:#}; {next}").ok();
            }
            let mut stop = stopped.clone();
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return Ok(Exit::Interrupted),
                () = tokio::time::sleep(wait) => {}
            }
        }
    });
    runtime.shutdown_background();
    ended
}

/// True for errors that the next refresh would have, too: those that the user can correct, and a missing store.
fn is_lasting(error: &anyhow::Error) -> bool {
    is_usage(error) || matches!(error.downcast_ref(), Some(StoreError::Missing(_)))
}

/// One refresh of everything selected, one web after the other. Returns true if it was stopped. The store is closed
/// between two refreshes, so that other commands can use it.
async fn refresh_once(
    args: &RefreshArgs,
    session: &Session,
    stopped: &watch::Receiver<bool>,
) -> anyhow::Result<bool> {
    // A store is created only by commands that fill it.
    drop(session.reader()?);
    let store = open(&session.config.store.url, Access::Crawl)?;
    let harvests = harvests(args, store.as_ref())?;
    let forms = unharvested(args, store.as_ref(), &harvests)?;
    if harvests.is_empty() && forms.is_empty() {
        return Err(Usage("nothing to refresh: no form was harvested or found relevant".into()).into());
    }
    let sources: BTreeSet<String> = harvests
        .iter()
        .map(|row| row.spec.source.clone())
        .chain(forms.iter().map(|(s, _)| s.clone()))
        .collect();
    for source in sources {
        let of_source = |row: &&HarvestRow| row.spec.source == source;
        let plan = RefreshPlan {
            harvests: harvests.iter().filter(of_source).cloned().collect(),
            forms: forms.iter().filter(|(of, _)| *of == source).map(|(_, form)| form.clone()).collect(),
            max_requests: args.max_requests,
            ..plan(&source, args, session, &store, stopped)?
        };
        let harvested = plan.harvests.iter().map(|row| row.spec.page.clone());
        let pages: Vec<Url> = harvested.chain(plan.forms.iter().map(|form| form.page.clone())).collect();
        let warning = network::contact_warning(&pages, &network::options(&session.config)?);
        if let Some(warning) = warning.filter(|_| source == super::find::SOURCE) {
            writeln!(std::io::stderr(), "{warning}").ok();
        }
        if run_plan(plan, session).await?.is_stopped {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Plan without forms for the web that a source names.
fn plan(
    source: &str,
    args: &RefreshArgs,
    session: &Session,
    store: &Arc<dyn Store>,
    stopped: &watch::Receiver<bool>,
) -> anyhow::Result<RefreshPlan> {
    let (fetch, clock) = quality::fetcher_for(source, &session.config)?;
    let fetch = archived(fetch, args.warc.as_deref())?;
    let client = PoliteClient::new(fetch, network::client_options(&session.config), stopped.clone());
    let (harvests, forms, store) = (Vec::new(), Vec::new(), Arc::clone(store));
    Ok(RefreshPlan { store, client, forms, harvests, max_requests: None, clock })
}

/// Harvests to update: those of the named forms or the topic, or all.
fn harvests(args: &RefreshArgs, store: &dyn Store) -> anyhow::Result<Vec<HarvestRow>> {
    known_topic(store, &args.topic)?;
    let query = HarvestQuery { topic: args.topic.clone(), ..HarvestQuery::default() };
    let mut rows = store.harvests(&query)?;
    rows.retain(|row| row.counters.records > 0);
    if args.targets.is_empty() {
        return Ok(rows);
    }
    let wanted =
        args.targets.iter().map(|text| find_form(store, text)).collect::<anyhow::Result<Vec<_>>>()?;
    rows.retain(|row| wanted.contains(&row.spec.form));
    if let Some(missing) = wanted.iter().find(|form| !rows.iter().any(|row| row.spec.form == **form)) {
        let hint = "`hadal harvests` lists the harvested forms";
        return Err(Usage(format!("form {missing} has no harvested records; {hint}")).into());
    }
    Ok(rows)
}

/// Relevant forms without a harvest, with the webs that they are on, the oldest check first.
fn unharvested(
    args: &RefreshArgs,
    store: &dyn Store,
    harvests: &[HarvestRow],
) -> anyhow::Result<Vec<(String, CheckedForm)>> {
    if !args.targets.is_empty() || args.checks == 0 {
        return Ok(Vec::new());
    }
    let query = FormQuery {
        topic: args.topic.clone(),
        min_relevance: args.min_relevance,
        labels: LabelFilter::Accepted,
        ..FormQuery::default()
    };
    let runs = store.runs(&RunQuery::default())?;
    let (mut known, mut found) = (BTreeSet::new(), Vec::new());
    for entry in all_forms(store, query) {
        let FormEntry { run, row, .. } = entry?;
        let is_harvested = harvests.iter().any(|harvest| harvest.spec.form == row.form_id);
        let source = runs.iter().find(|known| known.id == run).map(|run| run.spec.source.clone());
        if let (Some(source), false, true) = (source, is_harvested, known.insert(row.form_id)) {
            let FormRow { form_id: form, page_url: page, source: markup, check: earlier, .. } = row;
            found.push((source, CheckedForm { form, page, source: markup, earlier }));
        }
    }
    found.sort_by_key(|(_, form)| form.earlier.as_ref().map(|check| check.at));
    found.truncate(args.checks);
    Ok(found)
}

async fn run_plan(plan: RefreshPlan, session: &Session) -> anyhow::Result<RefreshSummary> {
    let (quiet, json) = (session.is_quiet(), session.json);
    let summary = refresh(plan, &mut |event| {
        if json && let Ok(line) = serde_json::to_string(&event) {
            writeln!(std::io::stdout(), "{}", for_json(line)).ok();
        }
        if let (RefreshEvent::Refreshed(done), false) = (&event, quiet || json) {
            let state = done.form_state.map_or("not checked", FormState::name);
            let counters = done.counters;
            let line = format!(
                "harvest {} {}: form {state}, {}: {} new, {} changed, {} removed",
                done.harvest,
                Site::of(&done.page_url),
                plural(counters.requests, "request", "requests"),
                counters.new,
                counters.changed,
                counters.removed
            );
            writeln!(std::io::stderr(), "{line}").ok();
        }
    })
    .await?;
    if !json {
        writeln!(std::io::stdout(), "{}", summary_line(&summary))?;
    }
    Ok(summary)
}

/// Counts of a refresh: forms by state, records by change.
fn summary_line(summary: &RefreshSummary) -> String {
    let states =
        [FormState::Alive, FormState::Moved, FormState::Changed, FormState::Gone, FormState::Unreachable];
    let count = |state: FormState| summary.checks.iter().filter(|check| check.state == state).count();
    let forms: Vec<String> = states
        .into_iter()
        .filter(|state| count(*state) > 0)
        .map(|state| format!("{} {}", count(state), state.name()))
        .collect();
    let sum = |value: fn(&RefreshCounters) -> u64| -> u64 {
        summary.harvests.iter().map(|done| value(&done.counters)).sum()
    };
    let forms = if forms.is_empty() { "none checked".to_string() } else { forms.join(", ") };
    let ending =
        if summary.is_stopped { "stopped, everything is saved; the same command resumes\n" } else { "" };
    format!(
        "{ending}forms: {forms}\nrecords: {} new, {} changed, {} removed, with {}",
        sum(|counters| counters.new),
        sum(|counters| counters.changed),
        sum(|counters| counters.removed),
        plural(sum(|counters| counters.requests), "request", "requests")
    )
}
