//! Encoding of entries as bytes: character encoding and form encoding.

use super::entries::{EntryValue, FormEntry};
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;
use url::form_urlencoded::byte_serialize;
use xxhash_rust::xxh3::xxh3_64;

/// Form encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Enctype {
    UrlEncoded,
    Multipart,
    Plain,
}

impl Enctype {
    /// Parses a media type. Unknown ones mean the default.
    pub(super) fn of(name: &str) -> Enctype {
        match name.trim() {
            "multipart/form-data" => Enctype::Multipart,
            "text/plain" => Enctype::Plain,
            _ => Enctype::UrlEncoded,
        }
    }
}

/// Character encoding of a submission: the first known one of `accept-charset`, UTF-8 if none of them is known, or the
/// page's if the form has no `accept-charset`.
pub(super) fn encoding_of(accepted: &str, page: &str) -> &'static Encoding {
    let known = |label: &str| Encoding::for_label(label.as_bytes());
    let chosen = match accepted.trim().is_empty() {
        true => known(page),
        false => accepted.split_ascii_whitespace().find_map(known),
    };
    chosen.unwrap_or(UTF_8).output_encoding()
}

/// Entries as `application/x-www-form-urlencoded`.
pub(super) fn urlencoded(entries: &[FormEntry], encoding: &'static Encoding) -> String {
    let mut out = String::new();
    for entry in entries {
        if !out.is_empty() {
            out.push('&');
        }
        out.extend(byte_serialize(&encoded(&entry.name, encoding)));
        out.push('=');
        out.extend(byte_serialize(&encoded(text_of(entry), encoding)));
    }
    out
}

/// Content type and encoded body.
pub(super) fn body(
    entries: &[FormEntry],
    enctype: Enctype,
    encoding: &'static Encoding,
) -> (String, Vec<u8>) {
    match enctype {
        Enctype::UrlEncoded => {
            ("application/x-www-form-urlencoded".to_string(), urlencoded(entries, encoding).into_bytes())
        }
        Enctype::Plain => ("text/plain".to_string(), plain(entries, encoding)),
        Enctype::Multipart => {
            let boundary = boundary(entries, encoding);
            let content_type = format!("multipart/form-data; boundary={boundary}");
            (content_type, multipart(entries, encoding, &boundary))
        }
    }
}

/// Bytes of a text with line breaks as CR LF. Characters that the encoding lacks become numeric character references,
/// as in browsers.
fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
    let lines = if text.contains(['\r', '\n']) {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n"))
    } else {
        Cow::Borrowed(text)
    };
    encoding.encode(&lines).0.into_owned()
}

fn text_of(entry: &FormEntry) -> &str {
    match &entry.value {
        EntryValue::Text(text) => text,
        EntryValue::NoFile => "",
    }
}

fn plain(entries: &[FormEntry], encoding: &'static Encoding) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        out.extend(encoded(&entry.name, encoding));
        out.push(b'=');
        out.extend(encoded(text_of(entry), encoding));
        out.extend(b"\r\n");
    }
    out
}

fn multipart(entries: &[FormEntry], encoding: &'static Encoding, boundary: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        out.extend(format!("--{boundary}\r\nContent-Disposition: form-data; name=\"").bytes());
        out.extend(escaped(&encoded(&entry.name, encoding)));
        out.push(b'"');
        if entry.value == EntryValue::NoFile {
            out.extend(b"; filename=\"\"\r\nContent-Type: application/octet-stream");
        }
        out.extend(b"\r\n\r\n");
        out.extend(encoded(text_of(entry), encoding));
        out.extend(b"\r\n");
    }
    out.extend(format!("--{boundary}--\r\n").bytes());
    out
}

/// Escapes a name for use between quotes.
fn escaped(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for byte in name {
        match byte {
            b'"' => out.extend(b"%22"),
            b'\r' => out.extend(b"%0D"),
            b'\n' => out.extend(b"%0A"),
            _ => out.push(*byte),
        }
    }
    out
}

/// Boundary that occurs in no entry. It depends on the entries only, so that equal submissions are equal bytes.
fn boundary(entries: &[FormEntry], encoding: &'static Encoding) -> String {
    let all = plain(entries, encoding);
    let candidates = (0u64..).map(|attempt| {
        let hash = xxh3_64(&all).wrapping_add(attempt);
        format!("----form{hash:016x}")
    });
    let occurs = |line: &str| memchr::memmem::find(&all, line.as_bytes()).is_some();
    candidates.into_iter().find(|line| !occurs(line)).expect("a finite text lacks some number")
}
