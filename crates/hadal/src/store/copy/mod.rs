//! Copy of a whole store: a folder into PostgreSQL and back.
//!
//! The tables of both have the same names and columns, except for a few ([`layout`]). A copy reads them one after the
//! other and writes them in one transaction, so that a copy that fails leaves an empty store. No process may crawl or
//! harvest in the two stores meanwhile.

mod database;
mod folder;
mod layout;

use super::{
    Access, Activity, Control, HarvestQuery, Location, RunQuery, Store, StoreError, UserChange, locate,
    postgres, sqlite,
};
use database::DatabaseTables;
use folder::FolderTables;
use layout::{CopiedRow, TABLES, TableLayout};

/// Number of rows that are read and written at once. Guess: links of about 500 bytes each.
const ROWS_AT_ONCE: usize = 2000;

/// Receives the rows of a table, some at a time.
type TakeRows<'a> = &'a mut dyn FnMut(Vec<CopiedRow>) -> Result<(), StoreError>;

/// Tables of a store that is copied.
trait CopiedTables {
    /// Reads all rows of a table in their order.
    fn read(&self, table: &TableLayout, take: TakeRows<'_>) -> Result<(), StoreError>;

    /// Adds rows to a table.
    fn write(&self, table: &TableLayout, rows: Vec<CopiedRow>) -> Result<(), StoreError>;

    /// Makes everything written durable. Everything or nothing is.
    fn finish(&self) -> Result<(), StoreError>;

    /// The store itself.
    fn store(&self) -> &dyn Store;
}

/// Progress of a copy: the table that is copied, and its rows so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyProgress {
    /// Name of the table.
    pub table: &'static str,
    /// Number of copied rows.
    pub rows: u64,
}

/// Copies everything in one store into another one, which must be empty or not exist. Returns the number of rows.
pub fn copy(from: &str, to: &str, report: &mut dyn FnMut(CopyProgress)) -> Result<u64, StoreError> {
    if let Location::Database = locate(from)? {
        settle(from)?;
    }
    let source = open_tables(from, Access::Read)?;
    refuse_busy(from, source.store())?;
    let target = open_tables(to, Access::Crawl)?;
    refuse_full(to, target.store())?;
    let mut all = 0;
    for table in TABLES {
        let mut rows = 0;
        source.read(table, &mut |some| {
            rows += some.len() as u64;
            target.write(table, some)?;
            report(CopyProgress { table: table.name, rows });
            Ok(())
        })?;
        all += rows;
    }
    target.finish()?;
    copy_controls(source.store(), target.store())?;
    Ok(all)
}

fn open_tables(url: &str, access: Access) -> Result<Box<dyn CopiedTables>, StoreError> {
    match locate(url)? {
        Location::Folder(folder) => Ok(Box::new(FolderTables::new(sqlite::open(folder.as_ref(), access)?))),
        Location::Database => Ok(Box::new(DatabaseTables::new(postgres::open(url, access)?, access)?)),
        Location::Memory => Err(StoreError::NotCopied(url.to_string())),
    }
}

/// Adds the counters of workers that were killed to those of their runs. Refuses a run with links that no worker has
/// received.
fn settle(url: &str) -> Result<(), StoreError> {
    let store = postgres::open(url, Access::Read)?;
    refuse_busy(url, &store)?;
    match store.settle()? {
        None => Ok(()),
        Some(run) => Err(StoreError::NotCopied(format!(
            "{}: run {} has links that no worker has received; start its command once more, alone, and stop it",
            super::shown_url(url),
            run.0
        ))),
    }
}

/// Refuses a store in which a process crawls or harvests.
fn refuse_busy(url: &str, store: &dyn Store) -> Result<(), StoreError> {
    match store.is_busy() {
        true => {
            Err(StoreError::NotCopied(format!("{}: a crawl or harvest runs in it", super::shown_url(url))))
        }
        false => Ok(()),
    }
}

/// Refuses a target that holds something.
fn refuse_full(url: &str, store: &dyn Store) -> Result<(), StoreError> {
    let one = Some(1);
    let runs = store.runs(&RunQuery { limit: one, ..RunQuery::default() })?.len();
    let harvests = store.harvests(&HarvestQuery { limit: one, ..HarvestQuery::default() })?.len();
    match runs + harvests {
        0 => Ok(()),
        _ => Err(StoreError::NotCopied(format!("{}: the target is not empty", super::shown_url(url)))),
    }
}

/// Copies the instructions of users to runs and harvests.
fn copy_controls(source: &dyn Store, target: &dyn Store) -> Result<(), StoreError> {
    let runs = source.runs(&RunQuery::default())?.into_iter().map(|run| Activity::Run(run.id));
    let harvests = source.harvests(&HarvestQuery::default())?.into_iter();
    for activity in runs.chain(harvests.map(|harvest| Activity::Harvest(harvest.id))) {
        let control = source.control(activity)?;
        if control != Control::default() {
            target.apply_user_changes(&[UserChange::Control(activity, control)])?;
        }
    }
    Ok(())
}
