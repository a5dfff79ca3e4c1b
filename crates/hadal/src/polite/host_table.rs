//! Hosts of a session, shared by all that send requests: the engine of a crawl and the clients of its visits, or the
//! clones of one client. So one state decides on every request to a host.

use super::address_claims::AddressClaims;
use super::delay::Politeness;
use super::host_state::{HostCache, HostState, KnownHost, RobotsRequest, RobotsResponse};
use super::hosts::{HeldTurn, HostIx, Hosts, Readiness};
use super::retry::NextAction;
use hadal_core::address::Host;
use hadal_core::http::Exchange;
use hadal_core::time::Time;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use url::Url;

/// Loads the state of a host that an earlier session requested.
pub type LoadState = Box<dyn Fn(&Host) -> Option<HostState> + Send>;

/// Table of hosts behind a lock.
pub struct SharedHosts {
    table: Mutex<HostTable>,
    /// Notified when a turn ends.
    released: Notify,
}

impl SharedHosts {
    /// No hosts. robots.txt is read for the agent with this product token.
    pub fn new(agent: &str, load: LoadState) -> Arc<SharedHosts> {
        let (hosts, cache) = (Hosts::default(), HostCache::new(agent));
        let [loaded, introduced, requested] = std::array::from_fn(|_| BTreeSet::new());
        let table = HostTable { hosts, cache, loaded, introduced, requested, load, claims: None };
        Arc::new(SharedHosts { table: Mutex::new(table), released: Notify::new() })
    }

    /// The table, locked. The lock is not held while a request is under way.
    pub fn table(&self) -> MutexGuard<'_, HostTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a turn.
    pub fn release(&self, turn: HeldTurn, next_at: Time, group_next_at: Time) {
        self.table().hosts.release(turn, next_at, group_next_at);
        self.wake_clients();
    }

    /// Lets clients that wait for a turn or an address look again.
    pub fn wake_clients(&self) {
        self.released.notify_waiters();
    }

    /// Waits until a client may look again. Must be called before the look at the table that leads to the wait.
    pub fn next_release(&self) -> Notified<'_> {
        self.released.notified()
    }
}

/// Turns and known states of hosts.
pub struct HostTable {
    pub hosts: Hosts,
    pub cache: HostCache,
    /// Hosts with their stored address and pauses in `hosts`.
    loaded: BTreeSet<HostIx>,
    /// Hosts that were loaded for a client and that the engine has not met.
    introduced: BTreeSet<HostIx>,
    /// Hosts with a state that a client changed, see [`HostTable::take_requested`].
    requested: BTreeSet<HostIx>,
    load: LoadState,
    /// Addresses of a worker of a shared run; `None` if the run is not shared.
    claims: Option<AddressClaims>,
}

impl HostTable {
    /// Makes these the hosts of a worker of a shared run, which has no address at first.
    pub fn share(&mut self) {
        self.claims = Some(AddressClaims::new(Instant::now()));
    }

    /// Addresses of this worker, if the run is shared.
    pub fn claims(&mut self) -> Option<&mut AddressClaims> {
        self.claims.as_mut()
    }

    /// True if this worker may send a request to a host, by its addresses. Otherwise `waiter` waits for them.
    pub fn may_use(&mut self, host: HostIx, waiter: HostIx) -> bool {
        let (claims, hosts) = (self.claims.as_mut(), &self.hosts);
        claims.is_none_or(|claims| claims.permits(waiter, &hosts.addresses(host), Instant::now()))
    }

    /// Takes the turn of a host, which must be ready.
    pub fn occupy(&mut self, host: HostIx) -> HeldTurn {
        if let Some(claims) = &mut self.claims {
            claims.use_all(&self.hosts.addresses(host));
        }
        self.hosts.occupy(host)
    }

    /// Takes the turns of hosts if all of them are ready.
    pub fn try_occupy(&mut self, hosts: &[HostIx], now: Time) -> Option<Vec<HeldTurn>> {
        let are_ready = hosts.iter().all(|host| self.hosts.readiness(*host, now) == Readiness::Ready);
        are_ready.then(|| hosts.iter().map(|host| self.occupy(*host)).collect())
    }

    /// Gives up addresses that other workers want and no request in flight uses.
    pub fn release_addresses(&mut self) -> Vec<IpAddr> {
        let (claims, hosts) = (self.claims.as_mut(), &self.hosts);
        claims.map(|claims| claims.release(|ip| hosts.is_busy(ip), Instant::now())).unwrap_or_default()
    }

    /// Number of a host for a client. A new host is loaded.
    pub fn host(&mut self, name: &Host) -> HostIx {
        let host = self.hosts.intern(name);
        if self.is_new(host) {
            self.resume(host);
            self.introduced.insert(host);
        }
        host
    }

    /// True unless the address and the pauses of a host were restored.
    pub fn is_new(&self, host: HostIx) -> bool {
        !self.loaded.contains(&host)
    }

    /// Records that the address and the pauses of a host were restored, or that it has none.
    pub fn set_loaded(&mut self, host: HostIx) {
        self.loaded.insert(host);
    }

    /// True once for a host that was loaded for a client.
    pub fn meet(&mut self, host: HostIx) -> bool {
        self.introduced.remove(&host)
    }

    /// Restores the stored address and the pauses of a host.
    pub fn resume(&mut self, host: HostIx) {
        let HostState { ip, next_at, group_next_at, .. } = self.known(host).state;
        self.restore(host, ip, next_at, group_next_at);
    }

    /// Restores the address and the pauses of a host.
    pub fn restore(&mut self, host: HostIx, ip: Option<IpAddr>, next_at: Time, group_next_at: Time) {
        self.set_loaded(host);
        if let Some(ip) = ip {
            self.hosts.learn_address(host, ip);
        }
        self.hosts.delay_until(host, next_at);
        if group_next_at > Time(0) {
            self.hosts.delay_group(host, group_next_at);
        }
    }

    /// State of a host; a new one before the first request.
    pub fn known(&mut self, host: HostIx) -> &mut KnownHost {
        let name = self.hosts.name(host);
        let load = || Ok::<_, Infallible>((self.load)(name).unwrap_or_else(|| HostState::new(name)));
        let Ok(known) = self.cache.get(host, load);
        known
    }

    /// Forgets the state of a host. The next use loads it again.
    pub fn forget(&mut self, host: HostIx) {
        for hosts in [&mut self.loaded, &mut self.introduced, &mut self.requested] {
            hosts.remove(&host);
        }
        self.cache.remove(host);
    }

    /// True if a client changed the state of a host that no step has stored yet.
    pub fn is_requested(&self, host: HostIx) -> bool {
        self.requested.contains(&host)
    }

    /// Records that a client changed the state of a host.
    pub fn set_requested(&mut self, host: HostIx) {
        self.requested.insert(host);
    }

    /// States that clients changed since the last call.
    pub fn take_requested(&mut self) -> Vec<HostState> {
        let requested = std::mem::take(&mut self.requested);
        requested.into_iter().map(|host| self.known(host).state.clone()).collect()
    }

    /// Records an exchange with a host. Returns its new state.
    pub fn record_exchange(
        &mut self,
        host: HostIx,
        exchange: &Exchange,
        next: &NextAction,
        politeness: &Politeness,
        now: Time,
    ) -> &HostState {
        if let Some(ip) = exchange.peer {
            self.hosts.learn_address(host, ip);
        }
        let known = self.known(host);
        known.record_exchange(exchange, next, politeness, now);
        &known.state
    }

    /// Records the response to a request for the robots.txt of `host`, sent to the host `queried_host`. If that is
    /// also the robots.txt of `queried_host`, its rules hold there, too. Returns the new states, `queried_host` first.
    pub fn record_robots(
        &mut self,
        [host, queried_host]: [HostIx; 2],
        (request, exchange): (&RobotsRequest, &Exchange),
        may_follow: &dyn Fn(&Url) -> bool,
        politeness: &Politeness,
        now: Time,
    ) -> Vec<HostState> {
        let [failures, queried_failures] = [host, queried_host].map(|host| self.known(host).state.failures);
        let next = NextAction::Accept;
        let mut queried = self.record_exchange(queried_host, exchange, &next, politeness, now).clone();
        let from_other_host = queried_host != host;
        let fetched = RobotsResponse { request, exchange, failures, from_other_host, may_follow };
        let state = self.store_robots(host, &fetched, politeness, now);
        if !from_other_host {
            return vec![state];
        }
        // The text of this exchange is not in it.
        queried.robots = None;
        if is_robots_url(&request.url) {
            let (request, failures) = (&RobotsRequest { hops: 0, ..request.clone() }, queried_failures);
            let own = RobotsResponse { request, failures, from_other_host: false, ..fetched };
            queried = self.store_robots(queried_host, &own, politeness, now);
        }
        vec![queried, state]
    }

    fn store_robots(
        &mut self,
        host: HostIx,
        fetched: &RobotsResponse<'_>,
        politeness: &Politeness,
        now: Time,
    ) -> HostState {
        self.known(host);
        let load = || Ok::<_, Infallible>(HostState::new(self.hosts.name(host)));
        let Ok(state) = self.cache.record_robots(host, fetched, politeness, now, load);
        self.hosts.delay_until(host, state.next_at);
        state
    }
}

fn is_robots_url(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}
