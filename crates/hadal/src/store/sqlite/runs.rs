//! Runs and where they stand.

use super::super::{RunCheckpoint, RunCounters, RunId, RunProgress, RunRow, RunSpec, SentStep, StepTarget};
use super::codec::{Json, Word, bits, unsigned};
use super::frontier;
use super::schema::{AUDIT, TABLES};
use hadal_core::address::Host;
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};

const PROGRESS: &str = "state, next_seq, next_order, now, generation, elapsed_ms, max_requests";
const TALLY: &str = "requests, bytes, pages, failed, sites, forms, searchable, relevant, waiting, probes";

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
    save(db, run, &RunProgress::default())?;
    Ok(run)
}

pub fn discard(db: &Connection, run: RunId) -> rusqlite::Result<()> {
    pass_on_firsts(db, run)?;
    for table in TABLES.iter().copied().filter(|table| *table != AUDIT) {
        let key = if table == "runs" { "id" } else { "run" };
        db.execute(&format!("DELETE FROM {table} WHERE {key} = ?"), [bits(run.0)])?;
    }
    Ok(())
}

/// Of forms that this run found first, the row of the next run of its topic that found it becomes the first.
fn pass_on_firsts(db: &Connection, run: RunId) -> rusqlite::Result<()> {
    let sql = "UPDATE forms SET is_first = 1 WHERE n IN (
        SELECT (SELECT min(later.n) FROM forms AS later
                WHERE later.form_id = gone.form_id AND later.topic = gone.topic AND later.run <> gone.run)
        FROM forms AS gone WHERE gone.run = ? AND gone.is_first)";
    db.execute(sql, [bits(run.0)]).map(|_| ())
}

pub fn checkpoint(db: &Connection, run: RunId) -> rusqlite::Result<RunCheckpoint> {
    let (progress, tally) = (progress(db, run)?, tally(db, run)?);
    let resting = resting(db, run, progress.now)?;
    let (in_flight, queues) = (in_flight(db, run)?, frontier::queues(db, run)?);
    Ok(RunCheckpoint { progress, tally, in_flight, queues, resting })
}

fn resting(
    db: &Connection,
    run: RunId,
    now: Time,
) -> rusqlite::Result<Vec<(Host, Option<std::net::IpAddr>, Time)>> {
    let sql = "SELECT host, ip, address_next_at FROM hosts WHERE run = ? AND address_next_at > ?";
    let mut resting = db.prepare_cached(sql)?;
    let rows = resting.query_map([bits(run.0), bits(now.0)], |row| {
        let ip = row.get::<_, Option<Word<_>>>(1)?.map(|Word(ip)| ip);
        Ok((Host(row.get(0)?), ip, Time(unsigned(row, 2)?)))
    })?;
    rows.collect()
}

fn in_flight(
    db: &Connection,
    run: RunId,
) -> rusqlite::Result<Vec<(SentStep, Option<hadal_core::link::QueuedLink>)>> {
    let mut steps = db.prepare_cached("SELECT seq, at, work FROM in_flight WHERE run = ? ORDER BY seq")?;
    let steps = steps.query_map([bits(run.0)], |row| {
        let Json(target) = row.get(2)?;
        Ok(SentStep { seq: unsigned(row, 0)?, at: Time(unsigned(row, 1)?), target })
    })?;
    let with_lead = |step: rusqlite::Result<SentStep>| {
        let step = step?;
        let lead = match step.target {
            StepTarget::Link(link) => frontier::link(db, run, link)?,
            StepTarget::Robots { .. } => None,
        };
        Ok((step, lead))
    };
    steps.map(with_lead).collect()
}

/// Where a run stands.
fn progress(db: &Connection, run: RunId) -> rusqlite::Result<RunProgress> {
    Ok(RunProgress { strategy: saved(db, run)?, ..bare_progress(db, run)? })
}

/// The same, but for what its strategy saved.
fn bare_progress(db: &Connection, run: RunId) -> rusqlite::Result<RunProgress> {
    let sql = format!("SELECT {PROGRESS} FROM progress WHERE run = ?");
    db.prepare_cached(&sql)?.query_row([bits(run.0)], progress_of)
}

/// What a run's strategy saved.
pub fn saved(db: &Connection, run: RunId) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut saved = db.prepare_cached("SELECT saved FROM strategies WHERE run = ?")?;
    saved.query_row([bits(run.0)], |row| row.get(0)).optional()
}

/// What a run has counted.
pub fn tally(db: &Connection, run: RunId) -> rusqlite::Result<RunCounters> {
    let sql = format!("SELECT {TALLY} FROM progress WHERE run = ?");
    let mut tally = db.prepare_cached(&sql)?.query_row([bits(run.0)], tally_of)?;
    let mut errors = db.prepare_cached("SELECT kind, count FROM errors WHERE run = ?")?;
    let errors = errors.query_map([bits(run.0)], |row| Ok((row.get(0)?, unsigned(row, 1)?)))?;
    tally.errors = errors.collect::<rusqlite::Result<_>>()?;
    Ok(tally)
}

fn progress_of(row: &Row<'_>) -> rusqlite::Result<RunProgress> {
    let Word(state) = row.get(0)?;
    Ok(RunProgress {
        state,
        next_seq: unsigned(row, 1)?,
        next_order: unsigned(row, 2)?,
        now: Time(unsigned(row, 3)?),
        generation: row.get(4)?,
        elapsed_ms: unsigned(row, 5)?,
        max_requests: row.get::<_, Option<i64>>(6)?.map(i64::cast_unsigned),
        strategy: None,
    })
}

fn tally_of(row: &Row<'_>) -> rusqlite::Result<RunCounters> {
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
        errors: Default::default(),
    })
}

/// Writes where a run stands.
pub fn save(db: &Connection, run: RunId, progress: &RunProgress) -> rusqlite::Result<()> {
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
        bits(progress.next_order),
        bits(progress.now.0),
        progress.generation,
        bits(progress.elapsed_ms),
        progress.max_requests.map(bits),
    ])?;
    if let Some(saved) = &progress.strategy {
        db.prepare_cached("INSERT OR REPLACE INTO strategies (run, saved) VALUES (?, ?)")?
            .execute(params![bits(run.0), saved])?;
    }
    Ok(())
}

/// Adds to a run's counters; `waiting` may have become less.
pub fn count(db: &Connection, run: RunId, more: &RunCounters, waiting: i64) -> rusqlite::Result<()> {
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
        .execute(params![bits(run.0), kind, bits(*times)])?;
    }
    Ok(())
}

pub fn rows(db: &Connection) -> rusqlite::Result<Vec<RunRow>> {
    let mut specs = db.prepare(&format!("SELECT {SPEC} FROM runs ORDER BY id"))?;
    let specs = specs.query_map([], spec_of)?;
    let whole = |found: rusqlite::Result<(RunId, RunSpec)>| {
        let (id, spec) = found?;
        Ok(RunRow { id, spec, progress: progress(db, id)?, tally: tally(db, id)? })
    };
    specs.map(whole).collect()
}

const SPEC: &str = "id, topic, strategy, seeds, seed, source";

fn spec_of(row: &Row<'_>) -> rusqlite::Result<(RunId, RunSpec)> {
    let Json(seeds) = row.get(3)?;
    let (topic, strategy, source) = (row.get(1)?, row.get(2)?, row.get(5)?);
    Ok((RunId(unsigned(row, 0)?), RunSpec { topic, strategy, seeds, seed: unsigned(row, 4)?, source }))
}

/// Runs older than `before`, the newest first, without what their strategies saved.
pub fn newest(
    db: &Connection,
    topic: Option<&str>,
    before: Option<RunId>,
    most: usize,
) -> rusqlite::Result<Vec<RunRow>> {
    let sql = format!(
        "SELECT {SPEC} FROM runs WHERE (?1 IS NULL OR topic = ?1) AND id < ?2 ORDER BY id DESC LIMIT ?3"
    );
    let before = before.map_or(i64::MAX, |run| i64::try_from(run.0).unwrap_or(i64::MAX));
    let mut specs = db.prepare_cached(&sql)?;
    let specs = specs.query_map(params![topic, before, most as i64], spec_of)?;
    specs.map(|found| bare(db, found?)).collect()
}

/// One run, likewise.
pub fn one(db: &Connection, run: RunId) -> rusqlite::Result<Option<RunRow>> {
    let mut spec = db.prepare_cached(&format!("SELECT {SPEC} FROM runs WHERE id = ?"))?;
    let found = spec.query_row([bits(run.0)], spec_of).optional()?;
    found.map(|found| bare(db, found)).transpose()
}

fn bare(db: &Connection, (id, spec): (RunId, RunSpec)) -> rusqlite::Result<RunRow> {
    Ok(RunRow { id, spec, progress: bare_progress(db, id)?, tally: tally(db, id)? })
}
