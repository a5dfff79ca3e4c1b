//! The open transaction of a handle, and its repetition after a lost connection.

use super::super::state_changes::WrittenStates;
use super::super::{
    Activity, Batch, FrontierChange, HarvestBatch, HarvestId, LookUp, LookUpResult, QueueSlice, RunId,
};
use super::connection::{Command, DatabaseServer, MAX_RECONNECT_TIME, ServerConnection, command};
use super::fault::Fault;
use super::frontier;
use super::harvest::commit as harvest_commit;
use super::head_cache::{self, HeadCache, LINKS_PER_QUEUE};
use super::known_keys::{self, KnownKeys};
use super::lease::{self, Lease};
use super::run_commit;
use super::workers::{self, Membership, ReportResult};
use crate::store::Partition;
use hadal_core::link::QueuedLink;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Number of times that the same work is tried on new connections, however long that takes. Guess.
const MAX_ATTEMPTS: u32 = 5;
/// Pause after a lost connection, times the number of connections that were lost. Guess.
const PAUSE: Duration = Duration::from_millis(50);
/// Longest wait for an answer of the server. Guess: above the time in which a large run is loaded.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(300);

/// A batch that is not durable yet.
pub enum Pending {
    Run(RunId, Box<Batch>),
    Harvest(HarvestId, Box<HarvestBatch>),
}

impl Pending {
    fn activity(&self) -> Activity {
        match self {
            Pending::Run(run, _) => Activity::Run(*run),
            Pending::Harvest(harvest, _) => Activity::Harvest(*harvest),
        }
    }

    /// Links that the batch adds.
    fn added_links(&self) -> u64 {
        let Pending::Run(_, batch) = self else { return 0 };
        let of_change = |change: &FrontierChange| match change {
            FrontierChange::Add(links) => links.len(),
            _ => 0,
        };
        let found: usize = batch.outcomes.iter().map(|outcome| outcome.found.len()).sum();
        (found + batch.changes.iter().map(of_change).sum::<usize>()) as u64
    }
}

/// Connection with its open transaction.
pub struct Writer {
    connection: Option<ServerConnection>,
    is_in_transaction: bool,
    /// Batches since the last sync.
    pending: Vec<Pending>,
    /// Number of these that the open transaction holds.
    applied: usize,
    leases: FxHashMap<Activity, Lease>,
    /// True from the moment when the end of the transaction was sent until its answer arrives.
    is_committing: bool,
    states: WrittenStates,
    /// Keys of leased runs that were resumed.
    known: FxHashMap<RunId, KnownKeys>,
    /// First waiting links of leased runs that were resumed.
    heads: FxHashMap<RunId, HeadCache>,
    worker: String,
    /// Links that this handle has added.
    added_links: u64,
}

/// Refreshes the statistics of the tables that grow fastest.
const ANALYZE: &str = "ANALYZE (SKIP_LOCKED) links, hosts, sites, forms, backlinks, pages";
/// Numbers of added links at which the statistics are refreshed. The server does it by itself about once per minute;
/// before that it plans for empty tables. With `ANALYZE` by hand every 4 s, the first 1,000 requests of a crawl cost it
/// 2.4 s of CPU instead of 4.0 s. Guess.
const ANALYZED_AT: [u64; 5] = [500, 2_000, 8_000, 32_000, 128_000];

impl Writer {
    pub fn new(mut connection: ServerConnection) -> Writer {
        connection.set_patience(MAX_ANSWER_TIME);
        Writer {
            connection: Some(connection),
            is_in_transaction: false,
            pending: Vec::new(),
            applied: 0,
            leases: FxHashMap::default(),
            is_committing: false,
            states: WrittenStates::default(),
            known: FxHashMap::default(),
            heads: FxHashMap::default(),
            worker: lease::worker_name(),
            added_links: 0,
        }
    }

    /// Runs `work`. After a lost connection, connects again, takes the leases again, and runs it once more. An error of
    /// the database undoes everything since the last sync.
    pub fn attempt<T>(
        &mut self,
        server: &DatabaseServer,
        work: impl Fn(&mut Writer) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let (began, mut attempts) = (Instant::now(), 0);
        loop {
            attempts += 1;
            let may_repeat = attempts < MAX_ATTEMPTS || began.elapsed() < MAX_RECONNECT_TIME;
            let done = self.reconnect(server).and_then(|()| work(self));
            match done {
                Err(Fault::Lost(detail)) if may_repeat => {
                    tracing::warn!(%detail, "connection to PostgreSQL lost; connecting again");
                    self.connection = None;
                    std::thread::sleep(PAUSE * (attempts - 1));
                }
                Err(fault) => {
                    if fault.undoes_transaction() {
                        self.roll_back();
                    }
                    if matches!(fault, Fault::Evicted { .. }) {
                        self.drop_memberships();
                    }
                    return Err(fault);
                }
                done => return done,
            }
        }
    }

    /// Makes sure that there is a connection that holds the leases.
    fn reconnect(&mut self, server: &DatabaseServer) -> Result<(), Fault> {
        if self.connection.as_ref().is_some_and(|connection| !connection.is_closed()) {
            return Ok(());
        }
        self.connection = None;
        let mut connection = server.connect_with_retries()?;
        connection.set_patience(MAX_ANSWER_TIME);
        let mut is_durable = self.is_committing;
        for (activity, lease) in &self.leases {
            let syncs = lease::retake(&connection, *activity, lease, &self.worker)?;
            if self.pending.iter().any(|pending| pending.activity() == *activity) {
                is_durable &= syncs > lease.syncs;
            }
        }
        self.connection = Some(connection);
        (self.is_in_transaction, self.applied) = (false, 0);
        self.states.clear();
        if is_durable {
            self.end_sync();
        }
        self.is_committing = false;
        Ok(())
    }

    /// Undoes everything since the last sync. A connection that cannot do it is given up.
    fn roll_back(&mut self) {
        if self.connection.as_ref().is_some_and(|connection| connection.script("ROLLBACK").is_err()) {
            self.connection = None;
        }
        (self.is_in_transaction, self.is_committing, self.applied) = (false, false, 0);
        self.pending.clear();
        self.states.clear();
        self.known.clear();
        self.heads.clear();
    }

    /// Forgets the leases of shared runs, after one of them was lost.
    fn drop_memberships(&mut self) {
        self.leases.retain(|_, lease| lease.membership.is_none());
    }

    pub fn connection(&self) -> Result<&ServerConnection, Fault> {
        self.connection.as_ref().ok_or_else(|| Fault::Lost("there is no connection".into()))
    }

    pub fn push(&mut self, mut change: Pending) {
        if let Pending::Run(run, batch) = &mut change
            && let Some(part) = self.leases.get_mut(&Activity::Run(*run)).and_then(|l| l.membership.as_mut())
        {
            // All workers of a run would wait for each other to write it. The next report does.
            part.progress = batch.progress.take().or(part.progress.take());
            if **batch == Batch::default() {
                return;
            }
        }
        if let Pending::Run(run, batch) = &change {
            self.known.get_mut(run).into_iter().for_each(|known| known.add(batch));
            self.heads.get_mut(run).into_iter().for_each(|heads| heads.apply(batch));
        }
        self.pending.push(change);
    }

    pub fn holds(&self, activity: Activity) -> bool {
        self.leases.contains_key(&activity)
    }

    pub fn take_lease(&mut self, activity: Activity) -> Result<(), Fault> {
        // The row of the lease must be visible to others at once.
        self.sync()?;
        let lease = lease::take(self.connection()?, activity, &self.worker)?;
        self.leases.insert(activity, lease);
        Ok(())
    }

    /// Records the lease of a worker of a shared run.
    pub fn join(&mut self, run: RunId, membership: Membership) {
        self.leases.insert(Activity::Run(run), Lease::shared(membership));
    }

    /// Connection, and the part of this worker in a shared run, after everything is durable.
    pub fn shared(&mut self, run: RunId) -> Result<(&ServerConnection, &mut Membership), Fault> {
        self.sync()?;
        let connection =
            self.connection.as_ref().ok_or_else(|| Fault::Lost("there is no connection".into()))?;
        let membership = self.leases.get_mut(&Activity::Run(run)).and_then(|lease| lease.membership.as_mut());
        let membership = membership.ok_or_else(|| Fault::Evicted { what: format!("run {}", run.0) })?;
        Ok((connection, membership))
    }

    /// Number of this worker among those of a shared run.
    pub fn worker_number(&self, run: RunId) -> Option<i64> {
        self.leases.get(&Activity::Run(run))?.membership.as_ref().map(|part| part.id)
    }

    /// True if this worker is one of several of a run.
    pub fn is_shared(&self, run: RunId) -> bool {
        self.leases.get(&Activity::Run(run)).is_some_and(|lease| lease.membership.is_some())
    }

    /// Name of this process, shown to users.
    pub fn worker(&self) -> &str {
        &self.worker
    }

    /// Gives up the lease of a shared run without a call to the server.
    pub fn drop_shared(&mut self, run: RunId) {
        self.leases.remove(&Activity::Run(run));
        self.states.clear();
        self.known.clear();
        self.heads.clear();
    }

    /// Gives up the lease of an activity.
    pub fn forget(&mut self, activity: Activity) -> Result<(), Fault> {
        if let Some(lease) = self.leases.remove(&activity) {
            lease::release(self.connection()?, activity, &lease)?;
        }
        self.states.clear();
        self.known.clear();
        self.heads.clear();
        Ok(())
    }

    /// Undoes everything since the last sync and gives up all leases.
    pub fn close(&mut self) {
        if let Some(connection) = self.connection.take().filter(|_| !self.leases.is_empty()) {
            let given_up = connection.script("ROLLBACK; SELECT pg_advisory_unlock_all()");
            if let Err(fault) = given_up {
                tracing::debug!(?fault, "leases end with the connection");
            }
        }
    }

    /// Brings all pending batches into the open transaction, which is begun if necessary.
    pub fn flush(&mut self) -> Result<(), Fault> {
        while self.applied < self.pending.len() {
            let first = self.pending[self.applied].activity();
            let rest = &self.pending[self.applied..];
            let count = rest.iter().take_while(|pending| pending.activity() == first).count();
            let begin = (!self.is_in_transaction).then(|| Command::plain("BEGIN"));
            self.is_in_transaction = true;
            self.apply(begin, count)?;
            self.applied += count;
        }
        Ok(())
    }

    /// Applies the next `count` pending batches, which are all of one run or harvest.
    fn apply(&mut self, begin: Option<Command>, count: usize) -> Result<(), Fault> {
        let next = &self.pending[self.applied..self.applied + count];
        let connection =
            self.connection.as_ref().ok_or_else(|| Fault::Lost("there is no connection".into()))?;
        let of_runs = next.iter().filter_map(|pending| match pending {
            Pending::Run(_, batch) => Some(batch.as_ref()),
            Pending::Harvest(..) => None,
        });
        let of_harvests = next.iter().filter_map(|pending| match pending {
            Pending::Run(..) => None,
            Pending::Harvest(_, batch) => Some(batch.as_ref()),
        });
        match next[0].activity() {
            Activity::Run(run) => {
                let batches = of_runs.collect::<Vec<_>>();
                let lease = self.leases.get(&Activity::Run(run));
                let worker = lease.and_then(|lease| lease.membership.as_ref()).map(|part| part.id);
                let target = run_commit::Target { run, worker };
                run_commit::apply(connection, begin, target, &batches, &mut self.states)
            }
            Activity::Harvest(harvest) => {
                harvest_commit::apply(connection, begin, harvest, &of_harvests.collect::<Vec<_>>())
            }
        }
    }

    /// Keeps the keys of a run in memory from now on, if this worker holds it.
    pub fn keep_keys(&mut self, run: RunId) -> Result<(), Fault> {
        if !self.holds(Activity::Run(run)) {
            return Ok(());
        }
        let stored = known_keys::stored_hosts(self.connection()?, run, None)?;
        self.heads.entry(run).or_default().reset(stored);
        if let Some(keys) = KnownKeys::load(self.connection()?, run, None)? {
            self.known.insert(run, keys);
        }
        Ok(())
    }

    /// Adds the keys of partitions of a shared run to those in memory.
    pub fn keep_keys_of(&mut self, run: RunId, gained: &BTreeSet<Partition>) -> Result<(), Fault> {
        let is_first = self.partitions(run).is_some_and(BTreeSet::is_empty);
        let stored = known_keys::stored_hosts(self.connection()?, run, Some(gained))?;
        self.heads.entry(run).or_default().reset(stored);
        let Some(keys) = KnownKeys::load(self.connection()?, run, Some(gained))? else {
            self.known.remove(&run);
            return Ok(());
        };
        match self.known.get_mut(&run) {
            Some(known) => known.merge(keys),
            None if is_first => drop(self.known.insert(run, keys)),
            None => {}
        }
        Ok(())
    }

    /// Partitions of a shared run that this worker owns.
    fn partitions(&self, run: RunId) -> Option<&BTreeSet<Partition>> {
        let lease = self.leases.get(&Activity::Run(run))?;
        lease.membership.as_ref().map(|part| &part.partitions)
    }

    /// Takes over the result of a report to a shared run.
    pub fn advance(&mut self, run: RunId, result: ReportResult) {
        let lease = self.leases.get_mut(&Activity::Run(run));
        if let Some(part) = lease.and_then(|lease| lease.membership.as_mut())
            && part.advance(result)
        {
            self.heads.values_mut().for_each(HeadCache::clear);
        }
    }

    /// First links of queues, from memory as far as possible.
    pub fn queue_heads(&mut self, run: RunId, slices: &[QueueSlice]) -> Result<Vec<Vec<QueuedLink>>, Fault> {
        if self.heads.contains_key(&run) && slices.iter().all(|slice| HeadCache::key(slice).is_some()) {
            self.read_missing(run, slices)?;
            let kept = self.heads.get(&run);
            let found: Option<Vec<_>> = slices.iter().map(|slice| kept?.get(slice)).collect();
            if let Some(found) = found {
                return Ok(found);
            }
        }
        self.flush()?;
        frontier::heads(self.connection()?, run, slices)
    }

    /// Reads the queues of some slices that are not in memory, in one round trip.
    fn read_missing(&mut self, run: RunId, slices: &[QueueSlice]) -> Result<(), Fault> {
        let missing = self.heads.get(&run).map(|heads| heads.missing(slices)).unwrap_or_default();
        if missing.is_empty() {
            return Ok(());
        }
        let of_run = |pending: &Pending| matches!(pending, Pending::Run(_, batch) if head_cache::needs_database(batch));
        if self.pending[self.applied..].iter().any(of_run) {
            self.flush()?;
        }
        let queues: Vec<_> =
            missing.iter().filter_map(|slice| Some((slice.queue, slice.host.as_ref()?))).collect();
        let read = frontier::heads_of_hosts(self.connection()?, run, &queues, LINKS_PER_QUEUE)?;
        let unwritten = self.pending[self.applied..].iter().filter_map(|pending| match pending {
            Pending::Run(of, batch) if *of == run => Some(batch.as_ref()),
            _ => None,
        });
        let unwritten: Vec<&Batch> = unwritten.collect();
        for (slice, links) in missing.iter().zip(read) {
            if let (Some(heads), Some(key)) = (self.heads.get_mut(&run), HeadCache::key(slice)) {
                heads.keep(key, links, &unwritten);
            }
        }
        Ok(())
    }

    /// Looks up keys of a run. Batches are written first only if the answer is not in memory. Steps that are
    /// only sent add no keys, but change the rows of their links.
    pub fn look_up(&mut self, run: RunId, keys: &LookUp<'_>) -> Result<LookUpResult, Fault> {
        let adds = |pending: &Pending| match pending {
            Pending::Run(_, batch) => !batch.outcomes.is_empty() || !batch.changes.is_empty(),
            Pending::Harvest(..) => false,
        };
        let is_known = self.known.get(&run).is_some_and(|known| known.has_all(keys));
        let is_changed = !is_known && self.pending[self.applied..].iter().any(adds);
        if is_changed || !keys.link_rows.is_empty() {
            self.flush()?;
        }
        match self.known.get(&run) {
            Some(known) => known.look_up(self.connection()?, run, keys),
            None => frontier::look_up(self.connection()?, run, keys),
        }
    }

    /// Ends the transaction, with a mark in the leases of its runs and harvests. If the answer is lost, the mark shows
    /// whether the transaction ended.
    pub fn sync(&mut self) -> Result<(), Fault> {
        self.flush()?;
        if !self.is_in_transaction {
            return Ok(());
        }
        let is_marked = |(activity, lease): &(&Activity, &Lease)| {
            lease.membership.is_none() && self.is_changed(**activity)
        };
        let marks = self.leases.iter().filter(is_marked);
        let (mut kinds, mut ids, mut epochs) = (Vec::new(), Vec::new(), Vec::new());
        for (activity, lease) in marks {
            kinds.push(lease::kind(*activity));
            ids.push(lease::number(*activity));
            epochs.push(lease.epoch);
        }
        let sql = "UPDATE leases SET syncs = syncs + 1, seen_at = now()
            FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS held (kind, id, epoch)
            WHERE leases.kind = held.kind AND leases.id = held.id AND leases.epoch = held.epoch";
        let marks = (!ids.is_empty()).then(|| command!(sql, kinds, ids, epochs));
        let (renewed, renewals): (Vec<RunId>, Vec<Command>) = self.renewals().unzip();
        let commands: Vec<Command> =
            marks.into_iter().chain(renewals).chain([Command::plain("COMMIT")]).collect();
        self.is_committing = true;
        let committed = self.connection()?.run(&commands);
        match (committed, renewed.first()) {
            (Err(Fault::Undone), Some(run)) => Err(Fault::Evicted { what: format!("run {}", run.0) }),
            (Err(fault), _) => Err(fault),
            (Ok(_), _) => {
                let before = self.added_links;
                self.added_links += self.pending.iter().map(Pending::added_links).sum::<u64>();
                let is_due = ANALYZED_AT.iter().any(|count| (before..self.added_links).contains(count));
                self.end_sync();
                if is_due { self.connection()?.script(ANALYZE) } else { Ok(()) }
            }
        }
    }

    /// Statements that renew the leases of shared runs that the transaction changes.
    fn renewals(&self) -> impl Iterator<Item = (RunId, Command)> {
        self.leases.iter().filter_map(|(activity, lease)| match (activity, &lease.membership) {
            (Activity::Run(run), Some(part)) if self.is_changed(*activity) => {
                Some((*run, workers::renewal(part)))
            }
            _ => None,
        })
    }

    fn is_changed(&self, activity: Activity) -> bool {
        self.pending.iter().any(|pending| pending.activity() == activity)
    }

    /// Forgets the batches of a transaction that ended.
    fn end_sync(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        for (activity, lease) in &mut self.leases {
            lease.syncs += i64::from(pending.iter().any(|change| change.activity() == *activity));
        }
        (self.is_in_transaction, self.is_committing, self.applied) = (false, false, 0);
    }
}
