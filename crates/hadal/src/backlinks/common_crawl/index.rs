//! Index of a graph: one SQLite file beside the graph. Every table is written in the order of its key.
//!
//! `names` maps a number to a name. `by_name` maps the hash of a name to numbers; few names share a hash.
//! `linking` holds the numbers of the sites that link to a site, delta-coded. [`super::build`] writes the
//! index.

use super::GraphError;
use super::sort::{get, put};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// SQL that creates the tables.
pub const CREATE: &str = "
CREATE TABLE graph (mark TEXT NOT NULL) STRICT;
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE by_name (
    hash INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (hash, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE linking (id INTEGER PRIMARY KEY, sources BLOB NOT NULL) STRICT;
";

/// Open index of a complete graph.
pub struct Index {
    place: PathBuf,
    mark: String,
    db: Mutex<Connection>,
}

impl Index {
    /// True if the index at this path was built from the files with this fingerprint.
    pub fn was_built_from(place: &Path, mark: &str) -> bool {
        Index::open(place).is_ok_and(|index| index.mark == mark)
    }

    /// Opens an index for reading.
    pub fn open(place: &Path) -> Result<Index, GraphError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(place, flags).map_err(|error| unusable(place, error))?;
        let mark = db.query_row("SELECT mark FROM graph", [], |row| row.get(0));
        let mark = mark.map_err(|error| unusable(place, error))?;
        Ok(Index { place: place.to_path_buf(), mark, db: Mutex::new(db) })
    }

    /// Names of the sites that link to the site of this name.
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

/// Hash of a name, the key of `by_name`.
pub fn hash(name: &str) -> u32 {
    (xxh3_64(name.as_bytes()) >> 32) as u32
}

/// Delta-codes numbers that are sorted.
pub fn packed(numbers: &[u32]) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::new(), 0);
    for number in numbers {
        put(&mut bytes, u64::from(number - last)).expect("memory takes every byte");
        last = *number;
    }
    bytes
}

/// Decodes the output of [`packed`], up to the first error.
fn unpacked(mut bytes: &[u8]) -> Vec<u64> {
    let differences = std::iter::from_fn(|| get(&mut bytes).ok().flatten());
    let sum = |last: &mut u64, more: u64| {
        *last = last.saturating_add(more);
        Some(*last)
    };
    differences.scan(0, sum).collect()
}

/// Error for an index that cannot be written or read.
pub fn unusable(place: &Path, error: impl std::fmt::Display) -> GraphError {
    GraphError::Index { path: place.to_path_buf(), detail: error.to_string() }
}
