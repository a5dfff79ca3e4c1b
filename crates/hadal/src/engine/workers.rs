//! Part of this process in a run that several workers share.
//!
//! About once per second a worker reports to the store and receives orders: partitions to take up or to give up, links
//! that others found, observations to learn from, a part of the budget. Everything else goes on as in a run with one
//! worker, on the links of its own partitions.

use super::addresses::AddressClaims;
use super::flights::Flights;
use super::frontier::{Frontier, HostQueues};
use super::{Crawl, CrawlError, CrawlMode, Engine};
use crate::polite::HostIx;
use crate::store::*;
use hadal_core::link::{FrontierLink, LinkTask};
use hadal_core::time::Time;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Time between two reports. Guess: a fifteenth of the default lease.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// Time between two reports while the worker waits for partitions, for a grant, or for the end of the run.
/// Guess.
const SHORT_INTERVAL: Duration = Duration::from_millis(200);
/// Share of the lease after which a worker without an accepted report stops sending. Guess: leaves a quarter
/// of the lease for requests in flight and for clocks that differ.
const LEASE_SHARE: f64 = 0.75;

/// Part of this worker in a shared run.
pub struct WorkerState {
    lease: Duration,
    /// Beginning of the last report that the store accepted, on two clocks: one goes back when it is set, the other one
    /// stops while the machine is suspended.
    reported: Instant,
    reported_at: SystemTime,
    /// Partitions that are given up when their steps in flight have ended.
    leaving: BTreeSet<Partition>,
    /// Addresses to which the worker may send requests.
    pub addresses: AddressClaims,
    /// True if the worker had nothing to do at the last look.
    pub is_idle: bool,
    /// True if no worker has anything left to do.
    pub is_exhausted: bool,
    /// Seeds that failed in an earlier session are tried again.
    pub retries_seeds: bool,
}

impl WorkerState {
    pub fn new(lease: Duration) -> WorkerState {
        WorkerState {
            lease,
            reported: Instant::now(),
            reported_at: SystemTime::now(),
            leaving: BTreeSet::new(),
            addresses: AddressClaims::new(Instant::now()),
            is_idle: false,
            is_exhausted: false,
            retries_seeds: false,
        }
    }

    /// True while no other worker can have taken over. A process that was suspended notices here that its
    /// lease may have expired.
    pub fn is_leased(&self) -> bool {
        let safe = self.lease.mul_f64(LEASE_SHARE);
        self.reported.elapsed() < safe && self.reported_at.elapsed().is_ok_and(|elapsed| elapsed < safe)
    }

    /// Time after which a step that is sent now may not leave any more.
    pub fn send_before(&self) -> Instant {
        self.reported + self.lease.mul_f64(LEASE_SHARE)
    }
}

impl WorkerState {
    /// True if a request may be sent to a host by its addresses. Otherwise the host waits for them.
    pub fn permits(&mut self, host: HostIx, waiting: &mut HostQueues) -> bool {
        let addresses = waiting.hosts.scheduler.addresses(host);
        let is_permitted = self.addresses.permits(host, &addresses, Instant::now());
        if !is_permitted {
            waiting.await_address(host);
        }
        is_permitted
    }

    /// Records a request to some hosts.
    pub fn use_addresses(&mut self, hosts: &[HostIx], waiting: &HostQueues) {
        let scheduler = &waiting.hosts.scheduler;
        hosts.iter().for_each(|host| self.addresses.use_all(&scheduler.addresses(*host)));
    }

    /// Claims addresses that hosts wait for.
    pub fn claim_addresses(
        &mut self,
        runs: &dyn SharedRuns,
        run: RunId,
        waiting: &mut HostQueues,
        now: Time,
    ) -> Result<(), CrawlError> {
        let due = self.addresses.due(Instant::now());
        if due.is_empty() {
            return Ok(());
        }
        let granted = runs.claim_addresses(run, &due)?;
        granted.iter().for_each(|grant| waiting.hosts.rest_address(grant, now));
        for host in self.addresses.receive(&due, &granted, Instant::now()) {
            waiting.resolved(host, None, now);
        }
        Ok(())
    }

    /// Gives up addresses that other workers want, each with the rest of its pause.
    fn release_addresses(
        &mut self,
        waiting: &HostQueues,
        flights: &Flights,
        now: Time,
    ) -> Vec<(IpAddr, Duration)> {
        let scheduler = &waiting.hosts.scheduler;
        let busy = flights.hosts().flat_map(|host| scheduler.addresses(host)).collect();
        let released = self.addresses.release(&busy, Instant::now());
        released.into_iter().map(|address| (address, now.until(scheduler.address_next_at(address)))).collect()
    }

    /// True if the next report is due. `is_waiting`: the worker needs partitions or a grant.
    fn is_report_due(&self, is_waiting: bool) -> bool {
        let reports_soon =
            is_waiting || self.is_idle || !self.leaving.is_empty() || self.addresses.is_wanted();
        let interval = if reports_soon { SHORT_INTERVAL } else { REPORT_INTERVAL };
        self.reported.elapsed() >= interval
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
fn save_strategy(crawl: &Crawl, run: RunId) -> Result<(), CrawlError> {
    let state = crawl.strategy.save();
    match crawl.store.shared_runs().filter(|_| !state.is_empty()) {
        Some(runs) => Ok(runs.save_strategy(run, &state)?),
        None => Ok(()),
    }
}

impl Engine {
    pub(super) fn coordinate_if_due(&mut self) -> Result<(), CrawlError> {
        let is_waiting = self.frontier.partitions.owned().is_empty()
            || self.progress.needs_grant(self.flights.len() as u64);
        let is_due = self.shared.as_ref().is_some_and(|shared| shared.is_report_due(is_waiting));
        if is_due { self.coordinate() } else { Ok(()) }
    }

    /// Reports to the store and carries out its orders.
    pub(super) fn coordinate(&mut self) -> Result<(), CrawlError> {
        if self.shared.is_some() {
            // The next owner of a partition continues its arrival numbers.
            self.checkpoint(RunState::Running)?;
        }
        let store = Arc::clone(&self.crawl.store);
        let (Some(runs), Some(shared)) = (store.shared_runs(), &mut self.shared) else { return Ok(()) };
        let busy: BTreeSet<Partition> = self
            .flights
            .hosts()
            .map(|host| Partition::of(self.frontier.waiting.hosts.scheduler.name(host)))
            .collect();
        let released: BTreeSet<Partition> = shared.leaving.difference(&busy).copied().collect();
        let report = WorkerReport {
            released: released.clone(),
            is_idle: shared.is_idle && self.flights.is_empty(),
            in_flight: self.flights.len() as u64,
            max_requests: self.progress.max_requests(),
            needs_seqs: self.progress.needs_seqs(),
            observations: self.crawl.strategy.take_observations(),
            is_leaving: self.progress.ending().is_some(),
            released_addresses: shared.release_addresses(
                &self.frontier.waiting,
                &self.flights,
                self.crawl.clock.now(),
            ),
        };
        let (began, began_at) = (Instant::now(), SystemTime::now());
        let orders = runs.coordinate(self.run, &report)?;
        (shared.reported, shared.reported_at) = (began, began_at);
        shared.leaving.retain(|partition| !released.contains(partition));
        shared.is_exhausted = orders.is_exhausted;
        shared.addresses.want(&orders.wanted_addresses);
        for host in self.frontier.waiting.in_partitions(&released) {
            self.frontier.waiting.hosts.forget(host);
        }
        self.progress.receive(&orders);
        self.carry_out(orders, &busy)
    }

    fn carry_out(&mut self, mut orders: WorkerOrders, busy: &BTreeSet<Partition>) -> Result<(), CrawlError> {
        let is_strategy_due = orders.is_strategy_due;
        if let Some(gained) = orders.gained.take() {
            self.take_up(*gained)?;
        }
        if let Some(shared) = &mut self.shared {
            shared.give_up(orders.surplus, busy, &mut self.frontier);
        }
        for observations in orders.observations {
            for command in self.crawl.strategy.learn_observations(&observations)? {
                self.apply(command)?;
            }
        }
        if is_strategy_due {
            save_strategy(&self.crawl, self.run)?;
        }
        self.receive_links(orders.received)
    }

    /// Loads partitions. Steps that another worker left in flight count as interrupted.
    fn take_up(&mut self, gained: GainedPartitions) -> Result<(), CrawlError> {
        let GainedPartitions { partitions, abandoned, mut checkpoint, next_arrival } = gained;
        let now = self.crawl.clock.now();
        self.frontier.gain(&partitions, next_arrival);
        self.frontier.waiting.hosts.take_over(abandoned, now);
        if self.shared.as_ref().is_some_and(|shared| shared.retries_seeds) {
            let seeds = self.frontier.partitions.own_seeds(&self.crawl.spec.seeds);
            self.frontier.waiting.hosts.try_all_at_once(&seeds, &mut checkpoint.requested)?;
        }
        self.frontier.waiting.load(&checkpoint, now);
        if let Some(shared) = &mut self.shared {
            shared.is_idle = false;
        }
        for (sent, queued) in checkpoint.in_flight {
            self.resend(sent, queued)?;
        }
        Ok(())
    }

    /// Admits links that other workers found.
    fn receive_links(&mut self, received: Vec<(u64, ForwardedLink)>) -> Result<(), CrawlError> {
        if received.is_empty() {
            return Ok(());
        }
        let (numbers, links): (Vec<u64>, Vec<ForwardedLink>) = received.into_iter().unzip();
        let (placed, found): (Vec<_>, Vec<_>) = links.into_iter().partition(|link| link.place.is_some());
        self.enqueue(found.into_iter().map(|forwarded| forwarded.link).collect::<Vec<FrontierLink>>())?;
        let is_probe = |forwarded: &ForwardedLink| matches!(forwarded.link.task, LinkTask::Probe(_));
        let probes: Vec<ForwardedLink> = placed.into_iter().filter(is_probe).collect();
        if !probes.is_empty() {
            self.frontier.add_placed(probes, self.crawl.clock.now())?;
        }
        if let Some(shared) = &mut self.shared {
            shared.is_idle = false;
        }
        Ok(self.frontier.store.apply(FrontierChange::Receive(numbers))?)
    }

    /// Leaves a shared run. True if this was its last worker, or if the run is not shared.
    pub(super) fn leave(&mut self, state: RunState) -> Result<bool, CrawlError> {
        let store = Arc::clone(&self.crawl.store);
        let (Some(runs), Some(_)) = (store.shared_runs(), &self.shared) else { return Ok(true) };
        self.coordinate()?;
        save_strategy(&self.crawl, self.run)?;
        Ok(runs.leave(self.run, state, self.progress.unused_numbers())?)
    }
}
