//! Choice of the next step.
//!
//! Probes come first, as far as their share of requests goes. Otherwise the strategy picks a queue. Hosts and
//! robots.txt decide whether the best link of that queue may be requested now.

use super::step::{Step, StepKind};
use super::workers::WorkerState;
use super::{CrawlError, CrawlMode, Engine};
use crate::polite::{Clock, Permission};
use hadal_core::link::{LinkTask, QueueId};
use hadal_core::strategy::QueueChoice;

/// Maximum number of commands that a strategy may execute before it serves a queue; more would be an endless
/// loop. Guess.
const MAX_COMMANDS: usize = 64;

impl Engine {
    /// Chooses the next step. `None` when no step may be sent now.
    pub(super) fn choose(&mut self) -> Result<Option<Step>, CrawlError> {
        let allowed = self.allow_step();
        self.was_choice_denied = allowed.is_none();
        let Some(body_limit) = allowed else { return Ok(None) };
        let kind = match self.choose_probe()? {
            None if self.crawl.mode == CrawlMode::Find => self.choose_link()?,
            chosen => chosen,
        };
        let Some(kind) = kind else { return Ok(None) };
        log_choice(&kind);
        let (seq, at) = (self.progress.take_seq(), self.crawl.clock.now());
        let send_before = self.shared.as_ref().map(WorkerState::send_before);
        Ok(Some(Step { seq, at, kind, body_limit, send_before }))
    }

    /// Body limit of one more step; `None` when no step may be sent.
    fn allow_step(&mut self) -> Option<u64> {
        let has_room = match self.crawl.clock {
            Clock::Real => self.flights.has_room(self.crawl.clock.now()),
            Clock::Simulated(_) => self.flights.len() < self.crawl.window.max(1),
        };
        let is_leased = self.shared.as_ref().is_none_or(WorkerState::is_leased);
        if *self.crawl.stop.borrow() || !has_room || self.resolutions.is_full() || !is_leased {
            return None;
        }
        let (steps, reserved) = (self.flights.len() as u64, self.flights.reserved_bytes());
        let of_pages = self.crawl.reserve.leave(self.progress.requests_left(steps));
        let in_flight = if steps == 0 { 0 } else { steps + of_pages };
        self.progress.allow_step(in_flight, reserved, &self.crawl.clock, self.crawl.body_limit)
    }

    /// Next request of a probe, or the robots.txt that it needs.
    fn choose_probe(&mut self) -> Result<Option<StepKind>, CrawlError> {
        for queue in [QueueId::SAMPLE, QueueId::PROBES] {
            while self.may_probe(queue) && self.frontier.waiting.queues.best_host(queue).is_some() {
                if let Some(kind) = self.choose_from(queue)? {
                    return Ok(Some(kind));
                }
            }
        }
        Ok(None)
    }

    fn may_probe(&self, queue: QueueId) -> bool {
        let spent = &self.progress.spent;
        let is_find = self.crawl.mode == CrawlMode::Find;
        queue == QueueId::SAMPLE
            || is_find && self.crawl.probing.allows(spent.probes + self.flights.probes(), spent.requests)
    }

    fn choose_link(&mut self) -> Result<Option<StepKind>, CrawlError> {
        let mut commands = 0;
        loop {
            match self.crawl.strategy.choose(&self.frontier.waiting.queues) {
                QueueChoice::Serve(queue) if self.frontier.waiting.queues.best_host(queue).is_none() => {
                    return Ok(None);
                }
                QueueChoice::Serve(queue) => {
                    if let Some(kind) = self.choose_from(queue)? {
                        return Ok(Some(kind));
                    }
                }
                QueueChoice::Execute(command) if commands < MAX_COMMANDS => {
                    commands += 1;
                    self.apply(*command)?;
                }
                QueueChoice::Execute(_) | QueueChoice::Idle => return Ok(None),
            }
        }
    }

    /// Step for the best link of a queue. `None` when that link cannot be requested now; then the caller looks again.
    fn choose_from(&mut self, queue: QueueId) -> Result<Option<StepKind>, CrawlError> {
        let now = self.crawl.clock.now();
        let best = self.frontier.best(queue, self.crawl.strategy.as_ref(), now)?;
        let Some(candidate) = best else { return Ok(None) };
        let (link, host) = (&candidate.queued.link, candidate.host);
        if !self.crawl.scope.admits(link) || self.frontier.known.is_repetition(link) {
            self.frontier.discard(candidate)?;
            return Ok(None);
        }
        if link.task != LinkTask::Backlinks
            && !self.frontier.waiting.hosts.scheduler.has_address(host)
            && self.resolutions.resolve(host, &link.url)
        {
            self.frontier.waiting.await_address(host);
            return Ok(None);
        }
        if let Some(shared) = self.shared.as_mut().filter(|_| link.task != LinkTask::Backlinks)
            && !shared.permits(host, &mut self.frontier.waiting)
        {
            return Ok(None);
        }
        let permission = match link.task {
            LinkTask::Backlinks => Permission::Granted,
            LinkTask::Page | LinkTask::Probe(_) => {
                self.frontier.waiting.hosts.permission(host, &link.url, now)?
            }
        };
        Ok(match permission {
            Permission::Granted => Some(StepKind::of(self.frontier.take(candidate))),
            Permission::Denied => Some(StepKind::Refused(Box::new(self.frontier.take(candidate)))),
            Permission::FetchRobots(request) => {
                let may_send = self.frontier.may_request_robots(host, &request, now)?;
                may_send.then(|| StepKind::Robots {
                    host: self.frontier.waiting.hosts.scheduler.name(host).clone(),
                    request,
                })
            }
            Permission::NotBefore(until) => {
                self.frontier.waiting.rest(host, until, now);
                None
            }
        })
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
