//! A step: one request, sent and examined in parallel with others.
//!
//! Steps run on their own tasks. They read a snapshot of the critic and change nothing; [`super::outcome`] turns their
//! results into outcomes, one at a time.

use super::frontier::{Frontier, LinkIdCache};
use super::parse_pool::on_parse_thread;
use super::probing::ProbeWhen;
use super::scope::Scope;
use super::setup::Crawl;
use crate::backlinks::Backlinks;
use crate::fetch::{Fetch, is_html, is_page};
use crate::polite::retry::{NextAction, next_action};
use crate::polite::robots::PageDirectives;
use crate::polite::{Clock, HeldTurn, LeaseTerm, PoliteClient, RobotsRequest, SharedHosts};
use crate::store::{StepTarget, Submitter};
use futures::future::BoxFuture;
use hadal_core::address::{Host, LinkId, names_file};
use hadal_core::critic::{Critic, FormVerdict, PageVerdict};
use hadal_core::html;
use hadal_core::http::{Exchange, FetchError, Request};
use hadal_core::identity::{FormId, form_id};
use hadal_core::link::{LinkTask, QueuedLink};
use hadal_core::page::Page;
use hadal_core::time::Time;
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

/// A step that was chosen.
#[derive(Clone, Debug)]
pub struct Step {
    /// Sequence number, in the order of sending.
    pub seq: u64,
    /// Time of sending, on the clock of the run.
    pub at: Time,
    /// Work of the step.
    pub kind: StepKind,
    /// Turns of the hosts that the step keeps busy.
    pub turns: Vec<HeldTurn>,
    /// Maximum number of bytes of the response body.
    pub body_limit: u64,
    /// Term of the worker of a shared run. Afterwards it may not send the step.
    pub term: Option<LeaseTerm>,
}

/// Work of a step. Each kind sends at most one request, and a visit also those of its scripts and sitemaps.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// Fetch and examine a page.
    Visit(Box<QueuedLink>),
    /// Look up the backlinks of a URL.
    LookUp(Box<QueuedLink>),
    /// Send the next test query of a probe.
    Probe(Box<QueuedLink>),
    /// Fetch a robots.txt.
    Robots {
        /// Host that the rules apply to.
        host: Host,
        /// Request for the rules.
        request: RobotsRequest,
    },
    /// Send nothing: robots.txt disallows the URL.
    Refused(Box<QueuedLink>),
}

impl StepKind {
    /// Work for a link of the frontier.
    pub fn of(queued: QueuedLink) -> StepKind {
        let queued = Box::new(queued);
        match queued.link.task {
            LinkTask::Page => StepKind::Visit(queued),
            LinkTask::Backlinks => StepKind::LookUp(queued),
            LinkTask::Probe(_) => StepKind::Probe(queued),
        }
    }

    /// Subject of the step in the store.
    pub fn target(&self) -> StepTarget {
        match self {
            StepKind::Visit(queued)
            | StepKind::LookUp(queued)
            | StepKind::Probe(queued)
            | StepKind::Refused(queued) => StepTarget::Link(queued.link.id),
            StepKind::Robots { host, request } => {
                StepTarget::Robots { host: host.clone(), url: request.url.clone(), hops: request.hops }
            }
        }
    }

    /// Hosts that a step keeps busy. A robots.txt may be on another host than the one it applies to.
    pub fn hosts(&self) -> Vec<Host> {
        match self {
            StepKind::Visit(queued) | StepKind::Probe(queued) => vec![queued.link.host()],
            StepKind::Robots { host, request } => {
                let mut hosts = vec![host.clone(), Host::of(&request.url)];
                hosts.dedup();
                hosts
            }
            StepKind::LookUp(_) | StepKind::Refused(_) => Vec::new(),
        }
    }
}

/// A step with its result.
pub struct FinishedStep {
    pub step: Step,
    pub result: StepResult,
    /// Duration of the request.
    pub took: Duration,
    /// Time at which the request was sent.
    began: Instant,
}

impl FinishedStep {
    /// A step that sent nothing.
    pub fn not_sent(step: Step) -> FinishedStep {
        FinishedStep { step, result: StepResult::NotSent, took: Duration::ZERO, began: Instant::now() }
    }

    /// End of the request on the clock of the run. Parsing and the wait for older results come after it and do not
    /// lengthen the pause of the host.
    pub fn ended(&self, clock: &Clock) -> Time {
        match clock {
            Clock::Simulated(now) => *now,
            Clock::Real => {
                let since = self.began.elapsed().saturating_sub(self.took);
                let now = clock.now();
                Time(now.0.saturating_sub(u64::try_from(since.as_millis()).unwrap_or(0)))
            }
        }
    }

    /// Result of a step that panicked: the request counts as failed, and the crawl continues.
    pub fn panicked(step: &Step) -> FinishedStep {
        let exchange = Exchange { result: Err(FetchError::Protocol), took: Duration::ZERO, peer: None };
        let result = match step.kind {
            StepKind::Visit(_) | StepKind::Robots { .. } => StepResult::Response(Box::new(exchange), None),
            StepKind::Probe(_) => StepResult::ProbeResponse(Box::new(exchange), None),
            StepKind::LookUp(_) => StepResult::Backlinks(Err(FetchError::Protocol)),
            StepKind::Refused(_) => StepResult::NotSent,
        };
        FinishedStep { step: step.clone(), result, took: Duration::ZERO, began: Instant::now() }
    }
}

/// Result of a step.
pub enum StepResult {
    /// Response or failure of a page or robots.txt request, and the examined page if there is one.
    Response(Box<Exchange>, Option<Arc<ExaminedPage>>),
    /// Response or failure of a test query, and the parsed page if there is one, whatever its status.
    ProbeResponse(Box<Exchange>, Option<Box<Page>>),
    /// Pages that link to the URL.
    Backlinks(Result<Vec<Url>, FetchError>),
    /// No request was sent.
    NotSent,
}

/// A page that was parsed and judged.
pub struct ExaminedPage {
    pub page: Page,
    /// Verdict on the page.
    pub verdict: PageVerdict,
    /// Ids of its forms, in the order of the page.
    pub form_ids: Vec<FormId>,
    /// Verdicts on its forms, in the same order.
    pub forms: Vec<FormVerdict>,
    /// Requests after the one for the page; `None` if there could be none.
    pub further: Option<FurtherRequests>,
}

/// Requests of a visit for scripts, sitemaps and OpenSearch descriptions. Before them the visit ended its turn and
/// recorded the exchange of the page with its host.
#[derive(Clone, Copy, Debug, Default)]
pub struct FurtherRequests {
    pub requests: u64,
    /// Bytes of response bodies.
    pub bytes: u64,
}

/// Result of a page visit: the exchange, without the body of an examined page, and the examined page.
pub type VisitResult = (Exchange, Option<Arc<ExaminedPage>>);

/// Fetches and examines pages.
pub trait Visit: Send + Sync {
    /// Sends a request, and those for scripts, sitemaps and OpenSearch descriptions that the page needs. `at` is the
    /// time on the clock of the run.
    fn visit<'a>(&'a self, request: &'a Request, at: Time, run: VisitContext) -> BoxFuture<'a, VisitResult>;
}

/// State of the run that a visit reads.
#[derive(Clone)]
pub struct VisitContext {
    /// Links that need a context and a topic.
    pub used: UsedLinks,
    /// Run that submits test queries; `None` if the user wants none.
    submitter: Option<Submitter>,
    agent: String,
    scope: Arc<Scope>,
    hosts: Arc<SharedHosts>,
    turn: Option<HeldTurn>,
}

impl VisitContext {
    /// Run that submits test queries on a page; `None` if the user wants none, or if the page must not be followed.
    pub(super) fn submitter_on(&self, page: &Page, exchange: &Exchange) -> Option<Submitter> {
        self.submitter.filter(|_| !PageDirectives::of(page, exchange, &self.agent).nofollow)
    }

    /// Ends the turn of the visit with the exchange of its page. Returns a client for further requests, which takes
    /// turns with the engine. `None` if the page is to be requested again; then the turn does not end.
    pub(super) fn further_client(
        &self,
        client: &PoliteClient,
        url: &Url,
        exchange: &Exchange,
    ) -> Option<PoliteClient> {
        let (scope, now) = (Arc::clone(&self.scope), Clock::Real.now());
        let client = client.with_hosts(Arc::clone(&self.hosts)).excluding(move |url| scope.excludes(url));
        let turn = self.turn.filter(|_| next_action(url, exchange, 0, 0, now) == NextAction::Accept)?;
        client.end_turn(turn, url, exchange, now);
        Some(client)
    }
}

/// Links that a crawl would follow. Only these are judged.
#[derive(Clone, Default)]
pub struct UsedLinks(Option<Arc<LinkFilter>>);

struct LinkFilter {
    seen: Arc<LinkIdCache>,
    scope: Scope,
}

impl UsedLinks {
    /// Links that the engine would not drop, or all links if the strategy reads them.
    fn of(crawl: &Crawl, frontier: &Frontier) -> UsedLinks {
        let filter =
            || Arc::new(LinkFilter { seen: Arc::clone(&frontier.known.seen), scope: crawl.scope.clone() });
        UsedLinks((!crawl.strategy.reads_unused_links()).then(filter))
    }
}

impl LinkFilter {
    fn contains(&self, url: &Url) -> bool {
        !self.seen.contains(LinkId::of(url)) && !names_file(url) && self.scope.allows(url)
    }
}

/// Fetches a page with an HTTP client and examines it with a critic.
struct FetchAndExamine {
    fetch: Arc<dyn Fetch>,
    critic: Arc<dyn Critic>,
}

impl Visit for FetchAndExamine {
    fn visit<'a>(&'a self, request: &'a Request, at: Time, run: VisitContext) -> BoxFuture<'a, VisitResult> {
        Box::pin(async move {
            let (exchange, page) = fetch_page(self.fetch.as_ref(), request, at).await;
            let Some((body, content_type)) = page else { return (exchange, None) };
            let (critic, url) = (Arc::clone(&self.critic), request.url.clone());
            let read = move |body: &[u8]| {
                examine_used(body, content_type.as_deref(), &url, critic.as_ref(), &run.used)
            };
            let examined = on_parse_thread(body, read).await;
            (exchange, examined.map(Arc::new))
        })
    }
}

/// Sends one request. Returns the exchange without its body, and body and content type if the response is a page.
pub(super) async fn fetch_page(
    fetch: &dyn Fetch,
    request: &Request,
    at: Time,
) -> (Exchange, Option<(Vec<u8>, Option<String>)>) {
    let mut exchange = fetch.fetch(request, at).await;
    let page = exchange.result.as_mut().ok().filter(|response| is_page(response)).map(|response| {
        let content_type = response.headers.get("content-type").map(String::from);
        (std::mem::take(&mut response.body), content_type)
    });
    (exchange, page)
}

/// Parses and judges a page. Pure: reads a snapshot of the models and changes nothing.
pub fn examine(body: &[u8], content_type: Option<&str>, url: &Url, critic: &dyn Critic) -> ExaminedPage {
    judged(html::parse(body, content_type, url), url, critic)
}

/// Like [`examine`], for a crawl that follows only some links.
pub(super) fn examine_used(
    body: &[u8],
    content_type: Option<&str>,
    url: &Url,
    critic: &dyn Critic,
    used: &UsedLinks,
) -> ExaminedPage {
    match &used.0 {
        Some(filter) => {
            let is_used = |url: &Url| filter.contains(url);
            judged(html::parse_used_links(body, content_type, url, &is_used), url, critic)
        }
        None => examine(body, content_type, url, critic),
    }
}

/// Judges a parsed page.
pub(super) fn judged(mut page: Page, url: &Url, critic: &dyn Critic) -> ExaminedPage {
    let verdict = critic.judge_page(&page);
    let topics = critic.judge_links(&page);
    let used = page.links.iter_mut().zip(topics).filter(|(link, _)| !link.is_unused);
    used.for_each(|(link, topic)| link.context.topic = Some(topic));
    let forms = page.forms.iter().map(|form| critic.judge_form(form, &page, &verdict)).collect();
    let form_ids = page.forms.iter().map(|form| form_id(form, url)).collect();
    ExaminedPage { page, verdict, form_ids, forms, further: None }
}

/// Clients that steps use.
#[derive(Clone)]
pub struct StepTools {
    fetch: Arc<dyn Fetch>,
    backlinks: Option<Arc<dyn Backlinks>>,
    visit: Arc<dyn Visit>,
    run: VisitContext,
}

impl StepTools {
    /// Clients of a crawl.
    pub fn of(crawl: &Crawl, frontier: &Frontier) -> StepTools {
        let (fetch, critic) = (Arc::clone(&crawl.fetch), Arc::clone(&crawl.critic));
        let own = || Arc::new(FetchAndExamine { fetch, critic }) as Arc<dyn Visit>;
        let visit = crawl.visit.clone().unwrap_or_else(own);
        let hosts = frontier.waiting.hosts.shared();
        let used = UsedLinks::of(crawl, frontier);
        let may_submit = crawl.probing.when != ProbeWhen::Never;
        let submitter = may_submit.then(|| Submitter::Run(frontier.store.run()));
        let run = VisitContext {
            used,
            submitter,
            agent: crawl.agent.clone(),
            scope: Arc::new(crawl.scope.clone()),
            hosts,
            turn: None,
        };
        StepTools { fetch: Arc::clone(&crawl.fetch), backlinks: crawl.backlinks.clone(), visit, run }
    }

    /// Performs a step.
    pub async fn perform(&self, step: Step) -> FinishedStep {
        let began = Instant::now();
        if step.term.is_some_and(|term| term.is_over()) {
            // The process was suspended past its lease. `Engine::choose` refuses further steps and the next report
            // fails, which drops this task.
            return std::future::pending().await;
        }
        let (result, took) = match &step.kind {
            StepKind::Visit(queued) => {
                let request = limited(Request::get(queued.link.url.clone()), &step);
                let run = VisitContext { turn: step.turns.first().copied(), ..self.run.clone() };
                let (exchange, examined) = self.visit.visit(&request, step.at, run).await;
                let took = exchange.took;
                (StepResult::Response(Box::new(exchange), examined), took)
            }
            StepKind::Probe(queued) => {
                let (exchange, page) = self.send_probe(&queued.link.task, &step).await;
                let took = exchange.took;
                (StepResult::ProbeResponse(Box::new(exchange), page), took)
            }
            StepKind::Robots { request, .. } => {
                let exchange = self.fetch.fetch(&limited(request.request(), &step), step.at).await;
                let took = exchange.took;
                (StepResult::Response(Box::new(exchange), None), took)
            }
            StepKind::LookUp(queued) => {
                let found = match &self.backlinks {
                    Some(source) => source.lookup(&queued.link.url).await,
                    None => Err(FetchError::BadUrl),
                };
                (StepResult::Backlinks(found), Duration::ZERO)
            }
            StepKind::Refused(_) => (StepResult::NotSent, Duration::ZERO),
        };
        FinishedStep { step, result, took, began }
    }

    /// Sends the next test query of a probe. A page without results may come with any status.
    async fn send_probe(&self, task: &LinkTask, step: &Step) -> (Exchange, Option<Box<Page>>) {
        let next = if let LinkTask::Probe(probe) = task { probe.next_request() } else { None };
        let Some(request) = next else {
            return (Exchange { result: Err(FetchError::BadUrl), took: Duration::ZERO, peer: None }, None);
        };
        let request = limited(request, step);
        let mut exchange = self.fetch.fetch(&request, step.at).await;
        let Ok(response) = &mut exchange.result else { return (exchange, None) };
        if !is_html(response) {
            return (exchange, None);
        }
        let body = std::mem::take(&mut response.body);
        let content_type = response.headers.get("content-type").map(String::from);
        let read = move |body: &[u8]| html::parse(body, content_type.as_deref(), &request.url);
        let page = on_parse_thread(body, read).await;
        (exchange, page.map(Box::new))
    }
}

fn limited(request: Request, step: &Step) -> Request {
    Request { body_limit: step.body_limit, ..request }
}
