//! Parts and settings of a crawl.

use super::budget::Budget;
use super::frontier::PlacementContext;
use super::probing::Probing;
use super::rendering::RenderingVisit;
use super::scope::Scope;
use super::step::Visit;
use crate::backlinks::Backlinks;
use crate::fetch::Fetch;
use crate::polite::robots::AGENT;
use crate::polite::{Clock, Politeness, RequestReserve};
use crate::store::{RunSpec, Store};
use hadal_core::critic::Critic;
use hadal_core::http::DEFAULT_BODY_LIMIT;
use hadal_core::strategy::Strategy;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// A crawl that is ready to run. [`CrawlBuilder`] makes it.
#[non_exhaustive]
pub struct Crawl {
    /// Store that holds the run.
    pub store: Arc<dyn Store>,
    /// Identity of the run.
    pub spec: RunSpec,
    /// Strategy that orders the crawl.
    pub strategy: Box<dyn Strategy>,
    /// Classifiers that judge pages and forms.
    pub critic: Arc<dyn Critic>,
    /// HTTP client used for every request of this crawl.
    pub fetch: Arc<dyn Fetch>,
    /// Source of backlinks.
    pub backlinks: Option<Arc<dyn Backlinks>>,
    /// Replacement for `fetch` and `critic` on pages. Evaluations use it to visit the same pages many times.
    pub visit: Option<Arc<dyn Visit>>,
    /// State of the strategy in an earlier run of the topic. A new run starts with it.
    pub prior: Option<Vec<u8>>,
    /// Limits on requests, bytes and time of the run.
    pub budget: Budget,
    /// Requests of the budget that are set aside for scripts, OpenSearch descriptions and sitemaps of the pages in
    /// flight.
    pub reserve: Arc<RequestReserve>,
    /// URLs that the crawl may visit.
    pub scope: Scope,
    /// Pauses between requests to a host.
    pub politeness: Politeness,
    /// Product token that robots.txt is read for.
    pub agent: String,
    /// Maximum number of requests in flight.
    pub concurrency: usize,
    /// Maximum number of bytes read of one response body.
    pub body_limit: u64,
    /// Clock of the run.
    pub clock: Clock,
    /// Maximum number of steps in flight on a simulated clock. Unlike `concurrency` it changes the course of
    /// the run.
    pub window: usize,
    /// Maximum number of waiting links that are rescored at once when the model changes. Up to this number of waiting
    /// links a resumed crawl makes the same choices as an uninterrupted one.
    pub rescored_at_once: usize,
    /// Maximum number of hosts in memory that have not been requested yet. Up to this number a resumed crawl makes the
    /// same choices as an uninterrupted one.
    pub hosts_in_memory: usize,
    /// Recognise mirrors and crawler traps and stop visiting them. The evidence is kept in memory only, so each session
    /// starts without it.
    pub detects_repetition: bool,
    /// Time between two checkpoints. A kill loses at most the steps since the last one.
    pub checkpoint_every: Duration,
    /// Turns true when the crawl has to finish the steps in flight and stop.
    pub stop: watch::Receiver<bool>,
    /// Time for which a session that was stopped waits for the requests in flight. The default is a guess.
    pub stop_grace: Duration,
    /// True: earlier results of the run are discarded first.
    pub fresh: bool,
    /// Selection of uncertain forms that are probed.
    pub probing: Probing,
    /// Frequent word of the topic, used as a test query.
    pub probe_word: String,
    /// Purpose of this session.
    pub mode: CrawlMode,
}

impl Crawl {
    /// Strategy, scope and current time, as the frontier needs them.
    pub(super) fn placement_context(&self) -> PlacementContext<'_> {
        PlacementContext { strategy: self.strategy.as_ref(), scope: &self.scope, now: self.clock.now() }
    }
}

/// Default of [`Crawl::rescored_at_once`]. Guess: at about 25 microseconds each, 50 ms.
pub const RESCORED_AT_ONCE: usize = 2_000;

/// Default of [`Crawl::hosts_in_memory`]. Guess: at 0.8 KB each, 160 MB.
pub const HOSTS_IN_MEMORY: usize = 200_000;

/// Steps in flight of crawls on a simulated clock, see [`CrawlBuilder::clock`]. Guess.
pub const SIMULATED_WINDOW: usize = 16;

/// Purpose of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrawlMode {
    /// A crawl that searches for forms.
    Find,
    /// Probe a random sample of the relevant forms found so far. No link is followed.
    Quality {
        /// Number of forms in the sample.
        sample: usize,
        /// Seed of the random draw.
        seed: u64,
    },
}

/// Builder of a [`Crawl`]. Every setting but the parts given to [`CrawlBuilder::new`] has a default.
pub struct CrawlBuilder(Crawl);

impl CrawlBuilder {
    /// Builder with default settings for a crawl from code: no limits, no probing, the system clock, 8
    /// requests in flight and a checkpoint every 500 ms. `hadal find` sets all of them from its own settings.
    pub fn new(
        store: Arc<dyn Store>,
        spec: RunSpec,
        strategy: Box<dyn Strategy>,
        critic: Arc<dyn Critic>,
        fetch: Arc<dyn Fetch>,
    ) -> CrawlBuilder {
        CrawlBuilder(Crawl {
            store,
            spec,
            strategy,
            critic,
            fetch,
            backlinks: None,
            visit: None,
            prior: None,
            budget: Budget::default(),
            reserve: Arc::default(),
            scope: Scope::default(),
            politeness: Politeness::default(),
            agent: AGENT.to_string(),
            concurrency: 8,
            body_limit: DEFAULT_BODY_LIMIT,
            clock: Clock::Real,
            window: 8,
            rescored_at_once: RESCORED_AT_ONCE,
            hosts_in_memory: HOSTS_IN_MEMORY,
            detects_repetition: true,
            checkpoint_every: Duration::from_millis(500),
            stop: watch::channel(false).1,
            stop_grace: Duration::from_secs(3),
            fresh: false,
            probing: Probing::never(),
            probe_word: String::new(),
            mode: CrawlMode::Find,
        })
    }

    /// Finishes the crawl.
    pub fn build(self) -> Crawl {
        self.0
    }

    /// Sets the source of backlinks.
    pub fn backlinks(mut self, backlinks: Option<Arc<dyn Backlinks>>) -> CrawlBuilder {
        self.0.backlinks = backlinks;
        self
    }

    /// Sets the replacement for the HTTP client and the critic on pages.
    pub fn visit(mut self, visit: Arc<dyn Visit>) -> CrawlBuilder {
        self.0.visit = Some(visit);
        self
    }

    /// Renders pages in a browser.
    pub fn rendering(self, visit: RenderingVisit) -> CrawlBuilder {
        let reserve = Arc::clone(&visit.reserve);
        let mut builder = self.visit(Arc::new(visit));
        builder.0.reserve = reserve;
        builder
    }

    /// Sets the strategy state that a new run starts with.
    pub fn prior(mut self, prior: Option<Vec<u8>>) -> CrawlBuilder {
        self.0.prior = prior;
        self
    }

    /// Sets the limits on requests, bytes and time.
    pub fn budget(mut self, budget: Budget) -> CrawlBuilder {
        self.0.budget = budget;
        self
    }

    /// Sets the URLs that the crawl may visit.
    pub fn scope(mut self, scope: Scope) -> CrawlBuilder {
        self.0.scope = scope;
        self
    }

    /// Sets the pauses between requests, and the product token that robots.txt is read for.
    pub fn politeness(mut self, politeness: Politeness, agent: &str) -> CrawlBuilder {
        self.0.politeness = politeness;
        self.0.agent = agent.to_string();
        self
    }

    /// Sets the maximum number of requests in flight.
    pub fn concurrency(mut self, concurrency: usize) -> CrawlBuilder {
        self.0.concurrency = concurrency;
        self
    }

    /// Sets the maximum number of bytes read of one response body.
    pub fn body_limit(mut self, body_limit: u64) -> CrawlBuilder {
        self.0.body_limit = body_limit;
        self
    }

    /// Sets the clock, and the maximum number of steps in flight on a simulated one. So that a resumed crawl
    /// equals an uninterrupted one, a simulated clock rescores all links at once and detects no mirrors or
    /// traps.
    pub fn clock(mut self, clock: Clock, window: usize) -> CrawlBuilder {
        if matches!(clock, Clock::Simulated(_)) {
            self.0.rescored_at_once = usize::MAX;
            self.0.hosts_in_memory = usize::MAX;
            self.0.detects_repetition = false;
        }
        self.0.clock = clock;
        self.0.window = window;
        self
    }

    /// Sets the time between two checkpoints.
    pub fn checkpoint_every(mut self, interval: Duration) -> CrawlBuilder {
        self.0.checkpoint_every = interval;
        self
    }

    /// Sets the signal that stops the crawl.
    pub fn stop(mut self, stop: watch::Receiver<bool>) -> CrawlBuilder {
        self.0.stop = stop;
        self
    }

    /// Discards earlier results of the run first.
    pub fn fresh(mut self, fresh: bool) -> CrawlBuilder {
        self.0.fresh = fresh;
        self
    }

    /// Sets the forms that are probed, and the word they are probed with.
    pub fn probing(mut self, probing: Probing, word: &str) -> CrawlBuilder {
        self.0.probing = probing;
        self.0.probe_word = word.to_string();
        self
    }

    /// Sets the purpose of the session.
    pub fn mode(mut self, mode: CrawlMode) -> CrawlBuilder {
        self.0.mode = mode;
        self
    }
}
