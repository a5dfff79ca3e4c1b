//! Harvests: specification, progress and counters.

use super::super::super::*;
use super::super::codec::{self, Columns, bits, packed, text, word};
use super::super::connection::{Command, ServerConnection, Value, command};
use super::super::fault::Fault;
use crate::store::HARVEST_TABLES;
use hadal_core::address::Site;
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use tokio_postgres::Row;

pub fn exists(connection: &ServerConnection, harvest: HarvestId) -> Result<bool, Fault> {
    let sql = "SELECT 1 FROM harvest_progress WHERE harvest = $1";
    Ok(!connection.query(command!(sql, bits(harvest.0)))?.is_empty())
}

/// Returns the harvest with a specification, and creates it if there is none.
pub fn begin(connection: &ServerConnection, spec: &HarvestSpec, now: Time) -> Result<HarvestId, Fault> {
    let new = "WITH new AS (
            INSERT INTO harvests (form_id, policy, seed, source, topic, page_url, began, whole, site)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 WHERE NOT EXISTS (
                SELECT 1 FROM harvests WHERE form_id = $1 AND policy = $2 AND seed = $3 AND source = $4)
            ON CONFLICT DO NOTHING RETURNING id, began)
        INSERT INTO harvest_progress (harvest, state, now) SELECT id, $10, began FROM new";
    let same = "SELECT id FROM harvests WHERE form_id = $1 AND policy = $2 AND seed = $3 AND source = $4";
    let (form, policy, source) = (spec.form.to_string(), text(&spec.policy), text(&spec.source));
    let new = command!(
        new,
        form.clone(),
        policy.clone(),
        bits(spec.seed),
        source.clone(),
        text(&spec.topic),
        spec.page.to_string(),
        bits(now.0),
        packed(&spec.form_snapshot)?,
        Site::of(&spec.page).0,
        word(&HarvestState::default())?
    );
    let found = connection.run(&[new, command!(same, form, policy, bits(spec.seed), source)])?;
    let row = found.last().and_then(|rows| rows.first());
    row.map_or(Err(Fault::damaged("no harvest was created")), |row| row.unsigned(0).map(HarvestId))
}

/// Statements that delete a harvest from every table except the audit log.
pub fn discard(harvest: HarvestId) -> Vec<Command> {
    let delete = |table: &&str| {
        let key = if *table == "harvests" { "id" } else { "harvest" };
        command!(format!("DELETE FROM {table} WHERE {key} = $1"), bits(harvest.0))
    };
    HARVEST_TABLES.iter().map(delete).collect()
}

pub fn checkpoint(connection: &ServerConnection, harvest: HarvestId) -> Result<HarvestCheckpoint, Fault> {
    let row = rows(connection, &HarvestQuery::one(harvest))?.pop();
    let id = bits(harvest.0);
    let found = connection.run(&[
        command!("SELECT next_seq FROM harvest_progress WHERE harvest = $1", id),
        command!("SELECT max(seq) FROM submission WHERE run = 0 AND harvest = $1", id),
        command!("SELECT saved FROM readers WHERE harvest = $1", id),
    ])?;
    let next_seq = found[0].first().map_or(Ok(0), |row| row.unsigned(0))?;
    let logged: Option<i64> = found[1].first().map_or(Ok(None), |row| row.column(0))?;
    let logged = logged.map_or(0, |last| last.cast_unsigned().saturating_add(1));
    let row = row.ok_or_else(|| Fault::damaged("the harvest has no progress"))?;
    let form_check = form_checks(connection, &[row.spec.form])?.pop().flatten();
    Ok(HarvestCheckpoint {
        row,
        form_check,
        next_seq: next_seq.max(logged),
        reader: found[2].first().map(|row| row.column(0)).transpose()?,
    })
}

/// The oldest harvest that matches, from a number on. Order, position and limit of the query do not count.
pub fn first_from(
    connection: &ServerConnection,
    query: &HarvestQuery,
    from: HarvestId,
) -> Result<Option<HarvestId>, Fault> {
    let after = from.0.checked_sub(1).map(HarvestId);
    let query = HarvestQuery { after, limit: Some(1), order: RowOrder::Oldest, ..query.clone() };
    let found = connection.query(matching("id", &query))?;
    found.first().map(|row| row.unsigned(0).map(HarvestId)).transpose()
}

/// Query for columns of the harvests that match.
fn matching(columns: &str, query: &HarvestQuery) -> Command {
    let (is_later, direction) = query.order.sql();
    let number = |harvest: HarvestId| i64::try_from(harvest.0).unwrap_or(i64::MAX);
    let (mut conditions, mut values): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
    let mut add = |sql: &str, value: Value| codec::condition(&mut conditions, &mut values, sql, value);
    if let Some(harvest) = query.harvest {
        add("id = {}", Box::new(number(harvest)));
    }
    if let Some(form) = query.form {
        add("form_id = {}", Box::new(form.to_string()));
    }
    if let Some(topic) = &query.topic {
        add("topic = {}", Box::new(text(topic)));
    }
    if let Some(after) = query.after {
        add(&format!("id {is_later} {{}}"), Box::new(number(after)));
    }
    values.push(Box::new(codec::limit(query.limit.unwrap_or(usize::MAX))));
    let sql = format!(
        "SELECT {columns} FROM harvests JOIN harvest_progress ON harvest = id {} ORDER BY id {direction} LIMIT ${}",
        codec::where_all(&conditions),
        values.len()
    );
    Command { sql: sql.into(), values }
}

/// Harvests that match.
pub fn rows(connection: &ServerConnection, query: &HarvestQuery) -> Result<Vec<HarvestRow>, Fault> {
    let columns = "form_id, topic, page_url, policy, seed, source, began, whole, state, ending, now, elapsed_ms,
        requests, bytes, queries, pages, records, failed, errors, size_low, size, size_high, coverage_low, coverage,
        coverage_high, upcoming, id, refresh";
    let found = connection.query(matching(columns, query))?;
    let mut rows = found.iter().map(row_of).collect::<Result<Vec<_>, Fault>>()?;
    if query.curve {
        rows.iter_mut().try_for_each(|row| {
            row.curve = curve(connection, row.id)?;
            Ok::<_, Fault>(())
        })?;
    }
    Ok(rows)
}

fn row_of(row: &Row) -> Result<HarvestRow, Fault> {
    let spec = HarvestSpec {
        form: row.parsed(0)?,
        topic: row.text(1)?,
        page: row.parsed(2)?,
        form_snapshot: row.packed(7)?,
        policy: row.text(3)?,
        seed: row.unsigned(4)?,
        source: row.text(5)?,
    };
    let (state, ending, now) = (row.word(8)?, row.optional_text(9)?, Time(row.unsigned(10)?));
    let counters = HarvestCounters {
        requests: row.unsigned(12)?,
        bytes: row.unsigned(13)?,
        queries: row.unsigned(14)?,
        pages: row.unsigned(15)?,
        records: row.unsigned(16)?,
        failed: row.unsigned(17)?,
        errors: row.json(18)?,
    };
    let estimate = interval(row, 19)?.zip(interval(row, 22)?);
    Ok(HarvestRow {
        id: HarvestId(row.unsigned(26)?),
        spec,
        began: Time(row.unsigned(6)?),
        progress: HarvestProgress { state, ending, now, elapsed_ms: row.unsigned(11)? },
        counters,
        estimate: estimate.map(|(size, coverage)| HarvestEstimate { size, coverage }),
        upcoming: row.json(25)?,
        curve: Vec::new(),
        refresh: row.optional_json(27)?,
    })
}

/// Three bounds from the columns that start at `first`; `None` if one is missing.
pub fn interval(row: &Row, first: usize) -> Result<Option<[f64; 3]>, Fault> {
    let bounds: [Option<f64>; 3] = [row.column(first)?, row.column(first + 1)?, row.column(first + 2)?];
    let [low, estimate, high] = bounds;
    Ok(low.zip(estimate).zip(high).map(|((low, estimate), high)| [low, estimate, high]))
}

fn curve(connection: &ServerConnection, harvest: HarvestId) -> Result<Vec<HarvestPoint>, Fault> {
    let sql = "SELECT requests, queries, records, coverage_low, coverage, coverage_high FROM harvest_curve
        WHERE harvest = $1 ORDER BY requests";
    let point = |row: &Row| {
        let (requests, queries, records) = (row.unsigned(0)?, row.unsigned(1)?, row.unsigned(2)?);
        Ok(HarvestPoint { requests, queries, records, coverage: interval(row, 3)? })
    };
    connection.query(command!(sql, bits(harvest.0)))?.iter().map(point).collect()
}

/// Writes the last checks of forms.
pub fn save_checks(connection: &ServerConnection, checks: &[FormCheck]) -> Result<(), Fault> {
    let mut commands = vec![command!("BEGIN")];
    for check in checks {
        let sql =
            "INSERT INTO form_checks (form_id, state, at, moved_to, validator) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (form_id) DO UPDATE SET state = excluded.state, at = excluded.at,
                moved_to = excluded.moved_to, validator = excluded.validator";
        let moved_to = check.moved_to.as_ref().map(ToString::to_string);
        let validator = check.validator.as_deref().map(text);
        let (form, state, at) = (check.form.to_string(), word(&check.state)?, bits(check.at.0));
        commands.push(command!(sql, form, state, at, moved_to, validator));
    }
    commands.push(command!("COMMIT"));
    connection.run(&commands).map(|_| ())
}

/// The last checks of forms, in the order of the ids.
pub fn form_checks(connection: &ServerConnection, forms: &[FormId]) -> Result<Vec<Option<FormCheck>>, Fault> {
    let sql = "SELECT form_id, state, at, moved_to, validator FROM form_checks WHERE form_id = ANY($1)";
    let ids: Vec<String> = forms.iter().map(FormId::to_string).collect();
    let check = |row: &Row| {
        Ok(FormCheck {
            form: row.parsed(0)?,
            state: row.word(1)?,
            at: Time(row.unsigned(2)?),
            moved_to: row.optional_word(3)?,
            validator: row.optional_text(4)?,
        })
    };
    let found = connection.query(command!(sql, ids))?;
    let found = found.iter().map(check).collect::<Result<Vec<FormCheck>, Fault>>()?;
    Ok(forms.iter().map(|form| found.iter().find(|check| check.form == *form).cloned()).collect())
}
