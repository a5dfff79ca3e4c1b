//! Files that are written completely or not at all.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// A file that appears under its name only when it is complete. Dropping it earlier removes the draft.
pub struct AtomicFile {
    target: PathBuf,
    draft: PathBuf,
    done: bool,
}

impl AtomicFile {
    /// Opens a draft beside the target.
    pub fn create(target: &Path) -> io::Result<(AtomicFile, BufWriter<File>)> {
        let mut name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        let draft = target.with_file_name(name);
        let file = File::create(&draft)?;
        Ok((AtomicFile { target: target.to_path_buf(), draft, done: false }, BufWriter::new(file)))
    }

    /// Gives the draft its name.
    pub fn complete(mut self) -> io::Result<()> {
        File::open(&self.draft)?.sync_all()?;
        std::fs::rename(&self.draft, &self.target)?;
        self.done = true;
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.done {
            // Nothing better can be done about a draft that cannot be removed.
            std::fs::remove_file(&self.draft).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("forms.csv");
        std::fs::write(&target, "old").unwrap();

        let (given_up, mut out) = AtomicFile::create(&target).unwrap();
        out.write_all(b"half").unwrap();
        drop(given_up);
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no draft is left");

        let (whole, mut out) = AtomicFile::create(&target).unwrap();
        out.write_all(b"new").unwrap();
        out.flush().unwrap();
        whole.complete().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
