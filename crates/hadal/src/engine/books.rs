//! What the engine keeps at hand of the store: hosts' rules and sites' tallies, with a cap.
//!
//! Everything here is in the store too; a book that grows too large is simply closed and read again.

use super::hosts::{HostIx, Hosts};
use crate::fetch::robots::{AGENT, Rules};
use crate::store::{HostState, Robots, RunId, Store, StoreError};
use hadal_core::address::{Host, Site};
use hadal_core::strategy::SiteTally;
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use url::Url;

const MOST_HOSTS: usize = 5_000;
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
    fn new(state: HostState) -> KnownHost {
        let rules = match &state.robots {
            Some(Robots::Text(text)) => Some(Rules::parse(text, AGENT)),
            _ => None,
        };
        KnownHost { state, rules }
    }

    /// Takes in what robots.txt said.
    pub fn set_robots(&mut self, robots: Robots, until: Time) {
        self.state.robots = Some(robots);
        self.state.robots_until = until;
        *self = KnownHost::new(self.state.clone());
    }

    /// Whether a page may be visited.
    pub fn permits(&self, url: &Url, now: Time) -> Permission {
        match &self.state.robots {
            Some(Robots::Elsewhere { url, hops }) => Permission::Ask { url: url.clone(), hops: *hops },
            Some(_) if self.state.robots_until <= now => ask(url),
            None => ask(url),
            Some(Robots::AllowAll) => Permission::Granted,
            Some(Robots::DisallowAll) => Permission::NotNow(self.state.robots_until),
            Some(Robots::Text(_)) => match &self.rules {
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
pub fn unmet(host: &Host) -> HostState {
    HostState {
        host: host.clone(),
        ip: None,
        robots: None,
        robots_until: Time(0),
        next_at: Time(0),
        address_next_at: Time(0),
        failures: 0,
        latency_ms: 0,
        requests: 0,
    }
}

/// Hosts at hand.
#[derive(Default)]
pub struct HostBook(FxHashMap<HostIx, KnownHost>);

impl HostBook {
    /// A host's page in the book.
    pub fn get(
        &mut self,
        store: &dyn Store,
        run: RunId,
        hosts: &Hosts,
        host: HostIx,
    ) -> Result<&mut KnownHost, StoreError> {
        if self.0.len() >= MOST_HOSTS && !self.0.contains_key(&host) {
            self.0.clear();
        }
        match self.0.entry(host) {
            std::collections::hash_map::Entry::Occupied(known) => Ok(known.into_mut()),
            std::collections::hash_map::Entry::Vacant(page) => {
                let name = hosts.name(host);
                let state = store.host(run, name)?.unwrap_or_else(|| unmet(name));
                Ok(page.insert(KnownHost::new(state)))
            }
        }
    }
}

/// Sites at hand.
#[derive(Default)]
pub struct SiteBook(FxHashMap<Site, SiteTally>);

impl SiteBook {
    /// A site's tally.
    pub fn get(&mut self, store: &dyn Store, run: RunId, site: &Site) -> Result<SiteTally, StoreError> {
        if let Some(tally) = self.0.get(site) {
            return Ok(*tally);
        }
        let tally = store.site(run, site)?;
        self.set(site.clone(), tally);
        Ok(tally)
    }

    /// Writes a site's tally down.
    pub fn set(&mut self, site: Site, tally: SiteTally) {
        if self.0.len() >= MOST_SITES {
            self.0.clear();
        }
        self.0.insert(site, tally);
    }
}
