//! A store in a folder: one SQLite file, `hadal.db`, that SQLite 3.40 and later opens.
//!
//! One process crawls into it. Any number of others read it at the same time, through the write-ahead log. The crawl
//! keeps one write transaction open from the first commit after a sync to the next sync, and reads through it.
//!
//! Two files lie beside the database, because users write them while a crawl holds the write transaction:
//! `control.json` ([`control`]) and `notes.db` ([`annotations`]).

mod annotations;
mod backlinks;
mod catalogue;
mod changes;
mod codec;
mod commit;
mod control;
mod errors;
mod frontier;
mod harvest;
mod lock;
mod log_copies;
mod migration;
mod opening;
mod runs;
mod schema;
mod strategy_state;
mod submissions;

use super::state_changes::WrittenStates;
use super::*;
use annotations::Annotations;
use hadal_core::link::QueuedLink;
use hadal_core::time::Time;
use harvest::harvests;
use lock::CrawlLock;
use log_copies::{LogCopies, write_log};
use rusqlite::Connection;
use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// Number of rows per page of a list, if a query states none. Guess.
const ROWS_PER_PAGE: usize = 500;

/// A store in a folder.
pub struct SqliteStore {
    folder: PathBuf,
    /// Before the connection, so that a running copy ends first.
    log_copies: Mutex<LogCopies>,
    connection: Mutex<Connection>,
    /// Runs that this handle has changed, which therefore exist.
    runs: Mutex<FxHashSet<RunId>>,
    states: Mutex<WrittenStates>,
    /// True if the open transaction holds submissions, which must survive power loss.
    has_submissions: AtomicBool,
    annotations: Annotations,
    _lock: Option<CrawlLock>,
}

/// Opens the store in a folder.
pub fn open(folder: &Path, access: Access) -> Result<SqliteStore, StoreError> {
    let (connection, lock) = opening::open(folder, access)?;
    let annotations = Annotations::of(folder);
    Ok(SqliteStore {
        folder: folder.to_path_buf(),
        log_copies: Mutex::default(),
        connection: Mutex::new(connection),
        runs: Mutex::default(),
        states: Mutex::default(),
        has_submissions: AtomicBool::new(false),
        annotations,
        _lock: lock,
    })
}

impl SqliteStore {
    /// Runs `work` with exclusive use of the connection.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let connection = self
            .connection
            .lock()
            .expect("an earlier call panicked inside a transaction, which must not be committed");
        work(&connection).map_err(|error| errors::fault(&self.folder, error))
    }

    /// Reads in one transaction: the open write transaction, which sees uncommitted changes, or one of its own.
    fn reading<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.with(|db| {
            let _own = if db.is_autocommit() { Some(db.unchecked_transaction()?) } else { None };
            work(db)
        })
    }

    /// Writes in the write transaction, which is opened if necessary. An error rolls back to the last sync.
    fn writing<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.with(|db| {
            if db.is_autocommit() {
                db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            }
            work(db).or_else(|error| self.roll_back(db, error))
        })
    }

    /// Rolls back and passes the error on. SQLite may have rolled back by itself.
    fn roll_back<T>(&self, db: &Connection, error: rusqlite::Error) -> rusqlite::Result<T> {
        lock(&self.states).clear();
        self.has_submissions.store(false, Ordering::Relaxed);
        if !db.is_autocommit() {
            db.execute_batch("ROLLBACK")?;
        }
        Err(error)
    }

    /// Adds rows in the write transaction.
    pub(super) fn write_rows(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        self.writing(work)
    }

    /// Reads the rows that users wrote, if there are any.
    pub(super) fn read_annotations<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.annotations.read(work)
    }

    /// Adds rows that a user wrote.
    pub(super) fn write_annotations(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        self.annotations.with(|db| {
            let transaction = db.unchecked_transaction()?;
            work(&transaction)?;
            transaction.commit()
        })
    }

    /// Indexes the words of all records. The index must be empty.
    pub(super) fn index_words(&self) -> Result<(), StoreError> {
        self.writing(harvest::word_index::index_all)
    }

    /// Fails if there is no such run.
    fn require_run(&self, run: RunId) -> Result<(), StoreError> {
        if !lock(&self.runs).contains(&run) {
            self.require(Activity::Run(run))?;
            lock(&self.runs).insert(run);
        }
        Ok(())
    }

    /// Fails if there is no such run or harvest.
    fn require(&self, activity: Activity) -> Result<(), StoreError> {
        let exists = self.with(|db| match activity {
            Activity::Run(run) => runs::exists(db, run),
            Activity::Harvest(harvest) => harvests::exists(db, harvest),
        })?;
        let unknown = || StoreError::Failed { path: self.folder.clone(), detail: activity.unknown() };
        if exists { Ok(()) } else { Err(unknown()) }
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CrawlStore for SqliteStore {
    fn begin(&self, spec: &RunSpec) -> Result<RunId, StoreError> {
        let run = self.writing(|db| runs::begin(db, spec))?;
        self.sync()?;
        Ok(run)
    }

    fn discard(&self, activity: Activity) -> Result<(), StoreError> {
        self.require(activity)?;
        lock(&self.runs).clear();
        lock(&self.states).clear();
        self.writing(|db| match activity {
            Activity::Run(run) => runs::discard(db, run),
            Activity::Harvest(harvest) => harvests::discard(db, harvest),
        })?;
        self.sync()?;
        control::remove(&self.folder, activity)
    }

    fn resume(&self, run: RunId, hosts: usize) -> Result<RunCheckpoint, StoreError> {
        self.require(Activity::Run(run))?;
        self.reading(|db| runs::checkpoint(db, run, hosts))
    }

    fn commit(&self, run: RunId, batch: &Batch) -> Result<(), StoreError> {
        self.require_run(run)?;
        self.has_submissions.fetch_or(!batch.submissions.is_empty(), Ordering::Relaxed);
        self.writing(|db| commit::apply(db, run, batch, &mut lock(&self.states)))
    }

    fn sync(&self) -> Result<(), StoreError> {
        let is_committed = self.with(|db| {
            if db.is_autocommit() {
                return Ok(false);
            }
            let committed = db.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
            committed.map(|_| true).or_else(|error| self.roll_back(db, error))
        })?;
        if !is_committed {
            return Ok(());
        }
        let must_write = self.has_submissions.swap(false, Ordering::Relaxed);
        if must_write {
            write_log(&self.folder)
                .map_err(|error| errors::io_fault(&self.folder, "write the audit log to the disk", error))?;
        }
        self.with(|db| {
            lock(&self.log_copies).after_commit(&self.folder, db, must_write);
            Ok(())
        })
    }

    fn look_up(&self, run: RunId, keys: &LookUp<'_>) -> Result<LookUpResult, StoreError> {
        self.with(|db| frontier::look_up(db, run, keys))
    }

    fn queue_heads(&self, run: RunId, slices: &[QueueSlice]) -> Result<Vec<Vec<QueuedLink>>, StoreError> {
        self.with(|db| slices.iter().map(|slice| frontier::head(db, run, slice)).collect())
    }

    fn backlinks(&self, source: &str, urls: &[Url], limit: usize) -> Result<Vec<Vec<Url>>, StoreError> {
        self.with(|db| urls.iter().map(|url| backlinks::of(db, source, url, limit)).collect())
    }

    fn control(&self, activity: Activity) -> Result<Control, StoreError> {
        control::get(&self.folder, activity)
    }

    fn apply_user_changes(&self, changes: &[UserChange]) -> Result<(), StoreError> {
        changes.iter().try_for_each(|change| match change {
            UserChange::Control(activity, control) => {
                self.require(*activity)?;
                control::set(&self.folder, *activity, control)
            }
            UserChange::Label(update) => self.annotations.set_label(update),
            UserChange::Logged(by, number, result) => self.annotations.complete(*by, *number, result),
        })
    }
}

impl HarvestStore for SqliteStore {
    fn begin_harvest(&self, spec: &HarvestSpec, now: Time) -> Result<HarvestId, StoreError> {
        let harvest = self.writing(|db| harvests::begin(db, spec, now))?;
        self.sync()?;
        Ok(harvest)
    }

    fn resume_harvest(&self, harvest: HarvestId) -> Result<HarvestCheckpoint, StoreError> {
        self.require(Activity::Harvest(harvest))?;
        self.reading(|db| harvests::checkpoint(db, harvest))
    }

    fn commit_harvest(&self, harvest: HarvestId, batch: &HarvestBatch) -> Result<(), StoreError> {
        self.require(Activity::Harvest(harvest))?;
        self.has_submissions.fetch_or(!batch.submissions.is_empty(), Ordering::Relaxed);
        self.writing(|db| harvest::steps::apply(db, harvest, batch))
    }

    fn past_answers(
        &self,
        harvest: HarvestId,
        after: Option<u32>,
        limit: usize,
    ) -> Result<RowPage<PastAnswer, u32>, StoreError> {
        let rows = self.reading(|db| harvest::queries::answers_after(db, harvest, after, limit))?;
        Ok(RowPage::of(rows, limit, |answer| answer.query.number))
    }

    fn save_form_checks(&self, checks: &[FormCheck]) -> Result<(), StoreError> {
        self.writing(|db| harvests::save_checks(db, checks))
    }

    fn log_at_once(&self, entry: &Submission) -> Result<u64, StoreError> {
        self.annotations.log(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::link::{FrontierLink, LinkOrigin, QueueId};

    fn batch_of_links(numbers: std::ops::Range<u64>) -> Batch {
        let queued = |order| {
            let url = Url::parse(&format!("http://s{order}.org/")).unwrap();
            let link = FrontierLink::root(url, LinkOrigin::Seed);
            let (queue, score, generation, attempts) = (QueueId(0), 0.5, 0, 0);
            QueuedLink { link, queue, score, order, generation, attempts, not_before: Time(0) }
        };
        Batch { changes: vec![FrontierChange::Add(numbers.map(queued).collect())], ..Batch::default() }
    }

    fn set_max_pages(store: &SqliteStore, pages: i64) {
        store.with(|db| db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))).unwrap();
    }

    fn waiting(store: &SqliteStore, run: RunId) -> u64 {
        store.runs(&RunQuery::one(run)).unwrap()[0].counters.waiting
    }

    #[test]
    fn a_full_disk_loses_nothing_synced_and_the_store_works_again_once_there_is_space() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), Access::Crawl).unwrap();
        let spec =
            RunSpec { topic: "t".into(), strategy: "s".into(), seeds: vec![], seed: 1, source: "w".into() };
        let run = store.begin(&spec).unwrap();
        store.commit(run, &batch_of_links(0..100)).unwrap();
        store.sync().unwrap();
        store.commit(run, &batch_of_links(100..101)).unwrap();
        set_max_pages(&store, 1);
        let error = store.commit(run, &batch_of_links(101..5000)).expect_err("the disk is full");
        assert!(matches!(error, StoreError::Full(_)), "{error}");
        store.sync().unwrap();
        let reader = open(folder.path(), Access::Read).unwrap();
        for each in [&store, &reader] {
            assert_eq!(waiting(each, run), 100);
            let all = QueueSlice::of_queue(QueueId(0), 1000);
            assert_eq!(each.queue_heads(run, &[all]).unwrap()[0].len(), 100);
        }
        set_max_pages(&store, 1_000_000);
        store.commit(run, &batch_of_links(0..5000)).unwrap();
        store.sync().unwrap();
        assert_eq!(waiting(&reader, run), 5000);
    }
}
