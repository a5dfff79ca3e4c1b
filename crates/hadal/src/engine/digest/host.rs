//! What an exchange tells about a host: its robots.txt, its health, when it may be asked again.

use super::super::{CrawlError, Engine};
use crate::polite::retry::{NextAction, is_permanent_for_host};
use crate::polite::{FailureKind, HostIx, KnownHost, RobotsRequest, RobotsResponse};
use crate::store::*;
use hadal_core::address::Host;
use hadal_core::http::Exchange;
use hadal_core::time::Time;
use url::Url;

impl Engine {
    pub(super) fn digest_robots(
        &mut self,
        host: &Host,
        request: &RobotsRequest,
        exchange: &Exchange,
        outcome: &mut Outcome,
    ) -> Result<(), CrawlError> {
        let (host, asked, now) = (self.meet(host)?, self.meet(&Host::of(&request.url))?, outcome.at);
        let failures = self.known_host(host)?.state.failures;
        outcome.bytes = exchange.result.as_ref().map_or(0, |response| response.transferred);
        outcome.hosts = vec![self.host_after(asked, exchange, &NextAction::Accept, now)?];
        let (scope, store, run) = (&self.setup.scope, &self.setup.store, self.run);
        let may_follow = |url: &Url| scope.allows(url);
        let fetched = RobotsResponse {
            request,
            exchange,
            failures,
            from_other_host: asked != host,
            may_follow: &may_follow,
        };
        let name = self.hosts.name(host);
        let load = || Ok::<_, StoreError>(store.host(run, name)?.unwrap_or_else(|| HostState::new(name)));
        let state = self.host_cache.record_robots(host, &fetched, &self.setup.politeness, now, load)?;
        outcome.hosts.retain(|other| other.host != state.host);
        outcome.hosts.push(state);
        outcome.end = match &exchange.result {
            Err(error) if request.hops == 0 && is_permanent_for_host(*error) => {
                StepEnd::Failed(FailureKind::Fetch(*error).into())
            }
            _ => StepEnd::Robots,
        };
        Ok(())
    }

    pub(in super::super) fn known_host(&mut self, host: HostIx) -> Result<&mut KnownHost, CrawlError> {
        let (name, store, run) = (self.hosts.name(host), &self.setup.store, self.run);
        let load = || Ok::<_, StoreError>(store.host(run, name)?.unwrap_or_else(|| HostState::new(name)));
        Ok(self.host_cache.get(host, load)?)
    }

    /// The host's state after an exchange with it, also written into the book.
    pub(super) fn host_after(
        &mut self,
        host: HostIx,
        exchange: &Exchange,
        next: &NextAction,
        now: Time,
    ) -> Result<HostState, CrawlError> {
        if let Some(ip) = exchange.peer {
            self.hosts.learn_address(host, ip);
        }
        let politeness = self.setup.politeness;
        let known = self.known_host(host)?;
        known.record_exchange(exchange, next, &politeness, now);
        Ok(HostState { robots: None, ..known.state.clone() })
    }

    /// No page of the host can ever be had: its leads are not tried one by one.
    pub(super) fn give_up_host(&mut self, host: Host, kind: String) -> Result<(), CrawlError> {
        if let Some(ix) = self.hosts.find(&host) {
            self.frontier.drop_host(ix);
        }
        self.change(FrontierChange::FailHost(host, kind))
    }
}

/// A host whose very robots.txt failed in a way that will not pass.
pub(super) fn hopeless_host(outcome: &Outcome) -> Option<(Host, String)> {
    match (&outcome.target, &outcome.end) {
        (StepTarget::Robots { host, .. }, StepEnd::Failed(kind)) => Some((host.clone(), kind.clone())),
        _ => None,
    }
}
