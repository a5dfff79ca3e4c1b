//! Carries the requests of one crawl into a simulated web, and remembers pages for the others.
//!
//! The world is asked how an answer travels each time, because that depends on the moment; what a page
//! says does not, so it is written, read and judged once per topic.

use super::arena::Arena;
use super::compact::{pack, trim, unpack};
use futures::future::{BoxFuture, ready};
use hadal::backlinks::Backlinks;
use hadal::engine::{Reading, Visit, Visited, examine, is_page};
use hadal::fetch::Fetch;
use hadal_core::address::LinkId;
use hadal_core::http::{Exchange, FetchError, Request, Response};
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use url::Url;

/// Requests by what they were for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByKind {
    /// robots.txt.
    pub robots: u64,
    /// Who links to an address.
    pub lookups: u64,
    /// Pages, redirects, failures and retries included.
    pub pages: u64,
}

/// What one crawl asks, and what it found on the shelf.
pub struct Carrier {
    arena: Arc<Arena>,
    robots: AtomicU64,
    lookups: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Carrier {
    /// Nothing asked yet.
    pub fn new(arena: Arc<Arena>) -> Carrier {
        let zero = AtomicU64::default;
        Carrier { arena, robots: zero(), lookups: zero(), hits: zero(), misses: zero() }
    }

    /// Requests so far.
    pub fn requests(&self) -> ByKind {
        let (hits, misses) = self.shelf_use();
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        ByKind { robots: read(&self.robots), lookups: read(&self.lookups), pages: hits + misses }
    }

    /// Visits that were served from the shelf, and those that were not.
    pub fn shelf_use(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }

    fn kept(&self, request: &Request, id: LinkId, at: Time) -> Option<Visited> {
        let bytes = self.arena.shelf.get(id)?;
        let (response, reading) = unpack(&bytes, &request.url)?;
        if response.transferred > request.body_limit {
            return None;
        }
        let (took, peer) =
            self.arena.ground.world.delivery(request, at, usize::try_from(response.transferred).ok()?)?;
        Some((Exchange { result: Ok(response), took, peer: Some(peer) }, Some(Arc::new(reading))))
    }

    fn go(&self, request: &Request, id: LinkId, at: Time) -> Visited {
        let mut exchange = self.arena.ground.world.respond(request, at);
        let Some(response) = exchange.result.as_mut().ok().filter(|response| is_page(response)) else {
            return (exchange, None);
        };
        let body = std::mem::take(&mut response.body);
        let content_type = response.headers.get("content-type").map(String::from);
        let critic = self.arena.critic.as_ref();
        let mut reading = examine(&body, content_type.as_deref(), &request.url, critic);
        trim(&mut reading);
        self.keep(request, id, response, &reading);
        (exchange, Some(Arc::new(reading)))
    }

    fn keep(&self, request: &Request, id: LinkId, response: &Response, reading: &Reading) {
        if response.status == 200
            && self.arena.ground.world.is_static(&request.url)
            && let Some(bytes) = pack(response, reading)
        {
            self.arena.shelf.put(id, bytes);
        }
    }
}

impl Visit for Carrier {
    fn visit<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Visited> {
        let id = LinkId::of(&request.url);
        let kept = self.kept(request, id, at);
        let count = if kept.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        Box::pin(ready(kept.unwrap_or_else(|| self.go(request, id, at))))
    }
}

impl Fetch for Carrier {
    /// All that is fetched and not visited is robots.txt: no form is asked in an evaluation.
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        self.robots.fetch_add(1, Ordering::Relaxed);
        Box::pin(ready(self.arena.ground.world.respond(request, at)))
    }
}

impl Backlinks for Carrier {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        Box::pin(ready(Ok(self.arena.ground.world.backlinks(url))))
    }
}
