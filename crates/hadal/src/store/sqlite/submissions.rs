//! Audit log in its table.

use super::super::{HarvestId, RunId, Submission, SubmissionQuery, SubmissionResult, Submitter};
use super::codec::{self, Word, bits, undecodable, unsigned};
use hadal_core::time::Time;
use rusqlite::{Connection, Row, params};

/// Adds an entry, unless it is there.
pub fn log(db: &Connection, entry: &Submission) -> rusqlite::Result<()> {
    let sql =
        "INSERT OR IGNORE INTO submission (run, harvest, seq, at, topic, form_id, page_url, method, url,
            body, purpose) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let (run, harvest) = submitter_columns(entry.by);
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

/// Adds the result of a submission to its entry.
pub fn complete(db: &Connection, by: Submitter, seq: u64, result: &SubmissionResult) -> rusqlite::Result<()> {
    let (status, failure) = match result {
        SubmissionResult::Status(status) => (Some(*status), None),
        SubmissionResult::Failure(kind) => (None, Some(Word(kind))),
    };
    let sql = "UPDATE submission SET status = ?, failure = ? WHERE run = ? AND harvest = ? AND seq = ?";
    let (run, harvest) = submitter_columns(by);
    db.prepare_cached(sql)?.execute(params![status, failure, run, harvest, bits(seq)])?;
    Ok(())
}

/// Highest sequence number of a submitter in the log.
pub fn last_seq(db: &Connection, by: Submitter) -> rusqlite::Result<Option<u64>> {
    let sql = "SELECT max(seq) FROM submission WHERE run = ? AND harvest = ?";
    let read = |row: &Row<'_>| row.get::<_, Option<i64>>(0);
    let last = db.prepare_cached(sql)?.query_row(submitter_columns(by), read)?;
    Ok(last.map(i64::cast_unsigned))
}

/// Numbers of the run and of the harvest. 0, which is not a valid number, means none.
fn submitter_columns(by: Submitter) -> (i64, i64) {
    match by {
        Submitter::Run(run) => (bits(run.0), 0),
        Submitter::Harvest(harvest) => (0, bits(harvest.0)),
        Submitter::Person => (0, 0),
    }
}

/// Entries with their row numbers, after row number `last`.
pub fn after(
    db: &Connection,
    query: &SubmissionQuery,
    last: i64,
    limit: usize,
) -> rusqlite::Result<Vec<(i64, Submission)>> {
    let sql = "SELECT n, run, seq, at, topic, form_id, page_url, method, url, body, purpose, status, failure,
            harvest
        FROM submission WHERE n > ?1 AND (?2 IS NULL OR (run = ?2 AND harvest = 0))
            AND (?3 IS NULL OR (harvest = ?3 AND run = 0)) AND (?4 IS NULL OR topic = ?4)
        ORDER BY n LIMIT ?5";
    let (run, harvest) = (query.run.map(|run| bits(run.0)), query.harvest.map(|harvest| bits(harvest.0)));
    let values = params![last, run, harvest, query.topic, codec::limit(limit)];
    db.prepare_cached(sql)?.query_map(values, |row| Ok((row.get(0)?, entry(row)?)))?.collect()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Submission> {
    let form: String = row.get(5)?;
    let (Word(page), Word(method), Word(url), Word(purpose)) =
        (row.get(6)?, row.get(7)?, row.get(8)?, row.get(10)?);
    let by = match (unsigned(row, 1)?, unsigned(row, 13)?) {
        (0, 0) => Submitter::Person,
        (run, 0) => Submitter::Run(RunId(run)),
        (_, harvest) => Submitter::Harvest(HarvestId(harvest)),
    };
    let failure = row.get::<_, Option<Word<_>>>(12)?.map(|Word(kind)| kind);
    let status: Option<u16> = row.get(11)?;
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
        answer: status.map(SubmissionResult::Status).or(failure.map(SubmissionResult::Failure)),
    })
}
