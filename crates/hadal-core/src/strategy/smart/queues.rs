//! Where links wait: four queues of the site frontier, one queue a site whose finds wait for its end, and one
//! queue for each directory of a site at each depth.

use super::link_tree::Node;
use crate::address::Site;
use crate::link::QueueId;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Questions who links to a site.
pub const LOOKUPS: QueueId = QueueId(1);
/// Pages that link to a site we asked about.
pub const CENTRES: QueueId = QueueId(2);
/// Home pages found by sites that yielded searchable forms.
pub const HIGH: QueueId = QueueId(3);
/// Home pages found by sites that are merely on topic.
pub const LOW: QueueId = QueueId(4);

const OF_DIRECTORY: u64 = 1 << 62;
const OF_FINDER: u64 = 1 << 61;

/// A site in the tables of this strategy, where names would take too much room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteKey(pub u32);

impl SiteKey {
    /// The key of a site.
    pub fn of(site: &Site) -> SiteKey {
        SiteKey(xxh3_64(site.0.as_bytes()) as u32)
    }

    /// Home pages this site links to, until it is left and known for what it is.
    pub fn finds(self) -> QueueId {
        QueueId(OF_FINDER | u64::from(self.0))
    }

    /// Links of this site in one directory, so many clicks from the home page.
    pub fn directory(self, depth: u8, node: Node) -> QueueId {
        QueueId(OF_DIRECTORY | u64::from(self.0) << 24 | u64::from(depth) << 16 | u64::from(node.0))
    }
}
