//! Harvests: specification, progress and counters.

use super::super::super::*;
use super::super::catalogue::curves;
use super::super::codec::{self, Json, Word, bits, packed, undecodable, unsigned};
use super::super::submissions;
use super::word_index;
use crate::store::HARVEST_TABLES;
use hadal_core::address::Site;
use hadal_core::identity::FormId;
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
    let new = "INSERT INTO harvests (form_id, policy, seed, source, topic, page_url, began, whole, site)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let (page, snapshot, site) = (spec.page.as_str(), packed(&spec.form_snapshot)?, Site::of(&spec.page).0);
    let values = params![form, spec.policy, seed, spec.source, spec.topic, page, bits(now.0), snapshot, site];
    db.execute(new, values)?;
    let harvest = db.last_insert_rowid();
    let (state, now) = (Word(HarvestState::default()), bits(now.0));
    db.execute(
        "INSERT INTO harvest_progress (harvest, state, now) VALUES (?, ?, ?)",
        params![harvest, state, now],
    )?;
    Ok(HarvestId(harvest.cast_unsigned()))
}

/// Deletes a harvest from every table except the audit log.
pub fn discard(db: &Connection, harvest: HarvestId) -> rusqlite::Result<()> {
    word_index::remove_harvest(db, bits(harvest.0))?;
    for table in HARVEST_TABLES {
        let key = if table == "harvests" { "id" } else { "harvest" };
        db.execute(&format!("DELETE FROM {table} WHERE {key} = ?"), [bits(harvest.0)])?;
    }
    Ok(())
}

/// Writes the progress of a harvest.
pub fn save_progress(
    db: &Connection,
    harvest: HarvestId,
    progress: &HarvestProgress,
) -> rusqlite::Result<()> {
    let sql = "UPDATE harvest_progress SET state = ?, ending = ?, now = ?, elapsed_ms = ? WHERE harvest = ?";
    let (now, elapsed) = (bits(progress.now.0), bits(progress.elapsed_ms));
    let values = params![Word(progress.state), progress.ending, now, elapsed, bits(harvest.0)];
    db.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

pub fn checkpoint(db: &Connection, harvest: HarvestId) -> rusqlite::Result<HarvestCheckpoint> {
    let row = row_of(db, harvest, false)?;
    let next = "SELECT next_seq FROM harvest_progress WHERE harvest = ?";
    let next_seq = db.query_row(next, [bits(harvest.0)], |row| unsigned(row, 0))?;
    let logged =
        submissions::last_seq(db, Submitter::Harvest(harvest))?.map_or(0, |last| last.saturating_add(1));
    let saved = "SELECT saved FROM readers WHERE harvest = ?";
    let reader = db.query_row(saved, [bits(harvest.0)], |row| row.get(0)).optional()?;
    let form_check = form_check(db, row.spec.form)?;
    Ok(HarvestCheckpoint { row, next_seq: next_seq.max(logged), reader, form_check })
}

/// The oldest harvest that matches, from a number on. Order, position and limit of the query do not count.
pub fn first_from(
    db: &Connection,
    query: &HarvestQuery,
    from: HarvestId,
) -> rusqlite::Result<Option<HarvestId>> {
    let after = from.0.checked_sub(1).map(HarvestId);
    let query = HarvestQuery { after, limit: Some(1), order: RowOrder::Oldest, ..query.clone() };
    Ok(matching(db, &query)?.pop())
}

/// Numbers of the harvests that match.
fn matching(db: &Connection, query: &HarvestQuery) -> rusqlite::Result<Vec<HarvestId>> {
    let (is_later, direction) = query.order.sql();
    let sql = format!(
        "SELECT id FROM harvests WHERE (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR form_id = ?2)
             AND (?3 IS NULL OR topic = ?3) AND (?4 IS NULL OR id {is_later} ?4)
         ORDER BY id {direction} LIMIT ?5"
    );
    let number = |harvest: HarvestId| i64::try_from(harvest.0).unwrap_or(i64::MAX);
    let form = query.form.map(|form| form.to_string());
    let limit = codec::limit(query.limit.unwrap_or(usize::MAX));
    let values = params![query.harvest.map(number), form, query.topic, query.after.map(number), limit];
    db.prepare_cached(&sql)?.query_map(values, |row| unsigned(row, 0).map(HarvestId))?.collect()
}

/// Harvests that match.
pub fn rows(db: &Connection, query: &HarvestQuery) -> rusqlite::Result<Vec<HarvestRow>> {
    matching(db, query)?.into_iter().map(|harvest| row_of(db, harvest, query.curve)).collect()
}

fn row_of(db: &Connection, harvest: HarvestId, curve: bool) -> rusqlite::Result<HarvestRow> {
    let sql = "SELECT form_id, topic, page_url, policy, seed, source, began, whole,
            state, ending, now, elapsed_ms, requests, bytes, queries, pages, records, failed, errors,
            size_low, size, size_high, coverage_low, coverage, coverage_high, upcoming, refresh
        FROM harvests JOIN harvest_progress ON harvest = id WHERE id = ?";
    let curve = if curve { curves::of_harvest(db, harvest)? } else { Vec::new() };
    db.prepare_cached(sql)?.query_row([bits(harvest.0)], |row| {
        Ok(HarvestRow {
            id: harvest,
            spec: spec(row)?,
            began: Time(unsigned(row, 6)?),
            progress: progress(row)?,
            counters: counters(row)?,
            estimate: estimate(row)?,
            upcoming: row.get::<_, Json<_>>(25)?.0,
            curve,
            refresh: row.get::<_, Option<Json<_>>>(26)?.map(|Json(refresh)| refresh),
        })
    })
}

fn spec(row: &Row<'_>) -> rusqlite::Result<HarvestSpec> {
    let (form, Word(page)): (String, _) = (row.get(0)?, row.get(2)?);
    let snapshot: Vec<u8> = row.get(7)?;
    Ok(HarvestSpec {
        form: form.parse().map_err(|error| undecodable(0, error))?,
        topic: row.get(1)?,
        page,
        form_snapshot: postcard::from_bytes(&snapshot).map_err(|error| undecodable(7, error))?,
        policy: row.get(3)?,
        seed: unsigned(row, 4)?,
        source: row.get(5)?,
    })
}

fn progress(row: &Row<'_>) -> rusqlite::Result<HarvestProgress> {
    let (Word(state), ending) = (row.get(8)?, row.get(9)?);
    Ok(HarvestProgress { state, ending, now: Time(unsigned(row, 10)?), elapsed_ms: unsigned(row, 11)? })
}

fn counters(row: &Row<'_>) -> rusqlite::Result<HarvestCounters> {
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

/// Writes the last checks of forms.
pub fn save_checks(db: &Connection, checks: &[FormCheck]) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO form_checks (form_id, state, at, moved_to, validator)
        VALUES (?, ?, ?, ?, ?)";
    for check in checks {
        let (form, moved_to) = (check.form.to_string(), check.moved_to.as_ref().map(|url| url.as_str()));
        let values = params![form, Word(check.state), bits(check.at.0), moved_to, check.validator];
        db.prepare_cached(sql)?.execute(values)?;
    }
    Ok(())
}

/// The last check of a form.
pub fn form_check(db: &Connection, form: FormId) -> rusqlite::Result<Option<FormCheck>> {
    let sql = "SELECT state, at, moved_to, validator FROM form_checks WHERE form_id = ?";
    let read = |row: &Row<'_>| {
        Ok(FormCheck {
            form,
            state: row.get::<_, Word<_>>(0)?.0,
            at: Time(unsigned(row, 1)?),
            moved_to: row.get::<_, Option<Word<_>>>(2)?.map(|Word(url)| url),
            validator: row.get(3)?,
        })
    };
    db.prepare_cached(sql)?.query_row([form.to_string()], read).optional()
}
