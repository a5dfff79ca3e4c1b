//! Records in the order they were found, and search among them.

use super::super::super::search::SearchWords;
use super::super::super::{HarvestId, RecordDates, RecordRow};
use super::super::codec::{self, Json, Word, bits, undecodable, unsigned};
use super::word_index;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Number of records per page, if a query states none. Each may carry the text of a page. Guess.
pub const ROWS_PER_PAGE: usize = 100;

const COLUMNS: &str = "records.n, harvest, form_id, topic, records.id, url, title, text, fields,
    query_number, query_text, position, fetched_at, detail, seen_at, changed_at, removed_at";

/// One record of a harvest.
pub fn one(db: &Connection, harvest: HarvestId, id: RecordId) -> rusqlite::Result<Option<RecordRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM records JOIN harvests ON harvests.id = harvest
         WHERE harvest = ? AND records.id = ?"
    );
    db.prepare_cached(&sql)?.query_row([bits(harvest.0), bits(id.0)], record).optional()
}

/// The next records after a record (or from the first on, if it is unknown), and the record after which to continue.
/// There may be fewer than `limit` records although more follow.
pub fn after(
    db: &Connection,
    harvest: HarvestId,
    search: Option<&SearchWords>,
    since: Option<Time>,
    last: Option<u64>,
    limit: usize,
) -> rusqlite::Result<(Vec<RecordRow>, Option<RecordId>)> {
    let last = row_number(db, harvest, last)?;
    match search {
        None => all_after(db, harvest, since, last, limit),
        Some(search) if search.words().is_empty() => Ok((Vec::new(), None)),
        Some(search) => {
            let (mut rows, end) = found_after(db, harvest, search, last, limit)?;
            rows.retain(|row| since.is_none_or(|since| row.modified_at() >= since));
            Ok((rows, end))
        }
    }
}

/// Row number of a record; 0, which comes before all, for an unknown one.
fn row_number(db: &Connection, harvest: HarvestId, record: Option<u64>) -> rusqlite::Result<i64> {
    let Some(record) = record else { return Ok(0) };
    let mut known = db.prepare_cached("SELECT n FROM records WHERE harvest = ? AND id = ?")?;
    Ok(known.query_row([bits(harvest.0), bits(record)], |row| row.get(0)).optional()?.unwrap_or(0))
}

fn all_after(
    db: &Connection,
    harvest: HarvestId,
    since: Option<Time>,
    last: i64,
    limit: usize,
) -> rusqlite::Result<(Vec<RecordRow>, Option<RecordId>)> {
    let sql = format!(
        "SELECT {COLUMNS} FROM records INDEXED BY records_of_harvest JOIN harvests ON harvests.id = harvest
         WHERE harvest = ?1 AND records.n > ?2
             AND (?4 IS NULL OR max(fetched_at, coalesce(changed_at, 0), coalesce(removed_at, 0)) >= ?4)
         ORDER BY records.n LIMIT ?3"
    );
    let since = since.map(|since| bits(since.0));
    let values = params![bits(harvest.0), last, codec::limit(limit), since];
    let rows = db.prepare_cached(&sql)?.query_map(values, record)?.collect::<rusqlite::Result<Vec<_>>>()?;
    let end = rows.last().filter(|_| rows.len() == limit).map(|row| row.record.id);
    Ok((rows, end))
}

fn found_after(
    db: &Connection,
    harvest: HarvestId,
    search: &SearchWords,
    last: i64,
    limit: usize,
) -> rusqlite::Result<(Vec<RecordRow>, Option<RecordId>)> {
    let most = (limit, word_index::MAX_MILESTONES);
    let (found, end) = word_index::after(db, bits(harvest.0), search.words(), last, most)?;
    let mut rows = in_rows(db, &found)?;
    let end = end.and_then(|_| rows.last()).map(|row| row.record.id);
    let mut numbers = found.iter();
    rows.retain(|row| {
        !numbers.next().is_some_and(|n| word_index::is_milestone(*n)) || search.are_in_record(row)
    });
    Ok((rows, end))
}

/// The records in these rows.
fn in_rows(db: &Connection, numbers: &[i64]) -> rusqlite::Result<Vec<RecordRow>> {
    let sql =
        format!("SELECT {COLUMNS} FROM records JOIN harvests ON harvests.id = harvest WHERE records.n = ?");
    let mut read = db.prepare_cached(&sql)?;
    numbers.iter().map(|n| read.query_row([n], record)).collect()
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
        query_number: row.get(9)?,
        words: row.get(10)?,
        position: row.get(11)?,
        fetched_at: Time(unsigned(row, 12)?),
        detail: row.get(13)?,
        dates: RecordDates { seen: time(row, 14)?, changed: time(row, 15)?, removed: time(row, 16)? },
    })
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Time>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(|time| Time(time.cast_unsigned())))
}
