//! Copies of the write-ahead log into the database, beside the work of a crawl.
//!
//! SQLite would copy the log within a commit, and a crawl with a million links would wait for it for half a
//! second. A thread with a connection of its own copies most of the log while the crawl appends to it. The
//! commit afterwards copies the rest, so that the log starts over.

use super::super::Access;
use super::opening::connect;
use rusqlite::Connection;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two copies. Longer intervals copy pages that change often fewer times, and the log grows. Guess.
const INTERVAL: Duration = Duration::from_secs(5);

/// Copies of the log of one store.
#[derive(Default)]
pub struct LogCopies {
    last: Option<Instant>,
    running: Option<JoinHandle<()>>,
}

impl LogCopies {
    /// Starts a copy if it is time, or completes one that the thread has finished. Call it after a commit.
    ///
    /// Errors are ignored: the log keeps everything that was not copied, and the next copy tries again.
    pub fn after_commit(&mut self, folder: &Path, db: &Connection) {
        match self.running.take() {
            Some(thread) if thread.is_finished() => {
                thread.join().ok();
                copy(db).ok();
            }
            None if self.last.get_or_insert_with(Instant::now).elapsed() >= INTERVAL => {
                self.last = Some(Instant::now());
                self.running = start(folder);
            }
            running => self.running = running,
        }
    }
}

impl Drop for LogCopies {
    fn drop(&mut self) {
        self.running.take().map(JoinHandle::join);
    }
}

fn start(folder: &Path) -> Option<JoinHandle<()>> {
    let folder = folder.to_path_buf();
    let work = move || {
        if let Ok(db) = connect(&folder, Access::Crawl) {
            copy(&db).ok();
        }
    };
    std::thread::Builder::new().name("log copy".into()).spawn(work).ok()
}

/// Copies the part that no reader needs any more, without waiting for other processes.
fn copy(db: &Connection) -> rusqlite::Result<()> {
    db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
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
        let mut copies = LogCopies { last: Instant::now().checked_sub(INTERVAL), running: None };
        copies.after_commit(folder.path(), &db);
        while copies.running.as_ref().is_some_and(|thread| !thread.is_finished()) {
            std::thread::yield_now();
        }
        db.execute_batch("INSERT INTO numbers VALUES (1)").unwrap();
        copies.after_commit(folder.path(), &db);
        assert!(copies.running.is_none());
        let left: (i64, i64) =
            db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| Ok((row.get(1)?, row.get(2)?))).unwrap();
        assert_eq!(left.0, left.1);
        db.execute_batch("INSERT INTO numbers VALUES (2)").unwrap();
        let log: i64 = db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1)).unwrap();
        assert!(log < 10, "{log}");
    }
}
