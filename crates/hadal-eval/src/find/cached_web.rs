//! Fetcher of one crawl on a simulated web, with a page cache shared between crawls.
//!
//! Transfer time and failures of a request depend on when it is sent, so the world computes them each time. The
//! content of a page does not, so each page is generated, parsed and judged once per topic.

use super::compact_page::{pack, trim, unpack};
use super::topic_setup::TopicSetup;
use futures::future::{BoxFuture, ready};
use hadal::backlinks::Backlinks;
use hadal::engine::{ExaminedPage, Visit, VisitContext, VisitResult, examine};
use hadal::fetch::{Fetch, is_page};
use hadal_core::address::LinkId;
use hadal_core::http::{Exchange, FetchError, Request, Response};
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use url::Url;

/// Number of requests by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestCounts {
    /// Requests for robots.txt.
    pub robots: u64,
    /// Backlink look-ups.
    pub lookups: u64,
    /// Page requests, with redirects, failures and retries.
    pub pages: u64,
}

/// Sends the requests of one crawl and counts them.
pub struct CachedWeb {
    setup: Arc<TopicSetup>,
    robots: AtomicU64,
    lookups: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl CachedWeb {
    pub fn new(setup: Arc<TopicSetup>) -> CachedWeb {
        let zero = AtomicU64::default;
        CachedWeb { setup, robots: zero(), lookups: zero(), hits: zero(), misses: zero() }
    }

    /// Requests sent so far.
    pub fn requests(&self) -> RequestCounts {
        let (hits, misses) = self.cache_use();
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        RequestCounts { robots: read(&self.robots), lookups: read(&self.lookups), pages: hits + misses }
    }

    /// Number of cache hits and misses.
    pub fn cache_use(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }

    fn kept(&self, request: &Request, id: LinkId, at: Time) -> Option<VisitResult> {
        let bytes = self.setup.cache.get(id)?;
        let (response, reading) = unpack(&bytes, &request.url)?;
        if response.transferred > request.body_limit {
            return None;
        }
        let (took, peer) = self.setup.known_world.world.delivery(
            request,
            at,
            usize::try_from(response.transferred).ok()?,
        )?;
        Some((Exchange { result: Ok(response), took, peer: Some(peer) }, Some(Arc::new(reading))))
    }

    fn fetch_and_judge(&self, request: &Request, id: LinkId, at: Time) -> VisitResult {
        let mut exchange = self.setup.known_world.world.respond(request, at);
        let Some(response) = exchange.result.as_mut().ok().filter(|response| is_page(response)) else {
            return (exchange, None);
        };
        let body = std::mem::take(&mut response.body);
        let content_type = response.headers.get("content-type").map(String::from);
        let critic = self.setup.critic.as_ref();
        let mut reading = examine(&body, content_type.as_deref(), &request.url, critic);
        trim(&mut reading);
        self.store(request, id, response, &reading);
        (exchange, Some(Arc::new(reading)))
    }

    fn store(&self, request: &Request, id: LinkId, response: &Response, reading: &ExaminedPage) {
        if response.status == 200
            && self.setup.known_world.world.is_static(&request.url)
            && let Some(bytes) = pack(response, reading)
        {
            self.setup.cache.put(id, bytes);
        }
    }
}

impl Visit for CachedWeb {
    fn visit<'a>(&'a self, request: &'a Request, at: Time, _run: VisitContext) -> BoxFuture<'a, VisitResult> {
        let id = LinkId::of(&request.url);
        let kept = self.kept(request, id, at);
        let count = if kept.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        Box::pin(ready(kept.unwrap_or_else(|| self.fetch_and_judge(request, id, at))))
    }
}

impl Fetch for CachedWeb {
    /// Evaluation crawls send no probes, so every request outside [`Visit`] is for robots.txt.
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        self.robots.fetch_add(1, Ordering::Relaxed);
        Box::pin(ready(self.setup.known_world.world.respond(request, at)))
    }
}

impl Backlinks for CachedWeb {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        Box::pin(ready(Ok(self.setup.known_world.world.backlinks(url))))
    }
}
