//! Links of the frontier.
//!
//! A [`FrontierLink`] is a URL that a crawl knows, with the context it was found in. A [`QueuedLink`] adds the
//! queue and the score that the strategy gave it. Both live in the store, never in a strategy. A link keeps its
//! context, so that a strategy can score it again after it has learned more.

use crate::address::{Host, LinkId, Site};
use crate::critic::probe::ProbeState;
use crate::page::LinkContext;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use url::Url;

/// Kind of request that visiting a link makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkTask {
    /// Fetch and parse the page.
    Page,
    /// Look up pages that link to the URL.
    Backlinks,
    /// Probe a form; the URL is that of the probe's next request.
    Probe(Box<ProbeState>),
}

/// Source of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LinkOrigin {
    /// Given by the user.
    Seed,
    /// Found on a page.
    Link,
    /// Target of an HTTP redirect or a page refresh.
    Redirect,
    /// Returned by a backlink look-up.
    Backlink,
    /// Added by the strategy, usually the root of a site.
    AddedPage,
}

impl LinkOrigin {
    /// Name in the dashboard.
    pub fn name(self) -> &'static str {
        match self {
            LinkOrigin::Seed => "seed",
            LinkOrigin::Link => "link",
            LinkOrigin::Redirect => "redirect",
            LinkOrigin::Backlink => "backlink",
            LinkOrigin::AddedPage => "site root",
        }
    }
}

/// Facts about the page a link was found on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParentPage {
    /// Link that the page was fetched through.
    pub id: LinkId,
    /// P(on topic) of the page.
    pub p_topic: f32,
    /// The page held a relevant form.
    pub has_relevant_form: bool,
    /// The page and the link's target are on the same site.
    pub same_site: bool,
}

/// A URL that a crawl knows, with the context it was found in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontierLink {
    /// Identity of the URL and task.
    pub id: LinkId,
    /// URL in normalised form, the identity of the page.
    pub url: Url,
    /// Kind of request to make.
    pub task: LinkTask,
    /// Source of the link.
    pub origin: LinkOrigin,
    /// Anchor text, surrounding text and tag path.
    pub context: LinkContext,
    /// Page it was found on; `None` for seeds, site roots and backlinks.
    pub parent: Option<ParentPage>,
    /// Clicks from a seed.
    pub depth: u16,
    /// Clicks since the crawl entered this site.
    pub site_depth: u16,
    /// URLs that redirected to this one, oldest first.
    pub redirects: Vec<Url>,
}

impl FrontierLink {
    /// A page link without a parent: a seed, a site's root or a backlink.
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

    /// Host that the request goes to. Backlink look-ups share a host name of their own: they do not wait for the
    /// host they ask about, and they stay queued when its site is closed.
    pub fn host(&self) -> Host {
        match self.task {
            LinkTask::Page | LinkTask::Probe(_) => Host::of(&self.url),
            LinkTask::Backlinks => Host("backlinks".into()),
        }
    }

    /// Site of the URL. Backlink look-ups share a site of their own, as in [`FrontierLink::host`].
    pub fn site(&self) -> Site {
        match self.task {
            LinkTask::Page | LinkTask::Probe(_) => Site::of(&self.url),
            LinkTask::Backlinks => Site("backlinks".into()),
        }
    }
}

/// Number of a queue of the frontier. The strategy decides what a queue holds: a level, a batch, a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QueueId(pub u64);

impl QueueId {
    /// Probes of uncertain forms. The engine serves this queue; strategies do not see it.
    pub const PROBES: QueueId = QueueId(u64::MAX);
    /// Probes of the forms of a quality sample. The engine serves this queue; strategies do not see it.
    pub const SAMPLE: QueueId = QueueId(u64::MAX - 1);

    /// True for the queues that the engine serves by itself. Closing a site does not drop their links.
    pub fn is_reserved(self) -> bool {
        self >= QueueId::SAMPLE
    }
}

/// A link with its place in the frontier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueuedLink {
    /// The link and its context.
    #[serde(rename = "lead")]
    pub link: FrontierLink,
    /// Queue it waits in.
    #[serde(rename = "lane")]
    pub queue: QueueId,
    /// Score within the queue; the highest is served first.
    pub score: f32,
    /// Arrival number; of equal scores the lowest is served first.
    pub order: u64,
    /// Generation of the strategy's model that gave the score.
    pub generation: u32,
    /// Failed attempts so far.
    pub attempts: u8,
    /// Earliest time of the next attempt.
    pub not_before: Time,
}

impl QueuedLink {
    /// Rank in its queue; the smallest is served first.
    pub fn rank(&self) -> QueueRank {
        QueueRank::new(self.score, self.order)
    }
}

/// Order within a queue: highest score first, then lowest arrival number. A total order; NaN sorts last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueRank {
    score_key: i32,
    order: u64,
}

impl QueueRank {
    /// Rank of a score and an arrival number.
    pub fn new(score: f32, order: u64) -> QueueRank {
        let score = if score.is_nan() { f32::NEG_INFINITY } else { score };
        let bits = score.to_bits() as i32;
        let ascending = bits ^ (((bits >> 31) as u32) >> 1) as i32;
        QueueRank { score_key: !ascending, order }
    }

    /// Rank with a stored [`QueueRank::score_key`].
    pub fn from_key(score_key: i32, order: u64) -> QueueRank {
        QueueRank { score_key, order }
    }

    /// Score that the rank was made from.
    pub fn score(self) -> f32 {
        let ascending = !self.score_key;
        f32::from_bits((ascending ^ (((ascending >> 31) as u32) >> 1) as i32) as u32)
    }

    /// A rank before this one, after every rank with a better score.
    pub fn before(self) -> QueueRank {
        match self.order.checked_sub(1) {
            Some(order) => QueueRank { order, ..self },
            None => QueueRank { score_key: self.score_key.saturating_sub(1), order: u64::MAX },
        }
    }

    /// Score as an integer that sorts the highest score first, for the index of a store.
    pub fn score_key(self) -> i32 {
        self.score_key
    }

    /// Number of the link in the order of arrival.
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
