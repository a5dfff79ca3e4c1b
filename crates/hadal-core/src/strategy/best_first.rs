//! The topic crawler: all links of on-topic pages, those of the surest pages first.
//!
//! With stopping criteria it is the Baseline of the ACHE paper: a site is left once it has given
//! what sites usually give, or has taken what a site may take (FFC paper, section 3.4). Forms and links
//! are taken from on-topic pages only (section 3).

use super::{Choice, Command, Heads, Placement, SiteTally, Strategy, Visited, serve_best};
use crate::critic::PageVerdict;
use crate::lead::{Lane, Lead};

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
    pub fn applies(self, site: &SiteTally) -> bool {
        !site.closed && (site.searchable >= self.forms || site.pages >= self.pages)
    }
}

impl Default for Leave {
    fn default() -> Leave {
        Leave { forms: 5, pages: 100 }
    }
}

impl Strategy for BestFirst {
    fn place(&self, lead: &Lead, _site: &SiteTally) -> Placement {
        let score = lead.parent.map_or(1.0, |parent| parent.p_topic);
        if score < ON_TOPIC {
            return Placement::Drop;
        }
        Placement::Wait { lane: Lane(0), score }
    }

    fn choose(&mut self, heads: &dyn Heads) -> Choice {
        serve_best(heads)
    }

    fn learn(&mut self, visit: &Visited<'_>) -> Vec<Command> {
        match self.leave {
            Some(leave) if leave.applies(visit.site) => vec![Command::CloseSite(visit.lead.site())],
            _ => Vec::new(),
        }
    }

    fn takes(&self, verdict: &PageVerdict) -> bool {
        verdict.p_topic >= ON_TOPIC
    }
}
