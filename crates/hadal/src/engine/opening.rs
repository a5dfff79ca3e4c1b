//! Start of a session: opens the run, resumes the steps that an earlier session left in flight, or begins with the seeds.

use super::flights::Flights;
use super::frontier::Frontier;
use super::progress::CrawlProgress;
use super::resolutions::Resolutions;
use super::slots::Slots;
use super::step::{Step, StepKind, StepTools};
use super::workers::{self, WorkerState};
use super::{Crawl, CrawlError, CrawlMode, Engine, sampling};
use crate::polite::{FailureKind, Permission};
use crate::store::*;
use hadal_core::address::Host;
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueuedLink};
use std::sync::Arc;
use url::Url;

impl Engine {
    /// Opens the run and resumes it. [`Engine::resend`] continues the steps in flight.
    pub(super) fn open(mut crawl: Crawl) -> Result<Engine, CrawlError> {
        let joined = workers::join(&mut crawl)?;
        let run = joined.as_ref().map_or_else(|| begin_alone(&crawl), |joined| Ok(joined.run))?;
        if let CrawlMode::Quality { sample, seed } = crawl.mode {
            sampling::draw_sample(&crawl, run, sample, seed)?;
        }
        let mut checkpoint = crawl.store.resume(run, crawl.hosts_in_memory)?;
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
            frontier.waiting.hosts.try_all_at_once(&crawl.spec.seeds, &mut checkpoint.requested)?;
        }
        frontier.waiting.load(&checkpoint, now);
        let slots = Slots::new(crawl.concurrency, checkpoint.counters.requests);
        let flights = Flights::new(StepTools::of(&crawl, &frontier), slots, crawl.clock.is_simulated());
        let is_real = !crawl.clock.is_simulated();
        let resolutions = Resolutions::new(is_real.then(|| Arc::clone(&crawl.fetch)));
        let mut progress = CrawlProgress::new(&crawl, run, checkpoint.progress, checkpoint.counters);
        if let Some(shared) = &mut shared {
            frontier.partitions.share();
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
            && self.frontier.waiting.queues.is_empty();
        for (sent, queued) in in_flight {
            self.resend(sent, queued)?;
        }
        if is_new { self.begin() } else { Ok(()) }
    }

    /// Lets seeds that failed wait again, so that the same command retries a seed that was down.
    fn retry_seeds(&mut self) -> Result<(), CrawlError> {
        let seeds = seed_links(&self.frontier.partitions.own_seeds(&self.crawl.spec.seeds));
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
        let is_known = seeds.iter().any(|seed| self.frontier.known.seen.contains(seed.id));
        if self.enqueue(seeds)? == 0 && !is_known { Err(CrawlError::NoSeeds) } else { Ok(()) }
    }

    /// Continues a step that was in flight when an earlier session ended.
    ///
    /// On a simulated clock it is sent again as it was. On the system clock its request may have been sent,
    /// so it counts as one request, and the link waits for its host's turn again.
    pub(super) fn resend(&mut self, sent: SentStep, queued: Option<QueuedLink>) -> Result<(), CrawlError> {
        if !self.crawl.clock.is_simulated() {
            return self.interrupted(sent, queued);
        }
        let now = self.crawl.clock.now();
        let kind = match (sent.target, queued) {
            (StepTarget::Robots { host, url, hops }, _) => {
                let ix = self.frontier.host(&host, now)?;
                let request = self.frontier.waiting.hosts.known(ix)?.robots_request(url, hops);
                StepKind::Robots { host, request }
            }
            (StepTarget::Link(_), Some(queued)) if queued.link.task == LinkTask::Backlinks => {
                StepKind::of(queued)
            }
            (StepTarget::Link(_), Some(queued)) => {
                let host = self.frontier.host(&queued.link.host(), now)?;
                match self.frontier.waiting.hosts.permission(host, &queued.link.url, sent.at)? {
                    Permission::Denied => StepKind::Refused(Box::new(queued)),
                    _ => StepKind::of(queued),
                }
            }
            (StepTarget::Link(_), None) => return Ok(()),
        };
        let reserved = self.flights.reserved_bytes();
        let body_limit = self.progress.body_limit_left(reserved, self.crawl.body_limit);
        self.start(Step { seq: sent.seq, at: sent.at, kind, body_limit, send_before: None })
    }

    /// Commits a step with an unknown result as interrupted.
    fn interrupted(&mut self, sent: SentStep, queued: Option<QueuedLink>) -> Result<(), CrawlError> {
        let name = match (&sent.target, &queued) {
            (StepTarget::Robots { url, .. }, _) => Host::of(url),
            (StepTarget::Link(_), Some(queued)) => queued.link.host(),
            (StepTarget::Link(_), None) => return Ok(()),
        };
        let now = self.crawl.clock.now();
        let host = self.frontier.host(&name, now)?;
        let mut outcome = Outcome::of(sent.seq, sent.target, sent.at);
        outcome.hosts = vec![self.frontier.waiting.hosts.record_interruption(host, sent.at)?];
        let kind = FailureKind::Interrupted;
        let was_probe = queued.as_ref().is_some_and(|queued| matches!(queued.link.task, LinkTask::Probe(_)));
        outcome.submission = was_probe.then_some(SubmissionResult::Failure(kind));
        outcome.end = match queued {
            Some(queued) => StepEnd::Retry(Box::new(queued), kind),
            None => StepEnd::Robots,
        };
        self.progress.count(&outcome);
        Ok(self.frontier.commit(outcome, &[host], now)?)
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
