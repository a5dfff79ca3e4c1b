//! Choosing the next step: inquiries first, as far as their share goes, else the strategy picks a lane;
//! readiness and robots.txt say what may be done now.

use super::budget::Leave;
use super::step::{Catch, Done, Job, Step};
use super::{CrawlError, CrawlMode, Engine, Flight, once};
use crate::polite::{Clock, FailureKind, HostIx, Permission, Readiness, RobotsRequest};
use crate::store::*;
use hadal_core::address::{Host, Site};
use hadal_core::link::{LinkTask, QueueId, QueueRank, QueuedLink};
use hadal_core::strategy::QueueChoice;
use std::time::Duration;

/// A strategy that wants more done than this before it serves a lane has lost its way.
const MOST_COMMANDS: usize = 64;

impl Engine {
    /// The next step, if one may be begun now.
    pub(super) fn choose(&mut self) -> Result<Option<Step>, CrawlError> {
        let Some(body_limit) = self.leave() else { return Ok(None) };
        let job = match self.choose_inquiry()? {
            None if self.setup.mode == CrawlMode::Find => self.choose_lead()?,
            chosen => chosen,
        };
        let Some(job) = job else { return Ok(None) };
        let (seq, at) = (self.progress.next_seq, self.setup.clock.now());
        self.progress.next_seq += 1;
        Ok(Some(Step { seq, at, job, body_limit }))
    }

    fn choose_lead(&mut self) -> Result<Option<Job>, CrawlError> {
        let mut commands = 0;
        loop {
            match self.setup.strategy.choose(&self.frontier) {
                QueueChoice::Serve(lane) if self.frontier.best_host(lane).is_none() => return Ok(None),
                QueueChoice::Serve(lane) => {
                    if let Some(job) = self.take(lane)? {
                        return Ok(Some(job));
                    }
                }
                QueueChoice::Execute(command) if commands < MOST_COMMANDS => {
                    commands += 1;
                    self.obey(*command)?;
                }
                QueueChoice::Execute(_) | QueueChoice::Idle => return Ok(None),
            }
        }
    }

    /// How many bytes one more step may bring; `None` when none may be begun.
    fn leave(&mut self) -> Option<u64> {
        let room = match self.setup.clock {
            Clock::Real => self.setup.concurrency,
            Clock::Simulated(_) => self.setup.window,
        };
        if self.paused || self.ending.is_some() || *self.setup.stop.borrow() || self.in_flight.len() >= room {
            return None;
        }
        let reserved = self.in_flight.values().map(|flight| flight.reserved).sum();
        let in_flight = self.in_flight.len() as u64;
        match self.setup.budget.ask(&self.spent, in_flight, reserved, self.elapsed(), self.setup.body_limit) {
            Leave::Go { bytes } => Some(bytes),
            Leave::Wait => None,
            Leave::Spent => {
                self.ending = Some(RunState::Budget);
                None
            }
        }
    }

    /// The best job of a lane; `None` when its head turned out not to be ready after all.
    pub(super) fn take(&mut self, lane: QueueId) -> Result<Option<Job>, CrawlError> {
        let now = self.setup.clock.now();
        let Some(host) = self.frontier.best_host(lane) else { return Ok(None) };
        if self.hosts.readiness_or_wait(host, host, now) != Readiness::Ready {
            self.frontier.set_ready(host, false);
            return Ok(None);
        }
        let Some((waiting, next)) = self.best_of(lane, host)? else { return Ok(None) };
        if !self.setup.scope.admits(&waiting.link) {
            self.frontier.remove(lane, host, next);
            self.change(FrontierChange::Drop(vec![waiting.link.id]))?;
            return Ok(None);
        }
        if waiting.link.task == LinkTask::Backlinks {
            self.frontier.remove(lane, host, next);
            return Ok(Some(Job::of(waiting)));
        }
        match self.known_host(host)?.permission(&waiting.link.url, now) {
            Permission::Granted => {
                self.frontier.remove(lane, host, next);
                Ok(Some(Job::of(waiting)))
            }
            Permission::Denied => {
                self.frontier.remove(lane, host, next);
                Ok(Some(Job::Refused(Box::new(waiting))))
            }
            Permission::FetchRobots(request) => self.ask_for_robots(host, request),
            Permission::NotBefore(until) => {
                self.hosts.rest_until(host, until);
                self.refresh(host);
                Ok(None)
            }
        }
    }

    /// Asks for a host's robots.txt. A redirect may have sent us to another host for it; then it is
    /// that one's turn we wait for as well.
    fn ask_for_robots(&mut self, host: HostIx, request: RobotsRequest) -> Result<Option<Job>, CrawlError> {
        let asked = self.meet(&Host::of(&request.url))?;
        if asked != host
            && self.hosts.readiness_or_wait(asked, host, self.setup.clock.now()) != Readiness::Ready
        {
            self.frontier.set_ready(host, false);
            return Ok(None);
        }
        Ok(Some(Job::Robots { host: self.hosts.name(host).clone(), request }))
    }

    /// The best lead of a host in a lane, and the rank of the one after it. A lead whose score is out
    /// of date is placed anew instead, and the choice begins again.
    fn best_of(
        &mut self,
        lane: QueueId,
        host: HostIx,
    ) -> Result<Option<(QueuedLink, Option<QueueRank>)>, CrawlError> {
        let mut best = self.setup.store.of_host(self.run, lane, self.hosts.name(host), None, 2)?.into_iter();
        let (first, next) = (best.next(), best.next().map(|waiting| waiting.rank()));
        match first {
            Some(waiting) if lane.is_reserved() || waiting.generation == self.progress.generation => {
                Ok(Some((waiting, next)))
            }
            Some(outdated) => {
                self.place_anew(outdated, host, next)?;
                Ok(None)
            }
            None => {
                self.frontier.remove(lane, host, None);
                Ok(None)
            }
        }
    }

    /// Begins a step: first on record, then on its way. A submission is on record for good before it
    /// reaches anybody; in simulated time there is nobody, and a kill undoes both.
    pub(super) fn dispatch(&mut self, step: Step) -> Result<(), CrawlError> {
        let sent = vec![SentStep { seq: step.seq, target: target_of(&step.job), at: step.at }];
        let submissions: Vec<Submission> = self.submission(&step).into_iter().collect();
        let submits = !submissions.is_empty() && !self.setup.clock.is_simulated();
        self.setup.store.commit(self.run, &Batch { sent, submissions, ..Batch::default() })?;
        if submits {
            self.keep(RunState::Running)?;
        }
        self.send_off(step)
    }

    /// Takes up a step that was in flight when an earlier session ended. In simulated time it is begun
    /// again as it was; on the wall's clock its request may have been sent, so it counts as one, and the
    /// lead waits for its host's turn like any other.
    pub(super) fn begin_again(
        &mut self,
        dispatch: SentStep,
        waiting: Option<QueuedLink>,
    ) -> Result<(), CrawlError> {
        if !self.setup.clock.is_simulated() {
            return self.call_off(dispatch, waiting);
        }
        let job = match (dispatch.target, waiting) {
            (StepTarget::Robots { host, url, hops }, _) => {
                let ix = self.meet(&host)?;
                Job::Robots { host, request: self.known_host(ix)?.robots_request(url, hops) }
            }
            (StepTarget::Link(_), Some(waiting)) if waiting.link.task == LinkTask::Backlinks => {
                Job::of(waiting)
            }
            (StepTarget::Link(_), Some(waiting)) => {
                let host = self.meet(&waiting.link.host())?;
                match self.known_host(host)?.permission(&waiting.link.url, dispatch.at) {
                    Permission::Denied => Job::Refused(Box::new(waiting)),
                    _ => Job::of(waiting),
                }
            }
            (StepTarget::Link(_), None) => return Ok(()),
        };
        let reserved: u64 = self.in_flight.values().map(|flight| flight.reserved).sum();
        let left =
            self.setup.budget.bytes.map_or(u64::MAX, |most| most.saturating_sub(self.spent.bytes + reserved));
        let body_limit = self.setup.body_limit.min(left);
        self.send_off(Step { seq: dispatch.seq, at: dispatch.at, job, body_limit })
    }

    fn call_off(&mut self, dispatch: SentStep, waiting: Option<QueuedLink>) -> Result<(), CrawlError> {
        let name = match (&dispatch.target, &waiting) {
            (StepTarget::Robots { url, .. }, _) => Host::of(url),
            (StepTarget::Link(_), Some(waiting)) => waiting.link.host(),
            (StepTarget::Link(_), None) => return Ok(()),
        };
        let host = self.meet(&name)?;
        let politeness = self.setup.politeness;
        let known = self.known_host(host)?;
        known.record_interruption(dispatch.at, &politeness);
        let state = HostState { robots: None, ..known.state.clone() };
        let mut outcome = Outcome::of(dispatch.seq, dispatch.target, dispatch.at);
        outcome.hosts = vec![state];
        let submitted =
            waiting.as_ref().is_some_and(|waiting| matches!(waiting.link.task, LinkTask::Probe(_)));
        outcome.submission = submitted.then(|| SubmissionResult::Failure(FailureKind::Interrupted.into()));
        outcome.end = match waiting {
            Some(waiting) => StepEnd::Retry(Box::new(waiting), FailureKind::Interrupted.into()),
            None => StepEnd::Robots,
        };
        self.accept(outcome, &[host])
    }

    fn send_off(&mut self, step: Step) -> Result<(), CrawlError> {
        let hosts = match &step.job {
            Job::Visit(waiting) | Job::Probe(waiting) => vec![self.meet(&waiting.link.host())?],
            Job::Robots { host, request } => {
                once([self.meet(host)?, self.meet(&Host::of(&request.url))?].into_iter())
            }
            Job::Lookup(_) => Vec::new(),
            Job::Refused(_) => {
                self.in_flight
                    .insert(step.seq, Flight { hosts: Vec::new(), reserved: 0, probe: false, later: None });
                let done = Done { step, catch: Catch::Nothing, took: Duration::ZERO };
                self.arrived.insert(done.step.seq, done);
                return Ok(());
            }
        };
        for host in &hosts {
            self.hosts.occupy(*host);
            self.frontier.set_ready(*host, false);
        }
        self.launch(step, hosts);
        Ok(())
    }

    /// The number of a host; what the store knows of it is taken over at the first meeting.
    pub(super) fn meet(&mut self, name: &Host) -> Result<HostIx, CrawlError> {
        if let Some(known) = self.hosts.find(name).filter(|host| self.met.contains(host)) {
            return Ok(known);
        }
        let host = self.hosts.intern(name);
        self.met.insert(host);
        let known = self.known_host(host)?;
        let (ip, next_at) = (known.state.ip, known.state.next_at);
        if let Some(ip) = ip {
            self.hosts.learn_address(host, ip);
        }
        self.hosts.rest_until(host, next_at);
        let site = self.site_book.get(self.setup.store.as_ref(), self.run, &name.site())?;
        self.frontier.set_worth(host, site.bonus);
        self.refresh(host);
        Ok(host)
    }

    /// Tells the frontier what a site is worth.
    pub(super) fn prefer(&mut self, site: &Site, worth: f32) {
        for host in self.hosts.of_site(site) {
            self.frontier.set_worth(host, worth);
        }
    }

    /// Looks again whether a host may be asked, and tells the frontier.
    pub(super) fn refresh(&mut self, host: HostIx) {
        let ready = self.hosts.readiness_or_wait(host, host, self.setup.clock.now()) == Readiness::Ready;
        self.frontier.set_ready(host, ready);
    }

    /// Hosts whose pause is over come back.
    pub(super) fn wake_hosts(&mut self) {
        for host in self.hosts.woken(self.setup.clock.now()) {
            self.refresh(host);
        }
    }
}

/// What a job is on record as.
pub(super) fn target_of(job: &Job) -> StepTarget {
    match job {
        Job::Visit(waiting) | Job::Lookup(waiting) | Job::Probe(waiting) | Job::Refused(waiting) => {
            StepTarget::Link(waiting.link.id)
        }
        Job::Robots { host, request } => {
            StepTarget::Robots { host: host.clone(), url: request.url.clone(), hops: request.hops }
        }
    }
}
