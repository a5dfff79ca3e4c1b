//! Files of a folder, or of a compressed archive of that folder.

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Files below `inside` of a folder, or of the archive that holds the folder.
pub fn files(folder: &Path, archive: &Path, inside: &str) -> Result<BTreeMap<String, Vec<u8>>> {
    let unpacked = folder.join(inside);
    if unpacked.is_dir() {
        let mut found = BTreeMap::new();
        walk(&unpacked, "", &mut found)?;
        return Ok(found);
    }
    let file = File::open(archive)
        .with_context(|| format!("neither {} nor {} can be read", unpacked.display(), archive.display()))?;
    unpack(file, inside).with_context(|| archive.display().to_string())
}

fn walk(folder: &Path, below: &str, found: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        match entry.file_type()?.is_dir() {
            true => walk(&entry.path(), &format!("{name}/"), found)?,
            false => {
                found.insert(name, std::fs::read(entry.path())?);
            }
        }
    }
    Ok(())
}

fn unpack(file: File, inside: &str) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut archive = tar::Archive::new(zstd::Decoder::new(file)?);
    let mut found = BTreeMap::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.to_string_lossy().into_owned();
        let Some(name) = path.trim_start_matches("./").strip_prefix(inside) else { continue };
        if entry.header().entry_type().is_file() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            found.insert(name.trim_start_matches('/').to_string(), bytes);
        }
    }
    Ok(found)
}

/// Values of a gzipped JSON lines file.
pub fn json_lines<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let lines = BufReader::new(GzDecoder::new(file)).lines().enumerate();
    lines
        .map(|(at, line)| {
            serde_json::from_str(&line?).with_context(|| format!("{} line {}", path.display(), at + 1))
        })
        .collect()
}
