//! Reads any bytes as a result page: `cargo +nightly fuzz run read_results`.
//!
//! The first byte selects the status code, the rest is the body.
#![no_main]

use hadal_core::harvest::answer::{AnswerReader, AnswerSample};
use hadal_core::harvest::query::Query;
use hadal_core::html::parse_with_outline;
use libfuzzer_sys::fuzz_target;
use url::Url;

const STATUS: [u16; 4] = [200, 404, 429, 503];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, body)) = data.split_first() else { return };
    let status = STATUS[usize::from(choice) % STATUS.len()];
    let url = Url::parse("http://example.org/find?q=sea").expect("a valid URL");
    let document = parse_with_outline(body, Some("text/html; charset=utf-8"), &url);
    let query = Query::words("sea");
    let reader = AnswerReader::learn(&[AnswerSample { document: &document, status, query: &query }]);
    let answer = reader.read(&document, status, &query);
    assert!(answer.records.len() <= body.len());
});
