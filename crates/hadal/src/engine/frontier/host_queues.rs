//! Hosts with waiting links: their queues, and the availability of each host.
//!
//! [`RunHosts`] knows when a host may receive a request, [`HostAddresses`] whether its address is known, and
//! [`QueueTable`] sorts hosts by both. The methods here keep the three in step.

use super::queues::{Availability, HostHead, QueueTable, StoredLinks};
use crate::engine::host_addresses::HostAddresses;
use crate::engine::hosts::RunHosts;
use crate::polite::{HostIx, Readiness};
use crate::store::{AddressGrant, HostQueue, HostState, Partition, RequestedHost, RunCheckpoint};
use hadal_core::address::{Host, Site};
use hadal_core::link::{QueueId, QueuedLink};
use hadal_core::time::Time;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;
use url::Url;

/// Longest pause of a host that is ready soon. Guess: twice the default delay.
const SHORT_PAUSE: Duration = Duration::from_secs(2);
/// Hosts with bad links that are looked at to find one that may leave memory. Guess.
const LOOKED_AT: usize = 16;

/// Keeps the queues of hosts sorted by the time at which each host may receive a request.
pub struct HostQueues {
    /// States and turns of hosts.
    pub hosts: RunHosts,
    /// Addresses that hosts wait for.
    pub addresses: HostAddresses,
    /// Heads of queues.
    pub queues: QueueTable,
    /// Most hosts in memory, apart from those that were requested.
    pub hosts_in_memory: usize,
}

impl HostQueues {
    /// Loads hosts and queue heads, without a look-up per host.
    pub fn load(&mut self, checkpoint: &RunCheckpoint, now: Time) {
        // Of very many hosts, those without a pause and without links are loaded when they are met again.
        let loads_all = checkpoint.requested.len() <= self.hosts_in_memory;
        let queued: FxHashSet<&Host> = checkpoint.queues.iter().map(|queue| &queue.host).collect();
        let is_needed = |known: &&RequestedHost| {
            loads_all || known.next_at.max(known.group_next_at) > now || queued.contains(&known.host)
        };
        for known in checkpoint.requested.iter().filter(is_needed) {
            let host = self.hosts.load_requested(known, now);
            // A host that rests is woken later, also if its next link is found in this session.
            self.refresh(host, now);
        }
        for HostQueue { queue, host: name, length, head } in &checkpoint.queues {
            let host = self.hosts.load_unrequested(name);
            let availability = self.availability(host, now);
            self.queues.add(*queue, host, HostHead::ranked(*head), *length, availability);
            if availability != Availability::Ready {
                self.refresh(host, now);
            }
        }
        checkpoint.bonuses.iter().for_each(|(site, bonus)| self.set_bonus(site, *bonus));
        for (queue, after, links) in &checkpoint.stored {
            self.queues.set_stored(*queue, Some(StoredLinks { after: *after, links: *links }));
        }
    }

    /// Name of a host.
    pub fn name(&self, host: HostIx) -> &Host {
        self.hosts.scheduler.name(host)
    }

    /// Adds a waiting link of a host.
    pub fn add(&mut self, queued: &QueuedLink, host: HostIx, now: Time) {
        let availability = self.availability(host, now);
        self.queues.add(queued.queue, host, HostHead::of(queued), 1, availability);
    }

    /// Updates the availability of a host. If it is not ready, it is woken later.
    pub fn refresh(&mut self, host: HostIx, now: Time) {
        let readiness = self.hosts.scheduler.readiness_or_wait(host, host, now);
        self.queues.set_availability(host, availability_of(readiness, now));
    }

    /// True if a request for `host` may be sent to `queried_host` now. Otherwise `host` is woken later.
    pub fn is_ready(&mut self, host: HostIx, queried_host: HostIx, now: Time) -> bool {
        let readiness = self.hosts.scheduler.readiness_or_wait(queried_host, host, now);
        if readiness != Readiness::Ready {
            self.queues.set_availability(host, availability_of(readiness, now));
        }
        readiness == Readiness::Ready
    }

    /// Availability of a host by its own request in flight and its own pause, whose ends wake it. Its politeness groups
    /// are looked at when it is chosen: nothing would wake it at the end of a request to another host of a group.
    fn availability(&self, host: HostIx, now: Time) -> Availability {
        availability_of(self.hosts.scheduler.own_readiness(host, now), now)
    }

    /// Updates the availability of hosts after their pause, and of hosts that were resolved. If there are too many
    /// hosts, those without waiting links leave memory.
    pub fn wake(&mut self, now: Time) {
        while let Some((host, address)) = self.addresses.next_resolved() {
            self.resolved(host, address, now);
        }
        let ready = self.hosts.scheduler.take_ready(now);
        for host in &ready {
            self.refresh(*host, now);
        }
        for host in ready {
            if self.hosts.scheduler.count() > self.hosts_in_memory
                && !self.queues.has_links(host)
                && self.hosts.scheduler.is_idle(host, now)
            {
                self.remove_host(host, now);
                self.queues.forget_host(host);
            }
        }
    }

    /// Time until the next host may be ready; `None` if no host waits.
    pub fn next_ready_in(&self, now: Time) -> Option<Duration> {
        self.hosts.scheduler.next_ready_at().map(|at| now.until(at))
    }

    /// True if a request for a URL may be sent to its host, by the host's addresses. Otherwise the host waits for them.
    pub fn has_address(&mut self, host: HostIx, url: &Url) -> bool {
        let is_permitted = self.addresses.permits(host, url, &self.hosts.scheduler);
        if !is_permitted {
            self.queues.set_availability(host, Availability::Soon);
        }
        is_permitted
    }

    /// Takes over the result of a claim of addresses.
    pub fn receive_addresses(&mut self, claimed: &[IpAddr], granted: &[AddressGrant], now: Time) {
        granted.iter().for_each(|grant| self.hosts.rest_address(grant, now));
        for host in self.addresses.receive(claimed, granted) {
            self.resolved(host, None, now);
        }
    }

    /// Gives up addresses that other workers want and no busy host has, each with the rest of its pause.
    pub fn release_addresses(
        &mut self,
        busy: impl Iterator<Item = HostIx>,
        now: Time,
    ) -> Vec<(IpAddr, Duration)> {
        let scheduler = &self.hosts.scheduler;
        let released = self.addresses.release(busy, scheduler);
        released.into_iter().map(|address| (address, now.until(scheduler.address_next_at(address)))).collect()
    }

    /// Ends the wait of a host for its address, which is recorded if there is one.
    fn resolved(&mut self, host: HostIx, address: Option<IpAddr>, now: Time) {
        if !self.hosts.scheduler.contains(host) {
            return;
        }
        if let Some(address) = address {
            self.hosts.scheduler.learn_address(host, address);
        }
        self.refresh(host, now);
    }

    /// Permits no request to a host before `until`.
    pub fn rest(&mut self, host: HostIx, until: Time, now: Time) {
        self.hosts.scheduler.delay_until(host, until);
        self.refresh(host, now);
    }

    /// Marks a host as busy with a request.
    pub fn occupy(&mut self, host: HostIx) {
        self.hosts.scheduler.occupy(host);
        self.addresses.record_request(host, &self.hosts.scheduler);
        self.queues.set_availability(host, Availability::Soon);
    }

    /// Ends the request to a host. `states` are those that the step recorded.
    pub fn release(&mut self, host: HostIx, states: &[HostState], now: Time) {
        for changed in self.hosts.release(host, states) {
            self.refresh(changed, now);
        }
    }

    /// Sets the bonus of a site's links in memory.
    pub fn set_bonus(&mut self, site: &Site, bonus: f32) {
        for host in self.hosts.scheduler.of_site(site) {
            self.queues.set_bonus(host, bonus);
        }
    }

    /// Removes the links of a site from the queues of the strategy.
    pub fn clear_site(&mut self, site: &Site) {
        for host in self.hosts.scheduler.of_site(site) {
            self.queues.clear_host(host);
        }
    }

    /// Removes all links of a host.
    pub fn remove_links(&mut self, name: &Host) {
        if let Some(host) = self.hosts.scheduler.find(name) {
            self.queues.remove_host(host);
        }
    }

    /// Partitions of some hosts.
    pub fn partitions_of(&self, hosts: impl Iterator<Item = HostIx>) -> BTreeSet<Partition> {
        hosts.map(|host| Partition::of(self.hosts.scheduler.name(host))).collect()
    }

    /// Hosts of some partitions.
    pub fn in_partitions(&self, partitions: &BTreeSet<Partition>) -> Vec<HostIx> {
        if partitions.is_empty() {
            return Vec::new();
        }
        let scheduler = &self.hosts.scheduler;
        scheduler.all().filter(|host| partitions.contains(&Partition::of(scheduler.name(*host)))).collect()
    }

    /// Removes the host with the worst link of a queue from memory, if there are too many hosts.
    pub fn store_excess(&mut self, queue: QueueId, now: Time) {
        if self.queues.host_count() <= self.hosts_in_memory || queue.is_reserved() {
            return;
        }
        let scheduler = &self.hosts.scheduler;
        let worst = self.queues.worst_hosts(queue, LOOKED_AT).find(|host| scheduler.is_untouched(*host));
        if let Some(host) = worst {
            self.queues.store_host(queue, host);
            self.remove_host(host, now);
        }
    }

    fn remove_host(&mut self, host: HostIx, now: Time) {
        self.hosts.remove(host, now);
        self.addresses.forget(host);
    }
}

/// Availability that follows from the readiness of a host.
fn availability_of(readiness: Readiness, now: Time) -> Availability {
    match readiness {
        Readiness::Ready => Availability::Ready,
        Readiness::Busy => Availability::Soon,
        Readiness::Delayed(until) if now.until(until) <= SHORT_PAUSE => Availability::Soon,
        Readiness::Delayed(_) => Availability::Later,
    }
}
