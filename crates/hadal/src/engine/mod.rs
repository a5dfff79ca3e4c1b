//! The crawl engine: from a link in the frontier to a stored outcome.
//!
//! [`crawl`] is the function to read first. Its loop has four verbs: choose a step ([`choose`]), send it ([`flights`]),
//! receive its result ([`flights`]), and commit its outcome ([`outcome`]). The parts own their state: [`frontier`] the
//! links that wait and the hosts, [`flights`] the steps in flight, [`progress`] counters, budget and checkpoints.
//! [`opening`] starts a session, [`ending`] ends it, and [`workers`] coordinates several of them.
//!
//! A step is one request. robots.txt, the next hop of a redirect, a retry and each test query of a probe
//! ([`probing`]) are steps of their own. So each of them is counted, polite and safe against crashes.

mod addresses;
mod budget;
mod choose;
mod ending;
mod event;
mod flights;
mod frontier;
mod hosts;
mod opening;
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
use hadal_core::address::LinkId;
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask};
use hadal_core::strategy::{RestoreError, StrategyCommand};
use outcome::OutcomeBuilder;
use probing::submission_of;
use progress::CrawlProgress;
use resolutions::Resolutions;
use std::time::Duration;
use step::{FinishedStep, Step};
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

/// Receives the events of a crawl.
type Emit<'a> = &'a mut (dyn FnMut(CrawlEvent) + Send);

/// Runs a crawl until it is stopped, out of budget, or has nothing left to visit.
pub async fn crawl(setup: Crawl, emit: Emit<'_>) -> Result<CrawlSummary, CrawlError> {
    let mut engine = Engine::open(setup)?;
    emit(CrawlEvent::Started {
        run: engine.run.0,
        topic: engine.crawl.spec.topic.clone(),
        strategy: engine.crawl.spec.strategy.clone(),
        resumed_at: engine.progress.requests_before(),
    });
    let summary = loop {
        let ended = session(&mut engine, emit).await.and_then(|()| engine.close());
        match ended {
            Err(CrawlError::Store(StoreError::LeaseLost { .. })) => {
                engine = Engine::open(workers::rejoin(engine.crawl))?
            }
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
        self.frontier.store.record_sent(sent, submission)?;
        if must_sync {
            self.checkpoint(RunState::Running)?;
        }
        self.start(step)
    }

    fn start(&mut self, step: Step) -> Result<(), CrawlError> {
        let hosts = self.frontier.occupy(&step.kind.hosts(), self.crawl.clock.now())?;
        if let Some(shared) = &mut self.shared {
            shared.use_addresses(&hosts, &self.frontier.waiting);
        }
        self.flights.send(step, hosts);
        Ok(())
    }

    /// Updates the readiness of hosts after their pause, and of hosts with an address that became known.
    fn wake(&mut self) -> Result<(), CrawlError> {
        let now = self.crawl.clock.now();
        while let Some((host, address)) = self.resolutions.next() {
            self.frontier.waiting.resolved(host, address, now);
        }
        self.frontier.wake(now)?;
        match (&mut self.shared, self.crawl.store.shared_runs()) {
            (Some(shared), Some(runs)) => {
                shared.claim_addresses(runs, self.run, &mut self.frontier.waiting, now)
            }
            _ => Ok(()),
        }
    }

    /// True if a host waits until its name is resolved, or for an address that another worker has.
    fn awaits_address(&self) -> bool {
        let waits_for_worker = self.shared.as_ref().is_some_and(|shared| shared.addresses.is_waiting());
        !self.resolutions.is_idle() || waits_for_worker
    }

    /// Waits for the result of a step. `None` when there is none for now.
    async fn receive(&mut self) -> Option<FinishedStep> {
        if self.crawl.clock.is_simulated() && self.flights.is_empty() {
            self.skip_to_next_host().await;
            return None;
        }
        let now = self.crawl.clock.now();
        let longest = if self.awaits_address() { RESOLUTION_POLL } else { POLL_INTERVAL };
        let wait = self.frontier.waiting.hosts.scheduler.next_ready_at().map_or(longest, |at| now.until(at));
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
        if let Some(at) = self.frontier.waiting.hosts.scheduler.next_ready_at()
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
            let gauges = self.crawl.strategy.gauges(&self.frontier.waiting.queues);
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
                self.frontier.store.apply(FrontierChange::Learned(LessonRow {
                    at_request,
                    at_page,
                    lesson,
                }))?;
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
        let count = admitted.len() + self.frontier.partitions.forwarded();
        if !admitted.is_empty() {
            self.frontier.add(admitted, self.crawl.clock.now())?;
        }
        self.frontier.forward()?;
        Ok(count)
    }
}

/// Link of a backlink look-up. Its id differs from that of a visit to the same URL.
fn look_up_link(url: Url) -> FrontierLink {
    let id = LinkId(xxh3_64(format!("backlinks of {url}").as_bytes()));
    FrontierLink { id, task: LinkTask::Backlinks, ..FrontierLink::root(url, LinkOrigin::Backlink) }
}
