//! The parallel part of a step: carry the request, read the answer, judge it.
//!
//! Any number of steps are here at once. They read a snapshot of the critic and change nothing; what
//! they bring back is taken in by [`super::digest`], one at a time.

use crate::backlinks::Backlinks;
use crate::fetch::{Fetch, is_html, is_page};
use crate::polite::RobotsRequest;
use futures::future::BoxFuture;
use hadal_core::address::Host;
use hadal_core::critic::{Critic, FormVerdict, PageVerdict};
use hadal_core::html;
use hadal_core::http::{Exchange, FetchError, Request};
use hadal_core::identity::{FormId, form_id};
use hadal_core::link::{LinkTask, QueuedLink};
use hadal_core::page::Page;
use hadal_core::time::Time;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// A step on its way.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its number, in order of dispatch.
    pub seq: u64,
    /// When it was begun.
    pub at: Time,
    /// What it does.
    pub job: Job,
    /// The most bytes its answer may have.
    pub body_limit: u64,
}

/// What a step does. Each sends at most one request.
#[derive(Clone, Debug)]
pub enum Job {
    /// Fetch and read a page.
    Visit(Box<QueuedLink>),
    /// Ask who links to an address.
    Lookup(Box<QueuedLink>),
    /// Ask a form whether it searches.
    Probe(Box<QueuedLink>),
    /// Ask a host for its robots.txt.
    Robots {
        /// The host it speaks for.
        host: Host,
        /// The request for it.
        request: RobotsRequest,
    },
    /// Nothing: robots.txt forbids the visit.
    Refused(Box<QueuedLink>),
}

impl Job {
    /// What following a lead means.
    pub fn of(waiting: QueuedLink) -> Job {
        let waiting = Box::new(waiting);
        match waiting.link.task {
            LinkTask::Page => Job::Visit(waiting),
            LinkTask::Backlinks => Job::Lookup(waiting),
            LinkTask::Probe(_) => Job::Probe(waiting),
        }
    }
}

/// A step that came back.
pub struct Done {
    /// The step.
    pub step: Step,
    /// What it brought.
    pub catch: Catch,
    /// How long it took.
    pub took: Duration,
}

impl Done {
    /// What is left of a step that broke on the way: nothing came of it, and the crawl goes on.
    pub fn lost(step: &Step) -> Done {
        let exchange = Exchange { result: Err(FetchError::Protocol), took: Duration::ZERO, peer: None };
        let catch = match step.job {
            Job::Visit(_) | Job::Robots { .. } => Catch::Answer(Box::new(exchange), None),
            Job::Probe(_) => Catch::Reply(Box::new(exchange), None),
            Job::Lookup(_) => Catch::Backlinks(Err(FetchError::Protocol)),
            Job::Refused(_) => Catch::Nothing,
        };
        Done { step: step.clone(), catch, took: Duration::ZERO }
    }
}

/// What a step brought back.
pub enum Catch {
    /// An answer, or why there is none; read, when it is a page.
    Answer(Box<Exchange>, Option<Arc<Reading>>),
    /// A form's answer, or why there is none; parsed, when it is a page of whatever status.
    Reply(Box<Exchange>, Option<Box<Page>>),
    /// Who links to the address.
    Backlinks(Result<Vec<Url>, FetchError>),
    /// Nothing was asked.
    Nothing,
}

/// A page, read and judged.
pub struct Reading {
    /// The page.
    pub page: Page,
    /// Its verdict.
    pub verdict: PageVerdict,
    /// Its forms' identities, in the page's order.
    pub form_ids: Vec<FormId>,
    /// Its forms' verdicts, in the same order.
    pub forms: Vec<FormVerdict>,
}

/// What steps need of the world.
#[derive(Clone)]
pub struct Carriers {
    /// Carries requests.
    pub fetch: Arc<dyn Fetch>,
    /// Knows who links where.
    pub backlinks: Option<Arc<dyn Backlinks>>,
    /// Visits pages.
    pub visit: Arc<dyn Visit>,
}

/// What a visit brings: the exchange, without its body when that was read, and the page that it was.
pub type Visited = (Exchange, Option<Arc<Reading>>);

/// Visits a page: fetches it, and reads and judges what comes back.
pub trait Visit: Send + Sync {
    /// One request, sent at this moment of the run.
    fn visit<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Visited>;
}

/// Fetches pages and has them judged.
pub(super) fn visiting(fetch: &Arc<dyn Fetch>, critic: &Arc<dyn Critic>) -> Arc<dyn Visit> {
    Arc::new(FetchAndJudge { fetch: Arc::clone(fetch), critic: Arc::clone(critic) })
}

struct FetchAndJudge {
    fetch: Arc<dyn Fetch>,
    critic: Arc<dyn Critic>,
}

impl Visit for FetchAndJudge {
    fn visit<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Visited> {
        Box::pin(async move {
            let mut exchange = self.fetch.fetch(request, at).await;
            let Ok(response) = &mut exchange.result else { return (exchange, None) };
            if !is_page(response) {
                return (exchange, None);
            }
            let body = std::mem::take(&mut response.body);
            let content_type = response.headers.get("content-type").map(String::from);
            let (critic, url) = (Arc::clone(&self.critic), request.url.clone());
            let read = move || examine(&body, content_type.as_deref(), &url, critic.as_ref());
            let reading = tokio::task::spawn_blocking(read).await.ok();
            (exchange, reading.map(Arc::new))
        })
    }
}

/// Does a step.
pub async fn take(step: Step, carriers: Carriers) -> Done {
    match &step.job {
        Job::Visit(waiting) => {
            let request = request(waiting.link.url.clone(), &step);
            let (exchange, reading) = carriers.visit.visit(&request, step.at).await;
            let took = exchange.took;
            Done { step, catch: Catch::Answer(Box::new(exchange), reading), took }
        }
        Job::Probe(waiting) => {
            let (exchange, page) = submit(&waiting.link.task, &step, &carriers).await;
            let took = exchange.took;
            Done { step, catch: Catch::Reply(Box::new(exchange), page), took }
        }
        Job::Robots { request, .. } => {
            let request = Request { body_limit: step.body_limit, ..request.request() };
            let exchange = carriers.fetch.fetch(&request, step.at).await;
            let took = exchange.took;
            Done { step, catch: Catch::Answer(Box::new(exchange), None), took }
        }
        Job::Lookup(waiting) => {
            let found = match &carriers.backlinks {
                Some(source) => source.lookup(&waiting.link.url).await,
                None => Err(FetchError::BadUrl),
            };
            Done { step, catch: Catch::Backlinks(found), took: Duration::ZERO }
        }
        Job::Refused(_) => Done { step, catch: Catch::Nothing, took: Duration::ZERO },
    }
}

fn request(url: Url, step: &Step) -> Request {
    Request { body_limit: step.body_limit, ..Request::get(url) }
}

/// Sends the next request of an inquiry. "Nothing found" may come as a page under any status.
async fn submit(task: &LinkTask, step: &Step, carriers: &Carriers) -> (Exchange, Option<Box<Page>>) {
    let next = if let LinkTask::Probe(inquiry) = task { inquiry.next_request() } else { None };
    let Some(request) = next else {
        return (Exchange { result: Err(FetchError::BadUrl), took: Duration::ZERO, peer: None }, None);
    };
    let request = Request { body_limit: step.body_limit, ..request };
    let mut exchange = carriers.fetch.fetch(&request, step.at).await;
    let Ok(response) = &mut exchange.result else { return (exchange, None) };
    if !is_html(response) {
        return (exchange, None);
    }
    let body = std::mem::take(&mut response.body);
    let content_type = response.headers.get("content-type").map(String::from);
    let read = move || html::parse(&body, content_type.as_deref(), &request.url);
    let page = tokio::task::spawn_blocking(read).await.ok();
    (exchange, page.map(Box::new))
}

/// Reads a document and judges it: bytes in, verdicts out.
pub fn examine(body: &[u8], content_type: Option<&str>, url: &Url, critic: &dyn Critic) -> Reading {
    let page = html::parse(body, content_type, url);
    let verdict = critic.judge_page(&page);
    let forms = page.forms.iter().map(|form| critic.judge_form(form, &page, &verdict)).collect();
    let form_ids = page.forms.iter().map(|form| form_id(form, url)).collect();
    Reading { page, verdict, form_ids, forms }
}
