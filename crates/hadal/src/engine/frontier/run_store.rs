//! The store, as one run uses it.

use crate::store::*;
use hadal_core::address::{Host, LinkId};
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, QueuedLink};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;

/// Reads and writes the rows of one run.
#[derive(Clone)]
pub struct RunStore {
    store: Arc<dyn Store>,
    run: RunId,
}

impl RunStore {
    /// Binds a store to a run.
    pub fn new(store: &Arc<dyn Store>, run: RunId) -> RunStore {
        RunStore { store: Arc::clone(store), run }
    }

    /// Number of the run.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// Looks up links, forms, hosts and sites by their keys.
    pub fn look_up(&self, keys: &LookUp<'_>) -> Result<LookUpResult, StoreError> {
        self.store.look_up(self.run, keys)
    }

    fn link_rows(&self, links: &[LinkId]) -> Result<Vec<Option<LinkRow>>, StoreError> {
        Ok(self.look_up(&LookUp { link_rows: links, ..LookUp::default() })?.link_rows)
    }

    /// Returns, for each form in the same order, true if the run knows it.
    pub fn known_forms(&self, forms: &[FormId]) -> Result<Vec<bool>, StoreError> {
        Ok(self.look_up(&LookUp { forms, ..LookUp::default() })?.forms)
    }

    /// Loader of host states for clients of visits. It does not keep the store open after the session.
    pub fn host_loader(&self) -> impl Fn(&Host) -> Option<HostState> + Send + 'static {
        let (store, run) = (Arc::downgrade(&self.store), self.run);
        move |name| RunStore { store: store.upgrade()?, run }.host_state(name).ok()
    }

    /// State of a host. A host that was never requested has a new one.
    pub fn host_state(&self, name: &Host) -> Result<HostState, StoreError> {
        let keys = LookUp { hosts: std::slice::from_ref(name), ..LookUp::default() };
        let known = self.look_up(&keys)?.hosts.pop().flatten();
        Ok(known.unwrap_or_else(|| HostState::new(name)))
    }

    /// Those of some hosts with a last failed request that got no response.
    pub fn silent_hosts(&self, hosts: Vec<Host>) -> Result<Vec<Host>, StoreError> {
        if hosts.is_empty() {
            return Ok(Vec::new());
        }
        let mut last: BTreeMap<Host, FailureRow> = BTreeMap::new();
        let query = FailureQuery { run: Some(self.run), hosts, ..FailureQuery::default() };
        for failure in all_failures(self.store.as_ref(), query) {
            let failure = failure?;
            let is_later = last.get(&failure.host).is_none_or(|known| known.at <= failure.at);
            if is_later {
                last.insert(failure.host.clone(), failure);
            }
        }
        let is_silent = |failure: &FailureRow| matches!(failure.kind, FailureKind::Fetch(_));
        Ok(last.into_iter().filter(|(_, failure)| is_silent(failure)).map(|(host, _)| host).collect())
    }

    /// First links of queues, in the order of the slices.
    pub fn queue_heads(&self, slices: &[QueueSlice]) -> Result<Vec<Vec<QueuedLink>>, StoreError> {
        self.store.queue_heads(self.run, slices)
    }

    /// First links of one queue.
    pub fn queue_head(&self, slice: QueueSlice) -> Result<Vec<QueuedLink>, StoreError> {
        Ok(self.queue_heads(&[slice])?.into_iter().flatten().collect())
    }

    /// Splits links into those that wait, are in flight or done, and those that the run does not know, that failed or
    /// were dropped.
    pub fn split_kept<T>(
        &self,
        links: Vec<T>,
        id: impl Fn(&T) -> LinkId,
    ) -> Result<(Vec<T>, Vec<T>), StoreError> {
        let rows = self.link_rows(&links.iter().map(id).collect::<Vec<_>>())?;
        let (kept, lost): (Vec<_>, Vec<_>) = links.into_iter().zip(rows).partition(|(_, row)| row.is_some());
        let links = |rows: Vec<(T, Option<LinkRow>)>| rows.into_iter().map(|(link, _)| link).collect();
        Ok((links(kept), links(lost)))
    }

    /// Links that were followed to reach `link`, the nearest first, at most `limit`.
    pub fn path_to(&self, link: &FrontierLink, limit: usize) -> Result<Vec<FrontierLink>, StoreError> {
        let mut path: Vec<FrontierLink> = Vec::new();
        while let Some(parent) = path.last().unwrap_or(link).parent
            && path.len() < limit
            && let Some(earlier) = self.link_rows(&[parent.id])?.pop().flatten()
        {
            path.push(earlier.queued.link);
        }
        Ok(path)
    }

    /// Applies a batch.
    pub fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.store.commit(self.run, batch)
    }

    /// Applies a change of the frontier.
    pub fn apply(&self, change: FrontierChange) -> Result<(), StoreError> {
        self.commit(&Batch { changes: vec![change], ..Batch::default() })
    }

    /// Gives waiting links new places, and drops others.
    pub fn replace(&self, kept: Vec<QueuedLink>, dropped: Vec<LinkId>) -> Result<(), StoreError> {
        if kept.is_empty() && dropped.is_empty() {
            return Ok(());
        }
        let changes = vec![FrontierChange::Replace(kept), FrontierChange::Drop(dropped)];
        self.commit(&Batch { changes, ..Batch::default() })
    }

    /// Claims addresses of a shared run.
    pub fn claim_addresses(&self, addresses: &[IpAddr]) -> Result<Vec<AddressGrant>, StoreError> {
        let runs = self.store.shared_runs();
        runs.map_or(Ok(Vec::new()), |runs| runs.claim_addresses(self.run, addresses))
    }

    /// Reports the state of this worker of a shared run.
    pub fn coordinate(&self, report: &WorkerReport) -> Result<WorkerOrders, StoreError> {
        let runs = self.store.shared_runs();
        runs.map_or(Ok(WorkerOrders::default()), |runs| runs.coordinate(self.run, report))
    }

    /// Leaves a shared run. True if this was its last worker.
    pub fn leave(&self, state: RunState, unused: Range<u64>) -> Result<bool, StoreError> {
        let runs = self.store.shared_runs();
        runs.map_or(Ok(true), |runs| runs.leave(self.run, state, unused))
    }

    /// Records a step that is about to be sent, with its entry of the audit log.
    pub fn record_sent(&self, sent: SentStep, submission: Option<Submission>) -> Result<(), StoreError> {
        let submissions = submission.into_iter().collect();
        self.commit(&Batch { sent: vec![sent], submissions, ..Batch::default() })
    }
}
