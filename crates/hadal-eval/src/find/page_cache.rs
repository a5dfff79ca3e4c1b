//! In-memory cache of judged pages, shared by the crawls of a topic.
//!
//! Pages that exceed the memory limit are not cached but counted. Several caches may share one [`CacheLimit`].

use hadal_core::address::LinkId;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

/// Number of separately locked parts. Guess.
const SHARDS: usize = 64;

/// Memory overhead of an entry in bytes: key, table slot, reference counters. Guess.
const ENTRY: u64 = 64;

/// Memory limit shared by all caches of an evaluation.
pub struct CacheLimit {
    most: u64,
    used: AtomicU64,
    refused: AtomicU64,
}

impl CacheLimit {
    /// Limit in bytes.
    pub fn of(most: u64) -> Arc<CacheLimit> {
        Arc::new(CacheLimit { most, used: AtomicU64::new(0), refused: AtomicU64::new(0) })
    }

    /// Reserves memory. False if the limit would be exceeded.
    fn take(&self, bytes: u64) -> bool {
        let fits = |used: u64| Some(used + bytes).filter(|sum| *sum <= self.most);
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        self.refused.fetch_add(u64::from(!taken), Ordering::Relaxed);
        taken
    }

    fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes in use.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Pages that were not cached because of the limit.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

/// Compact pages by link id.
pub struct PageCache {
    shards: Vec<RwLock<FxHashMap<LinkId, Arc<[u8]>>>>,
    limit: Arc<CacheLimit>,
}

impl PageCache {
    pub fn new(limit: Arc<CacheLimit>) -> PageCache {
        PageCache { shards: (0..SHARDS).map(|_| RwLock::default()).collect(), limit }
    }

    fn shard(&self, id: LinkId) -> &RwLock<FxHashMap<LinkId, Arc<[u8]>>> {
        &self.shards[(id.0 >> 58) as usize % SHARDS]
    }

    /// Cached page of a link.
    pub fn get(&self, id: LinkId) -> Option<Arc<[u8]>> {
        self.shard(id).read().expect("nothing panics while it holds a cache").get(&id).cloned()
    }

    /// Caches a page unless it is cached already or the limit is reached.
    pub fn put(&self, id: LinkId, bytes: Vec<u8>) {
        let mut shard = self.shard(id).write().expect("nothing panics while it holds a cache");
        if !shard.contains_key(&id) && self.limit.take(bytes.len() as u64 + ENTRY) {
            shard.insert(id, bytes.into());
        }
    }

    /// Number of cached pages.
    pub fn pages(&self) -> usize {
        let count = |shard: &RwLock<FxHashMap<LinkId, Arc<[u8]>>>| {
            shard.read().expect("nothing panics while it holds a cache").len()
        };
        self.shards.iter().map(count).sum()
    }
}

impl Drop for PageCache {
    fn drop(&mut self) {
        for shard in &mut self.shards {
            if let Ok(pages) = shard.get_mut() {
                self.limit.give_back(pages.values().map(|bytes| bytes.len() as u64 + ENTRY).sum());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_cache_refuses_pages_and_frees_memory_when_dropped() {
        let limit = CacheLimit::of(2 * (100 + ENTRY));
        let cache = PageCache::new(Arc::clone(&limit));
        for id in 0..4 {
            cache.put(LinkId(id << 58), vec![id as u8; 100]);
            cache.put(LinkId(0), vec![9; 100]);
        }
        assert_eq!((cache.pages(), limit.refused()), (2, 2));
        assert_eq!(cache.get(LinkId(0)).unwrap()[0], 0);
        assert!(cache.get(LinkId(3 << 58)).is_none());
        drop(cache);
        assert_eq!(limit.used(), 0);
    }
}
