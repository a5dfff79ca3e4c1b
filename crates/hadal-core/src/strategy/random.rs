//! Control: any known link, whichever.

use super::{Choice, Command, Heads, Placement, SiteTally, Strategy, Visited, serve_best};
use crate::lead::{Lane, Lead};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Draws each lead's place once, from the run's seed and the lead's identity.
pub struct Random {
    /// Seed of the draws.
    pub seed: u64,
}

impl Strategy for Random {
    fn place(&self, lead: &Lead, _site: &SiteTally) -> Placement {
        let draw = xxh3_64_with_seed(&lead.id.0.to_le_bytes(), self.seed);
        Placement::Wait { lane: Lane(0), score: (draw >> 40) as f32 }
    }

    fn choose(&mut self, heads: &dyn Heads) -> Choice {
        serve_best(heads)
    }

    fn learn(&mut self, _visit: &Visited<'_>) -> Vec<Command> {
        Vec::new()
    }
}
