//! Packed pages by address, for all crawls of a topic at once, within a bound of bytes.
//!
//! What does not fit any more is not added, and counted. Several shelves may share one [`Room`].

use hadal_core::address::LinkId;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

/// Shelves that are locked one by one.
const SHARDS: usize = 64;

/// What an entry takes beside its bytes: its key, its place in a table, its counters.
const ENTRY: u64 = 64;

/// Bytes that may be used, shared by all shelves of an evaluation.
pub struct Room {
    most: u64,
    used: AtomicU64,
    refused: AtomicU64,
}

impl Room {
    /// Room for this many bytes.
    pub fn of(most: u64) -> Arc<Room> {
        Arc::new(Room { most, used: AtomicU64::new(0), refused: AtomicU64::new(0) })
    }

    /// Takes some of it, if so much is left.
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

    /// Pages that were not kept for want of room.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

/// Pages by address.
pub struct Shelf {
    shards: Vec<RwLock<FxHashMap<LinkId, Arc<[u8]>>>>,
    room: Arc<Room>,
}

impl Shelf {
    /// An empty one.
    pub fn new(room: Arc<Room>) -> Shelf {
        Shelf { shards: (0..SHARDS).map(|_| RwLock::default()).collect(), room }
    }

    fn shard(&self, id: LinkId) -> &RwLock<FxHashMap<LinkId, Arc<[u8]>>> {
        &self.shards[(id.0 >> 58) as usize % SHARDS]
    }

    /// The page at an address, if it is here.
    pub fn get(&self, id: LinkId) -> Option<Arc<[u8]>> {
        self.shard(id).read().expect("nothing panics while it holds a shelf").get(&id).cloned()
    }

    /// Keeps a page, if there is room and it is not here already.
    pub fn put(&self, id: LinkId, bytes: Vec<u8>) {
        let mut shard = self.shard(id).write().expect("nothing panics while it holds a shelf");
        if !shard.contains_key(&id) && self.room.take(bytes.len() as u64 + ENTRY) {
            shard.insert(id, bytes.into());
        }
    }

    /// How many pages are here.
    pub fn pages(&self) -> usize {
        let count = |shard: &RwLock<FxHashMap<LinkId, Arc<[u8]>>>| {
            shard.read().expect("nothing panics while it holds a shelf").len()
        };
        self.shards.iter().map(count).sum()
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        for shard in &mut self.shards {
            if let Ok(pages) = shard.get_mut() {
                self.room.give_back(pages.values().map(|bytes| bytes.len() as u64 + ENTRY).sum());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_and_room_comes_back() {
        let room = Room::of(2 * (100 + ENTRY));
        let shelf = Shelf::new(Arc::clone(&room));
        for id in 0..4 {
            shelf.put(LinkId(id << 58), vec![id as u8; 100]);
            shelf.put(LinkId(0), vec![9; 100]);
        }
        assert_eq!((shelf.pages(), room.refused()), (2, 2));
        assert_eq!(shelf.get(LinkId(0)).unwrap()[0], 0);
        assert!(shelf.get(LinkId(3 << 58)).is_none());
        drop(shelf);
        assert_eq!(room.used(), 0);
    }
}
