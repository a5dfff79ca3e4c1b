//! Hosts that are in the store only, when more hosts have waiting links than memory should hold.
//!
//! Memory holds the hosts with the best links. For each queue with further hosts it holds a rank: all links of hosts
//! that are not in memory rank after it ([`StoredLinks`]). A host with a new link is loaded if the link ranks before
//! that rank; then the host with the worst link leaves if there are too many. When few hosts are ready, the next links
//! are read from the store. Hosts that were requested and hosts of sites with a bonus stay in memory while they have
//! links.

use super::Frontier;
use super::queues::StoredLinks;
use crate::store::{QueueSlice, StoreError};
use hadal_core::address::Host;
use hadal_core::link::QueuedLink;
use hadal_core::time::Time;

/// Links that are read from the store at once. Guess: a few milliseconds.
const LOADED_AT_ONCE: usize = 256;
/// Links are read from the store while fewer than `hosts_in_memory / READY_SHARE` hosts are ready. Guess.
const READY_SHARE: usize = 4;

impl Frontier {
    /// True if the host of a waiting link is not in memory and stays in the store. The link counts as stored then.
    pub(super) fn stays_stored(&mut self, queued: &QueuedLink, name: &Host) -> Result<bool, StoreError> {
        let Some(stored) = self.waiting.queues.stored(queued.queue) else { return Ok(false) };
        let is_behind = queued.rank() > stored.after && self.waiting.find(name).is_none();
        if !is_behind || self.known.site(&name.site())?.bonus != 0.0 {
            return Ok(false);
        }
        let links = stored.links + 1;
        self.waiting.queues.set_stored(queued.queue, Some(StoredLinks { links, ..stored }));
        Ok(true)
    }

    /// Reads links of stored hosts when few hosts are ready.
    pub fn load_stored(&mut self, now: Time) -> Result<(), StoreError> {
        let Some(queue) = self.waiting.queues.queue_to_load(self.waiting.hosts_in_memory / READY_SHARE)
        else {
            return Ok(());
        };
        let Some(stored) = self.waiting.queues.stored(queue) else { return Ok(()) };
        let slice = QueueSlice { after: Some(stored.after), ..QueueSlice::of_queue(queue, LOADED_AT_ONCE) };
        let links = self.store.queue_head(slice)?;
        let last = links.last().filter(|_| links.len() == LOADED_AT_ONCE).map(QueuedLink::rank);
        let mut left = stored.links;
        for queued in &links {
            let name = queued.link.host();
            let known = self.waiting.find(&name);
            if self.partitions.own(&name) && known.is_none_or(|host| !self.waiting.queues.has_links(host)) {
                let host = self.host(&name, now)?;
                self.waiting.add(queued, host, now);
                left = left.saturating_sub(1);
            }
        }
        self.waiting.queues.set_stored(queue, last.map(|after| StoredLinks { after, links: left }));
        Ok(())
    }
}
