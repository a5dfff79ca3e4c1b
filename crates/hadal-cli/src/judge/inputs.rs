//! Inputs of `hadal judge`: files, URLs, folders, standard input.

use super::super::exit::Usage;
use hadal::output::escape::for_terminal;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use url::Url;

/// File name extensions of saved pages. Names without an extension also count.
const ENDINGS: [&str; 3] = ["html", "htm", "xhtml"];

/// One page to judge.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A saved page.
    File(PathBuf),
    /// A page on the web.
    Web(Url),
    /// A page on standard input.
    Stdin,
    /// A path that cannot be read, with the reason.
    Unreadable(PathBuf, String),
}

impl Input {
    /// Name in every output.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) | Input::Unreadable(path, _) => path.display().to_string(),
            Input::Web(url) => url.to_string(),
            Input::Stdin => "-".to_string(),
        }
    }
}

/// All pages that the arguments name, in order. Files of a folder are sorted by name.
pub fn inputs(given: &[String]) -> Result<Vec<Input>, Usage> {
    let mut all = Vec::new();
    for word in given {
        match word.as_str() {
            "-" if all.contains(&Input::Stdin) => {
                return Err(Usage("standard input can be read only once; give - once".to_string()));
            }
            "-" => all.push(Input::Stdin),
            address if address.contains("://") => all.push(Input::Web(web(address)?)),
            path => add(PathBuf::from(path), &mut all),
        }
    }
    Ok(all)
}

fn web(address: &str) -> Result<Url, Usage> {
    let url =
        Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let shown = for_terminal(address);
    url.ok_or_else(|| Usage(format!("'{shown}' is not a URL; write it as http://host/path")))
}

fn add(path: PathBuf, all: &mut Vec<Input>) {
    if !path.is_dir() {
        all.push(Input::File(path));
        return;
    }
    let before = all.len();
    walk(&path, all);
    if all.len() == before {
        let why = "no pages in this folder; page names end in .html, .htm or .xhtml";
        all.push(Input::Unreadable(path, why.to_string()));
    }
}

/// Does not follow links to folders, so the walk ends.
fn walk(folder: &Path, all: &mut Vec<Input>) {
    let entries = std::fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return all.push(Input::Unreadable(folder.to_path_buf(), error.to_string())),
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (name, path) = (entry.file_name(), entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, all);
        } else if is_page(&name) && !path.is_dir() {
            all.push(Input::File(path));
        }
    }
}

/// True if a file name looks like a saved page.
fn is_page(name: &OsStr) -> bool {
    let ending = Path::new(name).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let is_hidden = name.to_string_lossy().starts_with('.');
    !is_hidden && ending.is_none_or(|ending| ENDINGS.contains(&ending.as_str()))
}

/// Reads up to a limit of bytes.
pub fn read(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Content type for parsing a saved page. Most pages are saved as UTF-8 whatever they declare, so valid UTF-8
/// is read as such. Escape and zero bytes indicate ISO-2022-JP or UTF-16, which the usual detection handles.
pub fn content_type(bytes: &[u8]) -> Option<&'static str> {
    let is_utf_8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // A character cut by the end of the file or by the limit.
        Err(error) => error.error_len().is_none(),
    };
    let plain = !bytes.iter().any(|byte| matches!(byte, 0 | 0x1b));
    (is_utf_8 && plain).then_some("text/html; charset=utf-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_walked_in_order_and_only_pages_are_taken() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("b/deep")).unwrap();
        for name in ["c.HTM", "a.html", "b/deep/x.xhtml", "b/plain", "style.css", ".hidden", "z.html.gz"] {
            std::fs::write(at(name), "x").unwrap();
        }
        let found = inputs(&[dir.path().display().to_string()]).unwrap();
        let expected = ["a.html", "b/deep/x.xhtml", "b/plain", "c.HTM"];
        assert_eq!(found, expected.map(|name| Input::File(at(name))));
    }

    #[test]
    fn addresses_files_and_standard_input_are_distinguished() {
        let given = ["http://a.example/x", "page.txt", "-"].map(String::from);
        let names: Vec<String> = inputs(&given).unwrap().iter().map(Input::name).collect();
        assert_eq!(names, given);
        for bad in ["ftp://a.example/", "http://"] {
            assert!(inputs(&[bad.to_string()]).is_err(), "{bad}");
        }
        assert!(inputs(&["-".to_string(), "-".to_string()]).is_err());
    }

    #[test]
    fn a_folder_without_pages_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let found = inputs(&[dir.path().display().to_string()]).unwrap();
        assert!(matches!(found.as_slice(), [Input::Unreadable(..)]), "{found:?}");
    }

    #[test]
    fn valid_utf_8_is_read_as_utf_8() {
        assert!(content_type("<meta charset=koi8-r>книги".as_bytes()).is_some());
        assert!(content_type(&"книги".as_bytes()[..3]).is_some(), "cut in two");
        for other in [&b"caf\xe9 noir"[..], b"\x1b$B8!:w\x1b(B", b"<\0p\0>\0"] {
            assert_eq!(content_type(other), None, "{other:?}");
        }
    }
}
