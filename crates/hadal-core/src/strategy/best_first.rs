//! The topic crawler: all links of on-topic pages, those of the surest pages first.
//!
//! With stopping criteria it is the Baseline of the ACHE paper: a site is left once it has given
//! what sites usually give, or has taken what a site may take (FFC paper, section 3.4). Forms and links
//! are taken from on-topic pages only (section 3).

use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, SiteCounters, Strategy, StrategyCommand, serve_best,
};
use crate::critic::PageVerdict;
use crate::link::{FrontierLink, QueueId};

/// Pages from this probability on are on topic.
pub(super) const ON_TOPIC: f32 = 0.5;

/// Follows on-topic pages.
pub struct BestFirst {
    /// When to leave a site; `None` never leaves.
    pub leave: Option<Leave>,
}

/// Stopping criteria of a site.
#[derive(Clone, Copy, Debug)]
pub struct Leave {
    /// After this many distinct searchable forms.
    pub forms: u32,
    /// After this many pages.
    pub pages: u32,
}

impl Leave {
    /// Whether it is time to leave a site that stands like this.
    pub fn applies(self, site: &SiteCounters) -> bool {
        !site.closed && (site.searchable >= self.forms || site.pages >= self.pages)
    }
}

impl Default for Leave {
    fn default() -> Leave {
        Leave { forms: 5, pages: 100 }
    }
}

impl Strategy for BestFirst {
    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        let score = link.parent.map_or(1.0, |parent| parent.p_topic);
        if score < ON_TOPIC {
            return Placement::Drop;
        }
        Placement::Enqueue { queue: QueueId(0), score }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        serve_best(heads)
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        match self.leave {
            Some(leave) if leave.applies(visit.site) => vec![StrategyCommand::CloseSite(visit.link.site())],
            _ => Vec::new(),
        }
    }

    fn accepts_page(&self, verdict: &PageVerdict) -> bool {
        verdict.p_topic >= ON_TOPIC
    }
}
