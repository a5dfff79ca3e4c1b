//! Steps in flight: tasks that perform them, and the order in which their results are received.

use super::step::{FinishedStep, Step, StepKind, StepTools};
use crate::polite::HostIx;
use futures::FutureExt;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};

/// Steps in flight.
pub struct Flights {
    in_flight: BTreeMap<u64, Flight>,
    finished: BTreeMap<u64, FinishedStep>,
    results: (mpsc::UnboundedSender<FinishedStep>, mpsc::UnboundedReceiver<FinishedStep>),
    permits: Arc<Semaphore>,
    tools: StepTools,
    /// Results are received in the order of sending.
    in_order: bool,
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
    /// No steps. At most `concurrency` of them run at the same time. `in_order`: results are received in the order of
    /// sending, whichever comes first, as a simulated clock needs it.
    pub fn new(tools: StepTools, concurrency: usize, in_order: bool) -> Flights {
        Flights {
            in_flight: BTreeMap::new(),
            finished: BTreeMap::new(),
            results: mpsc::unbounded_channel(),
            permits: Arc::new(Semaphore::new(concurrency.max(1))),
            tools,
            in_order,
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
                self.finished.insert(seq, FinishedStep::not_sent(step));
            }
            StepKind::LookUp(_) if self.in_order => flight.deferred = Some(step),
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
            // Fails when the engine is gone; then nobody needs the result.
            let _ = results.send(finished);
        });
    }

    /// Waits for the next result: the oldest step in flight when results are received in order, else the first that
    /// finishes within `timeout`. `None` when there is none.
    pub async fn receive(&mut self, timeout: Duration) -> Option<FinishedStep> {
        if self.in_order {
            return self.receive_oldest().await;
        }
        if let Some((_, finished)) = self.finished.pop_first() {
            return Some(finished);
        }
        tokio::time::timeout(timeout, self.results.1.recv()).await.ok().flatten()
    }

    async fn receive_oldest(&mut self) -> Option<FinishedStep> {
        let mut oldest = self.in_flight.first_entry()?;
        let (seq, deferred) = (*oldest.key(), oldest.get_mut().deferred.take());
        if let Some(step) = deferred {
            self.start(step);
        }
        while !self.finished.contains_key(&seq) {
            let finished = self.results.1.recv().await?;
            self.finished.insert(finished.step.seq, finished);
        }
        self.finished.remove(&seq)
    }

    /// Removes a step that was received. Returns the hosts that it kept busy.
    pub fn remove(&mut self, seq: u64) -> Vec<HostIx> {
        self.in_flight.remove(&seq).map_or_else(Vec::new, |flight| flight.hosts)
    }
}
