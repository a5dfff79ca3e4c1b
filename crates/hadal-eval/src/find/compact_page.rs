//! Compact form of a judged page, for a cache of several hundred thousand pages.
//!
//! Page text is kept for home pages only, because only the site classifier reads it. Damaged bytes decode to
//! `None`.

use hadal::engine::ExaminedPage;
use hadal_core::critic::{FormVerdict, PageVerdict};
use hadal_core::http::{BodyCompleteness, Headers, Response};
use hadal_core::identity::FormId;
use hadal_core::page::{Form, Link, LinkTopic, Page, PageHints, ParseLimit};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use url::Url;

/// Only pages of this encoding are cached.
const CHARSET: &str = "UTF-8";

/// Fields in the order of serialisation.
#[derive(Serialize, Deserialize)]
struct CompactPage<'a> {
    status: u16,
    headers: Cow<'a, [(String, String)]>,
    transferred: u64,
    base: Cow<'a, Url>,
    title: Cow<'a, str>,
    text: Cow<'a, str>,
    language: Cow<'a, Option<String>>,
    links: Cow<'a, [Link]>,
    /// Topics of the links, which are not part of their own encoding.
    link_topics: Vec<Option<LinkTopic>>,
    forms: Cow<'a, [Form]>,
    hints: Cow<'a, PageHints>,
    fingerprint: u64,
    bound: Option<ParseLimit>,
    p_topic: f32,
    form_ids: Cow<'a, [FormId]>,
    verdicts: Cow<'a, [FormVerdict]>,
}

/// Drops everything that no strategy reads, so that cached and fresh pages are equal.
pub fn trim(reading: &mut ExaminedPage) {
    reading.verdict.text_features = Default::default();
    if !is_home(&reading.page.url) {
        reading.page.text = String::new();
    }
}

fn is_home(url: &Url) -> bool {
    url.path() == "/" && url.query().is_none()
}

/// Serialises a trimmed page. `None` for pages that are not cached: another encoding, or an incomplete body.
pub fn pack(response: &Response, reading: &ExaminedPage) -> Option<Vec<u8>> {
    let page = &reading.page;
    if page.charset != CHARSET || response.completeness != BodyCompleteness::Whole {
        return None;
    }
    let kept = CompactPage {
        status: response.status,
        headers: Cow::Borrowed(&response.headers.0),
        transferred: response.transferred,
        base: Cow::Borrowed(&page.base),
        title: Cow::Borrowed(&page.title),
        text: Cow::Borrowed(&page.text),
        language: Cow::Borrowed(&page.language),
        links: Cow::Borrowed(&page.links),
        link_topics: page.links.iter().map(|link| link.context.topic).collect(),
        forms: Cow::Borrowed(&page.forms),
        hints: Cow::Borrowed(&page.hints),
        fingerprint: page.fingerprint,
        bound: page.truncated_by,
        p_topic: reading.verdict.p_topic,
        form_ids: Cow::Borrowed(&reading.form_ids),
        verdicts: Cow::Borrowed(&reading.forms),
    };
    Some(lz4_flex::compress_prepend_size(&postcard::to_stdvec(&kept).ok()?))
}

/// Response without its body, and the judged page at this URL.
pub fn unpack(bytes: &[u8], url: &Url) -> Option<(Response, ExaminedPage)> {
    let plain = lz4_flex::decompress_size_prepended(bytes).ok()?;
    let kept: CompactPage<'_> = postcard::from_bytes(&plain).ok()?;
    let response = Response {
        status: kept.status,
        headers: Headers(kept.headers.into_owned()),
        body: Vec::new(),
        transferred: kept.transferred,
        completeness: BodyCompleteness::Whole,
    };
    let mut links = kept.links.into_owned();
    for (link, topic) in links.iter_mut().zip(kept.link_topics) {
        link.context.topic = topic;
    }
    let page = Page {
        url: url.clone(),
        base: kept.base.into_owned(),
        title: kept.title.into_owned(),
        text: kept.text.into_owned(),
        language: kept.language.into_owned(),
        charset: CHARSET,
        links,
        forms: kept.forms.into_owned(),
        hints: kept.hints.into_owned(),
        fingerprint: kept.fingerprint,
        truncated_by: kept.bound,
    };
    let verdict = PageVerdict { p_topic: kept.p_topic, ..PageVerdict::default() };
    let (form_ids, forms) = (kept.form_ids.into_owned(), kept.verdicts.into_owned());
    Some((response, ExaminedPage { page, verdict, form_ids, forms, further: None }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal::engine::examine;
    use hadal_core::critic::keywords::KeywordCritic;
    use hadal_core::topic::Topic;

    fn read(url: &Url) -> ExaminedPage {
        let html = b"<html lang=en><title>Books</title><meta name=robots content=nofollow><p>many books \
            <a class=x href=/a?b=1>old books</a> here<form action=/find><input name=q></form>";
        let topic = Topic::from_words("book").unwrap();
        let mut reading = examine(html, Some("text/html; charset=utf-8"), url, &KeywordCritic::new(&topic));
        trim(&mut reading);
        reading
    }

    #[test]
    fn decoded_pages_equal_encoded_ones() {
        let response = Response { status: 200, transferred: 99, ..Response::default() };
        for (address, text) in [("http://a.example/", true), ("http://a.example/x", false)] {
            let url = Url::parse(address).unwrap();
            let reading = read(&url);
            assert_eq!(reading.page.text.contains("many books"), text);
            assert!(reading.page.hints.robots_for("hadal").nofollow && reading.page.links.len() == 1);
            let (answer, again) = unpack(&pack(&response, &reading).unwrap(), &url).unwrap();
            assert_eq!(answer, response);
            assert_eq!(again.page, reading.page);
            assert_eq!(
                (again.verdict, again.form_ids, again.forms),
                (reading.verdict, reading.form_ids, reading.forms)
            );
        }
    }

    #[test]
    fn damaged_bytes_are_not_decoded() {
        let url = Url::parse("http://a.example/").unwrap();
        let bytes = pack(&Response::default(), &read(&url)).unwrap();
        assert!(unpack(&bytes[..bytes.len() / 2], &url).is_none());
        assert!(unpack(&[], &url).is_none());
    }
}
