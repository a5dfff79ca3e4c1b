//! Worker of a shared run: reports to the store about once per second and carries out its orders.
//!
//! Orders are partitions to take up or to give up, links that others found, observations to learn from, a part of the
//! budget, and the scores of the best links of other workers, to which a strategy may yield. Everything else goes on as
//! in a run with one worker, on the links of its own partitions.

use super::frontier::Frontier;
use super::{Crawl, CrawlError, CrawlMode, Engine};
use crate::polite::LeaseTerm;
use crate::store::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between two reports. Guess: a fifteenth of the default lease.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// Time between two reports while the worker waits for partitions, for a grant, for workers with better links, or for
/// the end of the run. Guess.
const SHORT_INTERVAL: Duration = Duration::from_millis(200);
/// Share of the lease after which a worker without an accepted report stops sending. Guess: leaves a quarter
/// of the lease for requests in flight and for clocks that differ.
const LEASE_SHARE: f64 = 0.75;

/// Longest time without a step because other workers have better links. Guess: ten default delays.
const MAX_YIELD: Duration = Duration::from_secs(10);

/// Lease of this worker in a shared run, partitions that it gives up, and whether it has work.
pub struct WorkerState {
    lease: Duration,
    /// Part of the lease in which the worker may send. It began with the last report that the store accepted.
    pub term: LeaseTerm,
    /// Partitions that are given up when their steps in flight have ended.
    leaving: BTreeSet<Partition>,
    /// True if the worker had nothing to do at the last look.
    is_idle: bool,
    /// True if no worker has anything left to do.
    is_exhausted: bool,
    /// True if the last choice was denied: no slot, sequence number or request was left.
    is_sending_denied: bool,
    /// True if nothing was sent at the last choice because other workers have better links.
    is_yielding: bool,
    /// Time at which the worker began to yield; `None` if it has sent a step since.
    yields_since: Option<Instant>,
    /// Seeds that failed in an earlier session are tried again.
    pub retries_seeds: bool,
}

impl WorkerState {
    /// State of a worker that has just joined.
    pub fn new(lease: Duration, retries_seeds: bool) -> WorkerState {
        WorkerState {
            lease,
            term: LeaseTerm::from_now(lease.mul_f64(LEASE_SHARE)),
            leaving: BTreeSet::new(),
            is_idle: false,
            is_exhausted: false,
            is_sending_denied: false,
            is_yielding: false,
            yields_since: None,
            retries_seeds,
        }
    }

    /// Starts a choice, which may be denied because no slot, sequence number or request is left.
    pub fn start_choice(&mut self, is_allowed: bool) {
        (self.is_sending_denied, self.is_yielding) = (!is_allowed, false);
    }

    /// Records that other workers have better links. False if that has lasted for so long that a step is sent anyway.
    fn yield_to_others(&mut self, now: Instant) -> bool {
        self.is_yielding = now - *self.yields_since.get_or_insert(now) < MAX_YIELD;
        self.is_yielding
    }

    /// Like [`WorkerState::yield_to_others`]. True if the worker has yielded for so long that it now looks only at its own
    /// links, until a step is sent.
    pub fn stops_yielding(&mut self, frontier: &mut Frontier, now: Instant) -> bool {
        !self.yield_to_others(now) && !frontier.waiting.queues.ignore_others(true)
    }

    /// Records that the worker has work. Returns the term in which a step may be handed to the HTTP client.
    pub fn start_step(&mut self) -> LeaseTerm {
        (self.is_idle, self.yields_since) = (false, None);
        self.term
    }

    /// True if no worker has anything left to do. `is_idle`: no link of this worker can be requested.
    pub fn is_over(&mut self, is_idle: bool) -> bool {
        self.is_idle = is_idle && !self.is_sending_denied && !self.is_yielding;
        self.is_idle && self.is_exhausted
    }

    /// True if the next report is due. `is_waiting`: the worker or another one waits for it.
    fn is_report_due(&self, is_waiting: bool) -> bool {
        let reports_soon = is_waiting || self.is_idle || self.is_yielding || !self.leaving.is_empty();
        let interval = if reports_soon { SHORT_INTERVAL } else { REPORT_INTERVAL };
        self.term.elapsed() >= interval
    }

    /// Takes over the answer to a report that released some partitions. A term began with the report.
    fn receive(&mut self, orders: &WorkerOrders, released: &BTreeSet<Partition>, term: LeaseTerm) {
        self.term = term;
        self.leaving.retain(|partition| !released.contains(partition));
        self.is_exhausted = orders.is_exhausted;
        self.is_idle &= orders.gained.is_none() && orders.received.is_empty();
    }

    /// Prepares to give up partitions for other workers, those without steps in flight first.
    fn give_up(&mut self, surplus: usize, busy: &BTreeSet<Partition>, frontier: &mut Frontier) {
        let count = surplus.saturating_sub(self.leaving.len());
        let (used, unused): (Vec<Partition>, Vec<Partition>) =
            frontier.partitions.owned().into_iter().partition(|partition| busy.contains(partition));
        let leaving: BTreeSet<Partition> = unused.into_iter().chain(used).take(count).collect();
        frontier.retire(&leaving);
        self.leaving.extend(leaving);
    }
}

/// Joins the run beside other workers, if store, strategy and clock permit it.
pub fn join(crawl: &mut Crawl) -> Result<Option<JoinedRun>, CrawlError> {
    let store = Arc::clone(&crawl.store);
    let Some(runs) = store.shared_runs() else { return Ok(None) };
    if crawl.mode != CrawlMode::Find || crawl.clock.is_simulated() || !crawl.strategy.share() {
        return Ok(None);
    }
    if crawl.fresh {
        let run = store.begin(&crawl.spec)?;
        store.discard(Activity::Run(run))?;
    }
    Ok(Some(runs.join(&crawl.spec)?))
}

/// Crawl that joins its run again after the lease expired. What the worker did since its last commit is lost.
pub fn rejoin(crawl: Crawl) -> Crawl {
    tracing::warn!("the lease of this worker expired; joining again");
    Crawl { fresh: false, prior: None, ..crawl }
}

/// Saves the state of the strategy. All its observations must have been sent.
pub fn save_strategy(crawl: &Crawl, run: RunId) -> Result<(), CrawlError> {
    let state = crawl.strategy.save();
    match crawl.store.shared_runs().filter(|_| !state.is_empty()) {
        Some(runs) => Ok(runs.save_strategy(run, &state)?),
        None => Ok(()),
    }
}

impl Engine {
    /// True if this is a worker of a shared run and its next report is due.
    pub(super) fn is_report_due(&self) -> bool {
        let is_waiting = self.frontier.partitions.owned().is_empty()
            || self.frontier.waiting.has_wanted_address()
            || self.spending.needs_grant(self.flights.len() as u64);
        self.shared.as_ref().is_some_and(|shared| shared.is_report_due(is_waiting))
    }

    /// Reports to the store and carries out its orders, if the run is shared.
    pub(super) fn coordinate(&mut self) -> Result<(), CrawlError> {
        if self.shared.is_some() {
            // The next owner of a partition continues its arrival numbers.
            self.checkpoint(RunState::Running)?;
        }
        let Some(shared) = &mut self.shared else { return Ok(()) };
        let busy = self.frontier.waiting.partitions_of(self.flights.hosts());
        let is_leaving = self.progress.ending().is_some();
        let can_send = !is_leaving && !self.progress.is_paused();
        let heads = can_send.then(|| self.frontier.waiting.queues.best_heads(&self.flights.slow_hosts()));
        // With the requests that visits took and the crawl has not counted.
        let steps = self.flights.len() as u64;
        let (in_flight, _) = self.spending.reserve_for_visits(steps, self.flights.reserved_bytes());
        let report = WorkerReport {
            heads: heads.unwrap_or_default(),
            is_yielding: shared.is_yielding,
            released: shared.leaving.difference(&busy).copied().collect(),
            is_idle: shared.is_idle && self.flights.is_empty(),
            in_flight,
            max_requests: self.spending.max_requests(),
            needs_seqs: self.spending.numbers.are_low(),
            observations: self.crawl.strategy.take_observations(),
            is_leaving,
            released_addresses: self.frontier.waiting.release_addresses(self.crawl.clock.now()),
        };
        let term = LeaseTerm::from_now(shared.lease.mul_f64(LEASE_SHARE));
        let orders = self.frontier.store.coordinate(&report)?;
        shared.receive(&orders, &report.released, term);
        self.crawl.reserve.set_term(term);
        self.frontier.forget(&report.released);
        self.frontier.waiting.want_addresses(&orders.wanted_addresses);
        self.frontier.waiting.queues.set_elsewhere(&orders.heads);
        self.spending.receive(&orders);
        self.carry_out(orders, &busy)?;
        let share = self.frontier.partitions.owned().len() as f64 / f64::from(PARTITIONS);
        self.flights.set_share(share, self.spending.spent.requests);
        Ok(())
    }

    /// Takes up and gives up partitions, learns observations, and receives links. Partitions in `busy` have steps in
    /// flight. Steps that another worker left in flight count as interrupted.
    fn carry_out(&mut self, orders: WorkerOrders, busy: &BTreeSet<Partition>) -> Result<(), CrawlError> {
        if let Some(gained) = orders.gained {
            let retries_seeds = self.shared.as_ref().is_some_and(|shared| shared.retries_seeds);
            let seeds: &[_] = if retries_seeds { &self.crawl.spec.seeds } else { &[] };
            let now = self.crawl.clock.now();
            for (sent, queued) in self.frontier.take_up(*gained, seeds, now)? {
                if let Some(outcome) = self.frontier.end_interrupted(sent, queued, now)? {
                    self.spending.count(&outcome);
                }
            }
        }
        if let Some(shared) = &mut self.shared {
            shared.give_up(orders.surplus, busy, &mut self.frontier);
        }
        for observations in orders.observations {
            for command in self.crawl.strategy.learn_observations(&observations)? {
                self.apply(command)?;
            }
        }
        if orders.is_strategy_due {
            save_strategy(&self.crawl, self.run)?;
        }
        if !orders.received.is_empty() {
            self.frontier.receive(orders.received, &self.crawl.placement_context())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_yields_for_a_limited_time_and_then_sends_one_step() {
        let mut worker = WorkerState::new(Duration::from_secs(15), false);
        let now = Instant::now();
        assert!(worker.yield_to_others(now) && worker.yield_to_others(now + MAX_YIELD / 2));
        assert!(!worker.is_over(true), "it has links");
        worker.start_choice(false);
        assert!(!worker.yield_to_others(now + MAX_YIELD), "a denied choice is no step");
        worker.start_step();
        assert!(worker.yield_to_others(now + MAX_YIELD));
    }
}
