//! Progress of a run: counters, budget, checkpoints, and control by the user.

use super::budget::{Budget, StepAllowance};
use super::event::CrawlEvent;
use super::setup::Crawl;
use crate::polite::Clock;
use crate::store::*;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Interval of progress events and of reading the control of the run. Guess.
const EVENT_INTERVAL: Duration = Duration::from_millis(500);
/// Least time between two checkpoints, as a multiple of the duration of the last one. So checkpoints take at
/// most a tenth of a session, however large the state of the strategy is.
const CHECKPOINT_SPACING: u32 = 10;
/// Requests between two gauge events: the request count of the first row of `hadal eval find`.
const GAUGE_INTERVAL: u64 = 250;

/// Counters, budget and checkpoints of a run.
pub struct CrawlProgress {
    store: Arc<dyn Store>,
    run: RunId,
    saved: RunProgress,
    /// Counters over all sessions that decisions need: requests, bytes, pages and probes.
    pub spent: RunCounters,
    budget: Budget,
    began: Instant,
    elapsed_before: Duration,
    requests_before: u64,
    state_before: RunState,
    checkpoint_every: Duration,
    last_checkpoint: Instant,
    checkpoint_took: Duration,
    last_event: Instant,
    paused: bool,
    ending: Option<(RunState, Instant)>,
    /// Grant of this worker, if the run is shared.
    grant: Option<Grant>,
}

/// Part of the budget and of the sequence numbers that a worker of a shared run may use.
#[derive(Default)]
struct Grant {
    /// End of the sequence numbers that are in use.
    numbers_end: u64,
    /// Numbers that follow.
    next_seqs: Option<Range<u64>>,
    /// Number of requests of the whole run at which this worker stops sending; `None` means no limit.
    request_limit: Option<u64>,
    is_budget_spent: bool,
}

/// A worker with fewer sequence numbers left asks for more. Guess: more than it sends between two reports.
const MIN_SEQS: u64 = 2_000;
/// A worker with at most this many requests left in its grant asks for more. Guess.
const MIN_REQUESTS: u64 = 8;

impl CrawlProgress {
    /// Progress of a run that continues from stored values.
    pub fn new(crawl: &Crawl, run: RunId, saved: RunProgress, spent: RunCounters) -> CrawlProgress {
        let now = Instant::now();
        CrawlProgress {
            store: Arc::clone(&crawl.store),
            run,
            elapsed_before: Duration::from_millis(saved.elapsed_ms),
            requests_before: spent.requests,
            state_before: saved.state,
            saved,
            spent,
            budget: crawl.budget.clone(),
            began: now,
            checkpoint_every: crawl.checkpoint_every,
            last_checkpoint: now,
            checkpoint_took: Duration::ZERO,
            last_event: now,
            paused: false,
            ending: None,
            grant: None,
        }
    }

    /// Makes this the progress of a worker of a shared run, without a grant at first.
    pub fn share(&mut self) {
        self.grant = Some(Grant { numbers_end: self.saved.next_seq, ..Grant::default() });
    }

    /// Requests that this worker may still send with so many steps in flight.
    pub fn requests_left(&self, in_flight: u64) -> u64 {
        let granted = self.grant.as_ref().and_then(|grant| grant.request_limit);
        let limit = granted.or(self.budget.requests).unwrap_or(u64::MAX);
        limit.saturating_sub(self.spent.requests + in_flight)
    }

    /// Request budget of the run.
    pub fn max_requests(&self) -> Option<u64> {
        self.budget.requests
    }

    /// Takes over counters and grants of a shared run.
    pub fn receive(&mut self, orders: &WorkerOrders) {
        let Some(grant) = &mut self.grant else { return };
        self.spent = orders.counters.clone();
        (grant.request_limit, grant.is_budget_spent) = (orders.request_limit, orders.is_budget_spent);
        grant.next_seqs = orders.numbers.clone().or(grant.next_seqs.take());
    }

    /// Sequence numbers that were granted and not used.
    pub fn unused_numbers(&self) -> Range<u64> {
        let end = self.grant.as_ref().map_or(self.saved.next_seq, |grant| grant.numbers_end);
        self.saved.next_seq..end
    }

    /// True if a worker of a shared run needs sequence numbers.
    pub fn needs_seqs(&self) -> bool {
        let is_low = |grant: &Grant| grant.numbers_end - self.saved.next_seq < MIN_SEQS;
        self.grant.as_ref().is_some_and(|grant| grant.next_seqs.is_none() && is_low(grant))
    }

    /// True if a worker of a shared run has used up its grant, or nearly so.
    pub fn needs_grant(&self, in_flight: u64) -> bool {
        let is_low = |limit: u64| self.spent.requests + in_flight + MIN_REQUESTS >= limit;
        self.grant.as_ref().is_some_and(|grant| grant.request_limit.is_some_and(is_low))
    }

    /// Requests of earlier sessions.
    pub fn requests_before(&self) -> u64 {
        self.requests_before
    }

    /// State of the run before this session.
    pub fn state_before(&self) -> RunState {
        self.state_before
    }

    /// True while the user has paused the run.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Final state of the session, once it is decided.
    pub fn ending(&self) -> Option<RunState> {
        self.ending.map(|(state, _)| state)
    }

    /// Time since the user stopped the session.
    pub fn stopped_for(&self) -> Option<Duration> {
        self.ending.filter(|(state, _)| *state == RunState::Stopped).map(|(_, at)| at.elapsed())
    }

    /// Decides the final state of the session, unless that was done before.
    pub fn end(&mut self, state: RunState) {
        self.ending.get_or_insert((state, Instant::now()));
    }

    /// Sequence number of the next step; the first step of a run has 0.
    pub fn next_seq(&self) -> u64 {
        self.saved.next_seq
    }

    /// Uses up one sequence number.
    pub fn take_seq(&mut self) -> u64 {
        if let Some(grant) = &mut self.grant
            && self.saved.next_seq >= grant.numbers_end
            && let Some(more) = grant.next_seqs.take()
        {
            (self.saved.next_seq, grant.numbers_end) = (more.start, more.end);
        }
        self.saved.next_seq += 1;
        self.saved.next_seq - 1
    }

    /// Running time over all sessions, on the clock of the run.
    fn elapsed(&self, clock: &Clock) -> Duration {
        match clock {
            Clock::Real => self.began.elapsed() + self.elapsed_before,
            Clock::Simulated(now) => Duration::from_millis(now.0),
        }
    }

    /// Body limit of one more step; `None` when no step may be sent. Ends the session when the budget is spent.
    pub fn allow_step(
        &mut self,
        in_flight: u64,
        reserved_bytes: u64,
        clock: &Clock,
        body_limit: u64,
    ) -> Option<u64> {
        if self.paused || self.ending.is_some() {
            return None;
        }
        let elapsed = self.elapsed(clock);
        if self.is_grant_used(in_flight) {
            return None;
        }
        let shared = self.grant.as_ref().map(|_| Budget { requests: None, ..self.budget.clone() });
        match shared.as_ref().unwrap_or(&self.budget).allow_step(
            &self.spent,
            in_flight,
            reserved_bytes,
            elapsed,
            body_limit,
        ) {
            StepAllowance::Send { body_limit } => Some(body_limit),
            StepAllowance::Wait => None,
            StepAllowance::Spent => {
                self.end(RunState::Budget);
                None
            }
        }
    }

    /// True if a worker of a shared run has no number or request left. Ends the session if no other worker
    /// has one either.
    fn is_grant_used(&mut self, in_flight: u64) -> bool {
        let Some(grant) = &self.grant else { return false };
        let has_numbers = self.saved.next_seq < grant.numbers_end || grant.next_seqs.is_some();
        let is_used = grant.request_limit.is_some_and(|limit| self.spent.requests + in_flight >= limit);
        if is_used && grant.is_budget_spent {
            self.end(RunState::Budget);
        }
        is_used || !has_numbers
    }

    /// Body limit of a step that is sent again after a restart: what is left of the byte budget.
    pub fn body_limit_left(&self, reserved_bytes: u64, body_limit: u64) -> u64 {
        let left = self.budget.bytes.map(|max| max.saturating_sub(self.spent.bytes + reserved_bytes));
        body_limit.min(left.unwrap_or(u64::MAX))
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

    /// True when the next checkpoint is due.
    pub fn is_checkpoint_due(&self) -> bool {
        let spacing = self.checkpoint_took.saturating_mul(CHECKPOINT_SPACING);
        self.last_checkpoint.elapsed() >= self.checkpoint_every.max(spacing)
    }

    /// Makes everything committed so far durable, with the position of the frontier and the state of the strategy.
    pub fn checkpoint(
        &mut self,
        state: RunState,
        clock: &Clock,
        (next_arrival, generation): (u64, u32),
        strategy: Vec<u8>,
    ) -> Result<(), StoreError> {
        let began = Instant::now();
        let is_paused = self.paused && state == RunState::Running;
        self.saved.state = if is_paused { RunState::Paused } else { state };
        self.saved.now = clock.now();
        self.saved.max_requests = self.budget.requests;
        self.saved.elapsed_ms = u64::try_from(self.elapsed(clock).as_millis()).unwrap_or(u64::MAX);
        (self.saved.next_arrival, self.saved.generation) = (next_arrival, generation);
        let strategy = (!strategy.is_empty()).then_some(strategy);
        let progress = Some(RunProgress { strategy, ..self.saved.clone() });
        self.store.commit(self.run, &Batch { progress, ..Batch::default() })?;
        self.store.sync()?;
        self.last_checkpoint = Instant::now();
        self.checkpoint_took = began.elapsed();
        Ok(())
    }

    /// Reads the control of the run and returns a progress event, when that is due.
    pub fn poll_control(&mut self) -> Result<Option<CrawlEvent>, StoreError> {
        if self.last_event.elapsed() < EVENT_INTERVAL {
            return Ok(None);
        }
        self.last_event = Instant::now();
        self.apply_control(&self.store.control(Activity::Run(self.run))?);
        Ok(Some(CrawlEvent::Progress(self.counters()?)))
    }

    fn apply_control(&mut self, control: &Control) {
        self.paused = control.pause;
        if control.max_requests.is_some() {
            self.budget.requests = control.max_requests;
        }
        if control.stop {
            self.end(RunState::Stopped);
        }
    }

    /// Removes a stop request that was carried out.
    pub fn clear_control(&self) -> Result<(), StoreError> {
        self.store.set_control(Activity::Run(self.run), &Control::default())
    }

    /// All counters of the run, from the store.
    pub fn counters(&self) -> Result<RunCounters, StoreError> {
        let row = self.store.runs(&RunQuery::one(self.run))?.pop();
        Ok(row.map(|row| row.counters).unwrap_or_default())
    }
}
