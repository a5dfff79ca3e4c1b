//! `hadal quality`: probes a random sample of the relevant forms and estimates how many search.
//!
//! Runs as a session of the engine on the run that found them, with robots.txt, politeness and audit log. No
//! link is followed. Forms with a known result are not probed again.

use super::crawl::{self, Show};
use super::exit::{Exit, Usage};
use super::network::NetworkArgs;
use super::session::Session;
use super::{find, network};
use anyhow::Context;
use clap::Args;
use hadal::config::{Config, Override};
use hadal::engine::SIMULATED_WINDOW;
use hadal::engine::{Budget, Crawl, CrawlBuilder, CrawlMode, CrawlSummary, Probing};
use hadal::fetch::Fetch;
use hadal::fetch::in_process::InProcess;
use hadal::fetch::network::Network;
use hadal::output::escape::for_json;
use hadal::polite::Clock;
use hadal::report::quality::{Quality, quality};
use hadal::report::values::plural;
use hadal::store::*;
use hadal::topic::ResolvedTopic;
use hadal::topic::resolve::resolve_existing;
use hadal_core::critic::probe::probe_word;
use hadal_core::critic::trained::TrainedCritic;
use hadal_core::strategy::StrategyContext;
use hadal_world::{Spec, World};
use std::io::Write;
use std::sync::Arc;
use tokio::sync::watch;

/// Requests reserved per form: three probe queries and robots.txt of a new host.
pub const REQUESTS_PER_FORM: u64 = 4;

/// Estimate how many of the relevant forms search, by probing a sample
///
/// Draws a random sample (--random-seed changes it), sends at most three requests per form, and prints the share with
/// a 95 % interval. Forms that were probed before are not probed again. Forms that POST, and forms that take
/// orders, passwords or messages, are never submitted.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal quality --topic book --sample 50\n  hadal quality --run 2 --json")]
pub struct QualityArgs {
    /// Use the latest run of this topic that found relevant forms [default: of any topic]
    #[arg(long)]
    topic: Option<String>,
    /// Use this run
    #[arg(long, value_name = "N", conflicts_with = "topic")]
    run: Option<u64>,
    /// Number of forms in the sample
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    #[command(flatten)]
    network: NetworkArgs,
}

impl QualityArgs {
    pub fn overrides(&self) -> Vec<Override> {
        self.network.overrides()
    }
}

pub fn run(args: &QualityArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = open(&session.config.store.url, Access::Crawl)?;
    let run = chosen(store.as_ref(), args)?;
    let sample = args.sample as usize;
    if let Some(warning) = warning(&run.spec, session)? {
        writeln!(std::io::stderr(), "{warning}").ok();
    }
    if !session.is_quiet() && !session.json {
        let (relevant, id, topic) = (run.counters.relevant, run.id.0, &run.spec.topic);
        let forms = plural(relevant.min(sample as u64), "form", "forms");
        writeln!(std::io::stderr(), "probing a sample of {forms} of run {id} ({topic}), {relevant} relevant")
            .ok();
    }
    let budget = run.counters.requests + REQUESTS_PER_FORM * u64::from(args.sample);
    let summary = probe_sample(&store, &run, sample, Some(budget), session)?;
    print_quality(&measured(&store, run.id, sample, session.seed)?, session.json)?;
    Ok(crawl::exit(&summary))
}

fn warning(spec: &RunSpec, session: &Session) -> anyhow::Result<Option<&'static str>> {
    let network = network::options(&session.config)?;
    Ok(network::contact_warning(&spec.seeds, &network).filter(|_| spec.source == "web"))
}

/// Selects the run: the one named, or the latest that found a relevant form.
fn chosen(store: &dyn Store, args: &QualityArgs) -> anyhow::Result<RunRow> {
    super::session::known_topic(store, &args.topic)?;
    let query = RunQuery {
        run: args.run.map(RunId),
        topic: args.topic.clone(),
        order: RowOrder::Newest,
        ..RunQuery::default()
    };
    let mut runs = store.runs(&query)?;
    let at = runs.iter().position(|run| run.counters.relevant > 0).unwrap_or(0);
    let found = (!runs.is_empty()).then(|| runs.swap_remove(at));
    Ok(found.ok_or_else(|| Usage("unknown run; `hadal runs` lists all runs".to_string()))?)
}

/// Probes the forms of the sample that have no result yet. `max_requests` is the request budget of the run.
pub fn probe_sample(
    store: &Arc<dyn Store>,
    run: &RunRow,
    sample: usize,
    max_requests: Option<u64>,
    session: &Session,
) -> anyhow::Result<CrawlSummary> {
    let show = Show { json: session.json, style: session.progress(), max_requests, is_probing: true };
    crawl::run(|stop| setup(store, run, sample, max_requests, session, stop), show, None)
}

/// Estimate from the results so far.
pub fn measured(store: &Arc<dyn Store>, run: RunId, sample: usize, seed: u64) -> anyhow::Result<Quality> {
    let row = store.runs(&RunQuery::one(run))?.pop().context("the run is gone")?;
    Ok(quality(store.as_ref(), &row, sample, seed)?)
}

/// Prints the estimate: an event with `--json`, or else two lines.
pub fn print_quality(found: &Quality, json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    if json {
        let mut event = serde_json::to_value(found)?;
        event["event"] = "quality".into();
        writeln!(out, "{}", for_json(event.to_string()))?;
    } else {
        out.write_all(found.text().as_bytes())?;
    }
    Ok(())
}

fn setup(
    store: &Arc<dyn Store>,
    run: &RunRow,
    sample: usize,
    max_requests: Option<u64>,
    session: &Session,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<Crawl> {
    let config = &session.config;
    let ResolvedTopic { topic, target, .. } = resolve_existing(&run.spec.topic, &config.topics)?;
    let entry =
        crate::extensions().strategies.find(&run.spec.strategy).context("unknown strategy of the run")?;
    let (fetch, clock) = fetcher_for(&run.spec.source, config)?;
    let strategy = entry.make(&StrategyContext::seeded(run.spec.seed));
    let critic = Arc::new(TrainedCritic::new(target));
    Ok(CrawlBuilder::new(Arc::clone(store), run.spec.clone(), strategy, critic, fetch)
        .budget(Budget { requests: max_requests, ..Budget::default() })
        .scope(find::scope(&config.crawl)?)
        .politeness(config.politeness.delays, config.politeness.agent())
        .concurrency(config.crawl.concurrency)
        .body_limit(config.fetch.body_limit)
        .clock(clock, SIMULATED_WINDOW)
        .checkpoint_every(config.store.group_commit)
        .stop(stop)
        .probing(Probing::never(), probe_word(&topic))
        .mode(CrawlMode::Quality { sample, seed: session.seed })
        .build())
}

/// Fetcher for the web that [`RunSpec::source`] names.
pub fn fetcher_for(source: &str, config: &Config) -> anyhow::Result<(Arc<dyn Fetch>, Clock)> {
    if source == find::SOURCE {
        let network = Network::new(network::options(config)?)?;
        return Ok((Arc::new(network), Clock::Real));
    }
    let world = demo_world(source).with_context(|| format!("pages of '{source}' cannot be fetched again"))?;
    Ok((Arc::new(InProcess(Arc::new(world))), Clock::simulated()))
}

/// The simulated web that a source names, if any.
pub fn demo_world(source: &str) -> Option<World> {
    let seed = source.strip_prefix("demo world ")?.parse().ok()?;
    Some(World::new(Spec::demo(seed)))
}
