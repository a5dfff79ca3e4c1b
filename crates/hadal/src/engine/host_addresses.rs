//! Addresses of hosts, as far as requests wait for them.
//!
//! A host waits until its name is resolved, so that two names of one address take turns from the start. In a shared
//! run it also waits until this worker has its addresses.

use super::resolutions::{MAX_RESOLVING, Resolutions};
use crate::fetch::Fetch;
use crate::polite::{HostIx, HostTable};
use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use url::Url;

/// Decides whether the addresses of a host are known and may be used by this worker.
pub struct HostAddresses {
    resolutions: Resolutions,
    /// Hosts that wait for the address of another host, to which their robots.txt redirects.
    waiting: BTreeMap<HostIx, Vec<HostIx>>,
    /// Hosts that wait until a further name may be resolved.
    queued: VecDeque<HostIx>,
}

/// Maximum number of hosts that wait until a further name may be resolved: each is looked at once more when a name is
/// resolved. Guess.
const MAX_QUEUED: usize = MAX_RESOLVING;

impl HostAddresses {
    /// Addresses that this HTTP client resolves. Without one, no host waits.
    pub fn new(fetch: Option<Arc<dyn Fetch>>) -> HostAddresses {
        let (waiting, queued) = (BTreeMap::new(), VecDeque::new());
        HostAddresses { resolutions: Resolutions::new(fetch), waiting, queued }
    }

    /// True when no more names may be resolved for now, and no more hosts may wait for that.
    pub fn is_full(&self) -> bool {
        self.resolutions.is_full() && self.queued.len() >= MAX_QUEUED
    }

    /// True if a host waits until its name is resolved.
    pub fn is_resolving(&self) -> bool {
        !self.resolutions.is_idle()
    }

    /// True if a request for a URL may be sent to its host `queried_host`. Otherwise `host` waits until
    /// [`HostAddresses::next_resolved`] returns it, or this worker has the address.
    pub fn permits(&mut self, host: HostIx, queried_host: HostIx, url: &Url, table: &mut HostTable) -> bool {
        if !table.hosts.has_address(queried_host) {
            if self.resolutions.is_full() && self.resolutions.is_new(queried_host) {
                self.queued.push_back(host);
                return false;
            }
            if self.resolutions.resolve(queried_host, url) {
                self.waiting.entry(queried_host).or_default().push(host);
                return false;
            }
        }
        table.may_use(queried_host, host)
    }

    /// Removes a host that is not in memory any more.
    pub fn forget(&mut self, host: HostIx) {
        self.resolutions.forget(host);
    }

    /// Next host that was resolved, with its address if it has one, and the hosts that need not wait any longer: those
    /// that waited for it, and one that waited until a further name may be resolved.
    pub fn next_resolved(&mut self) -> Option<(HostIx, Option<IpAddr>, Vec<HostIx>)> {
        let (host, address) = self.resolutions.next()?;
        let mut waited = self.waiting.remove(&host).unwrap_or_default();
        waited.extend(self.queued.pop_front());
        Some((host, address, waited))
    }
}
