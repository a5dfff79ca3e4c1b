//! Bytes to [`Page`] in one parse.

use crate::page::Page;
use url::Url;

/// Parses a document. Never fails: what cannot be read is left out, what was read before a bound is kept.
pub fn parse(body: &[u8], content_type: Option<&str>, url: &Url) -> Page {
    let text = String::from_utf8_lossy(body).into_owned();
    let _ = content_type;
    Page {
        url: url.clone(),
        base: url.clone(),
        title: String::new(),
        text,
        language: None,
        charset: "UTF-8",
        links: Vec::new(),
        forms: Vec::new(),
        hints: crate::page::Hints::default(),
        fingerprint: 0,
        bound: None,
    }
}
