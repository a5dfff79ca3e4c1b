//! Runs: specification, progress and counters.

use super::super::best_queues::BestQueues;
use super::super::{
    FailureKind, RequestedHost, RunCheckpoint, RunCounters, RunId, RunParts, RunProgress, RunRow, RunSpec,
    SentStep, StepTarget,
};
use super::catalogue;
use super::codec::{Json, Word, bits, unsigned};
use super::frontier;
use super::strategy_state;
use crate::store::RUN_TABLES;
use hadal_core::address::{Host, Site};
use hadal_core::link::QueuedLink;
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::BTreeMap;

pub fn exists(db: &Connection, run: RunId) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM progress WHERE run = ?")?.exists([bits(run.0)])
}

pub fn begin(db: &Connection, spec: &RunSpec) -> rusqlite::Result<RunId> {
    let columns = params![spec.topic, spec.strategy, Json(&spec.seeds), bits(spec.seed), spec.source];
    let same = "SELECT id FROM runs
        WHERE topic = ? AND strategy = ? AND seeds = ? AND seed = ? AND source = ?";
    if let Some(id) = db.query_row(same, columns, |row| unsigned(row, 0)).optional()? {
        return Ok(RunId(id));
    }
    let new = "INSERT INTO runs (topic, strategy, seeds, seed, source) VALUES (?, ?, ?, ?, ?)";
    db.execute(new, columns)?;
    let run = RunId(db.last_insert_rowid().cast_unsigned());
    save_progress(db, run, &RunProgress::default())?;
    Ok(run)
}

/// Deletes a run from every table except the audit log.
pub fn discard(db: &Connection, run: RunId) -> rusqlite::Result<()> {
    pass_on_first_finds(db, run)?;
    for table in RUN_TABLES {
        let key = if table == "runs" { "id" } else { "run" };
        db.execute(&format!("DELETE FROM {table} WHERE {key} = ?"), [bits(run.0)])?;
    }
    Ok(())
}

/// Marks the next find of each form that this run found first as the first find of its topic.
fn pass_on_first_finds(db: &Connection, run: RunId) -> rusqlite::Result<()> {
    let sql = "UPDATE forms SET is_first = 1 WHERE n IN (
        SELECT (SELECT min(later.n) FROM forms AS later
                WHERE later.form_id = gone.form_id AND later.topic = gone.topic AND later.run <> gone.run)
        FROM forms AS gone WHERE gone.run = ? AND gone.is_first)";
    db.execute(sql, [bits(run.0)]).map(|_| ())
}

/// State of a run with at most `hosts` queues of hosts, apart from those of sites with a bonus.
pub fn checkpoint(db: &Connection, run: RunId, hosts: usize) -> rusqlite::Result<RunCheckpoint> {
    let progress = RunProgress { strategy: strategy_state::load(db, run)?, ..progress(db, run)? };
    let bonuses = bonuses(db, run)?;
    let mut best = BestQueues::new(hosts, &bonuses);
    frontier::host_queues(db, run, &mut best)?;
    let (queues, stored) = best.finish();
    Ok(RunCheckpoint {
        counters: counters(db, run)?,
        in_flight: in_flight(db, run)?,
        queues,
        stored,
        requested: requested(db, run)?,
        bonuses,
        progress,
    })
}

fn requested(db: &Connection, run: RunId) -> rusqlite::Result<Vec<RequestedHost>> {
    let sql = "SELECT host, ip, next_at, address_next_at FROM hosts WHERE run = ? AND next_at IS NOT NULL";
    let host = |row: &Row<'_>| {
        let ip = row.get::<_, Option<Word<_>>>(1)?.map(|Word(ip)| ip);
        let (next_at, group_next_at) = (Time(unsigned(row, 2)?), Time(unsigned(row, 3)?));
        Ok(RequestedHost { host: Host(row.get(0)?), ip, next_at, group_next_at })
    };
    db.prepare_cached(sql)?.query_map([bits(run.0)], host)?.collect()
}

fn bonuses(db: &Connection, run: RunId) -> rusqlite::Result<Vec<(Site, f32)>> {
    let sql = "SELECT site, bonus FROM sites WHERE run = ? AND bonus <> 0";
    let bonus = |row: &Row<'_>| Ok((Site(row.get(0)?), row.get(1)?));
    db.prepare_cached(sql)?.query_map([bits(run.0)], bonus)?.collect()
}

fn in_flight(db: &Connection, run: RunId) -> rusqlite::Result<Vec<(SentStep, Option<QueuedLink>)>> {
    let mut steps = db.prepare_cached("SELECT seq, at, target FROM in_flight WHERE run = ? ORDER BY seq")?;
    let steps = steps.query_map([bits(run.0)], |row| {
        let Json(target) = row.get(2)?;
        Ok(SentStep { seq: unsigned(row, 0)?, at: Time(unsigned(row, 1)?), target })
    })?;
    let with_link = |step: rusqlite::Result<SentStep>| {
        let step = step?;
        let link = match step.target {
            StepTarget::Link(link) => frontier::link(db, run, link)?,
            StepTarget::Robots { .. } => None,
        };
        Ok((step, link.map(|row| row.queued)))
    };
    steps.map(with_link).collect()
}

/// Progress of a run, without the state of its strategy.
fn progress(db: &Connection, run: RunId) -> rusqlite::Result<RunProgress> {
    let sql = "SELECT state, next_seq, next_order, now, generation, elapsed_ms, max_requests
        FROM progress WHERE run = ?";
    db.prepare_cached(sql)?.query_row([bits(run.0)], |row| {
        let Word(state) = row.get(0)?;
        Ok(RunProgress {
            state,
            next_seq: unsigned(row, 1)?,
            next_arrival: unsigned(row, 2)?,
            now: Time(unsigned(row, 3)?),
            generation: row.get(4)?,
            elapsed_ms: unsigned(row, 5)?,
            max_requests: row.get::<_, Option<i64>>(6)?.map(i64::cast_unsigned),
            strategy: None,
        })
    })
}

fn counters(db: &Connection, run: RunId) -> rusqlite::Result<RunCounters> {
    let sql = "SELECT requests, bytes, pages, failed, sites, forms, searchable, relevant, waiting, probes
        FROM progress WHERE run = ?";
    let errors = errors(db, run)?;
    db.prepare_cached(sql)?.query_row([bits(run.0)], |row| {
        Ok(RunCounters {
            requests: unsigned(row, 0)?,
            bytes: unsigned(row, 1)?,
            pages: unsigned(row, 2)?,
            failed: unsigned(row, 3)?,
            sites: unsigned(row, 4)?,
            forms: unsigned(row, 5)?,
            searchable: unsigned(row, 6)?,
            relevant: unsigned(row, 7)?,
            waiting: unsigned(row, 8)?,
            probes: unsigned(row, 9)?,
            errors,
        })
    })
}

fn errors(db: &Connection, run: RunId) -> rusqlite::Result<BTreeMap<FailureKind, u64>> {
    let mut errors = db.prepare_cached("SELECT kind, count FROM errors WHERE run = ?")?;
    let mut counts = BTreeMap::new();
    for count in
        errors.query_map([bits(run.0)], |row| Ok((row.get::<_, Word<_>>(0)?.0, unsigned(row, 1)?)))?
    {
        let (kind, times): (FailureKind, u64) = count?;
        *counts.entry(kind).or_default() += times;
    }
    Ok(counts)
}

/// Writes the progress of a run, without the state of its strategy.
pub fn save_progress(db: &Connection, run: RunId, progress: &RunProgress) -> rusqlite::Result<()> {
    let sql =
        "INSERT INTO progress (run, state, next_seq, next_order, now, generation, elapsed_ms, max_requests)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET state = excluded.state, next_seq = excluded.next_seq,
            next_order = excluded.next_order, now = excluded.now, generation = excluded.generation,
            elapsed_ms = excluded.elapsed_ms, max_requests = excluded.max_requests";
    db.prepare_cached(sql)?.execute(params![
        bits(run.0),
        Word(progress.state),
        bits(progress.next_seq),
        bits(progress.next_arrival),
        bits(progress.now.0),
        progress.generation,
        bits(progress.elapsed_ms),
        progress.max_requests.map(bits),
    ])?;
    Ok(())
}

/// Adds to the counters of a run. `waiting` is the change of the frontier's length and may be negative.
pub fn add_counters(db: &Connection, run: RunId, more: &RunCounters, waiting: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE progress SET requests = requests + ?, bytes = bytes + ?, pages = pages + ?,
            failed = failed + ?, sites = sites + ?, forms = forms + ?, searchable = searchable + ?,
            relevant = relevant + ?, probes = probes + ?, waiting = waiting + ? WHERE run = ?";
    db.prepare_cached(sql)?.execute(params![
        bits(more.requests),
        bits(more.bytes),
        bits(more.pages),
        bits(more.failed),
        bits(more.sites),
        bits(more.forms),
        bits(more.searchable),
        bits(more.relevant),
        bits(more.probes),
        waiting,
        bits(run.0),
    ])?;
    for (kind, times) in &more.errors {
        db.prepare_cached(
            "INSERT INTO errors (run, kind, count) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET count = count + excluded.count",
        )?
        .execute(params![bits(run.0), Word(kind), bits(*times)])?;
    }
    Ok(())
}

/// Columns of [`spec`], in its order.
pub const SPEC: &str = "id, topic, strategy, seeds, seed, source";

/// Number and specification of a run.
pub fn spec(row: &Row<'_>) -> rusqlite::Result<(RunId, RunSpec)> {
    let Json(seeds) = row.get(3)?;
    let (topic, strategy, source) = (row.get(1)?, row.get(2)?, row.get(5)?);
    Ok((RunId(unsigned(row, 0)?), RunSpec { topic, strategy, seeds, seed: unsigned(row, 4)?, source }))
}

/// A run with the selected parts.
pub fn row(db: &Connection, run: RunId, spec: RunSpec, parts: RunParts) -> rusqlite::Result<RunRow> {
    let strategy = if parts.strategy { strategy_state::load(db, run)? } else { None };
    let curve = if parts.curve { catalogue::curves::of_run(db, run)? } else { Vec::new() };
    Ok(RunRow {
        id: run,
        spec,
        progress: RunProgress { strategy, ..progress(db, run)? },
        counters: counters(db, run)?,
        curve,
        queues: catalogue::rows::queue_lengths(db, run, parts.queues)?,
        lessons: catalogue::rows::latest_lessons(db, run, parts.lessons)?,
    })
}
