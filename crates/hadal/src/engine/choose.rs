//! Choice of the next step, and steps that an earlier session left in flight.
//!
//! Probes come first, as far as their share of requests goes. Otherwise the strategy picks a queue. Hosts and
//! robots.txt decide whether the best link of that queue may be requested now.

use super::step::{Step, StepKind};
use super::workers::WorkerState;
use super::{CrawlError, CrawlMode, Engine};
use crate::polite::{Clock, FailureKind, Permission};
use crate::store::*;
use hadal_core::address::Host;
use hadal_core::link::{LinkTask, QueueId, QueuedLink};
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
            while self.may_probe(queue) && self.frontier.has_ready_host(queue) {
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
            match self.crawl.strategy.choose(self.frontier.heads()) {
                QueueChoice::Serve(queue) if !self.frontier.has_ready_host(queue) => return Ok(None),
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
        if !self.crawl.scope.admits(link) || self.frontier.is_repetition(link) {
            self.frontier.discard(candidate)?;
            return Ok(None);
        }
        if link.task != LinkTask::Backlinks
            && !self.frontier.hosts.has_address(host)
            && self.resolutions.resolve(host, &link.url)
        {
            self.frontier.await_address(host);
            return Ok(None);
        }
        if !self.permits_addresses(link.task != LinkTask::Backlinks, host) {
            return Ok(None);
        }
        let permission = match link.task {
            LinkTask::Backlinks => Permission::Granted,
            LinkTask::Page | LinkTask::Probe(_) => self.frontier.hosts.permission(host, &link.url, now)?,
        };
        Ok(match permission {
            Permission::Granted => Some(StepKind::of(self.frontier.take(candidate))),
            Permission::Denied => Some(StepKind::Refused(Box::new(self.frontier.take(candidate)))),
            Permission::FetchRobots(request) => {
                let may_send = self.frontier.may_request_robots(host, &request, now)?;
                may_send.then(|| StepKind::Robots { host: self.frontier.hosts.name(host).clone(), request })
            }
            Permission::NotBefore(until) => {
                self.frontier.rest(host, until, now);
                None
            }
        })
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
                let request = self.frontier.hosts.known(ix)?.robots_request(url, hops);
                StepKind::Robots { host, request }
            }
            (StepTarget::Link(_), Some(queued)) if queued.link.task == LinkTask::Backlinks => {
                StepKind::of(queued)
            }
            (StepTarget::Link(_), Some(queued)) => {
                let host = self.frontier.host(&queued.link.host(), now)?;
                match self.frontier.hosts.permission(host, &queued.link.url, sent.at)? {
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
        outcome.hosts = vec![self.frontier.hosts.record_interruption(host, sent.at)?];
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
