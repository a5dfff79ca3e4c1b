//! `hadal demo`: find and harvest on the built-in simulated web, without network.

use super::crawl::{self, Show};
use super::dashboard::{DEFAULT_ADDRESS, DashboardArgs};
use super::demo_harvest;
use super::exit::{Exit, Usage};
use super::session::Session;
use anyhow::Context;
use clap::Args;
use hadal::backlinks::WorldBacklinks;
use hadal::choice::nearest;
use hadal::engine::SIMULATED_WINDOW;
use hadal::engine::{Budget, Crawl, CrawlBuilder, Probing};
use hadal::fetch::in_process::InProcess;
use hadal::output::demo::{DemoRow, DemoTruth, next_steps, render};
use hadal::output::progress::print_above_bars;
use hadal::polite::Clock;
use hadal::store::*;
use hadal::topic::ResolvedTopic;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::probe::probe_word;
use hadal_core::critic::trained::TrainedCritic;
use hadal_core::identity::FormId;
use hadal_core::strategy::StrategyContext;
use hadal_world::{Spec, TrueForm, World};
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use tokio::sync::watch;

/// Find search forms on a simulated web and download the records behind them
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal demo --topic book")]
pub struct DemoArgs {
    /// Topic, one of the twelve built-in ones
    #[arg(long, default_value = "hotel")]
    topic: String,
    /// Crawling strategy, by name
    #[arg(long, value_name = "NAME", default_value = "hadal")]
    strategy: String,
    /// Request budget for finding
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    max_requests: u64,
    /// Number of forms to harvest, best first
    #[arg(long, value_name = "N", default_value_t = 5)]
    harvest: usize,
    /// Concurrent requests; does not change the result on the simulated clock
    #[arg(long, value_name = "N", default_value_t = 8)]
    concurrency: usize,
    /// Discard the results of this demo and start over
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    dashboard: DashboardArgs,
}

/// Runs the demo beside its dashboard. In a terminal the dashboard stays open until Ctrl-C.
pub fn run(args: &DemoArgs, session: &Session) -> anyhow::Result<Exit> {
    let dashboard = args.dashboard.open(Some(DEFAULT_ADDRESS), &session.config, session.is_quiet())?;
    let store = open(&session.config.store.url, Access::Crawl)?;
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let dashboard = dashboard.map(|dashboard| runtime.block_on(dashboard.open(&store))).transpose()?;
    let exit = find_and_harvest(args, &store, session)?;
    if let (Exit::Done, Some(dashboard), true) = (exit, &dashboard, session.is_interactive()) {
        let url = &dashboard.url;
        let again = "`hadal serve` opens it again later";
        print_above_bars(&format!("\nthe dashboard {url} stays open until you press Ctrl-C; {again}"));
        runtime.block_on(crawl::interrupted());
    }
    drop(dashboard);
    runtime.shutdown_background();
    Ok(exit)
}

/// Runs the demo. An interrupted demo resumes; a finished one is shown again.
fn find_and_harvest(args: &DemoArgs, store: &Arc<dyn Store>, session: &Session) -> anyhow::Result<Exit> {
    let resolved = super::session::resolve_topic(check_topic(&args.topic)?, session)?;
    let topic = resolved.topic.name.clone();
    let world = Arc::new(World::new(Spec::demo(session.seed)));
    let mut out = std::io::stderr();
    writeln!(
        out,
        "simulated web of {} sites and {} pages; finding {} search forms with {} requests",
        world.site_count(),
        world.page_count(),
        topic,
        args.max_requests
    )
    .ok();
    let show = Show {
        json: session.json,
        style: session.progress(),
        max_requests: Some(args.max_requests),
        is_probing: false,
    };
    let crawled = {
        let (world, store) = (Arc::clone(&world), Arc::clone(store));
        let probing = session.config.probe.clone();
        crawl::run(move |stop| setup(args, session.seed, resolved, world, store, probing, stop), show, None)?
    };
    if crawled.state == RunState::Stopped {
        return Ok(crawl::exit(&crawled));
    }
    let screen = if session.json { session.stderr() } else { session.stdout() };
    let found = compare(store.as_ref(), crawled.run, &topic, &world)?;
    let existing = distinct(world.relevant(&topic)).len();
    print_text(&render(&topic, &found, existing, screen), session)?;
    let exit = demo_harvest::run(args.harvest, args.fresh, &topic, &world, store, session)?;
    print_text(&next_steps(&next(&hadal::store::shown_url(&session.config.store.url))), session)?;
    Ok(exit)
}

/// Prints text for people: to standard output, or to standard error if events use standard output.
pub(super) fn print_text(text: &str, session: &Session) -> std::io::Result<()> {
    if session.json { write!(std::io::stderr(), "{text}") } else { write!(std::io::stdout(), "{text}") }
}

fn next(store: &str) -> Vec<String> {
    let option = if store == "file:./hadal-data" { String::new() } else { format!(" --store {store}") };
    let steps = [
        (format!("hadal forms{option}"), "the forms found; --format jsonl, csv or parquet exports them"),
        (format!("hadal records{option}"), "the harvested records"),
        (format!("hadal serve{option}"), "forms, crawls and records in the browser"),
        (format!("hadal demo --topic auto{option}"), "a demo of another topic"),
        ("hadal find book --seeds FILE".to_string(), "the real web"),
    ];
    let widest = steps.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    steps.iter().map(|(command, about)| format!("{command:<widest$}   {about}")).collect()
}

/// Checks that the simulated web has the topic.
fn check_topic(name: &str) -> Result<&'static str, Usage> {
    let topics = World::topics();
    if let Some(topic) = topics.iter().find(|known| **known == name) {
        return Ok(topic);
    }
    let meant = nearest(name, topics.iter().copied()).map(|meant| format!("; did you mean '{meant}'?"));
    Err(Usage(format!(
        "unknown topic '{name}'{} (the simulated web has {})",
        meant.unwrap_or_default(),
        topics.join(", ")
    )))
}

fn setup(
    args: &DemoArgs,
    seed: u64,
    resolved: ResolvedTopic,
    world: Arc<World>,
    store: Arc<dyn Store>,
    probing: Probing,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<Crawl> {
    let Some(entry) = crate::extensions().strategies.find(&args.strategy) else {
        let names: Vec<_> = crate::extensions().strategies.iter().map(|entry| entry.name).collect();
        return Err(
            Usage(format!("unknown strategy '{}' (available: {})", args.strategy, names.join(", "))).into()
        );
    };
    let ResolvedTopic { topic, target, .. } = resolved;
    let spec = RunSpec {
        topic: topic.name.clone(),
        strategy: args.strategy.clone(),
        seeds: world.seeds(&topic.name),
        seed,
        source: format!("demo world {seed}"),
    };
    match args.fresh {
        true => crawl::announce_fresh(store.as_ref(), &spec)?,
        false => announce_complete(store.as_ref(), &spec, args.max_requests)?,
    }
    let (seeds, examples) = (spec.seeds.clone(), world.examples(&topic.name));
    let context = StrategyContext { seed, seeds, examples, backlinks: true };
    let critic = Arc::new(TrainedCritic::new(target));
    let backlinks = Arc::new(WorldBacklinks(Arc::clone(&world)));
    let fetch = Arc::new(InProcess(world));
    Ok(CrawlBuilder::new(store, spec, entry.make(&context), critic, fetch)
        .backlinks(Some(backlinks))
        .budget(Budget { requests: Some(args.max_requests), ..Budget::default() })
        .concurrency(args.concurrency)
        .clock(Clock::simulated(), SIMULATED_WINDOW)
        .stop(stop)
        .fresh(args.fresh)
        .probing(probing, probe_word(&topic))
        .build())
}

/// Reports an earlier run of this demo that has nothing left to do.
fn announce_complete(store: &dyn Store, spec: &RunSpec, max_requests: u64) -> Result<(), StoreError> {
    let is_complete = |run: &RunRow| {
        let is_spent = run.progress.state == RunState::Budget && run.counters.requests >= max_requests;
        run.spec == *spec && (is_spent || run.progress.state == RunState::Exhausted)
    };
    if let Some(run) = store.runs(&RunQuery::default())?.iter().find(|run| is_complete(run)) {
        let id = run.id.0;
        print_above_bars(&format!("run {id} of this demo is complete; --fresh discards it and starts over"));
    }
    Ok(())
}

/// Relevant forms of a run with their ground truth.
fn compare(store: &dyn Store, run: RunId, topic: &str, world: &World) -> anyhow::Result<Vec<DemoRow>> {
    let query = FormQuery { run: Some(run), min_relevance: MIN_ACCEPTED_P, ..FormQuery::default() };
    let found = all_forms(store, query).map(|entry| entry.map(|entry| entry.row));
    let found = found.collect::<Result<Vec<FormRow>, _>>()?;
    let truth = distinct(world.truth());
    let row = |form: FormRow| DemoRow {
        truth: verdict(truth.get(&form.form_id), topic),
        form: form.form_id,
        site: form.site,
        fields: form
            .fields
            .into_iter()
            .filter(|field| field.kind != "hidden")
            .map(|field| field.name)
            .collect(),
        p: form.p_relevant,
    };
    Ok(found.into_iter().map(row).collect())
}

fn distinct(forms: impl Iterator<Item = TrueForm>) -> HashMap<FormId, TrueForm> {
    forms.map(|form| (form.form_id, form)).collect()
}

fn verdict(form: Option<&TrueForm>, topic: &str) -> DemoTruth {
    match form {
        Some(form) if form.is_relevant(topic) => DemoTruth::Right,
        Some(form) => DemoTruth::Wrong(format!("{} {}", form.topic.unwrap_or("general"), form.kind.name())),
        None => DemoTruth::Wrong("a form on a result page".into()),
    }
}
