//! Queries that were asked, and their answers as they were.

use super::super::super::{AnswerRecord, HarvestId, QueryRow};
use super::super::codec::{Json, Word, bits, undecodable, unsigned};
use super::records;
use hadal_core::harvest::record::RecordId;
use hadal_core::time::Time;
use rusqlite::{Connection, Row, params};

/// The next query after this number, and the records of its answer that the harvest has.
pub fn answer_after(
    db: &Connection,
    harvest: HarvestId,
    last: Option<u32>,
) -> rusqlite::Result<Option<(QueryRow, Vec<AnswerRecord>)>> {
    let Some(row) = after(db, harvest, last, 1)?.pop() else { return Ok(None) };
    let found = row.hits.iter().map(|hit| records::one(db, harvest, *hit));
    let told = |found: rusqlite::Result<_>| found.map(|record| AnswerRecord::of(record, row.number));
    let hits = found.filter_map(Result::transpose).map(told).collect::<rusqlite::Result<_>>()?;
    Ok(Some((row, hits)))
}

/// The next queries of a harvest after this number.
pub fn after(
    db: &Connection,
    harvest: HarvestId,
    last: Option<u32>,
    limit: i64,
) -> rusqlite::Result<Vec<QueryRow>> {
    let sql =
        "SELECT harvest, form_id, number, query, words, kind, total, found, new, pages, requests, ending,
            at, hits, next
        FROM queries JOIN harvests ON id = harvest WHERE harvest = ? AND number > ? ORDER BY number LIMIT ?";
    let last = last.map_or(-1, i64::from);
    let mut sought = db.prepare_cached(sql)?;
    sought.query_map(params![bits(harvest.0), last, limit], asked)?.collect()
}

fn asked(row: &Row<'_>) -> rusqlite::Result<QueryRow> {
    let form: String = row.get(1)?;
    let (Json(query), Word(end)) = (row.get(3)?, row.get(11)?);
    Ok(QueryRow {
        harvest: HarvestId(unsigned(row, 0)?),
        form: form.parse().map_err(|error| undecodable(1, error))?,
        number: row.get(2)?,
        query,
        words: row.get(4)?,
        kind: row.get(5)?,
        total: row.get::<_, Option<Json<_>>>(6)?.map(|Json(total)| total),
        found: row.get(7)?,
        new: row.get(8)?,
        pages: row.get(9)?,
        requests: row.get(10)?,
        end,
        at: Time(unsigned(row, 12)?),
        hits: ids(row.get_ref(13)?.as_blob()?),
        next: row
            .get::<_, Option<Vec<u8>>>(14)?
            .map(|packed| postcard::from_bytes(&packed).map_err(|error| undecodable(14, error)))
            .transpose()?,
    })
}

/// Ids of eight bytes each.
fn ids(packed: &[u8]) -> Vec<RecordId> {
    packed.as_chunks::<8>().0.iter().map(|id| RecordId(u64::from_le_bytes(*id))).collect()
}
