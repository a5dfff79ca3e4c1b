//! A link: a link that waits to be visited, with all that is known about it.
//!
//! Leads live in the store, never in a strategy. A link keeps the context it was found in, so that
//! it can be placed again by a model that learned something since.

use crate::address::{Host, LinkId, Site};
use crate::critic::probe::ProbeState;
use crate::page::LinkContext;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use url::Url;

/// What visiting a link means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkTask {
    /// Fetch and read the page.
    Page,
    /// Ask who links to the address.
    Backlinks,
    /// Ask a form whether it searches; the address is that of its next request.
    Probe(Box<ProbeState>),
}

/// How an address came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkOrigin {
    /// Given by the user.
    Seed,
    /// A link on a page.
    Link,
    /// Another address sent us here.
    Redirect,
    /// It links to a page we asked about.
    Backlink,
    /// A strategy opened the site at its root.
    SiteRoot,
}

/// What is known about the page a link was found on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParentPage {
    /// The page.
    pub id: LinkId,
    /// P(on topic) of the page.
    pub p_topic: f32,
    /// It held a relevant form.
    pub has_relevant_form: bool,
    /// It is on the same site as the link's target.
    pub same_site: bool,
}

/// An address worth considering, with the context it was found in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontierLink {
    /// Identity.
    pub id: LinkId,
    /// Normalised address.
    pub url: Url,
    /// What to do with it.
    pub task: LinkTask,
    /// How it came to be known.
    pub origin: LinkOrigin,
    /// What stands around the link.
    pub context: LinkContext,
    /// The page it was found on.
    pub parent: Option<ParentPage>,
    /// Clicks from a seed.
    pub depth: u16,
    /// Clicks since the crawl entered this site.
    pub site_depth: u16,
    /// Addresses that redirected here, first one first.
    pub redirects: Vec<Url>,
}

impl FrontierLink {
    /// A link without a parent: a seed or a site's root.
    pub fn root(url: Url, origin: LinkOrigin) -> FrontierLink {
        FrontierLink {
            id: LinkId::of(&url),
            url,
            task: LinkTask::Page,
            origin,
            context: LinkContext::default(),
            parent: None,
            depth: 0,
            site_depth: 0,
            redirects: Vec::new(),
        }
    }

    /// The host it is fetched from. A look-up goes to none of the web's hosts, so it has one of its own:
    /// it waits for nobody's turn and outlives the site it is about.
    pub fn host(&self) -> Host {
        match self.task {
            LinkTask::Page | LinkTask::Probe(_) => Host::of(&self.url),
            LinkTask::Backlinks => Host("backlinks".into()),
        }
    }

    /// The site it belongs to.
    pub fn site(&self) -> Site {
        match self.task {
            LinkTask::Page | LinkTask::Probe(_) => Site::of(&self.url),
            LinkTask::Backlinks => Site("backlinks".into()),
        }
    }
}

/// A queue of the frontier. What a number means is the strategy's affair: a level, a batch, a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QueueId(pub u64);

impl QueueId {
    /// Where uncertain forms wait to be asked. The engine's own: no strategy sees it.
    pub const PROBES: QueueId = QueueId(u64::MAX);
    /// Where the forms of a quality sample wait to be asked. The engine's own as well.
    pub const SAMPLE: QueueId = QueueId(u64::MAX - 1);

    /// Whether the engine serves it by itself. What waits there outlives the closing of its site.
    pub fn is_reserved(self) -> bool {
        self >= QueueId::SAMPLE
    }
}

/// A link in its queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueuedLink {
    /// What waits.
    pub link: FrontierLink,
    /// Where.
    pub queue: QueueId,
    /// Higher is served first.
    pub score: f32,
    /// Tie-breaker: what came first is served first.
    pub order: u64,
    /// Generation of the model that gave the score.
    pub generation: u32,
    /// Failed attempts so far.
    pub attempts: u8,
    /// Not to be visited before this moment.
    pub not_before: Time,
}

impl QueuedLink {
    /// Rank in its queue: smaller is served first.
    pub fn rank(&self) -> QueueRank {
        QueueRank::new(self.score, self.order)
    }
}

/// Order within a queue: score downwards, then arrival upwards. Total, also for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueRank {
    falling: i32,
    order: u64,
}

impl QueueRank {
    /// The rank of a score and an arrival number.
    pub fn new(score: f32, order: u64) -> QueueRank {
        let score = if score.is_nan() { f32::NEG_INFINITY } else { score };
        let bits = score.to_bits() as i32;
        let rising = bits ^ (((bits >> 31) as u32) >> 1) as i32;
        QueueRank { falling: !rising, order }
    }

    /// The score it was made from.
    pub fn score(self) -> f32 {
        let rising = !self.falling;
        f32::from_bits((rising ^ (((rising >> 31) as u32) >> 1) as i32) as u32)
    }

    /// The score's part as an integer that sorts the best first, for stores to index.
    pub fn falling(self) -> i32 {
        self.falling
    }

    /// The arrival number.
    pub fn order(self) -> u64 {
        self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_scores_come_first_then_older_links() {
        let scores = [f32::INFINITY, 3.5, 1.0, 0.25, 0.0, -0.5, -7.0, f32::NEG_INFINITY];
        for pair in scores.windows(2) {
            assert!(QueueRank::new(pair[0], 9) < QueueRank::new(pair[1], 1), "{pair:?}");
            assert_eq!(QueueRank::new(pair[0], 0).score(), pair[0]);
        }
        assert!(QueueRank::new(1.0, 1) < QueueRank::new(1.0, 2));
        assert!(QueueRank::new(f32::NAN, 1) > QueueRank::new(-1e30, 1));
    }
}
