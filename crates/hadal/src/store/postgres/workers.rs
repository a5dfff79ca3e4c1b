//! Workers of a shared run: joining, leases, partitions, budget, leaving.
//!
//! The row of a worker in the table `workers` is its lease. Each commit of the worker renews it in the same
//! transaction ([`renewal`]), and fails if the row is gone. Others delete the row when it has expired by the
//! clock of the server ([`evict`]). So a worker that was suspended or cut off can never write after others
//! took over.
//!
//! [`coordinate`] runs in a transaction of its own that holds the row of the run in `progress`: decisions about
//! partitions, budget and the end of the run are made one at a time.

use super::super::packed_link::PackedLink;
use super::super::{
    Activity, ForwardedLink, GainedPartitions, JoinedRun, PARTITIONS, Partition, RunCounters, RunId,
    RunProgress, RunSpec, RunState, WorkerOrders, WorkerReport, WorkerRow, is_point_due,
};
use super::codec::{Columns, bits, word};
use super::connection::{Command, ServerConnection, command};
use super::fault::Fault;
use super::lease;
use super::{addresses, process, runs, strategy_state};
use hadal_core::address::{Host, LinkId};
use hadal_core::link::QueueId;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;
use tokio_postgres::Row;

/// Sequence numbers granted at once. Guess: more than a worker sends between two reports.
const SEQS_PER_GRANT: i64 = 10_000;
/// Maximum number of links that a worker receives with one report. Guess: some milliseconds of work.
const MAX_RECEIVED: i64 = 2_000;
/// Requests granted at once: a share of the rest within these bounds. A killed worker wastes at most this much of the
/// budget. Guess.
const GRANT: Range<i64> = 16..400;
/// Grants into which the rest of the budget is divided, per worker. Guess.
const GRANTS_PER_WORKER: i64 = 4;
/// Reports for which a grant lasts at the present rate. Guess: a killed worker wastes little, and a faster one gets more.
const REPORTS_PER_GRANT: i64 = 3;
/// Time after which the state of the strategy is saved again. Until then it follows from the saved observations. Guess.
const STRATEGY_INTERVAL: &str = "20 seconds";

/// Part of a worker in a shared run.
#[derive(Clone, Debug)]
pub struct Membership {
    /// Number of the worker. It is also its epoch, since it is never used again.
    pub id: i64,
    pub partitions: BTreeSet<Partition>,
    /// Number of the last observation that the worker has learned from.
    position: i64,
    /// Number of reports that the store has accepted.
    reports: i64,
    /// Requests that the worker had counted at the last one.
    requests: i64,
    lease: Duration,
    /// Progress of the run, which the next report writes.
    pub progress: Option<RunProgress>,
}

/// Changes by a report in the part of its worker.
pub struct ReportResult {
    owned: BTreeSet<Partition>,
    position: i64,
    requests: i64,
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

fn numbers(partitions: &BTreeSet<Partition>) -> Vec<i16> {
    partitions.iter().copied().map(number).collect()
}

fn partition(row: &Row, at: usize) -> Result<Partition, Fault> {
    Ok(Partition(row.column::<i16>(at)?.cast_unsigned()))
}

fn evicted(run: RunId) -> Fault {
    Fault::Evicted { what: format!("run {}", run.0) }
}

/// Statement that takes the row of a run for the rest of a transaction.
fn hold(run: RunId) -> Command {
    let sql =
        "SELECT max_requests, state, next_seq, next_order, lost FROM progress WHERE run = $1 FOR UPDATE";
    command!(sql, bits(run.0))
}

/// Runs `work` in a transaction that holds the row of a run.
fn holding<T>(
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
        Ok((JoinedRun { run, state, strategy, lease: duration }, membership))
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
/// connection, whose transaction the server may not have given up yet.
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
    // Steps in flight count once more when another worker takes them up. Without that, others could use their part of the
    // budget in the meantime.
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

/// Workers and partitions of a run at one moment.
struct Division {
    /// Numbers of the workers, in ascending order.
    workers: Vec<i64>,
    /// True if every worker is idle.
    is_idle: bool,
    /// Requests that other workers may still send.
    reserved: i64,
    /// Requests that this worker has counted.
    requests: i64,
    owned: BTreeSet<Partition>,
    free: Vec<Partition>,
    /// Free partitions of workers that were lost.
    abandoned: BTreeSet<Partition>,
}

impl Division {
    fn read(workers: &[Row], partitions: &[Row], own: i64) -> Result<Division, Fault> {
        let mut division = Division {
            workers: Vec::new(),
            is_idle: true,
            reserved: 0,
            requests: 0,
            owned: BTreeSet::new(),
            free: Vec::new(),
            abandoned: BTreeSet::new(),
        };
        for row in workers {
            let id: i64 = row.column(0)?;
            division.workers.push(id);
            division.is_idle &= row.column::<bool>(1)?;
            let (limit, requests): (i64, i64) = (row.column(2)?, row.column(3)?);
            match id == own {
                true => division.requests = requests,
                false => division.reserved += (limit - requests).max(0),
            }
        }
        for row in partitions {
            match row.column::<Option<i64>>(1)? {
                Some(owner) if owner == own => drop(division.owned.insert(partition(row, 0)?)),
                Some(_) => {}
                None => division.free.push(partition(row, 0)?),
            }
            if row.column(2)? {
                division.abandoned.insert(partition(row, 0)?);
            }
        }
        Ok(division)
    }

    /// Number of partitions that a worker should own: an equal share, the first workers one more.
    fn share(&self, own: i64) -> usize {
        let (all, count) = (usize::from(PARTITIONS), self.workers.len().max(1));
        let place = self.workers.iter().position(|id| *id == own).unwrap_or_default();
        all / count + usize::from(place < all % count)
    }
}

/// Makes a worker the owner of partitions.
const TAKE_PARTITIONS: &str = "UPDATE partitions SET worker = $3 WHERE run = $1 AND partition = ANY($2)";
/// Stores the part of the budget that a worker may use, its position in the observations, its idleness, and the number of
/// the report.
const RESERVE_REQUESTS: &str =
    "UPDATE workers SET request_limit = $2, position = $3, is_idle = $4, reports = $5 WHERE id = $1";
/// Uses up sequence numbers, and ends a run in which nothing is left.
const ADVANCE_PROGRESS: &str = "UPDATE progress SET next_seq = next_seq + $2,
    state = CASE WHEN $3 THEN 'exhausted' ELSE state END WHERE run = $1";

/// Reports the state of a worker, renews its lease, and returns the changes that concern it. A report whose answer is lost
/// is repeated with the same result.
pub fn coordinate(
    connection: &ServerConnection,
    run: RunId,
    membership: &Membership,
    report: &WorkerReport,
) -> Result<(WorkerOrders, ReportResult), Fault> {
    let before: BTreeSet<Partition> = membership.partitions.difference(&report.released).copied().collect();
    let (mut orders, result) = holding(connection, run, |held| {
        let division = meet(connection, run, membership, report)?;
        let share = division.share(membership.id);
        let missing = share.saturating_sub(division.owned.len());
        let missing = if report.is_leaving { 0 } else { missing };
        let taken: Vec<Partition> = division.free.iter().copied().take(missing).collect();
        let owned: BTreeSet<Partition> = division.owned.iter().chain(&taken).copied().collect();
        let (learned, position) = exchange(connection, run, membership, report)?;
        let mut orders = read_orders(connection, run, membership, &owned)?;
        if report.is_leaving {
            orders.received.clear();
        }
        orders.observations = learned;
        orders.surplus = division.owned.len().saturating_sub(share);
        orders.is_exhausted = division.is_idle
            && report.is_idle
            && division.free.is_empty()
            && owned == before
            && orders.is_exhausted
            || held.column::<&str>(1)? == "exhausted";
        let lost = held.column::<i64>(4)?;
        let recent = division.requests - membership.requests;
        let reserved = grant(&mut orders, report, &division, recent, lost);
        let next: i64 = held.column(2)?;
        let numbers = if report.needs_seqs { SEQS_PER_GRANT } else { 0 };
        orders.numbers = report.needs_seqs.then(|| next.cast_unsigned()..(next + numbers).cast_unsigned());
        let gained: BTreeSet<Partition> = owned.difference(&before).copied().collect();
        let is_idle = report.is_idle && gained.is_empty() && orders.received.is_empty();
        add_point(connection, run, &orders.counters)?;
        let taken: Vec<i16> = taken.into_iter().map(number).collect();
        let (limit, reports) = (division.requests + reserved, membership.reports + 1);
        let progress = membership.progress.as_ref();
        let mut commands = vec![
            command!(TAKE_PARTITIONS, bits(run.0), taken, membership.id),
            command!(RESERVE_REQUESTS, membership.id, limit, position, is_idle, reports),
        ];
        commands.extend(progress.map(|progress| runs::save_progress(run, progress, true)).transpose()?);
        commands.push(command!(ADVANCE_PROGRESS, bits(run.0), numbers, orders.is_exhausted));
        connection.run(&commands)?;
        if !gained.is_empty() {
            let next_arrival = held.column::<i64>(3)?.cast_unsigned();
            let abandoned = gained.intersection(&division.abandoned).copied().collect();
            let partitions = gained;
            let gained =
                GainedPartitions { partitions, abandoned, next_arrival, ..GainedPartitions::default() };
            orders.gained = Some(Box::new(gained));
        }
        Ok((orders, ReportResult { owned, position, requests: division.requests }))
    })?;
    if let Some(gained) = &mut orders.gained {
        gained.checkpoint = runs::frontier_rows(connection, run, Some(&numbers(&gained.partitions)))?;
    }
    Ok((orders, result))
}

/// Renews the lease of a worker, takes back what it releases, evicts workers whose lease has expired, and
/// reads the rest.
fn meet(
    connection: &ServerConnection,
    run: RunId,
    membership: &Membership,
    report: &WorkerReport,
) -> Result<Division, Fault> {
    let renew = "UPDATE workers SET seen_at = clock_timestamp(), is_idle = $3,
            expires_at = clock_timestamp() + $2::float8 * interval '1 second' WHERE id = $1 RETURNING id";
    let release = "UPDATE partitions SET worker = NULL, is_abandoned = false
        WHERE run = $1 AND worker = $2 AND partition = ANY($3)";
    let others =
        "SELECT id, expires_at < clock_timestamp(), process FROM workers WHERE run = $1 AND id <> $2";
    let found = connection.run(&[
        command!(renew, membership.id, membership.lease.as_secs_f64(), report.is_idle),
        command!(release, bits(run.0), membership.id, numbers(&report.released)),
        command!(others, bits(run.0), membership.id),
        addresses::release(run, membership.id, &report.released_addresses),
    ])?;
    if found[0].is_empty() {
        return Err(evicted(run));
    }
    evict_lost(connection, run, &found[2])?;
    let workers = "SELECT id, is_idle, request_limit, requests FROM workers
        JOIN worker_counters ON worker_counters.worker = workers.id WHERE workers.run = $1 ORDER BY id";
    let found = connection.run(&[command!(workers, bits(run.0)), command!(PARTITION_OWNERS, bits(run.0))])?;
    Division::read(&found[0], &found[1], membership.id)
}

const PARTITION_OWNERS: &str =
    "SELECT partition, worker, is_abandoned FROM partitions WHERE run = $1 ORDER BY partition";

/// Evicts workers among `others`: those with an expired lease, and those of this machine with a process that has ended.
fn evict_lost(connection: &ServerConnection, run: RunId, others: &[Row]) -> Result<(), Fault> {
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

/// Publishes the observations of a worker and reads those of others. Returns them with the number of the last one.
/// Observations that all workers and the saved state know are deleted.
fn exchange(
    connection: &ServerConnection,
    run: RunId,
    membership: &Membership,
    report: &WorkerReport,
) -> Result<(Vec<Vec<u8>>, i64), Fault> {
    // A report whose answer was lost is repeated, and its observations are there.
    let publish = "INSERT INTO observations (run, worker, visits) SELECT $1, $2, $3::bytea
        WHERE length($3::bytea) > 0 AND (SELECT reports FROM workers WHERE id = $2) = $4";
    let others = "SELECT n, worker, visits FROM observations WHERE run = $1 AND n > $2 ORDER BY n";
    let known = "DELETE FROM observations WHERE run = $1
        AND n <= (SELECT min(position) FROM workers WHERE run = $1)
        AND n <= (SELECT position FROM strategies WHERE run = $1)";
    let found = connection.run(&[
        command!(publish, bits(run.0), membership.id, report.observations.clone(), membership.reports),
        command!(others, bits(run.0), membership.position),
        command!(known, bits(run.0)),
    ])?;
    let mut learned = Vec::new();
    let mut position = membership.position;
    for row in &found[1] {
        position = row.column(0)?;
        if row.column::<i64>(1)? != membership.id {
            learned.push(row.column(2)?);
        }
    }
    Ok((learned, position))
}

/// Reads counters, received links, and the age of the saved strategy. The run counts as exhausted if no inbox holds a
/// link.
fn read_orders(
    connection: &ServerConnection,
    run: RunId,
    membership: &Membership,
    owned: &BTreeSet<Partition>,
) -> Result<WorkerOrders, Fault> {
    let inbox = "SELECT n, link, url, depth::bigint, queue, score, context FROM inbox
        WHERE run = $1 AND partition = ANY($2) ORDER BY n LIMIT $3";
    let any = "SELECT EXISTS (SELECT 1 FROM inbox WHERE run = $1)";
    let due = format!(
        "SELECT NOT EXISTS (SELECT 1 FROM strategies WHERE run = $1
             AND (saved_at > now() - interval '{STRATEGY_INTERVAL}' OR position >= $2))"
    );
    let found = connection.run(&[
        command!(runs::COUNTERS, bits(run.0)),
        command!(inbox, bits(run.0), numbers(owned), MAX_RECEIVED),
        command!(any, bits(run.0)),
        command!(due, bits(run.0), membership.position),
        command!(addresses::WANTED, membership.id),
    ])?;
    let first = |rows: &[Row]| rows.first().map_or(Ok(false), |row| row.column::<bool>(0));
    Ok(WorkerOrders {
        counters: found[0].first().map_or(Ok(RunCounters::default()), runs::counters)?,
        received: found[1].iter().map(forwarded_link).collect::<Result<_, Fault>>()?,
        is_exhausted: !first(&found[2])?,
        is_strategy_due: first(&found[3])?,
        wanted_addresses: addresses::wanted(&found[4])?,
        ..WorkerOrders::default()
    })
}

fn forwarded_link(row: &Row) -> Result<(u64, ForwardedLink), Fault> {
    let (id, url) = (LinkId(row.unsigned(1)?), row.parsed(2)?);
    let link = PackedLink::link(id, url, row.number(3)?, row.column(6)?).map_err(Fault::damaged)?;
    let queue = row.column::<Option<i64>>(4)?.map(|queue| QueueId(queue.cast_unsigned()));
    let place = queue.zip(row.column::<Option<f32>>(5)?);
    Ok((row.unsigned(0)?, ForwardedLink { link, place }))
}

/// Adds a point to the curve of the run, if one is due.
fn add_point(connection: &ServerConnection, run: RunId, counters: &RunCounters) -> Result<(), Fault> {
    let last = connection.query(command!("SELECT max(requests) FROM curve WHERE run = $1", bits(run.0)))?;
    let last = last.first().map_or(Ok(None), |row| row.column::<Option<i64>>(0))?;
    if !is_point_due(last.map(i64::cast_unsigned), counters.requests) {
        return Ok(());
    }
    let RunCounters { requests, pages, forms, searchable, relevant, waiting, .. } = counters;
    let [requests, pages, forms] = [*requests, *pages, *forms].map(bits);
    let [searchable, relevant, waiting] = [*searchable, *relevant, *waiting].map(bits);
    let sql = "INSERT INTO curve (run, requests, pages, forms, searchable, relevant, waiting)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
    let point = command!(sql, bits(run.0), requests, pages, forms, searchable, relevant, waiting);
    connection.query(point).map(|_| ())
}

/// Grants a part of the request budget. `recent` is the number of requests since the last report. Returns the number of
/// requests that the worker may send from now on, those in flight included.
fn grant(
    orders: &mut WorkerOrders,
    report: &WorkerReport,
    division: &Division,
    recent: i64,
    lost: i64,
) -> i64 {
    let Some(most) = report.max_requests else { return 0 };
    let (most, done, in_flight) =
        (most.cast_signed(), orders.counters.requests.cast_signed(), report.in_flight.cast_signed());
    let rest = (most - done - lost - division.reserved).max(0);
    let share = rest / (GRANTS_PER_WORKER * division.workers.len() as i64);
    let share = share.min(REPORTS_PER_GRANT * recent).clamp(GRANT.start, GRANT.end);
    let wanted = if report.is_idle { 0 } else { in_flight + share };
    // Requests in flight were granted before. Others may have counted some of theirs since the division was read.
    let reserved = rest.min(wanted).max(in_flight);
    orders.request_limit = Some((done + reserved).cast_unsigned());
    orders.is_budget_spent = rest == 0 && division.reserved == 0 && in_flight == 0;
    reserved
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

/// Workers of shared runs, for `hadal status`.
pub fn list(connection: &ServerConnection) -> Result<Vec<WorkerRow>, Fault> {
    let sql = "SELECT workers.run, workers.worker, coalesce(parts.count, 0)::bigint, counted.requests,
            extract(epoch FROM now() - joined_at)::float8, extract(epoch FROM now() - seen_at)::float8,
            coalesce(parts.inbox, 0)::bigint, coalesce(parts.age, 0)::float8, is_idle,
            (SELECT count(*) FROM observations WHERE observations.run = workers.run
                AND n > workers.position AND observations.worker <> workers.id)
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
    connection.query(command!(sql))?.iter().map(worker).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn division(workers: i64, reserved: i64) -> Division {
        let (owned, free) = (BTreeSet::new(), Vec::new());
        let abandoned = BTreeSet::new();
        let workers = (1..=workers).collect();
        Division { workers, is_idle: false, reserved, requests: 0, owned, free, abandoned }
    }

    #[test]
    fn shares_are_equal_and_cover_all_partitions() {
        for workers in 1..=9 {
            let division = division(workers, 0);
            let shares: Vec<usize> = (1..=workers).map(|id| division.share(id)).collect();
            assert_eq!(shares.iter().sum::<usize>(), usize::from(PARTITIONS));
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn grants_never_exceed_the_budget() {
        let report = WorkerReport { max_requests: Some(100), in_flight: 3, ..WorkerReport::default() };
        let granted = |requests: u64, reserved: i64, lost: i64| {
            let counters = RunCounters { requests, ..RunCounters::default() };
            let mut orders = WorkerOrders { counters, ..WorkerOrders::default() };
            let own = grant(&mut orders, &report, &division(2, reserved), 0, lost);
            assert!(requests.cast_signed() + own + reserved + lost <= 100);
            (own, orders.is_budget_spent)
        };
        assert_eq!(granted(0, 0, 0), (19, false));
        assert_eq!(granted(80, 15, 0), (5, false));
        assert_eq!(granted(77, 15, 5), (3, false), "those in flight; another worker may return its rest");
        let counters = RunCounters { requests: 79, ..RunCounters::default() };
        let mut orders = WorkerOrders { counters, ..WorkerOrders::default() };
        let own = grant(&mut orders, &report, &division(2, 15), 0, 5);
        assert_eq!(own, 3, "another worker has counted two of its fifteen; those in flight stay reserved");
        let idle = WorkerReport { in_flight: 0, ..report.clone() };
        let counters = RunCounters { requests: 97, ..RunCounters::default() };
        let mut orders = WorkerOrders { counters, ..WorkerOrders::default() };
        grant(&mut orders, &idle, &division(2, 0), 0, 3);
        assert!(orders.is_budget_spent);
        let fast = WorkerReport { max_requests: Some(10_000), ..report.clone() };
        let mut orders = WorkerOrders::default();
        assert_eq!(grant(&mut orders, &fast, &division(2, 0), 50, 0), 153, "three times the recent ones");
        assert_eq!(grant(&mut orders, &fast, &division(2, 0), 5_000, 0), 403, "and no more than this");
    }
}
