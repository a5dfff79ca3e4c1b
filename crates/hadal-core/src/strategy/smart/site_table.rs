//! Sites that were met: how many deep sites link to them, and in which queue their home page waits.
//!
//! Bounded: when it is full, sites that were visited are forgotten first (the store still knows them), and
//! then no new ones are taken.

use super::queues::{HIGH, LOW, SiteKey};
use crate::link::QueueId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Sites that are remembered.
const MOST: usize = 30_000;

/// What is known about a site.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    linked_from: u16,
    standing: Standing,
}

/// Where a site stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Standing {
    /// Found by a site that is still being explored.
    Found(SiteKey),
    /// In the high queue.
    High,
    /// In the low queue, since it was emptied that many times.
    Low(u32),
    /// Its home page was visited.
    Visited,
}

/// The sites met so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SiteTable {
    sites: FxHashMap<SiteKey, Entry>,
    low_emptied: u32,
}

impl SiteTable {
    /// Takes in a site; whether it is new and there is room.
    pub fn meet(&mut self, site: SiteKey, standing: Standing) -> bool {
        if self.sites.len() >= MOST {
            self.sites.retain(|_, entry| entry.standing != Standing::Visited);
        }
        let is_new = self.sites.len() < MOST && !self.sites.contains_key(&site);
        if is_new {
            self.sites.insert(site, Entry { linked_from: 0, standing });
        }
        is_new
    }

    /// Its home page was visited.
    pub fn visit(&mut self, site: SiteKey) {
        self.meet(site, Standing::Visited);
        if let Some(entry) = self.sites.get_mut(&site) {
            entry.standing = Standing::Visited;
        }
    }

    /// One more deep site links to it.
    pub fn cite(&mut self, site: SiteKey) {
        if let Some(entry) = self.sites.get_mut(&site) {
            entry.linked_from = entry.linked_from.saturating_add(1);
        }
    }

    /// How many deep sites link to it: SF(s).
    pub fn frequency(&self, site: SiteKey) -> u16 {
        self.sites.get(&site).map_or(0, |entry| entry.linked_from)
    }

    /// The site that links to these was left: what it found goes to one of the queues, and what waits in
    /// the low queue rises when a better site knows it too.
    pub fn settle(&mut self, finder: SiteKey, found: &[SiteKey], queue: QueueId) {
        let settled = if queue == HIGH { Standing::High } else { Standing::Low(self.low_emptied) };
        for site in found {
            let Some(entry) = self.sites.get_mut(site) else { continue };
            let rises = queue == HIGH && matches!(entry.standing, Standing::Low(_));
            if entry.standing == Standing::Found(finder) || rises {
                entry.standing = settled;
            }
        }
    }

    /// The low queue is moved into the high one.
    pub fn empty_low(&mut self) {
        self.low_emptied += 1;
    }

    /// Where a site's home page waits.
    pub fn queue(&self, site: SiteKey) -> QueueId {
        match self.sites.get(&site).map(|entry| entry.standing) {
            Some(Standing::Found(finder)) => finder.finds(),
            Some(Standing::Low(since)) if since == self.low_emptied => LOW,
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
        assert!(table.meet(FOUND, Standing::Found(SHOP)));
        assert!(!table.meet(FOUND, Standing::Found(LIBRARY)));
        table
    }

    #[test]
    fn what_a_site_finds_waits_until_the_site_is_left() {
        let mut table = table();
        assert_eq!(table.queue(FOUND), SHOP.finds());
        table.settle(LIBRARY, &[FOUND], HIGH);
        assert_eq!(table.queue(FOUND), SHOP.finds());
        table.settle(SHOP, &[FOUND], HIGH);
        assert_eq!(table.queue(FOUND), HIGH);
    }

    #[test]
    fn the_low_queue_rises_as_a_whole_or_one_by_one() {
        let mut table = table();
        table.settle(SHOP, &[FOUND], LOW);
        assert_eq!(table.queue(FOUND), LOW);
        let mut emptied = table.clone();
        emptied.empty_low();
        assert_eq!(emptied.queue(FOUND), HIGH);
        table.settle(LIBRARY, &[FOUND], HIGH);
        assert_eq!(table.queue(FOUND), HIGH);
    }

    #[test]
    fn a_full_table_forgets_visited_sites_and_takes_no_new_ones() {
        let mut table = SiteTable::default();
        (0..MOST as u32).for_each(|n| assert!(table.meet(SiteKey(n), Standing::High)));
        assert!(!table.meet(SiteKey(u32::MAX), Standing::High));
        table.visit(SiteKey(7));
        assert!(table.meet(SiteKey(u32::MAX), Standing::High));
        assert_eq!(table.sites.len(), MOST);
    }
}
