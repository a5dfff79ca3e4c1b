//! Coordination of the workers of a shared run: partitions, budget, links and observations.
//!
//! [`coordinate`] runs in a transaction of its own that holds the row of the run in `progress`: decisions about
//! partitions, budget and the end of the run are made one at a time.

use super::super::packed_link::PackedLink;
use super::super::{
    ForwardedLink, GainedPartitions, PARTITIONS, Partition, RunCounters, RunId, WorkerOrders, WorkerReport,
    is_point_due,
};
use super::codec::{Columns, bits};
use super::connection::{ServerConnection, command};
use super::fault::Fault;
use super::workers::{Membership, ReportResult, evict_lost, evicted, holding, number, numbers, partition};
use super::{addresses, runs};
use hadal_core::address::LinkId;
use hadal_core::link::QueueId;
use hadal_core::strategy::QueueHead;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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
/// Reports for which a grant lasts at the present rate. Guess: a killed worker wastes little, and a faster one gets
/// more.
const REPORTS_PER_GRANT: i64 = 3;
/// Time after which the state of the strategy is saved again. Until then it follows from the saved observations. Guess.
const STRATEGY_INTERVAL: &str = "20 seconds";

/// Time after its last sign of life in which the best links of a worker count. Guess: three reports.
const HEADS_VALID: &str = "3 seconds";

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
    /// Best links of other workers.
    heads: BTreeMap<QueueId, f32>,
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
            heads: BTreeMap::new(),
        };
        for row in workers {
            let id: i64 = row.column(0)?;
            division.workers.push(id);
            division.is_idle &= row.column::<bool>(1)?;
            let (limit, requests): (i64, i64) = (row.column(2)?, row.column(3)?);
            match id == own {
                true => division.requests = requests,
                false => {
                    division.reserved += (limit - requests).max(0);
                    division.add_heads(row.column(4)?, row.column(5)?);
                }
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

    /// Adds the best links of another worker.
    fn add_heads(&mut self, queues: Vec<i64>, scores: Vec<f32>) {
        for (queue, score) in queues.into_iter().zip(scores) {
            let best = self.heads.entry(QueueId(queue.cast_unsigned())).or_insert(score);
            *best = best.max(score);
        }
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
/// Stores the part of the budget that a worker may use, its position in the observations, its idleness, and the number
/// of the report.
const RESERVE_REQUESTS: &str =
    "UPDATE workers SET request_limit = $2, position = $3, is_idle = $4, reports = $5, head_queues = $6, head_scores = $7
    WHERE id = $1";
/// Uses up sequence numbers, and ends a run in which nothing is left.
const ADVANCE_PROGRESS: &str = "UPDATE progress SET next_seq = next_seq + $2,
    state = CASE WHEN $3 THEN 'exhausted' ELSE state END WHERE run = $1";

/// Reports the state of a worker, renews its lease, and returns the changes that concern it. If the answer is lost, the
/// report is repeated with the same result.
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
        let (queues, scores): (Vec<i64>, Vec<f32>) =
            report.heads.iter().map(|head| (bits(head.queue.0), head.score)).unzip();
        orders.heads =
            division.heads.iter().map(|(queue, score)| QueueHead { queue: *queue, score: *score }).collect();
        let mut commands = vec![
            command!(TAKE_PARTITIONS, bits(run.0), taken, membership.id),
            command!(RESERVE_REQUESTS, membership.id, limit, position, is_idle, reports, queues, scores),
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

/// Renews the lease of a worker, takes back what it releases, evicts workers with an expired lease, and
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
    let workers = format!(
        "SELECT id, is_idle, request_limit, requests,
            CASE WHEN seen_at > clock_timestamp() - interval '{HEADS_VALID}' THEN head_queues ELSE '{{}}' END, head_scores
        FROM workers JOIN worker_counters ON worker_counters.worker = workers.id WHERE workers.run = $1 ORDER BY id"
    );
    let found = connection.run(&[command!(workers, bits(run.0)), command!(PARTITION_OWNERS, bits(run.0))])?;
    Division::read(&found[0], &found[1], membership.id)
}

const PARTITION_OWNERS: &str =
    "SELECT partition, worker, is_abandoned FROM partitions WHERE run = $1 ORDER BY partition";

/// Publishes the observations of a worker and reads those of others. Returns them with the number of the last one.
/// Observations that all workers and the saved state know are deleted.
fn exchange(
    connection: &ServerConnection,
    run: RunId,
    membership: &Membership,
    report: &WorkerReport,
) -> Result<(Vec<Vec<u8>>, i64), Fault> {
    // A report is repeated if its answer was lost, and then its observations are there.
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
    let wanted = match (report.is_idle, report.is_yielding) {
        (true, _) => 0,
        (_, true) => in_flight,
        _ => in_flight + share,
    };
    // Requests in flight were granted before. Others may have counted some of theirs since the division was read.
    let reserved = rest.min(wanted).max(in_flight);
    orders.request_limit = Some((done + reserved).cast_unsigned());
    orders.is_budget_spent = rest == 0 && division.reserved == 0 && in_flight == 0;
    reserved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn division(workers: i64, reserved: i64) -> Division {
        let (owned, free) = (BTreeSet::new(), Vec::new());
        let abandoned = BTreeSet::new();
        let workers = (1..=workers).collect();
        let heads = BTreeMap::new();
        Division { workers, is_idle: false, reserved, requests: 0, owned, free, abandoned, heads }
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
        let yielding = WorkerReport { is_yielding: true, ..report.clone() };
        assert_eq!(
            grant(&mut WorkerOrders::default(), &yielding, &division(2, 0), 50, 0),
            3,
            "those in flight"
        );
        let fast = WorkerReport { max_requests: Some(10_000), ..report.clone() };
        let mut orders = WorkerOrders::default();
        assert_eq!(grant(&mut orders, &fast, &division(2, 0), 50, 0), 153, "three times the recent ones");
        assert_eq!(grant(&mut orders, &fast, &division(2, 0), 5_000, 0), 403, "and no more than this");
    }
}
