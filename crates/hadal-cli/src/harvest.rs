//! `hadal harvest`: downloads the records behind forms.
//!
//! [`HarvestArgs`] holds raw arguments; [`jobs`] resolves them to forms. The harvest itself is in
//! `hadal::harvest`.

use super::args::choices;
use super::crawl::stop_on_signals;
use super::dashboard::DashboardArgs;
use super::exit::{Exit, Usage};
use super::harvest_run::{harvest_job, harvest_plan, run_plan};
use super::harvested::{find_form, may_be_form_id};
use super::network::archived;
use super::network::{NetworkArgs, given, once};
use super::session::{NO_BROWSER, Session, known_topic};
use super::topics::pointer::split;
use super::{network, quality};
use anyhow::Context;
use clap::Args;
use hadal::config::Override;
use hadal::fetch::network::Network;
use hadal::harvest::open_form::{self, BrowserUse, FormOpenError, OpenedForm, PostForms, SearchLocation};
use hadal::harvest::{HarvestJob, HarvestSummary};
use hadal::output::escape::for_json;
use hadal::polite::{Clock, PoliteClient, RequestBudget};
use hadal::render::RenderMode;
use hadal::store::{Access, HarvestState, Store, open};
use hadal_core::address::{TrackingParams, normalise};
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::harvest::policy::RequestCosts;
use hadal_core::harvest::session::{EntryPage, HarvestEnding};
use hadal_core::harvest::structured::choose_policy;
use hadal_core::http::Method;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;
use url::Url;

/// Download the records behind forms
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal harvest http://catalogue.example/search --contact you@example.org
  hadal harvest 00c5e1f2a9b84d37 --policy adaptive --max-requests 500
  hadal harvest --topic book --top 5 --target-coverage 0.9 --warc archive
  hadal harvest http://catalogue.example/search#1 --dry-run")]
pub struct HarvestArgs {
    /// Forms: a form_id (`hadal forms`) or its first digits, or the URL of a page with a search form or of an
    /// OpenSearch description; URL#N selects the Nth form, counted from 0
    #[arg(value_name = "FORM|URL")]
    targets: Vec<String>,
    /// Harvest the best forms found for this topic
    #[arg(long, help_heading = "Forms", value_name = "NAME", conflicts_with = "targets")]
    topic: Option<String>,
    /// Number of forms to harvest
    #[arg(long, help_heading = "Forms", value_name = "N", default_value_t = 1, requires = "topic")]
    top: usize,
    /// Minimum relevance of the forms, from 0 to 1
    #[arg(long, help_heading = "Forms", value_name = "P", default_value_t = MIN_ACCEPTED_P, requires = "topic")]
    min_relevance: f32,
    /// Query policy [default: hadal]
    #[arg(long, help_heading = "Queries", value_name = "NAME", long_help = policies())]
    policy: Option<String>,
    /// Coverage at which a harvest stops [default: 0.95]
    #[arg(long, help_heading = "Limits", value_name = "SHARE")]
    target_coverage: Option<String>,
    /// Fetch the detail pages of records: never, always, or auto [default: auto]; auto fetches a sample, about one
    /// per ten result pages, if result lists show short excerpts and detail pages show clearly more
    #[arg(long, help_heading = "Queries", value_name = "WHEN")]
    details: Option<String>,
    /// Number of records per form at which a harvest stops
    #[arg(long, help_heading = "Limits", value_name = "N")]
    max_records: Option<String>,
    /// Request budget of all these forms together, over all sessions; none removes the limit
    #[arg(long, help_heading = "Limits", value_name = "N")]
    max_requests: Option<String>,
    /// Byte budget of all these forms together, as 500MB
    #[arg(long, help_heading = "Limits", value_name = "SIZE")]
    max_bytes: Option<String>,
    /// Time budget of this session, as 2h
    #[arg(long, help_heading = "Limits", value_name = "TIME")]
    max_time: Option<String>,
    /// Number of forms harvested at the same time
    #[arg(long, help_heading = "Limits", value_name = "N")]
    concurrency: Option<String>,
    /// Submit POST forms that are likely searches, not only sure ones; forms of other kinds stay refused, and the log
    /// of submissions lists every request
    #[arg(long, help_heading = "Forms")]
    allow_post: bool,
    /// First query words, instead of those of the topic or the page
    #[arg(long, help_heading = "Queries", value_name = "WORD", num_args = 1..)]
    first: Vec<String>,
    /// Print the first requests without sending them; only the form's page is fetched
    #[arg(long)]
    dry_run: bool,
    /// Folder for a WARC file with every request and response
    #[arg(long, value_name = "DIR")]
    warc: Option<PathBuf>,
    /// Discard the results of these harvests and start over; the log of submissions is kept
    #[arg(long)]
    fresh: bool,
    #[arg(long, help_heading = "Forms", value_name = "WHEN", help = RENDER)]
    render: Option<String>,
    #[command(flatten)]
    dashboard: DashboardArgs,
    #[command(flatten)]
    network: NetworkArgs,
}

const RENDER: &str = "Open pages in a browser: never, always, or auto [default: auto]; auto opens pages that suggest a search by script, if a browser is installed, and types a test query into their search box";

/// Policies with their use, for the help text.
fn policies() -> String {
    let policies: Vec<(&str, &str)> =
        crate::extensions().policies.iter().map(|entry| (entry.name, entry.about)).collect();
    format!("Query policy [default: hadal]:{}", choices(&policies))
}

impl HarvestArgs {
    /// Folder of the archive. A dry run archives nothing.
    fn archive(&self) -> Option<&Path> {
        self.warc.as_deref().filter(|_| !self.dry_run)
    }

    pub fn overrides(&self) -> Vec<Override> {
        let own = given([
            ("harvest.policy", "--policy", once(&self.policy)),
            ("harvest.target_coverage", "--target-coverage", once(&self.target_coverage)),
            ("harvest.details", "--details", once(&self.details)),
            ("harvest.max_records", "--max-records", once(&self.max_records)),
            ("harvest.max_requests", "--max-requests", once(&self.max_requests)),
            ("harvest.max_bytes", "--max-bytes", once(&self.max_bytes)),
            ("harvest.max_time", "--max-time", once(&self.max_time)),
            ("harvest.concurrency", "--concurrency", once(&self.concurrency)),
            ("render.harvests", "--render", once(&self.render)),
        ]);
        [own, self.network.overrides()].concat()
    }

    fn posts(&self) -> PostForms {
        if self.allow_post { PostForms::Likely } else { PostForms::Sure }
    }
}

pub fn run(args: &HarvestArgs, session: &Session) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let ended = runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(stop_on_signals(stop));
        let store = open(&session.config.store.url, Access::Crawl)?;
        let mut web = None;
        let Found { forms: opened, skipped } =
            match find_forms(args, session, store.as_ref(), &mut web, &stopped).await {
                Err(_) if *stopped.borrow() => return Ok(Exit::Interrupted),
                found => found?,
            };
        let (client, clock) = client(args, session, &opened, web, stopped)?;
        let job = |form| harvest_job(form, &args.first, args.fresh, session);
        let jobs = opened.into_iter().map(job).collect::<anyhow::Result<Vec<HarvestJob>>>()?;
        if args.dry_run {
            jobs.iter().try_for_each(|job| dry_run(job, session))?;
            return Ok(exit(&[], skipped));
        }
        let dashboard = args.dashboard.open(None, &session.config, session.is_quiet())?;
        let _open = match dashboard {
            Some(dashboard) => Some(dashboard.open(&store).await?),
            None => None,
        };
        let ended = run_plan(harvest_plan(jobs, client, clock, store, session), session).await?;
        Ok(exit(&ended, skipped))
    });
    runtime.shutdown_background();
    ended
}

/// Exit status of the harvests that ran, after so many targets were skipped. It is a failure if a target was skipped, or
/// if no form answered.
fn exit(ended: &[HarvestSummary], skipped: usize) -> Exit {
    let has_failed = |summary: &HarvestSummary| {
        let ending = summary.ending;
        summary.counters.records == 0
            && matches!(ending, Some(HarvestEnding::Errors | HarvestEnding::Forbidden))
    };
    let is_stopped = |summary: &HarvestSummary| summary.state == HarvestState::Stopped;
    match ended.iter().any(is_stopped) {
        true => Exit::Interrupted,
        false if skipped > 0 || !ended.is_empty() && ended.iter().all(has_failed) => Exit::Failed,
        false => Exit::Done,
    }
}

/// Forms of the targets.
struct Found {
    forms: Vec<OpenedForm>,
    /// Number of targets that could not be opened.
    skipped: usize,
}

/// Resolves the targets to forms. Of several targets, those that cannot be opened are reported and skipped.
async fn find_forms(
    args: &HarvestArgs,
    session: &Session,
    store: &dyn Store,
    web: &mut Option<PoliteClient>,
    stop: &watch::Receiver<bool>,
) -> anyhow::Result<Found> {
    if let Some(topic) = &args.topic {
        known_topic(store, &args.topic)?;
        let found = open_form::best_forms(store, topic, args.min_relevance, args.top, args.posts())?;
        if found.is_empty() {
            let words = format!(
                "no form of '{topic}' has a relevance of at least {} and may be submitted",
                args.min_relevance
            );
            return Err(Usage(words).into());
        }
        return Ok(Found { forms: found, skipped: 0 });
    }
    if args.targets.is_empty() {
        let best = "`hadal harvest --topic NAME --top 5` takes the best forms of a topic";
        return Err(
            Usage(format!("name a form (FORM|URL; `hadal forms` lists forms), or a topic: {best}")).into()
        );
    }
    let mut found = Found { forms: Vec::new(), skipped: 0 };
    for target in &args.targets {
        let opened = match may_be_form_id(target) {
            false => on_page(target, args, session, store, web, stop).await?,
            true => open_form::form_by_id(store, find_form(store, target)?, args.posts()),
        };
        match opened {
            Ok(form) => found.forms.push(form),
            Err(error) if args.targets.len() > 1 && !*stop.borrow() => {
                writeln!(std::io::stderr(), "skipped: {:#}", usage(error)).ok();
                found.skipped += 1;
            }
            Err(error) => return Err(usage(error)),
        }
    }
    Ok(found)
}

/// Opens the form at a URL. `web` keeps the client for the harvest, so that hosts keep their pauses.
async fn on_page(
    target: &str,
    args: &HarvestArgs,
    session: &Session,
    store: &dyn Store,
    web: &mut Option<PoliteClient>,
    stop: &watch::Receiver<bool>,
) -> anyhow::Result<Result<OpenedForm, FormOpenError>> {
    let (page, picked) = split(target);
    let url = Url::parse(page).ok().and_then(|url| normalise(url, TrackingParams::Keep));
    let no_address = || Usage(format!("'{target}' is neither a form_id nor a URL such as http://host/path"));
    let url = url.ok_or_else(no_address)?;
    let network = network::options(&session.config)?;
    if let Some(warning) = network::contact_warning(std::slice::from_ref(&url), &network) {
        writeln!(std::io::stderr(), "{warning}").ok();
    }
    if web.is_none() {
        let fetch = archived(Arc::new(Network::new(network)?), args.archive())?;
        // Requests that open forms count for their harvests, so the same budget bounds them.
        let budget = RequestBudget::new(session.config.harvest.max_requests, None, (0, 0));
        let client = PoliteClient::new(fetch, network::client_options(&session.config), stop.clone());
        *web = Some(client.with_budget(budget));
    }
    let client = web.as_ref().context("the client was opened above")?;
    if !session.is_quiet() {
        writeln!(std::io::stderr(), "fetching {url}").ok();
    }
    let (posts, source, mode) = (args.posts(), super::find::SOURCE, session.config.render_harvests);
    let renderer = session.renderer(mode).filter(|_| !args.dry_run);
    let browser = renderer.as_ref().map(|renderer| BrowserUse { renderer, mode, store });
    let (audit, tries_lists) = (Some(store), !args.dry_run);
    let browser = browser.as_ref();
    let search = SearchLocation { url: &url, picked, posts, source, browser, audit, tries_lists };
    let found = open_form::form_at_url(&search, client, &mut Clock::Real).await;
    let may_need_browser = matches!(&found, Err(FormOpenError::NoForm(..))) && mode != RenderMode::Never;
    if may_need_browser && renderer.is_none() && !args.dry_run && !session.is_quiet() {
        writeln!(std::io::stderr(), "{NO_BROWSER}").ok();
    }
    Ok(found)
}

/// Converts errors that the user can correct into usage errors.
fn usage(error: FormOpenError) -> anyhow::Error {
    match error {
        FormOpenError::NoForm(..) | FormOpenError::Unknown(_) => Usage(error.to_string()).into(),
        FormOpenError::UnsurePost(..) => {
            Usage(format!("{error}; --allow-post also submits likely searches")).into()
        }
        other => other.into(),
    }
}

/// Client and clock for the web on which the forms were found: the real or the simulated one.
fn client(
    args: &HarvestArgs,
    session: &Session,
    forms: &[OpenedForm],
    web: Option<PoliteClient>,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<(PoliteClient, Clock)> {
    let source = forms.first().map_or(super::find::SOURCE, |form| form.source.as_str());
    if forms.iter().any(|form| form.source != source) {
        return Err(Usage("some forms are on a simulated web; harvest them separately".into()).into());
    }
    if let Some(client) = web.filter(|_| source == super::find::SOURCE) {
        return Ok((client, Clock::Real));
    }
    let (fetch, clock) = quality::fetcher_for(source, &session.config)?;
    let fetch = archived(fetch, args.archive())?;
    Ok((PoliteClient::new(fetch, network::client_options(&session.config), stop), clock))
}

/// Queries printed by a dry run. Guess.
const SHOWN: usize = 3;

/// Prints the first requests of a harvest without sending them.
fn dry_run(job: &HarvestJob, session: &Session) -> anyhow::Result<()> {
    let spec = &job.spec;
    let entry_page = EntryPage::new(spec.form_snapshot.clone(), spec.page.clone(), &job.charset);
    let mut policy = choose_policy(entry_page.form(), &job.policy, &job.policy_context);
    let costs = RequestCosts::default();
    let mut queries: Vec<_> = policy.choose(&costs).into_iter().collect();
    let further = policy.top_queries(&costs, SHOWN).into_iter().map(|(query, _)| query);
    queries.extend(further.filter(|query| !queries.contains(query)).collect::<Vec<_>>());
    let mut out = std::io::stdout();
    for query in entry_page.calibration_query(spec.seed).into_iter().chain(queries) {
        let request = entry_page.request_for(&query);
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let method = if request.method == Method::Post { "POST" } else { "GET" };
        if session.json {
            let line = serde_json::json!({ "form_id": spec.form.to_string(), "query": spec.wording(&query), "method": method, "url": request.url.as_str(), "body": body });
            writeln!(out, "{}", for_json(line.to_string()))?;
        } else {
            let body = if body.is_empty() { String::new() } else { format!("\n  {body}") };
            writeln!(out, "{method} {}{}", request.url, hadal::output::escape::for_terminal(&body))?;
        }
    }
    Ok(())
}
