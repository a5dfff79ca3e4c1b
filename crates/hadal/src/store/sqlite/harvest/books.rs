//! Harvests and where they stand.

use super::super::super::*;
use super::super::codec::{Json, Word, bits, packed, undecodable, unsigned};
use super::super::schema::{HARVEST_TABLES, WORDS};
use super::super::submissions;
use hadal_core::harvest::record::RecordId;
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};

pub fn exists(db: &Connection, harvest: HarvestId) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM harvest_progress WHERE harvest = ?")?.exists([bits(harvest.0)])
}

pub fn begin(db: &Connection, spec: &HarvestSpec, now: Time) -> rusqlite::Result<HarvestId> {
    let (form, seed) = (spec.form.to_string(), bits(spec.seed));
    let same = "SELECT id FROM harvests WHERE form_id = ? AND policy = ? AND seed = ? AND source = ?";
    let key = params![form, spec.policy, seed, spec.source];
    if let Some(id) = db.query_row(same, key, |row| unsigned(row, 0)).optional()? {
        return Ok(HarvestId(id));
    }
    let new = "INSERT INTO harvests (form_id, policy, seed, source, topic, page_url, began, whole)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    let (page, whole) = (spec.page.as_str(), packed(&spec.whole)?);
    db.execute(new, params![form, spec.policy, seed, spec.source, spec.topic, page, bits(now.0), whole])?;
    let harvest = db.last_insert_rowid();
    let (state, now) = (Word(HarvestState::default()), bits(now.0));
    db.execute(
        "INSERT INTO harvest_progress (harvest, state, now) VALUES (?, ?, ?)",
        params![harvest, state, now],
    )?;
    Ok(HarvestId(harvest.cast_unsigned()))
}

pub fn discard(db: &Connection, harvest: HarvestId) -> rusqlite::Result<()> {
    let words = format!("DELETE FROM {WORDS} WHERE rowid IN (SELECT n FROM records WHERE harvest = ?)");
    db.execute(&words, [bits(harvest.0)])?;
    for table in HARVEST_TABLES {
        let key = if table == "harvests" { "id" } else { "harvest" };
        db.execute(&format!("DELETE FROM {table} WHERE {key} = ?"), [bits(harvest.0)])?;
    }
    Ok(())
}

/// Writes where a harvest stands.
pub fn note(db: &Connection, harvest: HarvestId, progress: &HarvestProgress) -> rusqlite::Result<()> {
    let sql = "UPDATE harvest_progress SET state = ?, ending = ?, now = ?, elapsed_ms = ? WHERE harvest = ?";
    let (now, elapsed) = (bits(progress.now.0), bits(progress.elapsed_ms));
    let values = params![Word(progress.state), progress.ending, now, elapsed, bits(harvest.0)];
    db.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

pub fn checkpoint(db: &Connection, harvest: HarvestId) -> rusqlite::Result<HarvestCheckpoint> {
    let row = row_of(db, harvest)?;
    let next = "SELECT next_seq FROM harvest_progress WHERE harvest = ?";
    let next_seq = db.query_row(next, [bits(harvest.0)], |row| unsigned(row, 0))?;
    let logged = submissions::last_of(db, harvest)?.map_or(0, |last| last.saturating_add(1));
    let saved = "SELECT saved FROM readers WHERE harvest = ?";
    let reader = db.query_row(saved, [bits(harvest.0)], |row| row.get(0)).optional()?;
    Ok(HarvestCheckpoint { row, next_seq: next_seq.max(logged), reader, open: open(db, harvest)? })
}

/// Records that no ended query accounts for.
fn open(db: &Connection, harvest: HarvestId) -> rusqlite::Result<Vec<RecordId>> {
    let sql = "
        SELECT id FROM records
        WHERE n IN (SELECT n FROM records AS found INDEXED BY records_of_query
                    WHERE harvest = ?1 AND NOT EXISTS (
                        SELECT 1 FROM queries WHERE harvest = ?1 AND number = found.asked))
        ORDER BY n";
    let mut sought = db.prepare_cached(sql)?;
    sought.query_map([bits(harvest.0)], |row| unsigned(row, 0).map(RecordId))?.collect()
}

/// The numbers of the harvests that pass, oldest first.
pub fn passing(db: &Connection, filter: &HarvestFilter) -> rusqlite::Result<Vec<HarvestId>> {
    let sql = "SELECT id FROM harvests WHERE (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR form_id = ?2)
            AND (?3 IS NULL OR topic = ?3) AND (?4 IS NULL OR id >= ?4) ORDER BY id";
    let number = |harvest: HarvestId| bits(harvest.0);
    let (only, after) = (filter.harvest.map(number), filter.after.map(|(harvest, _)| number(harvest)));
    let values = params![only, filter.form.map(|form| form.to_string()), filter.topic, after];
    db.prepare_cached(sql)?.query_map(values, |row| unsigned(row, 0).map(HarvestId))?.collect()
}

pub fn rows(db: &Connection, filter: &HarvestFilter) -> rusqlite::Result<Vec<HarvestRow>> {
    passing(db, filter)?.into_iter().map(|harvest| row_of(db, harvest)).collect()
}

fn row_of(db: &Connection, harvest: HarvestId) -> rusqlite::Result<HarvestRow> {
    let sql = "SELECT form_id, topic, page_url, policy, seed, source, began, whole,
            state, ending, now, elapsed_ms, requests, bytes, queries, pages, records, failed, errors,
            size_low, size, size_high, coverage_low, coverage, coverage_high
        FROM harvests JOIN harvest_progress ON harvest = id WHERE id = ?";
    db.prepare_cached(sql)?.query_row([bits(harvest.0)], |row| {
        Ok(HarvestRow {
            id: harvest,
            spec: spec(row)?,
            began: Time(unsigned(row, 6)?),
            progress: progress(row)?,
            tally: tally(row)?,
            estimate: estimate(row)?,
        })
    })
}

fn spec(row: &Row<'_>) -> rusqlite::Result<HarvestSpec> {
    let (form, Word(page)): (String, _) = (row.get(0)?, row.get(2)?);
    let whole: Vec<u8> = row.get(7)?;
    Ok(HarvestSpec {
        form: form.parse().map_err(|error| undecodable(0, error))?,
        topic: row.get(1)?,
        page,
        whole: postcard::from_bytes(&whole).map_err(|error| undecodable(7, error))?,
        policy: row.get(3)?,
        seed: unsigned(row, 4)?,
        source: row.get(5)?,
    })
}

fn progress(row: &Row<'_>) -> rusqlite::Result<HarvestProgress> {
    let (Word(state), ending) = (row.get(8)?, row.get(9)?);
    Ok(HarvestProgress { state, ending, now: Time(unsigned(row, 10)?), elapsed_ms: unsigned(row, 11)? })
}

fn tally(row: &Row<'_>) -> rusqlite::Result<HarvestCounters> {
    Ok(HarvestCounters {
        requests: unsigned(row, 12)?,
        bytes: unsigned(row, 13)?,
        queries: unsigned(row, 14)?,
        pages: unsigned(row, 15)?,
        records: unsigned(row, 16)?,
        failed: unsigned(row, 17)?,
        errors: row.get::<_, Json<_>>(18)?.0,
    })
}

fn estimate(row: &Row<'_>) -> rusqlite::Result<Option<HarvestEstimate>> {
    if row.get::<_, Option<f64>>(19)?.is_none() {
        return Ok(None);
    }
    let size = [row.get(19)?, row.get(20)?, row.get(21)?];
    Ok(Some(HarvestEstimate { size, coverage: [row.get(22)?, row.get(23)?, row.get(24)?] }))
}

/// Harvests older than `before`, the newest first.
pub fn newest(db: &Connection, before: Option<HarvestId>, most: usize) -> rusqlite::Result<Vec<HarvestRow>> {
    let before = before.map_or(i64::MAX, |harvest| i64::try_from(harvest.0).unwrap_or(i64::MAX));
    let mut ids = db.prepare_cached("SELECT id FROM harvests WHERE id < ? ORDER BY id DESC LIMIT ?")?;
    let ids = ids.query_map(params![before, most as i64], |row| unsigned(row, 0).map(HarvestId))?;
    ids.map(|id| row_of(db, id?)).collect()
}

/// What a harvest would ask next, as it stood after its last query.
pub fn outlook(db: &Connection, harvest: HarvestId) -> rusqlite::Result<Vec<String>> {
    let mut next = db.prepare_cached("SELECT next FROM harvest_progress WHERE harvest = ?")?;
    let found = next.query_row([bits(harvest.0)], |row| row.get::<_, Json<Vec<String>>>(0)).optional()?;
    Ok(found.map(|Json(next)| next).unwrap_or_default())
}
