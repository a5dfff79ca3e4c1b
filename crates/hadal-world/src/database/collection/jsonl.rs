//! Collections in JSON Lines files, plain or gzip-compressed.

use super::generate::MAX_RECORDS;
use super::{Collection, Record};
use flate2::bufread::MultiGzDecoder;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Longest line that is read as a record, in bytes. Longer lines are skipped. Guess.
const MAX_LINE_BYTES: u64 = 4 << 20;

/// Error of reading a collection.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    /// The file could not be read.
    #[error("could not read {path}: {error}")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system or of decompression.
        error: io::Error,
    },
    /// The file has no record.
    #[error("no records in {path}: each line must be a JSON object with \"id\", \"title\" and \"text\"")]
    Empty {
        /// Path of the file.
        path: PathBuf,
    },
}

impl Collection {
    /// Reads a `.jsonl` or `.jsonl.gz` file. Each line is a JSON object; `id`, `title` and `text` are the
    /// record, all other members are columns. Lines that are not records are skipped and counted.
    pub fn open(path: &Path) -> Result<Collection, CollectionError> {
        let unread = |error| CollectionError::Read { path: path.to_path_buf(), error };
        let file = BufReader::with_capacity(1 << 16, File::open(path).map_err(unread)?);
        let is_compressed = path.extension().is_some_and(|ending| ending == "gz");
        let read = match is_compressed {
            true => Collection::read(BufReader::new(MultiGzDecoder::new(file))),
            false => Collection::read(file),
        };
        let collection = read.map_err(unread)?;
        if collection.is_empty() {
            return Err(CollectionError::Empty { path: path.to_path_buf() });
        }
        Ok(collection)
    }

    /// Reads JSON lines.
    pub fn read(mut lines: impl BufRead) -> io::Result<Collection> {
        let (mut collection, mut line) = (Collection::default(), Vec::new());
        while collection.len() < MAX_RECORDS {
            line.clear();
            if lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
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
    let own = |name: &str| object.get(name).map(text_of).unwrap_or_default();
    let (id, title, text) = (own("id"), own("title"), own("text"));
    let others = object.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "title" | "text"));
    let fields: Vec<(&str, String)> = others.map(|(name, value)| (name.as_str(), text_of(value))).collect();
    if title.is_empty() && text.is_empty() && fields.iter().all(|(_, value)| value.is_empty()) {
        return collection.skip();
    }
    let record = Record { id: &id, title: &title, text: &text };
    collection.push(record, fields.iter().map(|(name, value)| (*name, value.as_str())));
}

/// Text of a JSON value.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join(", "),
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
    fn lines_become_records_and_other_lines_are_counted() {
        let collection = Collection::read(LINES.as_bytes()).unwrap();
        assert_eq!((collection.len(), collection.skipped()), (2, 3));
        assert_eq!(collection.record(1).unwrap().id, "7");
        assert_eq!(collection.record(2), None);
        assert_eq!(collection.fields(0).collect::<Vec<_>>(), [("tags", "sea, moon"), ("year", "1900")]);
        assert_eq!(collection.fields(1).count(), 0);
    }

    #[test]
    fn compressed_files_are_read_and_damaged_ones_are_errors() {
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
