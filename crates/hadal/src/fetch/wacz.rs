//! WACZ 1.1.1: WARC files packed with an index and a list of pages, as archive viewers open them.
//!
//! The ZIP file stores everything uncompressed, so that viewers can read parts of it: `archive/` has the WARC
//! files, `indexes/` a CDXJ index in gzip blocks with a list of the blocks, `pages/` the HTML pages, and
//! `datapackage.json` the hash of every file.

use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, Crc};
use hadal_core::html;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use url::Url;

/// Lines per block of the index. The value of py-wacz.
const BLOCK_LINES: usize = 300;
/// Version of the format.
const VERSION: &str = "1.1.1";

/// Contents of a WACZ file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaczSummary {
    pub warc_files: usize,
    /// Responses and revisits in the index.
    pub responses: usize,
    /// HTML pages with status 200.
    pub pages: usize,
}

/// Packs WARC files. `out` gets a complete WACZ file.
pub fn pack(warcs: &[PathBuf], out: impl Write) -> io::Result<WaczSummary> {
    let mut index = Vec::new();
    let mut pages = Vec::new();
    for path in warcs {
        read_warc(path, &mut index, &mut pages)?;
    }
    index.sort();
    let summary = WaczSummary { warc_files: warcs.len(), responses: index.len(), pages: pages.len() };
    let mut zip = ZipWriter::new(out);
    let mut resources = Vec::new();
    for path in warcs {
        resources.push(zip.file(&format!("archive/{}", name(path)), path)?);
    }
    let (blocks, block_list) = compressed(&index)?;
    resources.push(zip.bytes("indexes/index.cdx.gz", &blocks)?);
    resources.push(zip.bytes("indexes/index.idx", block_list.as_bytes())?);
    let head = json!({ "format": "json-pages-1.0", "id": "pages", "title": "All pages" }).to_string();
    let pages = std::iter::once(head).chain(pages).map(|line| line + "\n").collect::<String>();
    resources.push(zip.bytes("pages/pages.jsonl", pages.as_bytes())?);
    let package = package(&resources).to_string();
    let hash = zip.bytes("datapackage.json", package.as_bytes())?.hash;
    let digest = json!({ "path": "datapackage.json", "hash": hash }).to_string();
    zip.bytes("datapackage-digest.json", digest.as_bytes())?;
    zip.finish()?;
    Ok(summary)
}

fn package(resources: &[PackedFile]) -> Value {
    let resource = |file: &PackedFile| {
        let name = file.path.rsplit('/').next().unwrap_or_default().to_lowercase();
        json!({ "name": name, "path": file.path, "hash": file.hash, "bytes": file.size })
    };
    json!({
        "profile": "data-package",
        "wacz_version": VERSION,
        "software": concat!("hadal/", env!("CARGO_PKG_VERSION")),
        "created": humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        "resources": resources.iter().map(resource).collect::<Vec<Value>>(),
    })
}

pub(super) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Index in gzip blocks, and the list of the blocks with the first key of each.
fn compressed(lines: &[String]) -> io::Result<(Vec<u8>, String)> {
    let mut blocks = Vec::new();
    let meta = json!({ "format": "cdxj-gzip-1.0", "filename": "index.cdx.gz" });
    let mut list = format!("!meta 0 {meta}\n");
    for block in lines.chunks(BLOCK_LINES) {
        let mut member = GzEncoder::new(Vec::new(), Compression::default());
        block.iter().try_for_each(|line| writeln!(member, "{line}"))?;
        let member = member.finish()?;
        let key = block.first().and_then(|line| line.split_once(" {")).map_or("", |(key, _)| key);
        let place = json!({
            "offset": blocks.len(), "length": member.len(), "digest": sha256(&member), "filename": "index.cdx.gz",
        });
        list.push_str(&format!("{key} {place}\n"));
        blocks.extend(member);
    }
    Ok((blocks, list))
}

/// Adds the responses of a WARC file to the index, and its pages.
fn read_warc(path: &Path, index: &mut Vec<String>, pages: &mut Vec<String>) -> io::Result<()> {
    each_response(path, |response, offset, length| {
        index.extend(response.index_line(&name(path), offset, length));
        pages.extend(response.page_line());
    })
}

/// Visits the responses of a WARC file, each with its offset and length.
pub(super) fn each_response(
    path: &Path,
    mut visit: impl FnMut(&ArchivedPage<'_>, u64, u64),
) -> io::Result<()> {
    let mut reader = CountingReader { inner: BufReader::new(File::open(path)?), read: 0 };
    while !reader.fill_buf()?.is_empty() {
        let offset = reader.read;
        let mut record = Vec::new();
        GzDecoder::new(&mut reader).read_to_end(&mut record)?;
        if let Some(response) = ArchivedPage::parse(&record) {
            visit(&response, offset, reader.read - offset);
        }
    }
    Ok(())
}

/// A response in a WARC file.
pub(super) struct ArchivedPage<'a> {
    pub(super) url: Url,
    /// `WARC-Date` of the record.
    pub(super) date: &'a str,
    digest: &'a str,
    is_revisit: bool,
    status: u16,
    content_type: &'a str,
    body: &'a [u8],
}

impl<'a> ArchivedPage<'a> {
    /// Parses a response or revisit record; `None` for other records.
    fn parse(record: &'a [u8]) -> Option<ArchivedPage<'a>> {
        let (head, block) = split_head(record)?;
        let kind = header(head, "WARC-Type")?;
        if !["response", "revisit"].contains(&kind) {
            return None;
        }
        let length: usize = header(head, "Content-Length")?.parse().ok()?;
        let (http, body) = split_head(block.get(..length)?)?;
        Some(ArchivedPage {
            url: Url::parse(header(head, "WARC-Target-URI")?).ok()?,
            date: header(head, "WARC-Date")?,
            digest: header(head, "WARC-Payload-Digest").unwrap_or_default(),
            is_revisit: kind == "revisit",
            status: http.split(' ').nth(1)?.get(..3)?.parse().ok()?,
            content_type: header(http, "Content-Type").unwrap_or_default(),
            body,
        })
    }

    fn media_type(&self) -> String {
        self.content_type.split(';').next().unwrap_or_default().trim().to_lowercase()
    }

    /// Line of the CDXJ index.
    fn index_line(&self, file: &str, offset: u64, length: u64) -> Option<String> {
        let timestamp: String = self.date.chars().filter(char::is_ascii_digit).take(14).collect();
        let mime = if self.is_revisit { "warc/revisit".to_string() } else { self.media_type() };
        let entry = json!({
            "url": self.url.as_str(), "mime": mime, "status": self.status.to_string(), "digest": self.digest,
            "length": length.to_string(), "offset": offset.to_string(), "filename": file,
        });
        Some(format!("{} {timestamp} {entry}", sort_key(&self.url)?))
    }

    /// Line of the list of pages, for an HTML page.
    fn page_line(&self) -> Option<String> {
        let is_page = self.status == 200 && !self.is_revisit && self.media_type() == "text/html";
        let title = is_page.then(|| html::parse(self.body, Some(self.content_type), &self.url).title)?;
        Some(json!({ "url": self.url.as_str(), "ts": self.date, "title": title }).to_string())
    }
}

/// Sort-friendly form of a URL: reversed host, path and query in lower case.
fn sort_key(url: &Url) -> Option<String> {
    let mut labels: Vec<&str> = url.host_str()?.split('.').collect();
    if url.domain().is_some() {
        labels.reverse();
    }
    let host = labels.join(if url.domain().is_some() { "," } else { "." });
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let rest = &url[url::Position::BeforePath..url::Position::AfterQuery];
    Some(format!("{host}{port}){rest}").to_lowercase())
}

/// Splits a header block from its content.
fn split_head(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 4..]))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", data_encoding::HEXLOWER.encode(&Sha256::digest(bytes)))
}

/// Reader that counts consumed bytes.
struct CountingReader<R> {
    inner: R,
    read: u64,
}

impl<R: BufRead> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for CountingReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.inner.consume(bytes);
        self.read += bytes as u64;
    }
}

/// A file in the ZIP.
struct PackedFile {
    path: String,
    /// `sha256:` and the hash in hexadecimal.
    hash: String,
    size: u64,
    crc: u32,
    offset: u64,
}

/// Writer of a ZIP file without compression, of at most 4 GiB.
struct ZipWriter<W> {
    out: W,
    written: u64,
    files: Vec<(String, u32, u32, u32)>,
}

/// Date of all files in the ZIP: 1980-01-01, the first that ZIP knows. The records have their own dates.
const ZIP_DATE: u32 = 0x0021_0000;

impl<W: Write> ZipWriter<W> {
    fn new(out: W) -> ZipWriter<W> {
        ZipWriter { out, written: 0, files: Vec::new() }
    }

    fn bytes(&mut self, path: &str, bytes: &[u8]) -> io::Result<PackedFile> {
        self.add(path, || Ok(bytes))
    }

    fn file(&mut self, path: &str, from: &Path) -> io::Result<PackedFile> {
        self.add(path, || File::open(from))
    }

    /// Adds a file. It is read twice: for its hashes, which come first, and for its content.
    fn add<R: Read>(&mut self, path: &str, open: impl Fn() -> io::Result<R>) -> io::Result<PackedFile> {
        let (mut crc, mut hash, mut buffer) = (Crc::new(), Sha256::new(), vec![0; 1 << 16]);
        let mut size = 0;
        let mut reader = open()?;
        loop {
            let read = reader.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            crc.update(&buffer[..read]);
            hash.update(&buffer[..read]);
            size += read as u64;
        }
        let hash = format!("sha256:{}", data_encoding::HEXLOWER.encode(&hash.finalize()));
        let file = PackedFile { path: path.to_string(), hash, size, crc: crc.sum(), offset: self.written };
        let head = [&b"PK\x03\x04"[..], &entry(&file)?, path.as_bytes()].concat();
        self.out.write_all(&head)?;
        let copied = io::copy(&mut open()?, &mut self.out)?;
        if copied != size {
            return Err(io::Error::other(format!("{path} changed while it was packed")));
        }
        self.written += head.len() as u64 + size;
        self.files.push((path.to_string(), file.crc, small(size)?, small(file.offset)?));
        Ok(file)
    }

    fn finish(mut self) -> io::Result<()> {
        let start = self.written;
        let mut directory = Vec::new();
        for (path, crc, size, offset) in &self.files {
            directory.extend([&b"PK\x01\x02\x14\x00"[..], &fields(path, *crc, *size)?].concat());
            // No comment, first disk, no attributes.
            directory.extend([0; 10]);
            directory.extend(offset.to_le_bytes());
            directory.extend(path.as_bytes());
        }
        let count = u16::try_from(self.files.len()).map_err(io::Error::other)?.to_le_bytes();
        self.out.write_all(&directory)?;
        self.out.write_all(b"PK\x05\x06\x00\x00\x00\x00")?;
        self.out.write_all(&[count, count].concat())?;
        self.out.write_all(&small(directory.len() as u64)?.to_le_bytes())?;
        self.out.write_all(&small(start)?.to_le_bytes())?;
        self.out.write_all(&[0, 0])?;
        self.out.flush()
    }
}

fn entry(file: &PackedFile) -> io::Result<Vec<u8>> {
    fields(&file.path, file.crc, small(file.size)?)
}

/// Fields that the head of a file and its entry in the directory share.
fn fields(path: &str, crc: u32, size: u32) -> io::Result<Vec<u8>> {
    let length = u16::try_from(path.len()).map_err(io::Error::other)?;
    // Version 2.0, UTF-8 names, no compression.
    let mut bytes = vec![20, 0, 0, 8, 0, 0];
    bytes.extend([ZIP_DATE, crc, size, size].map(u32::to_le_bytes).concat());
    bytes.extend(length.to_le_bytes());
    bytes.extend([0, 0]);
    Ok(bytes)
}

fn small(size: u64) -> io::Result<u32> {
    u32::try_from(size)
        .map_err(|_| io::Error::other("a WACZ file holds at most 4 GiB; pack fewer WARC files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_hosts_by_their_domains() {
        let key = |url: &str| sort_key(&Url::parse(url).unwrap()).unwrap();
        assert_eq!(key("https://www.Example.org/A?q=B"), "org,example,www)/a?q=b");
        assert_eq!(key("http://127.0.0.1:8080/"), "127.0.0.1:8080)/");
    }

    #[test]
    fn responses_and_pages_are_indexed_where_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let member = |kind: &str, block: &str| {
            let mut member = GzEncoder::new(Vec::new(), Compression::default());
            let length = block.len();
            let head = format!("WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-01-31T12:00:00Z");
            write!(
                member,
                "{head}\r\nWARC-Target-URI: http://a.org/\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
            )
            .unwrap();
            member.finish().unwrap()
        };
        let info = member("warcinfo", "software: x");
        let response =
            member("response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Fish</title>");
        std::fs::write(&path, [&info[..], &response].concat()).unwrap();
        let (mut index, mut pages) = (Vec::new(), Vec::new());
        read_warc(&path, &mut index, &mut pages).unwrap();
        let (key, entry) = index[0].split_once(" {").unwrap();
        assert_eq!((index.len(), key), (1, "org,a)/ 20260131120000"));
        let entry: Value = serde_json::from_str(&format!("{{{entry}")).unwrap();
        assert_eq!(entry["offset"], info.len().to_string());
        assert_eq!(entry["length"], response.len().to_string());
        assert!(pages[0].contains("\"title\":\"Fish\""), "{pages:?}");
        let mut packed = Vec::new();
        let summary = pack(&[path], &mut packed).unwrap();
        assert_eq!(summary, WaczSummary { warc_files: 1, responses: 1, pages: 1 });
        assert!(packed.starts_with(b"PK\x03\x04") && packed.ends_with(&[0, 0]));
    }
}
