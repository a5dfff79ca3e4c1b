//! Hosts of a run: the scheduler, and host states that are loaded from the store.

use super::frontier::RunStore;
use crate::polite::delay::MAX_CRAWL_DELAY;
use crate::polite::retry::NextAction;
use crate::polite::{
    HostCache, HostIx, Hosts, KnownHost, Permission, Politeness, RobotsRequest, RobotsResponse,
};
use crate::store::{AddressGrant, HostState, Partition, RequestedHost, StoreError};
use hadal_core::address::Host;
use hadal_core::http::Exchange;
use hadal_core::time::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use url::Url;

/// Pauses and robots.txt permissions of the hosts of a run.
pub struct RunHosts {
    store: RunStore,
    politeness: Politeness,
    /// Turns of hosts.
    pub scheduler: Hosts,
    cache: HostCache,
    /// Hosts with their stored address and pause in the scheduler.
    loaded: BTreeSet<HostIx>,
    /// Partitions of workers that lost their lease, with the time of the take-over.
    taken_over: BTreeMap<Partition, Time>,
    /// Hosts of these partitions that were already delayed once after the take-over.
    rested: BTreeSet<HostIx>,
}

impl RunHosts {
    /// No hosts. robots.txt is read for the agent with this product token.
    pub fn new(store: RunStore, politeness: Politeness, agent: &str) -> RunHosts {
        RunHosts {
            store,
            politeness,
            scheduler: Hosts::default(),
            cache: HostCache::new(agent),
            loaded: BTreeSet::new(),
            taken_over: BTreeMap::new(),
            rested: BTreeSet::new(),
        }
    }

    /// Records partitions of workers that lost their lease. A lost worker may have sent a request to any of their hosts
    /// shortly before, so each of them keeps a pause from now on.
    pub fn take_over(&mut self, partitions: BTreeSet<Partition>, now: Time) {
        self.taken_over.retain(|_, since| since.after(MAX_CRAWL_DELAY) > now);
        if self.taken_over.is_empty() || !partitions.is_empty() {
            self.rested.clear();
        }
        self.taken_over.extend(partitions.into_iter().map(|partition| (partition, now)));
    }

    /// End of the pause of a host after the take-over of its partition; `None` if it has kept one.
    pub fn rest_after_take_over(&mut self, host: HostIx) -> Result<Option<Time>, StoreError> {
        if self.taken_over.is_empty() || self.rested.contains(&host) {
            return Ok(None);
        }
        let partition = Partition::of(self.scheduler.name(host));
        let Some(since) = self.taken_over.get(&partition).copied() else { return Ok(None) };
        self.rested.insert(host);
        let politeness = self.politeness;
        let known = self.known(host)?;
        known.record_interruption(since, &politeness);
        Ok(Some(known.state.next_at))
    }

    /// Loads the address and the pauses of a host that an earlier session requested.
    pub fn load_requested(&mut self, known: &RequestedHost, now: Time) -> HostIx {
        let host = self.load_unrequested(&known.host);
        if let Some(ip) = known.ip {
            self.scheduler.learn_address(host, ip);
        }
        self.scheduler.delay_until(host, known.next_at);
        if known.group_next_at > now {
            self.scheduler.delay_group(host, known.group_next_at);
        }
        host
    }

    /// Number of a host. Its address and pauses were loaded before, or it has none.
    pub fn load_unrequested(&mut self, name: &Host) -> HostIx {
        let host = self.scheduler.intern(name);
        self.loaded.insert(host);
        host
    }

    /// Delays an address that this worker has just been granted: by the pause that the last owner reported, or by a
    /// full delay if its owner was lost and may have sent a request just before.
    pub fn rest_address(&mut self, grant: &AddressGrant, now: Time) {
        let lost = if grant.is_abandoned { self.politeness.delay } else { Duration::ZERO };
        self.scheduler.rest_address(grant.address, now.after(grant.pause.max(lost)));
    }

    /// Removes an idle host from memory. Its state stays in the store.
    pub fn remove(&mut self, host: HostIx, now: Time) {
        self.forget(host);
        self.scheduler.remove(host, now);
    }

    /// Number of a host, and true when it is new in this session.
    pub fn load(&mut self, name: &Host) -> Result<(HostIx, bool), StoreError> {
        if let Some(host) = self.scheduler.find(name).filter(|host| self.loaded.contains(host)) {
            return Ok((host, false));
        }
        let host = self.scheduler.intern(name);
        self.loaded.insert(host);
        let state = &self.known(host)?.state;
        let (ip, next_at) = (state.ip, state.next_at);
        if let Some(ip) = ip {
            self.scheduler.learn_address(host, ip);
        }
        self.scheduler.delay_until(host, next_at);
        Ok((host, true))
    }

    /// Lets a host that failed be tried at once: its own pause ends, and robots.txt is fetched again. Must be called
    /// before the host is loaded. False if the host did not fail.
    fn try_at_once(&mut self, name: &Host) -> Result<bool, StoreError> {
        let host = self.scheduler.intern(name);
        let state = &mut self.known(host)?.state;
        let has_failed = state.failures > 0;
        if has_failed {
            (state.next_at, state.robots_until) = (Time(0), Time(0));
        }
        Ok(has_failed)
    }

    /// Lets the hosts of some URLs be tried at once if they failed. `requested` are hosts that are loaded later.
    pub fn try_all_at_once(
        &mut self,
        urls: &[Url],
        requested: &mut [RequestedHost],
    ) -> Result<(), StoreError> {
        let mut failed = BTreeSet::new();
        for host in urls.iter().map(Host::of) {
            if self.try_at_once(&host)? {
                failed.insert(host);
            }
        }
        let failed = requested.iter_mut().filter(|known| failed.contains(&known.host));
        failed.for_each(|known| known.next_at = Time(0));
        Ok(())
    }

    /// True when the last request to the host of each URL failed.
    pub fn are_all_failing(&mut self, urls: &[Url]) -> Result<bool, StoreError> {
        for url in urls {
            let host = self.scheduler.intern(&Host::of(url));
            if self.known(host)?.state.failures == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Forgets the state of a host, which the store or another worker holds from now on.
    pub fn forget(&mut self, host: HostIx) {
        self.loaded.remove(&host);
        self.cache.remove(host);
    }

    /// State of a host, from the cache or the store.
    pub fn known(&mut self, host: HostIx) -> Result<&mut KnownHost, StoreError> {
        let (name, store) = (self.scheduler.name(host), &self.store);
        self.cache.get(host, || store.host_state(name))
    }

    /// Permission of a host's robots.txt for a URL.
    pub fn permission(&mut self, host: HostIx, url: &Url, now: Time) -> Result<Permission, StoreError> {
        Ok(self.known(host)?.permission(url, now))
    }

    /// Ends the request in flight. `states` holds the new state of the host, if the step recorded one. Returns the
    /// hosts with a readiness that may have changed.
    pub fn release(&mut self, host: HostIx, states: &[HostState]) -> Vec<HostIx> {
        let state = states.iter().find(|state| state.host == *self.scheduler.name(host));
        let (next_at, group_next_at) =
            state.map(|state| (state.next_at, state.group_next_at)).unwrap_or_default();
        self.scheduler.release(host, next_at, group_next_at)
    }

    /// Records an exchange with a host. Returns its new state, in which robots.txt is unchanged.
    pub fn record_exchange(
        &mut self,
        host: HostIx,
        exchange: &Exchange,
        next: &NextAction,
        now: Time,
    ) -> Result<HostState, StoreError> {
        if let Some(ip) = exchange.peer {
            self.scheduler.learn_address(host, ip);
        }
        let politeness = self.politeness;
        let known = self.known(host)?;
        known.record_exchange(exchange, next, &politeness, now);
        Ok(HostState { robots: None, ..known.state.clone() })
    }

    /// Records the response to a request for the robots.txt of `host`, sent to the host `queried_host`. If that is
    /// also the robots.txt of `queried_host`, its rules hold there, too. Returns the new states of both.
    pub fn record_robots(
        &mut self,
        [host, queried_host]: [HostIx; 2],
        request: &RobotsRequest,
        exchange: &Exchange,
        may_follow: &dyn Fn(&Url) -> bool,
        now: Time,
    ) -> Result<Vec<HostState>, StoreError> {
        let failures = self.known(host)?.state.failures;
        let queried_failures = self.known(queried_host)?.state.failures;
        let from_other_host = queried_host != host;
        let mut queried_state = self.record_exchange(queried_host, exchange, &NextAction::Accept, now)?;
        let fetched = RobotsResponse { request, exchange, failures, from_other_host, may_follow };
        let state = self.store_robots(host, &fetched, now)?;
        if !from_other_host {
            return Ok(vec![state]);
        }
        if is_robots_url(&request.url) {
            let request = RobotsRequest { hops: 0, ..request.clone() };
            let (request, failures) = (&request, queried_failures);
            let own = RobotsResponse { request, failures, from_other_host: false, ..fetched };
            queried_state = self.store_robots(queried_host, &own, now)?;
        }
        Ok(vec![queried_state, state])
    }

    fn store_robots(
        &mut self,
        host: HostIx,
        fetched: &RobotsResponse<'_>,
        now: Time,
    ) -> Result<HostState, StoreError> {
        let (name, store) = (self.scheduler.name(host), &self.store);
        let load = || store.host_state(name);
        self.cache.record_robots(host, fetched, &self.politeness, now, load)
    }

    /// Records that a request sent at `sent` has no known response. Returns the new state of the host.
    pub fn record_interruption(&mut self, host: HostIx, sent: Time) -> Result<HostState, StoreError> {
        let politeness = self.politeness;
        let known = self.known(host)?;
        known.record_interruption(sent, &politeness);
        Ok(HostState { robots: None, ..known.state.clone() })
    }
}

fn is_robots_url(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}
