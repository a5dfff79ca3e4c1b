//! Places of archived responses, so that a record can name the WARC file and offset of the answer it was read from.
//!
//! A harvest sends one request at a time to a site. So the answer that holds a record is the last response of the site
//! that was requested before the record was stored.

use super::wacz::{each_response, name};
use hadal_core::address::Site;
use hadal_core::time::Time;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// Place of a record in a WARC file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarcPlace {
    /// Name of the file, without its folder.
    pub file: String,
    /// Offset of the gzip member in bytes.
    pub offset: u64,
}

/// Responses of WARC files by site and time.
#[derive(Debug, Default)]
pub struct WarcIndex {
    places: BTreeMap<(String, Time), WarcPlace>,
}

impl WarcIndex {
    /// Reads WARC files.
    pub fn of_files(files: &[PathBuf]) -> io::Result<WarcIndex> {
        let mut index = WarcIndex::default();
        for path in files {
            each_response(path, |response, offset, _| {
                if let Some(at) = time(response.date) {
                    let place = WarcPlace { file: name(path), offset };
                    index.places.insert((Site::of(&response.url).to_string(), at), place);
                }
            })?;
        }
        Ok(index)
    }

    /// Place of the last response of a site that was requested until a time.
    pub fn last_until(&self, site: &Site, at: Time) -> Option<&WarcPlace> {
        let first = (site.to_string(), Time(0));
        self.places.range(first..=(site.to_string(), at)).next_back().map(|(_, place)| place)
    }
}

fn time(date: &str) -> Option<Time> {
    let since = humantime::parse_rfc3339(date).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Time(0).after(since))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn member(url: &str, date: &str) -> Vec<u8> {
        let block = "HTTP/1.1 200 OK\r\n\r\n<p>";
        let head = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        let mut gz = GzEncoder::new(Vec::new(), Compression::default());
        write!(gz, "{head}{block}\r\n\r\n").unwrap();
        gz.finish().unwrap()
    }

    #[test]
    fn the_answer_is_the_last_response_of_the_site_before_the_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let first = member("http://a.org/?q=1", "1970-01-01T00:00:01.100Z");
        let other = member("http://b.org/", "1970-01-01T00:00:01.300Z");
        let last = member("http://a.org/?q=2", "1970-01-01T00:00:01.500Z");
        std::fs::write(&path, [&first[..], &other, &last].concat()).unwrap();
        let index = WarcIndex::of_files(&[path]).unwrap();
        let site = Site::of(&url::Url::parse("http://www.a.org/").unwrap());
        let offset = |at: u64| index.last_until(&site, Time(at)).map(|place| place.offset);
        assert_eq!(offset(1_000), None);
        assert_eq!(offset(1_400), Some(0));
        assert_eq!(offset(9_000), Some((first.len() + other.len()) as u64));
    }
}
