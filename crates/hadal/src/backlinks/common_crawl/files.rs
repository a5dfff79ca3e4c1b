//! Files of a published web graph and the syntax of their lines.

use super::GraphError;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Longest accepted line in bytes. Guess; lines of published graphs are far shorter.
const LONGEST_LINE: u64 = 4096;

/// Vertex and edge files of one graph.
pub struct Files {
    pub vertices: Vec<PathBuf>,
    pub edges: Vec<PathBuf>,
}

impl Files {
    /// Finds the graph in a folder. A graph of domains has one file of vertices and one of edges. A graph of
    /// hosts has many parts, in one folder each.
    pub fn find(folder: &Path) -> Result<Option<Files>, GraphError> {
        let all = texts(folder).map_err(|_| GraphError::Missing(folder.to_path_buf()))?;
        let of = |what: &'static str| {
            let named: Vec<PathBuf> = all.iter().filter(|path| stem(path).ends_with(what)).cloned().collect();
            match named.len() {
                0 => Ok(texts(&folder.join(what)).unwrap_or_default()),
                1 => Ok(named),
                _ => Err(GraphError::Several { folder: folder.to_path_buf(), what }),
            }
        };
        let files = Files { vertices: of("vertices")?, edges: of("edges")? };
        Ok((!files.vertices.is_empty() && !files.edges.is_empty()).then_some(files))
    }

    /// Fingerprint of the files: names, sizes and modification times. An index stores it to detect other files.
    pub fn mark(&self) -> String {
        let mark = |path: &PathBuf| {
            let (size, changed) =
                path.metadata().map_or((0, None), |meta| (meta.len(), meta.modified().ok()));
            let seconds =
                changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map_or(0, |at| at.as_secs());
            format!("{} {size} {seconds}\n", path.file_name().unwrap_or_default().to_string_lossy())
        };
        self.vertices.iter().chain(&self.edges).map(mark).collect()
    }
}

/// Text files of a folder, compressed or not, sorted by name.
fn texts(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut texts: Vec<PathBuf> = entries.filter(|path| !stem(path).is_empty()).collect();
    texts.sort();
    Ok(texts)
}

/// File name without its extensions; empty for files that are not text.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(".gz").unwrap_or(&name).strip_suffix(".txt").unwrap_or_default().to_string()
}

/// Reason why reading stopped.
pub enum LineError {
    /// The line has a wrong syntax.
    Line(String),
    /// The caller could not store the content of the line.
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

/// Calls `each` with every line of some files. Errors name the file and the line.
pub fn lines(
    paths: &[PathBuf],
    mut each: impl FnMut(&str) -> Result<(), LineError>,
) -> Result<(), GraphError> {
    paths.iter().try_for_each(|path| lines_of(path, &mut each))
}

fn lines_of(path: &Path, each: &mut impl FnMut(&str) -> Result<(), LineError>) -> Result<(), GraphError> {
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

/// Parses a vertex: its number and its reversed name, for example `org.example`. Domains have a count of hosts
/// after the name.
pub fn vertex(line: &str) -> Result<(u32, &str), String> {
    let mut columns = line.split('\t');
    let (id, name) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
    if name.is_empty() || name.len() > 255 || name.contains(' ') {
        return Err("it names no host".to_string());
    }
    Ok((number(id)?, name))
}

/// Parses an edge: the numbers of the linking vertex and of its target.
pub fn edge(line: &str) -> Result<(u32, u32), String> {
    let (from, to) = line.split_once('\t').ok_or("it is not a pair of numbers")?;
    Ok((number(from)?, number(to)?))
}

fn number(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| format!("'{}' is not the number of a vertex", text.chars().take(20).collect::<String>()))
}
