//! Opening of a store.
//!
//! Nothing is written to a file that is not known to be an intact store: its header is read with plain reads before
//! SQLite opens it. A new store is created beside its place and renamed, so that an incomplete store never exists. The
//! first process that opens a store of an earlier format migrates it in one transaction.

use super::super::{Access, StoreError};
use super::errors::{damaged, fault, io_fault};
use super::lock::CrawlLock;
use super::migration;
use super::schema::{APPLICATION, CREATE_WORD_INDEX, FORMAT, TABLES, create_views, tables};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

pub(super) const FILE: &str = "hadal.db";
/// Time that a writer waits for another one. Commands of users hold the store for milliseconds, so this is
/// ample.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns a connection to the store in `folder`, and the lock if it is opened for crawling.
pub fn open(folder: &Path, access: Access) -> Result<(Connection, Option<CrawlLock>), StoreError> {
    if folder.exists() && !folder.is_dir() {
        let detail = "it is a file, and a store is a folder: name another with --store".to_string();
        return Err(StoreError::Failed { path: folder.to_path_buf(), detail });
    }
    let lock = match access {
        Access::Read => None,
        Access::Crawl => {
            fs::create_dir_all(folder).map_err(|error| io_fault(folder, "create the folder", error))?;
            Some(CrawlLock::take(folder)?)
        }
    };
    let known = check_header(folder)?;
    match access {
        Access::Read if !known => return Err(StoreError::Missing(folder.to_path_buf())),
        Access::Crawl if !known => create(folder)?,
        _ => {}
    }
    let connect = || connect(folder, access).map_err(|error| fault(folder, error));
    let connection = connect()?;
    if check_schema(folder, &connection)? == FORMAT {
        return Ok((connection, lock));
    }
    drop(connection);
    migrate(folder, access)?;
    let connection = connect()?;
    check_schema(folder, &connection)?;
    Ok((connection, lock))
}

/// Page size of a new store. A commit writes whole pages, and a crawl changes rows of a few hundred bytes at random
/// places: pages of 2 KB write a fifth less than the usual 4 KB. Those of 1 KB write less still, but hold one link each
/// instead of two, so that a store is a fifth larger.
const PAGE_BYTES: u32 = 2048;

/// Migrates a store of an earlier format. A reader takes the lock of the crawl for that time.
fn migrate(folder: &Path, access: Access) -> Result<(), StoreError> {
    let _lock = match access {
        Access::Read => Some(CrawlLock::take(folder)?),
        Access::Crawl => None,
    };
    let migrate = || -> rusqlite::Result<()> {
        let mut connection = connect(folder, Access::Crawl)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        migration::migrate(&transaction, format_of(&transaction)?)?;
        transaction.commit()
    };
    migrate().map_err(|error| fault(folder, error))
}

fn format_of(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// True if there is a store. An error if there is a file that must not be touched.
fn check_header(folder: &Path) -> Result<bool, StoreError> {
    let unreadable = |error| io_fault(folder, "read the store", error);
    let mut header = Vec::with_capacity(100);
    match File::open(folder.join(FILE)) {
        Ok(file) => file.take(100).read_to_end(&mut header).map_err(unreadable)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(unreadable(error)),
    };
    if header.len() < 100 || !header.starts_with(b"SQLite format 3\0") {
        return Err(damaged(folder, "its header is not that of a database"));
    }
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if number(68) != APPLICATION {
        return Err(damaged(folder, "it is a database, but not a store of hadal"));
    }
    check_format(folder, number(60))?;
    Ok(true)
}

fn check_format(folder: &Path, found: u32) -> Result<(), StoreError> {
    match found {
        0 => Err(damaged(folder, "it has no format number")),
        1..=FORMAT => Ok(()),
        _ => Err(StoreError::Newer { path: folder.to_path_buf(), found, known: FORMAT }),
    }
}

fn create(folder: &Path) -> Result<(), StoreError> {
    let draft = folder.join("hadal.db.new");
    let failed = |error| io_fault(folder, "create the store", error);
    for leftover in ["hadal.db.new", "hadal.db.new-journal", "hadal.db.new-wal", "hadal.db.new-shm"] {
        match fs::remove_file(folder.join(leftover)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    write_empty(&draft).map_err(|error| fault(folder, error))?;
    fs::rename(&draft, folder.join(FILE)).map_err(failed)?;
    File::open(folder).and_then(|opened| opened.sync_all()).map_err(failed)
}

fn write_empty(draft: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(draft)?;
    connection.execute_batch(&format!(
        "PRAGMA page_size = {PAGE_BYTES}; BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};
         {TABLES} {CREATE_WORD_INDEX} {} COMMIT;",
        create_views()
    ))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.close().map_err(|(_, error)| error)
}

/// True if the files of a store cannot be written, as on a read-only disk.
fn is_read_only(folder: &Path) -> bool {
    let refused = |error: std::io::Error| {
        matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
    };
    fs::OpenOptions::new().write(true).open(folder.join(FILE)).is_err_and(refused)
}

/// Opens a store that cannot change. Readers of a write-ahead log would have to create a file beside it.
fn open_read_only(folder: &Path) -> rusqlite::Result<Connection> {
    let path = fs::canonicalize(folder.join(FILE)).unwrap_or_else(|_| folder.join(FILE));
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)
}

pub(super) fn connect(folder: &Path, access: Access) -> rusqlite::Result<Connection> {
    let connection = match access {
        Access::Read if is_read_only(folder) => open_read_only(folder)?,
        _ => Connection::open_with_flags(
            folder.join(FILE),
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?,
    };
    let (cache_kib, query_only) = match access {
        Access::Crawl => (32 * 1024, "OFF"),
        Access::Read => (4 * 1024, "ON"),
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Statements keep their query plan when new values are bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // A crawl copies its write-ahead log and writes it to the disk beside its work, see `log_copies`.
    let (log_pages, synchronous) = if access == Access::Crawl { (0, "NORMAL") } else { (1000, "FULL") };
    connection.execute_batch(&format!(
        "PRAGMA wal_autocheckpoint = {log_pages}; PRAGMA cache_size = -{cache_kib}; PRAGMA synchronous = {synchronous}; PRAGMA temp_store = MEMORY;
         PRAGMA cell_size_check = ON; PRAGMA foreign_keys = OFF; PRAGMA journal_size_limit = 67108864;
         PRAGMA query_only = {query_only};"
    ))?;
    Ok(connection)
}

/// Returns the format of a store, after a check that all its tables exist.
fn check_schema(folder: &Path, connection: &Connection) -> Result<u32, StoreError> {
    let look = || -> rusqlite::Result<(u32, Vec<String>)> {
        let format = format_of(connection)?;
        let mut names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
        let names = names.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok((format, names))
    };
    let (format, names) = look().map_err(|error| fault(folder, error))?;
    check_format(folder, format)?;
    match tables(format).find(|table| !names.iter().any(|name| name == table)) {
        Some(table) => Err(damaged(folder, format!("its table {table} is missing"))),
        None => Ok(format),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_cannot_be_written_is_read_without_a_file_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path(), Access::Crawl).unwrap());
        let files = || fs::read_dir(folder.path()).unwrap().count();
        let before = files();
        let connection = open_read_only(folder.path()).unwrap();
        let runs: i64 = connection.query_row("SELECT count(*) FROM runs", [], |row| row.get(0)).unwrap();
        assert_eq!((runs, files()), (0, before));
        assert!(connection.execute("DELETE FROM runs", []).is_err());
    }
}
