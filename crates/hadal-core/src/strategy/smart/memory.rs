//! All that decides what comes next: saved with the run, so that a resumed crawl goes on as if nothing had been.

use super::explored::Explored;
use super::learner::Learner;
use super::queues::SiteKey;
use super::reverse::Reverse;
use super::site_table::SiteTable;
use crate::address::Site;
use crate::link::QueueId;
use crate::strategy::{RestoreError, StrategyCommand};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Deep sites that are remembered.
const MOST_DEEP: usize = 20_000;

/// What the strategy knows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// Sites that are being explored, in the order they were opened.
    pub open: Vec<Explored>,
    /// Sites that were met.
    pub sites: SiteTable,
    /// Sites that yielded searchable forms, those of earlier crawls included.
    pub deep: FxHashSet<SiteKey>,
    /// Sites of this crawl that yielded searchable forms.
    pub deep_found: u32,
    /// Reverse searching.
    pub reverse: Reverse,
    /// Rankers and what they learn from.
    pub learner: Learner,
    /// Pages chosen so far.
    pub served: u64,
    /// What is to be done about sites that were left.
    farewells: VecDeque<Farewell>,
}

/// What is to be done about a site that was left.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Farewell {
    /// The sites it found join a queue of the frontier.
    Release(SiteKey, QueueId),
    /// Nothing of it is wanted any more.
    Close(Site),
}

impl Memory {
    /// Notes that a site is deep.
    pub fn note_deep(&mut self, site: SiteKey) {
        self.deep_found += 1;
        if self.deep.len() < MOST_DEEP {
            self.deep.insert(site);
        }
    }

    /// Leaves an open site: it releases what it found to a queue, and is closed.
    pub fn leave(&mut self, at: usize, queue: QueueId) {
        let left = self.open.remove(at);
        self.sites.settle(left.key, &left.linked, queue);
        self.farewells.push_back(Farewell::Release(left.key, queue));
        self.farewells.push_back(Farewell::Close(left.site));
    }

    /// The next thing to be done about sites that were left.
    pub fn next_command(&mut self) -> Option<StrategyCommand> {
        Some(match self.farewells.pop_front()? {
            Farewell::Release(site, to) => {
                StrategyCommand::Refill { from: site.finds(), to, limit: usize::MAX }
            }
            Farewell::Close(site) => StrategyCommand::CloseSite(site),
        })
    }

    /// For the store.
    pub fn write(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("tables of numbers and words can be written")
    }

    /// From the store.
    pub fn read(saved: &[u8]) -> Result<Memory, RestoreError> {
        let mut memory: Memory =
            postcard::from_bytes(saved).map_err(|_| RestoreError { strategy: "smart" })?;
        memory.open.iter_mut().for_each(Explored::share_out);
        memory.learner.ready();
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::smart::queues::HIGH;

    #[test]
    fn a_site_that_is_left_releases_what_it_found_and_is_closed() {
        let site = Site("shop.example".into());
        let mut memory = Memory { open: vec![Explored::new(site.clone(), 0)], ..Memory::default() };
        memory.leave(0, HIGH);
        let mut memory = Memory::read(&memory.write()).unwrap();
        let from = SiteKey::of(&site).finds();
        let release = StrategyCommand::Refill { from, to: HIGH, limit: usize::MAX };
        assert_eq!(memory.next_command(), Some(release));
        assert_eq!(memory.next_command(), Some(StrategyCommand::CloseSite(site)));
        assert_eq!(memory.next_command(), None);
    }

    #[test]
    fn what_is_no_memory_is_refused() {
        let saved = Memory::default().write();
        assert!(Memory::read(&saved[..saved.len() / 2]).is_err());
        assert!(Memory::read(&[0xff; 64]).is_err());
    }
}
