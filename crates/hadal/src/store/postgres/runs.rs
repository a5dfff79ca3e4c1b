//! Runs: specification, progress and counters.

use super::super::{
    CurvePoint, FailureKind, LessonRow, MAX_COUNTED_LINKS, QueueLength, RequestedHost, RunCheckpoint,
    RunCounters, RunId, RunParts, RunProgress, RunQuery, RunRow, RunSpec, SentStep, StepTarget,
};
use super::codec::{self, Columns, bits, json, text, wide, word};
use super::connection::{Command, ServerConnection, Value, command};
use super::fault::Fault;
use super::frontier;
use super::strategy_state;
use crate::store::RUN_TABLES;
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::link::{QueueId, QueuedLink};
use hadal_core::time::Time;
use std::collections::BTreeMap;
use tokio_postgres::Row;

pub fn exists(connection: &ServerConnection, run: RunId) -> Result<bool, Fault> {
    let rows = connection.query(command!("SELECT 1 FROM progress WHERE run = $1", bits(run.0)))?;
    Ok(!rows.is_empty())
}

/// Returns the run with a specification, and creates it if there is none. Runs in a transaction of its own.
pub fn begin(connection: &ServerConnection, spec: &RunSpec) -> Result<RunId, Fault> {
    let same =
        "SELECT id FROM runs WHERE topic = $1 AND strategy = $2 AND seeds = $3 AND seed = $4 AND source = $5";
    let new =
        "WITH new AS (INSERT INTO runs (topic, strategy, seeds, seed, source) VALUES ($1, $2, $3, $4, $5)
            RETURNING id),
        begun AS (INSERT INTO progress (run) SELECT id FROM new)
        SELECT id FROM new";
    let seeds = json(&spec.seeds)?;
    let with_spec = |sql: &'static str| {
        let (seed, source) = (bits(spec.seed), text(&spec.source));
        command!(sql, text(&spec.topic), text(&spec.strategy), seeds.clone(), seed, source)
    };
    // Two workers that begin the same run at once must find the same one.
    connection
        .run(&[Command::plain("BEGIN"), Command::plain("LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE")])?;
    let found = connection.query(with_spec(same))?;
    let rows = if found.is_empty() { connection.query(with_spec(new))? } else { found };
    connection.query(Command::plain("COMMIT"))?;
    rows.first().map_or(Err(Fault::damaged("no run was created")), |row| row.unsigned(0).map(RunId))
}

/// Statements that delete a run from every table except the audit log. The next find of each form that this run found
/// first becomes the first of its topic.
pub fn discard(run: RunId) -> Vec<Command> {
    const SHARED: [&str; 7] =
        ["workers", "worker_counters", "worker_errors", "partitions", "addresses", "inbox", "observations"];
    let pass_on = "UPDATE forms SET is_first = true WHERE n IN (
        SELECT (SELECT min(later.n) FROM forms AS later
                WHERE later.form_id = gone.form_id AND later.topic = gone.topic AND later.run <> gone.run)
        FROM forms AS gone WHERE gone.run = $1 AND gone.is_first)";
    let delete = |table: &&str| {
        let key = if *table == "runs" { "id" } else { "run" };
        command!(format!("DELETE FROM {table} WHERE {key} = $1"), bits(run.0))
    };
    std::iter::once(command!(pass_on, bits(run.0)))
        .chain(RUN_TABLES.iter().chain(&SHARED).map(delete))
        .collect()
}

/// State from which a run continues.
pub fn checkpoint(connection: &ServerConnection, run: RunId) -> Result<RunCheckpoint, Fault> {
    let parts = RunParts { strategy: true, ..RunParts::default() };
    let (progress, counters) = progress(connection, run, parts)?;
    Ok(RunCheckpoint { progress, counters, ..frontier_rows(connection, run, None)? })
}

/// Progress and counters of a run.
pub fn progress(
    connection: &ServerConnection,
    run: RunId,
    parts: RunParts,
) -> Result<(RunProgress, RunCounters), Fault> {
    let query = RunQuery { parts, ..RunQuery::one(run) };
    let row = rows(connection, &query)?.pop().ok_or_else(|| Fault::damaged("the run has no progress"))?;
    Ok((row.progress, row.counters))
}

/// Queues, hosts and steps in flight of a run, or of some of its partitions.
pub fn frontier_rows(
    connection: &ServerConnection,
    run: RunId,
    partitions: Option<&[i16]>,
) -> Result<RunCheckpoint, Fault> {
    let requested = "SELECT host, ip, next_at, address_next_at FROM hosts
        WHERE run = $1 AND next_at IS NOT NULL AND ($2::smallint[] IS NULL OR partition = ANY($2))";
    let bonuses = "SELECT site, bonus FROM sites WHERE run = $1 AND bonus <> 0";
    let wanted = partitions.map(<[i16]>::to_vec);
    let found = connection
        .run(&[command!(requested, bits(run.0), wanted.clone()), command!(bonuses, bits(run.0))])?;
    Ok(RunCheckpoint {
        progress: RunProgress::default(),
        counters: RunCounters::default(),
        in_flight: in_flight(connection, run, wanted.clone())?,
        queues: frontier::host_queues(connection, run, wanted)?,
        stored: Vec::new(),
        requested: found[0].iter().map(requested_host).collect::<Result<_, Fault>>()?,
        bonuses: found[1]
            .iter()
            .map(|row| Ok((Site(row.column(0)?), row.column(1)?)))
            .collect::<Result<_, Fault>>()?,
    })
}

fn requested_host(row: &Row) -> Result<RequestedHost, Fault> {
    let (next_at, group_next_at) = (Time(row.unsigned(2)?), Time(row.unsigned(3)?));
    Ok(RequestedHost { host: Host(row.column(0)?), ip: row.optional_word(1)?, next_at, group_next_at })
}

fn in_flight(
    connection: &ServerConnection,
    run: RunId,
    partitions: Option<Vec<i16>>,
) -> Result<Vec<(SentStep, Option<QueuedLink>)>, Fault> {
    let sql = "SELECT seq, at, target FROM in_flight
        WHERE run = $1 AND ($2::smallint[] IS NULL OR coalesce(partition, 0) = ANY($2)) ORDER BY seq";
    let step =
        |row: &Row| Ok(SentStep { seq: row.unsigned(0)?, at: Time(row.unsigned(1)?), target: row.json(2)? });
    let steps = connection.query(command!(sql, bits(run.0), partitions))?;
    let steps: Vec<SentStep> = steps.iter().map(step).collect::<Result<_, Fault>>()?;
    let link = |step: &SentStep| match step.target {
        StepTarget::Link(link) => Some(link),
        StepTarget::Robots { .. } => None,
    };
    let ids: Vec<LinkId> = steps.iter().filter_map(link).collect();
    let mut links = frontier::links(connection, run, &ids)?.into_iter();
    let with_link = |step: SentStep| {
        let queued = link(&step).and_then(|_| links.next().flatten()).map(|row| row.queued);
        (step, queued)
    };
    Ok(steps.into_iter().map(with_link).collect())
}

/// Query for [`counters`].
pub const COUNTERS: &str =
    "SELECT requests, bytes, pages, failed, sites, forms, searchable, relevant, waiting, probes
    FROM run_counters WHERE run = $1";

/// Query for [`counters`] of one worker of a run, by its number.
pub const COUNTERS_OF_WORKER: &str =
    "SELECT requests, bytes, pages, failed, sites, forms, searchable, relevant, waiting, probes
    FROM worker_counters WHERE worker = $1";

/// Counters without failures by kind.
pub fn counters(row: &Row) -> Result<RunCounters, Fault> {
    Ok(RunCounters {
        requests: row.unsigned(0)?,
        bytes: row.unsigned(1)?,
        pages: row.unsigned(2)?,
        failed: row.unsigned(3)?,
        sites: row.unsigned(4)?,
        forms: row.unsigned(5)?,
        searchable: row.unsigned(6)?,
        relevant: row.unsigned(7)?,
        waiting: row.unsigned(8)?,
        probes: row.unsigned(9)?,
        errors: BTreeMap::new(),
    })
}

/// Statement that writes the progress of a run, without the state of its strategy. Of a shared run, sequence
/// numbers are granted, other numbers never fall, and the end stays until a worker joins.
pub fn save_progress(run: RunId, progress: &RunProgress, is_shared: bool) -> Result<Command, Fault> {
    const ALONE: &str =
        "UPDATE progress SET state = $2, next_seq = $3, next_order = $4, now = $5, generation = $6,
        elapsed_ms = $7, max_requests = $8 WHERE run = $1";
    const SHARED: &str = "UPDATE progress SET state = CASE state WHEN 'exhausted' THEN state ELSE $2 END,
        next_order = greatest(next_order, $3), now = greatest(now, $4), generation = greatest(generation, $5),
        elapsed_ms = greatest(elapsed_ms, $6), max_requests = $7 WHERE run = $1";
    let (id, state, max) = (bits(run.0), word(&progress.state)?, progress.max_requests.map(bits));
    let [seq, order, now, elapsed] =
        [progress.next_seq, progress.next_arrival, progress.now.0, progress.elapsed_ms].map(bits);
    let generation = wide(progress.generation);
    Ok(match is_shared {
        true => command!(SHARED, id, state, order, now, generation, elapsed, max),
        false => command!(ALONE, id, state, seq, order, now, generation, elapsed, max),
    })
}

/// Runs that match a query, with the selected parts.
pub fn rows(connection: &ServerConnection, query: &RunQuery) -> Result<Vec<RunRow>, Fault> {
    let (is_later, direction) = query.order.sql();
    let number = |run: RunId| i64::try_from(run.0).unwrap_or(i64::MAX);
    let (mut conditions, mut values): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
    let mut add = |sql: &str, value: Value| codec::condition(&mut conditions, &mut values, sql, value);
    if let Some(run) = query.run {
        add("id = {}", Box::new(number(run)));
    }
    if let Some(topic) = &query.topic {
        add("topic = {}", Box::new(text(topic)));
    }
    if let Some(after) = query.after {
        add(&format!("id {is_later} {{}}"), Box::new(number(after)));
    }
    values.push(Box::new(codec::limit(query.limit.unwrap_or(usize::MAX))));
    let sql = format!(
        "SELECT counted.requests, counted.bytes, counted.pages, counted.failed, counted.sites, counted.forms,
             counted.searchable, counted.relevant, counted.waiting, counted.probes, id, topic,
             strategy, seeds, seed, source, state, next_seq, next_order, now, generation, elapsed_ms, max_requests
         FROM runs JOIN progress ON progress.run = id JOIN run_counters AS counted ON counted.run = id
         {} ORDER BY id {direction} LIMIT ${}",
        codec::where_all(&conditions),
        values.len()
    );
    let found = connection.query(Command { sql: sql.into(), values })?;
    let mut runs = found.iter().map(run_row).collect::<Result<Vec<_>, Fault>>()?;
    add_errors(connection, &mut runs)?;
    runs.iter_mut().try_for_each(|run| add_parts(connection, run, query.parts))?;
    Ok(runs)
}

fn run_row(row: &Row) -> Result<RunRow, Fault> {
    let spec = RunSpec {
        topic: row.text(11)?,
        strategy: row.text(12)?,
        seeds: row.json(13)?,
        seed: row.unsigned(14)?,
        source: row.text(15)?,
    };
    let progress = RunProgress {
        state: row.word(16)?,
        next_seq: row.unsigned(17)?,
        next_arrival: row.unsigned(18)?,
        now: Time(row.unsigned(19)?),
        generation: row.number(20)?,
        elapsed_ms: row.unsigned(21)?,
        max_requests: row.column::<Option<i64>>(22)?.map(i64::cast_unsigned),
        strategy: None,
    };
    let (curve, queues, lessons) = (Vec::new(), Vec::new(), Vec::new());
    let counters = counters(row)?;
    Ok(RunRow { id: RunId(row.unsigned(10)?), spec, progress, counters, curve, queues, lessons })
}

fn add_errors(connection: &ServerConnection, runs: &mut [RunRow]) -> Result<(), Fault> {
    let ids: Vec<i64> = runs.iter().map(|run| bits(run.id.0)).collect();
    for row in
        connection.query(command!("SELECT run, kind, count FROM run_errors WHERE run = ANY($1)", ids))?
    {
        let (run, kind): (u64, FailureKind) = (row.unsigned(0)?, row.word(1)?);
        let times = row.unsigned(2)?;
        let of_run = runs.iter_mut().find(|known| known.id.0 == run);
        of_run.map(|known| known.counters.errors.insert(kind, times));
    }
    Ok(())
}

fn add_parts(connection: &ServerConnection, run: &mut RunRow, parts: RunParts) -> Result<(), Fault> {
    if parts.strategy {
        run.progress.strategy = strategy_state::load(connection, run.id)?;
    }
    if parts.curve {
        run.curve = curve(connection, run.id)?;
    }
    if parts.queues > 0 {
        run.queues = queue_lengths(connection, run.id, parts.queues)?;
    }
    if parts.lessons > 0 {
        run.lessons = latest_lessons(connection, run.id, parts.lessons)?;
    }
    Ok(())
}

fn curve(connection: &ServerConnection, run: RunId) -> Result<Vec<CurvePoint>, Fault> {
    let sql = "SELECT requests, pages, forms, searchable, relevant, waiting FROM curve WHERE run = $1
        ORDER BY requests";
    let point = |row: &Row| {
        Ok(CurvePoint {
            requests: row.unsigned(0)?,
            pages: row.unsigned(1)?,
            forms: row.unsigned(2)?,
            searchable: row.unsigned(3)?,
            relevant: row.unsigned(4)?,
            waiting: row.unsigned(5)?,
        })
    };
    connection.query(command!(sql, bits(run.0)))?.iter().map(point).collect()
}

/// Lengths of the first queues that are not empty. Each queue is found from the one before it through the index, so
/// that the cost is per queue, not per link.
fn queue_lengths(connection: &ServerConnection, run: RunId, limit: usize) -> Result<Vec<QueueLength>, Fault> {
    let sql = "WITH RECURSIVE found (queue) AS (
            (SELECT queue FROM links WHERE state = 'waiting' AND run = $1 ORDER BY queue LIMIT 1)
            UNION ALL
            SELECT (SELECT queue FROM links WHERE state = 'waiting' AND run = $1 AND queue > found.queue
                    ORDER BY queue LIMIT 1)
            FROM found WHERE found.queue IS NOT NULL)
        SELECT queue, (SELECT count(*) FROM (
            SELECT 1 FROM links WHERE state = 'waiting' AND run = $1 AND links.queue = found.queue LIMIT $2) AS counted)
        FROM found WHERE queue IS NOT NULL LIMIT $3";
    let length = |row: &Row| Ok(QueueLength { queue: QueueId(row.unsigned(0)?), waiting: row.unsigned(1)? });
    let values = command!(sql, bits(run.0), codec::limit(MAX_COUNTED_LINKS), codec::limit(limit));
    let mut lengths = connection.query(values)?.iter().map(length).collect::<Result<Vec<_>, Fault>>()?;
    lengths.sort_by_key(|length| length.queue);
    Ok(lengths)
}

/// The latest lessons of a run, oldest first.
fn latest_lessons(connection: &ServerConnection, run: RunId, limit: usize) -> Result<Vec<LessonRow>, Fault> {
    let sql = "SELECT at_request, at_page, lesson FROM lessons WHERE run = $1 ORDER BY n DESC LIMIT $2";
    let lesson = |row: &Row| {
        Ok(LessonRow { at_request: row.unsigned(0)?, at_page: row.unsigned(1)?, lesson: row.json(2)? })
    };
    let latest = connection.query(command!(sql, bits(run.0), codec::limit(limit)))?;
    let mut latest = latest.iter().map(lesson).collect::<Result<Vec<_>, Fault>>()?;
    latest.reverse();
    Ok(latest)
}
