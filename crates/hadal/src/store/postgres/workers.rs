//! Workers of a shared run: joining, leases, leaving. [`coordination`](super::coordination) divides the work.
//!
//! The row of a worker in the table `workers` is its lease. Each commit of the worker renews it in the same
//! transaction ([`renewal`]), and fails if the row is gone. Others delete the row when it has expired by the
//! clock of the server ([`evict`]). So a worker that was suspended or cut off can never write after others
//! took over.

use super::super::{
    Activity, JoinedRun, PARTITIONS, Partition, RunId, RunProgress, RunSpec, RunState, WorkerRow,
};
use super::codec::{Columns, bits, word};
use super::connection::{Command, ServerConnection, command};
use super::fault::Fault;
use super::lease;
use super::{addresses, process, runs, strategy_state};
use hadal_core::address::Host;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;
use tokio_postgres::Row;

/// Part of a worker in a shared run.
#[derive(Clone, Debug)]
pub struct Membership {
    /// Number of the worker. It is also its epoch, since it is never used again.
    pub id: i64,
    pub partitions: BTreeSet<Partition>,
    /// Number of the last observation that the worker has learned from.
    pub position: i64,
    /// Number of reports that the store has accepted.
    pub reports: i64,
    /// Requests that the worker had counted at the last one.
    pub requests: i64,
    pub lease: Duration,
    /// Progress of the run, which the next report writes.
    pub progress: Option<RunProgress>,
}

/// Changes by a report in the part of its worker.
pub struct ReportResult {
    pub owned: BTreeSet<Partition>,
    pub position: i64,
    pub requests: i64,
}

impl Membership {
    /// Takes over the result of a report, when nothing of it can be lost any more. True if the partitions have changed.
    pub fn advance(&mut self, result: ReportResult) -> bool {
        let has_changed = self.partitions != result.owned;
        (self.partitions, self.position, self.progress) = (result.owned, result.position, None);
        (self.reports, self.requests) = (self.reports + 1, result.requests);
        has_changed
    }
}

/// Partition as a value of SQL.
pub fn number(partition: Partition) -> i16 {
    partition.0.cast_signed()
}

pub fn numbers(partitions: &BTreeSet<Partition>) -> Vec<i16> {
    partitions.iter().copied().map(number).collect()
}

pub fn partition(row: &Row, at: usize) -> Result<Partition, Fault> {
    Ok(Partition(row.column::<i16>(at)?.cast_unsigned()))
}

pub fn evicted(run: RunId) -> Fault {
    Fault::Evicted { what: format!("run {}", run.0) }
}

/// Statement that takes the row of a run for the rest of a transaction.
fn hold(run: RunId) -> Command {
    let sql =
        "SELECT max_requests, state, next_seq, next_order, lost FROM progress WHERE run = $1 FOR UPDATE";
    command!(sql, bits(run.0))
}

/// Runs `work` in a transaction that holds the row of a run.
pub fn holding<T>(
    connection: &ServerConnection,
    run: RunId,
    work: impl FnOnce(&Row) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let held = connection.run(&[Command::plain("BEGIN"), hold(run)])?;
    let row = held[1].first().ok_or_else(|| Fault::Refused(Activity::Run(run).unknown()));
    match row.and_then(work) {
        Ok(done) => connection.query(Command::plain("COMMIT")).map(|_| done),
        Err(Fault::Lost(detail)) => Err(Fault::Lost(detail)),
        Err(fault) => {
            connection.script("ROLLBACK")?;
            Err(if matches!(fault, Fault::Undone) { evicted(run) } else { fault })
        }
    }
}

/// Joins a run: adds a row for the worker, and reads the state of the strategy.
pub fn join(
    connection: &ServerConnection,
    spec: &RunSpec,
    worker: &str,
    duration: Duration,
) -> Result<(JoinedRun, Membership), Fault> {
    let run = runs::begin(connection, spec)?;
    lease::share(connection, run)?;
    name_partitions(connection, run)?;
    holding(connection, run, |held| {
        let state = held.word(1)?;
        let others = "SELECT expires_at < clock_timestamp(), process FROM workers WHERE run = $1";
        let others = connection.query(command!(others, bits(run.0)))?;
        let is_lost =
            |row: &Row| Ok(row.column(0)? || row.column::<Option<&str>>(1)?.is_some_and(process::has_ended));
        let is_first =
            others.iter().map(is_lost).collect::<Result<Vec<bool>, Fault>>()?.into_iter().all(|lost| lost);
        let insert = "INSERT INTO workers (run, worker, backend, backend_start, joined_at, seen_at, expires_at, position,
                process)
            SELECT $1, $2, pid, backend_start, now(), now(), clock_timestamp() + $3::float8 * interval '1 second',
                coalesce((SELECT position FROM strategies WHERE run = $1), 0), $4
            FROM pg_stat_activity WHERE pid = pg_backend_pid() RETURNING id, position";
        let lease = duration.as_secs_f64();
        let rows = connection.query(command!(
            insert,
            bits(run.0),
            worker.to_string(),
            lease,
            process::identity()
        ))?;
        let row = rows.first().ok_or_else(|| Fault::damaged("no worker was written"))?;
        let (id, position) = (row.column(0)?, row.column(1)?);
        let partitions = format!(
            "INSERT INTO partitions (run, partition) SELECT $1, generate_series(0, {}) ON CONFLICT DO NOTHING",
            PARTITIONS - 1
        );
        connection.run(&[
            command!("INSERT INTO worker_counters (run, worker) VALUES ($1, $2)", bits(run.0), id),
            command!(partitions, bits(run.0)),
            command!("UPDATE progress SET state = 'running' WHERE run = $1", bits(run.0)),
        ])?;
        let strategy = strategy_state::load(connection, run)?;
        let partitions = BTreeSet::new();
        let membership =
            Membership { id, partitions, position, reports: 0, requests: 0, lease: duration, progress: None };
        Ok((JoinedRun { run, state, is_first, strategy, lease: duration }, membership))
    })
}

/// Adds the partition to hosts that were written without one: by an earlier format, or by a copy.
fn name_partitions(connection: &ServerConnection, run: RunId) -> Result<(), Fault> {
    let sql = "SELECT id, host FROM hosts WHERE run = $1 AND partition IS NULL";
    let rows = connection.query(command!(sql, bits(run.0)))?;
    let ids: Vec<i64> = rows.iter().map(|row| row.column(0)).collect::<Result<_, Fault>>()?;
    let of_host = |row: &Row| Ok(number(Partition::of(&Host(row.column(1)?))));
    let partitions: Vec<i16> = rows.iter().map(of_host).collect::<Result<_, Fault>>()?;
    let update = "UPDATE hosts SET partition = new.partition
        FROM unnest($2::bigint[], $3::smallint[]) AS new (id, partition) WHERE run = $1 AND hosts.id = new.id";
    match ids.is_empty() {
        true => Ok(()),
        false => connection.query(command!(update, bits(run.0), ids, partitions)).map(|_| ()),
    }
}

/// Takes up a shared run again on a new connection, and returns the number of its last durable sync. Ends the earlier
/// connection: the server may not have given up its transaction yet.
pub fn retake(connection: &ServerConnection, run: RunId, membership: &Membership) -> Result<i64, Fault> {
    lease::share(connection, run)?;
    let old = "SELECT pg_terminate_backend(pid, 5000) FROM workers
        JOIN pg_stat_activity AS old ON old.pid = backend AND old.backend_start = workers.backend_start
        WHERE workers.id = $1 AND pid <> pg_backend_pid()";
    let new =
        "UPDATE workers SET backend = pid, backend_start = own.backend_start FROM pg_stat_activity AS own
        WHERE workers.id = $1 AND pid = pg_backend_pid() RETURNING syncs";
    let found = connection.run(&[command!(old, membership.id), command!(new, membership.id)])?;
    found[1].first().map_or(Err(evicted(run)), |row| row.column(0))
}

/// Statement that renews a lease within a transaction. If the lease is gone, `1 / count(*)` divides by zero
/// and fails the transaction; plain SQL has no other conditional error.
pub fn renewal(membership: &Membership) -> Command {
    let sql = "WITH renewed AS (UPDATE workers SET syncs = syncs + 1, seen_at = clock_timestamp(),
            expires_at = clock_timestamp() + $2::float8 * interval '1 second' WHERE id = $1 RETURNING 1)
        SELECT 1 / count(*) FROM renewed";
    command!(sql, membership.id, membership.lease.as_secs_f64())
}

/// Removes workers from a run: their counters become those of the run, their partitions and addresses are free. If they
/// were `lost`, the rest of their grants counts as spent.
fn evict(connection: &ServerConnection, workers: &[i64], lost: bool) -> Result<(), Fault> {
    const COUNTERS: &str = "UPDATE progress SET requests = progress.requests + gone.requests,
            bytes = progress.bytes + gone.bytes, pages = progress.pages + gone.pages,
            failed = progress.failed + gone.failed, sites = progress.sites + gone.sites,
            forms = progress.forms + gone.forms, searchable = progress.searchable + gone.searchable,
            relevant = progress.relevant + gone.relevant, waiting = progress.waiting + gone.waiting,
            probes = progress.probes + gone.probes
        FROM (SELECT run, sum(requests)::bigint AS requests, sum(bytes)::bigint AS bytes, sum(pages)::bigint AS pages,
                sum(failed)::bigint AS failed, sum(sites)::bigint AS sites, sum(forms)::bigint AS forms,
                sum(searchable)::bigint AS searchable, sum(relevant)::bigint AS relevant,
                sum(waiting)::bigint AS waiting, sum(probes)::bigint AS probes
            FROM worker_counters WHERE worker = ANY($1) GROUP BY run) AS gone
        WHERE progress.run = gone.run";
    // Steps in flight count once more when another worker takes them up. Without that, others could use their part of
    // the budget in the meantime.
    const LOST: &str = "UPDATE progress SET lost = lost + gone.reserved
        FROM (SELECT workers.run, sum(greatest(0, request_limit - requests))::bigint AS reserved
            FROM workers JOIN worker_counters ON worker_counters.worker = workers.id
            WHERE id = ANY($1) GROUP BY workers.run) AS gone
        WHERE progress.run = gone.run";
    const ERRORS: &str = "INSERT INTO errors (run, kind, count)
        SELECT run, kind, sum(count)::bigint FROM worker_errors WHERE worker = ANY($1) GROUP BY run, kind
        ON CONFLICT (run, kind) DO UPDATE SET count = errors.count + excluded.count";
    if workers.is_empty() {
        return Ok(());
    }
    let lost_grants = lost.then_some(LOST);
    let free_partitions = match lost {
        true => "UPDATE partitions SET worker = NULL, is_abandoned = true WHERE worker = ANY($1)",
        false => "UPDATE partitions SET worker = NULL, is_abandoned = false WHERE worker = ANY($1)",
    };
    let statements = std::iter::once(COUNTERS).chain(lost_grants).chain([
        ERRORS,
        "DELETE FROM worker_counters WHERE worker = ANY($1)",
        "DELETE FROM worker_errors WHERE worker = ANY($1)",
        free_partitions,
        addresses::ABANDON,
        "DELETE FROM workers WHERE id = ANY($1)",
    ]);
    let commands: Vec<Command> = statements.map(|sql| command!(sql, workers.to_vec())).collect();
    connection.run(&commands).map(|_| ())
}

/// Removes all workers of a run, for a worker that holds the whole run. The saved state of the strategy counts.
pub fn evict_all(connection: &ServerConnection, run: RunId) -> Result<(), Fault> {
    holding(connection, run, |_| {
        let rows = connection.query(command!("SELECT id FROM workers WHERE run = $1", bits(run.0)))?;
        let ids: Vec<i64> = rows.iter().map(|row| row.column(0)).collect::<Result<_, Fault>>()?;
        end_connections(connection, &ids)?;
        let learned = "DELETE FROM observations WHERE run = $1";
        connection.query(command!(learned, bits(run.0)))?;
        evict(connection, &ids, true)
    })
}

/// Evicts workers among `others`: those with an expired lease, and those of this machine with a process that has ended.
pub fn evict_lost(connection: &ServerConnection, run: RunId, others: &[Row]) -> Result<(), Fault> {
    let (mut lost, mut ended) = (Vec::new(), Vec::new());
    for row in others {
        let id: i64 = row.column(0)?;
        if row.column::<Option<&str>>(2)?.is_some_and(process::has_ended) {
            ended.push(id);
            lost.push(id);
        } else if row.column(1)? {
            lost.push(id);
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    end_connections(connection, &lost)?;
    // One of them may have renewed its lease in the meantime.
    let still =
        "SELECT id FROM workers WHERE id = ANY($1) AND (id = ANY($2) OR expires_at < clock_timestamp())
        FOR UPDATE";
    let still = connection.query(command!(still, lost, ended))?;
    let lost: Vec<i64> = still.iter().map(|row| row.column(0)).collect::<Result<_, Fault>>()?;
    if !lost.is_empty() {
        tracing::warn!(run = run.0, workers = lost.len(), "other workers are lost; taking over their parts");
    }
    evict(connection, &lost, true)
}

/// Ends the connections of workers, with the locks of transactions that they left open.
fn end_connections(connection: &ServerConnection, workers: &[i64]) -> Result<(), Fault> {
    let sql = "SELECT pg_terminate_backend(pid, 5000) FROM workers
        JOIN pg_stat_activity AS old ON old.pid = backend AND old.backend_start = workers.backend_start
        WHERE workers.id = ANY($1) AND pid <> pg_backend_pid()";
    connection.query(command!(sql, workers.to_vec())).map(|_| ())
}

/// Saves the state of the strategy, which includes all observations up to the position of the worker.
pub fn save_strategy(
    connection: &ServerConnection,
    run: RunId,
    membership: &Membership,
    state: &[u8],
) -> Result<(), Fault> {
    let save = "INSERT INTO strategies (run, saved, position, saved_at) VALUES ($1, $2, $3, now())
        ON CONFLICT (run) DO UPDATE SET saved = excluded.saved, position = excluded.position, saved_at = now()
        WHERE strategies.position <= excluded.position";
    holding(connection, run, |_| {
        let old = command!("DELETE FROM strategy_changes WHERE run = $1", bits(run.0));
        let save = command!(save, bits(run.0), state.to_vec(), membership.position);
        let lease = command!("SELECT 1 FROM workers WHERE id = $1 FOR UPDATE", membership.id);
        let found = connection.run(&[lease, old, save])?;
        if found[0].is_empty() { Err(evicted(run)) } else { Ok(()) }
    })
}

/// Leaves a run. True if this was its last worker; then `state` is the state of the run.
pub fn leave(
    connection: &ServerConnection,
    run: RunId,
    membership: &Membership,
    state: RunState,
    unused: &Range<u64>,
) -> Result<bool, Fault> {
    let is_last = holding(connection, run, |_| {
        let others =
            "SELECT count(*) FROM workers WHERE run = $1 AND id <> $2 AND expires_at > clock_timestamp()";
        let rows = connection.query(command!(others, bits(run.0), membership.id))?;
        let is_last = rows.first().map_or(Ok(0i64), |row| row.column(0))? == 0;
        evict(connection, &[membership.id], false)?;
        // The rest of the numbers is used again, unless others were granted since.
        let numbers = "UPDATE progress SET next_seq = $2 WHERE run = $1 AND next_seq = $3";
        let end = "UPDATE progress SET state = $2 WHERE run = $1 AND $3";
        connection.run(&[
            command!(numbers, bits(run.0), bits(unused.start), bits(unused.end)),
            command!(end, bits(run.0), word(&state)?, is_last),
            command!("DELETE FROM addresses WHERE run = $1 AND $2", bits(run.0), is_last),
        ])?;
        Ok(is_last)
    })?;
    lease::unshare(connection, run)?;
    Ok(is_last)
}

/// Workers of shared runs, for `hadal status`. A process of this machine that was killed is none, although its lease
/// lasts.
pub fn list(connection: &ServerConnection) -> Result<Vec<WorkerRow>, Fault> {
    let sql = "SELECT workers.run, workers.worker, coalesce(parts.count, 0)::bigint, counted.requests,
            extract(epoch FROM now() - joined_at)::float8, extract(epoch FROM now() - seen_at)::float8,
            coalesce(parts.inbox, 0)::bigint, coalesce(parts.age, 0)::float8, is_idle,
            (SELECT count(*) FROM observations WHERE observations.run = workers.run
                AND n > workers.position AND observations.worker <> workers.id), process
        FROM workers JOIN worker_counters AS counted ON counted.worker = workers.id
        LEFT JOIN (SELECT partitions.run, partitions.worker, count(*) AS count, sum(waiting.links) AS inbox,
                max(waiting.age) AS age
            FROM partitions LEFT JOIN (SELECT run, partition, count(*) AS links,
                    extract(epoch FROM now() - min(at)) AS age
                FROM inbox GROUP BY run, partition) AS waiting USING (run, partition)
            GROUP BY partitions.run, partitions.worker) AS parts ON parts.worker = workers.id
        WHERE expires_at > now() ORDER BY workers.run, workers.id";
    let worker = |row: &Row| {
        Ok(WorkerRow {
            run: row.unsigned(0)?,
            worker: row.text(1)?,
            partitions: row.unsigned(2)?,
            requests: row.unsigned(3)?,
            joined_s: row.column(4)?,
            silent_s: row.column::<f64>(5)?.max(0.0),
            inbox: row.unsigned(6)?,
            inbox_s: row.column::<f64>(7)?.max(0.0),
            is_idle: row.column(8)?,
            unlearned: row.unsigned(9)?,
        })
    };
    let rows = connection.query(command!(sql))?;
    let is_alive = |row: &&Row| Ok(!row.column::<Option<&str>>(10)?.is_some_and(process::has_ended));
    let alive = rows.iter().filter_map(|row| is_alive(&row).map(|alive| alive.then_some(row)).transpose());
    alive.map(|row| row.and_then(worker)).collect()
}
