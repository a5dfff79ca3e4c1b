//! Spending of a run: counters of its requests and bytes, its budget, and the part of both that this worker may use.

use super::budget::{Budget, StepAllowance};
use super::setup::Crawl;
use crate::polite::{Clock, RequestReserve};
use crate::store::{LessonRow, Outcome, RunCounters, RunProgress, WorkerOrders};
use hadal_core::strategy::Lesson;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Requests between two gauge events: the request count of the first row of `hadal eval find`.
const GAUGE_INTERVAL: u64 = 250;
/// A worker with fewer sequence numbers left asks for more. Guess: more than it sends between two reports.
const MIN_SEQS: u64 = 2_000;
/// A worker with at most this many requests left in its grant asks for more. Guess.
const MIN_REQUESTS: u64 = 8;

/// Counts what a run has spent and decides whether one more step may be sent.
pub struct Spending {
    /// Counters over all sessions that decisions need: requests, bytes, pages and probes.
    pub spent: RunCounters,
    /// Sequence numbers of steps.
    pub numbers: SeqNumbers,
    budget: Budget,
    /// Requests of the budget that the scripts of rendered pages may use.
    reserve: Arc<RequestReserve>,
    body_limit: u64,
    began: Instant,
    elapsed_before: Duration,
    /// Time in pause of this session, without the present pause.
    paused: Duration,
    paused_since: Option<Instant>,
    /// Grant of this worker, if the run is shared.
    grant: Option<Grant>,
}

/// Part of the request budget that a worker of a shared run may use.
#[derive(Default)]
struct Grant {
    /// Number of requests of the whole run at which this worker stops sending; `None` means no limit.
    request_limit: Option<u64>,
    is_budget_spent: bool,
}

impl Spending {
    /// Spending of a run that continues from stored values.
    pub fn new(crawl: &Crawl, saved: &RunProgress, spent: RunCounters) -> Spending {
        Spending {
            spent,
            numbers: SeqNumbers { next: saved.next_seq, end: None, following: None },
            budget: crawl.budget.clone(),
            reserve: Arc::clone(&crawl.reserve),
            body_limit: crawl.body_limit,
            began: Instant::now(),
            elapsed_before: Duration::from_millis(saved.elapsed_ms),
            paused: Duration::ZERO,
            paused_since: None,
            grant: None,
        }
    }

    /// Makes this the spending of a worker of a shared run, without a grant at first.
    pub fn share(&mut self) {
        self.grant = Some(Grant::default());
        self.numbers.end = Some(self.numbers.next);
    }

    /// Takes over counters and grants of a shared run.
    pub fn receive(&mut self, orders: &WorkerOrders) {
        let Some(grant) = &mut self.grant else { return };
        self.spent = orders.counters.clone();
        (grant.request_limit, grant.is_budget_spent) = (orders.request_limit, orders.is_budget_spent);
        self.numbers.following = orders.numbers.clone().or(self.numbers.following.take());
    }

    /// True if a worker of a shared run has used up its grant, or nearly so.
    pub fn needs_grant(&self, in_flight: u64) -> bool {
        let is_low = |limit: u64| self.spent.requests + in_flight + MIN_REQUESTS >= limit;
        self.grant.as_ref().is_some_and(|grant| grant.request_limit.is_some_and(is_low))
    }

    /// Request budget of the run.
    pub fn max_requests(&self) -> Option<u64> {
        self.budget.requests
    }

    /// Changes the request budget of the run.
    pub fn set_max_requests(&mut self, requests: u64) {
        self.budget.requests = Some(requests);
    }

    /// Sets the requests and bytes that visits may take: the budget without `steps` steps in flight, whose bodies have
    /// at most `bytes` bytes together. Returns the requests and bytes in flight: those of the steps, and those that
    /// visits took and the crawl has not counted.
    pub fn reserve_for_visits(&self, steps: u64, bytes: u64) -> (u64, u64) {
        let granted = self.grant.as_ref().and_then(|grant| grant.request_limit);
        let requests = granted.or(self.budget.requests).unwrap_or(u64::MAX);
        let free_requests = requests.saturating_sub(self.spent.requests + steps);
        let free_bytes = self.budget.bytes.unwrap_or(u64::MAX).saturating_sub(self.spent.bytes + bytes);
        let of_visits = self.reserve.leave((free_requests, free_bytes), self.body_limit);
        if steps == 0 { (0, 0) } else { (steps + of_visits.0, bytes.saturating_add(of_visits.1)) }
    }

    /// Decides on one more step. The requests in flight have reserved `reserved_bytes` together.
    pub fn allow_step(&self, in_flight: u64, reserved_bytes: u64, clock: &Clock) -> StepAllowance {
        let Some(grant) = &self.grant else {
            return self.allow_by(&self.budget, in_flight, reserved_bytes, clock);
        };
        let is_used = grant.request_limit.is_some_and(|limit| self.spent.requests + in_flight >= limit);
        match is_used || self.numbers.are_used() {
            true if is_used && grant.is_budget_spent => StepAllowance::Spent,
            true => StepAllowance::Wait,
            // The grant replaces the limit on requests.
            false => {
                let budget = Budget { requests: None, ..self.budget.clone() };
                self.allow_by(&budget, in_flight, reserved_bytes, clock)
            }
        }
    }

    fn allow_by(&self, budget: &Budget, in_flight: u64, reserved_bytes: u64, clock: &Clock) -> StepAllowance {
        budget.allow_step(&self.spent, in_flight, reserved_bytes, self.elapsed(clock), self.body_limit)
    }

    /// Body limit of a step that is sent again after a restart: what is left of the byte budget.
    pub fn body_limit_left(&self, reserved_bytes: u64) -> u64 {
        let left = self.budget.bytes.map(|max| max.saturating_sub(self.spent.bytes + reserved_bytes));
        self.body_limit.min(left.unwrap_or(u64::MAX))
    }

    /// Begins or ends a pause. The running time stands still meanwhile.
    pub fn set_paused(&mut self, is_paused: bool, now: Instant) {
        match (is_paused, self.paused_since) {
            (true, None) => self.paused_since = Some(now),
            (false, Some(since)) => {
                self.paused += now - since;
                self.paused_since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Running time over all sessions without pauses, on the clock of the run.
    pub fn elapsed(&self, clock: &Clock) -> Duration {
        match clock {
            Clock::Real => {
                let until = self.paused_since.unwrap_or_else(Instant::now);
                until.duration_since(self.began).saturating_sub(self.paused) + self.elapsed_before
            }
            Clock::Simulated(now) => Duration::from_millis(now.0),
        }
    }

    /// Counts an outcome. Returns true when a gauge event is due.
    pub fn count(&mut self, outcome: &Outcome) -> bool {
        let before = self.spent.requests;
        self.spent.requests += u64::from(outcome.requests);
        self.spent.bytes += outcome.bytes;
        self.spent.pages += u64::from(outcome.page.is_some());
        self.spent.probes += u64::from(outcome.submission.is_some());
        self.spent.requests / GAUGE_INTERVAL > before / GAUGE_INTERVAL
    }

    /// Row of a lesson that the strategy learned now.
    pub fn lesson_row(&self, lesson: Lesson) -> LessonRow {
        LessonRow { at_request: self.spent.requests, at_page: self.spent.pages, lesson }
    }
}

/// Sequence numbers that this worker may give to steps.
pub struct SeqNumbers {
    next: u64,
    /// End of the numbers in use; `None` if the run is not shared.
    end: Option<u64>,
    /// Granted numbers that follow.
    following: Option<Range<u64>>,
}

impl SeqNumbers {
    /// Number of the next step; the first step of a run has 0.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Uses up one number.
    pub fn take(&mut self) -> u64 {
        if self.end.is_some_and(|end| self.next >= end)
            && let Some(more) = self.following.take()
        {
            (self.next, self.end) = (more.start, Some(more.end));
        }
        self.next += 1;
        self.next - 1
    }

    /// Numbers that were granted and not used.
    pub fn unused(&self) -> Range<u64> {
        self.next..self.end.unwrap_or(self.next)
    }

    /// True if a worker of a shared run needs further numbers.
    pub fn are_low(&self) -> bool {
        self.following.is_none() && self.end.is_some_and(|end| end - self.next < MIN_SEQS)
    }

    fn are_used(&self) -> bool {
        self.following.is_none() && self.end.is_some_and(|end| self.next >= end)
    }
}
