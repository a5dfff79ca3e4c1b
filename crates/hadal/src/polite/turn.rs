//! Turns of the users of one client: one request to a host at a time, with a pause after each.

use super::delay::{Politeness, next_request_at};
use super::host_state::{HostCache, HostState, KnownHost, RobotsRequest, RobotsResponse};
use super::hosts::{HostIx, Hosts, Readiness};
use super::retry::{NextAction, next_action};
use hadal_core::http::Exchange;
use hadal_core::time::Time;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use url::Url;

/// State of hosts that the clones of a client share.
pub struct SharedHosts {
    table: Mutex<HostTable>,
    /// Notified when a request ends.
    pub released: Notify,
}

/// Turns and known states of hosts.
pub struct HostTable {
    pub hosts: Hosts,
    known: HostCache,
}

impl HostTable {
    /// State of a host; a new one before the first request.
    pub fn known(&mut self, host: HostIx) -> &mut KnownHost {
        let load = || Ok::<_, Infallible>(HostState::new(self.hosts.name(host)));
        let Ok(known) = self.known.get(host, load);
        known
    }

    /// Takes over the state of a host to which another client sent requests. The later end of a pause holds.
    pub fn adopt(&mut self, state: HostState) {
        let host = self.hosts.intern(&state.host);
        if let Some(ip) = state.ip {
            self.hosts.learn_address(host, ip);
        }
        self.hosts.delay_until(host, state.next_at);
        self.hosts.delay_group(host, state.group_next_at);
        self.known.remove(host);
        let load = || Ok::<_, Infallible>(state);
        let Ok(_) = self.known.get(host, load);
    }
}

impl SharedHosts {
    /// No hosts. robots.txt is read for the agent with this product token.
    pub fn new(agent: &str) -> Arc<SharedHosts> {
        let table = HostTable { hosts: Hosts::default(), known: HostCache::new(agent) };
        Arc::new(SharedHosts { table: Mutex::new(table), released: Notify::new() })
    }

    pub fn table(&self) -> MutexGuard<'_, HostTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Right to send one request to a host. A turn that is dropped after [`Turn::note_sent`] still leaves a pause behind.
pub struct Turn {
    shared: Arc<SharedHosts>,
    politeness: Politeness,
    host: HostIx,
    next_at: Time,
    group_next_at: Time,
}

impl Turn {
    /// Takes the turn of a host that is ready. Otherwise returns its readiness.
    pub fn take(
        shared: &Arc<SharedHosts>,
        politeness: Politeness,
        host: HostIx,
        now: Time,
    ) -> Result<Turn, Readiness> {
        let mut table = shared.table();
        match table.hosts.readiness(host, now) {
            Readiness::Ready => table.hosts.occupy(host),
            other => return Err(other),
        }
        let shared = Arc::clone(shared);
        Ok(Turn { shared, politeness, host, next_at: Time(0), group_next_at: Time(0) })
    }

    /// Sets the pause for the case that the response is never recorded, because the caller was cancelled.
    pub fn note_sent(&mut self, now: Time) {
        let crawl_delay = self.shared.table().known(self.host).crawl_delay();
        self.next_at = next_request_at(now, Duration::ZERO, &self.politeness, crawl_delay);
        self.group_next_at = next_request_at(now, Duration::ZERO, &self.politeness, None);
    }

    /// Ends the turn with the response to a page request, and decides what follows from it.
    pub fn end(mut self, url: &Url, exchange: &Exchange, attempts: u8, now: Time) -> NextAction {
        let table = &mut *self.shared.table();
        let failures = table.known(self.host).state.failures;
        let next = next_action(url, exchange, attempts, failures, now);
        (self.next_at, self.group_next_at) = self.record(table, exchange, &next, now);
        next
    }

    /// Ends the turn with the response to a request for the robots.txt of `host`. Returns the state of that host.
    pub fn end_with_robots(
        mut self,
        host: HostIx,
        request: &RobotsRequest,
        exchange: &Exchange,
        now: Time,
    ) -> HostState {
        let table = &mut *self.shared.table();
        let failures = table.known(host).state.failures;
        (self.next_at, self.group_next_at) = self.record(table, exchange, &NextAction::Accept, now);
        let from_other_host = host != self.host;
        let fetched = RobotsResponse { request, exchange, failures, from_other_host, may_follow: &|_| true };
        let load = || Ok::<_, Infallible>(HostState::new(table.hosts.name(host)));
        let Ok(state) = table.known.record_robots(host, &fetched, &self.politeness, now, load);
        table.hosts.delay_until(host, state.next_at);
        state
    }

    /// Records an exchange. Returns the ends of the pauses of the host and of its group.
    fn record(
        &self,
        table: &mut HostTable,
        exchange: &Exchange,
        next: &NextAction,
        now: Time,
    ) -> (Time, Time) {
        if let Some(ip) = exchange.peer {
            table.hosts.learn_address(self.host, ip);
        }
        let known = table.known(self.host);
        known.record_exchange(exchange, next, &self.politeness, now);
        (known.state.next_at, known.state.group_next_at)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.shared.table().hosts.release(self.host, self.next_at, self.group_next_at);
        self.shared.released.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::address::Host;

    #[test]
    fn a_cancelled_request_frees_its_host_and_leaves_a_pause() {
        let shared = SharedHosts::new("hadal");
        let host = shared.table().hosts.intern(&Host("http://a.example".into()));
        let politeness = Politeness { delay: Duration::from_secs(1), ..Politeness::default() };
        let take = |at: u64| Turn::take(&shared, politeness, host, Time(at));
        let mut turn = take(0).ok().unwrap();
        assert!(matches!(take(0), Err(Readiness::Busy)));
        turn.note_sent(Time(0));
        drop(turn);
        assert!(matches!(take(999), Err(Readiness::Delayed(Time(1000)))));
        assert!(take(1000).is_ok());
    }
}
