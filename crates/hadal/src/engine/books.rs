//! What the engine keeps at hand of the store: hosts' rules and sites' tallies, with a cap.
//!
//! Everything here is in the store too; a book that grows too large is simply closed and read again.

use super::hosts::{HostIx, Hosts};
use crate::fetch::robots::Rules;
use crate::store::{HostState, RobotsState, RunId, Store, StoreError};
use hadal_core::address::{Host, Site};
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use std::time::Duration;
use url::Url;

const MOST_HOSTS: usize = 20_000;
const MOST_ROBOTS_BYTES: usize = 32 << 20;
const MOST_SITES: usize = 200_000;

/// What a host's robots.txt says to a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Come in.
    Granted,
    /// Stay out.
    Denied,
    /// Ask again after this moment.
    NotNow(Time),
    /// robots.txt has to be read first, there.
    Ask {
        /// Where.
        url: Url,
        /// Redirects followed so far.
        hops: u8,
    },
}

/// A host at hand.
pub struct KnownHost {
    /// Its state.
    pub state: HostState,
    /// Its robots.txt, parsed.
    pub rules: Option<Rules>,
}

impl KnownHost {
    /// A host nobody has asked anything yet.
    pub fn unmet(host: &Host, agent: &str) -> KnownHost {
        KnownHost::new(unmet(host), agent)
    }

    fn new(state: HostState, agent: &str) -> KnownHost {
        let rules = match &state.robots {
            Some(RobotsState::Text(text)) => Some(Rules::parse(text, agent)),
            _ => None,
        };
        KnownHost { state, rules }
    }

    /// Takes in what robots.txt said.
    pub fn set_robots(&mut self, robots: RobotsState, until: Time, validator: Option<String>, agent: &str) {
        let robots = Some(robots);
        let state =
            HostState { robots, robots_until: until, robots_validator: validator, ..self.state.clone() };
        *self = KnownHost::new(state, agent);
    }

    /// How long robots.txt asks to wait between two visits.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.rules.as_ref().and_then(|rules| rules.crawl_delay())
    }

    /// Whether a page may be visited.
    pub fn permits(&self, url: &Url, now: Time) -> Permission {
        match &self.state.robots {
            Some(RobotsState::Elsewhere { url, hops }) => Permission::Ask { url: url.clone(), hops: *hops },
            Some(_) if self.state.robots_until <= now => ask(url),
            None => ask(url),
            Some(RobotsState::AllowAll) => Permission::Granted,
            Some(RobotsState::DisallowAll) => Permission::NotNow(self.state.robots_until),
            Some(RobotsState::Text(_)) => match &self.rules {
                Some(rules) if !rules.allows(url) => Permission::Denied,
                _ => Permission::Granted,
            },
        }
    }
}

fn ask(page: &Url) -> Permission {
    let mut url = page.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    Permission::Ask { url, hops: 0 }
}

/// The state of a host nobody has asked anything yet.
fn unmet(host: &Host) -> HostState {
    HostState {
        host: host.clone(),
        ip: None,
        robots: None,
        robots_until: Time(0),
        robots_validator: None,
        next_at: Time(0),
        address_next_at: Time(0),
        failures: 0,
        latency_ms: 0,
        requests: 0,
    }
}

/// Hosts at hand.
pub struct HostBook {
    agent: String,
    known: FxHashMap<HostIx, KnownHost>,
    robots_bytes: usize,
}

impl HostBook {
    /// An empty book; robots.txt is read for the agent of this name.
    pub fn new(agent: &str) -> HostBook {
        HostBook { agent: agent.to_string(), known: FxHashMap::default(), robots_bytes: 0 }
    }

    /// A host's page in the book.
    pub fn get(
        &mut self,
        store: &dyn Store,
        run: RunId,
        hosts: &Hosts,
        host: HostIx,
    ) -> Result<&mut KnownHost, StoreError> {
        if !self.known.contains_key(&host) {
            let full = self.known.len() >= MOST_HOSTS || self.robots_bytes >= MOST_ROBOTS_BYTES;
            if full {
                self.known.clear();
                self.robots_bytes = 0;
            }
            let name = hosts.name(host);
            let state = store.host(run, name)?.unwrap_or_else(|| unmet(name));
            self.robots_bytes += robots_bytes(&state);
            self.known.insert(host, KnownHost::new(state, &self.agent));
        }
        Ok(self.known.get_mut(&host).expect("it was put there just now"))
    }

    /// Takes in what a host's robots.txt said; the host has a page in the book.
    pub fn set_robots(&mut self, host: HostIx, robots: RobotsState, until: Time, validator: Option<String>) {
        if let Some(known) = self.known.get_mut(&host) {
            known.set_robots(robots, until, validator, &self.agent);
            self.robots_bytes += robots_bytes(&known.state);
        }
    }
}

fn robots_bytes(state: &HostState) -> usize {
    match &state.robots {
        Some(RobotsState::Text(text)) => text.len(),
        _ => 0,
    }
}

/// Sites at hand.
#[derive(Default)]
pub struct SiteBook(FxHashMap<Site, SiteCounters>);

impl SiteBook {
    /// A site's tally.
    pub fn get(&mut self, store: &dyn Store, run: RunId, site: &Site) -> Result<SiteCounters, StoreError> {
        if let Some(tally) = self.0.get(site) {
            return Ok(*tally);
        }
        let tally = store.site(run, site)?;
        self.set(site.clone(), tally);
        Ok(tally)
    }

    /// Writes a site's tally down.
    pub fn set(&mut self, site: Site, tally: SiteCounters) {
        if self.0.len() >= MOST_SITES {
            self.0.clear();
        }
        self.0.insert(site, tally);
    }
}
