//! Partitions of a shared run: links that this worker may choose, and links for other workers.

use super::Frontier;
use super::caches::SiteCache;
use crate::polite::HostIx;
use crate::store::{ForwardedLink, FrontierChange, LookUp, PARTITIONS, Partition, StoreError};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::link::{FrontierLink, QueuedLink};
use hadal_core::time::Time;
use std::collections::BTreeSet;

impl Frontier {
    /// Makes this the frontier of a worker of a shared run, without partitions at first.
    pub fn share(&mut self) {
        self.owned = Some(BTreeSet::new());
    }

    /// Partitions in which this worker chooses links.
    pub fn owned(&self) -> BTreeSet<Partition> {
        self.owned.clone().unwrap_or_default()
    }

    fn owns_partition(&self, partition: impl FnOnce() -> Partition) -> bool {
        let Some(owned) = &self.owned else { return true };
        owned.len() == usize::from(PARTITIONS) || owned.contains(&partition())
    }

    /// True if this worker chooses the links of a host.
    pub fn owns(&self, host: &Host) -> bool {
        self.owns_partition(|| Partition::of(host))
    }

    /// True if this worker chooses the links of a site.
    pub fn owns_site(&self, site: &Site) -> bool {
        self.owns_partition(|| Partition::of_site(site))
    }

    /// Adds partitions. Other workers may have changed everything that is known about them. [`Frontier::load`] follows.
    pub fn gain(&mut self, partitions: &BTreeSet<Partition>, next_arrival: u64) {
        self.owned.get_or_insert_default().extend(partitions);
        self.next_arrival = self.next_arrival.max(next_arrival);
        // A link that was forwarded may come back, and counts as seen.
        self.sites = SiteCache::default();
        self.seen.clear();
    }

    /// Chooses no further link of some partitions. Links found for them are forwarded.
    pub fn retire(&mut self, partitions: &BTreeSet<Partition>) {
        if let Some(owned) = &mut self.owned {
            owned.retain(|partition| !partitions.contains(partition));
        }
        for host in self.hosts_of(partitions) {
            self.queues.remove_host(host);
        }
    }

    /// Forgets the hosts of partitions that another worker owns from now on.
    pub fn forget(&mut self, partitions: &BTreeSet<Partition>) {
        for host in self.hosts_of(partitions) {
            self.hosts.forget(host);
        }
    }

    fn hosts_of(&self, partitions: &BTreeSet<Partition>) -> Vec<HostIx> {
        if partitions.is_empty() {
            return Vec::new();
        }
        let hosts = self.hosts.all();
        hosts.filter(|host| partitions.contains(&Partition::of(self.hosts.name(*host)))).collect()
    }

    /// Forwards the links of other partitions, and returns the rest.
    pub(super) fn forward_foreign(&mut self, links: Vec<FrontierLink>) -> Vec<FrontierLink> {
        if self.owned.as_ref().is_none_or(|owned| owned.len() == usize::from(PARTITIONS)) {
            return links;
        }
        let (own, foreign): (Vec<_>, Vec<_>) = links.into_iter().partition(|link| self.owns(&link.host()));
        for link in foreign {
            if !self.seen.contains(link.id) {
                self.seen.insert(link.id);
                self.forwarded.push(ForwardedLink { link, place: None });
            }
        }
        own
    }

    /// Forwards a link in a queue of the engine, if it belongs to another partition. Otherwise returns it.
    pub fn forward_placed(&mut self, queued: QueuedLink) -> Option<QueuedLink> {
        if self.owns(&queued.link.host()) {
            return Some(queued);
        }
        let place = Some((queued.queue, queued.score));
        self.forwarded.push(ForwardedLink { link: queued.link, place });
        None
    }

    /// Number of links that the next commit forwards.
    pub fn forwarded(&self) -> usize {
        self.forwarded.len()
    }

    /// Change that forwards links, if there are any.
    pub(super) fn take_forwarded(&mut self) -> Option<FrontierChange> {
        let links = std::mem::take(&mut self.forwarded);
        (!links.is_empty()).then_some(FrontierChange::Forward(links))
    }

    /// Forwards links that belong to no step.
    pub fn forward(&mut self) -> Result<(), StoreError> {
        self.take_forwarded().map_or(Ok(()), |change| self.apply(change))
    }

    /// Adds links in queues of the engine that other workers found, unless they are known.
    pub fn add_placed(&mut self, links: Vec<ForwardedLink>, now: Time) -> Result<(), StoreError> {
        let ids: Vec<LinkId> = links.iter().map(|forwarded| forwarded.link.id).collect();
        let known = self.store.look_up(self.run, &LookUp { links: &ids, ..LookUp::default() })?.links;
        let mut added = Vec::new();
        for (ForwardedLink { link, place }, is_known) in links.into_iter().zip(known) {
            let Some((queue, score)) = place.filter(|_| !is_known) else { continue };
            let order = self.take_arrival();
            let queued =
                QueuedLink { link, queue, score, order, generation: 0, attempts: 0, not_before: Time(0) };
            added.extend(self.forward_placed(queued));
        }
        self.forward()?;
        if added.is_empty() { Ok(()) } else { self.add(added, now) }
    }
}
