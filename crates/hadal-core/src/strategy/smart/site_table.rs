//! Site frontier: sites by key, and the queues of the frontier.
//!
//! Queues 1 to 4 hold look-ups, centre pages and the home pages of sites. Each open site has a queue for the home pages
//! it links to and one queue per depth and directory. The table stores the number of deep sites that link to a site and
//! the queue of its home page. When the table is full, visited sites are forgotten first (the store still knows them);
//! after that new sites are ignored.

use super::link_tree::DirectoryId;
use crate::address::Site;
use crate::link::QueueId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Backlink look-ups of the reverse search.
pub const LOOKUPS: QueueId = QueueId(1);
/// Candidates for centre pages: results of the reverse search.
pub const CENTRES: QueueId = QueueId(2);
/// High priority queue: home pages linked from sites with searchable forms.
pub const HIGH: QueueId = QueueId(3);
/// Low priority queue: home pages linked from other on-topic sites.
pub const LOW: QueueId = QueueId(4);

/// Bits that mark the queues of a site among queue numbers. Arbitrary.
const DIRECTORY_BIT: u64 = 1 << 62;
const FOUND_BIT: u64 = 1 << 61;
/// Maximum number of sites in the table. Guess; bounds memory.
const MAX_SITES: usize = 30_000;

/// Hash of a site; tables with names would be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteKey(pub u32);

impl SiteKey {
    /// Key of a site.
    pub fn of(site: &Site) -> SiteKey {
        SiteKey(xxh3_64(site.0.as_bytes()) as u32)
    }

    /// Queue of the home pages this site links to, used until the site is left.
    pub fn found_queue(self) -> QueueId {
        QueueId(FOUND_BIT | u64::from(self.0))
    }

    /// Queue of this site's links in a directory, `depth` clicks from the home page.
    pub fn directory_queue(self, depth: u8, directory: DirectoryId) -> QueueId {
        QueueId(DIRECTORY_BIT | u64::from(self.0) << 24 | u64::from(depth) << 16 | u64::from(directory.0))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct SiteRecord {
    linked_from: u16,
    status: SiteStatus,
}

/// Status of a site in the site frontier.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum SiteStatus {
    /// Linked from this site, which is still open.
    Found(SiteKey),
    /// Waits in the high priority queue.
    High,
    /// Waits in the low priority queue; the number is `SiteTable::promotions` at that time.
    Low(u32),
    /// The home page was visited.
    Visited,
}

/// Known sites and their queues.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SiteTable {
    sites: FxHashMap<SiteKey, SiteRecord>,
    /// Times that the low priority queue was moved into the high priority queue.
    promotions: u32,
}

impl SiteTable {
    /// Adds a site; returns true if it was added, false if it is known or the table is full.
    pub fn add(&mut self, site: SiteKey, status: SiteStatus) -> bool {
        if self.sites.len() >= MAX_SITES {
            self.sites.retain(|_, record| record.status != SiteStatus::Visited);
        }
        let is_new = self.sites.len() < MAX_SITES && !self.sites.contains_key(&site);
        if is_new {
            self.sites.insert(site, SiteRecord { linked_from: 0, status });
        }
        is_new
    }

    /// Records a visit of the home page.
    pub fn mark_visited(&mut self, site: SiteKey) {
        self.add(site, SiteStatus::Visited);
        if let Some(record) = self.sites.get_mut(&site) {
            record.status = SiteStatus::Visited;
        }
    }

    /// Counts a deep site that links to this one.
    pub fn count_deep_link(&mut self, site: SiteKey) {
        if let Some(record) = self.sites.get_mut(&site) {
            record.linked_from = record.linked_from.saturating_add(1);
        }
    }

    /// Number of deep sites that link to a site, `SF(s)` (equation 6).
    pub fn frequency(&self, site: SiteKey) -> u16 {
        self.sites.get(&site).map_or(0, |record| record.linked_from)
    }

    /// Moves sites that `finder` found to a queue, when the crawl leaves `finder`. Sites of the low priority queue are
    /// promoted if the queue is [`HIGH`].
    pub fn release(&mut self, finder: SiteKey, found: &[SiteKey], queue: QueueId) {
        let status = if queue == HIGH { SiteStatus::High } else { SiteStatus::Low(self.promotions) };
        for site in found {
            let Some(record) = self.sites.get_mut(site) else { continue };
            let is_promoted = queue == HIGH && matches!(record.status, SiteStatus::Low(_));
            if record.status == SiteStatus::Found(finder) || is_promoted {
                record.status = status;
            }
        }
    }

    /// Moves all sites of the low priority queue into the high priority queue.
    pub fn promote_low(&mut self) {
        self.promotions += 1;
    }

    /// Queue of a site's home page.
    pub fn queue(&self, site: SiteKey) -> QueueId {
        match self.sites.get(&site).map(|record| record.status) {
            Some(SiteStatus::Found(finder)) => finder.found_queue(),
            Some(SiteStatus::Low(since)) if since == self.promotions => LOW,
            _ => HIGH,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: SiteKey = SiteKey(1);
    const LIBRARY: SiteKey = SiteKey(2);
    const FOUND: SiteKey = SiteKey(3);

    fn table() -> SiteTable {
        let mut table = SiteTable::default();
        assert!(table.add(FOUND, SiteStatus::Found(SHOP)));
        assert!(!table.add(FOUND, SiteStatus::Found(LIBRARY)));
        table
    }

    #[test]
    fn found_sites_wait_until_their_finder_is_left() {
        let mut table = table();
        assert_eq!(table.queue(FOUND), SHOP.found_queue());
        table.release(LIBRARY, &[FOUND], HIGH);
        assert_eq!(table.queue(FOUND), SHOP.found_queue());
        table.release(SHOP, &[FOUND], HIGH);
        assert_eq!(table.queue(FOUND), HIGH);
    }

    #[test]
    fn sites_of_the_low_queue_are_promoted_together_or_one_by_one() {
        let mut table = table();
        table.release(SHOP, &[FOUND], LOW);
        assert_eq!(table.queue(FOUND), LOW);
        let mut promoted = table.clone();
        promoted.promote_low();
        assert_eq!(promoted.queue(FOUND), HIGH);
        table.release(LIBRARY, &[FOUND], HIGH);
        assert_eq!(table.queue(FOUND), HIGH);
    }

    #[test]
    fn a_full_table_drops_visited_sites_and_admits_no_new_ones() {
        let mut table = SiteTable::default();
        (0..MAX_SITES as u32).for_each(|n| assert!(table.add(SiteKey(n), SiteStatus::High)));
        assert!(!table.add(SiteKey(u32::MAX), SiteStatus::High));
        table.mark_visited(SiteKey(7));
        assert!(table.add(SiteKey(u32::MAX), SiteStatus::High));
        assert_eq!(table.sites.len(), MAX_SITES);
    }
}
