//! Parses any bytes as a page: `cargo +nightly fuzz run parse_html`.
//!
//! The first byte selects the declared encoding, the rest is the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use url::Url;

const CONTENT_TYPES: [Option<&str>; 4] =
    [None, Some("text/html; charset=utf-8"), Some("text/html; charset=iso-2022-jp"), Some("charset='")];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, body)) = data.split_first() else { return };
    let content_type = CONTENT_TYPES[usize::from(choice) % CONTENT_TYPES.len()];
    let url = Url::parse("http://example.org/a/b?c").expect("a plain address");
    let page = hadal_core::html::parse(body, content_type, &url);
    assert!(page.links.len() <= body.len() && page.forms.len() <= body.len());
});
