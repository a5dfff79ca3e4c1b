//! Start of a session: opens the run, then resumes the steps that an earlier session left in flight or begins with the
//! seeds.

use super::flights::Flights;
use super::frontier::Frontier;
use super::progress::CrawlProgress;
use super::slots::Slots;
use super::spending::Spending;
use super::step::{Step, StepKind, StepTools};
use super::workers::{self, WorkerState};
use super::{Crawl, CrawlError, CrawlMode, Engine, probing};
use crate::polite::Permission;
use crate::store::*;
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueuedLink};
use hadal_core::time::Time;
use url::Url;

/// A run that was opened for a session.
pub(super) struct OpenedRun {
    run: RunId,
    checkpoint: RunCheckpoint,
    shared: Option<WorkerState>,
}

impl OpenedRun {
    /// Opens the run of a crawl and restores its strategy. `rejoins`: the session continues after a lost lease, so it
    /// keeps the control of the run. Otherwise the first worker removes that of earlier sessions.
    pub fn open(crawl: &mut Crawl, rejoins: bool) -> Result<OpenedRun, CrawlError> {
        let joined = workers::join(crawl)?;
        let run = joined.as_ref().map_or_else(|| begin_alone(crawl), |joined| Ok(joined.run))?;
        if !rejoins && joined.as_ref().is_none_or(|joined| joined.is_first) {
            clear_control(crawl.store.as_ref(), Activity::Run(run))?;
        }
        if let CrawlMode::Quality { sample, seed } = crawl.mode {
            probing::draw_sample(crawl, run, sample, seed)?;
        }
        let mut checkpoint = crawl.store.resume(run, crawl.hosts_in_memory)?;
        if let Some(joined) = &joined {
            checkpoint.progress.state = joined.state;
            checkpoint.progress.strategy.clone_from(&joined.strategy);
        }
        if let Some(saved) = checkpoint.progress.strategy.take() {
            crawl.strategy.restore(&saved)?;
        }
        let retries_seeds = retries_seeds(crawl, checkpoint.progress.state);
        let shared = joined.map(|joined| WorkerState::new(joined.lease, retries_seeds));
        Ok(OpenedRun { run, checkpoint, shared })
    }

    /// Engine of a session, and the checkpoint with which [`Engine::start`] begins.
    pub fn into_engine(self, mut crawl: Crawl) -> (Engine, RunCheckpoint) {
        let OpenedRun { run, checkpoint, shared } = self;
        crawl.clock.advance(checkpoint.progress.now);
        crawl.reserve.start_session();
        let mut frontier = Frontier::new(&crawl, run, &checkpoint.progress);
        let slots = Slots::new(crawl.concurrency, checkpoint.counters.requests);
        let flights = Flights::new(StepTools::of(&crawl, &frontier), slots, crawl.clock.is_simulated());
        let progress = CrawlProgress::new(&crawl, run, checkpoint.progress.state);
        let mut spending = Spending::new(&crawl, &checkpoint.progress, checkpoint.counters.clone());
        if shared.is_some() {
            crawl.strategy.share();
            frontier.share();
            spending.share();
        }
        (Engine { crawl, run, frontier, flights, spending, progress, shared }, checkpoint)
    }
}

impl Engine {
    /// Resumes the run, or begins a new one.
    pub(super) fn start(&mut self, mut checkpoint: RunCheckpoint) -> Result<(), CrawlError> {
        let retries_seeds = retries_seeds(&self.crawl, checkpoint.progress.state);
        if retries_seeds {
            let seeds = &self.crawl.spec.seeds;
            self.frontier.waiting.hosts.try_all_at_once(seeds, &mut checkpoint.requested)?;
        }
        let now = self.crawl.clock.now();
        if self.shared.is_none() && was_killed(&self.crawl, &checkpoint.progress) {
            self.frontier.waiting.hosts.take_over(Partition::all().collect(), now);
        }
        self.frontier.waiting.load(&checkpoint, now);
        self.coordinate()?;
        let is_first = match &self.shared {
            Some(_) => self.frontier.position().0 == 0,
            None => self.spending.numbers.next() == 0,
        };
        let is_new = self.crawl.mode == CrawlMode::Find
            && is_first
            && checkpoint.in_flight.is_empty()
            && self.frontier.waiting.queues.is_empty();
        for (sent, queued) in checkpoint.in_flight {
            if self.crawl.clock.is_simulated() {
                self.resend(sent, queued)?;
            } else if let Some(outcome) = self.frontier.end_interrupted(sent, queued, now)? {
                self.spending.count(&outcome);
            }
        }
        if is_new {
            self.begin()?;
        }
        if retries_seeds {
            let seeds = seed_links(&self.frontier.partitions.own_seeds(&self.crawl.spec.seeds));
            self.frontier.retry(seeds, &self.crawl.placement_context())?;
            self.shared.iter_mut().for_each(|shared| shared.retries_seeds = false);
        }
        Ok(())
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
        let is_known = seeds.iter().any(|seed| self.frontier.known.seen.contains(seed.id));
        let added = self.frontier.add_found(seeds, &self.crawl.placement_context())?;
        if added == 0 && !is_known { Err(CrawlError::NoSeeds) } else { Ok(()) }
    }

    /// Sends a step again that was in flight when an earlier session on the simulated clock ended.
    fn resend(&mut self, sent: SentStep, queued: Option<QueuedLink>) -> Result<(), CrawlError> {
        let (seq, at, now) = (sent.seq, sent.at, self.crawl.clock.now());
        if let Some(kind) = resumed(&mut self.frontier, sent, queued, now)? {
            let turns = self.frontier.occupy(&kind.hosts(), now)?;
            let body_limit = self.spending.body_limit_left(self.flights.reserved_bytes());
            self.flights.send(Step { seq, at, kind, turns, body_limit, term: None });
        }
        Ok(())
    }
}

/// Work of a step that is sent again; `None` if its link is not known any more.
fn resumed(
    frontier: &mut Frontier,
    sent: SentStep,
    queued: Option<QueuedLink>,
    now: Time,
) -> Result<Option<StepKind>, StoreError> {
    let queued = match (sent.target, queued) {
        (StepTarget::Robots { host, url, hops }, _) => {
            let ix = frontier.host(&host, now)?;
            let request = frontier.waiting.hosts.robots_request(ix, url, hops)?;
            return Ok(Some(StepKind::Robots { host, request }));
        }
        (StepTarget::Link(_), Some(queued)) => queued,
        (StepTarget::Link(_), None) => return Ok(None),
    };
    if queued.link.task == LinkTask::Backlinks {
        return Ok(Some(StepKind::of(queued)));
    }
    let host = frontier.host(&queued.link.host(), now)?;
    Ok(Some(match frontier.waiting.hosts.permission(host, &queued.link.url, sent.at)? {
        Permission::Denied => StepKind::Refused(Box::new(queued)),
        _ => StepKind::of(queued),
    }))
}

/// True if the last session of the run was killed, so that it may have sent requests without a record. On a simulated
/// clock nothing was sent.
fn was_killed(crawl: &Crawl, last: &RunProgress) -> bool {
    !crawl.clock.is_simulated() && last.state.is_open() && last.next_seq > 0
}

/// True if a session tries failed seeds again: the last session was not killed. After a kill the run continues exactly
/// where it was. On a simulated clock only a run with nothing left to visit tries them again.
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
