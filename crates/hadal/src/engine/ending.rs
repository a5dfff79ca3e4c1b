//! End of a session: when it is over, and the checkpoints that keep it.

use super::{CrawlError, CrawlMode, CrawlSummary, Emit, Engine, MAX_HOST_WAIT};
use crate::store::RunState;
use hadal_core::address::Host;
use hadal_core::link::QueueId;
use hadal_core::strategy::QueueHeads;
use std::time::Duration;

/// Longest time that a session waits for the pause of a host before the first page, while the hosts of all
/// seeds fail. Long enough for the pauses before the two retries (2 s and 4 s). Guess.
const MAX_SEED_WAIT: Duration = Duration::from_secs(5);

impl Engine {
    /// True when the session is over: nothing is in flight, and no host is worth waiting for.
    pub(super) fn is_over(&mut self) -> bool {
        if *self.crawl.stop.borrow() {
            self.progress.end(RunState::Stopped);
        }
        if !self.flights.is_empty() {
            return self.is_wait_too_long();
        }
        if self.progress.ending().is_some() {
            return true;
        }
        if self.awaits_address() {
            return false;
        }
        let now = self.crawl.clock.now();
        let next_ready_at = self.frontier.waiting.hosts.scheduler.next_ready_at();
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
        let hosts = &mut self.frontier.waiting.hosts;
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
    pub(super) fn is_finished(&self) -> bool {
        match self.crawl.mode {
            CrawlMode::Find => self.frontier.waiting.queues.is_empty(),
            CrawlMode::Quality { .. } => self.frontier.waiting.queues.link_count(QueueId::SAMPLE) == 0,
        }
    }

    pub(super) fn checkpoint_if_due(&mut self, emit: Emit<'_>) -> Result<(), CrawlError> {
        if !self.progress.is_checkpoint_due() {
            return Ok(());
        }
        self.checkpoint(RunState::Running)?;
        self.progress.poll_control()?.into_iter().for_each(emit);
        Ok(())
    }

    pub(super) fn checkpoint(&mut self, state: RunState) -> Result<(), CrawlError> {
        // Workers of a shared run send observations instead.
        let saved = if self.shared.is_some() { Vec::new() } else { self.crawl.strategy.save() };
        let position = self.frontier.position();
        Ok(self.progress.checkpoint(state, &self.crawl.clock, position, saved)?)
    }

    pub(super) fn close(&mut self) -> Result<CrawlSummary, CrawlError> {
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
        let probes = self.frontier.waiting.queues.link_count(QueueId::PROBES);
        let resting = if state == RunState::Exhausted { counters.waiting.saturating_sub(probes) } else { 0 };
        Ok(CrawlSummary { run: self.run, state, counters, resting })
    }
}
