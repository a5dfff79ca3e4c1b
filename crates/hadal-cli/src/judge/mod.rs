//! `hadal judge`: verdicts on pages, saved or on the web.
//!
//! Pages are parsed and judged on all cores; results are printed in the order of the arguments. Pages on the web are
//! fetched with the same politeness rules as in a crawl.

mod in_order;
mod inputs;

use super::exit::{Exit, Usage};
use super::network;
use super::network::NetworkArgs;
use super::session::resolve_topic;
use super::session::{NO_BROWSER, Session};
use anyhow::Context;
use clap::Args;
use hadal::config::Override;
use hadal::fetch::is_html;
use hadal::fetch::network::Network;
use hadal::harvest::open_form::MIN_P_TYPED;
use hadal::output::card::card;
use hadal::output::escape::{for_json, for_terminal};
use hadal::output::progress::DisplayStyle;
use hadal::output::terminal::Screen;
use hadal::polite::{ClientOptions, Clock, PageError, PoliteClient};
use hadal::render::{RenderCounts, RenderMode, RenderedPage, Renderer, SearchTrial};
use hadal::report::judged::{DocumentLocation, JudgedPage, JudgedRendering, JudgedTopics, judge};
use hadal::store::{Access, Store, Submitter, open};
use hadal::topic::TopicError;
use hadal_core::address::LinkId;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::html;
use hadal_core::http::Response;
use in_order::in_order;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use inputs::{Input, content_type, inputs, read};
use serde_json::json;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use url::Url;

/// Minimum number of pages for a progress bar. Guess.
const WORTH_A_BAR: usize = 50;

/// Judge pages: their topic, their forms, the kind of each form and why
///
/// Folders are searched for *.html, *.htm, *.xhtml and names without an extension. Web pages are fetched as by
/// `find`, with robots.txt, delays and no private addresses. With --json one object per page.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal judge page.html
  hadal judge http://books.example/ --topic book
  hadal judge saved/ --base http://books.example/ --json > verdicts.jsonl")]
pub struct JudgeArgs {
    /// Saved pages, URLs, folders of saved pages, or - for standard input
    #[arg(required = true, value_name = "FILE|URL|FOLDER")]
    inputs: Vec<String>,
    /// Judge for this topic only, with the relevance of each form
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// URL from which the files were saved
    #[arg(long, value_name = "URL")]
    base: Option<Url>,
    /// Open URLs in a browser, type a test query into the search box and learn its request; the log of submissions in
    /// the store lists the query
    #[arg(long)]
    render: bool,
    /// Folder for a small picture of each page opened with --render [default: render.thumbnails of the configuration]
    #[arg(long, value_name = "DIR", requires = "render")]
    thumbnails: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkArgs,
}

impl JudgeArgs {
    pub fn overrides(&self) -> Vec<Override> {
        self.network.overrides()
    }
}

/// Judges all inputs. Unreadable inputs are reported and counted.
pub fn run(args: &JudgeArgs, session: &Session) -> anyhow::Result<Exit> {
    let inputs = inputs(&args.inputs)?;
    let bench = JudgeSetup {
        place: place(&args.base)?,
        topics: topics(&args.topic, session)?,
        web: WebPages::open(&inputs, session, args)?,
        body_limit: session.config.fetch.body_limit,
        screen: (!session.json).then(|| session.stdout()),
    };
    let bar = bar(inputs.len(), session.progress());
    let mut out = std::io::stdout();
    let mut counters = JudgeCounts::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    in_order(
        &inputs,
        threads,
        |input| bench.judge(input),
        |verdict| {
            counters.add(&verdict);
            bar.inc(1);
            out.write_all(verdict.text.as_bytes())?;
            if let Err(error) = &verdict.found {
                bar.suspend(|| report_error(&verdict.name, error));
            }
            Ok::<_, std::io::Error>(())
        },
    )?;
    bar.finish_and_clear();
    if inputs.len() > 1 && session.progress() != DisplayStyle::Silent {
        writeln!(std::io::stderr(), "{}", counters.words()).ok();
    }
    Ok(if counters.failed > 0 { Exit::Failed } else { Exit::Done })
}

fn place(base: &Option<Url>) -> Result<DocumentLocation, Usage> {
    match base {
        None => Ok(DocumentLocation::Unknown),
        Some(url) if url.has_host() => Ok(DocumentLocation::At(url.clone())),
        Some(url) => Err(Usage(format!("--base {url}: write it as http://host/path"))),
    }
}

/// All built-in topics, or the named one.
fn topics(name: &Option<String>, session: &Session) -> Result<JudgedTopics, TopicError> {
    let Some(name) = name else { return Ok(JudgedTopics::BuiltIn) };
    let resolved = resolve_topic(name, session)?;
    Ok(JudgedTopics::One(resolved.topic.name, resolved.target))
}

/// Everything needed to judge a page.
struct JudgeSetup {
    place: DocumentLocation,
    topics: JudgedTopics,
    web: Option<WebPages>,
    body_limit: u64,
    /// Screen for cards; `None` for JSON.
    screen: Option<Screen>,
}

/// Output of one input.
struct JudgedInput {
    name: String,
    /// Number of searchable and other forms, or the reason why there is no page.
    found: Result<(usize, usize), String>,
    text: String,
}

impl JudgeSetup {
    fn judge(&self, input: &Input) -> JudgedInput {
        let name = input.name();
        match self.judge_input(input, &name) {
            Ok(judged) => {
                let searchable =
                    judged.forms.iter().filter(|form| form.p_searchable >= MIN_ACCEPTED_P).count();
                let found = Ok((searchable, judged.forms.len() - searchable));
                JudgedInput { found, text: self.draw(&judged), name }
            }
            Err(error) => {
                let line = || format!("{}\n", for_json(json!({"input": name, "error": error}).to_string()));
                let text = if self.screen.is_none() { line() } else { String::new() };
                JudgedInput { text, found: Err(error), name }
            }
        }
    }

    fn judge_input(&self, input: &Input, name: &str) -> Result<JudgedPage, String> {
        let readable = |error: std::io::Error| error.to_string();
        let body = match input {
            Input::Web(url) => return self.visit(url, name),
            Input::Unreadable(_, why) => return Err(why.clone()),
            Input::Stdin => read(std::io::stdin(), self.body_limit).map_err(readable)?,
            Input::File(path) => {
                read(File::open(path).map_err(readable)?, self.body_limit).map_err(readable)?
            }
        };
        let page = html::parse(&body, content_type(&body), &self.place.address());
        Ok(judge(name, &page, &self.place, 200, &self.topics))
    }

    fn visit(&self, url: &Url, name: &str) -> Result<JudgedPage, String> {
        let web = self.web.as_ref().expect("the web is open when an address was given");
        let fetched = web.runtime.block_on(web.client.get_page(url, &mut Clock::Real));
        let (url, response) = fetched.map_err(|error| error.to_string())?;
        if !is_html(&response) {
            let content_type = response.headers.get("content-type").unwrap_or_default();
            return Err(PageError::ContentType(content_type.to_string()).to_string());
        }
        if let Some(browser) = &web.browser {
            return self.judge_rendered(&url, response, name, web, browser);
        }
        let place = DocumentLocation::At(url);
        let page = html::parse(&response.body, response.headers.get("content-type"), &place.address());
        Ok(judge(name, &page, &place, response.status, &self.topics))
    }

    /// Judges a page as the browser shows it.
    fn judge_rendered(
        &self,
        url: &Url,
        response: Response,
        name: &str,
        web: &WebPages,
        (renderer, store): &(Renderer, Arc<dyn Store>),
    ) -> Result<JudgedPage, String> {
        let status = response.status;
        let trial = SearchTrial {
            store: store.as_ref(),
            by: Submitter::Person,
            topic: "",
            seed: LinkId::of(url).0,
            min_p_searchable: MIN_P_TYPED,
        };
        let rendered = web.runtime.block_on(renderer.render(url, response, &web.client, Some(&trial)));
        let RenderedPage { mut page, search, counts } = rendered.map_err(|error| error.to_string())?;
        page.forms.extend(search.iter().map(|search| search.form.clone()));
        let mut judged = judge(name, &page, &DocumentLocation::At(url.clone()), status, &self.topics);
        let RenderCounts { requests, bytes, refused } = counts;
        let search = search.map(|search| search.evidence);
        judged.rendered = Some(JudgedRendering { requests, bytes, refused, search });
        Ok(judged)
    }

    fn draw(&self, judged: &JudgedPage) -> String {
        match self.screen {
            Some(screen) => card(judged, screen) + "\n",
            None => {
                let line = serde_json::to_string(judged).expect("verdicts are text and finite numbers");
                for_json(line) + "\n"
            }
        }
    }
}

fn report_error(name: &str, error: &str) {
    // A closed standard error is ignored.
    writeln!(std::io::stderr(), "error: {}: {}", for_terminal(name), for_terminal(error)).ok();
}

/// Longest wait for a host, which covers the longest `Crawl-delay` that is honoured. Guess.
const MAX_WAIT: Duration = Duration::from_secs(90);

/// Client for pages on the web. Nothing is retried: the user can repeat the command.
struct WebPages {
    runtime: Runtime,
    client: PoliteClient,
    /// Browser, and the store with the audit log of test queries.
    browser: Option<(Renderer, Arc<dyn Store>)>,
}

fn with_thumbnails(renderer: Renderer, args: &JudgeArgs) -> Renderer {
    match &args.thumbnails {
        Some(folder) => renderer.with_thumbnails(Some(folder.clone())),
        None => renderer,
    }
}

impl WebPages {
    /// Opens the network if the inputs contain a URL.
    fn open(inputs: &[Input], session: &Session, args: &JudgeArgs) -> anyhow::Result<Option<WebPages>> {
        let address = |input: &Input| if let Input::Web(url) = input { Some(url.clone()) } else { None };
        let addresses: Vec<Url> = inputs.iter().filter_map(address).collect();
        if addresses.is_empty() {
            return Ok(None);
        }
        if let Some(warning) = network::contact_warning(&addresses, &network::options(&session.config)?) {
            writeln!(std::io::stderr(), "{warning}").ok();
        }
        let runtime = Runtime::new().context("could not start threads")?;
        let entered = runtime.enter();
        let fetch = Arc::new(Network::new(network::options(&session.config)?)?);
        drop(entered);
        let options = network::client_options(&session.config);
        let options = ClientOptions { retries: false, max_wait: MAX_WAIT, ..options };
        let client = PoliteClient::new(fetch, options, watch::channel(false).1);
        let mode = if args.render { RenderMode::Always } else { RenderMode::Never };
        let browser = match session.renderer(mode) {
            Some(renderer) => {
                Some((with_thumbnails(renderer, args), open(&session.config.store.url, Access::Crawl)?))
            }
            None => None,
        };
        if args.render && browser.is_none() && !session.is_quiet() {
            writeln!(std::io::stderr(), "{NO_BROWSER}").ok();
        }
        Ok(Some(WebPages { runtime, client, browser }))
    }
}

/// Counts for the last line.
#[derive(Default)]
struct JudgeCounts {
    pages: usize,
    searchable: usize,
    other: usize,
    failed: usize,
}

impl JudgeCounts {
    fn add(&mut self, verdict: &JudgedInput) {
        match verdict.found {
            Ok((searchable, other)) => {
                self.pages += 1;
                self.searchable += searchable;
                self.other += other;
            }
            Err(_) => self.failed += 1,
        }
    }

    fn words(&self) -> String {
        let forms = self.searchable + self.other;
        format!("{} pages, {forms} forms, {} searchable, {} failed", self.pages, self.searchable, self.failed)
    }
}

/// Progress bar for terminals, if there are enough inputs and no other output.
fn bar(inputs: usize, style: DisplayStyle) -> ProgressBar {
    let idle = inputs >= WORTH_A_BAR && !std::io::stdout().is_terminal();
    let target = match idle && style == DisplayStyle::Bars {
        true => ProgressDrawTarget::stderr_with_hz(4),
        false => ProgressDrawTarget::hidden(),
    };
    let template = "pages  {wide_bar} {pos}/{len}  {per_sec}, {eta} left";
    let drawn = ProgressStyle::with_template(template).expect("our own template is valid");
    ProgressBar::with_draw_target(Some(inputs as u64), target).with_style(drawn)
}
