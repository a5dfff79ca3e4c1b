//! Parses the location of an example page.

use crate::exit::Usage;
use crate::seeds::lines;
use hadal::topic::labelled::is_html;
use hadal_core::address::{TrackingParams, normalise};
use std::path::{Path, PathBuf};
use url::Url;

/// An example as given on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Text for the topic's file.
    pub source: String,
    pub place: Place,
    /// Form selected with `#N`.
    pub picked: Option<u32>,
}

/// Location of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Web(Url),
    File(PathBuf),
}

/// Parses URLs, HTML files, and files that list both, one per line.
pub fn pointers(sources: &[String]) -> Result<Vec<Pointer>, Usage> {
    let mut all: Vec<Pointer> = Vec::new();
    for source in sources {
        match is_list(source) {
            true => all.extend(of_list(source)?),
            false => all.push(pointer(source, Path::new(""))?),
        }
    }
    let mut seen = std::collections::HashSet::new();
    all.retain(|pointer| seen.insert(pointer.source.clone()));
    Ok(all)
}

fn is_list(source: &str) -> bool {
    !source.contains("://") && !is_html(Path::new(split(source).0))
}

fn of_list(source: &str) -> Result<Vec<Pointer>, Usage> {
    let bytes = std::fs::read(source).map_err(|error| {
        Usage(format!("examples '{source}': {error} (give URLs, .html files, or a list of them)"))
    })?;
    let beside = Path::new(source).parent().unwrap_or(Path::new(""));
    let text = String::from_utf8_lossy(&bytes);
    let read = |(number, line)| {
        pointer(line, beside).map_err(|Usage(why)| Usage(format!("{source}, line {number}: {why}")))
    };
    lines(&text).map(read).collect()
}

/// Splits off the number after `#`, if there is one.
pub fn split(text: &str) -> (&str, Option<u32>) {
    match text.rsplit_once('#').map(|(page, number)| (page, number.parse())) {
        Some((page, Ok(number))) => (page, Some(number)),
        _ => (text, None),
    }
}

fn pointer(text: &str, beside: &Path) -> Result<Pointer, Usage> {
    let (page, picked) = split(text);
    let behind = picked.map_or(String::new(), |number| format!("#{number}"));
    if page.contains("://") {
        let url = Url::parse(page).ok().and_then(|url| normalise(url, TrackingParams::Strip));
        let url = url.ok_or_else(|| Usage(format!("'{text}' is not a URL; write it as http://host/path")))?;
        return Ok(Pointer { source: format!("{url}{behind}"), place: Place::Web(url), picked });
    }
    let path = std::path::absolute(beside.join(page)).unwrap_or_else(|_| PathBuf::from(page));
    match is_html(&path) && path.is_file() {
        true => {
            Ok(Pointer { source: format!("{}{behind}", path.display()), place: Place::File(path), picked })
        }
        false => Err(Usage(format!("'{text}' is neither a URL nor an existing HTML file"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_files_and_lists_are_distinguished() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name).display().to_string();
        std::fs::write(at("a.html"), "<form>").unwrap();
        std::fs::write(
            at("list.txt"),
            "# mine\nhttp://b.example/find#2\na.html#0\n\nhttp://b.example/#top\n",
        )
        .unwrap();
        let found = pointers(&[at("list.txt"), at("a.html"), "HTTP://B.example/find#2".into()]).unwrap();
        let told: Vec<(String, Option<u32>)> =
            found.iter().map(|pointer| (pointer.source.clone(), pointer.picked)).collect();
        let expected = [
            ("http://b.example/find#2".to_string(), Some(2)),
            (at("a.html") + "#0", Some(0)),
            ("http://b.example/".to_string(), None),
            (at("a.html"), None),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn invalid_examples_are_named_with_their_line() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("list.txt");
        std::fs::write(&list, "http://a.example/\nnone.html\n").unwrap();
        let error = pointers(&[list.display().to_string()]).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("none.html"), "{error}");
        for source in ["ftp://a.example/", "none.html", "no/such/list"] {
            assert!(pointers(&[source.into()]).is_err(), "{source}");
        }
    }
}
