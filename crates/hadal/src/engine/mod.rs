//! The crawl engine: from a link in the frontier to a stored outcome.
//!
//! [`crawl`] is the function to read first. Its loop has four verbs: choose a step ([`choose`]), send it ([`flights`]),
//! receive its result ([`flights`]), and commit its outcome ([`outcome`]). The parts own their state: [`frontier`] the
//! links that wait and the hosts, [`flights`] the steps in flight, [`spending`] counters and budget, [`progress`]
//! checkpoints and control. [`opening`] starts a session, [`ending`] ends it, and [`workers`] coordinates several of
//! them.
//!
//! A step is one request. robots.txt, the next hop of a redirect, a retry and each test query of a probe
//! ([`probing`]) are steps of their own. So each of them is counted, polite and safe against crashes. A visit may send
//! further requests for its page ([`rendering`]), which are counted with it.

mod budget;
mod choose;
mod ending;
mod event;
mod flights;
mod frontier;
mod host_addresses;
mod hosts;
mod opening;
mod outcome;
mod parse_pool;
mod probing;
mod progress;
mod rendering;
mod resolutions;
mod scope;
mod setup;
mod slots;
mod spending;
mod step;
mod workers;

pub use budget::Budget;
pub use event::CrawlEvent;
pub(crate) use parse_pool::on_parse_thread;
pub use probing::{ProbeWhen, Probing, quality_population};
pub use rendering::{RenderTotals, RenderingVisit};
pub use scope::{BadPattern, Scope};
pub use setup::{Crawl, CrawlBuilder, CrawlMode, HOSTS_IN_MEMORY, RESCORED_AT_ONCE, SIMULATED_WINDOW};
pub use step::{ExaminedPage, FurtherRequests, UsedLinks, Visit, VisitContext, VisitResult, examine};

use crate::store::*;
use flights::Flights;
use frontier::Frontier;
use hadal_core::strategy::{RestoreError, StrategyCommand};
use opening::OpenedRun;
use outcome::OutcomeBuilder;
use probing::submission_of;
use progress::CrawlProgress;
use spending::Spending;
use std::time::Duration;
use step::{FinishedStep, Step};
use workers::WorkerState;

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
    #[error(
        "no seed is left to visit: the scope options exclude all of them; change --include, --exclude, --block-hosts or --max-depth"
    )]
    NoSeeds,
}

/// Longest sleep of the engine between two checks of stop signal, control and hosts. Guess.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Longest sleep of the engine while host names are resolved. Guess.
const RESOLUTION_POLL: Duration = Duration::from_millis(10);
/// A session ends when nothing is in flight and the next host becomes ready later than this. Guess: longer than the
/// back-off after five failures (64 s). Links of hosts with a longer `Retry-After` wait for the next session.
const MAX_HOST_WAIT: Duration = Duration::from_secs(90);

/// Receives the events of a crawl.
type Emit<'a> = &'a mut (dyn FnMut(CrawlEvent) + Send);

/// Runs a crawl until it is stopped, out of budget, or has nothing left to visit. A worker that loses its lease joins
/// the run again.
pub async fn crawl(setup: Crawl, emit: Emit<'_>) -> Result<CrawlSummary, CrawlError> {
    let (mut setup, mut is_announced) = (setup, false);
    let summary = loop {
        let (ended, crawl) = whole_session(setup, &mut is_announced, emit).await;
        match ended {
            Err(CrawlError::Store(StoreError::LeaseLost { .. })) => setup = workers::rejoin(crawl),
            ended => break ended?,
        }
    };
    emit(CrawlEvent::Finished { state: summary.state, counters: summary.counters.clone() });
    Ok(summary)
}

/// Opens the run and works on it until the session is over. Returns the crawl, too, for a further session.
/// `is_announced`: the event that the crawl has started was emitted.
async fn whole_session(
    mut setup: Crawl,
    is_announced: &mut bool,
    emit: Emit<'_>,
) -> (Result<CrawlSummary, CrawlError>, Crawl) {
    let opened = match OpenedRun::open(&mut setup, *is_announced) {
        Ok(opened) => opened,
        Err(error) => return (Err(error), setup),
    };
    let (mut engine, checkpoint) = opened.into_engine(setup);
    let started = engine.start(checkpoint);
    if started.is_ok() && !std::mem::replace(is_announced, true) {
        emit(CrawlEvent::Started {
            run: engine.run.0,
            topic: engine.crawl.spec.topic.clone(),
            strategy: engine.crawl.spec.strategy.clone(),
            resumed_at: engine.spending.spent.requests,
        });
    }
    let ended = match started {
        Ok(()) => session(&mut engine, emit).await.and_then(|()| engine.close()),
        Err(error) => Err(error),
    };
    (ended, engine.crawl)
}

/// The loop of a crawl: choose steps, send them, receive a result, commit its outcome.
async fn session(engine: &mut Engine, emit: Emit<'_>) -> Result<(), CrawlError> {
    loop {
        engine.frontier.wake(engine.crawl.clock.now())?;
        while let Some(step) = engine.choose()? {
            engine.send(step)?;
        }
        match engine.receive().await {
            Some(finished) => engine.commit(finished, emit)?,
            None if engine.is_over() => return Ok(()),
            None => {}
        }
        if engine.progress.is_checkpoint_due() {
            engine.checkpoint(RunState::Running)?;
            engine.progress.poll_control(&mut engine.spending)?.into_iter().for_each(&mut *emit);
        }
        if engine.is_report_due() {
            engine.coordinate()?;
        }
    }
}

/// Runs the parts of a crawl in turn: choose, send, receive, commit.
struct Engine {
    crawl: Crawl,
    run: RunId,
    frontier: Frontier,
    flights: Flights,
    spending: Spending,
    progress: CrawlProgress,
    /// Part of this worker, if the run is shared.
    shared: Option<WorkerState>,
}

impl Engine {
    /// Sends a step, after the store has recorded it.
    ///
    /// On the system clock a submission is durable in the audit log before it leaves. On a simulated clock there is no
    /// server, and a kill undoes both.
    fn send(&mut self, step: Step) -> Result<(), CrawlError> {
        let submission = submission_of(&step, self.run, &self.crawl.spec.topic);
        let must_sync = submission.is_some() && !self.crawl.clock.is_simulated();
        let sent = SentStep { seq: step.seq, target: step.kind.target(), at: step.at };
        self.frontier.store.record_sent(sent, submission)?;
        if must_sync {
            self.checkpoint(RunState::Running)?;
        }
        self.flights.send(step);
        Ok(())
    }

    /// Waits for the result of a step. `None` when there is none for now.
    async fn receive(&mut self) -> Option<FinishedStep> {
        let is_resolving = self.frontier.waiting.waits_for_address();
        let longest = if is_resolving { RESOLUTION_POLL } else { POLL_INTERVAL };
        let pause = self.frontier.waiting.next_ready_in(self.crawl.clock.now());
        let wait = pause.unwrap_or(longest).clamp(Duration::from_millis(1), longest);
        if !self.flights.is_empty() {
            return self.flights.receive(wait).await;
        }
        if !self.crawl.clock.is_simulated() {
            if !self.is_over() {
                tokio::time::sleep(wait).await;
            }
        } else if self.progress.is_paused() {
            tokio::time::sleep(POLL_INTERVAL).await;
        } else if let Some(pause) = pause.filter(|pause| *pause <= MAX_HOST_WAIT)
            && self.frontier.has_links_for(self.crawl.mode)
        {
            // No host is ready before, so a simulated clock skips the pause.
            self.crawl.clock.advance(self.crawl.clock.now().after(pause));
        }
        None
    }

    /// Commits a finished step: builds its outcome, emits its events, stores it, and executes the commands of the
    /// strategy.
    fn commit(&mut self, finished: FinishedStep, emit: Emit<'_>) -> Result<(), CrawlError> {
        let step = finished.step.clone();
        self.flights.remove(step.seq);
        self.crawl.clock.advance(step.at.after(finished.took));
        let (now, requests) = (self.crawl.clock.now(), self.spending.spent.requests);
        let ended = finished.ended(&self.crawl.clock);
        let builder = OutcomeBuilder::new(&mut self.crawl, &mut self.frontier, &step, requests, ended);
        let (outcome, commands) = builder.build(finished)?;
        CrawlEvent::of_outcome(&outcome, &step.kind).into_iter().for_each(&mut *emit);
        let is_gauge_due = self.spending.count(&outcome);
        self.frontier.commit(outcome, &step.turns, now)?;
        for command in commands {
            self.apply(command)?;
        }
        self.frontier.sweep(&self.crawl.placement_context())?;
        if is_gauge_due {
            let mut gauges = self.crawl.strategy.gauges(&self.frontier.waiting.queues);
            // A link that goes before all others has an infinite score, which JSON cannot express.
            gauges.retain(|gauge| gauge.value.is_finite());
            let spent = &self.spending.spent;
            emit(CrawlEvent::Gauges { requests: spent.requests, pages: spent.pages, gauges });
        }
        Ok(())
    }

    /// Executes a command of the strategy.
    fn apply(&mut self, command: StrategyCommand) -> Result<(), CrawlError> {
        match command {
            StrategyCommand::RecordLesson(lesson) => {
                let row = self.spending.lesson_row(lesson);
                self.frontier.store.apply(FrontierChange::Learned(row))?;
            }
            StrategyCommand::LookUpBacklinks(url) if self.crawl.backlinks.is_none() => {
                tracing::debug!(%url, "no source of backlinks");
            }
            command => self.frontier.apply(command, &self.crawl.placement_context())?,
        }
        Ok(())
    }
}
