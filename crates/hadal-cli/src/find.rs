//! `hadal find`: locates the search forms of a topic, starting from seeds.
//!
//! [`FindArgs`] holds raw arguments, [`FindPlan`] checked ones.

use super::args::choices;
use super::crawl::Show;
use super::dashboard::{Dashboard, DashboardArgs};
use super::exit::{Exit, Usage};
use super::network::archived;
use super::network::{NetworkArgs, given, once};
use super::session::Session;
use super::{backlinks, crawl, network, prior, quality, seeds};
use anyhow::Context;
use clap::Args;
use hadal::backlinks::Source;
use hadal::config::{self, Override, Prior};
use hadal::engine::{
    Budget, Crawl, CrawlBuilder, CrawlSummary, Probing, RenderTotals, RenderingVisit, Scope,
};
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::output::progress::DisplayStyle;
use hadal::polite::{ClientOptions, PoliteClient, Politeness};
use hadal::render::{RenderMode, Renderer};
use hadal::report::seeds::{FailedSeed, failed_seeds};
use hadal::report::values::plural;
use hadal::store::{Access, RunQuery, RunSpec, RunState, Store};
use hadal::topic::ResolvedTopic;
use hadal_core::critic::probe::probe_word;
use hadal_core::critic::trained::TrainedCritic;
use hadal_core::strategy::StrategyContext;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;
use url::Url;

/// Locate search forms of a topic, starting from seeds
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:
  hadal find book --seeds seeds.txt --max-requests 5000 --contact you@example.org
  hadal find \"used books\" --seeds http://books.example/ --seeds more.txt
  hadal find book --seeds seeds.txt --probe never
  hadal find book --seeds seeds.txt --quality 50
  hadal find book --seeds seeds.txt --backlinks own,searxng:https://search.example.org")]
pub struct FindArgs {
    /// Topic: a name (`hadal topics list`), a .toml file, or words in quotes
    topic: String,
    /// Start URLs, files with one URL per line, or - for standard input [default: the topic's own seeds]
    #[arg(long, num_args = 1.., value_name = "FILE|URL")]
    seeds: Vec<String>,
    /// Discard the results of this run and start over; the log of submissions is kept
    #[arg(long)]
    fresh: bool,
    /// Crawling strategy [default: hadal]
    #[arg(long, help_heading = "Order of the crawl", value_name = "NAME", long_help = strategies())]
    strategy: Option<String>,
    /// Sources of backlinks, for strategies that use them [default: own]
    #[arg(long, help_heading = "Order of the crawl", value_name = "SOURCE[,SOURCE]", long_help = backlinks::help())]
    backlinks: Option<String>,
    /// Pages known to hold forms of the topic, for strategies that train before they crawl: URLs, or files with
    /// one URL per line [default: the topic's own examples]
    #[arg(long, help_heading = "Order of the crawl", num_args = 1.., value_name = "FILE|URL")]
    examples: Vec<String>,
    /// Earlier run whose model a new run starts with: a run number, auto or none [default: auto]
    #[arg(long, help_heading = "Order of the crawl", value_name = "RUN", long_help = prior::help())]
    prior: Option<String>,
    /// Request budget of the run; none removes the limit
    #[arg(long, help_heading = "Limits", value_name = "N")]
    max_requests: Option<String>,
    /// Byte budget of the run, as 500MB
    #[arg(long, help_heading = "Limits", value_name = "SIZE")]
    max_bytes: Option<String>,
    /// Time budget of the run, as 2h
    #[arg(long, help_heading = "Limits", value_name = "TIME")]
    max_time: Option<String>,
    /// Maximum number of requests in flight at the same time
    #[arg(long, help_heading = "Limits", value_name = "N")]
    concurrency: Option<String>,
    /// Visit only URLs that match the pattern (repeatable)
    #[arg(long, help_heading = "Scope", value_name = "PATTERN")]
    include: Vec<String>,
    /// Never visit URLs that match the pattern (repeatable)
    #[arg(long, help_heading = "Scope", value_name = "PATTERN")]
    exclude: Vec<String>,
    /// File with one host per line; these hosts are never visited
    #[arg(long, help_heading = "Scope", value_name = "FILE")]
    block_hosts: Option<String>,
    /// Maximum number of clicks from a seed
    #[arg(long, help_heading = "Scope", value_name = "N")]
    max_depth: Option<String>,
    /// Maximum number of pages per site
    #[arg(long, help_heading = "Scope", value_name = "N")]
    max_pages_per_site: Option<String>,
    #[command(flatten)]
    dashboard: DashboardArgs,
    /// Submit a test query to forms that may or may not be searches: never or uncertain
    #[arg(long, help_heading = "Form submissions", value_name = "WHEN", long_help = PROBE)]
    probe: Option<String>,
    /// At the end, probe this many relevant forms and estimate their quality; the requests are reserved from
    /// --max-requests
    #[arg(long, help_heading = "Form submissions", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    quality: Option<u32>,
    /// Folder for a WARC file with every request and response
    #[arg(long, value_name = "DIR")]
    warc: Option<PathBuf>,
    #[arg(long, value_name = "WHEN", help = RENDER)]
    render: Option<String>,
    #[command(flatten)]
    network: NetworkArgs,
}

const PROBE: &str = "Submit a test query to forms that may or may not be searches [default: uncertain]:
  never      no form is submitted, except those of the sample of --quality
  uncertain  uncertain forms get a word of the topic and a nonsense word, at most three requests
             each and a twentieth of all requests (probe.share); never a form that takes a
             password, a message or an order. `hadal submissions` lists each submission";

const RENDER: &str = "Open pages in a browser: never, always, or auto [default: never]; auto opens pages that suggest a search by script, if a browser is installed, and types a test query into their search box";

/// Strategies with their use, for the help text.
fn strategies() -> String {
    let entries: Vec<(&str, &str)> =
        crate::extensions().strategies.iter().map(|entry| (entry.name, entry.about)).collect();
    format!("Crawling strategy [default: hadal]:{}", choices(&entries))
}

impl FindArgs {
    /// The same crawl of these pages only.
    pub fn of_pages(mut self, pages: &[String]) -> FindArgs {
        self.seeds.extend_from_slice(pages);
        FindArgs { max_depth: Some("0".to_string()), ..self }
    }

    pub fn overrides(&self) -> Vec<Override> {
        let own = given([
            ("crawl.strategy", "--strategy", once(&self.strategy)),
            ("crawl.backlinks", "--backlinks", once(&self.backlinks)),
            ("crawl.prior", "--prior", once(&self.prior)),
            ("crawl.max_requests", "--max-requests", once(&self.max_requests)),
            ("crawl.max_bytes", "--max-bytes", once(&self.max_bytes)),
            ("crawl.max_time", "--max-time", once(&self.max_time)),
            ("crawl.concurrency", "--concurrency", once(&self.concurrency)),
            ("crawl.max_depth", "--max-depth", once(&self.max_depth)),
            ("crawl.max_pages_per_site", "--max-pages-per-site", once(&self.max_pages_per_site)),
            ("crawl.include", "--include", self.include.clone()),
            ("crawl.exclude", "--exclude", self.exclude.clone()),
            ("crawl.block_hosts", "--block-hosts", once(&self.block_hosts)),
            ("probe.when", "--probe", once(&self.probe)),
            ("render.crawls", "--render", once(&self.render)),
        ]);
        [own, self.network.overrides()].concat()
    }
}

/// Value of [`RunSpec::source`] for pages of the real web.
pub const SOURCE: &str = "web";

/// A crawl with all settings checked.
#[derive(Clone, Debug)]
pub struct FindPlan {
    pub resolved: ResolvedTopic,
    /// Normalised distinct start URLs in the order given.
    pub seeds: Vec<Url>,
    /// Pages known to hold forms of the topic.
    pub examples: Vec<Url>,
    /// Name of an existing strategy.
    pub strategy: String,
    pub backlinks: Vec<Source>,
    pub prior: Prior,
    pub budget: Budget,
    /// Maximum number of requests in flight at the same time.
    pub concurrency: usize,
    pub politeness: Politeness,
    /// Agent name for robots.txt: the user agent before its slash.
    pub agent: String,
    pub scope: Scope,
    pub network: NetworkOptions,
    /// Body size limit in bytes.
    pub body_limit: u64,
    pub store: config::StoreConfig,
    pub probing: Probing,
    /// Pages that are opened in a browser.
    pub render: RenderMode,
    /// Number of relevant forms to probe at the end.
    pub quality: Option<u32>,
    /// Folder of the WARC archive.
    pub warc: Option<PathBuf>,
    /// Discard earlier results of the run.
    pub fresh: bool,
    /// Seed of all random choices.
    pub seed: u64,
    /// Print events to standard output.
    pub json: bool,
    pub progress: DisplayStyle,
}

impl FindPlan {
    fn run_spec(&self) -> RunSpec {
        RunSpec {
            topic: self.resolved.topic.name.clone(),
            strategy: self.strategy.clone(),
            seeds: self.seeds.clone(),
            seed: self.seed,
            source: SOURCE.into(),
        }
    }

    fn strategy_context(&self, has_backlinks: bool) -> StrategyContext {
        StrategyContext {
            seed: self.seed,
            seeds: self.seeds.clone(),
            examples: self.examples.clone(),
            backlinks: has_backlinks,
        }
    }
}

/// Plans the crawl, prints warnings, and runs it.
pub fn run(args: &FindArgs, session: &Session) -> anyhow::Result<Exit> {
    let plan = plan(args, session)?;
    if let Some(warning) = network::contact_warning(&plan.seeds, &plan.network) {
        writeln!(std::io::stderr(), "{warning}").ok();
    }
    let dashboard = args.dashboard.open(None, &session.config, session.is_quiet())?;
    run_find(plan, dashboard, session)
}

fn plan(args: &FindArgs, session: &Session) -> anyhow::Result<FindPlan> {
    let config = session.config.clone();
    let crawl = &config.crawl;
    let resolved = super::session::resolve_topic(&args.topic, session)?;
    Ok(FindPlan {
        seeds: seeds(&args.seeds, &resolved)?,
        examples: examples(&args.examples, &resolved)?,
        resolved,
        strategy: crawl.strategy.clone(),
        backlinks: crawl.backlinks.clone(),
        prior: crawl.prior,
        budget: Budget { requests: crawl.max_requests, bytes: crawl.max_bytes, time: crawl.max_time },
        concurrency: crawl.concurrency,
        scope: scope(crawl)?,
        network: network::options(&config)?,
        agent: config.politeness.agent().to_string(),
        politeness: config.politeness.delays,
        body_limit: config.fetch.body_limit,
        store: config.store,
        probing: config.probe,
        render: config.render_crawls,
        quality: args.quality,
        warc: args.warc.clone(),
        fresh: args.fresh,
        seed: session.seed,
        json: session.json,
        progress: session.progress(),
    })
}

/// Seeds given, or else those of the topic.
fn seeds(given: &[String], resolved: &ResolvedTopic) -> anyhow::Result<Vec<Url>> {
    match (given.is_empty(), resolved.seeds.is_empty()) {
        (true, true) => {
            let topic = &resolved.topic.name;
            Err(Usage(format!("topic '{topic}' has no seeds; give start URLs with --seeds FILE|URL ..."))
                .into())
        }
        (true, false) => seeds::read(&resolved.seeds),
        (false, _) => seeds::read(given),
    }
}

/// Example pages given, or else those of the topic.
fn examples(given: &[String], resolved: &ResolvedTopic) -> anyhow::Result<Vec<Url>> {
    match (given.is_empty(), resolved.examples.is_empty()) {
        (true, true) => Ok(Vec::new()),
        (true, false) => seeds::examples(&resolved.examples),
        (false, _) => seeds::examples(given),
    }
}

/// Scope from the configuration.
pub fn scope(crawl: &config::CrawlConfig) -> anyhow::Result<Scope> {
    let blocked = crawl.block_hosts.as_deref().map(blocked_hosts).transpose()?;
    let mut scope = Scope::new(&crawl.include, &crawl.exclude, &blocked.unwrap_or_default())?;
    scope.max_depth = crawl.max_depth;
    scope.max_pages_per_site = crawl.max_pages_per_site;
    Ok(scope)
}

fn blocked_hosts(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))?;
    Ok(seeds::lines(&text).map(|(_, host)| host.to_string()).collect())
}

/// Runs the crawl, and the quality estimate if requested.
fn run_find(mut plan: FindPlan, dashboard: Option<Dashboard>, session: &Session) -> anyhow::Result<Exit> {
    let (store, quality, max_requests) = (plan.store.url.clone(), plan.quality, plan.budget.requests);
    plan.budget.requests = max_requests.map(|max| max - reserved_for_quality(max, quality));
    let show =
        Show { json: plan.json, style: plan.progress, max_requests: plan.budget.requests, is_probing: false };
    let opened = hadal::store::open(&store, Access::Crawl)?;
    let renderer = session.renderer(plan.render);
    let mut rendered = Arc::default();
    let mut summary =
        crawl::run(|stop| setup(plan, Arc::clone(&opened), stop, renderer, &mut rendered), show, dashboard)?;
    if let Some(words) = rendered_words(&rendered).filter(|_| show.style != DisplayStyle::Silent) {
        writeln!(std::io::stderr(), "{words}").ok();
    }
    let failed =
        if summary.state == RunState::Stopped { 0 } else { report_seeds(opened.as_ref(), &summary)? };
    drop(opened);
    if let Some(sample) = quality.filter(|_| summary.state != RunState::Stopped) {
        summary = estimate_quality(&store, &summary, sample, max_requests, session)?;
    }
    if summary.counters.searchable > 0 && show.style != DisplayStyle::Silent {
        let shown = hadal::store::shown_url(&store);
        writeln!(std::io::stderr(), "`hadal forms --store {shown}` lists what was found").ok();
    }
    if failed > 0 && summary.counters.pages == 0 {
        writeln!(std::io::stderr(), "error: no seed could be fetched; the same command tries again").ok();
        return Ok(Exit::Failed);
    }
    Ok(crawl::exit(&summary))
}

/// Number of failed seeds that are listed at the end of a crawl. Guess: they leave the last lines on the screen.
const LISTED_SEEDS: usize = 10;

/// Prints which seeds could not be fetched and why. Returns their number.
fn report_seeds(store: &dyn Store, summary: &CrawlSummary) -> anyhow::Result<usize> {
    let failed = failed_seeds(store, summary.run)?;
    let mut out = std::io::stderr();
    for FailedSeed { url, kind } in failed.iter().take(LISTED_SEEDS) {
        writeln!(out, "could not fetch {url}: {}", kind.explanation()).ok();
    }
    if failed.len() > LISTED_SEEDS {
        let more = failed.len() - LISTED_SEEDS;
        writeln!(out, "... and {more} more seeds; `hadal log` lists all failed requests").ok();
    }
    Ok(failed.len())
}

/// Requests reserved for the quality estimate: at most a quarter of the budget.
fn reserved_for_quality(max_requests: u64, quality: Option<u32>) -> u64 {
    quality.map_or(0, |sample| quality::REQUESTS_PER_FORM * u64::from(sample)).min(max_requests / 4)
}

fn estimate_quality(
    store: &str,
    found: &CrawlSummary,
    sample: u32,
    max_requests: Option<u64>,
    session: &Session,
) -> anyhow::Result<CrawlSummary> {
    let store = hadal::store::open(store, Access::Crawl)?;
    let run = store.runs(&RunQuery::one(found.run))?.pop().context("the run is gone")?;
    let summary = quality::probe_sample(&store, &run, sample as usize, max_requests, session)?;
    quality::print_quality(&quality::measured(&store, run.id, sample as usize, session.seed)?, session.json)?;
    Ok(summary)
}

/// Last line about the browser; `None` if no page suggested a search by script.
fn rendered_words(counters: &RenderTotals) -> Option<String> {
    let [pages, forms, failed, missed] =
        [&counters.pages, &counters.forms, &counters.failed, &counters.without_browser]
            .map(|count| count.load(Ordering::Relaxed));
    if missed > 0 {
        let pages = plural(missed, "page", "pages");
        return Some(format!("{pages} may search by script; with chromium installed, they are opened"));
    }
    let failed_words = if failed > 0 { format!(", {failed} failed") } else { String::new() };
    let (shown, forms) = (plural(pages, "page", "pages"), plural(forms, "form", "forms"));
    (pages + failed > 0).then(|| format!("{shown} rendered, {forms} from them{failed_words}"))
}

fn setup(
    plan: FindPlan,
    store: Arc<dyn Store>,
    stop: watch::Receiver<bool>,
    renderer: Option<Renderer>,
    rendered: &mut Arc<RenderTotals>,
) -> anyhow::Result<Crawl> {
    let backlinks = backlinks::open(&plan, &store)?;
    let (spec, context) = (plan.run_spec(), plan.strategy_context(backlinks.is_some()));
    let entry = crate::extensions().strategies.find(&plan.strategy).context("no such strategy")?;
    let ResolvedTopic { topic, target, .. } = plan.resolved;
    let prior = prior::knowledge(store.as_ref(), &spec, plan.prior, plan.fresh)?;
    if plan.fresh {
        crawl::announce_fresh(store.as_ref(), &spec)?;
    }
    let critic = Arc::new(TrainedCritic::new(target));
    let fetch = archived(Arc::new(Network::new(plan.network)?), plan.warc.as_deref())?;
    let options = ClientOptions::new(plan.politeness, &plan.agent, plan.body_limit);
    let client = PoliteClient::new(Arc::clone(&fetch), options, stop.clone());
    let visit = RenderingVisit::new(
        (Arc::clone(&fetch), critic.clone() as _),
        client,
        (renderer, plan.render),
        (Arc::clone(&store), topic.name.clone()),
    )
    .with_seeds(&spec.seeds, &plan.scope);
    *rendered = Arc::clone(&visit.counters);
    Ok(CrawlBuilder::new(store, spec, entry.make(&context), critic, fetch)
        .rendering(visit)
        .backlinks(backlinks)
        .prior(prior)
        .budget(plan.budget)
        .scope(plan.scope)
        .politeness(plan.politeness, &plan.agent)
        .concurrency(plan.concurrency)
        .body_limit(plan.body_limit)
        .checkpoint_every(plan.store.group_commit)
        .stop(stop)
        .fresh(plan.fresh)
        .probing(plan.probing, probe_word(&topic))
        .build())
}
