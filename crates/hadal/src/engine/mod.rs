//! The crawl engine: from a link in the frontier to a stored outcome.
//!
//! [`crawl`] is the function to read first. Its loop has four verbs: choose a step ([`choose`]), send it ([`flights`]),
//! receive its result ([`flights`]), and commit its outcome ([`outcome`]). The parts own their state: [`frontier`] the
//! links that wait and the hosts, [`flights`] the steps in flight, [`progress`] counters, budget and checkpoints.
//!
//! A step is one request. robots.txt, the next hop of a redirect, a retry and each test query of a probe
//! ([`probing`]) are steps of their own. So each of them is counted, polite and safe against crashes.

mod addresses;
mod budget;
mod choose;
mod event;
mod flights;
mod frontier;
mod hosts;
mod outcome;
mod parse_pool;
mod probing;
mod progress;
mod rendering;
mod resolutions;
mod sampling;
mod scope;
mod setup;
mod slots;
mod step;
mod workers;

pub use budget::Budget;
pub use event::CrawlEvent;
pub(crate) use parse_pool::on_parse_thread;
pub use probing::{ProbeWhen, Probing};
pub use rendering::{RenderTotals, RenderingVisit};
pub use sampling::quality_population;
pub use scope::{BadPattern, Scope};
pub use setup::{Crawl, CrawlBuilder, CrawlMode, HOSTS_IN_MEMORY, RESCORED_AT_ONCE, SIMULATED_WINDOW};
pub use step::{ExaminedPage, UsedLinks, Visit, VisitResult, examine};

use crate::store::*;
use flights::Flights;
use frontier::Frontier;
use hadal_core::address::{Host, LinkId};
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueueId, QueuedLink};
use hadal_core::strategy::{RestoreError, StrategyCommand};
use outcome::OutcomeBuilder;
use probing::submission_of;
use progress::CrawlProgress;
use resolutions::Resolutions;
use slots::Slots;
use std::sync::Arc;
use std::time::Duration;
use step::{FinishedStep, Step, StepTools};
use url::Url;
use workers::WorkerState;
use xxhash_rust::xxh3::xxh3_64;

/// Result of a session.
#[derive(Clone, Debug)]
pub struct CrawlSummary {
    /// Number of the run in the store.
    pub run: RunId,
    /// State of the run at the end of the session.
    pub state: RunState,
    /// Counters over all sessions.
    pub counters: RunCounters,
    /// Links that still wait because their hosts are delayed for longer than a session waits.
    pub resting: u64,
}

/// Reason why a crawl could not continue.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The store failed. Everything up to the last checkpoint is safe.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stored state of the strategy cannot be read.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// The run already has a worker, and the strategy cannot share a run because it must see all visits.
    #[error("strategy '{strategy}' cannot be shared by several workers: {source}")]
    OneWorker {
        /// Name of the strategy.
        strategy: String,
        /// The refusal of the store.
        source: StoreError,
    },
    /// No seed can be visited.
    #[error("no seed is left to visit: the scope options exclude all of them")]
    NoSeeds,
}

/// Longest sleep of the engine between two checks of stop signal, control and hosts. Guess.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Longest sleep of the engine while host names are resolved. Guess.
const RESOLUTION_POLL: Duration = Duration::from_millis(10);
/// Longest time that a session waits for the pause of a host when nothing else is left to do. Guess.
const MAX_HOST_WAIT: Duration = Duration::from_secs(90);
/// Longest time that a session waits for the pause of a host before the first page, while the hosts of all
/// seeds fail. Long enough for the pauses before the two retries (2 s and 4 s). Guess.
const MAX_SEED_WAIT: Duration = Duration::from_secs(5);

/// Receives the events of a crawl.
type Emit<'a> = &'a mut (dyn FnMut(CrawlEvent) + Send);

/// Runs a crawl until it is stopped, out of budget, or has nothing left to visit.
pub async fn crawl(setup: Crawl, emit: Emit<'_>) -> Result<CrawlSummary, CrawlError> {
    let mut engine = Engine::open(setup)?;
    emit(engine.started());
    let summary = loop {
        let ended = session(&mut engine, emit).await.and_then(|()| engine.close());
        match ended {
            Err(CrawlError::Store(StoreError::LeaseLost { .. })) => engine = engine.rejoin()?,
            ended => break ended?,
        }
    };
    emit(CrawlEvent::Finished { state: summary.state, counters: summary.counters.clone() });
    Ok(summary)
}

/// The loop of a crawl: choose steps, send them, receive a result, commit its outcome.
async fn session(engine: &mut Engine, emit: Emit<'_>) -> Result<(), CrawlError> {
    loop {
        engine.wake()?;
        engine.claim_addresses()?;
        while let Some(step) = engine.choose()? {
            engine.send(step)?;
        }
        match engine.receive().await {
            Some(finished) => engine.commit(finished, emit)?,
            None if engine.is_over() => return Ok(()),
            None => {}
        }
        engine.checkpoint_if_due(emit)?;
        engine.coordinate_if_due()?;
    }
}

/// A crawl in progress.
struct Engine {
    crawl: Crawl,
    run: RunId,
    frontier: Frontier,
    flights: Flights,
    resolutions: Resolutions,
    progress: CrawlProgress,
    /// Part of this worker, if the run is shared.
    shared: Option<WorkerState>,
    /// True if the last choice was denied: no slot, sequence number or request was left.
    was_choice_denied: bool,
}

impl Engine {
    /// Opens the run and resumes it. [`Engine::resend`] continues the steps in flight.
    fn open(mut crawl: Crawl) -> Result<Engine, CrawlError> {
        let joined = Engine::join(&mut crawl)?;
        let run = joined.as_ref().map_or_else(|| begin_alone(&crawl), |joined| Ok(joined.run))?;
        if let CrawlMode::Quality { sample, seed } = crawl.mode {
            sampling::draw_sample(&crawl, run, sample, seed)?;
        }
        let mut checkpoint = crawl.store.resume_best(run, crawl.hosts_in_memory)?;
        if let Some(joined) = &joined {
            checkpoint.progress.state = joined.state;
            checkpoint.progress.strategy.clone_from(&joined.strategy);
        }
        crawl.clock.advance(checkpoint.progress.now);
        if let Some(saved) = checkpoint.progress.strategy.take() {
            crawl.strategy.restore(&saved)?;
        }
        let mut shared = joined.map(|joined| WorkerState::new(joined.lease));
        if shared.is_some() {
            crawl.strategy.share();
        }
        let now = crawl.clock.now();
        let mut frontier = Frontier::new(&crawl, run, &checkpoint.progress);
        let retries_seeds = retries_seeds(&crawl, checkpoint.progress.state);
        if retries_seeds {
            frontier.try_hosts_at_once(&crawl.spec.seeds, &mut checkpoint.requested)?;
        }
        frontier.load(&checkpoint, now);
        let slots = Slots::new(crawl.concurrency, checkpoint.counters.requests);
        let flights = Flights::new(StepTools::of(&crawl, &frontier), slots, crawl.clock.is_simulated());
        let is_real = !crawl.clock.is_simulated();
        let resolutions = Resolutions::new(is_real.then(|| Arc::clone(&crawl.fetch)));
        let mut progress = CrawlProgress::new(&crawl, run, checkpoint.progress, checkpoint.counters);
        if let Some(shared) = &mut shared {
            frontier.share();
            progress.share();
            shared.retries_seeds = retries_seeds;
        }
        let was_choice_denied = false;
        let mut engine =
            Engine { crawl, run, frontier, flights, resolutions, progress, shared, was_choice_denied };
        engine.coordinate()?;
        engine.resume(checkpoint.in_flight)?;
        if retries_seeds {
            engine.retry_seeds()?;
        }
        Ok(engine)
    }

    fn resume(&mut self, in_flight: Vec<(SentStep, Option<QueuedLink>)>) -> Result<(), CrawlError> {
        let is_first = match &self.shared {
            Some(_) => self.frontier.position().0 == 0,
            None => self.progress.next_seq() == 0,
        };
        let is_new = self.crawl.mode == CrawlMode::Find
            && is_first
            && in_flight.is_empty()
            && self.frontier.is_empty();
        for (sent, queued) in in_flight {
            self.resend(sent, queued)?;
        }
        if is_new { self.begin() } else { Ok(()) }
    }

    /// Lets seeds that failed wait again, so that the same command retries a seed that was down.
    fn retry_seeds(&mut self) -> Result<(), CrawlError> {
        let seeds = seed_links(&self.own_seeds());
        let (strategy, now) = (self.crawl.strategy.as_ref(), self.crawl.clock.now());
        if let Some(shared) = &mut self.shared {
            shared.retries_seeds = false;
        }
        Ok(self.frontier.retry(seeds, strategy, now)?)
    }

    /// Starts a new run: state of an earlier run, first commands of the strategy, seeds.
    fn begin(&mut self) -> Result<(), CrawlError> {
        if let Some(prior) = self.crawl.prior.take() {
            self.crawl.strategy.load_earlier_run(&prior)?;
        }
        for command in self.crawl.strategy.begin() {
            self.apply(command)?;
        }
        let seeds = seed_links(&self.crawl.spec.seeds);
        // The strategy may have added pages that are seeds, too.
        let is_known = seeds.iter().any(|seed| self.frontier.was_seen(seed.id));
        if self.enqueue(seeds)? == 0 && !is_known { Err(CrawlError::NoSeeds) } else { Ok(()) }
    }

    fn started(&self) -> CrawlEvent {
        CrawlEvent::Started {
            run: self.run.0,
            topic: self.crawl.spec.topic.clone(),
            strategy: self.crawl.spec.strategy.clone(),
            resumed_at: self.progress.requests_before(),
        }
    }

    /// Sends a step, after the store has recorded it.
    ///
    /// On the system clock a submission is durable in the audit log before it leaves. On a simulated clock there is no
    /// server, and a kill undoes both.
    fn send(&mut self, step: Step) -> Result<(), CrawlError> {
        if let Some(shared) = &mut self.shared {
            shared.is_idle = false;
        }
        let submission = submission_of(&step, self.run, &self.crawl.spec.topic);
        let must_sync = submission.is_some() && !self.crawl.clock.is_simulated();
        let sent = SentStep { seq: step.seq, target: step.kind.target(), at: step.at };
        self.frontier.record_sent(sent, submission)?;
        if must_sync {
            self.checkpoint(RunState::Running)?;
        }
        self.start(step)
    }

    fn start(&mut self, step: Step) -> Result<(), CrawlError> {
        let hosts = self.frontier.occupy(&step.kind.hosts(), self.crawl.clock.now())?;
        self.use_addresses(&hosts);
        self.flights.send(step, hosts);
        Ok(())
    }

    /// Updates the readiness of hosts after their pause, and of hosts with an address that became known.
    fn wake(&mut self) -> Result<(), CrawlError> {
        let now = self.crawl.clock.now();
        while let Some((host, address)) = self.resolutions.next() {
            self.frontier.resolved(host, address, now);
        }
        self.frontier.wake(now);
        Ok(self.frontier.load_stored(now)?)
    }

    /// Waits for the result of a step. `None` when there is none for now.
    async fn receive(&mut self) -> Option<FinishedStep> {
        if self.crawl.clock.is_simulated() && self.flights.is_empty() {
            self.skip_to_next_host().await;
            return None;
        }
        let now = self.crawl.clock.now();
        let is_waiting = !self.resolutions.is_idle() || self.awaits_address();
        let longest = if is_waiting { RESOLUTION_POLL } else { POLL_INTERVAL };
        let wait = self.frontier.hosts.next_ready_at().map_or(longest, |at| now.until(at));
        let wait = wait.clamp(Duration::from_millis(1), longest);
        let finished = match self.flights.is_empty() {
            true if self.is_over() => None,
            true => {
                tokio::time::sleep(wait).await;
                None
            }
            false => self.flights.receive(wait).await,
        };
        if !self.crawl.clock.is_simulated() && *self.crawl.stop.borrow() {
            self.progress.end(RunState::Stopped);
        }
        finished
    }

    /// Advances a simulated clock to the end of the next pause. Nothing is in flight, and no host is ready.
    async fn skip_to_next_host(&mut self) {
        if self.progress.is_paused() {
            return tokio::time::sleep(POLL_INTERVAL).await;
        }
        let now = self.crawl.clock.now();
        if let Some(at) = self.frontier.hosts.next_ready_at()
            && now.until(at) <= MAX_HOST_WAIT
            && !self.is_finished()
        {
            self.crawl.clock.advance(at);
        }
    }

    /// Commits a finished step: builds its outcome, emits its events, stores it, and executes the commands of the
    /// strategy.
    fn commit(&mut self, finished: FinishedStep, emit: Emit<'_>) -> Result<(), CrawlError> {
        let step = finished.step.clone();
        let hosts = self.flights.remove(step.seq);
        self.crawl.clock.advance(step.at.after(finished.took));
        let (now, requests) = (self.crawl.clock.now(), self.progress.spent.requests);
        let ended = finished.ended(&self.crawl.clock);
        let builder = OutcomeBuilder::new(&mut self.crawl, &mut self.frontier, &step, requests, ended);
        let (outcome, commands) = builder.build(finished)?;
        CrawlEvent::of_outcome(&outcome, &step.kind).into_iter().for_each(&mut *emit);
        let is_gauge_due = self.progress.count(&outcome);
        self.frontier.commit(outcome, &hosts, now)?;
        for command in commands {
            self.apply(command)?;
        }
        self.frontier.sweep(self.crawl.strategy.as_ref(), now)?;
        if is_gauge_due {
            let gauges = self.crawl.strategy.gauges(self.frontier.heads());
            let spent = &self.progress.spent;
            emit(CrawlEvent::Gauges { requests: spent.requests, pages: spent.pages, gauges });
        }
        Ok(())
    }

    /// Executes a command of the strategy.
    fn apply(&mut self, command: StrategyCommand) -> Result<(), CrawlError> {
        let (strategy, now) = (self.crawl.strategy.as_ref(), self.crawl.clock.now());
        match command {
            StrategyCommand::Refill { from, to, limit } => {
                self.frontier.refill(from, to, limit, strategy, now)?;
            }
            StrategyCommand::RescoreHeads => self.frontier.rescore_heads(strategy, now)?,
            StrategyCommand::RescoreAll => self.frontier.rescore_all(strategy, now)?,
            StrategyCommand::CloseSite(site) => self.frontier.close_site(&site)?,
            // The outcome of the visit has set the bonus.
            StrategyCommand::SetSiteBonus(_) => {}
            StrategyCommand::RecordLesson(lesson) => {
                let (at_request, at_page) = (self.progress.spent.requests, self.progress.spent.pages);
                self.frontier.apply(FrontierChange::Learned(LessonRow { at_request, at_page, lesson }))?;
            }
            StrategyCommand::AddPage(root, context) => {
                let link = FrontierLink::root(root, LinkOrigin::AddedPage);
                self.enqueue(vec![FrontierLink { context, ..link }])?;
            }
            StrategyCommand::LookUpBacklinks(url) if self.crawl.backlinks.is_some() => {
                self.enqueue(vec![look_up_link(url)])?;
            }
            StrategyCommand::LookUpBacklinks(url) => {
                tracing::debug!(%url, "no source of backlinks");
            }
        }
        Ok(())
    }

    /// Admits links to the frontier that belong to no step. Returns their number.
    fn enqueue(&mut self, links: Vec<FrontierLink>) -> Result<usize, CrawlError> {
        let strategy = self.crawl.strategy.as_ref();
        let admitted = self.frontier.admit(links, &self.crawl.scope, strategy)?;
        let count = admitted.len() + self.frontier.forwarded();
        if !admitted.is_empty() {
            self.frontier.add(admitted, self.crawl.clock.now())?;
        }
        self.frontier.forward()?;
        Ok(count)
    }

    /// True when the session is over: nothing is in flight, and no host is worth waiting for.
    fn is_over(&mut self) -> bool {
        if *self.crawl.stop.borrow() {
            self.progress.end(RunState::Stopped);
        }
        if !self.flights.is_empty() {
            return self.is_wait_too_long();
        }
        if self.progress.ending().is_some() {
            return true;
        }
        if !self.resolutions.is_idle() || self.awaits_address() {
            return false;
        }
        let now = self.crawl.clock.now();
        let next_ready_at = self.frontier.hosts.next_ready_at();
        let longest = if self.all_seeds_fail() { MAX_SEED_WAIT } else { MAX_HOST_WAIT };
        let can_wait = next_ready_at.is_some_and(|at| now.until(at) <= longest);
        let mut is_over = !self.progress.is_paused() && (self.is_finished() || !can_wait);
        if let Some(shared) = &mut self.shared {
            shared.is_idle = is_over && !self.was_choice_denied;
            is_over = shared.is_idle && shared.is_exhausted;
        }
        if is_over {
            self.progress.end(RunState::Exhausted);
        }
        is_over
    }

    /// True before the first page, when the last request to the host of each seed failed. An error of the store counts
    /// as no: the next read reports it.
    fn all_seeds_fail(&mut self) -> bool {
        let hosts = &mut self.frontier.hosts;
        let mut seeds = self.crawl.spec.seeds.iter();
        self.progress.spent.pages == 0 && seeds.all(|seed| hosts.is_failing(&Host::of(seed)).unwrap_or(false))
    }

    /// True when a session on the system clock was stopped and has waited for the requests in flight long enough. They
    /// count as interrupted when the run resumes.
    fn is_wait_too_long(&self) -> bool {
        let grace = self.crawl.stop_grace;
        !self.crawl.clock.is_simulated() && self.progress.stopped_for().is_some_and(|since| since >= grace)
    }

    /// True when no link waits that this session is for.
    fn is_finished(&self) -> bool {
        match self.crawl.mode {
            CrawlMode::Find => self.frontier.is_empty(),
            CrawlMode::Quality { .. } => self.frontier.heads().link_count(QueueId::SAMPLE) == 0,
        }
    }

    fn checkpoint_if_due(&mut self, emit: Emit<'_>) -> Result<(), CrawlError> {
        if !self.progress.is_checkpoint_due() {
            return Ok(());
        }
        self.checkpoint(RunState::Running)?;
        self.progress.poll_control()?.into_iter().for_each(emit);
        Ok(())
    }

    fn checkpoint(&mut self, state: RunState) -> Result<(), CrawlError> {
        // Workers of a shared run send observations instead.
        let saved = if self.shared.is_some() { Vec::new() } else { self.crawl.strategy.save() };
        let position = self.frontier.position();
        Ok(self.progress.checkpoint(state, &self.crawl.clock, position, saved)?)
    }

    fn close(&mut self) -> Result<CrawlSummary, CrawlError> {
        let state = self.progress.ending().unwrap_or_default();
        self.checkpoint(match (self.crawl.mode, &self.shared) {
            // The last worker of a shared run decides on its state.
            (CrawlMode::Find, Some(_)) => RunState::Running,
            (CrawlMode::Find, None) => state,
            // A quality session does not change the state of the crawl.
            (CrawlMode::Quality { .. }, _) => self.progress.state_before(),
        })?;
        let is_last = self.leave(state)?;
        if state == RunState::Stopped && is_last {
            self.progress.clear_control()?;
        }
        let counters = self.progress.counters()?;
        let probes = self.frontier.heads().link_count(QueueId::PROBES);
        let resting = if state == RunState::Exhausted { counters.waiting.saturating_sub(probes) } else { 0 };
        Ok(CrawlSummary { run: self.run, state, counters, resting })
    }
}

/// True if a session tries failed seeds again: the last session of the crawl ended by itself. A session that was killed
/// continues exactly where it was, and so does one on a simulated clock.
fn retries_seeds(crawl: &Crawl, last: RunState) -> bool {
    let has_ended = match last {
        RunState::Exhausted => true,
        RunState::Budget | RunState::Stopped => !crawl.clock.is_simulated(),
        RunState::Running | RunState::Interrupted | RunState::Paused => false,
    };
    crawl.mode == CrawlMode::Find && has_ended
}

/// Opens a run with one worker.
fn begin_alone(crawl: &Crawl) -> Result<RunId, CrawlError> {
    let run = crawl.store.begin(&crawl.spec).map_err(|error| match (&error, crawl.mode) {
        (StoreError::Taken { .. }, CrawlMode::Find) if !crawl.clock.is_simulated() => {
            CrawlError::OneWorker { strategy: crawl.spec.strategy.clone(), source: error }
        }
        _ => CrawlError::Store(error),
    })?;
    if !crawl.fresh {
        return Ok(run);
    }
    crawl.store.discard(Activity::Run(run))?;
    Ok(crawl.store.begin(&crawl.spec)?)
}

fn seed_links(seeds: &[Url]) -> Vec<FrontierLink> {
    seeds.iter().map(|url| FrontierLink::root(url.clone(), LinkOrigin::Seed)).collect()
}

/// Link of a backlink look-up. Its id differs from that of a visit to the same URL.
fn look_up_link(url: Url) -> FrontierLink {
    let id = LinkId(xxh3_64(format!("backlinks of {url}").as_bytes()));
    FrontierLink { id, task: LinkTask::Backlinks, ..FrontierLink::root(url, LinkOrigin::Backlink) }
}
