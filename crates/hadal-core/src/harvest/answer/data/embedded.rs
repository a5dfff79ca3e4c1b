//! Records that a page holds as data for its scripts, and does not show as HTML.
//!
//! Frameworks put the state of a page into a script element: `<script type="application/json">`, or an assignment
//! such as `window.__STATE__ = {...}`. If the page shows its records, they are read as HTML.

use super::{DataDocument, DataReader, MAX_DATA_BYTES, is_too_detailed, literal};
use crate::harvest::answer::AnswerKind;
use crate::harvest::query::Query;
use crate::html::decode_data;
use crate::http::{Request, Response};
use crate::page::Page;
use memchr::memmem;

/// Script elements of a page that are looked at. Guess.
const MAX_SCRIPTS: usize = 40;
/// Least length of a script that may hold records, in bytes. Guess.
const MIN_BYTES: usize = 300;
/// Minimum number of records of an embedded list. Guess.
const MIN_RECORDS: usize = 3;
/// If the page text shows more than this share of the titles, the records are read from the HTML instead. Guess.
const MAX_SHOWN: f64 = 0.2;
/// Least ratio of the records' text to the page's text. Guess: data of settings and menus is shorter than the page.
const MIN_TEXT_RATIO: f64 = 1.0;

impl DataDocument {
    /// Reads the state of a page with the most records, if the page does not show them.
    pub fn embedded(body: &[u8], response: &Response, page: &Page) -> Option<DataDocument> {
        let states = scripts(body).take(MAX_SCRIPTS).filter_map(|script| state(script, response, page));
        let counted = states.filter_map(|data| Some((hidden_records(&data, page)?, data)));
        counted.max_by_key(|(records, _)| *records).map(|(_, data)| data)
    }
}

/// Texts of script elements that may hold records.
fn scripts(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = body;
    // Each script starts after the end of the one before, so that every byte is searched once.
    let elements = std::iter::from_fn(move || {
        let element = &rest[memmem::find(rest, b"<script")?..];
        let begin = memchr::memchr(b'>', element)? + 1;
        let end = begin + memmem::find(&element[begin..], b"</script")?;
        rest = &element[end..];
        Some((&element[..begin], &element[begin..end.min(begin + MAX_DATA_BYTES)]))
    });
    elements.filter_map(|(tag, text)| {
        let attributes = tag.to_ascii_lowercase();
        let is_json = memmem::find(&attributes, b"json").is_some();
        let is_linked_data = memmem::find(&attributes, b"ld+json").is_some();
        let is_state = is_json && !is_linked_data || is_assignment(text);
        (text.len() >= MIN_BYTES && is_state).then_some(text)
    })
}

/// True for a script that starts with `window.NAME = {`, `var NAME = [` and the like.
fn is_assignment(script: &[u8]) -> bool {
    let start = &script[..script.len().min(120)];
    let Some(equals) = memchr::memchr(b'=', start) else { return false };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b" _.$\n\t[]'\"".contains(byte);
    let value = start[equals + 1..].trim_ascii_start();
    start[..equals].iter().all(is_name) && value.first().is_some_and(|first| b"{[".contains(first))
}

fn state(script: &[u8], response: &Response, page: &Page) -> Option<DataDocument> {
    if is_too_detailed(script) {
        return None;
    }
    let value = literal::literal_in(&decode_data(script, "application/json"))?;
    Some(DataDocument { url: page.url.clone(), status: response.status, value, total: None, next: None })
}

/// Number of records in a state; `None` if there are few, or the page shows them.
fn hidden_records(data: &DataDocument, page: &Page) -> Option<usize> {
    let sent = Request::get(page.url.clone());
    let answer = DataReader::default().read(data, &sent, &Query::default(), true);
    let records = &answer.records;
    if answer.kind != AnswerKind::Results || records.len() < MIN_RECORDS {
        return None;
    }
    let shown = records.iter().filter(|record| page.text.contains(record.title.trim())).count();
    let text: usize = records.iter().map(|record| record.text.len()).sum();
    let is_hidden = shown as f64 <= MAX_SHOWN * records.len() as f64;
    (is_hidden && text as f64 >= MIN_TEXT_RATIO * page.text.len() as f64).then_some(records.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use url::Url;

    fn titles(html: &str) -> Vec<String> {
        let page = parse(html.as_bytes(), None, &Url::parse("http://a.org/find?q=sea").unwrap());
        let response = Response { status: 200, ..Response::default() };
        let data = DataDocument::embedded(html.as_bytes(), &response, &page);
        let sent = Request::get(page.url.clone());
        let read = data.map(|data| DataReader::default().read(&data, &sent, &Query::words("sea"), true));
        read.map(|answer| answer.records.into_iter().map(|record| record.title).collect()).unwrap_or_default()
    }

    fn state() -> String {
        let item = |n: u32| {
            format!(
                r#"{{"id":{n},"title":"Boat number {n}","summary":"A boat for the sea, built in 19{n}0.","href":"/boat/{n}"}}"#
            )
        };
        let items: Vec<String> = (1..6).map(item).collect();
        format!(r#"{{"props":{{"locale":"en","results":[{}],"count":5}}}}"#, items.join(","))
    }

    #[test]
    fn records_that_only_scripts_show_are_read() {
        let json = format!(
            "<title>Boats</title><div id=app></div><script id=__NEXT_DATA__ type=application/json>{}</script>",
            state()
        );
        assert_eq!(titles(&json).len(), 5);
        let assigned = format!("<div id=app></div><script>window.__STATE__ = {};</script>", state());
        assert_eq!(titles(&assigned)[0], "Boat number 1");
    }

    #[test]
    fn records_that_the_page_shows_are_not_read_twice() {
        let shown: String = (1..6).map(|n| format!("<p><a href=/boat/{n}>Boat number {n}</a>")).collect();
        let html = format!("{shown}<script type=application/json>{}</script>", state());
        assert!(titles(&html).is_empty());
        let words = "<p>A long page about something else. ".repeat(60);
        assert!(titles(&format!("{words}<script type=application/json>{}</script>", state())).is_empty());
    }
}
