//! Carries the requests of harvests: within robots.txt and budget, one at a time to a place, with pauses.
//!
//! Harvests side by side share one courier, so that two forms of one host or one address take turns. A
//! retry and a robots.txt are requests like others: each waits for its turn and is charged.

use super::pace::Pace;
use crate::engine::{KnownHost, Permission};
use crate::fetch::Fetch;
use crate::fetch::politeness::{Politeness, next_request_at};
use crate::fetch::retry::{self, Next};
use crate::fetch::robots::{RobotsReading, interpret};
use crate::store::RobotsState;
use hadal_core::address::Host;
use hadal_core::http::{Exchange, Request};
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use url::Url;

/// How long a host may ask to be left alone before its harvest ends for today.
const PATIENCE: Duration = Duration::from_secs(600);
/// robots.txt may be this many redirects away (RFC 9309, section 2.3.1.2).
const MOST_ROBOTS_HOPS: u8 = 5;
const A_DAY: Duration = Duration::from_secs(86_400);

/// Carries requests politely.
pub struct Courier {
    fetch: Arc<dyn Fetch>,
    politeness: Politeness,
    agent: String,
    body_limit: u64,
    purse: Purse,
    stop: watch::Receiver<bool>,
    hosts: Mutex<FxHashMap<Host, KnownHost>>,
    places: Mutex<FxHashMap<String, Arc<tokio::sync::Mutex<Time>>>>,
}

/// What all harvests together may spend, and have spent.
#[derive(Debug, Default)]
pub struct Purse {
    /// Requests at most.
    pub requests: Option<u64>,
    /// Bytes of bodies at most.
    pub bytes: Option<u64>,
    spent_requests: AtomicU64,
    spent_bytes: AtomicU64,
}

impl Purse {
    /// A purse from which some was spent before.
    pub fn new(requests: Option<u64>, bytes: Option<u64>, spent: (u64, u64)) -> Purse {
        let (spent_requests, spent_bytes) = (AtomicU64::new(spent.0), AtomicU64::new(spent.1));
        Purse { requests, bytes, spent_requests, spent_bytes }
    }

    /// Takes one request out, if there is one. Who has so many left of its own takes none.
    fn pay(&self, own: Option<u64>) -> bool {
        let has_bytes = self.bytes.is_none_or(|most| self.spent_bytes.load(Ordering::Relaxed) < most);
        if let Some(left) = own {
            return has_bytes && left > 0;
        }
        let most = self.requests.unwrap_or(u64::MAX);
        let one_more = |spent| (has_bytes && spent < most).then_some(spent + 1);
        self.spent_requests.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }
}

/// What came of a request.
#[derive(Debug)]
pub struct Delivered {
    /// The answer, or why there is none.
    pub result: Result<Exchange, Undelivered>,
    /// Requests it took: retries and robots.txt too.
    pub requests: u32,
    /// Bytes of body.
    pub bytes: u64,
}

/// Why a request was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// robots.txt forbids it.
    #[error("robots.txt forbids it")]
    Forbidden,
    /// The host asks for more patience than a session has.
    #[error("the host asks for more patience than we have")]
    Patience,
    /// Nothing is left to spend.
    #[error("the budget is spent")]
    Spent,
    /// Somebody said stop.
    #[error("stopped")]
    Stopped,
}

impl Courier {
    /// A courier who knows no host yet.
    pub fn new(
        fetch: Arc<dyn Fetch>,
        politeness: Politeness,
        agent: &str,
        body_limit: u64,
        purse: Purse,
        stop: watch::Receiver<bool>,
    ) -> Courier {
        let (hosts, places) = (Mutex::default(), Mutex::default());
        Courier { fetch, politeness, agent: agent.to_string(), body_limit, purse, stop, hosts, places }
    }

    /// Sends a request when it may be sent, and again when that may help.
    pub async fn deliver(&self, request: &Request, pace: &mut Pace) -> Delivered {
        self.deliver_for(request, pace, None).await
    }

    /// The same for somebody who has so many requests of its own, rather than what is in the purse.
    pub async fn deliver_for(&self, request: &Request, pace: &mut Pace, own: Option<u64>) -> Delivered {
        let mut journey = Journey { courier: self, pace, own, requests: 0, bytes: 0 };
        let result = match journey.ask_leave(&request.url).await {
            Ok(()) => journey.send_until_settled(request).await,
            Err(why) => Err(why),
        };
        Delivered { result, requests: journey.requests, bytes: journey.bytes }
    }

    /// Sends nothing for a while, unless somebody says stop.
    pub async fn rest(&self, time: Duration) -> Result<(), Undelivered> {
        let mut stop = self.stop.clone();
        tokio::select! {
            biased;
            Ok(_) = stop.wait_for(|stop| *stop) => Err(Undelivered::Stopped),
            () = tokio::time::sleep(time) => Ok(()),
        }
    }

    fn hosts(&self) -> MutexGuard<'_, FxHashMap<Host, KnownHost>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a host, or changes what is known of it.
    fn with_host<T>(&self, host: &Host, act: impl FnOnce(&mut KnownHost) -> T) -> T {
        let mut hosts = self.hosts();
        act(hosts.entry(host.clone()).or_insert_with(|| KnownHost::unmet(host, &self.agent)))
    }

    /// Whoever holds this is the only one to ask at the place of a host.
    fn turn(&self, host: &Host) -> Arc<tokio::sync::Mutex<Time>> {
        let address = self.with_host(host, |known| known.state.ip);
        let place = address.map_or_else(|| host.politeness_group().to_string(), |ip: IpAddr| ip.to_string());
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(places.entry(place).or_default())
    }
}

/// One request on its way, with what has to be sent before it can be.
struct Journey<'a> {
    courier: &'a Courier,
    pace: &'a mut Pace,
    own: Option<u64>,
    requests: u32,
    bytes: u64,
}

impl Journey<'_> {
    /// Reads robots.txt where that is due, and asks it.
    async fn ask_leave(&mut self, url: &Url) -> Result<(), Undelivered> {
        let host = Host::of(url);
        loop {
            let now = self.pace.now();
            match self.courier.with_host(&host, |known| known.permits(url, now)) {
                Permission::Granted => return Ok(()),
                Permission::Denied => return Err(Undelivered::Forbidden),
                Permission::NotNow(until) => self.wait_until(until).await?,
                Permission::Ask { url, hops } => self.read_robots(&host, url, hops).await?,
            }
        }
    }

    async fn read_robots(&mut self, host: &Host, url: Url, hops: u8) -> Result<(), Undelivered> {
        let exchange = self.send(&Request::get(url.clone())).await?;
        let now = self.pace.now();
        let failures = self.courier.with_host(host, |known| known.state.failures);
        let (robots, until) = match interpret(&url, &exchange, failures, now) {
            RobotsReading::Known(robots, until) => (robots, until),
            RobotsReading::Redirect(url) if hops < MOST_ROBOTS_HOPS => {
                (RobotsState::Elsewhere { url, hops: hops + 1 }, now)
            }
            RobotsReading::Redirect(_) => (RobotsState::AllowAll, now.after(A_DAY)),
        };
        let agent = &self.courier.agent;
        self.courier.with_host(host, |known| known.set_robots(robots, until, None, agent));
        Ok(())
    }

    async fn send_until_settled(&mut self, request: &Request) -> Result<Exchange, Undelivered> {
        let host = Host::of(&request.url);
        let mut attempts = 0;
        loop {
            let exchange = self.send(request).await?;
            let failures = self.courier.with_host(&host, |known| known.state.failures);
            match retry::after(&request.url, &exchange, attempts, failures, self.pace.now()) {
                Next::Retry { at, host_until, .. } => {
                    attempts += 1;
                    self.wait_until(at.max(host_until.unwrap_or(at))).await?;
                }
                Next::Accept | Next::Redirect(_) | Next::GiveUp(_) => return Ok(exchange),
            }
        }
    }

    /// One request, in turn.
    async fn send(&mut self, request: &Request) -> Result<Exchange, Undelivered> {
        let courier = self.courier;
        let host = Host::of(&request.url);
        let turn = courier.turn(&host);
        let mut next_at = turn.lock().await;
        self.wait_until(*next_at).await?;
        let own = self.own.map(|own| own.saturating_sub(self.requests.into()));
        if !courier.purse.pay(own) {
            return Err(Undelivered::Spent);
        }
        self.requests += 1;
        let request = Request { body_limit: courier.body_limit, ..request.clone() };
        let exchange = courier.fetch.fetch(&request, self.pace.now()).await;
        self.pace.pass(exchange.took);
        let bytes = exchange.result.as_ref().map_or(0, |response| response.transferred);
        self.bytes += bytes;
        courier.purse.spent_bytes.fetch_add(bytes, Ordering::Relaxed);
        let crawl_delay = courier.with_host(&host, |known| {
            known.state.ip = exchange.peer.or(known.state.ip);
            known.state.failures = if is_trouble(&exchange) { known.state.failures + 1 } else { 0 };
            known.crawl_delay()
        });
        *next_at = next_request_at(self.pace.now(), exchange.took, &courier.politeness, crawl_delay);
        Ok(exchange)
    }

    async fn wait_until(&mut self, at: Time) -> Result<(), Undelivered> {
        if self.pace.now().until(at) > PATIENCE {
            return Err(Undelivered::Patience);
        }
        let mut stop = self.courier.stop.clone();
        tokio::select! {
            biased;
            Ok(_) = stop.wait_for(|stop| *stop) => Err(Undelivered::Stopped),
            () = self.pace.reach(at) => Ok(()),
        }
    }
}

fn is_trouble(exchange: &Exchange) -> bool {
    exchange.result.as_ref().map_or(true, |response| response.status >= 500 || response.status == 429)
}
