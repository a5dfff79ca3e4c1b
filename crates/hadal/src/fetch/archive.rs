//! HTTP client that writes a copy of every exchange to a WARC file.
//!
//! WARC 1.1 (ISO 28500:2017). Each record is a gzip member of its own, so that readers can seek to it. Bodies are
//! stored decoded; headers that no longer apply to them get the prefix `X-Archive-Orig-`, as other archivers do. A
//! response with a body that was archived before is a `revisit` record, which refers to the earlier one. A `metadata`
//! record gives the duration of each exchange. The file is created with the first exchange.

use super::Fetch;
use data_encoding::BASE32;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::future::BoxFuture;
use hadal_core::http::{BodyCompleteness, Exchange, Headers, Method, Request, Response};
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use sha1::{Digest, Sha1};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

/// HTTP client that archives every exchange.
pub struct Archiving {
    inner: Arc<dyn Fetch>,
    warc: Warc,
}

impl Archiving {
    /// Archives the exchanges of `inner` in a new file in this folder.
    pub fn new(inner: Arc<dyn Fetch>, folder: &Path) -> io::Result<Archiving> {
        Ok(Archiving { inner, warc: Warc::in_folder(folder)? })
    }

    /// Path of the WARC file.
    pub fn path(&self) -> &Path {
        &self.warc.path
    }
}

impl Fetch for Archiving {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async move {
            let (sent, date) = (self.inner.sent_headers(request, at), SystemTime::now());
            let exchange = self.inner.fetch(request, at).await;
            let capture = Capture { request, sent, date, took: exchange.took, peer: exchange.peer };
            if let Ok(response) = &exchange.result
                && let Err(error) = self.warc.keep(&capture, response)
            {
                tracing::error!("{}: {error}: a response was not archived", self.warc.path.display());
            }
            exchange
        })
    }

    fn resolve<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
        self.inner.resolve(url)
    }
}

/// Maximum number of bodies that later ones are compared with. Guess; an entry takes some 300 bytes.
const MAX_KNOWN_BODIES: usize = 200_000;

/// Definition of a revisit by digest (WARC 1.1, section 6.7.2).
const SAME_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// A request as it was sent.
struct Capture<'a> {
    request: &'a Request,
    /// All headers, those of the client included.
    sent: Headers,
    /// Time of sending.
    date: SystemTime,
    /// Duration of the request.
    took: Duration,
    /// Address of the server.
    peer: Option<IpAddr>,
}

/// A WARC file being written.
struct Warc {
    path: PathBuf,
    /// True when the file has its first record.
    is_open: Mutex<bool>,
    state: Mutex<WarcState>,
}

#[derive(Default)]
struct WarcState {
    file: Option<File>,
    /// Number of record ids given.
    numbers: u64,
    /// Id of the `warcinfo` record.
    info: String,
    /// First response with each payload digest.
    known: FxHashMap<String, ArchivedResponse>,
}

/// Record of a response, for revisits.
#[derive(Clone)]
struct ArchivedResponse {
    number: String,
    url: Url,
    date: SystemTime,
}

impl Warc {
    /// Names a file in a folder. Nothing is created before the first exchange.
    fn in_folder(folder: &Path) -> io::Result<Warc> {
        if folder.exists() && !folder.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        let stamp: String = timestamp(SystemTime::now()).chars().filter(char::is_ascii_digit).collect();
        let path = folder.join(format!("hadal-{stamp}-{}.warc.gz", std::process::id()));
        Ok(Warc { path, is_open: Mutex::default(), state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, WarcState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the file with its first record, which describes the crawler.
    fn open(&self, capture: &Capture<'_>) -> io::Result<()> {
        let mut is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_open {
            return Ok(());
        }
        if self.state().file.is_none() {
            self.path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            let file = OpenOptions::new().create_new(true).append(true).open(&self.path)?;
            self.state().file = Some(file);
        }
        let mut about = String::new();
        write_line(&mut about, "software", concat!("hadal/", env!("CARGO_PKG_VERSION")));
        write_line(&mut about, "format", "WARC File Format 1.1");
        let specification = "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";
        write_line(&mut about, "conformsTo", specification);
        write_line(&mut about, "robots", "obey");
        if let Some(agent) = capture.sent.get("user-agent") {
            write_line(&mut about, "http-header-user-agent", agent);
        }
        let number = self.number();
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let record = WarcRecord { kind: "warcinfo", content: "application/warc-fields", date: capture.date };
        self.append(&record, &number, &format!("WARC-Filename: {name}\r\n"), about.as_bytes())?;
        self.state().info = number;
        *is_open = true;
        Ok(())
    }

    /// Writes a request and its response.
    fn keep(&self, capture: &Capture<'_>, response: &Response) -> io::Result<()> {
        self.open(capture)?;
        let url = &capture.request.url;
        let mut common = format!("WARC-Target-URI: {url}\r\nWARC-Warcinfo-ID: {}\r\n", self.state().info);
        if let Some(address) = capture.peer {
            common.push_str(&format!("WARC-IP-Address: {address}\r\n"));
        }
        let response_id = self.number();
        self.keep_response(capture, response, &response_id, &common)?;
        let more = format!("{common}WARC-Concurrent-To: {response_id}\r\n");
        let content = "application/http;msgtype=request";
        let record = WarcRecord { kind: "request", content, date: capture.date };
        self.append(&record, &self.number(), &more, &request_block(capture))?;
        let record = WarcRecord { kind: "metadata", content: "application/warc-fields", date: capture.date };
        self.append(&record, &self.number(), &more, metadata(capture).as_bytes())
    }

    /// Writes a response, or a reference to an earlier one with the same body.
    fn keep_response(
        &self,
        capture: &Capture<'_>,
        response: &Response,
        number: &str,
        common: &str,
    ) -> io::Result<()> {
        let payload = digest(&response.body);
        let mut more = format!("{common}WARC-Payload-Digest: {payload}\r\n{}", truncation(response));
        let known = self.state().known.get(&payload).filter(|_| !response.body.is_empty()).cloned();
        let (kind, block) = match &known {
            Some(first) => {
                more.push_str(&format!(
                    "WARC-Profile: {SAME_PAYLOAD}\r\nWARC-Refers-To: {}\r\nWARC-Refers-To-Target-URI: {}\r\n\
                     WARC-Refers-To-Date: {}\r\n",
                    first.number,
                    first.url,
                    timestamp(first.date)
                ));
                ("revisit", response_head(response))
            }
            None => ("response", [&response_head(response), &response.body[..]].concat()),
        };
        let record = WarcRecord { kind, content: "application/http;msgtype=response", date: capture.date };
        self.append(&record, number, &more, &block)?;
        let known = &mut self.state().known;
        if known.len() >= MAX_KNOWN_BODIES {
            known.clear();
        }
        let (number, url, date) = (number.to_string(), capture.request.url.clone(), capture.date);
        known.entry(payload).or_insert(ArchivedResponse { number, url, date });
        Ok(())
    }

    fn append(&self, record: &WarcRecord, number: &str, more: &str, block: &[u8]) -> io::Result<()> {
        let head = format!(
            "WARC/1.1\r\nWARC-Type: {}\r\nWARC-Record-ID: {number}\r\nWARC-Date: {}\r\n{more}WARC-Block-Digest: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n",
            record.kind,
            timestamp(record.date),
            digest(block),
            record.content,
            block.len()
        );
        let mut member = GzEncoder::new(Vec::new(), Compression::default());
        for part in [head.as_bytes(), block, b"\r\n\r\n"] {
            member.write_all(part)?;
        }
        let member = member.finish()?;
        match &mut self.state().file {
            Some(file) => file.write_all(&member),
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    /// Unique record id.
    fn number(&self) -> String {
        let mut state = self.state();
        state.numbers += 1;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos();
        let hash = xxh3_128(format!("{} {} {since}", self.path.display(), state.numbers).as_bytes());
        // UUID version 8: custom content.
        let bits = hash & !(0xf << 76) & !(0x3 << 62) | (0x8 << 76) | (0x2 << 62);
        let text = format!("{bits:032x}");
        let (a, b, c, d, e) = (&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]);
        format!("<urn:uuid:{a}-{b}-{c}-{d}-{e}>")
    }
}

fn timestamp(at: SystemTime) -> String {
    humantime::format_rfc3339_millis(at).to_string()
}

fn digest(bytes: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&Sha1::digest(bytes)))
}

/// Facts about a request that its own record does not show: duration, and the page with the form or link.
fn metadata(capture: &Capture<'_>) -> String {
    let mut fields = String::new();
    write_line(&mut fields, "fetchTimeMs", &capture.took.as_millis().to_string());
    if let Some(page) = capture.sent.get("referer") {
        write_line(&mut fields, "via", page);
    }
    fields
}

/// Type, content type and time of a record.
struct WarcRecord {
    kind: &'static str,
    content: &'static str,
    date: SystemTime,
}

/// Header of a record with an incomplete body.
fn truncation(response: &Response) -> &'static str {
    match response.completeness {
        BodyCompleteness::Whole => "",
        BodyCompleteness::Cut => "WARC-Truncated: length\r\n",
        BodyCompleteness::Broken => "WARC-Truncated: disconnect\r\n",
        BodyCompleteness::Unwanted => "WARC-Truncated: unspecified\r\n",
    }
}

fn request_block(capture: &Capture<'_>) -> Vec<u8> {
    let request = capture.request;
    let method = if request.method == Method::Post { "POST" } else { "GET" };
    let target = &request.url[url::Position::BeforePath..url::Position::AfterQuery];
    let host = &request.url[url::Position::BeforeHost..url::Position::AfterPort];
    let mut head = format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n");
    for (name, value) in &capture.sent.0 {
        write_line(&mut head, name, value);
    }
    if request.method == Method::Post {
        write_line(&mut head, "Content-Length", &request.body.len().to_string());
    }
    [head.as_bytes(), b"\r\n", &request.body].concat()
}

fn response_head(response: &Response) -> Vec<u8> {
    let reason = http::StatusCode::from_u16(response.status).ok().and_then(|code| code.canonical_reason());
    let mut head = format!("HTTP/1.1 {} {}\r\n", response.status, reason.unwrap_or(""));
    for (name, value) in &response.headers.0 {
        let holds = !["content-encoding", "transfer-encoding", "content-length"]
            .iter()
            .any(|gone| name.eq_ignore_ascii_case(gone));
        match holds {
            true => write_line(&mut head, name, value),
            false => write_line(&mut head, &format!("X-Archive-Orig-{name}"), value),
        }
    }
    write_line(&mut head, "Content-Length", &response.body.len().to_string());
    (head + "\r\n").into_bytes()
}

/// Writes a header line. Line breaks in it would start another header, so they become spaces.
fn write_line(head: &mut String, name: &str, value: &str) {
    let plain = |text: &str| text.replace(['\r', '\n'], " ");
    write!(head, "{}: {}\r\n", plain(name), plain(value)).expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::bufread::GzDecoder;
    use std::io::Read;

    /// The members of a file, unpacked one by one.
    fn members(mut bytes: &[u8]) -> Vec<String> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let mut member = GzDecoder::new(bytes);
            let mut text = Vec::new();
            member.read_to_end(&mut text).unwrap();
            bytes = member.into_inner();
            all.push(String::from_utf8_lossy(&text).into_owned());
        }
        all
    }

    fn page() -> Response {
        let mut response = Response { status: 200, body: b"<p>fish".to_vec(), ..Response::default() };
        response.headers.push("Content-Type", "text/html");
        response.headers.push("Content-Encoding", "gzip");
        response
    }

    /// Archives a response to a GET request and returns the records of the file.
    fn kept(warc: &Warc, url: &str, response: &Response) -> Vec<String> {
        let request = Request::get(Url::parse(url).unwrap());
        let mut sent = Headers::default();
        sent.push("User-Agent", "hadal/test");
        let peer = Some(IpAddr::from([192, 0, 2, 7]));
        let (date, took) = (SystemTime::now(), Duration::from_millis(70));
        warc.keep(&Capture { request: &request, sent, date, took, peer }, response).unwrap();
        members(&std::fs::read(&warc.path).unwrap())
    }

    #[test]
    fn every_record_is_a_member_of_its_own_with_a_digest_that_holds() {
        let folder = tempfile::tempdir().unwrap();
        let warc = Warc::in_folder(&folder.path().join("archive")).unwrap();
        assert!(!warc.path.exists(), "no exchange, no file");
        let members = kept(&warc, "http://a.org/find?q=fish", &page());
        assert_eq!(members.len(), 4);
        assert!(members[3].contains("WARC-Type: metadata") && members[3].contains("fetchTimeMs: 70\r\n"));
        assert!(members[0].starts_with("WARC/1.1\r\nWARC-Type: warcinfo\r\n"));
        assert!(members[0].contains("http-header-user-agent: hadal/test\r\n"));
        assert!(
            members[2].contains("GET /find?q=fish HTTP/1.1\r\nHost: a.org\r\nUser-Agent: hadal/test\r\n")
        );
        let answer = &members[1];
        assert!(answer.contains("X-Archive-Orig-Content-Encoding: gzip\r\n"));
        assert!(answer.contains("WARC-IP-Address: 192.0.2.7\r\n"));
        let (head, block) = answer.split_once("\r\n\r\n").unwrap();
        let block = block.strip_suffix("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}", block.len())));
        assert!(head.contains(&format!("WARC-Block-Digest: {}", digest(block.as_bytes()))));
        assert!(head.contains(&format!("WARC-Payload-Digest: {}", digest(b"<p>fish"))));
    }

    #[test]
    fn the_same_body_again_is_a_revisit_that_names_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let warc = Warc::in_folder(folder.path()).unwrap();
        let first = kept(&warc, "http://a.org/1", &page());
        let all = kept(&warc, "http://a.org/2", &page());
        let revisit = &all[4];
        assert!(revisit.starts_with("WARC/1.1\r\nWARC-Type: revisit\r\n"), "{revisit}");
        assert!(revisit.contains("WARC-Refers-To-Target-URI: http://a.org/1\r\n"), "{revisit}");
        let number = first[1].lines().find_map(|line| line.strip_prefix("WARC-Record-ID: ")).unwrap();
        assert!(revisit.contains(&format!("WARC-Refers-To: {number}\r\n")), "{revisit}");
        assert!(!revisit.contains("<p>fish"));
        let empty = Response { body: Vec::new(), ..page() };
        assert!(kept(&warc, "http://a.org/3", &empty)[7].contains("WARC-Type: response"));
        assert!(kept(&warc, "http://a.org/4", &empty)[10].contains("WARC-Type: response"));
    }

    #[test]
    fn an_incomplete_body_is_marked() {
        let folder = tempfile::tempdir().unwrap();
        let warc = Warc::in_folder(folder.path()).unwrap();
        let cut = Response { completeness: BodyCompleteness::Cut, ..page() };
        assert!(kept(&warc, "http://a.org/", &cut)[1].contains("WARC-Truncated: length\r\n"));
    }
}
