//! The files of a web graph as they are published: which they are, and their lines.

use super::GraphError;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Longer lines are not those of a graph.
const LONGEST_LINE: u64 = 4096;

/// The two files of a graph.
pub struct Files {
    pub vertices: PathBuf,
    pub edges: PathBuf,
}

impl Files {
    /// The graph in a folder, if there is one.
    pub fn find(folder: &Path) -> Result<Option<Files>, GraphError> {
        let missing = |_| GraphError::Missing(folder.to_path_buf());
        let entries = std::fs::read_dir(folder).map_err(missing)?;
        let all: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        let one = |what: &'static str| {
            let mut named = all.iter().filter(|path| is_named(path, what));
            match (named.next(), named.next()) {
                (_, Some(_)) => Err(GraphError::Several { folder: folder.to_path_buf(), what }),
                (found, None) => Ok(found.cloned()),
            }
        };
        Ok(one("vertices")?.zip(one("edges")?).map(|(vertices, edges)| Files { vertices, edges }))
    }

    /// What tells these files from others: names, sizes, times.
    pub fn mark(&self) -> String {
        let mark = |path: &PathBuf| {
            let (size, changed) =
                path.metadata().map_or((0, None), |meta| (meta.len(), meta.modified().ok()));
            let seconds =
                changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map_or(0, |at| at.as_secs());
            format!("{} {size} {seconds}", path.file_name().unwrap_or_default().to_string_lossy())
        };
        format!("{}\n{}", mark(&self.vertices), mark(&self.edges))
    }
}

fn is_named(path: &Path, what: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".gz").unwrap_or(&name).strip_suffix(".txt");
    stem.is_some_and(|stem| stem.ends_with(what))
}

/// What stops the reading of lines.
pub enum LineError {
    /// The line itself is wrong.
    Line(String),
    /// What became of it could not be kept.
    Kept(GraphError),
}

impl From<String> for LineError {
    fn from(detail: String) -> LineError {
        LineError::Line(detail)
    }
}

impl From<GraphError> for LineError {
    fn from(error: GraphError) -> LineError {
        LineError::Kept(error)
    }
}

/// Calls `each` with every line; what is wrong with one is told with file and line.
pub fn lines(path: &Path, mut each: impl FnMut(&str) -> Result<(), LineError>) -> Result<(), GraphError> {
    let damaged = |line: u64, detail: String| GraphError::Damaged { path: path.to_path_buf(), line, detail };
    let mut reader = open(path).map_err(|error| damaged(0, error.to_string()))?;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let read = read.map_err(|error| damaged(number, error.to_string()))? as u64;
        if read == 0 {
            break;
        }
        if read == LONGEST_LINE {
            return Err(damaged(number, "it is too long".to_string()));
        }
        let text = std::str::from_utf8(&line).map_err(|error| damaged(number, error.to_string()))?;
        let text = text.trim_end_matches(['\n', '\r']);
        if !text.is_empty() {
            each(text).map_err(|error| match error {
                LineError::Line(detail) => damaged(number, detail),
                LineError::Kept(error) => error,
            })?;
        }
    }
    Ok(())
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let file = BufReader::with_capacity(1 << 18, File::open(path)?);
    Ok(match path.extension().is_some_and(|extension| extension == "gz") {
        true => Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(file))),
        false => Box::new(file),
    })
}

/// A vertex: its number and its name, `org.example`. Domains have a count of hosts behind it.
pub fn vertex(line: &str) -> Result<(u32, &str), String> {
    let mut columns = line.split('\t');
    let (id, name) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
    if name.is_empty() || name.len() > 255 || name.contains(' ') {
        return Err("it names no host".to_string());
    }
    Ok((number(id)?, name))
}

/// An edge: who links to whom.
pub fn edge(line: &str) -> Result<(u32, u32), String> {
    let (from, to) = line.split_once('\t').ok_or("it is no pair of numbers")?;
    Ok((number(from)?, number(to)?))
}

fn number(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| format!("'{}' is no number of a vertex", text.chars().take(20).collect::<String>()))
}
