//! Bounded caches in front of the store: counters of sites, and ids of known links.

use hadal_core::address::{LinkId, Site};
use hadal_core::strategy::SiteCounters;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of sites kept in the cache. Guess.
const MAX_SITES: usize = 200_000;
/// Slots of the link cache; a power of two. Guess: 4 MiB of memory.
const LINK_SLOTS: usize = 1 << 19;

/// Cache of site counters. It is emptied when it is full.
#[derive(Default)]
pub struct SiteCache(FxHashMap<Site, SiteCounters>);

impl SiteCache {
    /// Counters of a site, if they are in the cache.
    pub fn get(&self, site: &Site) -> Option<SiteCounters> {
        self.0.get(site).copied()
    }

    /// Stores the counters of a site.
    pub fn set(&mut self, site: Site, counters: SiteCounters) {
        if self.0.len() >= MAX_SITES {
            self.0.clear();
        }
        self.0.insert(site, counters);
    }
}

/// Cache of link ids that are known to the store. A slot holds one whole id, so a new link is never taken for a known
/// one; a known link may be missing. Parse threads read it while the engine adds links.
pub struct LinkIdCache {
    slots: Vec<AtomicU64>,
}

impl Default for LinkIdCache {
    fn default() -> LinkIdCache {
        LinkIdCache { slots: (0..LINK_SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl LinkIdCache {
    /// True when the link is surely known.
    pub fn contains(&self, id: LinkId) -> bool {
        self.slots[slot(id)].load(Ordering::Relaxed) == id.0
    }

    /// Adds a link that is known to the store.
    pub fn insert(&self, id: LinkId) {
        self.slots[slot(id)].store(id.0, Ordering::Relaxed);
    }

    /// Removes all links.
    pub fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
    }
}

fn slot(id: LinkId) -> usize {
    id.0 as usize & (LINK_SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_in_the_same_slot_is_not_taken_for_a_known_one() {
        let (first, second) = (LinkId(7), LinkId(7 + LINK_SLOTS as u64));
        let seen = LinkIdCache::default();
        seen.insert(first);
        assert!(seen.contains(first) && !seen.contains(second));
        seen.insert(second);
        assert!(!seen.contains(first) && seen.contains(second));
        seen.clear();
        assert!(!seen.contains(second));
    }
}
