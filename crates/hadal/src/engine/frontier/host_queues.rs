//! Hosts with waiting links: their queues, and the availability of each host.
//!
//! [`RunHosts`] knows when a host may receive a request, [`HostAddresses`] whether its address is known, and
//! [`QueueTable`] sorts hosts by both. The methods here keep the three in step.

use super::queues::{Availability, HostHead, QueueTable, StoredLinks};
use crate::engine::host_addresses::HostAddresses;
use crate::engine::hosts::RunHosts;
use crate::polite::{HeldTurn, HostIx, Readiness};
use crate::store::{AddressGrant, HostQueue, HostState, Partition, RequestedHost, RunCheckpoint};
use hadal_core::address::{Host, Site};
use hadal_core::link::{QueueId, QueuedLink};
use hadal_core::time::Time;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::{Duration, Instant};
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
    /// Hosts with a step in flight. A visit may end its turn before its step ends; the host takes no other step
    /// meanwhile.
    pub busy: BTreeSet<HostIx>,
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
    pub fn name(&self, host: HostIx) -> Host {
        self.hosts.name(host)
    }

    /// Adds a waiting link of a host.
    pub fn add(&mut self, queued: &QueuedLink, host: HostIx, now: Time) {
        let availability = self.availability(host, now);
        self.queues.add(queued.queue, host, HostHead::of(queued), 1, availability);
    }

    /// Updates the availability of a host. If it is not ready, it is woken later.
    pub fn refresh(&mut self, host: HostIx, now: Time) {
        let readiness = self.readiness(host, host, now);
        self.queues.set_availability(host, availability_of(readiness, now));
    }

    /// True if a request for `host` may be sent to `queried_host` now. Otherwise `host` is woken later.
    pub fn is_ready(&mut self, host: HostIx, queried_host: HostIx, now: Time) -> bool {
        let readiness = self.readiness(host, queried_host, now);
        if readiness != Readiness::Ready {
            self.queues.set_availability(host, availability_of(readiness, now));
        }
        readiness == Readiness::Ready
    }

    /// Readiness for a request for `host`. The end of a step of `host` wakes it, like the end of a pause or a turn.
    fn readiness(&self, host: HostIx, queried_host: HostIx, now: Time) -> Readiness {
        match self.busy.contains(&host) {
            true => Readiness::Busy,
            false => {
                let waiter = (host, self.queues.rank(host));
                self.hosts.table().hosts.readiness_or_wait(queried_host, waiter, now)
            }
        }
    }

    /// Availability of a host by its own request in flight and its own pause, whose ends wake it. Its politeness groups
    /// are looked at when it is chosen: nothing would wake it at the end of a request to another host of a group.
    fn availability(&self, host: HostIx, now: Time) -> Availability {
        match self.busy.contains(&host) {
            true => Availability::Soon,
            false => availability_of(self.hosts.table().hosts.own_readiness(host, now), now),
        }
    }

    /// Updates the availability of hosts after their pause, and of hosts that were resolved. If there are too many
    /// hosts, those without waiting links leave memory.
    pub fn wake(&mut self, now: Time) {
        while let Some((host, address, waiting)) = self.addresses.next_resolved() {
            self.learn_address(host, address);
            waiting.into_iter().for_each(|host| self.end_wait(host, now));
        }
        let (ready, changed) = {
            let hosts = &mut self.hosts.table().hosts;
            (hosts.take_ready(now), hosts.take_changed())
        };
        for host in ready.iter().chain(&changed) {
            self.refresh(*host, now);
        }
        for host in ready {
            if self.may_leave(host, now) {
                self.remove_host(host, now);
                self.queues.forget_host(host);
            }
        }
    }

    /// True for an idle host without waiting links, if there are too many hosts.
    fn may_leave(&self, host: HostIx, now: Time) -> bool {
        let table = self.hosts.table();
        let is_idle = || table.hosts.contains(host) && table.hosts.is_idle(host, now);
        let is_used = || self.busy.contains(&host) || table.is_requested(host);
        table.hosts.count() > self.hosts_in_memory && !self.queues.has_links(host) && is_idle() && !is_used()
    }

    /// Time until the next host may be ready; `None` if no host waits.
    pub fn next_ready_in(&self, now: Time) -> Option<Duration> {
        self.hosts.table().hosts.next_ready_at().map(|at| now.until(at))
    }

    /// True if a request for `host` may be sent to the URL on `queried_host`, by the addresses of that host. Otherwise
    /// `host` waits for them.
    pub fn has_address(&mut self, host: HostIx, queried_host: HostIx, url: &Url) -> bool {
        let is_permitted = self.addresses.permits(host, queried_host, url, &mut self.hosts.table());
        if !is_permitted {
            self.queues.set_availability(host, Availability::Soon);
        }
        is_permitted
    }

    /// True if a host waits for its address, or for one that another worker has.
    pub fn waits_for_address(&self) -> bool {
        let is_claiming = || self.hosts.table().claims().is_some_and(|claims| claims.is_waiting());
        self.addresses.is_resolving() || is_claiming()
    }

    /// True if another worker waits for an address of this one.
    pub fn has_wanted_address(&self) -> bool {
        self.hosts.table().claims().is_some_and(|claims| claims.is_wanted())
    }

    /// Addresses of a shared run to claim now.
    pub fn due_addresses(&self) -> Vec<IpAddr> {
        self.hosts.table().claims().map(|claims| claims.due(Instant::now())).unwrap_or_default()
    }

    /// Records the addresses that other workers want.
    pub fn want_addresses(&self, addresses: &[IpAddr]) {
        self.hosts.table().claims().into_iter().for_each(|claims| claims.want(addresses));
    }

    /// Takes over the result of a claim of addresses.
    pub fn receive_addresses(&mut self, claimed: &[IpAddr], granted: &[AddressGrant], now: Time) {
        for host in self.hosts.receive_addresses(claimed, granted, now) {
            self.end_wait(host, now);
        }
    }

    /// Gives up addresses that other workers want and no request uses, each with the rest of its pause.
    pub fn release_addresses(&mut self, now: Time) -> Vec<(IpAddr, Duration)> {
        let table = &mut *self.hosts.table();
        let released = table.release_addresses().into_iter();
        released.map(|address| (address, now.until(table.hosts.address_next_at(address)))).collect()
    }

    fn learn_address(&mut self, host: HostIx, address: Option<IpAddr>) {
        let hosts = &mut self.hosts.table().hosts;
        if let Some(address) = address.filter(|_| hosts.contains(host)) {
            hosts.learn_address(host, address);
        }
    }

    /// Ends the wait of a host for an address.
    fn end_wait(&mut self, host: HostIx, now: Time) {
        let is_known = self.hosts.table().hosts.contains(host);
        if is_known {
            self.refresh(host, now);
        }
    }

    /// Permits no request to a host before `until`.
    pub fn rest(&mut self, host: HostIx, until: Time, now: Time) {
        self.hosts.table().hosts.delay_until(host, until);
        self.refresh(host, now);
    }

    /// Takes the turns of the hosts of a step. `None` if one of them is not ready: the client of a visit may have taken
    /// its turn just now.
    pub fn try_occupy(&mut self, hosts: &[HostIx], now: Time) -> Option<Vec<HeldTurn>> {
        let turns = self.hosts.table().try_occupy(hosts, now)?;
        self.begin_step(&turns);
        Some(turns)
    }

    /// Takes the turns of the hosts of a step that is sent again after a restart.
    pub fn occupy(&mut self, hosts: &[HostIx]) -> Vec<HeldTurn> {
        let turns: Vec<HeldTurn> = hosts.iter().map(|host| self.hosts.table().hosts.occupy(*host)).collect();
        self.begin_step(&turns);
        turns
    }

    fn begin_step(&mut self, turns: &[HeldTurn]) {
        for HeldTurn { host, .. } in turns {
            self.queues.set_availability(*host, Availability::Soon);
        }
        self.busy.extend(turns.first().map(|turn| turn.host));
    }

    /// Ends a step with these turns. `states` are those that the step recorded.
    pub fn release(&mut self, turns: &[HeldTurn], states: &[HostState], now: Time) {
        if let Some(first) = turns.first() {
            self.busy.remove(&first.host);
        }
        for turn in turns {
            for changed in self.hosts.release(*turn, states) {
                self.refresh(changed, now);
            }
        }
    }

    /// Sets the bonus of a site's links in memory.
    pub fn set_bonus(&mut self, site: &Site, bonus: f32) {
        for host in self.of_site(site) {
            self.queues.set_bonus(host, bonus);
        }
    }

    /// Removes the links of a site from the queues of the strategy.
    pub fn clear_site(&mut self, site: &Site) {
        for host in self.of_site(site) {
            self.queues.clear_host(host);
        }
    }

    /// Removes all links of a host.
    pub fn remove_links(&mut self, name: &Host) {
        if let Some(host) = self.find(name) {
            self.queues.remove_host(host);
        }
    }

    /// Number of a host in memory.
    pub fn find(&self, name: &Host) -> Option<HostIx> {
        self.hosts.table().hosts.find(name)
    }

    fn of_site(&self, site: &Site) -> Vec<HostIx> {
        self.hosts.table().hosts.of_site(site)
    }

    /// Partitions of some hosts.
    pub fn partitions_of(&self, hosts: impl Iterator<Item = HostIx>) -> BTreeSet<Partition> {
        hosts.map(|host| Partition::of(&self.name(host))).collect()
    }

    /// Hosts of some partitions.
    pub fn in_partitions(&self, partitions: &BTreeSet<Partition>) -> Vec<HostIx> {
        if partitions.is_empty() {
            return Vec::new();
        }
        let table = self.hosts.table();
        let scheduler = &table.hosts;
        scheduler.all().filter(|host| partitions.contains(&Partition::of(scheduler.name(*host)))).collect()
    }

    /// Removes the host with the worst link of a queue from memory, if there are too many hosts.
    pub fn store_excess(&mut self, queue: QueueId, now: Time) {
        if self.queues.host_count() <= self.hosts_in_memory || queue.is_reserved() {
            return;
        }
        let is_untouched = |host: &HostIx| self.hosts.table().hosts.is_untouched(*host);
        let worst = self.queues.worst_hosts(queue, LOOKED_AT).find(is_untouched);
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
