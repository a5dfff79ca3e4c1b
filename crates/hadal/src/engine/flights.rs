//! Steps in flight: tasks that perform them, and the order in which their results are received.

use super::step::{FinishedStep, Step, StepKind, StepTools};
use crate::polite::HostIx;
use futures::FutureExt;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::Instant;

/// Longest time that a result waits for the results of steps that were sent before it. Guess: above the response time
/// of most hosts, below the default delay of a host.
const PATIENCE: Duration = Duration::from_millis(500);

/// Steps in flight.
pub struct Flights {
    in_flight: BTreeMap<u64, Flight>,
    finished: ArrivedResults<FinishedStep>,
    results: (mpsc::UnboundedSender<FinishedStep>, mpsc::UnboundedReceiver<FinishedStep>),
    permits: Arc<Semaphore>,
    tools: StepTools,
    /// Longest time that a result waits for older steps; `None` without a limit.
    patience: Option<Duration>,
}

/// A step in flight.
struct Flight {
    hosts: Vec<HostIx>,
    reserved_bytes: u64,
    is_probe: bool,
    /// A step whose task starts only when all earlier steps are committed.
    deferred: Option<Step>,
}

impl Flights {
    /// No steps. At most `concurrency` of them run at the same time.
    ///
    /// Results are received in the order of sending, so that a crawl depends little on the time that each response
    /// takes. `is_simulated`: always. Otherwise a result waits for older steps no longer than [`PATIENCE`], so that a
    /// slow host does not hold up the others.
    pub fn new(tools: StepTools, concurrency: usize, is_simulated: bool) -> Flights {
        Flights {
            in_flight: BTreeMap::new(),
            finished: ArrivedResults::default(),
            results: mpsc::unbounded_channel(),
            permits: Arc::new(Semaphore::new(concurrency.max(1))),
            tools,
            patience: (!is_simulated).then_some(PATIENCE),
        }
    }

    /// Number of steps in flight.
    pub fn len(&self) -> usize {
        self.in_flight.len()
    }

    /// True when no step is in flight.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Sum of the body limits of all steps in flight.
    pub fn reserved_bytes(&self) -> u64 {
        self.in_flight.values().map(|flight| flight.reserved_bytes).sum()
    }

    /// Number of probe requests in flight.
    pub fn probes(&self) -> u64 {
        self.in_flight.values().filter(|flight| flight.is_probe).count() as u64
    }

    /// Sends a step that keeps `hosts` busy.
    ///
    /// With results in order, a backlink look-up starts only when all earlier steps are committed, because its answer
    /// may come from links that those steps found.
    pub fn send(&mut self, step: Step, hosts: Vec<HostIx>) {
        let (seq, is_probe) = (step.seq, matches!(step.kind, StepKind::Probe(_)));
        let mut flight = Flight { hosts, reserved_bytes: step.body_limit, is_probe, deferred: None };
        match step.kind {
            StepKind::Refused(_) => {
                flight.reserved_bytes = 0;
                self.finished.insert(seq, FinishedStep::not_sent(step), Instant::now());
            }
            StepKind::LookUp(_) if self.patience.is_none() => flight.deferred = Some(step),
            _ => self.start(step),
        }
        self.in_flight.insert(seq, flight);
    }

    fn start(&self, step: Step) {
        let (tools, permits, results) =
            (self.tools.clone(), Arc::clone(&self.permits), self.results.0.clone());
        tokio::spawn(async move {
            let _permit = permits.acquire_owned().await;
            let panicked = FinishedStep::panicked(&step);
            let finished = AssertUnwindSafe(tools.perform(step)).catch_unwind().await.unwrap_or(panicked);
            // Fails when the engine is gone; then the result is not needed.
            let _ = results.send(finished);
        });
    }

    /// Waits for the next result: that of the oldest step, or one that has waited for it long enough. `None` when there
    /// is none within `timeout`. On a simulated clock there is no timeout.
    pub async fn receive(&mut self, timeout: Duration) -> Option<FinishedStep> {
        let Some(patience) = self.patience else { return self.receive_oldest().await };
        let end = Instant::now() + timeout;
        loop {
            self.collect_arrived();
            let oldest = *self.in_flight.first_key_value()?.0;
            if let Some(next) = self.finished.take_due(oldest, patience, Instant::now()) {
                return Some(next);
            }
            let release = self.finished.next_release(patience);
            let until = release.map_or(end, |at| at.min(end));
            match tokio::time::timeout_at(until, self.results.1.recv()).await {
                Ok(finished) => self.keep(finished?),
                Err(_) if release.is_some_and(|at| at <= end) => {}
                Err(_) => return None,
            }
        }
    }

    fn keep(&mut self, finished: FinishedStep) {
        self.finished.insert(finished.step.seq, finished, Instant::now());
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
        while !self.finished.contains(seq) {
            let finished = self.results.1.recv().await?;
            self.keep(finished);
        }
        self.finished.take(seq)
    }

    /// Removes a step that was received. Returns the hosts that it kept busy.
    pub fn remove(&mut self, seq: u64) -> Vec<HostIx> {
        self.in_flight.remove(&seq).map_or_else(Vec::new, |flight| flight.hosts)
    }
}

/// Results that arrived and wait for those of older steps, by the sequence number of their step.
struct ArrivedResults<T>(BTreeMap<u64, (T, Instant)>);

impl<T> Default for ArrivedResults<T> {
    fn default() -> ArrivedResults<T> {
        ArrivedResults(BTreeMap::new())
    }
}

impl<T> ArrivedResults<T> {
    fn insert(&mut self, seq: u64, result: T, now: Instant) {
        self.0.insert(seq, (result, now));
    }

    fn contains(&self, seq: u64) -> bool {
        self.0.contains_key(&seq)
    }

    fn take(&mut self, seq: u64) -> Option<T> {
        self.0.remove(&seq).map(|(result, _)| result)
    }

    /// Result of the oldest step in flight, or else the oldest result that has waited for `patience`.
    fn take_due(&mut self, oldest: u64, patience: Duration, now: Instant) -> Option<T> {
        let is_due =
            |(seq, (_, arrived)): &(&u64, &(T, Instant))| **seq == oldest || *arrived + patience <= now;
        let seq = *self.0.iter().find(is_due)?.0;
        self.take(seq)
    }

    /// Time at which the next result has waited long enough.
    fn next_release(&self, patience: Duration) -> Option<Instant> {
        self.0.values().map(|(_, arrived)| *arrived + patience).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_received_in_the_order_of_sending() {
        let (mut arrived, now) = (ArrivedResults::default(), Instant::now());
        arrived.insert(2, "second", now);
        assert_eq!(arrived.take_due(1, PATIENCE, now), None);
        arrived.insert(1, "first", now);
        assert_eq!(arrived.take_due(1, PATIENCE, now), Some("first"));
        assert_eq!(arrived.take_due(2, PATIENCE, now), Some("second"));
    }

    #[test]
    fn a_slow_step_does_not_hold_up_later_ones_for_long() {
        let (mut arrived, now) = (ArrivedResults::default(), Instant::now());
        arrived.insert(2, "second", now);
        assert_eq!(arrived.next_release(PATIENCE), Some(now + PATIENCE));
        assert_eq!(arrived.take_due(1, PATIENCE, now + PATIENCE), Some("second"));
    }
}
