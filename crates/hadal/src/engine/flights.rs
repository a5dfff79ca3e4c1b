//! Steps in flight: tasks that perform them, and the order in which their results are received.

use super::slots::{SLOW_AFTER, Slots};
use super::step::{FinishedStep, Step, StepKind, StepTools};
use crate::polite::{HeldTurn, HostIx};
use futures::FutureExt;
use hadal_core::time::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Longest time that later results wait for an earlier step, counted from the sending of that step. Guess:
/// above the response time of most hosts, below the default delay of a host.
const MAX_ORDER_WAIT: Duration = Duration::from_millis(500);
/// Maximum number of results that wait for earlier steps. Guess: some megabytes of parsed pages.
const MAX_WAITING: usize = 64;

/// Steps in flight.
pub struct Flights {
    in_flight: BTreeMap<u64, Flight>,
    order: ReceiveOrder<FinishedStep>,
    results: (mpsc::UnboundedSender<FinishedStep>, mpsc::UnboundedReceiver<FinishedStep>),
    slots: Slots,
    reserved_bytes: u64,
    probes: u64,
    tools: StepTools,
    /// Tasks of steps. They end with the engine: a worker that lost its lease sends nothing more.
    tasks: JoinSet<()>,
    is_simulated: bool,
}

/// A step in flight.
struct Flight {
    turns: Vec<HeldTurn>,
    reserved_bytes: u64,
    is_probe: bool,
    /// A step that starts its task only when all earlier steps are committed.
    deferred: Option<Step>,
}

impl Flights {
    /// No steps. Results are received in the order of sending, so that the course of a crawl depends little
    /// on response times. On a simulated clock this order is strict; on the system clock see
    /// [`ReceiveOrder`].
    pub fn new(tools: StepTools, slots: Slots, is_simulated: bool) -> Flights {
        Flights {
            in_flight: BTreeMap::new(),
            order: ReceiveOrder::default(),
            results: mpsc::unbounded_channel(),
            slots,
            reserved_bytes: 0,
            probes: 0,
            tools,
            tasks: JoinSet::new(),
            is_simulated,
        }
    }

    /// True when one more step may be sent on the system clock.
    pub fn has_room(&mut self, now: Time) -> bool {
        self.collect_arrived();
        let waiting = self.order.arrived.len();
        waiting < 2 * MAX_WAITING && self.slots.has_room(now, waiting)
    }

    /// Limits the steps in flight to the share of a worker in a run that has committed this many requests.
    pub fn set_share(&mut self, share: f64, committed: u64) {
        self.slots.set_share(share, committed);
    }

    /// Number of steps in flight.
    pub fn len(&self) -> usize {
        self.in_flight.len()
    }

    /// True when no step is in flight.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Hosts that steps in flight keep busy.
    pub fn hosts(&self) -> impl Iterator<Item = HostIx> + '_ {
        self.in_flight.values().flat_map(|flight| flight.turns.iter().map(|turn| turn.host))
    }

    /// Hosts of requests that count as slow.
    pub fn slow_hosts(&self) -> BTreeSet<HostIx> {
        let now = Instant::now();
        let slow = self.order.sent.iter().filter(|(_, sent)| now - **sent >= SLOW_AFTER);
        let flights = slow.filter_map(|(seq, _)| self.in_flight.get(seq));
        flights.flat_map(|flight| flight.turns.iter().map(|turn| turn.host)).collect()
    }

    /// Sum of the body limits of all steps in flight.
    pub fn reserved_bytes(&self) -> u64 {
        self.reserved_bytes
    }

    /// Number of probe requests in flight.
    pub fn probes(&self) -> u64 {
        self.probes
    }

    /// Sends a step.
    ///
    /// On a simulated clock a backlink look-up starts only when all earlier steps are committed, because its answer may
    /// come from links that those steps found.
    pub fn send(&mut self, step: Step) {
        let (seq, is_probe) = (step.seq, matches!(step.kind, StepKind::Probe(_)));
        let turns = step.turns.clone();
        let mut flight = Flight { turns, reserved_bytes: step.body_limit, is_probe, deferred: None };
        self.slots.start(seq, step.at);
        self.order.send(seq, Instant::now());
        match step.kind {
            StepKind::Refused(_) => {
                flight.reserved_bytes = 0;
                self.keep(FinishedStep::not_sent(step));
            }
            StepKind::LookUp(_) if self.is_simulated => flight.deferred = Some(step),
            _ => self.start(step),
        }
        self.reserved_bytes += flight.reserved_bytes;
        self.probes += u64::from(is_probe);
        self.in_flight.insert(seq, flight);
    }

    fn start(&mut self, step: Step) {
        let (tools, results) = (self.tools.clone(), self.results.0.clone());
        while self.tasks.try_join_next().is_some() {}
        self.tasks.spawn(async move {
            let panicked = FinishedStep::panicked(&step);
            let finished = AssertUnwindSafe(tools.perform(step)).catch_unwind().await.unwrap_or(panicked);
            // Fails when the engine is gone; then the result is not needed.
            let _ = results.send(finished);
        });
    }

    /// Waits for the next result that is due. `None` when there is none within `timeout`, which a simulated
    /// clock ignores.
    pub async fn receive(&mut self, timeout: Duration) -> Option<FinishedStep> {
        if self.is_simulated {
            return self.receive_oldest().await;
        }
        let end = Instant::now() + timeout;
        loop {
            self.collect_arrived();
            if self.is_empty() {
                return None;
            }
            if let Some(next) = self.order.take_due(Instant::now()) {
                return Some(next);
            }
            let release = self.order.next_release();
            let until = release.map_or(end, |at| at.min(end));
            match tokio::time::timeout_at(until, self.results.1.recv()).await {
                Ok(finished) => self.keep(finished?),
                Err(_) if release.is_some_and(|at| at <= end) => {}
                Err(_) => return None,
            }
        }
    }

    fn keep(&mut self, finished: FinishedStep) {
        self.slots.finish(finished.step.seq);
        self.order.arrive(finished.step.seq, finished);
    }

    fn collect_arrived(&mut self) {
        while let Ok(finished) = self.results.1.try_recv() {
            self.keep(finished);
        }
    }

    async fn receive_oldest(&mut self) -> Option<FinishedStep> {
        let mut oldest = self.in_flight.first_entry()?;
        let (seq, deferred) = (*oldest.key(), oldest.get_mut().deferred.take());
        if let Some(step) = deferred {
            self.start(step);
        }
        while !self.order.arrived.contains_key(&seq) {
            let finished = self.results.1.recv().await?;
            self.keep(finished);
        }
        self.order.arrived.remove(&seq)
    }

    /// Removes a step that was received.
    pub fn remove(&mut self, seq: u64) {
        let Some(flight) = self.in_flight.remove(&seq) else { return };
        self.slots.commit();
        self.reserved_bytes -= flight.reserved_bytes;
        self.probes -= u64::from(flight.is_probe);
    }
}

/// Order of results on the system clock: the order of sending, with two exceptions. A result does not wait
/// for a step that was sent more than [`MAX_ORDER_WAIT`] ago, and at most [`MAX_WAITING`] results wait.
struct ReceiveOrder<T> {
    /// Steps without a result, by sequence number, with the time of sending.
    sent: BTreeMap<u64, Instant>,
    /// Results that were not received, by sequence number.
    arrived: BTreeMap<u64, T>,
}

impl<T> Default for ReceiveOrder<T> {
    fn default() -> ReceiveOrder<T> {
        ReceiveOrder { sent: BTreeMap::new(), arrived: BTreeMap::new() }
    }
}

impl<T> ReceiveOrder<T> {
    fn send(&mut self, seq: u64, now: Instant) {
        self.sent.insert(seq, now);
    }

    fn arrive(&mut self, seq: u64, result: T) {
        self.sent.remove(&seq);
        self.arrived.insert(seq, result);
    }

    /// Time at which the first result waits no longer; `None` without results.
    fn next_release(&self) -> Option<Instant> {
        let first = self.arrived.first_key_value()?.0;
        let last_older = self.sent.range(..first).next_back();
        last_older.map(|(_, sent)| *sent + MAX_ORDER_WAIT)
    }

    /// First result, if it need not wait for older steps.
    fn take_due(&mut self, now: Instant) -> Option<T> {
        let must_wait = self.next_release().is_some_and(|at| at > now);
        if must_wait && self.arrived.len() <= MAX_WAITING {
            return None;
        }
        self.arrived.pop_first().map(|(_, result)| result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(steps: u64) -> (ReceiveOrder<u64>, Instant) {
        let (mut order, now) = (ReceiveOrder::default(), Instant::now());
        (1..=steps).for_each(|seq| order.send(seq, now));
        (order, now)
    }

    #[test]
    fn results_are_received_in_the_order_of_sending() {
        let (mut order, now) = sent(2);
        order.arrive(2, 2);
        assert_eq!(order.take_due(now), None);
        order.arrive(1, 1);
        assert_eq!((order.take_due(now), order.take_due(now)), (Some(1), Some(2)));
    }

    #[test]
    fn a_slow_step_does_not_hold_up_later_ones_for_long() {
        let (mut order, now) = sent(1);
        let later = now + MAX_ORDER_WAIT / 2;
        order.send(2, later);
        order.arrive(2, 2);
        assert_eq!(order.next_release(), Some(now + MAX_ORDER_WAIT));
        assert_eq!((order.take_due(later), order.take_due(now + MAX_ORDER_WAIT)), (None, Some(2)));
    }

    #[test]
    fn a_step_without_an_answer_holds_up_no_more_than_a_few_results() {
        let (mut order, now) = sent(MAX_WAITING as u64 + 2);
        (2..=MAX_WAITING as u64 + 2).for_each(|seq| order.arrive(seq, seq));
        assert_eq!((order.take_due(now), order.take_due(now)), (Some(2), None));
    }
}
