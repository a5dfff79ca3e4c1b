//! The index of a graph: one SQLite file beside it, every table written in the order of its key.
//!
//! `names` and `by_name` lead from a number to a name and back, by a hash that names rarely share;
//! `linking` holds the numbers of sites that link to a site, as differences. Made by [`super::build`].

use super::GraphError;
use super::sort::{get, put};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// Creates the tables.
pub const CREATE: &str = "
CREATE TABLE graph (mark TEXT NOT NULL) STRICT;
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE by_name (
    hash INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (hash, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE linking (id INTEGER PRIMARY KEY, sources BLOB NOT NULL) STRICT;
";

/// An index that stands.
pub struct Index {
    place: PathBuf,
    mark: String,
    db: Mutex<Connection>,
}

impl Index {
    /// Whether the index in this place was made from the files with this mark.
    pub fn is_of(place: &Path, mark: &str) -> bool {
        Index::open(place).is_ok_and(|index| index.mark == mark)
    }

    /// Opens an index.
    pub fn open(place: &Path) -> Result<Index, GraphError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(place, flags).map_err(|error| unusable(place, error))?;
        let mark = db.query_row("SELECT mark FROM graph", [], |row| row.get(0));
        let mark = mark.map_err(|error| unusable(place, error))?;
        Ok(Index { place: place.to_path_buf(), mark, db: Mutex::new(db) })
    }

    /// Names of sites that link to the one of this name.
    pub fn linking_to(&self, name: &str) -> Result<Vec<String>, GraphError> {
        let db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        linking_to(&db, name).map_err(|error| unusable(&self.place, error))
    }
}

fn linking_to(db: &Connection, name: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT sources FROM by_name
        JOIN names ON names.id = by_name.id JOIN linking ON linking.id = by_name.id
        WHERE hash = ? AND name = ?";
    let mut sought = db.prepare_cached(sql)?;
    let packed: Option<Vec<u8>> = sought.query_row(params![hash(name), name], |row| row.get(0)).optional()?;
    let mut named = db.prepare_cached("SELECT name FROM names WHERE id = ?")?;
    let mut name_of = |id: u64| named.query_row([id.cast_signed()], |row| row.get(0)).optional();
    let names = unpacked(&packed.unwrap_or_default()).into_iter().map(&mut name_of);
    names.filter_map(Result::transpose).collect()
}

/// What a name is found by.
pub fn hash(name: &str) -> u32 {
    (xxh3_64(name.as_bytes()) >> 32) as u32
}

/// Numbers in order, as differences.
pub fn packed(numbers: &[u32]) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::new(), 0);
    for number in numbers {
        put(&mut bytes, u64::from(number - last)).expect("memory takes every byte");
        last = *number;
    }
    bytes
}

/// What [`packed`] made, as far as it can be read.
fn unpacked(mut bytes: &[u8]) -> Vec<u64> {
    let differences = std::iter::from_fn(|| get(&mut bytes).ok().flatten());
    let sum = |last: &mut u64, more: u64| {
        *last = last.saturating_add(more);
        Some(*last)
    };
    differences.scan(0, sum).collect()
}

/// The index cannot be written or read.
pub fn unusable(place: &Path, error: impl std::fmt::Display) -> GraphError {
    GraphError::Index { path: place.to_path_buf(), detail: error.to_string() }
}
