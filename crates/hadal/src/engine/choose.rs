//! Choice of the next step.
//!
//! Probes come first, as far as their share of requests goes. Otherwise the strategy picks a queue. Hosts and
//! robots.txt decide whether the best link of that queue may be requested now.

use super::budget::StepAllowance;
use super::frontier::ChosenStep;
use super::step::{Step, StepKind};
use super::workers::WorkerState;
use super::{CrawlError, CrawlMode, Engine};
use crate::polite::Clock;
use crate::store::RunState;
use hadal_core::strategy::QueueChoice;
use std::time::Instant;

/// Maximum number of commands that a strategy may execute before it serves a queue; more would be an endless
/// loop. Guess.
const MAX_COMMANDS: usize = 64;

impl Engine {
    /// Chooses the next step. `None` when no step may be sent now.
    pub(super) fn choose(&mut self) -> Result<Option<Step>, CrawlError> {
        let allowed = self.allow_step();
        self.shared.iter_mut().for_each(|shared| shared.start_choice(allowed.is_some()));
        let Some(body_limit) = allowed else { return Ok(None) };
        // In a crawl that searches for forms, probes have a share of the requests.
        let spent = &self.spending.spent;
        let probes = spent.probes + self.flights.probes();
        let may_probe =
            self.crawl.mode == CrawlMode::Find && self.crawl.probing.allows(probes, spent.requests);
        let chosen = match self.frontier.choose_probe(may_probe, &self.crawl.placement_context())? {
            None if self.crawl.mode == CrawlMode::Find => self.choose_link()?,
            chosen => chosen,
        };
        let Some(ChosenStep { kind, turns }) = chosen else { return Ok(None) };
        log_choice(&kind);
        let (seq, at) = (self.spending.numbers.take(), self.crawl.clock.now());
        let term = self.shared.as_mut().map(WorkerState::start_step);
        self.frontier.waiting.queues.ignore_others(false);
        Ok(Some(Step { seq, at, kind, turns, body_limit, term }))
    }

    /// Body limit of one more step; `None` when no step may be sent: no slot, number or request is left.
    fn allow_step(&mut self) -> Option<u64> {
        let has_room = match self.crawl.clock {
            Clock::Real => self.flights.has_room(self.crawl.clock.now()),
            Clock::Simulated(_) => self.flights.len() < self.crawl.window.max(1),
        };
        let is_leased = self.shared.as_ref().is_none_or(|shared| !shared.term.is_over());
        if *self.crawl.stop.borrow() || !has_room || self.frontier.waiting.addresses.is_full() || !is_leased {
            return None;
        }
        let steps = self.flights.len() as u64;
        let (in_flight, bytes) = self.spending.reserve_for_visits(steps, self.flights.reserved_bytes());
        if self.progress.is_paused() || self.progress.ending().is_some() {
            return None;
        }
        match self.spending.allow_step(in_flight, bytes, &self.crawl.clock) {
            StepAllowance::Send { body_limit } => Some(body_limit),
            StepAllowance::Wait => None,
            StepAllowance::Spent => {
                self.progress.end(RunState::Budget);
                None
            }
        }
    }

    /// Step for a link of the queue that the strategy picks.
    fn choose_link(&mut self) -> Result<Option<ChosenStep>, CrawlError> {
        let mut commands = 0;
        loop {
            match self.crawl.strategy.choose(&self.frontier.waiting.queues) {
                QueueChoice::Serve(queue) if self.frontier.waiting.queues.best_host(queue).is_none() => {
                    return Ok(None);
                }
                QueueChoice::Serve(queue) => {
                    if let Some(chosen) = self.frontier.choose(queue, &self.crawl.placement_context())? {
                        return Ok(Some(chosen));
                    }
                }
                QueueChoice::Execute(command) if commands < MAX_COMMANDS => {
                    commands += 1;
                    self.apply(*command)?;
                }
                QueueChoice::Yield
                    if self
                        .shared
                        .as_mut()
                        .is_some_and(|shared| shared.stops_yielding(&mut self.frontier, Instant::now())) => {}
                QueueChoice::Execute(_) | QueueChoice::Idle | QueueChoice::Yield => return Ok(None),
            }
        }
    }
}

/// Logs a choice with `-vv`: the link, its queue and its score.
fn log_choice(kind: &StepKind) {
    match kind {
        StepKind::Visit(queued)
        | StepKind::LookUp(queued)
        | StepKind::Probe(queued)
        | StepKind::Refused(queued) => {
            let (queue, score) = (queued.queue.0, queued.score);
            tracing::debug!(queue, score, url = %queued.link.url, "link chosen");
        }
        StepKind::Robots { request, .. } => tracing::debug!(url = %request.url, "robots.txt chosen"),
    }
}
