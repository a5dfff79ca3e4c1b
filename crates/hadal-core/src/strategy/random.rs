//! Control: any known link, whichever.

use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, SiteCounters, Strategy, StrategyCommand, serve_best,
};
use crate::link::{FrontierLink, QueueId};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Draws each link's place once, from the run's seed and the link's identity.
pub struct Random {
    /// Seed of the draws.
    pub seed: u64,
}

impl Strategy for Random {
    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        let draw = xxh3_64_with_seed(&link.id.0.to_le_bytes(), self.seed);
        Placement::Enqueue { queue: QueueId(0), score: (draw >> 40) as f32 }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        serve_best(heads)
    }

    fn learn(&mut self, _visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        Vec::new()
    }
}
