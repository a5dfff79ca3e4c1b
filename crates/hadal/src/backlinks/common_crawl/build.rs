//! Builds the index of a web graph in bounded memory: numbers are sorted on disk, and tables are written in key
//! order.
//!
//! The index keeps at most [`MAX_LINKING`] linking sites per site, sampled by a hash of their numbers.
//! Well-known sites have millions of them, and the first ones in alphabetical order would all be from one
//! country. A complete draft is renamed into place, so a partial index never exists.

use super::GraphError;
use super::files::{Files, LineError, edge, lines, vertex};
use super::index::{CREATE, hash, packed, unusable};
use super::sort::{Merged, Sorter};
use rusqlite::{Connection, ErrorCode, Statement, params};
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of linking sites kept per site. Guess.
pub const MAX_LINKING: usize = 200;

/// SQLite settings of the draft. It is deleted on any failure, so it needs no journal.
const DRAFT: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;";

/// Builds the index of a graph and sorts at most `held` numbers in memory at once.
pub fn build(files: &Files, place: &Path, held: usize) -> Result<(), GraphError> {
    let (runs, draft) = (place.with_extension("runs"), place.with_extension("new"));
    let tidy = || clear(&runs, &draft).map_err(|error| unusable(place, error));
    tidy()?;
    let made = write(files, place, &runs, &draft, held);
    let renamed = made.and_then(|()| fs::rename(&draft, place).map_err(|error| unusable(place, error)));
    renamed.and(tidy())
}

/// Removes the draft of this attempt or of an earlier one.
fn clear(runs: &Path, draft: &Path) -> io::Result<()> {
    for removed in [fs::remove_dir_all(runs), fs::remove_file(draft)] {
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn write(files: &Files, place: &Path, runs: &Path, draft: &Path, held: usize) -> Result<(), GraphError> {
    let fail = |error: rusqlite::Error| unusable(place, error);
    fs::create_dir(runs).map_err(|error| unusable(place, error))?;
    let db = Connection::open(draft).map_err(fail)?;
    db.execute_batch(&format!("{DRAFT} {CREATE} BEGIN")).map_err(fail)?;
    let build = Build { db: &db, place: place.to_path_buf(), runs, held };
    build.vertices(files)?;
    build.edges(files)?;
    db.execute("INSERT INTO graph (mark) VALUES (?)", [files.mark()]).map_err(fail)?;
    db.execute_batch("COMMIT").map_err(fail)?;
    db.close().map_err(|(_, error)| fail(error))?;
    File::open(draft).and_then(|whole| whole.sync_all()).map_err(|error| unusable(place, error))
}

struct Build<'a> {
    db: &'a Connection,
    place: PathBuf,
    runs: &'a Path,
    held: usize,
}

impl Build<'_> {
    fn vertices(&self, files: &Files) -> Result<(), GraphError> {
        let mut by_name = Sorter::new(self.runs, "names", self.held);
        let mut insert = self.prepare("INSERT INTO names (id, name) VALUES (?, ?)")?;
        lines(&files.vertices, |line| {
            let (id, name) = vertex(line)?;
            insert.execute(params![id, name]).map_err(|error| self.refused(id, error))?;
            Ok(by_name.push(pair(hash(name), id)).map_err(|error| self.fail(error))?)
        })?;
        let mut insert = self.prepare("INSERT INTO by_name (hash, id) VALUES (?, ?)")?;
        for found in self.sorted(by_name)? {
            let (hash, id) = parts(found.map_err(|error| self.fail(error))?);
            insert.execute([hash, id]).map_err(|error| self.fail(error))?;
        }
        Ok(())
    }

    fn edges(&self, files: &Files) -> Result<(), GraphError> {
        let mut by_target = Sorter::new(self.runs, "edges", self.held);
        lines(&files.edges, |line| {
            let (from, to) = edge(line)?;
            Ok(by_target.push(pair(to, from)).map_err(|error| self.fail(error))?)
        })?;
        let mut insert = self.prepare("INSERT INTO linking (id, sources) VALUES (?, ?)")?;
        let mut keep = |(target, draw): (u32, Draw)| match insert.execute(params![target, draw.packed()]) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.fail(error)),
        };
        let mut open: Option<(u32, Draw)> = None;
        for found in self.sorted(by_target)? {
            let (to, from) = parts(found.map_err(|error| self.fail(error))?);
            if let Some(whole) = open.take_if(|(target, _)| *target != to) {
                keep(whole)?;
            }
            open.get_or_insert_with(|| (to, Draw::default())).1.add(from);
        }
        open.map_or(Ok(()), keep)
    }

    fn sorted(&self, sorter: Sorter) -> Result<Merged, GraphError> {
        sorter.sorted().map_err(|error| self.fail(error))
    }

    fn prepare(&self, sql: &str) -> Result<Statement<'_>, GraphError> {
        self.db.prepare(sql).map_err(|error| self.fail(error))
    }

    fn refused(&self, id: u32, error: rusqlite::Error) -> LineError {
        match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => format!("there is a vertex {id} already").into(),
            _ => self.fail(error).into(),
        }
    }

    fn fail(&self, error: impl std::fmt::Display) -> GraphError {
        unusable(&self.place, error)
    }
}

/// Sample of the linking sites with the lowest hashes. The same input gives the same sample.
#[derive(Default)]
struct Draw(BinaryHeap<(u64, u32)>);

impl Draw {
    fn add(&mut self, source: u32) {
        let drawn = (xxh3_64(&source.to_le_bytes()), source);
        if self.0.len() < MAX_LINKING {
            self.0.push(drawn);
        } else if let Some(mut highest) = self.0.peek_mut().filter(|highest| drawn < **highest) {
            *highest = drawn;
        }
    }

    fn packed(self) -> Vec<u8> {
        let mut sources: Vec<u32> = self.0.into_iter().map(|(_, source)| source).collect();
        sources.sort_unstable();
        sources.dedup();
        packed(&sources)
    }
}

fn pair(high: u32, low: u32) -> u64 {
    (u64::from(high) << 32) | u64::from(low)
}

fn parts(number: u64) -> (u32, u32) {
    ((number >> 32) as u32, number as u32)
}
