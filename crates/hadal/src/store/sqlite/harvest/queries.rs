//! Finished queries and their answers.

use super::super::super::{AnswerRecord, HarvestId, PastAnswer, QueryRechecks, QueryRow};
use super::super::codec::{self, Json, Word, bits, undecodable, unsigned};
use super::records;
use hadal_core::harvest::record::RecordId;
use hadal_core::time::Time;
use rusqlite::{Connection, Row, params};

/// The next queries after a number, with those records of their answers that the harvest has.
pub fn answers_after(
    db: &Connection,
    harvest: HarvestId,
    last: Option<u32>,
    limit: usize,
) -> rusqlite::Result<Vec<PastAnswer>> {
    after(db, harvest, last, limit)?.into_iter().map(|query| answer(db, harvest, query)).collect()
}

fn answer(db: &Connection, harvest: HarvestId, query: QueryRow) -> rusqlite::Result<PastAnswer> {
    let found = query.hits.iter().map(|hit| records::one(db, harvest, *hit));
    let read = |found: rusqlite::Result<_>| found.map(|record| AnswerRecord::of(record, query.number));
    let records = found.filter_map(Result::transpose).map(read).collect::<rusqlite::Result<_>>()?;
    Ok(PastAnswer { query, records })
}

/// The next queries of a harvest after a number.
pub fn after(
    db: &Connection,
    harvest: HarvestId,
    last: Option<u32>,
    limit: usize,
) -> rusqlite::Result<Vec<QueryRow>> {
    let sql =
        "SELECT harvest, form_id, number, query, query_text, kind, total, found, new, pages, requests, ending,
            at, hits, next, rechecks, changes, record_days
        FROM queries JOIN harvests ON id = harvest WHERE harvest = ? AND number > ? ORDER BY number LIMIT ?";
    let values = params![bits(harvest.0), last.map_or(-1, i64::from), codec::limit(limit)];
    db.prepare_cached(sql)?.query_map(values, query_row)?.collect()
}

fn query_row(row: &Row<'_>) -> rusqlite::Result<QueryRow> {
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
        rechecks: QueryRechecks { times: row.get(15)?, changes: row.get(16)?, record_days: row.get(17)? },
    })
}

/// Identities of eight bytes each, least byte first.
fn ids(packed: &[u8]) -> Vec<RecordId> {
    packed.as_chunks::<8>().0.iter().map(|id| RecordId(u64::from_le_bytes(*id))).collect()
}
