//! Answers that are data: JSON, scripts that hold one literal, and XML.
//!
//! 1. [`DataDocument::parse`] turns the body into one value (`literal`, `xml`).
//! 2. `table` lists the candidate lists of records in the value, and [`DataReader`] picks one by comparison with other
//!    answers.
//! 3. `columns` finds the columns with the address, title and identity of a record. `word_index` adds words that stand
//!    apart from the records.
//! 4. `envelope` reads the total and the next page around the records.
//!
//! `embedded` finds data in the scripts of a page that does not show its records.
//!
//! There are no rules for single sites. A value that is mostly HTML is read as a page ([`DataDocument::html`]).

mod columns;
mod embedded;
mod envelope;
mod literal;
mod reader;
mod table;
mod word_index;
mod xml;

pub use reader::DataReader;

use crate::html::decode_data;
use crate::http::Response;
use serde_json::Value;
use std::borrow::Cow;
use url::Url;

/// Maximum number of bytes of a body that are read as data. Guess; the search index of the largest manual
/// seen has 4 MB.
pub const MAX_DATA_BYTES: usize = 32 << 20;
/// Share of a value's text that its longest HTML text must have. Guess.
const MIN_HTML_SHARE: f64 = 0.6;
/// Maximum number of objects of a value. Each takes some 600 bytes of memory, so a small body could fill it.
/// Guess.
const MAX_OBJECTS: usize = 500_000;
/// Maximum number of values of a body. Guess; the search index of the largest manual seen has a million.
const MAX_VALUES: usize = 8_000_000;

/// An answer that is data.
#[derive(Clone, Debug)]
pub struct DataDocument {
    /// URL of the answer.
    pub url: Url,
    /// HTTP status code.
    pub status: u16,
    pub(super) value: Value,
    /// Total of a header line.
    total: Option<u64>,
    /// Next page of a `Link` header.
    next: Option<Url>,
}

impl DataDocument {
    /// Reads a response that its content type or first character shows to be data; `None` for other responses.
    pub fn parse(response: &Response, url: &Url) -> Option<DataDocument> {
        DataDocument::parse_body(&response.body, response, url)
    }

    /// Like [`DataDocument::parse`], for a body that was taken out of its response.
    pub fn parse_body(body: &[u8], response: &Response, url: &Url) -> Option<DataDocument> {
        let kind = response.headers.get("content-type").unwrap_or_default().to_ascii_lowercase();
        let body = &body[..body.len().min(MAX_DATA_BYTES)];
        if is_too_detailed(body) {
            return None;
        }
        let text = decode_data(body, &kind);
        let value = value_of(&kind, &text)?;
        Some(DataDocument {
            url: url.clone(),
            status: response.status,
            value,
            total: envelope::header_total(&response.headers),
            next: envelope::header_next(&response.headers, url),
        })
    }

    /// HTML text that makes up most of the value, as in `{"html": "<ul>...</ul>"}`. A text in a list belongs
    /// to a record.
    pub fn html(&self) -> Option<Cow<'_, str>> {
        let (mut all, mut longest) = (0, "");
        visit_texts(&self.value, false, &mut |text, is_in_list| {
            all += text.len();
            if !is_in_list && text.len() > longest.len() && text.contains("</") {
                longest = text;
            }
        });
        (longest.len() as f64 > MIN_HTML_SHARE * all as f64).then_some(Cow::Borrowed(longest))
    }
}

fn value_of(kind: &str, text: &str) -> Option<Value> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let is_script = kind.contains("json") || kind.contains("script");
    let is_plain = kind.is_empty() || kind.contains("text/plain") || kind.contains("octet-stream");
    match start.as_bytes().first()? {
        b'<' if kind.contains("html") => None,
        b'<' if kind.contains("xml") || is_plain && start.starts_with("<?xml") => xml::xml_value(text),
        b'{' | b'[' if is_plain || kind.contains("html") => literal::literal_in(text),
        _ if is_script => literal::literal_in(text),
        _ => None,
    }
}

/// Visits all texts. The second argument is true for texts in arrays and in objects with numbers as keys.
fn visit_texts<'v>(value: &'v Value, is_in_list: bool, visit: &mut impl FnMut(&'v str, bool)) {
    match value {
        Value::String(text) => visit(text, is_in_list),
        Value::Array(items) => items.iter().for_each(|item| visit_texts(item, true, visit)),
        Value::Object(object) => {
            let is_number = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
            object.iter().for_each(|(key, item)| visit_texts(item, is_in_list || is_number(key), visit));
        }
        _ => {}
    }
}

/// True for a body with more values than are read.
fn is_too_detailed(body: &[u8]) -> bool {
    let count = |marks: &[u8]| body.iter().filter(|byte| marks.contains(byte)).count();
    count(b"{<") > MAX_OBJECTS || count(b"[,") > MAX_VALUES
}

#[cfg(test)]
mod tests;
