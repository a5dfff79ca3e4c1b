//! Leases: at most one worker per run and harvest, or several workers of a shared run.
//!
//! A lease is an advisory lock of the worker's connection, so that it ends with the connection: at once when the
//! process ends or is killed, after 15 seconds when its machine is cut off. The table `leases` names the holder, for
//! people, and counts the workers so far in `epoch`. A worker that lost its connection takes its leases again and
//! continues only if the epoch is still its own: otherwise another worker was at work in between, and what it has not
//! yet written would be written twice.
//!
//! Workers of a shared run hold the lock of the run in shared mode ([`share`]). So no other worker takes the whole run
//! meanwhile. Their own leases are rows with an expiry, see [`workers`](super::workers).
//!
//! The lease of a harvest includes a lock of the site of its form: two workers never harvest one site at the same time,
//! since neither would know of the delays of the other.

use super::super::{Activity, HarvestId, RunId};
use super::codec::{Columns, bits};
use super::connection::{ServerConnection, command};
use super::fault::Fault;
use super::workers::{self, Membership};
use std::time::{Duration, Instant};

/// First numbers of the advisory locks of runs, harvests and sites. PostgreSQL lists locks of two numbers as `classid`
/// and `objid`. Arbitrary: "had" in ASCII and a counter.
const RUN_CLASS: i32 = 0x6861_6401;
const HARVEST_CLASS: i32 = 0x6861_6402;
const SITE_CLASS: i32 = 0x6861_6403;

/// Query for the kinds and numbers of the runs and harvests that a worker holds.
pub const HELD_QUERY: &str =
    "SELECT CASE classid::bigint WHEN 1751213057 THEN 'run' ELSE 'harvest' END, objid::bigint
    FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid::bigint IN (1751213057, 1751213058)
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// Lease of a run or harvest.
#[derive(Clone, Debug)]
pub struct Lease {
    /// Site of a harvest.
    site: Option<String>,
    /// Number of the worker among all that held the lease.
    pub epoch: i64,
    /// Number of the last sync that this worker knows to be durable.
    pub syncs: i64,
    /// Part of this worker in a shared run.
    pub membership: Option<Membership>,
}

impl Lease {
    /// Lease of a worker of a shared run.
    pub fn shared(membership: Membership) -> Lease {
        Lease { site: None, epoch: 0, syncs: 0, membership: Some(membership) }
    }
}

/// Column `kind` of an activity.
pub fn kind(activity: Activity) -> &'static str {
    match activity {
        Activity::Run(_) => "run",
        Activity::Harvest(_) => "harvest",
    }
}

/// Column `id` of an activity.
pub fn number(activity: Activity) -> i64 {
    match activity {
        Activity::Run(RunId(id)) | Activity::Harvest(HarvestId(id)) => bits(id),
    }
}

/// The two numbers of the lock of an activity.
fn lock_numbers(activity: Activity) -> (i32, i32) {
    match activity {
        Activity::Run(_) => (RUN_CLASS, number(activity) as i32),
        Activity::Harvest(_) => (HARVEST_CLASS, number(activity) as i32),
    }
}

/// The two numbers of the lock of a site. Two sites with the same number wait for each other without need.
fn site_numbers(site: &str) -> (i32, i32) {
    (SITE_CLASS, xxhash_rust::xxh3::xxh3_64(site.as_bytes()) as i32)
}

fn try_lock(connection: &ServerConnection, (class, object): (i32, i32)) -> Result<bool, Fault> {
    let rows = connection.query(command!("SELECT pg_try_advisory_lock($1, $2)", class, object))?;
    Ok(rows.first().is_some_and(|row| row.get(0)))
}

fn unlock(connection: &ServerConnection, (class, object): (i32, i32)) -> Result<(), Fault> {
    connection.query(command!("SELECT pg_advisory_unlock($1, $2)", class, object)).map(|_| ())
}

/// Takes the locks of an activity and of its site: both or none.
fn take_locks(connection: &ServerConnection, activity: Activity, site: Option<&str>) -> Result<(), Fault> {
    if !try_lock(connection, lock_numbers(activity))? {
        return Err(taken(connection, activity)?);
    }
    let Some(site) = site else { return Ok(()) };
    if try_lock(connection, site_numbers(site))? {
        return Ok(());
    }
    unlock(connection, lock_numbers(activity))?;
    let holder = "SELECT worker FROM leases JOIN harvests ON harvests.id = leases.id
        WHERE kind = 'harvest' AND site = $1 AND harvests.id <> $2 ORDER BY seen_at DESC LIMIT 1";
    let rows = connection.query(command!(holder, site.to_string(), number(activity)))?;
    let holder = rows.first().map_or(Ok("unknown".to_string()), |row| row.text(0))?;
    Err(Fault::Taken { what: format!("another form of {site}"), holder })
}

/// Site of the form of a harvest.
fn site_of(connection: &ServerConnection, activity: Activity) -> Result<Option<String>, Fault> {
    let Activity::Harvest(harvest) = activity else { return Ok(None) };
    let rows = connection.query(command!("SELECT site FROM harvests WHERE id = $1", bits(harvest.0)))?;
    rows.first().map(|row| row.text(0)).transpose()
}

/// Takes a lease.
pub fn take(connection: &ServerConnection, activity: Activity, worker: &str) -> Result<Lease, Fault> {
    let site = site_of(connection, activity)?;
    take_locks(connection, activity, site.as_deref())?;
    let sql = "INSERT INTO leases (kind, id, epoch, syncs, worker, taken_at, seen_at)
        VALUES ($1, $2, 1, 0, $3, now(), now())
        ON CONFLICT (kind, id) DO UPDATE SET epoch = leases.epoch + 1, worker = excluded.worker,
            taken_at = now(), seen_at = now() RETURNING epoch, syncs";
    let rows = connection.query(command!(sql, kind(activity), number(activity), worker.to_string()))?;
    let row = rows.first().ok_or_else(|| Fault::damaged("no lease was written"))?;
    if let Activity::Run(run) = activity {
        workers::evict_all(connection, run)?;
    }
    Ok(Lease { site, epoch: row.column(0)?, syncs: row.column(1)?, membership: None })
}

/// Time in which the server notices that the earlier connection of this worker is lost: 15 seconds of silence, and
/// some.
const OWN_LOCK_PATIENCE: Duration = Duration::from_secs(20);

/// Takes a lease again after a lost connection, and returns the number of its last durable sync. The server may not
/// have noticed the loss yet; then the lock is still held in the name of this worker.
pub fn retake(
    connection: &ServerConnection,
    activity: Activity,
    lease: &Lease,
    worker: &str,
) -> Result<i64, Fault> {
    if let (Activity::Run(run), Some(membership)) = (activity, &lease.membership) {
        return workers::retake(connection, run, membership);
    }
    let began = Instant::now();
    loop {
        match take_locks(connection, activity, lease.site.as_deref()) {
            Err(Fault::Taken { holder, .. }) if holder == worker && began.elapsed() < OWN_LOCK_PATIENCE => {
                std::thread::sleep(Duration::from_millis(200));
            }
            taken => break taken?,
        }
    }
    let sql = "SELECT epoch, syncs, worker FROM leases WHERE kind = $1 AND id = $2";
    let rows = connection.query(command!(sql, kind(activity), number(activity)))?;
    match rows.first() {
        Some(row) if row.column::<i64>(0)? == lease.epoch => row.column(1),
        Some(row) => {
            let what = format!("{} {}", kind(activity), number(activity));
            Err(Fault::Taken { what, holder: row.text(2)? })
        }
        None => Err(Fault::damaged("the lease is gone")),
    }
}

/// Takes the lock of a run in shared mode.
pub fn share(connection: &ServerConnection, run: RunId) -> Result<(), Fault> {
    let (class, object) = lock_numbers(Activity::Run(run));
    let rows = connection.query(command!("SELECT pg_try_advisory_lock_shared($1, $2)", class, object))?;
    match rows.first().is_some_and(|row| row.get(0)) {
        true => Ok(()),
        false => Err(taken(connection, Activity::Run(run))?),
    }
}

/// Gives up the lock of a run in shared mode.
pub fn unshare(connection: &ServerConnection, run: RunId) -> Result<(), Fault> {
    let (class, object) = lock_numbers(Activity::Run(run));
    connection.query(command!("SELECT pg_advisory_unlock_shared($1, $2)", class, object)).map(|_| ())
}

/// The error for a run or harvest that another worker holds.
fn taken(connection: &ServerConnection, activity: Activity) -> Result<Fault, Fault> {
    let holder = "SELECT worker FROM leases WHERE kind = $1 AND id = $2 UNION ALL
        SELECT worker FROM workers WHERE $1 = 'run' AND run = $2 AND expires_at > now() LIMIT 1";
    let rows = connection.query(command!(holder, kind(activity), number(activity)))?;
    let holder = rows.first().map_or(Ok("unknown".to_string()), |row| row.text(0))?;
    Ok(Fault::Taken { what: format!("{} {}", kind(activity), number(activity)), holder })
}

/// Gives up a lease.
pub fn release(connection: &ServerConnection, activity: Activity, lease: &Lease) -> Result<(), Fault> {
    unlock(connection, lock_numbers(activity))?;
    lease.site.as_deref().map_or(Ok(()), |site| unlock(connection, site_numbers(site)))
}

/// Runs and harvests that a worker holds.
pub fn held(connection: &ServerConnection) -> Result<Vec<Activity>, Fault> {
    let activity = |row: &tokio_postgres::Row| {
        let id = row.unsigned(1)?;
        Ok(if row.text(0)? == "run" { Activity::Run(RunId(id)) } else { Activity::Harvest(HarvestId(id)) })
    };
    connection.query(command!(HELD_QUERY))?.iter().map(activity).collect()
}

/// Name of this process, shown to users.
pub fn worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "localhost".to_string() } else { host.trim().to_string() };
    format!("{host}, process {}", std::process::id())
}
