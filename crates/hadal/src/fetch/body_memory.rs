//! Memory of response bodies, limited for the whole process.
//!
//! Most bodies are small and need no permission. A large body is received only while there is room for all of it, so
//! that memory does not grow with the number of requests in flight.

use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;

/// Maximum number of bytes of bodies that are received, decoded or wait to be parsed. Guess: 16 bodies of the
/// default limit.
const ROOM: u64 = 64 << 20;
/// Largest body that is received without a reservation. Guess: four times the mean page of the HTTP Archive.
pub const SMALL_BODY: usize = 128 << 10;

/// Bodies of all clients of the process.
pub static BODIES: BodyMemory = BodyMemory::new(ROOM);

/// Counter of bytes with a limit.
pub struct BodyMemory {
    room: u64,
    held: AtomicU64,
    freed: Notify,
}

/// Bytes that count as held until this value is dropped.
pub struct HeldBytes<'a> {
    memory: &'a BodyMemory,
    bytes: u64,
}

impl BodyMemory {
    const fn new(room: u64) -> BodyMemory {
        BodyMemory { room, held: AtomicU64::new(0), freed: Notify::const_new() }
    }

    /// Counts bytes that are in memory already.
    pub fn hold(&self, bytes: usize) -> HeldBytes<'_> {
        self.held.fetch_add(bytes as u64, Ordering::Relaxed);
        HeldBytes { memory: self, bytes: bytes as u64 }
    }

    /// Waits until there is room for this many bytes. A body larger than all room waits until it is alone.
    pub async fn reserve(&self, bytes: u64) -> HeldBytes<'_> {
        loop {
            // Created before the counter is read, so that no release in between is missed.
            let freed = self.freed.notified();
            if let Some(held) = self.try_reserve(bytes) {
                return held;
            }
            freed.await;
        }
    }

    fn try_reserve(&self, bytes: u64) -> Option<HeldBytes<'_>> {
        let fits = |held: u64| (held == 0 || held.saturating_add(bytes) <= self.room).then_some(held + bytes);
        self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
        Some(HeldBytes { memory: self, bytes })
    }
}

impl Drop for HeldBytes<'_> {
    fn drop(&mut self) {
        self.memory.held.fetch_sub(self.bytes, Ordering::Relaxed);
        self.memory.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[test]
    fn a_large_body_waits_until_others_are_parsed() {
        let memory = BodyMemory::new(100);
        let waiting = memory.hold(80);
        assert!(memory.reserve(30).now_or_never().is_none());
        let mut later = Box::pin(memory.reserve(30));
        assert!(later.as_mut().now_or_never().is_none());
        drop(waiting);
        assert!(later.now_or_never().is_some());
    }

    #[test]
    fn a_body_above_the_limit_is_received_alone() {
        let memory = BodyMemory::new(100);
        let alone = memory.reserve(500).now_or_never();
        assert!(alone.is_some() && memory.reserve(1).now_or_never().is_none());
    }
}
