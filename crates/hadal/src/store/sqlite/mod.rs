//! The store in a folder: one SQLite file, `hadal.db`, that any SQLite tool opens.
//!
//! One process crawls into it, any number of others read it meanwhile (write-ahead log). The crawl
//! keeps one transaction open from the first commit after a sync to the next sync and reads through
//! it. Walks read in chunks and hold nothing between them, so that a slow reader keeps nobody waiting.

mod backlinks;
mod catalogue;
mod changes;
mod codec;
mod control;
mod errors;
mod frontier;
mod harvest;
mod lock;
mod notes;
mod opening;
mod outcomes;
mod reports;
mod runs;
mod schema;
mod submissions;

use super::*;
use hadal_core::strategy::SiteCounters;
use lock::CrawlLock;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Mutex;

/// An open store in a folder.
pub struct SqliteStore {
    folder: PathBuf,
    connection: Mutex<Connection>,
    notes: notes::Annotations,
    _lock: Option<CrawlLock>,
}

/// Opens the store in a folder.
pub fn open(folder: &Path, access: Access) -> Result<SqliteStore, StoreError> {
    let (connection, lock) = opening::open(folder, access)?;
    let notes = notes::Annotations::of(folder);
    Ok(SqliteStore { folder: folder.to_path_buf(), connection: Mutex::new(connection), notes, _lock: lock })
}

impl SqliteStore {
    /// Does `work` alone on the connection.
    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let connection = self.connection.lock().expect("half a batch after a panic is never kept");
        work(&connection).map_err(|error| errors::fault(&self.folder, error))
    }

    /// Reads in one transaction: the open one, which sees what is not kept yet, or one of its own.
    fn reading<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.with(|db| {
            let _own = if db.is_autocommit() { Some(db.unchecked_transaction()?) } else { None };
            work(db)
        })
    }

    /// Writes in the open transaction, opening it if need be. An error undoes all that was not kept.
    fn writing<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.with(|db| {
            if db.is_autocommit() {
                db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            }
            work(db).or_else(|error| undo(db, error))
        })
    }

    fn refuse_unknown(&self, run: RunId) -> Result<(), StoreError> {
        let detail = format!("there is no run {}", run.0);
        let known = self.with(|db| runs::exists(db, run))?;
        if known { Ok(()) } else { Err(StoreError::Failed { path: self.folder.clone(), detail }) }
    }
}

/// Rolls back and passes the error on. SQLite may have rolled back by itself.
fn undo<T>(db: &Connection, error: rusqlite::Error) -> rusqlite::Result<T> {
    if !db.is_autocommit() {
        db.execute_batch("ROLLBACK")?;
    }
    Err(error)
}

impl Store for SqliteStore {
    fn begin(&self, spec: &RunSpec) -> Result<RunId, StoreError> {
        let run = self.writing(|db| runs::begin(db, spec))?;
        self.sync()?;
        Ok(run)
    }

    fn discard(&self, run: RunId) -> Result<(), StoreError> {
        self.refuse_unknown(run)?;
        self.writing(|db| runs::discard(db, run))?;
        self.sync()?;
        control::forget(&self.folder, Activity::Run(run))
    }

    fn resume(&self, run: RunId) -> Result<RunCheckpoint, StoreError> {
        self.refuse_unknown(run)?;
        self.reading(|db| runs::checkpoint(db, run))
    }

    fn commit(&self, run: RunId, batch: &Batch) -> Result<(), StoreError> {
        self.refuse_unknown(run)?;
        self.writing(|db| outcomes::apply(db, run, batch))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.with(|db| {
            if db.is_autocommit() {
                return Ok(());
            }
            let kept = db.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
            kept.map(|_| ()).or_else(|error| undo(db, error))
        })
    }

    fn known(&self, run: RunId, links: &[LinkId]) -> Result<Vec<bool>, StoreError> {
        self.with(|db| frontier::known(db, run, links))
    }

    fn known_forms(&self, run: RunId, forms: &[FormId]) -> Result<Vec<bool>, StoreError> {
        self.with(|db| reports::known_forms(db, run, forms))
    }

    fn whole_form(&self, run: RunId, form: FormId) -> Result<Option<Form>, StoreError> {
        self.with(|db| reports::whole_form(db, run, form))
    }

    fn lead(&self, run: RunId, link: LinkId) -> Result<Option<FrontierLink>, StoreError> {
        self.with(|db| frontier::lead(db, run, link))
    }

    fn backlinks(&self, source: &str, url: &Url, limit: usize) -> Result<Vec<Url>, StoreError> {
        self.with(|db| backlinks::of(db, source, url, limit))
    }

    fn lessons(&self, run: RunId) -> Result<Vec<LessonRow>, StoreError> {
        self.with(|db| reports::lessons(db, run))
    }

    fn of_host(
        &self,
        run: RunId,
        lane: QueueId,
        host: &Host,
        after: Option<QueueRank>,
        limit: usize,
    ) -> Result<Vec<QueuedLink>, StoreError> {
        self.with(|db| frontier::of_host(db, run, lane, host, after, limit))
    }

    fn of_lane(&self, run: RunId, lane: QueueId, limit: usize) -> Result<Vec<QueuedLink>, StoreError> {
        self.with(|db| frontier::of_lane(db, run, lane, limit))
    }

    fn tally(&self, run: RunId) -> Result<RunCounters, StoreError> {
        self.refuse_unknown(run)?;
        self.reading(|db| runs::tally(db, run))
    }

    fn site(&self, run: RunId, site: &Site) -> Result<SiteCounters, StoreError> {
        self.with(|db| reports::site(db, run, site))
    }

    fn host(&self, run: RunId, host: &Host) -> Result<Option<HostState>, StoreError> {
        self.with(|db| reports::host(db, run, host))
    }

    fn control(&self, run: RunId) -> Result<Control, StoreError> {
        control::get(&self.folder, Activity::Run(run))
    }

    fn set_control(&self, run: RunId, control: &Control) -> Result<(), StoreError> {
        self.refuse_unknown(run)?;
        control::set(&self.folder, Activity::Run(run), control)
    }

    fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        self.reading(runs::rows)
    }

    fn forms(&self, filter: &Filter, each: &mut dyn FnMut(FormRow) -> Walk) -> Result<(), StoreError> {
        let mut last: Option<FormRow> = None;
        loop {
            let rows = self.with(|db| reports::forms_after(db, filter, last.as_ref()))?;
            let Some(end) = rows.last().cloned() else { return Ok(()) };
            if hand_out(rows, each) == Walk::Stop {
                return Ok(());
            }
            last = Some(end);
        }
    }

    fn sites(&self, filter: &Filter, each: &mut dyn FnMut(SiteRow) -> Walk) -> Result<(), StoreError> {
        let ranked = self.with(|db| reports::ranked_sites(db, filter))?;
        for chunk in ranked.chunks(reports::CHUNK) {
            let rows = self.with(|db| reports::sites_among(db, chunk))?;
            if hand_out(rows, each) == Walk::Stop {
                break;
            }
        }
        Ok(())
    }

    fn pages(&self, run: RunId, each: &mut dyn FnMut(PageRow) -> Walk) -> Result<(), StoreError> {
        let mut last = 0;
        loop {
            let (rows, end) = self.with(|db| reports::pages_after(db, run, last))?;
            if rows.is_empty() || hand_out(rows, each) == Walk::Stop {
                return Ok(());
            }
            last = end;
        }
    }

    fn submissions(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(Submission) -> Walk,
    ) -> Result<(), StoreError> {
        let mut last = 0;
        loop {
            let (rows, end) = self.with(|db| submissions::after(db, filter, last))?;
            if rows.is_empty() {
                break;
            }
            if hand_out(rows, each) == Walk::Stop {
                return Ok(());
            }
            last = end;
        }
        let mut last = 0;
        loop {
            let (rows, end) = self.notes.questions_after(filter, last)?;
            if rows.is_empty() || hand_out(rows, each) == Walk::Stop {
                return Ok(());
            }
            last = end;
        }
    }
}

fn hand_out<T>(rows: Vec<T>, each: &mut dyn FnMut(T) -> Walk) -> Walk {
    let stopped = rows.into_iter().any(|row| each(row) == Walk::Stop);
    if stopped { Walk::Stop } else { Walk::On }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::link::{FrontierLink, LinkOrigin};
    use hadal_core::time::Time;
    use url::Url;

    fn leads(numbers: std::ops::Range<u64>) -> Batch {
        let lead = |order| {
            let url = Url::parse(&format!("http://s{order}.org/")).unwrap();
            let lead = FrontierLink::root(url, LinkOrigin::Seed);
            let (lane, score, generation, attempts) = (QueueId(0), 0.5, 0, 0);
            QueuedLink { link: lead, queue: lane, score, order, generation, attempts, not_before: Time(0) }
        };
        Batch { changes: vec![FrontierChange::Add(numbers.map(lead).collect())], ..Batch::default() }
    }

    fn at_most(store: &SqliteStore, pages: i64) {
        store.with(|db| db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))).unwrap();
    }

    #[test]
    fn on_a_full_disk_what_was_kept_stays_and_the_store_goes_on_when_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), Access::Crawl).unwrap();
        let spec =
            RunSpec { topic: "t".into(), strategy: "s".into(), seeds: vec![], seed: 1, source: "w".into() };
        let run = store.begin(&spec).unwrap();
        store.commit(run, &leads(0..100)).unwrap();
        store.sync().unwrap();
        store.commit(run, &leads(100..101)).unwrap();
        at_most(&store, 1);
        let error = store.commit(run, &leads(101..5000)).expect_err("no room for that");
        assert!(matches!(error, StoreError::Full(_)), "{error}");
        store.sync().unwrap();
        let reader = open(folder.path(), Access::Read).unwrap();
        for each in [&store, &reader] {
            assert_eq!(each.tally(run).unwrap().waiting, 100);
            assert_eq!(each.of_lane(run, QueueId(0), 1000).unwrap().len(), 100);
        }
        at_most(&store, 1_000_000);
        store.commit(run, &leads(0..5000)).unwrap();
        store.sync().unwrap();
        assert_eq!(reader.tally(run).unwrap().waiting, 5000);
    }
}
