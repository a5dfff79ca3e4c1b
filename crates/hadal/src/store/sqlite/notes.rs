//! What people add to a store: labels and questions, in `notes.db` beside the crawl's database.
//!
//! The crawl keeps its database's one writing transaction open most of the time, and whoever marks a form
//! must not wait for it. The file comes with the first note.

use super::super::{Filter, Label, LabelRow, StoreError, Submission, SubmissionResult, Submitter};
use super::codec::{Word, bits, undecodable, unsigned};
use super::errors::fault;
use super::schema::{APPLICATION, CREATE_NOTES};
use super::submissions;
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use rusqlite::{Connection, Row, params};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const FILE: &str = "notes.db";
const PATIENCE: Duration = Duration::from_secs(10);

/// The notes of a store.
pub struct Annotations {
    folder: PathBuf,
    connection: Mutex<Option<Connection>>,
    /// All labels, as they were at a version of the file: people say little, and every list asks for it.
    held: Mutex<Option<(i64, Labels)>>,
}

type Labels = FxHashMap<FormId, Vec<LabelRow>>;

impl Annotations {
    /// The notes in a folder, which may have none yet.
    pub fn of(folder: &Path) -> Annotations {
        Annotations { folder: folder.to_path_buf(), connection: Mutex::new(None), held: Mutex::new(None) }
    }

    pub fn mark(&self, row: &LabelRow) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO labels (form_id, topic, label, at) VALUES (?, ?, ?, ?)";
        let values = params![row.form.to_string(), row.topic, Word(row.label), bits(row.at.0)];
        self.with(|db| db.prepare_cached(sql)?.execute(values))?;
        *lock(&self.held) = None;
        Ok(())
    }

    pub fn unmark(&self, form: FormId, topic: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM labels WHERE form_id = ? AND topic = ?";
        self.read(|db| db.prepare_cached(sql)?.execute(params![form.to_string(), topic]))?;
        *lock(&self.held) = None;
        Ok(())
    }

    /// The labels of these forms, in the same order.
    pub fn labels_of(&self, forms: &[(FormId, &str)]) -> Result<Vec<Option<Label>>, StoreError> {
        self.all_labels(|all| {
            let label = |(form, topic): &(FormId, &str)| {
                all.get(form)?.iter().find(|row| row.topic == *topic).map(|row| row.label)
            };
            forms.iter().map(label).collect()
        })
    }

    /// The forms with this label.
    pub fn labelled(&self, label: Label) -> Result<Vec<FormId>, StoreError> {
        self.all_labels(|all| {
            let has = |rows: &Vec<LabelRow>| rows.iter().any(|row| row.label == label);
            all.iter().filter(|(_, rows)| has(rows)).map(|(form, _)| *form).collect()
        })
    }

    /// Looks at all labels, read anew only when the file has changed.
    fn all_labels<T>(&self, look: impl FnOnce(&Labels) -> T) -> Result<T, StoreError> {
        let mut held = lock(&self.held);
        // What this handle writes does not count as a change; then nothing is held.
        let version = "PRAGMA data_version";
        let version = self.read(|db| db.prepare_cached(version)?.query_row([], |row| row.get(0)))?;
        let Some(version) = version else { return Ok(look(&Labels::default())) };
        if held.as_ref().is_none_or(|(known, _)| *known != version) {
            let mut all = Labels::default();
            for row in self.labels(None, usize::MAX)? {
                all.entry(row.form).or_default().push(row);
            }
            *held = Some((version, all));
        }
        Ok(look(held.as_ref().map_or(&Labels::default(), |(_, all)| all)))
    }

    pub fn labels(&self, after: Option<(FormId, &str)>, most: usize) -> Result<Vec<LabelRow>, StoreError> {
        let sql = "SELECT form_id, topic, label, at FROM labels WHERE (form_id, topic) > (?, ?)
            ORDER BY form_id, topic LIMIT ?";
        let form = after.map_or_else(String::new, |(form, _)| form.to_string());
        let topic = after.map_or("", |(_, topic)| topic);
        let rows = self.read(|db| {
            db.prepare_cached(sql)?
                .query_map(params![form, topic, i64::try_from(most).unwrap_or(i64::MAX)], label)?
                .collect()
        })?;
        Ok(rows.unwrap_or_default())
    }

    pub fn log(&self, entry: &Submission) -> Result<u64, StoreError> {
        self.with(|db| {
            let whole = rusqlite::Transaction::new_unchecked(db, rusqlite::TransactionBehavior::Immediate)?;
            let last = "SELECT coalesce(max(seq), 0) FROM submission WHERE run = 0 AND harvest = 0";
            let seq = whole.prepare_cached(last)?.query_row([], |row| unsigned(row, 0))? + 1;
            submissions::log(&whole, &Submission { by: Submitter::Person, seq, ..entry.clone() })?;
            whole.commit()?;
            Ok(seq)
        })
    }

    pub fn complete(&self, number: u64, answer: &SubmissionResult) -> Result<(), StoreError> {
        self.with(|db| submissions::complete(db, Submitter::Person, number, answer))
    }

    /// The next questions that pass after number `last`, and the number of the last of them.
    pub fn questions_after(&self, filter: &Filter, last: i64) -> Result<(Vec<Submission>, i64), StoreError> {
        Ok(self.read(|db| submissions::after(db, filter, last))?.unwrap_or((Vec::new(), last)))
    }

    /// Works on the notes, once there are any.
    fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        if self.folder.join(FILE).exists() { self.with(work).map(Some) } else { Ok(None) }
    }

    /// Works on the notes; the first time they are made.
    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let failed = |error| fault(&self.folder, error);
        let mut open = lock(&self.connection);
        if open.is_none() {
            *open = Some(connect(&self.folder.join(FILE)).map_err(failed)?);
        }
        work(open.as_ref().expect("it was opened just now")).map_err(failed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.execute_batch(&format!(
        "PRAGMA synchronous = FULL; PRAGMA application_id = {APPLICATION}; {CREATE_NOTES}"
    ))?;
    Ok(connection)
}

fn label(row: &Row<'_>) -> rusqlite::Result<LabelRow> {
    let form: String = row.get(0)?;
    let Word(label) = row.get(2)?;
    Ok(LabelRow {
        form: form.parse().map_err(|error| undecodable(0, error))?,
        topic: row.get(1)?,
        label,
        at: Time(unsigned(row, 3)?),
    })
}
