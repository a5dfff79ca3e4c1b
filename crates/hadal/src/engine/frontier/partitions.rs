//! Partitions of a shared run: links that this worker may choose, and links for other workers.

use super::caches::LinkIdCache;
use crate::store::{ForwardedLink, FrontierChange, PARTITIONS, Partition};
use hadal_core::address::{Host, Site};
use hadal_core::link::{FrontierLink, QueuedLink};
use std::collections::BTreeSet;
use url::Url;

/// Partitions of this worker, and links that it found for others.
#[derive(Default)]
pub struct OwnedPartitions {
    /// Partitions in which this worker chooses links; `None` if the run is not shared.
    owned: Option<BTreeSet<Partition>>,
    /// Links of other partitions that the next commit forwards.
    forwarded: Vec<ForwardedLink>,
}

impl OwnedPartitions {
    /// Makes these the partitions of a worker of a shared run: none at first.
    pub fn share(&mut self) {
        self.owned = Some(BTreeSet::new());
    }

    /// Partitions in which this worker chooses links.
    pub fn owned(&self) -> BTreeSet<Partition> {
        self.owned.clone().unwrap_or_default()
    }

    /// Adds partitions.
    pub fn add(&mut self, partitions: &BTreeSet<Partition>) {
        self.owned.get_or_insert_default().extend(partitions);
    }

    /// Removes partitions. Links found for them are forwarded.
    pub fn remove(&mut self, partitions: &BTreeSet<Partition>) {
        if let Some(owned) = &mut self.owned {
            owned.retain(|partition| !partitions.contains(partition));
        }
    }

    /// True if this worker is alone.
    pub fn own_all(&self) -> bool {
        self.owned.as_ref().is_none_or(|owned| owned.len() == usize::from(PARTITIONS))
    }

    fn own_partition(&self, partition: Partition) -> bool {
        self.owned.as_ref().is_none_or(|owned| owned.contains(&partition))
    }

    /// True if this worker chooses the links of a host.
    pub fn own(&self, host: &Host) -> bool {
        self.own_all() || self.own_partition(Partition::of(host))
    }

    /// True if this worker chooses the links of a site.
    pub fn own_site(&self, site: &Site) -> bool {
        self.own_all() || self.own_partition(Partition::of_site(site))
    }

    /// URLs in partitions of this worker.
    pub fn own_seeds(&self, seeds: &[Url]) -> Vec<Url> {
        seeds.iter().filter(|seed| self.own(&Host::of(seed))).cloned().collect()
    }

    /// Forwards the links of other partitions that were not seen before, and returns the links of this worker.
    pub fn forward_foreign(&mut self, links: Vec<FrontierLink>, seen: &LinkIdCache) -> Vec<FrontierLink> {
        if self.own_all() {
            return links;
        }
        let (own, foreign): (Vec<_>, Vec<_>) = links.into_iter().partition(|link| self.own(&link.host()));
        for link in foreign {
            if !seen.contains(link.id) {
                seen.insert(link.id);
                self.forwarded.push(ForwardedLink { link, place: None });
            }
        }
        own
    }

    /// Forwards a link in a queue of the engine, if it belongs to another partition. Otherwise returns it.
    pub fn forward_placed(&mut self, queued: QueuedLink) -> Option<QueuedLink> {
        if self.own(&queued.link.host()) {
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
    pub fn take_forwarded(&mut self) -> Option<FrontierChange> {
        let links = std::mem::take(&mut self.forwarded);
        (!links.is_empty()).then_some(FrontierChange::Forward(links))
    }
}
