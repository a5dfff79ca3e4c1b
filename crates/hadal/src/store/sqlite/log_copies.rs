//! Copies of the write-ahead log into the database, and writes of the log to the disk, beside the work of a crawl.
//!
//! SQLite would do both within a commit, and a crawl with a million links would wait for it for a quarter of a
//! second. A thread with a connection of its own does it while the crawl appends to the log. When the thread has
//! copied all of the log between two commits, the next commit starts the log over.

use super::super::Access;
use super::opening::{FILE, connect};
use rusqlite::Connection;
use std::fs::File;
use std::io;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Least time between two copies. Guess.
const MIN_INTERVAL: Duration = Duration::from_secs(15);
/// Longest time between two copies, however short the log is. Guess.
const MAX_INTERVAL: Duration = Duration::from_secs(300);
/// Length of the log at which it is copied: this share of the database, within these bounds in bytes. A page that
/// changed several times since the last copy is copied once, so rare copies write less. Guess: the next process that
/// opens a store after a kill reads the log in less than a second.
const COPIED_SHARE: u64 = 4;
const COPIED_BYTES: std::ops::RangeInclusive<u64> = 64 << 20..=512 << 20;
/// Passes of one copy. Each pass copies what the crawl appended during the pass before, so each is shorter. Guess.
const PASSES: u32 = 3;
/// Bytes of the log from which on a commit waits for a copy. Reached only if the disk is slower than the crawl. Guess.
const MAX_LOG_BYTES: u64 = 1 << 30;

/// Copies of the log of one store.
#[derive(Default)]
pub struct LogCopies {
    last: Option<Instant>,
    running: Option<JoinHandle<()>>,
}

impl LogCopies {
    /// Copies the log into the database if it is time, or else writes it to the disk unless `is_written`. Call it after
    /// a commit.
    ///
    /// Returns before the work is done, unless the log is too long. Errors are ignored: the log keeps everything that
    /// was not copied, and the next copy tries again.
    pub fn after_commit(&mut self, folder: &Path, db: &Connection, is_written: bool) {
        if self.running.as_ref().is_some_and(|thread| !thread.is_finished()) {
            if log_bytes(folder) > MAX_LOG_BYTES {
                copy(db).ok();
            }
            return;
        }
        self.running.take().map(JoinHandle::join);
        let since_last = self.last.get_or_insert_with(Instant::now).elapsed();
        let is_copy_due =
            since_last >= MAX_INTERVAL || since_last >= MIN_INTERVAL && is_long(folder, db).unwrap_or(true);
        if is_copy_due {
            self.last = Some(Instant::now());
        }
        if is_copy_due || !is_written {
            self.running = start(folder, is_copy_due);
        }
    }
}

impl Drop for LogCopies {
    fn drop(&mut self) {
        self.running.take().map(JoinHandle::join);
    }
}

fn start(folder: &Path, is_copy_due: bool) -> Option<JoinHandle<()>> {
    let folder = folder.to_path_buf();
    let work = move || match is_copy_due {
        true => copy_all(&folder).unwrap_or_default(),
        false => write_log(&folder).unwrap_or_default(),
    };
    std::thread::Builder::new().name("log copy".into()).spawn(work).ok()
}

/// Waits until the disk holds the log.
pub fn write_log(folder: &Path) -> io::Result<()> {
    match File::open(log_path(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        opened => opened?.sync_data(),
    }
}

fn log_path(folder: &Path) -> std::path::PathBuf {
    folder.join(format!("{FILE}-wal"))
}

fn log_bytes(folder: &Path) -> u64 {
    std::fs::metadata(log_path(folder)).map_or(0, |log| log.len())
}

/// True if the log is so long that it should be copied.
fn is_long(folder: &Path, db: &Connection) -> rusqlite::Result<bool> {
    // This kind of checkpoint does nothing but count. The file may be longer than the log.
    let frames: i64 = db.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(1))?;
    let page: i64 = db.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    let database = std::fs::metadata(folder.join(FILE)).map_or(0, |file| file.len());
    let most = (database / COPIED_SHARE).clamp(*COPIED_BYTES.start(), *COPIED_BYTES.end());
    Ok((frames * page).cast_unsigned() >= most)
}

fn copy_all(folder: &Path) -> rusqlite::Result<()> {
    let db = connect(folder, Access::Crawl)?;
    for _ in 0..PASSES {
        if copy(&db)? {
            break;
        }
    }
    Ok(())
}

/// Copies the part that no reader needs any more, without waiting for other processes. True if that is all of the log.
fn copy(db: &Connection) -> rusqlite::Result<bool> {
    db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
        Ok(row.get::<_, i64>(1)? == row.get::<_, i64>(2)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::opening::open;

    #[test]
    fn the_log_starts_over_after_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let (db, _lock) = open(folder.path(), Access::Crawl).unwrap();
        db.execute_batch("CREATE TABLE numbers (n)").unwrap();
        let mut copies = LogCopies { last: Instant::now().checked_sub(MAX_INTERVAL), running: None };
        copies.after_commit(folder.path(), &db, false);
        copies.running.take().map(JoinHandle::join);
        db.execute_batch("INSERT INTO numbers VALUES (2)").unwrap();
        let log: i64 = db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1)).unwrap();
        assert!(log < 10, "{log}");
    }

    #[test]
    fn a_short_log_is_not_copied_for_minutes_and_a_long_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let (db, _lock) = open(folder.path(), Access::Crawl).unwrap();
        db.execute_batch("CREATE TABLE numbers (n)").unwrap();
        assert!(!is_long(folder.path(), &db).unwrap());
        let bytes = *COPIED_BYTES.start() as i64;
        db.execute("INSERT INTO numbers VALUES (zeroblob(?))", [bytes]).unwrap();
        assert!(is_long(folder.path(), &db).unwrap());
        let mut copies = LogCopies { last: Instant::now().checked_sub(MIN_INTERVAL), running: None };
        copies.after_commit(folder.path(), &db, true);
        copies.running.take().map(JoinHandle::join);
        db.execute_batch("INSERT INTO numbers VALUES (2)").unwrap();
        assert!(!is_long(folder.path(), &db).unwrap(), "the log has started over");
    }

    #[test]
    fn a_store_without_a_log_has_nothing_to_write() {
        let folder = tempfile::tempdir().unwrap();
        write_log(folder.path()).unwrap();
    }
}
