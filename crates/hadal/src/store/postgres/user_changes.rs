//! Rows that users write: instructions, labels, and their queries.

use super::super::{Activity, Control, LabelQuery, LabelRow, LabelUpdate, RowPage, Submission, UserChange};
use super::codec::{self, Columns, bits, json, text, word};
use super::connection::{Command, ServerConnection, command};
use super::fault::Fault;
use super::{audit, lease, require};
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use tokio_postgres::Row;

/// Applies a change at once.
pub fn apply(connection: &ServerConnection, change: &UserChange) -> Result<(), Fault> {
    let command = match change {
        UserChange::Control(activity, control) => {
            require(connection, *activity)?;
            Some(set_control(*activity, control)?)
        }
        UserChange::Label(update) => Some(set_label(update)?),
        UserChange::Logged(by, number, result) => audit::complete(*by, &[(*number, result)])?,
    };
    connection.run(&command.into_iter().collect::<Vec<_>>()).map(|_| ())
}

/// The last instruction to a run or harvest.
pub fn control(connection: &ServerConnection, activity: Activity) -> Result<Control, Fault> {
    let sql = "SELECT control FROM controls WHERE kind = $1 AND id = $2";
    let found = connection.query(command!(sql, lease::kind(activity), lease::number(activity)))?;
    found.first().map_or(Ok(Control::default()), |row| row.json(0))
}

fn set_control(activity: Activity, control: &Control) -> Result<Command, Fault> {
    let sql = "INSERT INTO controls (kind, id, control) VALUES ($1, $2, $3)
        ON CONFLICT (kind, id) DO UPDATE SET control = excluded.control";
    Ok(command!(sql, lease::kind(activity), lease::number(activity), json(control)?))
}

fn set_label(change: &LabelUpdate) -> Result<Command, Fault> {
    let (form, topic) = (change.form.to_string(), text(&change.topic));
    let sql = "INSERT INTO labels (form_id, topic, label, at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (form_id, topic) DO UPDATE SET label = excluded.label, at = excluded.at";
    Ok(match &change.label {
        Some(label) => command!(sql, form, topic, word(label)?, bits(change.at.0)),
        None => command!("DELETE FROM labels WHERE form_id = $1 AND topic = $2", form, topic),
    })
}

/// Labels by form and topic.
pub fn labels(
    connection: &ServerConnection,
    query: &LabelQuery,
    limit: usize,
) -> Result<RowPage<LabelRow, (FormId, String)>, Fault> {
    let sql = "SELECT form_id, topic, label, at FROM labels WHERE (form_id, topic) > ($1, $2)
        ORDER BY form_id, topic LIMIT $3";
    let (form, topic) =
        query.after.as_ref().map_or_else(Default::default, |(form, topic)| (form.to_string(), text(topic)));
    let label = |row: &Row| {
        let (form, at) = (row.parsed(0)?, Time(row.unsigned(3)?));
        Ok(LabelRow { form, topic: row.text(1)?, label: row.word(2)?, at })
    };
    let rows = connection.query(command!(sql, form, topic, codec::limit(limit)))?;
    let rows = rows.iter().map(label).collect::<Result<Vec<LabelRow>, Fault>>()?;
    Ok(RowPage::of(rows, limit, |row| (row.form, row.topic.clone())))
}

/// Adds a submission that no step commits and returns its number.
pub fn log_at_once(connection: &ServerConnection, entry: &Submission) -> Result<u64, Fault> {
    let rows = connection.query(command!("SELECT nextval('question_number')"))?;
    let number = rows.first().map_or(Err(Fault::damaged("no number")), |row| row.unsigned(0))?;
    let seq = entry.by.numbers_before() + number;
    let entry = Submission { seq, ..entry.clone() };
    connection.run(&audit::log(&[&entry])?.into_iter().collect::<Vec<_>>())?;
    Ok(seq)
}
