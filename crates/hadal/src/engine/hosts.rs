//! Hosts of a run: the scheduler, and host states that are loaded from the store.

use super::frontier::RunStore;
use crate::polite::delay::MAX_CRAWL_DELAY;
use crate::polite::retry::NextAction;
use crate::polite::{
    HeldTurn, HostIx, HostTable, KnownHost, Permission, Politeness, RobotsRequest, SharedHosts,
};
use crate::store::{AddressGrant, HostState, Partition, RequestedHost, StoreError};
use hadal_core::address::Host;
use hadal_core::http::Exchange;
use hadal_core::time::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};
use url::Url;

/// Pauses and robots.txt permissions of the hosts of a run.
pub struct RunHosts {
    store: RunStore,
    politeness: Politeness,
    /// Turns and states of hosts, shared with the clients of visits.
    shared: Arc<SharedHosts>,
    /// Partitions of workers that lost their lease or were killed, with the time of the take-over.
    taken_over: BTreeMap<Partition, Time>,
    /// Hosts of these partitions that were already delayed once after the take-over.
    rested: BTreeSet<HostIx>,
}

impl RunHosts {
    /// No hosts. robots.txt is read for the agent with this product token.
    pub fn new(store: RunStore, politeness: Politeness, agent: &str) -> RunHosts {
        // An error of the store ends the crawl at the next step.
        let shared = SharedHosts::new(agent, Box::new(store.host_loader()));
        RunHosts { store, politeness, shared, taken_over: BTreeMap::new(), rested: BTreeSet::new() }
    }

    /// Hosts for the clients of visits.
    pub fn shared(&self) -> Arc<SharedHosts> {
        Arc::clone(&self.shared)
    }

    /// Turns and states of hosts.
    pub fn table(&self) -> MutexGuard<'_, HostTable> {
        self.shared.table()
    }

    /// Records partitions of workers that lost their lease, or all of them after a kill. A lost worker may have sent a
    /// request to any of their hosts shortly before, so each of them keeps a pause from now on.
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
        let partition = Partition::of(&self.name(host));
        let Some(since) = self.taken_over.get(&partition).copied() else { return Ok(None) };
        self.rested.insert(host);
        Ok(Some(self.record_interruption(host, since)?.next_at))
    }

    /// Loads the address and the pauses of a host that an earlier session requested.
    pub fn load_requested(&mut self, known: &RequestedHost, now: Time) -> HostIx {
        let mut table = self.table();
        let host = table.hosts.intern(&known.host);
        let group_next_at = if known.group_next_at > now { known.group_next_at } else { Time(0) };
        table.restore(host, known.ip, known.next_at, group_next_at);
        host
    }

    /// Number of a host. Its address and pauses were loaded before, or it has none.
    pub fn load_unrequested(&mut self, name: &Host) -> HostIx {
        let mut table = self.table();
        let host = table.hosts.intern(name);
        table.set_loaded(host);
        host
    }

    /// Takes over the result of a claim of addresses. Returns the hosts that need not wait any longer.
    ///
    /// A granted address is delayed: by the pause that the last owner reported, or by a full delay if its owner was
    /// lost and may have sent a request just before.
    pub fn receive_addresses(
        &mut self,
        claimed: &[IpAddr],
        granted: &[AddressGrant],
        now: Time,
    ) -> Vec<HostIx> {
        let table = &mut *self.table();
        for grant in granted {
            let lost = if grant.is_abandoned { self.politeness.delay } else { Duration::ZERO };
            table.hosts.rest_address(grant.address, now.after(grant.pause.max(lost)));
        }
        let granted: Vec<IpAddr> = granted.iter().map(|grant| grant.address).collect();
        let freed = table.claims().map(|claims| claims.receive(claimed, &granted, Instant::now()));
        self.shared.wake_clients();
        freed.unwrap_or_default()
    }

    /// Name of a host.
    pub fn name(&self, host: HostIx) -> Host {
        self.table().hosts.name(host).clone()
    }

    /// Removes an idle host from memory. Its state stays in the store.
    pub fn remove(&mut self, host: HostIx, now: Time) {
        let mut table = self.table();
        table.forget(host);
        table.hosts.remove(host, now);
    }

    /// Number of a host, and true when it is new in this session.
    pub fn load(&mut self, name: &Host) -> Result<(HostIx, bool), StoreError> {
        let mut table = self.table();
        let host = table.hosts.intern(name);
        if !table.is_new(host) {
            return Ok((host, table.meet(host)));
        }
        drop(table);
        self.known(host, |_| ())?;
        self.table().resume(host);
        Ok((host, true))
    }

    /// Lets the hosts of some URLs be tried at once if the last request to them failed without a response: the back-off
    /// ends, and robots.txt is fetched again. Pauses that a server asked for hold. `requested` are hosts that are loaded
    /// later.
    pub fn try_all_at_once(
        &mut self,
        urls: &[Url],
        requested: &mut [RequestedHost],
    ) -> Result<(), StoreError> {
        let mut failing = Vec::new();
        for name in urls.iter().map(Host::of) {
            let host = self.table().hosts.intern(&name);
            if self.failures(host)? > 0 {
                failing.push(name);
            }
        }
        for name in self.store.silent_hosts(failing)? {
            let host = self.table().hosts.intern(&name);
            let next_at = self.known(host, KnownHost::end_back_off)?;
            let requested = requested.iter_mut().filter(|known| known.host == name);
            requested.for_each(|known| known.next_at = next_at);
        }
        Ok(())
    }

    /// True when the last request to the host of each URL failed.
    pub fn are_all_failing(&mut self, urls: &[Url]) -> Result<bool, StoreError> {
        for url in urls {
            let host = self.table().hosts.intern(&Host::of(url));
            if self.failures(host)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Forgets the state of a host, which the store or another worker holds from now on.
    pub fn forget(&mut self, host: HostIx) {
        self.table().forget(host);
    }

    /// Reads or changes the state of a host, from the cache or the store.
    fn known<T>(&self, host: HostIx, use_it: impl FnOnce(&mut KnownHost) -> T) -> Result<T, StoreError> {
        let table = &mut *self.table();
        let name = table.hosts.name(host);
        Ok(use_it(table.cache.get(host, || self.store.host_state(name))?))
    }

    /// Failures of a host in a row.
    pub fn failures(&self, host: HostIx) -> Result<u32, StoreError> {
        self.known(host, |known| known.state.failures)
    }

    /// Permission of a host's robots.txt for a URL.
    pub fn permission(&self, host: HostIx, url: &Url, now: Time) -> Result<Permission, StoreError> {
        self.known(host, |known| known.permission(url, now))
    }

    /// Request for the robots.txt of a host at `url`.
    pub fn robots_request(&self, host: HostIx, url: Url, hops: u8) -> Result<RobotsRequest, StoreError> {
        self.known(host, |known| known.robots_request(url, hops))
    }

    /// Ends the turn of a step. `states` holds the new state of the host, if the step recorded one. Returns the hosts
    /// with a readiness that may have changed.
    pub fn release(&mut self, turn: HeldTurn, states: &[HostState]) -> Vec<HostIx> {
        let name = self.name(turn.host);
        let state = states.iter().find(|state| state.host == name);
        let (next_at, group_next_at) =
            state.map(|state| (state.next_at, state.group_next_at)).unwrap_or_default();
        self.shared.release(turn, next_at, group_next_at);
        self.table().hosts.take_changed()
    }

    /// Records an exchange with a host. Returns its new state, in which robots.txt is unchanged.
    pub fn record_exchange(
        &mut self,
        host: HostIx,
        exchange: &Exchange,
        next: &NextAction,
        now: Time,
    ) -> Result<HostState, StoreError> {
        self.known(host, |_| ())?;
        let state = self.table().record_exchange(host, exchange, next, &self.politeness, now).clone();
        Ok(HostState { robots: None, ..state })
    }

    /// States of hosts that received further requests of visits.
    pub fn take_requested(&mut self) -> Vec<HostState> {
        self.table().take_requested()
    }

    /// Records the response to a request for the robots.txt of the first host, sent to the second. Returns the new
    /// states of both.
    pub fn record_robots(
        &mut self,
        hosts: [HostIx; 2],
        (request, exchange): (&RobotsRequest, &Exchange),
        may_follow: &dyn Fn(&Url) -> bool,
        now: Time,
    ) -> Result<Vec<HostState>, StoreError> {
        for host in hosts {
            self.known(host, |_| ())?;
        }
        let politeness = &self.politeness;
        Ok(self.table().record_robots(hosts, (request, exchange), may_follow, politeness, now))
    }

    /// Records that a request sent at `sent` has no known response. Returns the new state of the host.
    pub fn record_interruption(&mut self, host: HostIx, sent: Time) -> Result<HostState, StoreError> {
        let politeness = self.politeness;
        self.known(host, |known| {
            known.record_interruption(sent, &politeness);
            HostState { robots: None, ..known.state.clone() }
        })
    }
}
