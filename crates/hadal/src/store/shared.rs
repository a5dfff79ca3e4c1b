//! Storage for runs with several workers.
//!
//! A run is divided into [`Partition`]s by politeness group. Each partition has at most one owner among the
//! workers of the run, and only its owner changes its rows. A worker owns its partitions while its lease
//! lasts, and every report and commit renews the lease. When the lease expires, the other workers take over
//! all its partitions, and it can write nothing until it joins again.

use super::{RunCheckpoint, RunCounters, RunId, RunSpec, RunState, Store, StoreError};
use hadal_core::address::{Host, Site};
use hadal_core::link::{FrontierLink, QueueId};
use hadal_core::strategy::QueueHead;
use serde::Serialize;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::ops::Range;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// Number of partitions of a run. Stored rows hold partition numbers, so another value would assign the hosts
/// of existing shared runs to other partitions. Guess: several per worker up to about 64 workers.
pub const PARTITIONS: u16 = 256;

/// Part of a run: the hosts of some politeness groups, with their links, sites and forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition(pub u16);

impl Partition {
    /// All partitions of a run.
    pub fn all() -> impl Iterator<Item = Partition> {
        (0..PARTITIONS).map(Partition)
    }

    /// Partition of a host.
    pub fn of(host: &Host) -> Partition {
        Partition((xxh3_64(host.politeness_group().as_bytes()) % u64::from(PARTITIONS)) as u16)
    }

    /// Partition of the hosts of a site.
    pub fn of_site(site: &Site) -> Partition {
        Partition::of(&Host(format!("http://{}", site.0)))
    }
}

/// Storage for runs with several workers.
///
/// Every call makes all earlier changes of the handle durable first. [`StoreError::LeaseLost`] means that the
/// worker did not report or commit during its lease. Its changes since the last sync are undone. Its
/// partitions have other owners.
pub trait SharedRuns {
    /// Joins the run with this specification, which is created if there is none. Joins as an additional
    /// worker if others are at work.
    fn join(&self, spec: &RunSpec) -> Result<JoinedRun, StoreError>;

    /// Reports the state of this worker, renews its lease, and returns the changes that concern it.
    fn coordinate(&self, run: RunId, report: &WorkerReport) -> Result<WorkerOrders, StoreError>;

    /// Claims addresses before the first request to them. Returns those that this worker has from now on; the others
    /// are given up by their workers soon. Does not wait for earlier changes.
    fn claim_addresses(&self, run: RunId, addresses: &[IpAddr]) -> Result<Vec<AddressGrant>, StoreError>;

    /// Saves the state of the strategy. It includes all observations that this worker has sent and received.
    fn save_strategy(&self, run: RunId, state: &[u8]) -> Result<(), StoreError>;

    /// Leaves a run and returns its partitions, the rest of its grant and its unused sequence numbers.
    /// `state` becomes the state of the run, and the result is true, if this was its last worker.
    fn leave(&self, run: RunId, state: RunState, unused: Range<u64>) -> Result<bool, StoreError>;

    /// Returns the workers of all shared runs. Allowed for readers.
    fn workers(&self) -> Result<Vec<WorkerRow>, StoreError>;
}

/// Workers of shared runs. Empty in a store without shared runs.
pub fn all_workers(store: &dyn Store) -> Result<Vec<WorkerRow>, StoreError> {
    store.shared_runs().map_or(Ok(Vec::new()), |runs| runs.workers())
}

/// A run that a worker has joined. The worker owns no partition yet.
#[derive(Clone, Debug)]
pub struct JoinedRun {
    pub run: RunId,
    /// State of the run before.
    pub state: RunState,
    /// True if no other worker is at work on the run.
    pub is_first: bool,
    /// State of the strategy.
    pub strategy: Option<Vec<u8>>,
    /// Time without a report after which the worker loses its partitions.
    pub lease: Duration,
}

/// State of a worker.
#[derive(Clone, Debug, Default)]
pub struct WorkerReport {
    /// Partitions that the worker gives up. None of its steps in flight belongs to them.
    pub released: BTreeSet<Partition>,
    /// True if the worker has nothing to send and waits for no host.
    pub is_idle: bool,
    /// True if the worker sends nothing because other workers have better links. It needs no grant.
    pub is_yielding: bool,
    /// Best link of each queue that the worker may visit now or soon.
    pub heads: Vec<QueueHead>,
    /// Requests in flight or not counted yet: steps, and further requests of their visits.
    pub in_flight: u64,
    /// Request budget of the run.
    pub max_requests: Option<u64>,
    /// True if the worker needs more sequence numbers.
    pub needs_seqs: bool,
    /// Visits that its strategy learned from since the last report.
    pub observations: Vec<u8>,
    /// True if the worker is about to leave and accepts no further partitions or links.
    pub is_leaving: bool,
    /// Addresses that the worker gives up, each with the rest of the pause after its last request.
    pub released_addresses: Vec<(IpAddr, Duration)>,
}

/// An address to which a worker of a shared run may send requests.
#[derive(Clone, Debug, PartialEq)]
pub struct AddressGrant {
    pub address: IpAddr,
    /// Rest of the pause after the last request of another worker.
    pub pause: Duration,
    /// True if the last worker left or was lost. It may have sent a request just before.
    pub is_abandoned: bool,
}

/// Changes that concern a worker.
#[derive(Clone, Debug, Default)]
pub struct WorkerOrders {
    /// Queues, hosts and steps in flight of partitions that the worker owns from now on.
    pub gained: Option<Box<GainedPartitions>>,
    /// Number of partitions that the worker should give up, for others.
    pub surplus: usize,
    /// Links that other workers found for its partitions, with their row numbers in the inbox.
    pub received: Vec<(u64, ForwardedLink)>,
    /// Observations of other workers.
    pub observations: Vec<Vec<u8>>,
    /// Best link of each queue that other workers may visit now or soon.
    pub heads: Vec<QueueHead>,
    /// Counters of the whole run.
    pub counters: RunCounters,
    /// Number of requests of the whole run, by its counters, at which this worker stops sending. `None`: no
    /// limit.
    pub request_limit: Option<u64>,
    /// True if the budget is spent and no worker has a part of it left.
    pub is_budget_spent: bool,
    /// Further sequence numbers, if the worker needs any.
    pub numbers: Option<Range<u64>>,
    /// True if no worker has anything left to do.
    pub is_exhausted: bool,
    /// True if the state of the strategy was not saved for some time.
    pub is_strategy_due: bool,
    /// Addresses of this worker that others want.
    pub wanted_addresses: Vec<IpAddr>,
}

/// Partitions that a worker owns from now on.
#[derive(Clone, Debug, Default)]
pub struct GainedPartitions {
    pub partitions: BTreeSet<Partition>,
    /// Those of them that a worker lost. It may have sent requests that it did not record.
    pub abandoned: BTreeSet<Partition>,
    /// Rows of these partitions. Progress and counters are empty.
    pub checkpoint: RunCheckpoint,
    /// Arrival number of the next link.
    pub next_arrival: u64,
}

/// A link that was found by a worker that does not own its partition.
#[derive(Clone, Debug, PartialEq)]
pub struct ForwardedLink {
    pub link: FrontierLink,
    /// Queue and score of a link in a queue of the engine. Other links are placed by the owner.
    pub place: Option<(QueueId, f32)>,
}

/// A worker of a shared run, for `hadal status`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerRow {
    /// Number of the run in the store.
    pub run: u64,
    /// Host and process.
    pub worker: String,
    /// Number of partitions that it owns.
    pub partitions: u64,
    /// Requests that it has sent since it joined.
    pub requests: u64,
    /// Seconds since it joined.
    pub joined_s: f64,
    /// Seconds since its last report or commit.
    pub silent_s: f64,
    /// Links in the inboxes of its partitions.
    pub inbox: u64,
    /// Age in seconds of the oldest one.
    pub inbox_s: f64,
    /// Batches of observations of others that it has not learned from yet.
    pub unlearned: u64,
    /// True if it has nothing to do.
    pub is_idle: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_one_politeness_group_are_in_one_partition() {
        let partition = |host: &str| Partition::of(&Host(host.into()));
        assert_eq!(partition("http://a.example.org"), partition("https://www.example.org:8443"));
        assert_eq!(partition("https://one.github.io"), partition("https://two.github.io"));
        let partitions: BTreeSet<Partition> =
            (0..4000).map(|n| partition(&format!("http://s{n}.org"))).collect();
        assert_eq!(partitions.len(), usize::from(PARTITIONS));
        let site = Site("someone.github.io".into());
        assert_eq!(Partition::of_site(&site), partition("https://someone.github.io"));
    }
}
