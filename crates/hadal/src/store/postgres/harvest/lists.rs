//! Finished queries, and records in the order they were found.

use super::super::super::search::SearchWords;
use super::super::super::{
    AnswerRecord, HarvestId, PastAnswer, QueryRechecks, QueryRow, RecordDates, RecordRow,
};
use super::super::codec::{self, Columns, bits, wide};
use super::super::connection::{Command, ServerConnection, Value, command};
use super::super::fault::Fault;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use tokio_postgres::Row;

/// Number of records per page, if a query states none. Each may carry the text of a page. Guess.
pub const RECORDS_PER_PAGE: usize = 100;

const COLUMNS: &str =
    "harvest, form_id, topic, records.id, url, title, text, fields, query_number, query_text, position,
    fetched_at, detail, seen_at, changed_at, removed_at FROM records JOIN harvests ON harvests.id = harvest";

/// The next queries after a number, with those records of their answers that the harvest has.
pub fn answers_after(
    connection: &ServerConnection,
    harvest: HarvestId,
    last: Option<u32>,
    limit: usize,
) -> Result<Vec<PastAnswer>, Fault> {
    let queries = queries_after(connection, harvest, last, limit)?;
    let hits: Vec<i64> = queries.iter().flat_map(|query| &query.hits).map(|hit| bits(hit.0)).collect();
    let sql = format!("SELECT {COLUMNS} WHERE harvest = $1 AND records.id = ANY($2)");
    let found = connection.query(command!(sql, bits(harvest.0), hits))?;
    let found = found.iter().map(|row| record(row).map(|record| (record.record.id, record)));
    let found: FxHashMap<RecordId, RecordRow> = found.collect::<Result<_, Fault>>()?;
    let answer = |query: QueryRow| {
        let records = query.hits.iter().filter_map(|hit| found.get(hit).cloned());
        let records = records.map(|record| AnswerRecord::of(record, query.number)).collect();
        PastAnswer { query, records }
    };
    Ok(queries.into_iter().map(answer).collect())
}

/// The next queries of a harvest after a number.
pub fn queries_after(
    connection: &ServerConnection,
    harvest: HarvestId,
    last: Option<u32>,
    limit: usize,
) -> Result<Vec<QueryRow>, Fault> {
    let sql = "SELECT harvest, form_id, number, query, query_text, kind, total, found, new, pages, requests, ending,
            at, hits, next, rechecks, changes, record_days
        FROM queries JOIN harvests ON id = harvest WHERE harvest = $1 AND number > $2 ORDER BY number LIMIT $3";
    let command = command!(sql, bits(harvest.0), last.map_or(-1, wide), codec::limit(limit));
    connection.query(command)?.iter().map(query_row).collect()
}

fn query_row(row: &Row) -> Result<QueryRow, Fault> {
    let hits: &[u8] = row.column(13)?;
    Ok(QueryRow {
        harvest: HarvestId(row.unsigned(0)?),
        form: row.parsed(1)?,
        number: row.number(2)?,
        query: row.json(3)?,
        words: row.text(4)?,
        kind: row.text(5)?,
        total: row.optional_json(6)?,
        found: row.number(7)?,
        new: row.number(8)?,
        pages: row.number(9)?,
        requests: row.number(10)?,
        end: row.word(11)?,
        at: Time(row.unsigned(12)?),
        hits: hits.as_chunks::<8>().0.iter().map(|id| RecordId(u64::from_le_bytes(*id))).collect(),
        next: row.optional_packed(14)?,
        rechecks: QueryRechecks {
            times: row.number(15)?,
            changes: row.number(16)?,
            record_days: row.column(17)?,
        },
    })
}

/// The next records after a record (or from the first on, if it is unknown), and the record after which to continue.
pub fn records_after(
    connection: &ServerConnection,
    harvest: HarvestId,
    search: Option<&SearchWords>,
    since: Option<Time>,
    last: Option<u64>,
    limit: usize,
) -> Result<(Vec<RecordRow>, Option<RecordId>), Fault> {
    if search.is_some_and(|search| search.words().is_empty()) {
        return Ok((Vec::new(), None));
    }
    let mut values: Vec<Value> =
        vec![Box::new(bits(harvest.0)), Box::new(last.map(bits)), Box::new(codec::limit(limit))];
    let mut conditions = vec![
        "harvest = $1".to_string(),
        "records.n > coalesce((SELECT n FROM records WHERE harvest = $1 AND id = $2), 0)".to_string(),
    ];
    if let Some(search) = search {
        let words = codec::all_words(search.words());
        codec::condition(&mut conditions, &mut values, "words @@ ({}::text)::tsquery", Box::new(words));
    }
    if let Some(since) = since {
        let modified = "greatest(fetched_at, changed_at, removed_at) >= {}";
        codec::condition(&mut conditions, &mut values, modified, Box::new(bits(since.0)));
    }
    let sql = format!("SELECT {COLUMNS} {} ORDER BY records.n LIMIT $3", codec::where_all(&conditions));
    let rows = connection.query(Command { sql: sql.into(), values })?;
    let rows = rows.iter().map(record).collect::<Result<Vec<_>, Fault>>()?;
    let end = rows.last().filter(|_| rows.len() == limit).map(|row| row.record.id);
    Ok((rows, end))
}

fn record(row: &Row) -> Result<RecordRow, Fault> {
    let url: Option<&str> = row.column(4)?;
    Ok(RecordRow {
        harvest: HarvestId(row.unsigned(0)?),
        form: row.parsed(1)?,
        topic: row.text(2)?,
        record: Record {
            id: RecordId(row.unsigned(3)?),
            url: url.map(|url| url.parse().map_err(Fault::damaged)).transpose()?,
            title: row.text(5)?,
            text: row.text(6)?,
            fields: row.json(7)?,
        },
        query_number: row.number(8)?,
        words: row.text(9)?,
        position: row.number(10)?,
        fetched_at: Time(row.unsigned(11)?),
        detail: row.optional_text(12)?,
        dates: RecordDates { seen: time(row, 13)?, changed: time(row, 14)?, removed: time(row, 15)? },
    })
}

fn time(row: &Row, column: usize) -> Result<Option<Time>, Fault> {
    Ok(row.column::<Option<i64>>(column)?.map(|time| Time(time.cast_unsigned())))
}
