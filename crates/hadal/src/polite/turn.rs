//! Turn of a client: the right to send one request to a host. A pause follows.

use super::delay::{Politeness, next_request_at};
use super::host_state::{HostState, RobotsRequest};
use super::host_table::{HostTable, SharedHosts};
use super::hosts::{HeldTurn, HostIx, Readiness};
use super::retry::{NextAction, next_action};
use hadal_core::address::Host;
use hadal_core::http::Exchange;
use hadal_core::time::Time;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Right to send one request to a host. A turn that is dropped after [`Turn::note_sent`] still leaves a pause behind.
pub struct Turn {
    shared: Arc<SharedHosts>,
    politeness: Politeness,
    held: HeldTurn,
    next_at: Time,
    group_next_at: Time,
}

impl Turn {
    /// Takes the turn of a host that is ready. Otherwise returns its readiness.
    pub fn take(
        shared: &Arc<SharedHosts>,
        politeness: Politeness,
        name: &Host,
        now: Time,
    ) -> Result<Turn, Readiness> {
        let mut table = shared.table();
        let host = table.host(name);
        match table.hosts.readiness(host, now) {
            Readiness::Ready if table.may_use(host, host) => {
                Ok(Turn::held(shared, politeness, table.occupy(host)))
            }
            Readiness::Ready => Err(Readiness::Busy),
            other => Err(other),
        }
    }

    /// A turn that was taken already.
    pub fn held(shared: &Arc<SharedHosts>, politeness: Politeness, held: HeldTurn) -> Turn {
        Turn { shared: Arc::clone(shared), politeness, held, next_at: Time(0), group_next_at: Time(0) }
    }

    /// Sets the pause for the case that the response is never recorded, because the caller was cancelled.
    pub fn note_sent(&mut self, now: Time) {
        let crawl_delay = self.shared.table().known(self.held.host).crawl_delay();
        self.next_at = next_request_at(now, Duration::ZERO, &self.politeness, crawl_delay);
        self.group_next_at = next_request_at(now, Duration::ZERO, &self.politeness, None);
    }

    /// Ends the turn with the response to a page request, and decides what follows from it.
    pub fn end(mut self, url: &Url, exchange: &Exchange, attempts: u8, now: Time) -> NextAction {
        let table = &mut *self.shared.table();
        let failures = table.known(self.held.host).state.failures;
        let next = next_action(url, exchange, attempts, failures, now);
        table.record_exchange(self.held.host, exchange, &next, &self.politeness, now);
        table.set_requested(self.held.host);
        (self.next_at, self.group_next_at) = pauses(table, self.held.host);
        next
    }

    /// Ends the turn with the response to a request for the robots.txt of a host. Returns the state of that host.
    pub fn end_with_robots(
        mut self,
        name: &Host,
        answer: (&RobotsRequest, &Exchange),
        may_follow: &dyn Fn(&Url) -> bool,
        now: Time,
    ) -> HostState {
        let table = &mut *self.shared.table();
        let hosts = [table.host(name), self.held.host];
        let states = table.record_robots(hosts, answer, may_follow, &self.politeness, now);
        hosts.into_iter().for_each(|host| table.set_requested(host));
        (self.next_at, self.group_next_at) = pauses(table, self.held.host);
        states.into_iter().next_back().expect("the state of the host comes last")
    }
}

/// Ends of the pauses of a host and of its groups.
fn pauses(table: &mut HostTable, host: HostIx) -> (Time, Time) {
    let state = &table.known(host).state;
    (state.next_at, state.group_next_at)
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.shared.release(self.held, self.next_at, self.group_next_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_request_frees_its_host_and_leaves_a_pause() {
        let shared = SharedHosts::new("hadal", Box::new(|_| None));
        let host = Host("http://a.example".into());
        let politeness = Politeness { delay: Duration::from_secs(1), ..Politeness::default() };
        let take = |at: u64| Turn::take(&shared, politeness, &host, Time(at));
        let mut turn = take(0).ok().unwrap();
        assert!(matches!(take(0), Err(Readiness::Busy)));
        turn.note_sent(Time(0));
        drop(turn);
        assert!(matches!(take(999), Err(Readiness::Delayed(Time(1000)))));
        assert!(take(1000).is_ok());
    }
}
