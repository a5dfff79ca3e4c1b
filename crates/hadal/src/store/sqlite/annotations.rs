//! Labels and queries of users, in `notes.db` beside the crawl's database.
//!
//! A crawl holds the write transaction of its database most of the time. A separate file lets people write without
//! waiting for it. The file is created with the first label or question.

use super::super::{
    Label, LabelRow, LabelUpdate, StoreError, Submission, SubmissionQuery, SubmissionResult, Submitter,
};
use super::codec::{self, Word, bits, undecodable, unsigned};
use super::errors::fault;
use super::opening::BUSY_TIMEOUT;
use super::schema::{APPLICATION, NOTES, create_notes_view};
use super::submissions;
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use rusqlite::{Connection, Row, params};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const FILE: &str = "notes.db";

/// Labels and questions of a store.
pub struct Annotations {
    folder: PathBuf,
    connection: Mutex<Option<Connection>>,
    /// All labels, with the version of the file from which they were read. People label few forms, and every list
    /// needs the labels.
    cached: Mutex<Option<(i64, LabelsByForm)>>,
}

type LabelsByForm = FxHashMap<FormId, Vec<LabelRow>>;

impl Annotations {
    /// The annotations in a folder, which may have none yet.
    pub fn of(folder: &Path) -> Annotations {
        Annotations { folder: folder.to_path_buf(), connection: Mutex::new(None), cached: Mutex::new(None) }
    }

    /// Sets or removes a label.
    pub fn set_label(&self, change: &LabelUpdate) -> Result<(), StoreError> {
        self.with(|db| set_label(db, change))?;
        *lock(&self.cached) = None;
        Ok(())
    }

    /// Labels of forms for topics, in the same order.
    pub fn labels_of(&self, forms: &[(FormId, &str)]) -> Result<Vec<Option<Label>>, StoreError> {
        self.with_labels(|all| {
            let label = |(form, topic): &(FormId, &str)| {
                all.get(form)?.iter().find(|row| row.topic == *topic).map(|row| row.label)
            };
            forms.iter().map(label).collect()
        })
    }

    /// Forms with this label.
    pub fn labelled(&self, label: Label) -> Result<Vec<FormId>, StoreError> {
        self.with_labels(|all| {
            let has = |rows: &Vec<LabelRow>| rows.iter().any(|row| row.label == label);
            all.iter().filter(|(_, rows)| has(rows)).map(|(form, _)| *form).collect()
        })
    }

    /// Calls `look` with all labels. They are read again only if the file has changed.
    fn with_labels<T>(&self, look: impl FnOnce(&LabelsByForm) -> T) -> Result<T, StoreError> {
        let mut cached = lock(&self.cached);
        // The version counts changes of other connections only; own changes clear the cache.
        let version = "PRAGMA data_version";
        let version = self.read(|db| db.prepare_cached(version)?.query_row([], |row| row.get(0)))?;
        let Some(version) = version else { return Ok(look(&LabelsByForm::default())) };
        if cached.as_ref().is_none_or(|(known, _)| *known != version) {
            let mut all = LabelsByForm::default();
            for row in self.labels(None, usize::MAX)? {
                all.entry(row.form).or_default().push(row);
            }
            *cached = Some((version, all));
        }
        Ok(look(cached.as_ref().map_or(&LabelsByForm::default(), |(_, all)| all)))
    }

    /// Labels by form and topic, after a form and topic.
    pub fn labels(&self, after: Option<(FormId, &str)>, limit: usize) -> Result<Vec<LabelRow>, StoreError> {
        let sql = "SELECT form_id, topic, label, at FROM labels WHERE (form_id, topic) > (?, ?)
            ORDER BY form_id, topic LIMIT ?";
        let form = after.map_or_else(String::new, |(form, _)| form.to_string());
        let topic = after.map_or("", |(_, topic)| topic);
        let rows = self.read(|db| {
            let values = params![form, topic, codec::limit(limit)];
            db.prepare_cached(sql)?.query_map(values, label_row)?.collect()
        })?;
        Ok(rows.unwrap_or_default())
    }

    /// Writes a submission to the log and returns its number.
    pub fn log(&self, entry: &Submission) -> Result<u64, StoreError> {
        self.with(|db| {
            let transaction =
                rusqlite::Transaction::new_unchecked(db, rusqlite::TransactionBehavior::Immediate)?;
            let last = submissions::last_seq(&transaction, entry.by)?;
            let seq = last.unwrap_or(entry.by.numbers_before()) + 1;
            submissions::log(&transaction, &Submission { seq, ..entry.clone() })?;
            transaction.commit()?;
            Ok(seq)
        })
    }

    /// Adds the result of a submission to the log.
    pub fn complete(&self, by: Submitter, number: u64, result: &SubmissionResult) -> Result<(), StoreError> {
        self.with(|db| submissions::complete(db, by, number, result))
    }

    /// Questions with their row numbers, after row number `last`.
    pub fn questions_after(
        &self,
        query: &SubmissionQuery,
        last: i64,
        limit: usize,
    ) -> Result<Vec<(i64, Submission)>, StoreError> {
        Ok(self.read(|db| submissions::after(db, query, last, limit))?.unwrap_or_default())
    }

    /// Runs `work` on the database, if it exists.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        if self.folder.join(FILE).exists() { self.with(work).map(Some) } else { Ok(None) }
    }

    /// Runs `work` on the database, which is created if necessary.
    pub fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let failed = |error| fault(&self.folder, error);
        let mut open = lock(&self.connection);
        if open.is_none() {
            *open = Some(connect(&self.folder.join(FILE)).map_err(failed)?);
        }
        work(open.as_ref().expect("the connection was opened above")).map_err(failed)
    }
}

fn set_label(db: &Connection, change: &LabelUpdate) -> rusqlite::Result<()> {
    let form = change.form.to_string();
    match change.label {
        Some(label) => {
            let sql = "INSERT OR REPLACE INTO labels (form_id, topic, label, at) VALUES (?, ?, ?, ?)";
            db.prepare_cached(sql)?.execute(params![form, change.topic, Word(label), bits(change.at.0)])?;
        }
        None => {
            let sql = "DELETE FROM labels WHERE form_id = ? AND topic = ?";
            db.prepare_cached(sql)?.execute(params![form, change.topic])?;
        }
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.execute_batch(&format!(
        "PRAGMA synchronous = FULL; PRAGMA application_id = {APPLICATION}; {NOTES} {}",
        create_notes_view()
    ))?;
    Ok(connection)
}

fn label_row(row: &Row<'_>) -> rusqlite::Result<LabelRow> {
    let form: String = row.get(0)?;
    let Word(label) = row.get(2)?;
    Ok(LabelRow {
        form: form.parse().map_err(|error| undecodable(0, error))?,
        topic: row.get(1)?,
        label,
        at: Time(unsigned(row, 3)?),
    })
}
