//! Control: what is fewer clicks away from a seed comes first.

use super::{Choice, Command, Heads, Placement, SiteTally, Strategy, Visited, serve_best};
use crate::lead::{Lane, Lead};

/// Ranks by depth, then by arrival.
pub struct BreadthFirst;

impl Strategy for BreadthFirst {
    fn place(&self, lead: &Lead, _site: &SiteTally) -> Placement {
        Placement::Wait { lane: Lane(0), score: -f32::from(lead.depth) }
    }

    fn choose(&mut self, heads: &dyn Heads) -> Choice {
        serve_best(heads)
    }

    fn learn(&mut self, _visit: &Visited<'_>) -> Vec<Command> {
        Vec::new()
    }
}
