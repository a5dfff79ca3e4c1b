//! Changes of users: instructions, labels, and results of their queries.

use super::super::{Activity, Control, LabelUpdate, Submitter, UserChange};
use super::codec::{Columns, bits, json, text, word};
use super::connection::{Command, ServerConnection, command};
use super::fault::Fault;
use super::{audit, lease, require};

/// Applies a change at once.
pub fn apply(connection: &ServerConnection, change: &UserChange) -> Result<(), Fault> {
    let command = match change {
        UserChange::Control(activity, control) => {
            require(connection, *activity)?;
            Some(set_control(*activity, control)?)
        }
        UserChange::Label(update) => Some(set_label(update)?),
        UserChange::QueryResult(number, result) => audit::complete(Submitter::Person, &[(*number, result)])?,
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
