//! End of a session: when it is over, and the checkpoints that keep it.

use super::workers::save_strategy;
use super::{CrawlError, CrawlMode, CrawlSummary, Engine, MAX_HOST_WAIT};
use crate::store::{RunProgress, RunState};
use hadal_core::link::QueueId;
use hadal_core::strategy::QueueHeads;
use std::time::Duration;

/// Longest wait for a host while no page has been fetched and the last request to every seed host failed. Long enough
/// for the pauses before the two retries (2 s and 4 s). Guess.
const MAX_SEED_WAIT: Duration = Duration::from_secs(5);

impl Engine {
    /// True when the session is over: nothing is in flight, and no host becomes ready within the longest wait. Records
    /// the ending.
    ///
    /// A session on the system clock that was stopped waits for the requests in flight for a limited time. They count
    /// as interrupted when the run resumes.
    pub(super) fn is_over(&mut self) -> bool {
        let stopped_for = self.progress.stopped_for();
        if !self.flights.is_empty() {
            let has_waited = stopped_for.is_some_and(|since| since >= self.crawl.stop_grace);
            return has_waited && !self.crawl.clock.is_simulated();
        }
        if self.progress.ending().is_some() {
            return true;
        }
        if self.frontier.waiting.waits_for_address() {
            return false;
        }
        // An error of the store counts as no: the next read reports it.
        let hosts = &mut self.frontier.waiting.hosts;
        let all_seeds_fail =
            self.spending.spent.pages == 0 && hosts.are_all_failing(&self.crawl.spec.seeds).unwrap_or(false);
        let longest = if all_seeds_fail { MAX_SEED_WAIT } else { MAX_HOST_WAIT };
        let pause = self.frontier.waiting.next_ready_in(self.crawl.clock.now());
        let can_wait = pause.is_some_and(|pause| pause <= longest);
        let is_idle =
            !self.progress.is_paused() && (!self.frontier.has_links_for(self.crawl.mode) || !can_wait);
        let is_over = match &mut self.shared {
            Some(shared) => shared.is_over(is_idle),
            None => is_idle,
        };
        if is_over {
            self.progress.end(RunState::Exhausted);
        }
        is_over
    }

    /// Makes everything committed so far durable, and sets the state of the run.
    pub(super) fn checkpoint(&mut self, state: RunState) -> Result<(), CrawlError> {
        // Workers of a shared run send observations instead of the state of the strategy.
        let saved = if self.shared.is_some() { Vec::new() } else { self.crawl.strategy.save() };
        let (next_arrival, generation) = self.frontier.position();
        let elapsed = self.spending.elapsed(&self.crawl.clock);
        Ok(self.progress.checkpoint(RunProgress {
            next_seq: self.spending.numbers.next(),
            next_arrival,
            now: self.crawl.clock.now(),
            generation,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            state,
            max_requests: self.spending.max_requests(),
            strategy: (!saved.is_empty()).then_some(saved),
        })?)
    }

    /// Writes the last checkpoint and leaves a shared run.
    pub(super) fn close(&mut self) -> Result<CrawlSummary, CrawlError> {
        let state = self.progress.ending().unwrap_or_default();
        self.checkpoint(match (self.crawl.mode, &self.shared) {
            // The last worker of a shared run decides on its state.
            (CrawlMode::Find, Some(_)) => RunState::Running,
            (CrawlMode::Find, None) => state,
            // A quality session does not change the state of the crawl.
            (CrawlMode::Quality { .. }, _) => self.progress.state_before,
        })?;
        let mut is_last = true;
        if self.shared.is_some() {
            self.coordinate()?;
            save_strategy(&self.crawl, self.run)?;
            is_last = self.frontier.store.leave(state, self.spending.numbers.unused())?;
        }
        if state == RunState::Stopped && is_last {
            self.progress.clear_control()?;
        }
        let counters = self.progress.counters()?;
        let probes = self.frontier.waiting.queues.link_count(QueueId::PROBES);
        let resting = if state == RunState::Exhausted { counters.waiting.saturating_sub(probes) } else { 0 };
        Ok(CrawlSummary { run: self.run, state, counters, resting })
    }
}
