//! The Database Crawler (FFC paper, section 4): every site from its root, breadth first, to a fixed depth,
//! one site after the other.

use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, SiteCounters, Strategy, StrategyCommand, serve_best,
};
use crate::address::Site;
use crate::link::{FrontierLink, LinkOrigin, QueueId};
use crate::page::LinkContext;
use rustc_hash::FxHashSet;
use url::Url;

/// Most query interfaces (91.6 %) stand within this many clicks of the root.
const DEPTH: u16 = 3;

/// Enters sites at their root only.
pub struct FixedDepth;

impl Strategy for FixedDepth {
    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        let redirected = link.origin == LinkOrigin::Redirect;
        let enters_elsewhere = !redirected && link.parent.is_some_and(|parent| !parent.same_site);
        if enters_elsewhere || link.site_depth > DEPTH {
            return Placement::Drop;
        }
        // What is inside a site comes before the next one.
        Placement::Enqueue { queue: QueueId(0), score: if link.site_depth > 0 { 1.0 } else { 0.0 } }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        serve_best(heads)
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        let Some(page) = visit.page else { return Vec::new() };
        let here = Site::of(&page.url);
        let mut roots = FxHashSet::default();
        let elsewhere = page.links.iter().filter(|link| Site::of(&link.url) != here);
        elsewhere
            .filter_map(|link| root(&link.url))
            .filter(|url| roots.insert(url.clone()))
            .map(|root| StrategyCommand::Open(root, LinkContext::default()))
            .collect()
    }
}

fn root(url: &Url) -> Option<Url> {
    url.join("/").ok()
}
