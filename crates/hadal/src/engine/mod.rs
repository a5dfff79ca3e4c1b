//! The walk of a page, from a lead to a stored outcome.
//!
//! [`crawl`] is the function to read first. A step is chosen here ([`choose`]), carried and judged in
//! parallel ([`step`]), taken in one at a time ([`digest`]) and kept ([`crate::store`]). One step is
//! one request: robots.txt, a redirect's next hop and a retry are steps of their own, so each is
//! charged, polite and safe against crashes by itself. A form that is asked whether it searches
//! ([`probing`]) is asked in steps of the same kind.

mod books;
mod budget;
mod choose;
mod commands;
mod digest;
mod event;
mod frontier;
mod probing;
mod sampling;
mod scope;
mod seen;
mod setup;
mod step;

pub use budget::Budget;
pub use event::CrawlEvent;
pub use probing::{ProbeWhen, Probing};
pub use sampling::quality_population;
pub use scope::{BadPattern, Scope};
pub use setup::{Crawl, CrawlBuilder, CrawlMode};
pub use step::{Reading, Visit, Visited, examine};

use crate::polite::{Clock, HostCache, HostIx, Hosts};
use crate::store::*;
use books::SiteBook;
use frontier::Frontier;
use futures::FutureExt;
use hadal_core::link::QueueId;
use hadal_core::strategy::{QueueHeads, RestoreError};
use rustc_hash::FxHashSet;
use seen::Seen;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use step::{Carriers, Done, Job, Step};
use tokio::sync::{Semaphore, mpsc};

/// How a crawl ended.
#[derive(Clone, Debug)]
pub struct CrawlSummary {
    /// Which run it was.
    pub run: RunId,
    /// Why it ended.
    pub state: RunState,
    /// What it counted, over all sessions.
    pub tally: RunCounters,
    /// Leads left behind because their hosts asked for more patience than a session has.
    pub resting: u64,
}

/// Why a crawl could not go on.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The store failed; what it kept is safe.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The strategy's memory cannot be read.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// Nothing to begin with.
    #[error("no seed is left to visit: the scope options exclude all of them")]
    NoSeeds,
}

/// A person's wishes are looked up, and progress is told, this often.
const TELL_EVERY: Duration = Duration::from_millis(500);
/// Keeping everything takes at most one part in this many of a session, whatever a strategy saves.
const KEEPING_SHARE: u32 = 10;
/// The engine looks around at least this often.
const NAP: Duration = Duration::from_millis(100);
/// A session does not wait longer than this for a host that asked for patience.
const PATIENCE: Duration = Duration::from_secs(90);

/// Runs a crawl until it is stopped, out of budget, or has nothing left to visit.
pub async fn crawl(
    setup: Crawl,
    tell: &mut (dyn FnMut(CrawlEvent) + Send),
) -> Result<CrawlSummary, CrawlError> {
    let mut engine = Engine::open(setup)?;
    tell(engine.started());
    loop {
        engine.wake_hosts();
        while let Some(step) = engine.choose()? {
            engine.dispatch(step)?;
        }
        match engine.next_done().await {
            Some(done) => engine.digest(done, tell)?,
            None if engine.is_over() => break,
            None => {}
        }
        engine.keep_when_due(tell)?;
    }
    let summary = engine.close()?;
    tell(CrawlEvent::Finished { state: summary.state, tally: summary.tally.clone() });
    Ok(summary)
}

/// A running crawl.
struct Engine {
    setup: Crawl,
    run: RunId,
    carriers: Carriers,
    frontier: Frontier,
    hosts: Hosts,
    met: FxHashSet<HostIx>,
    host_cache: HostCache,
    site_book: SiteBook,
    seen: Seen,
    progress: RunProgress,
    spent: RunCounters,
    in_flight: BTreeMap<u64, Flight>,
    arrived: BTreeMap<u64, Done>,
    results: (mpsc::UnboundedSender<Done>, mpsc::UnboundedReceiver<Done>),
    permits: Arc<Semaphore>,
    opened: Opened,
    last_kept: Instant,
    keeping_took: Duration,
    last_told: Instant,
    paused: bool,
    ending: Option<RunState>,
}

/// A step in flight.
struct Flight {
    hosts: Vec<HostIx>,
    reserved: u64,
    probe: bool,
    /// What is only begun when all before it is taken in.
    later: Option<Step>,
}

struct Opened {
    at: Instant,
    elapsed_before: u64,
    requests_before: u64,
    state_before: RunState,
}

impl Engine {
    /// Opens the run and picks up what it left: steps in flight are begun again under their own numbers.
    fn open(setup: Crawl) -> Result<Engine, CrawlError> {
        let mut run = setup.store.begin(&setup.spec)?;
        if setup.fresh {
            setup.store.discard(run)?;
            run = setup.store.begin(&setup.spec)?;
        }
        if let CrawlMode::Quality { sample, seed } = setup.mode {
            sampling::draw_sample(&setup, run, sample, seed)?;
        }
        let checkpoint = setup.store.resume(run)?;
        let carriers = Carriers {
            fetch: Arc::clone(&setup.fetch),
            backlinks: setup.backlinks.clone(),
            visit: setup.visit.clone().unwrap_or_else(|| step::visiting(&setup.fetch, &setup.critic)),
        };
        let opened = Opened {
            at: Instant::now(),
            elapsed_before: checkpoint.progress.elapsed_ms,
            requests_before: checkpoint.tally.requests,
            state_before: checkpoint.progress.state,
        };
        let permits = Arc::new(Semaphore::new(setup.concurrency.max(1)));
        let mut engine = Engine {
            run,
            carriers,
            frontier: Frontier::default(),
            hosts: Hosts::default(),
            met: FxHashSet::default(),
            host_cache: HostCache::new(&setup.agent),
            site_book: SiteBook::default(),
            seen: Seen::default(),
            progress: checkpoint.progress,
            spent: checkpoint.tally,
            in_flight: BTreeMap::new(),
            arrived: BTreeMap::new(),
            results: mpsc::unbounded_channel(),
            permits,
            opened,
            last_kept: Instant::now(),
            keeping_took: Duration::ZERO,
            last_told: Instant::now(),
            paused: false,
            ending: None,
            setup,
        };
        for (name, ip, until) in checkpoint.resting {
            let host = engine.hosts.intern(&name);
            if let Some(ip) = ip {
                engine.hosts.learn_address(host, ip);
            }
            engine.hosts.rest_group(host, until);
        }
        engine.resume(checkpoint.in_flight, checkpoint.queues)?;
        Ok(engine)
    }

    fn resume(
        &mut self,
        in_flight: Vec<(SentStep, Option<hadal_core::link::QueuedLink>)>,
        queues: Vec<(hadal_core::link::QueueId, hadal_core::address::Host, u64)>,
    ) -> Result<(), CrawlError> {
        self.setup.clock.advance(self.progress.now);
        if let Some(saved) = self.progress.strategy.take() {
            self.setup.strategy.restore(&saved)?;
        }
        for (lane, host, count) in queues {
            if let Some(head) = self.setup.store.of_host(self.run, lane, &host, None, 1)?.first() {
                let ix = self.meet(&host)?;
                self.frontier.add(
                    lane,
                    ix,
                    head.rank(),
                    count,
                    self.hosts.is_idle(ix, self.setup.clock.now()),
                );
            }
        }
        let nothing_begun = self.setup.mode == CrawlMode::Find
            && self.progress.next_seq == 0
            && in_flight.is_empty()
            && self.frontier.is_empty();
        for (dispatch, waiting) in in_flight {
            self.begin_again(dispatch, waiting)?;
        }
        if nothing_begun { self.set_out() } else { Ok(()) }
    }

    fn started(&self) -> CrawlEvent {
        CrawlEvent::Started {
            run: self.run.0,
            topic: self.setup.spec.topic.clone(),
            strategy: self.setup.spec.strategy.clone(),
            resumed_at: self.opened.requests_before,
        }
    }

    /// Time spent running, over all sessions, on the run's own clock.
    fn elapsed(&self) -> Duration {
        match self.setup.clock {
            Clock::Real => self.opened.at.elapsed() + Duration::from_millis(self.opened.elapsed_before),
            Clock::Simulated(now) => Duration::from_millis(now.0),
        }
    }

    /// Sends a step on its way through the parallel part. In simulated time a look-up waits for its
    /// turn to be taken in: it may be answered from what the steps before it found.
    fn launch(&mut self, step: Step, hosts: Vec<HostIx>) {
        let (seq, reserved, probe) = (step.seq, step.body_limit, matches!(step.job, Job::Probe(_)));
        let (later, now) = match step.job {
            Job::Lookup(_) if self.setup.clock.is_simulated() => (Some(step), None),
            _ => (None, Some(step)),
        };
        self.in_flight.insert(seq, Flight { hosts, reserved, probe, later });
        if let Some(step) = now {
            self.set_off(step);
        }
    }

    fn set_off(&self, step: Step) {
        let (carriers, permits, results) =
            (self.carriers.clone(), Arc::clone(&self.permits), self.results.0.clone());
        tokio::spawn(async move {
            let _permit = permits.acquire_owned().await;
            let lost = Done::lost(&step);
            let done = AssertUnwindSafe(step::take(step, carriers)).catch_unwind().await.unwrap_or(lost);
            // The engine may have ended meanwhile; then nobody wants the result.
            let _ = results.send(done);
        });
    }

    /// The next step to take in. On a simulated clock the oldest one in flight, whenever it comes; on
    /// the wall's whichever has arrived. `None` when there was none to be had, or it is time for chores.
    async fn next_done(&mut self) -> Option<Done> {
        if self.setup.clock.is_simulated() {
            let Some(oldest) = self.in_flight.keys().next().copied() else {
                self.jump().await;
                return None;
            };
            if let Some(step) = self.in_flight.get_mut(&oldest).and_then(|flight| flight.later.take()) {
                self.set_off(step);
            }
            while !self.arrived.contains_key(&oldest) {
                let done = self.results.1.recv().await?;
                self.arrived.insert(done.step.seq, done);
            }
            return self.arrived.remove(&oldest);
        }
        if let Some((_, done)) = self.arrived.pop_first() {
            return Some(done);
        }
        let now = self.setup.clock.now();
        let wake = self.hosts.next_wake().map_or(NAP, |at| now.until(at));
        let stop = self.setup.stop.clone();
        let nap = wake.clamp(Duration::from_millis(1), NAP);
        let done = tokio::time::timeout(nap, self.results.1.recv()).await.ok().flatten();
        if *stop.borrow() {
            self.ending.get_or_insert(RunState::Stopped);
        }
        done
    }

    /// Nothing is in flight and nobody is ready: a simulated clock moves to the next one who is.
    async fn jump(&mut self) {
        if self.paused {
            return tokio::time::sleep(NAP).await;
        }
        let now = self.setup.clock.now();
        if let Some(at) = self.hosts.next_wake()
            && now.until(at) <= PATIENCE
            && !self.is_done()
        {
            self.setup.clock.advance(at);
        }
    }

    /// Whether the session has come to its end: nothing in flight, and nothing that is worth waiting for.
    fn is_over(&mut self) -> bool {
        if !self.in_flight.is_empty() {
            return false;
        }
        if *self.setup.stop.borrow() {
            self.ending.get_or_insert(RunState::Stopped);
        }
        if self.ending.is_some() {
            return true;
        }
        let now = self.setup.clock.now();
        let worth_waiting = self.hosts.next_wake().is_some_and(|at| now.until(at) <= PATIENCE);
        let over = !self.paused && (self.is_done() || !worth_waiting);
        if over {
            self.ending = Some(RunState::Exhausted);
        }
        over
    }

    /// Whether nothing waits any more for what the session is for.
    fn is_done(&self) -> bool {
        match self.setup.mode {
            CrawlMode::Find => self.frontier.is_empty(),
            CrawlMode::Quality { .. } => self.frontier.link_count(QueueId::SAMPLE) == 0,
        }
    }

    /// Keeps what was applied, and looks whether a person asked for something.
    fn keep_when_due(&mut self, tell: &mut (dyn FnMut(CrawlEvent) + Send)) -> Result<(), CrawlError> {
        let patience = self.keeping_took.saturating_mul(KEEPING_SHARE);
        if self.last_kept.elapsed() < self.setup.checkpoint_every.max(patience) {
            return Ok(());
        }
        let began = Instant::now();
        self.keep(RunState::Running)?;
        self.last_kept = Instant::now();
        self.keeping_took = began.elapsed();
        if self.last_told.elapsed() >= TELL_EVERY {
            self.last_told = Instant::now();
            self.heed_control()?;
            tell(CrawlEvent::Progress(self.setup.store.tally(self.run)?));
        }
        Ok(())
    }

    fn heed_control(&mut self) -> Result<(), CrawlError> {
        let control = self.setup.store.control(self.run)?;
        self.paused = control.pause;
        if control.max_requests.is_some() {
            self.setup.budget.requests = control.max_requests;
        }
        if control.stop {
            self.ending.get_or_insert(RunState::Stopped);
        }
        Ok(())
    }

    /// Keeps all that was applied and where the run stands, for good.
    fn keep(&mut self, state: RunState) -> Result<(), CrawlError> {
        let paused = self.paused && state == RunState::Running;
        self.progress.state = if paused { RunState::Paused } else { state };
        self.progress.now = self.setup.clock.now();
        self.progress.max_requests = self.setup.budget.requests;
        self.progress.elapsed_ms = u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX);
        let saved = self.setup.strategy.save();
        let progress =
            RunProgress { strategy: (!saved.is_empty()).then_some(saved), ..self.progress.clone() };
        self.setup.store.commit(self.run, &Batch { progress: Some(progress), ..Batch::default() })?;
        self.setup.store.sync()?;
        Ok(())
    }

    fn close(mut self) -> Result<CrawlSummary, CrawlError> {
        let state = self.ending.unwrap_or_default();
        // A look at the quality of what was found leaves the crawl itself where it was.
        self.keep(if self.setup.mode == CrawlMode::Find { state } else { self.opened.state_before })?;
        if state == RunState::Stopped {
            self.setup.store.set_control(self.run, &Control::default())?;
        }
        let tally = self.setup.store.tally(self.run)?;
        let unasked = self.frontier.link_count(QueueId::PROBES);
        let resting = if state == RunState::Exhausted { tally.waiting.saturating_sub(unasked) } else { 0 };
        Ok(CrawlSummary { run: self.run, state, tally, resting })
    }
}

/// Keeps each of a list's items once, in order.
fn once<T: std::hash::Hash + Eq + Clone>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut met = FxHashSet::default();
    items.filter(|item| met.insert(item.clone())).collect()
}
