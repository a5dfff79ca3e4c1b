//! Lock file that admits one crawl at a time. The lock is advisory and ends with its process.

use super::super::StoreError;
use super::errors::io_fault;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

/// Lock of a store that is open for crawling.
pub struct CrawlLock {
    file: File,
}

impl Drop for CrawlLock {
    /// Unlocks explicitly, because a child process that was just forked may keep the file open for a moment.
    fn drop(&mut self) {
        self.file.unlock().ok();
    }
}

impl CrawlLock {
    /// True if a process holds the lock of the store in `folder`.
    pub fn is_taken(folder: &Path) -> bool {
        let held = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        File::open(folder.join("crawl.lock")).is_ok_and(held)
    }

    /// Takes the lock of the store in `folder` and writes the process id into it.
    pub fn take(folder: &Path) -> Result<CrawlLock, StoreError> {
        let failed = |error| io_fault(folder, "take the crawl's lock", error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(folder.join("crawl.lock")).map_err(failed)?;
        match try_again(|| file.try_lock()) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::InUse { path: folder.to_path_buf(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        write_pid(&mut file).map_err(failed)?;
        Ok(CrawlLock { file })
    }
}

/// Attempts to take the lock, and the pause between them. A reader that looks at the lock holds it for microseconds.
/// Guess.
const ATTEMPTS: usize = 5;
const PAUSE: Duration = Duration::from_millis(10);

fn try_again(mut lock: impl FnMut() -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    for _ in 1..ATTEMPTS {
        match lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            ended => return ended,
        }
    }
    lock()
}

fn write_pid(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(20).read_to_string(&mut text);
    let known = read.is_ok() && !text.trim().is_empty();
    if known { text.trim().to_string() } else { "unknown".to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_held_for_a_moment_is_tried_again() {
        let mut held = 3;
        let lock = || {
            held -= 1;
            if held > 0 { Err(TryLockError::WouldBlock) } else { Ok(()) }
        };
        assert!(try_again(lock).is_ok());
        assert!(try_again(|| Err(TryLockError::WouldBlock)).is_err());
    }
}
