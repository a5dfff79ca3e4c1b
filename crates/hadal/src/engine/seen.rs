//! A small cache in front of the store's memory of links.
//!
//! It keeps whole identities, so it never takes a new link for a known one; what it has forgotten
//! is asked of the store.

use hadal_core::address::LinkId;

/// Recently met links, one per slot.
pub struct Seen {
    slots: Vec<u64>,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { slots: vec![0; 1 << 19] }
    }
}

impl Seen {
    fn slot(&mut self, id: LinkId) -> &mut u64 {
        let at = id.0 as usize & (self.slots.len() - 1);
        &mut self.slots[at]
    }

    /// Whether the link is surely known.
    pub fn contains(&mut self, id: LinkId) -> bool {
        *self.slot(id) == id.0
    }

    /// Remembers a link that is known.
    pub fn insert(&mut self, id: LinkId) {
        *self.slot(id) = id.0;
    }
}
