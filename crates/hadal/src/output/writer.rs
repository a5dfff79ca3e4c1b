//! Where a listing goes, and in which format.
//!
//! A file appears whole or not at all: rows go to a temporary file beside it, which is renamed
//! when the last one is written.

use super::csv::Csv;
use super::jsonl::JsonLines;
use super::listing::{Cell, Listed};
use super::parquet::Parquet;
use super::table::TableListing;
use super::terminal::Screen;
use crate::choice::Choice;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for people.
    Table,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values; cells a spreadsheet would run get a leading apostrophe.
    Csv,
    /// A Parquet file with typed columns.
    Parquet,
}

impl Choice for Format {
    const CHOICES: &'static [(Format, &'static str, &'static str)] = &[
        (Format::Table, "table", "Aligned columns for people"),
        (Format::Jsonl, "jsonl", "One JSON object per line"),
        (
            Format::Csv,
            "csv",
            "Comma-separated values; a cell that a spreadsheet would execute gets a leading apostrophe",
        ),
        (Format::Parquet, "parquet", "A Parquet file with typed columns"),
    ];
}

/// Takes rows in one format.
pub trait RowWriter {
    /// Writes or keeps a row.
    fn row(&mut self, cells: &[Cell]) -> io::Result<()>;

    /// Writes what is left.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A writer of one kind of row in one format.
pub fn writer<R: Listed>(
    format: Format,
    out: impl Write + Send + 'static,
    screen: Screen,
) -> io::Result<Box<dyn RowWriter>> {
    Ok(match format {
        Format::Table => Box::new(TableListing::new(R::COLUMNS, screen, out)),
        Format::Jsonl => Box::new(JsonLines::new(R::COLUMNS, out)),
        Format::Csv => Box::new(Csv::new(R::COLUMNS, out)?),
        Format::Parquet => Box::new(Parquet::new(R::COLUMNS, out)?),
    })
}

/// A file that takes its name only when it is complete; dropped before that, it leaves nothing.
pub struct WholeFile {
    target: PathBuf,
    draft: PathBuf,
    done: bool,
}

impl WholeFile {
    /// Opens a draft beside the target.
    pub fn create(target: &Path) -> io::Result<(WholeFile, BufWriter<File>)> {
        let mut name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        let draft = target.with_file_name(name);
        let file = File::create(&draft)?;
        Ok((WholeFile { target: target.to_path_buf(), draft, done: false }, BufWriter::new(file)))
    }

    /// Gives the draft its name.
    pub fn complete(mut self) -> io::Result<()> {
        File::open(&self.draft)?.sync_all()?;
        std::fs::rename(&self.draft, &self.target)?;
        self.done = true;
        Ok(())
    }
}

impl Drop for WholeFile {
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

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("forms.csv");
        std::fs::write(&target, "old").unwrap();

        let (given_up, mut out) = WholeFile::create(&target).unwrap();
        out.write_all(b"half").unwrap();
        drop(given_up);
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no draft is left");

        let (whole, mut out) = WholeFile::create(&target).unwrap();
        out.write_all(b"new").unwrap();
        out.flush().unwrap();
        whole.complete().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
