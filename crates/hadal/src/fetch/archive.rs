//! HTTP client that writes a copy of every exchange to a WARC file.
//!
//! WARC 1.1 (ISO 28500:2017). Each record is a gzip member of its own, so that readers can seek to it. Bodies are stored
//! decoded; headers that no longer apply to them get the prefix `X-Archive-Orig-`, as other archivers do.

use super::Fetch;
use data_encoding::BASE32;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::future::BoxFuture;
use hadal_core::http::{Exchange, Method, Request, Response};
use hadal_core::time::Time;
use sha1::{Digest, Sha1};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
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
        Ok(Archiving { inner, warc: Warc::create(folder)? })
    }

    /// Path of the WARC file.
    pub fn path(&self) -> &Path {
        &self.warc.path
    }
}

impl Fetch for Archiving {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async move {
            let exchange = self.inner.fetch(request, at).await;
            if let Ok(response) = &exchange.result
                && let Err(error) = self.warc.keep(request, response)
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

/// A WARC file being written.
struct Warc {
    path: PathBuf,
    file: Mutex<(File, u64)>,
}

impl Warc {
    fn create(folder: &Path) -> io::Result<Warc> {
        std::fs::create_dir_all(folder)?;
        let now = SystemTime::now();
        let stamp: String = timestamp(now).chars().filter(char::is_ascii_digit).collect();
        let path = folder.join(format!("hadal-{stamp}-{}.warc.gz", std::process::id()));
        let file = OpenOptions::new().create_new(true).append(true).open(&path)?;
        let warc = Warc { path, file: Mutex::new((file, 0)) };
        let about = format!(
            "software: hadal/{}\r\nformat: WARC File Format 1.1\r\nconformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n",
            env!("CARGO_PKG_VERSION")
        );
        let name = warc.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let more = format!("WARC-Filename: {name}\r\n");
        warc.append("warcinfo", "application/warc-fields", &more, about.as_bytes(), &warc.number())?;
        Ok(warc)
    }

    /// Writes a request and its response.
    fn keep(&self, request: &Request, response: &Response) -> io::Result<()> {
        let (asked, told) = (self.number(), self.number());
        let target = format!("WARC-Target-URI: {}\r\n", request.url);
        let block = response_block(response);
        let body = &block[block.len() - response.body.len()..];
        let more = format!("{target}WARC-Payload-Digest: {}\r\n", digest(body));
        self.append("response", "application/http;msgtype=response", &more, &block, &told)?;
        let more = format!("{target}WARC-Concurrent-To: {told}\r\n");
        self.append("request", "application/http;msgtype=request", &more, &request_block(request), &asked)
    }

    fn append(&self, kind: &str, content: &str, more: &str, block: &[u8], number: &str) -> io::Result<()> {
        let head = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {number}\r\nWARC-Date: {}\r\n{more}WARC-Block-Digest: {}\r\nContent-Type: {content}\r\nContent-Length: {}\r\n\r\n",
            timestamp(SystemTime::now()),
            digest(block),
            block.len()
        );
        let mut member = GzEncoder::new(Vec::new(), Compression::default());
        for part in [head.as_bytes(), block, b"\r\n\r\n"] {
            member.write_all(part)?;
        }
        let member = member.finish()?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.0.write_all(&member)
    }

    /// Unique record id.
    fn number(&self) -> String {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.1 += 1;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos();
        let hash = xxh3_128(format!("{} {} {since}", self.path.display(), file.1).as_bytes());
        // UUID version 8: custom content.
        let bits = hash & !(0xf << 76) & !(0x3 << 62) | (0x8 << 76) | (0x2 << 62);
        let text = format!("{bits:032x}");
        let (a, b, c, d, e) = (&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]);
        format!("<urn:uuid:{a}-{b}-{c}-{d}-{e}>")
    }
}

fn timestamp(at: SystemTime) -> String {
    humantime::format_rfc3339_seconds(at).to_string()
}

fn digest(bytes: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&Sha1::digest(bytes)))
}

fn request_block(request: &Request) -> Vec<u8> {
    let method = if request.method == Method::Post { "POST" } else { "GET" };
    let target = &request.url[url::Position::BeforePath..url::Position::AfterQuery];
    let host = &request.url[url::Position::BeforeHost..url::Position::AfterPort];
    let mut head = format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n");
    for (name, value) in &request.headers.0 {
        write_line(&mut head, name, value);
    }
    if request.method == Method::Post {
        write_line(&mut head, "Content-Length", &request.body.len().to_string());
    }
    [head.as_bytes(), b"\r\n", &request.body].concat()
}

fn response_block(response: &Response) -> Vec<u8> {
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
    [head.as_bytes(), b"\r\n", &response.body].concat()
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
    use url::Url;

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

    #[test]
    fn every_record_is_a_member_of_its_own_with_a_digest_that_holds() {
        let folder = tempfile::tempdir().unwrap();
        let warc = Warc::create(folder.path()).unwrap();
        let mut response = Response { status: 200, body: b"<p>fish".to_vec(), ..Response::default() };
        response.headers.push("Content-Type", "text/html");
        response.headers.push("Content-Encoding", "gzip");
        let request = Request::get(Url::parse("http://a.org/find?q=fish").unwrap());
        warc.keep(&request, &response).unwrap();
        let members = members(&std::fs::read(&warc.path).unwrap());
        assert_eq!(members.len(), 3);
        assert!(members[0].starts_with("WARC/1.1\r\nWARC-Type: warcinfo\r\n"));
        assert!(members[2].contains("GET /find?q=fish HTTP/1.1\r\nHost: a.org\r\n"));
        let answer = &members[1];
        assert!(answer.contains("X-Archive-Orig-Content-Encoding: gzip\r\n"));
        let (head, block) = answer.split_once("\r\n\r\n").unwrap();
        let block = block.strip_suffix("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}", block.len())));
        assert!(head.contains(&format!("WARC-Block-Digest: {}", digest(block.as_bytes()))));
        assert!(head.contains(&format!("WARC-Payload-Digest: {}", digest(b"<p>fish"))));
    }
}
