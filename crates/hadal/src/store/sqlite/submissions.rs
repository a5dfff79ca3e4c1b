//! The audit log in its table.

use super::super::{Answered, Filter, RunId, Submission};
use super::codec::{Word, bits, undecodable, unsigned};
use super::reports::CHUNK;
use hadal_core::time::Time;
use rusqlite::{Connection, Row, params};

/// Writes an entry, once.
pub fn log(db: &Connection, entry: &Submission) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO submission (run, seq, at, topic, form_id, page_url, method, url, body,
            purpose) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    db.prepare_cached(sql)?.execute(params![
        bits(entry.run.0),
        bits(entry.seq),
        bits(entry.at.0),
        entry.topic,
        entry.form.to_string(),
        entry.page.as_str(),
        Word(entry.method),
        entry.url.as_str(),
        entry.body,
        Word(entry.purpose),
    ])?;
    Ok(())
}

/// Adds what came back.
pub fn complete(db: &Connection, run: i64, seq: u64, answer: &Answered) -> rusqlite::Result<()> {
    let (status, failure) = match answer {
        Answered::Status(status) => (Some(*status), None),
        Answered::Failure(kind) => (None, Some(kind)),
    };
    db.prepare_cached("UPDATE submission SET status = ?, failure = ? WHERE run = ? AND seq = ?")?
        .execute(params![status, failure, run, bits(seq)])?;
    Ok(())
}

/// The next entries that pass after number `last`, and the number of the last of them.
pub fn after(db: &Connection, filter: &Filter, last: i64) -> rusqlite::Result<(Vec<Submission>, i64)> {
    let sql = "SELECT n, run, seq, at, topic, form_id, page_url, method, url, body, purpose, status, failure
        FROM submission WHERE n > ?1 AND (?2 IS NULL OR run = ?2) AND (?3 IS NULL OR topic = ?3)
        ORDER BY n LIMIT ?4";
    let mut end = last;
    let read = |row: &Row<'_>| {
        end = row.get(0)?;
        entry(row)
    };
    let mut sought = db.prepare_cached(sql)?;
    let values = params![last, filter.run.map(|run| bits(run.0)), filter.topic, CHUNK as i64];
    let rows = sought.query_map(values, read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok((rows, end))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Submission> {
    let form: String = row.get(5)?;
    let (Word(page), Word(method), Word(url), Word(purpose)) =
        (row.get(6)?, row.get(7)?, row.get(8)?, row.get(10)?);
    let failure: Option<String> = row.get(12)?;
    Ok(Submission {
        run: RunId(unsigned(row, 1)?),
        seq: unsigned(row, 2)?,
        at: Time(unsigned(row, 3)?),
        topic: row.get(4)?,
        form: form.parse().map_err(|error| undecodable(5, error))?,
        page,
        method,
        url,
        body: row.get(9)?,
        purpose,
        answer: row.get::<_, Option<u16>>(11)?.map(Answered::Status).or(failure.map(Answered::Failure)),
    })
}
