//! Strategies without learning, to measure others against.

use super::{
    ON_TOPIC, PageVisit, Placement, QueueChoice, QueueHeads, SiteCounters, Strategy, StrategyCommand,
    serve_best,
};
use crate::address::Site;
use crate::critic::PageVerdict;
use crate::link::{FrontierLink, LinkOrigin, QueueId};
use crate::page::LinkContext;
use rustc_hash::FxHashSet;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Maximum number of clicks from a site's root in [`FixedDepth`]. 91.6 % of the query interfaces are within
/// this depth (FFC paper, section 4).
const MAX_DEPTH: u16 = 3;

/// Known links by a score that depends on the link alone.
pub struct FixedOrder(Box<dyn Fn(&FrontierLink) -> f32 + Send>);

impl FixedOrder {
    /// Random order. The score of a link is drawn once, from the run's seed and the link's id.
    pub fn random(seed: u64) -> FixedOrder {
        FixedOrder(Box::new(move |link| random_score(link, seed)))
    }

    /// By depth, then by arrival.
    pub fn breadth_first() -> FixedOrder {
        FixedOrder(Box::new(|link| -f32::from(link.depth)))
    }
}

/// Random score of a link, drawn from the run's seed and the link's id.
pub(super) fn random_score(link: &FrontierLink, seed: u64) -> f32 {
    (xxh3_64_with_seed(&link.id.0.to_le_bytes(), seed) >> 40) as f32
}

impl Strategy for FixedOrder {
    fn share(&mut self) -> bool {
        true
    }

    fn uses_backlinks(&self) -> bool {
        false
    }

    fn reads_unused_links(&self) -> bool {
        false
    }

    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        Placement::Enqueue { queue: QueueId(0), score: self.0(link) }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        serve_best(heads)
    }

    fn learn(&mut self, _visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        Vec::new()
    }
}

/// The Database Crawler (FFC paper, section 4): one site after the other, each breadth first from its root down to
/// depth 3. A link to another site adds the root of that site.
pub struct FixedDepth;

impl Strategy for FixedDepth {
    fn share(&mut self) -> bool {
        true
    }

    fn uses_backlinks(&self) -> bool {
        false
    }

    fn reads_unused_links(&self) -> bool {
        false
    }

    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        let is_redirect = link.origin == LinkOrigin::Redirect;
        let leaves_site = !is_redirect && link.parent.is_some_and(|parent| !parent.same_site);
        if leaves_site || link.site_depth > MAX_DEPTH {
            return Placement::Drop;
        }
        // Links inside a site come before the root of the next one.
        Placement::Enqueue { queue: QueueId(0), score: if link.site_depth > 0 { 1.0 } else { 0.0 } }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        serve_best(heads)
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        let Some(page) = visit.page else { return Vec::new() };
        let here = Site::of(&page.url);
        let mut roots = FxHashSet::default();
        let other_sites = page.links.iter().filter(|link| Site::of(&link.url) != here);
        other_sites
            .filter_map(|link| site_root(&link.url))
            .filter(|url| roots.insert(url.clone()))
            .map(|root| StrategyCommand::AddPage(root, LinkContext::default()))
            .collect()
    }
}

fn site_root(url: &Url) -> Option<Url> {
    url.join("/").ok()
}

/// Links of on-topic pages, those of the pages with the highest P(on topic) first. Forms and links of other pages are
/// ignored (FFC paper, section 3).
///
/// With [`SiteLimits`] it is the Baseline of the ACHE paper (section 4.1) and the Baseline SC of the FFC paper
/// (section 4).
pub struct BestFirst {
    /// Stopping criteria; `None` never leaves a site.
    pub limits: Option<SiteLimits>,
}

/// Stopping criteria of a site (FFC paper, section 3.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteLimits {
    /// Distinct searchable forms after which the crawl leaves the site.
    pub forms: u32,
    /// Pages after which the crawl leaves the site.
    pub pages: u32,
}

impl SiteLimits {
    /// 5 forms, because a deep site has 4.2 query interfaces on average (FFC paper, section 3.4); 100 pages, a guess.
    pub const USUAL: SiteLimits = SiteLimits { forms: 5, pages: 100 };

    /// True if the crawl should leave a site with these counters now.
    pub fn are_reached(self, site: &SiteCounters) -> bool {
        !site.closed && (site.searchable >= self.forms || site.pages >= self.pages)
    }
}

impl Strategy for BestFirst {
    fn share(&mut self) -> bool {
        true
    }

    fn uses_backlinks(&self) -> bool {
        false
    }

    fn reads_unused_links(&self) -> bool {
        false
    }

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
        match self.limits {
            Some(limits) if limits.are_reached(visit.site) => {
                vec![StrategyCommand::CloseSite(visit.link.site())]
            }
            _ => Vec::new(),
        }
    }

    fn accepts_page(&self, verdict: &PageVerdict) -> bool {
        verdict.p_topic >= ON_TOPIC
    }
}
