//! Records that came up, in that order, and those among them that have certain words.

use super::super::super::search::SearchWords;
use super::super::super::{HarvestId, RecordRow};
use super::super::codec::{Json, Word, bits, undecodable, unsigned};
use super::words;
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

/// Which record is in a row.
pub fn id_at(db: &Connection, n: i64) -> rusqlite::Result<RecordId> {
    let mut sought = db.prepare_cached("SELECT id FROM records WHERE n = ?")?;
    sought.query_row([n], |row| unsigned(row, 0).map(RecordId))
}

/// One record of a harvest.
pub fn one(db: &Connection, harvest: HarvestId, id: RecordId) -> rusqlite::Result<Option<RecordRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM records JOIN harvests ON harvests.id = harvest
         WHERE harvest = ? AND records.id = ?"
    );
    db.prepare_cached(&sql)?.query_row([bits(harvest.0), bits(id.0)], record).optional()
}

/// Some records, and the row number after which to go on, unless they were the last. There may be fewer than
/// asked for, and more to come.
pub type Page = (Vec<RecordRow>, Option<i64>);

/// The next records that pass after row number `last`.
pub fn after(
    db: &Connection,
    harvest: HarvestId,
    sought: Option<&SearchWords>,
    last: i64,
    limit: usize,
) -> rusqlite::Result<Page> {
    match sought {
        None => all_after(db, harvest, last, limit),
        Some(sought) if sought.words().is_empty() => Ok((Vec::new(), None)),
        Some(sought) => {
            let most = (limit, words::MOST_MILES);
            let (found, end) = words::after(db, bits(harvest.0), sought.words(), last, most)?;
            let rows = found.iter().zip(at(db, &found)?);
            let wanted = rows.filter(|(n, row)| !words::is_milestone(**n) || has_words(row, sought));
            Ok((wanted.map(|(_, row)| row).collect(), end))
        }
    }
}

fn has_words(row: &RecordRow, sought: &SearchWords) -> bool {
    sought.is_in(&[&row.record.title, &row.record.text, row.detail.as_deref().unwrap_or_default()])
}

fn all_after(db: &Connection, harvest: HarvestId, last: i64, limit: usize) -> rusqlite::Result<Page> {
    let sql = format!(
        "SELECT {COLUMNS} FROM records INDEXED BY records_of_harvest JOIN harvests ON harvests.id = harvest
         WHERE harvest = ? AND records.n > ? ORDER BY records.n LIMIT ?"
    );
    let mut end = None;
    let row = |row: &Row<'_>| {
        end = Some(row.get(0)?);
        record(row)
    };
    let values = params![bits(harvest.0), last, limit as i64];
    let rows = db.prepare_cached(&sql)?.query_map(values, row)?.collect::<rusqlite::Result<Vec<_>>>()?;
    let end = end.filter(|_| rows.len() == limit);
    Ok((rows, end))
}

/// The records in these rows.
fn at(db: &Connection, numbers: &[i64]) -> rusqlite::Result<Vec<RecordRow>> {
    let sql =
        format!("SELECT {COLUMNS} FROM records JOIN harvests ON harvests.id = harvest WHERE records.n = ?");
    let mut sought = db.prepare_cached(&sql)?;
    numbers.iter().map(|n| sought.query_row([n], record)).collect()
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
