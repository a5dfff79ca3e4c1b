//! Addresses of hosts, as far as requests wait for them.
//!
//! A host waits until its name is resolved, so that two names of one address take turns from the start. In a shared
//! run it also waits until this worker has its addresses.

use super::addresses::AddressClaims;
use super::resolutions::Resolutions;
use crate::fetch::Fetch;
use crate::polite::{HostIx, Hosts};
use crate::store::AddressGrant;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use url::Url;

/// Decides whether the addresses of a host are known and may be used by this worker.
pub struct HostAddresses {
    resolutions: Resolutions,
    /// Hosts that wait for the address of another host, to which their robots.txt redirects.
    waiting: BTreeMap<HostIx, Vec<HostIx>>,
    /// Claims of this worker, if the run is shared.
    claims: Option<AddressClaims>,
}

impl HostAddresses {
    /// Addresses that this HTTP client resolves. Without one, no host waits.
    pub fn new(fetch: Option<Arc<dyn Fetch>>) -> HostAddresses {
        HostAddresses { resolutions: Resolutions::new(fetch), waiting: BTreeMap::new(), claims: None }
    }

    /// Makes these the addresses of a worker of a shared run, which has none at first.
    pub fn share(&mut self) {
        self.claims = Some(AddressClaims::new(Instant::now()));
    }

    /// True when no more names may be resolved for now.
    pub fn is_full(&self) -> bool {
        self.resolutions.is_full()
    }

    /// True if a host waits until its name is resolved, or for an address that another worker has.
    pub fn is_waiting(&self) -> bool {
        !self.resolutions.is_idle() || self.claims.as_ref().is_some_and(AddressClaims::is_waiting)
    }

    /// True if another worker waits for an address of this one.
    pub fn is_wanted(&self) -> bool {
        self.claims.as_ref().is_some_and(AddressClaims::is_wanted)
    }

    /// True if a request for a URL may be sent to its host `queried_host`. Otherwise `host` waits until
    /// [`HostAddresses::next_resolved`] or [`HostAddresses::receive`] returns it.
    pub fn permits(&mut self, host: HostIx, queried_host: HostIx, url: &Url, hosts: &Hosts) -> bool {
        if !hosts.has_address(queried_host) && self.resolutions.resolve(queried_host, url) {
            self.waiting.entry(queried_host).or_default().push(host);
            return false;
        }
        let claims = self.claims.as_mut();
        claims.is_none_or(|claims| claims.permits(host, &hosts.addresses(queried_host), Instant::now()))
    }

    /// Removes a host that is not in memory any more.
    pub fn forget(&mut self, host: HostIx) {
        self.resolutions.forget(host);
    }

    /// Next host that was resolved, with its address if it has one, and the hosts that waited for it.
    pub fn next_resolved(&mut self) -> Option<(HostIx, Option<IpAddr>, Vec<HostIx>)> {
        let (host, address) = self.resolutions.next()?;
        Some((host, address, self.waiting.remove(&host).unwrap_or_default()))
    }

    /// Records a request to a host.
    pub fn record_request(&mut self, host: HostIx, hosts: &Hosts) {
        if let Some(claims) = &mut self.claims {
            claims.use_all(&hosts.addresses(host));
        }
    }

    /// Addresses to claim now.
    pub fn due(&mut self) -> Vec<IpAddr> {
        self.claims.as_mut().map(|claims| claims.due(Instant::now())).unwrap_or_default()
    }

    /// Takes over the result of a claim. Returns the hosts that need not wait any longer.
    pub fn receive(&mut self, claimed: &[IpAddr], granted: &[AddressGrant]) -> Vec<HostIx> {
        let claims = self.claims.as_mut();
        claims.map(|claims| claims.receive(claimed, granted, Instant::now())).unwrap_or_default()
    }

    /// Records the addresses that other workers want.
    pub fn want(&mut self, addresses: &[IpAddr]) {
        self.claims.iter_mut().for_each(|claims| claims.want(addresses));
    }

    /// Gives up addresses that other workers want, except those of busy hosts.
    pub fn release(&mut self, busy: impl Iterator<Item = HostIx>, hosts: &Hosts) -> Vec<IpAddr> {
        let Some(claims) = &mut self.claims else { return Vec::new() };
        claims.release(&busy.flat_map(|host| hosts.addresses(host)).collect(), Instant::now())
    }
}
