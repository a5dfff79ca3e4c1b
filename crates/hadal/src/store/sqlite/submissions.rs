//! The audit log in its table.

use super::super::{Filter, HarvestId, RunId, Submission, SubmissionResult, Submitter};
use super::codec::{Word, bits, undecodable, unsigned};
use super::reports::CHUNK;
use hadal_core::time::Time;
use rusqlite::{Connection, Row, params};

/// Writes an entry, once.
pub fn log(db: &Connection, entry: &Submission) -> rusqlite::Result<()> {
    let sql =
        "INSERT OR IGNORE INTO submission (run, harvest, seq, at, topic, form_id, page_url, method, url,
            body, purpose) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let (run, harvest) = columns(entry.by);
    db.prepare_cached(sql)?.execute(params![
        run,
        harvest,
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
pub fn complete(db: &Connection, by: Submitter, seq: u64, answer: &SubmissionResult) -> rusqlite::Result<()> {
    let (status, failure) = match answer {
        SubmissionResult::Status(status) => (Some(*status), None),
        SubmissionResult::Failure(kind) => (None, Some(kind)),
    };
    let sql = "UPDATE submission SET status = ?, failure = ? WHERE run = ? AND harvest = ? AND seq = ?";
    let (run, harvest) = columns(by);
    db.prepare_cached(sql)?.execute(params![status, failure, run, harvest, bits(seq)])?;
    Ok(())
}

/// The number of the last step of a harvest that is on record.
pub fn last_of(db: &Connection, harvest: HarvestId) -> rusqlite::Result<Option<u64>> {
    let sql = "SELECT max(seq) FROM submission WHERE run = ? AND harvest = ?";
    let last = |row: &Row<'_>| row.get::<_, Option<i64>>(0);
    let last = db.prepare_cached(sql)?.query_row(columns(Submitter::Harvest(harvest)), last)?;
    Ok(last.map(i64::cast_unsigned))
}

/// The number of the run and that of the harvest; what it is not has number 0, which is never given.
fn columns(by: Submitter) -> (i64, i64) {
    match by {
        Submitter::Run(run) => (bits(run.0), 0),
        Submitter::Harvest(harvest) => (0, bits(harvest.0)),
        Submitter::Person => (0, 0),
    }
}

/// The next entries that pass after number `last`, and the number of the last of them.
pub fn after(db: &Connection, filter: &Filter, last: i64) -> rusqlite::Result<(Vec<Submission>, i64)> {
    let sql = "SELECT n, run, seq, at, topic, form_id, page_url, method, url, body, purpose, status, failure,
            harvest
        FROM submission WHERE n > ?1 AND (?2 IS NULL OR (run = ?2 AND harvest = 0))
            AND (?3 IS NULL OR (harvest = ?3 AND run = 0)) AND (?4 IS NULL OR topic = ?4)
        ORDER BY n LIMIT ?5";
    let mut end = last;
    let read = |row: &Row<'_>| {
        end = row.get(0)?;
        entry(row)
    };
    let mut sought = db.prepare_cached(sql)?;
    let (run, harvest) = (filter.run.map(|run| bits(run.0)), filter.harvest.map(|harvest| bits(harvest.0)));
    let values = params![last, run, harvest, filter.topic, CHUNK as i64];
    let rows = sought.query_map(values, read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok((rows, end))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Submission> {
    let form: String = row.get(5)?;
    let (Word(page), Word(method), Word(url), Word(purpose)) =
        (row.get(6)?, row.get(7)?, row.get(8)?, row.get(10)?);
    let failure: Option<String> = row.get(12)?;
    let by = match (unsigned(row, 1)?, unsigned(row, 13)?) {
        (0, 0) => Submitter::Person,
        (run, 0) => Submitter::Run(RunId(run)),
        (_, harvest) => Submitter::Harvest(HarvestId(harvest)),
    };
    Ok(Submission {
        by,
        seq: unsigned(row, 2)?,
        at: Time(unsigned(row, 3)?),
        topic: row.get(4)?,
        form: form.parse().map_err(|error| undecodable(5, error))?,
        page,
        method,
        url,
        body: row.get(9)?,
        purpose,
        answer: row
            .get::<_, Option<u16>>(11)?
            .map(SubmissionResult::Status)
            .or(failure.map(SubmissionResult::Failure)),
    })
}
