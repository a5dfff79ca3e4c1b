//! Control: what is fewer clicks away from a seed comes first.

use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, SiteCounters, Strategy, StrategyCommand, serve_best,
};
use crate::link::{FrontierLink, QueueId};

/// Ranks by depth, then by arrival.
pub struct BreadthFirst;

impl Strategy for BreadthFirst {
    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        Placement::Enqueue { queue: QueueId(0), score: -f32::from(link.depth) }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        serve_best(heads)
    }

    fn learn(&mut self, _visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        Vec::new()
    }
}
