//! Collections from files: one JSON object a line, compressed or not.

use super::{Collection, Record};
use flate2::bufread::MultiGzDecoder;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line that is taken for a record; the rest of a longer one is no record either.
const LONGEST_LINE: u64 = 4 << 20;

/// More records than this are not read.
const MOST_RECORDS: u32 = 2_000_000;

/// Why a collection could not be had.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// No line of it is a record.
    #[error("no record in {path}: each line is a JSON object with \"id\", \"title\" and \"text\"")]
    Empty {
        /// Which file.
        path: PathBuf,
    },
}

impl Collection {
    /// Reads a `.jsonl` or `.jsonl.gz` file. Lines that are no records are counted and left out.
    pub fn open(path: &Path) -> Result<Collection, CollectionError> {
        let unread = |error| CollectionError::Read { path: path.to_path_buf(), error };
        let file = BufReader::with_capacity(1 << 16, File::open(path).map_err(unread)?);
        let is_packed = path.extension().is_some_and(|ending| ending == "gz");
        let read = match is_packed {
            true => Collection::read(BufReader::new(MultiGzDecoder::new(file))),
            false => Collection::read(file),
        };
        let collection = read.map_err(unread)?;
        if collection.is_empty() {
            return Err(CollectionError::Empty { path: path.to_path_buf() });
        }
        Ok(collection)
    }

    /// Reads lines of JSON.
    pub fn read(mut lines: impl BufRead) -> io::Result<Collection> {
        let (mut collection, mut line) = (Collection::default(), Vec::new());
        while collection.len() < MOST_RECORDS {
            line.clear();
            if lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            match serde_json::from_slice(&line) {
                Ok(Value::Object(object)) => add(&mut collection, &object),
                _ if line.trim_ascii().is_empty() => {}
                _ => collection.skip(),
            }
        }
        Ok(collection)
    }
}

fn add(collection: &mut Collection, object: &Map<String, Value>) {
    let own = |name: &str| object.get(name).map(written).unwrap_or_default();
    let (id, title, text) = (own("id"), own("title"), own("text"));
    let others = object.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "title" | "text"));
    let fields: Vec<(&str, String)> = others.map(|(name, value)| (name.as_str(), written(value))).collect();
    if title.is_empty() && text.is_empty() && fields.iter().all(|(_, value)| value.is_empty()) {
        return collection.skip();
    }
    let record = Record { id: &id, title: &title, text: &text };
    collection.push(record, fields.iter().map(|(name, value)| (*name, value.as_str())));
}

/// A value as a page shows it.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        Value::Array(values) => values.iter().map(written).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Object(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const LINES: &str = "{\"id\": \"a1\", \"title\": \"Tide tables\", \"text\": \"\", \"year\": 1900, \"tags\": [\"sea\", \"moon\"]}\n\
        not json\n\n{\"id\": 7, \"text\": \"only text\", \"year\": null}\n{\"id\": \"void\"}\n[1]\n";

    #[test]
    fn lines_become_records_and_the_rest_is_counted() {
        let collection = Collection::read(LINES.as_bytes()).unwrap();
        assert_eq!((collection.len(), collection.skipped()), (2, 3));
        assert_eq!(collection.record(1).unwrap().id, "7");
        assert_eq!(collection.record(2), None);
        assert_eq!(collection.fields(0).collect::<Vec<_>>(), [("tags", "sea, moon"), ("year", "1900")]);
        assert_eq!(collection.fields(1).count(), 0);
    }

    #[test]
    fn packed_files_are_read_alike_and_damaged_ones_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("records.jsonl.gz");
        let mut packer = flate2::write::GzEncoder::new(File::create(&path).unwrap(), Default::default());
        packer.write_all(LINES.as_bytes()).unwrap();
        packer.finish().unwrap();
        assert_eq!(Collection::open(&path).unwrap().len(), 2);
        std::fs::write(&path, b"not packed").unwrap();
        assert!(matches!(Collection::open(&path), Err(CollectionError::Read { .. })));
        std::fs::write(place.path().join("empty.jsonl"), b"\n").unwrap();
        let empty = Collection::open(&place.path().join("empty.jsonl"));
        assert!(matches!(empty, Err(CollectionError::Empty { .. })));
    }
}
