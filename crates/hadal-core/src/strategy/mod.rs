//! Crawl strategies: the order in which a crawl visits the links it knows.
//!
//! A strategy gives each link a queue and a score ([`Strategy::place`]), picks the queue that is served next
//! ([`Strategy::choose`]) and learns from every visit ([`Strategy::learn`]). It holds no links: the frontier belongs
//! to the engine, which also owns politeness, budgets, fetching and persistence. A strategy asks the engine for
//! other work with a [`StrategyCommand`].
//!
//! | module | strategies |
//! |---|---|
//! | [`baselines`] | `random`, `breadth-first`, `fixed-depth`, `best-first`, `best-first-sc` |
//! | [`levels`] | `ffc`, `ffc-1` and `ache-*`: links by their distance from a form |
//! | [`smart`] | `scdi*` and `smart`: SmartCrawler |
//! | [`tres`] | `tres`: reinforcement learning over a tree of links |
//! | [`sb_classifier`] | `sb-classifier`: a bandit over groups of tag paths |
//! | [`hadal`] | `hadal`: expected new relevant forms per request |
//!
//! [`StrategyRegistry`] lists them by name and takes strategies of other crates.

pub mod baselines;
pub mod features;
#[cfg(test)]
mod fixture;
pub mod hadal;
pub mod levels;
mod registry;
pub mod sb_classifier;
pub mod smart;
pub mod tres;

use crate::address::Site;
use crate::critic::{FormVerdict, PageVerdict};
use crate::link::{FrontierLink, QueueId};
use crate::page::{LinkContext, Page};
use serde::{Deserialize, Serialize};
use url::Url;

pub use registry::{StrategyEntry, StrategyRegistry, find_strategy};

/// Least P(on topic) of an on-topic page (FFC paper, section 3.2).
const ON_TOPIC: f32 = crate::critic::MIN_ACCEPTED_P;

/// Maximum number of earlier links that get credit for a form, not counting the link to the form's page. FFC
/// and ACHE use three levels.
pub const MAX_CREDITED_LINKS: usize = 3;

/// Decides the order of a crawl.
///
/// [`Strategy::place`], [`Strategy::choose`] and [`Strategy::learn`] are required. The example prefers links with short
/// anchor texts and leaves a site at its first searchable form.
///
/// ```
/// use hadal_core::link::{FrontierLink, LinkOrigin, QueueId};
/// use hadal_core::strategy::*;
///
/// struct ShortAnchors;
///
/// impl Strategy for ShortAnchors {
///     fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
///         Placement::Enqueue { queue: QueueId(0), score: -(link.context.anchor.len() as f32) }
///     }
///
///     fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
///         serve_best(heads)
///     }
///
///     fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
///         let is_done = visit.site.searchable > 0 && !visit.site.closed;
///         is_done.then(|| StrategyCommand::CloseSite(visit.link.site())).into_iter().collect()
///     }
/// }
///
/// let mut strategies = StrategyRegistry::built_in();
/// strategies.register(StrategyEntry::new("short-anchors", "short anchor texts first", |_| Box::new(ShortAnchors)))?;
///
/// let strategy = strategies.find("short-anchors").unwrap().make(&StrategyContext::default());
/// let seed = FrontierLink::root("http://example.org/".parse()?, LinkOrigin::Seed);
/// let placement = strategy.place(&seed, &SiteCounters::default());
/// assert_eq!(placement, Placement::Enqueue { queue: QueueId(0), score: 0.0 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Strategy: Send {
    /// Commands to execute once per run, before the first choice.
    fn begin(&mut self) -> Vec<StrategyCommand> {
        Vec::new()
    }

    /// Queue and score of a link. The result depends only on the link, on the counters of its site and on the state
    /// of the strategy, because the engine calls it for new links and again for waiting ones.
    fn place(&self, link: &FrontierLink, site: &SiteCounters) -> Placement;

    /// Picks the next queue. `heads` lists only queues with a link that may be visited now.
    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice;

    /// Learns from a visit, failed ones included, and returns commands for the engine.
    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand>;

    /// Receives the result of a backlink look-up: the pages `linking` that link to `about`. The engine places these
    /// pages as links right after the call.
    fn on_backlinks(&mut self, _about: &Url, _linking: &[Url]) -> Vec<StrategyCommand> {
        Vec::new()
    }

    /// True if the strategy may ask for backlinks. If not, a crawl does not store its links to other sites.
    fn uses_backlinks(&self) -> bool {
        true
    }

    /// True if [`Strategy::learn`] reads the context of links that the crawl does not follow, because it knows their
    /// targets or excludes them. If not, such links have only a URL, and pages are parsed and judged faster.
    fn reads_unused_links(&self) -> bool {
        true
    }

    /// True if the engine should use the forms and links of a page with this verdict.
    fn accepts_page(&self, _verdict: &PageVerdict) -> bool {
        true
    }

    /// Terms that add up to the link's score plus its site's bonus, for the dashboard. Empty if the strategy cannot
    /// split its scores.
    fn explain_score(&self, _link: &FrontierLink, _site: &SiteCounters) -> Vec<StrategyGauge> {
        Vec::new()
    }

    /// Figures for the dashboard and for evaluation: queue sizes, look-ups, learning iterations.
    fn gauges(&self, _heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        Vec::new()
    }

    /// Takes over knowledge from an earlier run with the same topic and strategy. `saved` is the result of that run's
    /// [`Strategy::save`]. The engine calls this before [`Strategy::begin`].
    fn load_earlier_run(&mut self, _saved: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }

    /// Prepares the strategy for a run with several workers, each of which sees a part of the visits. From
    /// now on it collects observations for [`Strategy::take_observations`]. Returns false if the strategy
    /// must see all visits; then the run has one worker.
    fn share(&mut self) -> bool {
        false
    }

    /// Returns what the strategy learned since the last call, for [`Strategy::learn_observations`] of other workers.
    fn take_observations(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Learns from the visits of another worker.
    fn learn_observations(&mut self, _observations: &[u8]) -> Result<Vec<StrategyCommand>, RestoreError> {
        Ok(Vec::new())
    }

    /// State to store with the run; empty if there is none.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Restores the state that [`Strategy::save`] returned, when a run resumes.
    fn restore(&mut self, _saved: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }
}

/// A saved state is damaged or has another format.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the saved state of strategy {strategy}; start over with --fresh")]
pub struct RestoreError {
    /// Name of the strategy.
    pub strategy: &'static str,
}

/// Place of a link in the frontier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placement {
    /// The link waits in a queue.
    Enqueue {
        /// Queue it waits in.
        queue: QueueId,
        /// Score within the queue; the highest is served first.
        score: f32,
    },
    /// The link is not visited.
    Drop,
}

/// The best link of each queue among those with a ready host.
pub trait QueueHeads {
    /// Heads of all queues that have a ready link, in no particular order.
    fn heads(&self) -> Vec<QueueHead>;

    /// Head of one queue; `None` if none of its links is ready.
    fn head(&self, queue: QueueId) -> Option<QueueHead>;

    /// Best link of a queue among those with a host that is not ready but will be soon: after the answer to a request
    /// in flight or a short pause. `None` if there is none or if the answer is not known.
    fn head_ready_soon(&self, _queue: QueueId) -> Option<QueueHead> {
        None
    }

    /// Best link of a queue that other workers of the crawl may visit now or soon. `None` if there is none, or if the
    /// crawl has one worker.
    fn head_elsewhere(&self, _queue: QueueId) -> Option<QueueHead> {
        None
    }

    /// Links that wait in a queue, ready or not, in memory or in the store.
    fn link_count(&self, queue: QueueId) -> u64;
}

/// The best ready link of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueHead {
    /// The queue that the link heads.
    pub queue: QueueId,
    /// Score of the link plus the bonus of its site.
    pub score: f32,
}

/// Choice of the next queue by a strategy.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueChoice {
    /// Visit the head of this queue.
    Serve(QueueId),
    /// Execute a command, then call the strategy again.
    Execute(Box<StrategyCommand>),
    /// No link to visit at the moment.
    Idle,
    /// Visit nothing at the moment, because other workers of the crawl have better links
    /// ([`QueueHeads::head_elsewhere`]).
    Yield,
}

/// Command of a strategy to the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum StrategyCommand {
    /// Move the best links of one queue into another, with new scores.
    Refill {
        /// Queue to take links from.
        from: QueueId,
        /// Queue to put them into.
        to: QueueId,
        /// Maximum number of links to move.
        limit: usize,
    },
    /// Score the heads of all queues now and other links when they are loaded. For small changes of the model.
    RescoreHeads,
    /// Score all waiting links: at once in a small frontier, else the best ones now and the others step by step. For a
    /// model with other features.
    RescoreAll,
    /// Add a page without a parent, usually the root of a site. The context is that of a link to the page.
    AddPage(Url, LinkContext),
    /// Set the bonus of the site just visited ([`SiteCounters::bonus`]). Only valid in the result of
    /// [`Strategy::learn`].
    SetSiteBonus(f32),
    /// Drop the waiting links of a site and accept no new ones.
    CloseSite(Site),
    /// Look up pages that link to a URL and add them as links. Costs a request.
    LookUpBacklinks(Url),
    /// Store a lesson with the run.
    RecordLesson(Lesson),
}

/// A named figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StrategyGauge {
    /// Label in the dashboard and in events.
    pub name: &'static str,
    /// Value at the time of the call.
    pub value: f64,
}

/// Result of visiting a link.
pub struct PageVisit<'a> {
    /// The link that was visited.
    pub link: &'a FrontierLink,
    /// Links that led to it, nearest first, at most three. Empty unless the page has a new searchable form.
    pub path: &'a [FrontierLink],
    /// The page; `None` if the request failed, was redirected or returned no page.
    pub page: Option<&'a Page>,
    /// Verdict on the page; the default verdict without a page.
    pub verdict: &'a PageVerdict,
    /// Verdicts on its forms, in page order.
    pub forms: &'a [FormVerdict],
    /// Relevant forms on the page that were not known.
    pub new_relevant: u32,
    /// Searchable forms on the page that were not known.
    pub new_searchable: u32,
    /// Sum over the new relevant forms of `2 p_relevant - 1`.
    pub reward: f32,
    /// Counters of the site before the visit.
    pub site_before: &'a SiteCounters,
    /// Counters of the site after the visit.
    pub site: &'a SiteCounters,
}

/// Counters of a site in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteCounters {
    /// Pages fetched in this run.
    pub pages: u32,
    /// Distinct forms of any kind.
    pub forms: u32,
    /// Distinct searchable forms.
    pub searchable: u32,
    /// Distinct relevant forms.
    pub relevant: u32,
    /// Pages since the last new searchable form.
    #[serde(rename = "dry")]
    pub pages_since_searchable: u32,
    /// Pages since the last new relevant form.
    #[serde(rename = "barren")]
    pub pages_since_relevant: u32,
    /// Pages with P(on topic) >= 0.5.
    pub on_topic: u32,
    /// Forms that were probed or wait for a probe.
    pub probes: u32,
    /// The strategy closed the site.
    pub closed: bool,
    /// Added to the scores of the site's links when links of several sites compete.
    #[serde(rename = "worth")]
    pub bonus: f32,
}

/// Facts that a strategy gets before a crawl.
#[derive(Clone, Debug, Default)]
pub struct StrategyContext {
    /// Seed of random choices.
    pub seed: u64,
    /// Seed URLs of the crawl.
    pub seeds: Vec<Url>,
    /// Pages known to hold relevant forms, as training examples.
    pub examples: Vec<Url>,
    /// A source of backlinks is available.
    pub backlinks: bool,
}

impl StrategyContext {
    /// A context without seeds, examples and backlinks.
    pub fn seeded(seed: u64) -> StrategyContext {
        StrategyContext { seed, ..StrategyContext::default() }
    }
}

/// Result of one learning iteration, as shown by `hadal lessons`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// Model that learned: "link" or "site".
    pub model: String,
    /// Iteration number; 0 is the model before the crawl.
    pub iteration: u32,
    /// Number of training examples.
    pub examples: u32,
    /// Features selected, by feature space and level.
    pub selected: Vec<SelectedFeatures>,
}

/// Features selected in one feature space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedFeatures {
    /// Feature space: "url", "path", "anchor" or "around".
    pub space: String,
    /// Clicks to the form, for models with levels.
    pub level: Option<u8>,
    /// Stems with the number of examples that contain them, most frequent first.
    pub terms: Vec<(String, u32)>,
}

/// Serves the queue with the highest head score; the lowest queue number wins a tie.
pub fn serve_best(heads: &dyn QueueHeads) -> QueueChoice {
    let best =
        heads.heads().into_iter().max_by(|a, b| a.score.total_cmp(&b.score).then(b.queue.cmp(&a.queue)));
    best.map_or(QueueChoice::Idle, |head| QueueChoice::Serve(head.queue))
}
