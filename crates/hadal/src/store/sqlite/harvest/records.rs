//! Records that came up, in that order, and those among them that have certain words.

use super::super::super::search::Sought;
use super::super::super::{HarvestId, RecordRow};
use super::super::codec::{Json, Word, bits, undecodable, unsigned};
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Records that are read at once: each may carry the text of a page.
pub const CHUNK: usize = 100;

const COLUMNS: &str = "records.n, harvest, form_id, topic, records.id, url, title, text, fields, asked,
    records.words, position, fetched_at, detail";

/// The number of a record's row; 0, which comes before all, when there is no such record.
pub fn number_of(db: &Connection, harvest: HarvestId, record: Option<u64>) -> rusqlite::Result<i64> {
    let Some(record) = record else { return Ok(0) };
    let mut sought = db.prepare_cached("SELECT n FROM records WHERE harvest = ? AND id = ?")?;
    Ok(sought.query_row([bits(harvest.0), bits(record)], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// One record of a harvest.
pub fn one(db: &Connection, harvest: HarvestId, id: RecordId) -> rusqlite::Result<Option<RecordRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM records JOIN harvests ON harvests.id = harvest
         WHERE harvest = ? AND records.id = ?"
    );
    db.prepare_cached(&sql)?.query_row([bits(harvest.0), bits(id.0)], record).optional()
}

/// The next records that pass after row number `last`, and the number of the last of them.
pub fn after(
    db: &Connection,
    harvest: HarvestId,
    sought: Option<&Sought>,
    last: i64,
    limit: i64,
) -> rusqlite::Result<(Vec<RecordRow>, i64)> {
    match sought {
        None => all_after(db, harvest, last, limit),
        Some(sought) => found_after(db, harvest, sought, last, limit),
    }
}

fn all_after(
    db: &Connection,
    harvest: HarvestId,
    last: i64,
    limit: i64,
) -> rusqlite::Result<(Vec<RecordRow>, i64)> {
    let sql = format!(
        "SELECT {COLUMNS} FROM records INDEXED BY records_of_harvest JOIN harvests ON harvests.id = harvest
         WHERE harvest = ? AND records.n > ? ORDER BY records.n LIMIT ?"
    );
    read(db, &sql, params![bits(harvest.0), last, limit], last)
}

/// The index knows nothing of harvests, but the rows of one lie close together.
fn found_after(
    db: &Connection,
    harvest: HarvestId,
    sought: &Sought,
    last: i64,
    limit: i64,
) -> rusqlite::Result<(Vec<RecordRow>, i64)> {
    let bounds = "SELECT (SELECT min(n) FROM records WHERE harvest = ?1), (SELECT max(n) FROM records WHERE harvest = ?1)";
    let bounds: (Option<i64>, Option<i64>) =
        db.prepare_cached(bounds)?.query_row([bits(harvest.0)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(first), Some(end), false) = (bounds.0, bounds.1, sought.words().is_empty()) else {
        return Ok((Vec::new(), last));
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM record_words
         CROSS JOIN records ON records.n = record_words.rowid CROSS JOIN harvests ON harvests.id = harvest
         WHERE record_words MATCH ? AND record_words.rowid > ? AND record_words.rowid <= ? AND harvest = ?
         ORDER BY record_words.rowid LIMIT ?"
    );
    let words: Vec<String> = sought.words().iter().map(|word| format!("\"{word}\"")).collect();
    read(db, &sql, params![words.join(" "), last.max(first - 1), end, bits(harvest.0), limit], last)
}

fn read(
    db: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    last: i64,
) -> rusqlite::Result<(Vec<RecordRow>, i64)> {
    let mut end = last;
    let row = |row: &Row<'_>| {
        end = row.get(0)?;
        record(row)
    };
    let rows = db.prepare_cached(sql)?.query_map(values, row)?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok((rows, end))
}

fn record(row: &Row<'_>) -> rusqlite::Result<RecordRow> {
    let (form, Json(fields)): (String, _) = (row.get(2)?, row.get(8)?);
    let url = row.get::<_, Option<Word<_>>>(5)?.map(|Word(url)| url);
    Ok(RecordRow {
        harvest: HarvestId(unsigned(row, 1)?),
        form: form.parse().map_err(|error| undecodable(2, error))?,
        topic: row.get(3)?,
        record: Record {
            id: RecordId(unsigned(row, 4)?),
            url,
            title: row.get(6)?,
            text: row.get(7)?,
            fields,
        },
        asked: row.get(9)?,
        words: row.get(10)?,
        position: row.get(11)?,
        fetched_at: Time(unsigned(row, 12)?),
        detail: row.get(13)?,
    })
}
