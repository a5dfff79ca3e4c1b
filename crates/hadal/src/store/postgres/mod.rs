//! A store in a PostgreSQL database: `postgres://user@host/database`.
//!
//! **Driver.** tokio-postgres, because it sends several statements without waiting for the answers in between
//! (pipelining), encodes arrays and binary copies, and adds 17 crates. sqlx was compared by its documentation only. A
//! store needs two connections at most, so a pool is not worth a crate.
//! Encryption is rustls, as everywhere in hadal ([`tls`]).
//!
//! **Round trips.** A call waits for the server as few times as possible, whatever the number of its links: a commit
//! reads the rows that it refers to, computes their new values in memory ([`run_plan`]) and writes them, one statement
//! per table with arrays of values. A sync adds the commit of the transaction.
//!
//! **Transactions.** As in a store in a folder, everything between two syncs is one transaction. Batches wait
//! in memory until a sync, or a read that cannot be answered from memory ([`known_keys`], [`head_cache`]).
//! They are kept until the sync, so that they can be applied again on a new connection ([`writer`]).
//!
//! **Workers.** A worker holds a lease of each run and harvest that it changes ([`lease`]). Different workers change
//! different runs and harvests, and different partitions of a shared run ([`workers`]), at the same time.

mod addresses;
mod audit;
mod catalogue;
mod codec;
mod connection;
mod coordination;
mod fault;
mod frontier;
mod harvest;
mod head_cache;
mod known_keys;
mod lease;
mod process;
mod rows_before;
mod run_commit;
mod run_plan;
mod runs;
mod schema;
mod settings;
mod strategy_state;
mod tls;
mod user_changes;
mod workers;
mod writer;

use super::*;
use codec::Columns;
use connection::{DatabaseServer, ServerConnection, command};
use fault::Fault;
use hadal_core::link::QueuedLink;
use hadal_core::time::Time;
use harvest::{harvests, lists};
use schema::Found;
pub(super) use settings::without_password;
use std::net::IpAddr;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// Parts that a copy of whole tables needs.
pub(super) mod tables {
    pub use super::codec::{plain as plain_text, text as free_text};
    pub use super::connection::{Command, Value};

    /// Hash of a text in the columns `hosts.id`, `links.host` and `failures.url_id`.
    pub fn hash(text: &str) -> i64 {
        super::codec::bits(xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }

    /// Content of the column `records.words` before it is converted: title, text and detail page.
    pub fn record_words(texts: [&str; 3]) -> String {
        super::super::search::words(&texts).join(" ")
    }
}

use writer::{Pending, Writer};

/// A store in a PostgreSQL database.
pub struct PostgresStore {
    server: DatabaseServer,
    access: Access,
    /// Lease of a worker of a shared run.
    lease: Duration,
    writer: Mutex<Writer>,
    /// Connection for changes that are durable at once, beside the open transaction.
    beside: Mutex<Option<ServerConnection>>,
}

/// Opens the store in a database. An empty database becomes a store if it is opened for crawling.
pub fn open(url: &str, access: Access) -> Result<PostgresStore, StoreError> {
    let settings = settings::parse(url)?;
    let name = settings.name.clone();
    let open = || {
        let server = settings.server()?;
        let connection = server.connect()?;
        let found = schema::find(&connection)?;
        Ok((server, connection, found))
    };
    let of_store = |fault: Fault| fault.of_store(&name);
    let (server, connection, found) = open().map_err(of_store)?;
    match (found, access) {
        (Found::Current, _) => {}
        (Found::Nothing, Access::Read) => return Err(StoreError::Missing(name.into())),
        (Found::Later(found), _) => {
            return Err(StoreError::Newer { path: name.into(), found, known: schema::FORMAT });
        }
        (Found::Nothing | Found::Earlier, _) => schema::migrate(&connection).map_err(of_store)?,
    }
    let writer = Mutex::new(Writer::new(connection));
    Ok(PostgresStore { server, access, lease: settings.lease, writer, beside: Mutex::default() })
}

impl PostgresStore {
    /// Runs `work` with the writer. After a lost connection it is run again on a new one.
    fn with<T>(&self, work: impl Fn(&mut Writer) -> Result<T, Fault>) -> Result<T, StoreError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let done = writer.attempt(&self.server, work);
        done.map_err(|fault| fault.of_store(&self.server.name))
    }

    /// Reads, with all changes of this handle.
    fn read<T>(&self, work: impl Fn(&ServerConnection) -> Result<T, Fault>) -> Result<T, StoreError> {
        self.with(|writer| {
            writer.flush()?;
            work(writer.connection()?)
        })
    }

    /// Makes a change that is durable at once and not part of the open transaction.
    fn at_once<T>(&self, work: impl Fn(&ServerConnection) -> Result<T, Fault>) -> Result<T, StoreError> {
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        let mut attempt = || {
            let connection = match beside.take().filter(|connection| !connection.is_closed()) {
                Some(connection) => connection,
                None => self.server.connect_with_retries()?,
            };
            let done = work(&connection)?;
            *beside = Some(connection);
            Ok(done)
        };
        let done = attempt().or_else(|fault| match fault {
            Fault::Lost(_) => attempt(),
            other => Err(other),
        });
        done.map_err(|fault: Fault| fault.of_store(&self.server.name))
    }

    /// Adds changes of a run or harvest to the open transaction. Takes its lease first.
    fn write(&self, activity: Activity, change: impl FnOnce() -> Pending) -> Result<(), StoreError> {
        self.require_lease(activity)?;
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.push(change());
        Ok(())
    }

    /// Fails if there is no such run or harvest, or if another worker holds it.
    fn require_lease(&self, activity: Activity) -> Result<(), StoreError> {
        self.with(|writer| {
            if writer.holds(activity) {
                return Ok(());
            }
            require(writer.connection()?, activity)?;
            match self.access {
                Access::Crawl => writer.take_lease(activity),
                Access::Read => Err(Fault::Refused("it was opened for reading".into())),
            }
        })
    }

    /// Runs statements on this connection only: a lost connection is an error.
    pub(super) fn script(&self, sql: &str) -> Result<(), StoreError> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let done = writer.connection().and_then(|connection| connection.script(sql));
        done.map_err(|fault| fault.of_store(&self.server.name))
    }

    /// Runs one statement on this connection only and converts its rows.
    pub(super) fn fetch<T>(
        &self,
        command: tables::Command,
        read: impl Fn(&tokio_postgres::Row) -> Result<T, tokio_postgres::Error>,
    ) -> Result<Vec<T>, StoreError> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = writer.connection().and_then(|connection| connection.query(command));
        let read = |row: &tokio_postgres::Row| read(row).map_err(Fault::from);
        let read = rows.and_then(|rows| rows.iter().map(read).collect());
        read.map_err(|fault| fault.of_store(&self.server.name))
    }

    /// Removes the workers of all runs, which must have none at work. Returns a run with links that no worker has
    /// received, if there is one.
    pub(super) fn settle(&self) -> Result<Option<RunId>, StoreError> {
        self.read(|connection| {
            let left = connection.query(command!("SELECT DISTINCT run FROM workers"))?;
            for row in &left {
                workers::evict_all(connection, RunId(row.unsigned(0)?))?;
            }
            let inbox = connection.query(command!("SELECT run FROM inbox LIMIT 1"))?;
            inbox.first().map(|row| row.unsigned(0).map(RunId)).transpose()
        })
    }

    /// Number of round trips so far.
    pub fn round_trips(&self) -> u64 {
        self.server.round_trips.load(Ordering::Relaxed)
    }
}

impl Drop for PostgresStore {
    /// Gives up all leases at once.
    fn drop(&mut self) {
        self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).close();
    }
}

/// Fails if there is no such run or harvest.
fn require(connection: &ServerConnection, activity: Activity) -> Result<(), Fault> {
    let exists = match activity {
        Activity::Run(run) => runs::exists(connection, run)?,
        Activity::Harvest(harvest) => harvests::exists(connection, harvest)?,
    };
    if exists { Ok(()) } else { Err(Fault::Refused(activity.unknown())) }
}

impl CrawlStore for PostgresStore {
    fn begin(&self, spec: &RunSpec) -> Result<RunId, StoreError> {
        self.sync()?;
        let run = self.with(|writer| runs::begin(writer.connection()?, spec))?;
        self.require_lease(Activity::Run(run))?;
        Ok(run)
    }

    fn discard(&self, activity: Activity) -> Result<(), StoreError> {
        self.sync()?;
        self.require_lease(activity)?;
        self.with(|writer| {
            let deletions = match activity {
                Activity::Run(run) => runs::discard(run),
                Activity::Harvest(harvest) => harvests::discard(harvest),
            };
            let (kind, id) = (lease::kind(activity), lease::number(activity));
            let control = command!("DELETE FROM controls WHERE kind = $1 AND id = $2", kind, id);
            let all =
                std::iter::once(command!("BEGIN")).chain(deletions).chain([control, command!("COMMIT")]);
            writer.connection()?.run(&all.collect::<Vec<_>>())?;
            writer.forget(activity)
        })
    }

    fn resume(&self, run: RunId, hosts: usize) -> Result<RunCheckpoint, StoreError> {
        self.with(|writer| {
            writer.flush()?;
            require(writer.connection()?, Activity::Run(run))?;
            if writer.is_shared(run) {
                // The worker owns no partition yet.
                let (progress, counters) = runs::progress(writer.connection()?, run, RunParts::default())?;
                return Ok(RunCheckpoint { progress, counters, ..RunCheckpoint::default() });
            }
            writer.keep_keys(run)?;
            Ok(runs::checkpoint(writer.connection()?, run)?.with_best_queues(hosts))
        })
    }

    fn commit(&self, run: RunId, batch: &Batch) -> Result<(), StoreError> {
        self.write(Activity::Run(run), || Pending::Run(run, Box::new(batch.clone())))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.with(Writer::sync)
    }

    fn look_up(&self, run: RunId, keys: &LookUp<'_>) -> Result<LookUpResult, StoreError> {
        self.with(|writer| writer.look_up(run, keys))
    }

    fn queue_heads(&self, run: RunId, slices: &[QueueSlice]) -> Result<Vec<Vec<QueuedLink>>, StoreError> {
        self.with(|writer| writer.queue_heads(run, slices))
    }

    fn backlinks(&self, source: &str, urls: &[Url], limit: usize) -> Result<Vec<Vec<Url>>, StoreError> {
        self.read(|connection| frontier::backlinks(connection, source, urls, limit))
    }

    fn control(&self, activity: Activity) -> Result<Control, StoreError> {
        self.with(|writer| user_changes::control(writer.connection()?, activity))
    }

    fn apply_user_changes(&self, changes: &[UserChange]) -> Result<(), StoreError> {
        self.at_once(|connection| {
            changes.iter().try_for_each(|change| user_changes::apply(connection, change))
        })
    }

    fn shared_runs(&self) -> Option<&dyn SharedRuns> {
        Some(self)
    }
}

impl SharedRuns for PostgresStore {
    fn join(&self, spec: &RunSpec) -> Result<JoinedRun, StoreError> {
        self.sync()?;
        self.with(|writer| {
            let (joined, membership) =
                workers::join(writer.connection()?, spec, writer.worker(), self.lease)?;
            writer.join(joined.run, membership);
            Ok(joined)
        })
    }

    fn coordinate(&self, run: RunId, report: &WorkerReport) -> Result<WorkerOrders, StoreError> {
        self.with(|writer| {
            let (connection, membership) = writer.shared(run)?;
            let (orders, result) = coordination::coordinate(connection, run, membership, report)?;
            if let Some(gained) = &orders.gained {
                writer.keep_keys_of(run, &gained.partitions)?;
            }
            writer.advance(run, result);
            Ok(orders)
        })
    }

    fn claim_addresses(&self, run: RunId, addresses: &[IpAddr]) -> Result<Vec<AddressGrant>, StoreError> {
        let Some(worker) = self.with(|writer| Ok(writer.worker_number(run)))? else { return Ok(Vec::new()) };
        self.at_once(|connection| addresses::claim(connection, run, worker, addresses))
    }

    fn save_strategy(&self, run: RunId, state: &[u8]) -> Result<(), StoreError> {
        self.with(|writer| {
            let (connection, membership) = writer.shared(run)?;
            workers::save_strategy(connection, run, membership, state)
        })
    }

    fn leave(&self, run: RunId, state: RunState, unused: Range<u64>) -> Result<bool, StoreError> {
        self.with(|writer| {
            let (connection, membership) = writer.shared(run)?;
            let is_last = workers::leave(connection, run, membership, state, &unused)?;
            writer.drop_shared(run);
            Ok(is_last)
        })
    }

    fn workers(&self) -> Result<Vec<WorkerRow>, StoreError> {
        self.read(workers::list)
    }
}

impl HarvestStore for PostgresStore {
    fn begin_harvest(&self, spec: &HarvestSpec, now: Time) -> Result<HarvestId, StoreError> {
        self.sync()?;
        let harvest = self.with(|writer| harvests::begin(writer.connection()?, spec, now))?;
        self.require_lease(Activity::Harvest(harvest))?;
        Ok(harvest)
    }

    fn resume_harvest(&self, harvest: HarvestId) -> Result<HarvestCheckpoint, StoreError> {
        self.read(|connection| {
            require(connection, Activity::Harvest(harvest))?;
            harvests::checkpoint(connection, harvest)
        })
    }

    fn commit_harvest(&self, harvest: HarvestId, batch: &HarvestBatch) -> Result<(), StoreError> {
        self.write(Activity::Harvest(harvest), || Pending::Harvest(harvest, Box::new(batch.clone())))
    }

    fn past_answers(
        &self,
        harvest: HarvestId,
        after: Option<u32>,
        limit: usize,
    ) -> Result<RowPage<PastAnswer, u32>, StoreError> {
        let rows = self.read(|connection| lists::answers_after(connection, harvest, after, limit))?;
        Ok(RowPage::of(rows, limit, |answer| answer.query.number))
    }

    fn save_form_checks(&self, checks: &[FormCheck]) -> Result<(), StoreError> {
        self.at_once(|connection| harvests::save_checks(connection, checks))
    }

    fn log_at_once(&self, entry: &Submission) -> Result<u64, StoreError> {
        self.at_once(|connection| user_changes::log_at_once(connection, entry))
    }
}
