//! What an exchange tells about a host: its robots.txt, its health, when it may be asked again.

use super::super::hosts::HostIx;
use super::super::{CrawlError, Engine};
use crate::fetch::politeness::next_request_at;
use crate::fetch::retry::{self, Next};
use crate::fetch::robots::{RobotsReading, interpret};
use crate::store::*;
use hadal_core::address::{Host, Site};
use hadal_core::http::Exchange;
use hadal_core::time::Time;
use std::time::Duration;
use url::Url;

/// robots.txt may be this many redirects away (RFC 9309, section 2.3.1.2).
const MOST_ROBOTS_HOPS: u8 = 5;

impl Engine {
    pub(super) fn digest_robots(
        &mut self,
        host: &Host,
        url: &Url,
        hops: u8,
        exchange: &Exchange,
        outcome: &mut Outcome,
    ) -> Result<(), CrawlError> {
        let ix = self.hosts.intern(host, || Site::of(url));
        let now = outcome.at;
        let mut state = self.host_after(ix, exchange, &Next::Accept, now)?;
        let known = self.host_book.get(self.setup.store.as_ref(), self.run, &self.hosts, ix)?;
        let (robots, until) = match interpret(url, exchange, known.state.failures, now) {
            RobotsReading::Known(robots, until) => (robots, until),
            RobotsReading::Redirect(url) if hops < MOST_ROBOTS_HOPS => {
                (Robots::Elsewhere { url, hops: hops + 1 }, now.after(Duration::from_secs(3600)))
            }
            RobotsReading::Redirect(_) => (Robots::AllowAll, now.after(Duration::from_secs(86_400))),
        };
        known.set_robots(robots.clone(), until);
        let crawl_delay = known.rules.as_ref().and_then(|rules| rules.crawl_delay());
        known.state.next_at = next_request_at(now, exchange.took, &self.setup.politeness, crawl_delay);
        state.next_at = known.state.next_at;
        state.robots = Some(robots);
        state.robots_until = until;
        outcome.bytes = exchange.result.as_ref().map_or(0, |response| response.transferred);
        outcome.ending = match &exchange.result {
            Err(error) if !error.is_transient() => Ending::Failed(retry::kind_of(*error).into()),
            _ => Ending::Robots,
        };
        outcome.host = Some(state);
        Ok(())
    }

    /// The host's state after an exchange with it, also written into the book.
    pub(super) fn host_after(
        &mut self,
        host: HostIx,
        exchange: &Exchange,
        next: &Next,
        now: Time,
    ) -> Result<HostState, CrawlError> {
        if let Some(ip) = exchange.peer {
            self.hosts.learn_address(host, ip);
        }
        let known = self.host_book.get(self.setup.store.as_ref(), self.run, &self.hosts, host)?;
        let crawl_delay = known.rules.as_ref().and_then(|rules| rules.crawl_delay());
        let state = &mut known.state;
        let troubled = match &exchange.result {
            Ok(response) => response.status >= 500 || response.status == 429,
            Err(_) => true,
        };
        let took = u32::try_from(exchange.took.as_millis()).unwrap_or(u32::MAX);
        state.failures = if troubled { state.failures.saturating_add(1) } else { 0 };
        state.latency_ms = if state.requests == 0 { took } else { state.latency_ms / 8 * 7 + took / 8 };
        state.requests += 1;
        state.ip = exchange.peer.or(state.ip);
        state.next_at = next_request_at(now, exchange.took, &self.setup.politeness, crawl_delay);
        state.address_next_at = next_request_at(now, exchange.took, &self.setup.politeness, None);
        if let Next::Retry { at, host_until, .. } = next {
            state.next_at = state.next_at.max(*at).max(host_until.unwrap_or_default());
        }
        Ok(HostState { robots: None, ..state.clone() })
    }

    /// No page of the host can ever be had: its leads are not tried one by one.
    pub(super) fn give_up_host(&mut self, host: Host, kind: String) -> Result<(), CrawlError> {
        if let Some(ix) = self.hosts.find(&host) {
            self.frontier.drop_host(ix);
        }
        self.change(Change::FailHost(host, kind))
    }
}

/// A host whose very robots.txt failed in a way that will not pass.
pub(super) fn hopeless_host(outcome: &Outcome) -> Option<(Host, String)> {
    match (&outcome.work, &outcome.ending) {
        (Work::Robots { host, .. }, Ending::Failed(kind)) => Some((host.clone(), kind.clone())),
        _ => None,
    }
}
