//! What an exchange tells about a host: its robots.txt, its health, when it may be asked again.

use super::super::books::KnownHost;
use super::super::hosts::HostIx;
use super::super::{CrawlError, Engine};
use crate::fetch::politeness::next_request_at;
use crate::fetch::retry::{self, Next};
use crate::fetch::robots::{RobotsReading, interpret};
use crate::store::*;
use hadal_core::address::{Host, TrackingParams, normalise};
use hadal_core::http::{Exchange, FetchError};
use hadal_core::time::Time;
use std::time::Duration;
use url::Url;

/// robots.txt may be this many redirects away (RFC 9309, section 2.3.1.2).
const MOST_ROBOTS_HOPS: u8 = 5;

const A_DAY: Duration = Duration::from_secs(86_400);

impl Engine {
    pub(super) fn digest_robots(
        &mut self,
        host: &Host,
        url: &Url,
        hops: u8,
        exchange: &Exchange,
        outcome: &mut Outcome,
    ) -> Result<(), CrawlError> {
        let (host, asked, now) = (self.meet(host)?, self.meet(&Host::of(url))?, outcome.at);
        let before = self.known_host(host)?.state.failures;
        outcome.bytes = exchange.result.as_ref().map_or(0, |response| response.transferred);
        outcome.hosts = vec![self.host_after(asked, exchange, &Next::Accept, now)?];
        let (robots, until, validator) = match interpret(url, exchange, before, now) {
            _ if is_unchanged(exchange) => self.robots_as_before(host, now)?,
            RobotsReading::Known(robots, until) => {
                (robots, until, validator_of(exchange).filter(|_| hops == 0))
            }
            RobotsReading::Redirect(target) => self.robots_elsewhere(target, hops, now),
        };
        self.host_book.set_robots(host, robots.clone(), until, validator.clone());
        let politeness = self.setup.politeness;
        let known = self.known_host(host)?;
        if asked != host {
            known.state.failures = if is_troubled(exchange) { before.saturating_add(1) } else { 0 };
        }
        let rest = next_request_at(now, exchange.took, &politeness, known.crawl_delay());
        known.state.next_at = known.state.next_at.max(rest);
        let robots = Some(robots);
        let state =
            HostState { robots, robots_until: until, robots_validator: validator, ..known.state.clone() };
        outcome.hosts.retain(|other| other.host != state.host);
        outcome.hosts.push(state);
        outcome.end = match &exchange.result {
            Err(error) if hops == 0 && is_hopeless(*error) => StepEnd::Failed(retry::kind_of(*error).into()),
            _ => StepEnd::Robots,
        };
        Ok(())
    }

    /// Where a redirect of robots.txt leads; past the last hop, or out of bounds, there is none.
    fn robots_elsewhere(&self, target: Url, hops: u8, now: Time) -> (RobotsState, Time, Option<String>) {
        let target = normalise(target, TrackingParams::Keep).filter(|url| self.setup.scope.allows(url));
        match target {
            Some(url) if hops < MOST_ROBOTS_HOPS => {
                (RobotsState::Elsewhere { url, hops: hops + 1 }, now, None)
            }
            _ => (RobotsState::AllowAll, now.after(A_DAY), None),
        }
    }

    /// The rules at hand hold for another day.
    fn robots_as_before(
        &mut self,
        host: HostIx,
        now: Time,
    ) -> Result<(RobotsState, Time, Option<String>), CrawlError> {
        let state = &self.known_host(host)?.state;
        let robots = state.robots.clone().unwrap_or(RobotsState::AllowAll);
        Ok((robots, now.after(A_DAY), state.robots_validator.clone()))
    }

    fn known_host(&mut self, host: HostIx) -> Result<&mut KnownHost, CrawlError> {
        Ok(self.host_book.get(self.setup.store.as_ref(), self.run, &self.hosts, host)?)
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
        let politeness = self.setup.politeness;
        let known = self.known_host(host)?;
        let crawl_delay = known.crawl_delay();
        let state = &mut known.state;
        let took = u32::try_from(exchange.took.as_millis()).unwrap_or(u32::MAX);
        state.latency_ms = if state.requests == 0 { took } else { state.latency_ms / 8 * 7 + took / 8 };
        let latency = Duration::from_millis(u64::from(state.latency_ms)).max(exchange.took);
        state.failures = if is_troubled(exchange) { state.failures.saturating_add(1) } else { 0 };
        state.requests += 1;
        state.ip = exchange.peer.or(state.ip);
        state.next_at =
            next_request_at(now, latency, &politeness, crawl_delay).max(asked_patience(exchange, now));
        state.address_next_at = next_request_at(now, latency, &politeness, None);
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
        self.change(FrontierChange::FailHost(host, kind))
    }
}

fn is_unchanged(exchange: &Exchange) -> bool {
    exchange.result.as_ref().is_ok_and(|response| response.status == 304)
}

fn validator_of(exchange: &Exchange) -> Option<String> {
    let headers = &exchange.result.as_ref().ok()?.headers;
    headers.get("etag").or_else(|| headers.get("last-modified")).map(String::from)
}

fn is_troubled(exchange: &Exchange) -> bool {
    match &exchange.result {
        Ok(response) => response.status >= 500 || response.status == 429,
        Err(_) => true,
    }
}

/// Until when a host asked to be left alone, whatever becomes of the lead.
fn asked_patience(exchange: &Exchange, now: Time) -> Time {
    let busy = exchange.result.as_ref().ok().filter(|response| matches!(response.status, 429 | 503));
    busy.and_then(|response| retry::retry_after(&response.headers, now)).map_or(now, |wait| now.after(wait))
}

/// Errors that no page of the host can escape, whatever the day.
fn is_hopeless(error: FetchError) -> bool {
    matches!(error, FetchError::NoSuchHost | FetchError::PrivateAddress | FetchError::BadPort)
}

/// A host whose very robots.txt failed in a way that will not pass.
pub(super) fn hopeless_host(outcome: &Outcome) -> Option<(Host, String)> {
    match (&outcome.target, &outcome.end) {
        (StepTarget::Robots { host, .. }, StepEnd::Failed(kind)) => Some((host.clone(), kind.clone())),
        _ => None,
    }
}
