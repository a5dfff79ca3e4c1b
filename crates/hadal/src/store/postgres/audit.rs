//! Audit log in its table. Queries of users have run 0 and harvest 0.

use super::super::{HarvestId, RunId, Submission, SubmissionQuery, SubmissionResult, Submitter};
use super::codec::{self, Columns, bits, text, word};
use super::connection::{Command, ServerConnection, Value};
use super::fault::Fault;
use super::run_commit::columns;
use hadal_core::time::Time;
use tokio_postgres::Row;

/// Statement that adds entries, except those that are there.
pub fn log(entries: &[&Submission]) -> Result<Option<Command>, Fault> {
    let command =
        columns!(
        "INSERT INTO submission (run, harvest, seq, at, topic, form_id, page_url, method, url, body, purpose)
         SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
             $8::text[], $9::text[], $10::text[], $11::text[], $12::text[]) WHERE $1
         ON CONFLICT DO NOTHING",
        true, entries, |entry|
        submitter_columns(entry.by).0, submitter_columns(entry.by).1, bits(entry.seq), bits(entry.at.0),
        text(&entry.topic), entry.form.to_string(), entry.page.to_string(), word(&entry.method)?,
        entry.url.to_string(), text(&entry.body), word(&entry.purpose)?
    );
    Ok(command)
}

/// Statement that adds the results of submissions to their entries.
pub fn complete(by: Submitter, results: &[(u64, &SubmissionResult)]) -> Result<Option<Command>, Fault> {
    let (run, harvest) = submitter_columns(by);
    let status = |result: &SubmissionResult| match result {
        SubmissionResult::Status(status) => Some(i32::from(*status)),
        SubmissionResult::Failure(_) => None,
    };
    let failure = |result: &SubmissionResult| match result {
        SubmissionResult::Status(_) => Ok(None),
        SubmissionResult::Failure(kind) => word(kind).map(Some),
    };
    let command = columns!(
        "UPDATE submission SET status = new.status, failure = new.failure
         FROM unnest($2::bigint[], $3::integer[], $4::text[], $5::bigint[]) AS new (seq, status, failure, harvest)
         WHERE submission.run = $1 AND submission.harvest = new.harvest AND submission.seq = new.seq",
        run, results, |(seq, result)| bits(*seq), status(result), failure(result)?, harvest
    );
    Ok(command)
}

/// Numbers of the run and of the harvest. 0, which is not a valid number, means none.
pub fn submitter_columns(by: Submitter) -> (i64, i64) {
    match by {
        Submitter::Run(run) => (bits(run.0), 0),
        Submitter::Harvest(harvest) => (0, bits(harvest.0)),
        Submitter::Person => (0, 0),
    }
}

/// Entries with their row numbers, after row number `last`: those of users, or those of runs and harvests.
pub fn after(
    connection: &ServerConnection,
    query: &SubmissionQuery,
    is_user_query: bool,
    last: i64,
    limit: usize,
) -> Result<Vec<(i64, Submission)>, Fault> {
    let mut values: Vec<Value> = vec![Box::new(last)];
    let mut conditions = vec!["n > $1".to_string()];
    conditions.push(
        if is_user_query { "run = 0 AND harvest = 0" } else { "(run <> 0 OR harvest <> 0)" }.to_string(),
    );
    let mut add = |sql: &str, value: Value| codec::condition(&mut conditions, &mut values, sql, value);
    if let Some(run) = query.run {
        add("run = {} AND harvest = 0", Box::new(bits(run.0)));
    }
    if let Some(harvest) = query.harvest {
        add("harvest = {} AND run = 0", Box::new(bits(harvest.0)));
    }
    if let Some(topic) = &query.topic {
        add("topic = {}", Box::new(text(topic)));
    }
    values.push(Box::new(codec::limit(limit)));
    let sql = format!(
        "SELECT n, run, seq, at, topic, form_id, page_url, method, url, body, purpose, status, failure, harvest
         FROM submission {} ORDER BY n LIMIT ${}",
        codec::where_all(&conditions),
        values.len()
    );
    let rows = connection.query(Command { sql: sql.into(), values })?;
    rows.iter().map(|row| Ok((row.column(0)?, entry(row)?))).collect()
}

fn entry(row: &Row) -> Result<Submission, Fault> {
    let by = match (row.unsigned(1)?, row.unsigned(13)?) {
        (0, 0) => Submitter::Person,
        (run, 0) => Submitter::Run(RunId(run)),
        (_, harvest) => Submitter::Harvest(HarvestId(harvest)),
    };
    let status: Option<i32> = row.column(11)?;
    let status = status.map(|status| u16::try_from(status).map_err(Fault::damaged)).transpose()?;
    let failure = row.optional_word(12)?.map(SubmissionResult::Failure);
    Ok(Submission {
        by,
        seq: row.unsigned(2)?,
        at: Time(row.unsigned(3)?),
        topic: row.text(4)?,
        form: row.parsed(5)?,
        page: row.parsed(6)?,
        method: row.word(7)?,
        url: row.parsed(8)?,
        body: row.text(9)?,
        purpose: row.word(10)?,
        answer: status.map(SubmissionResult::Status).or(failure),
    })
}
