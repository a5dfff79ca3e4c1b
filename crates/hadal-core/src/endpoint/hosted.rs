//! Search services with a public search key in a script of the page, and search engines that a script names.
//!
//! The values are read from the quoted texts that follow known option names, in scripts that name the service.

use super::{EndpointDetector, PageMarkup, hidden};
use crate::http::Method;
use crate::page::{Field, FieldKind, Form, FormSource};
use crate::submission::HEADER;
use url::Url;

/// Records per request. Guess.
const PAGE_SIZE: &str = "50";
/// Longest value of an option in bytes. Guess.
const MAX_VALUE: usize = 300;

/// Detector of hosted search services and search engines.
pub struct HostedSearch;

impl EndpointDetector for HostedSearch {
    fn detect(&self, markup: &PageMarkup<'_>, found: &mut Vec<Form>) {
        for script in &markup.inline {
            found.extend(
                algolia(script)
                    .or_else(|| typesense(script))
                    .or_else(|| meilisearch(script))
                    .or_else(|| engine(script, markup.base)),
            );
        }
    }
}

fn service(action: Option<Url>, fields: Vec<Field>) -> Option<Form> {
    let form = Form::to(action?, Method::Get, fields);
    Some(Form { index: u32::MAX, source: FormSource::Hosted, ..form })
}

fn words(name: &str) -> Field {
    Field { required: true, ..Field::new(FieldKind::Search, name, "") }
}

fn algolia(script: &str) -> Option<Form> {
    if !script.contains("lgolia") && !script.contains("docsearch") {
        return None;
    }
    let application =
        option(script, &["appId", "applicationId", "applicationID", "app_id", "application_id"])?;
    let key = option(script, &["searchApiKey", "search_api_key", "searchKey", "apiKey", "api_key"])?;
    let index = option(script, &["indexName", "index_name", "index"])?;
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_plain(application) || !is_plain(key) || !(8..=12).contains(&application.len()) {
        return None;
    }
    let mut action =
        Url::parse(&format!("https://{}-dsn.algolia.net/1/indexes/", application.to_lowercase())).ok()?;
    action.path_segments_mut().ok()?.pop_if_empty().push(index);
    let fields = vec![
        hidden("x-algolia-application-id", application),
        hidden("x-algolia-api-key", key),
        words("query"),
        hidden("hitsPerPage", PAGE_SIZE),
        hidden("page", "0"),
    ];
    service(Some(action), fields)
}

fn typesense(script: &str) -> Option<Form> {
    if !script.contains("ypesense") {
        return None;
    }
    let collection =
        option(script, &["collectionName", "collection_name", "collection", "typesenseCollectionName"])?;
    let (host, key) = (option(script, &["host"])?, option(script, &["searchApiKey", "apiKey", "api_key"])?);
    let columns = option(script, &["query_by", "queryBy"])?;
    let protocol = option(script, &["protocol"]).filter(|name| *name == "http").unwrap_or("https");
    let port = option(script, &["port"]).unwrap_or(if protocol == "http" { "80" } else { "443" });
    let action = Url::parse(&format!("{protocol}://{host}:{port}/collections/{collection}/documents/search"));
    let fields = vec![
        words("q"),
        hidden("query_by", columns),
        hidden("x-typesense-api-key", key),
        hidden("per_page", PAGE_SIZE),
        hidden("page", "1"),
    ];
    service(action.ok(), fields)
}

/// Options of the service's clients: named, or `instantMeiliSearch("host", "key")`.
fn meilisearch(script: &str) -> Option<Form> {
    if !script.contains("eili") && !script.contains("docsSearchBar") {
        return None;
    }
    let given = script.split_once("eiliSearch(").map(|(_, call)| quoted_texts(call)).unwrap_or_default();
    let is_host = |text: &&str| text.starts_with("http://") || text.starts_with("https://");
    let host = option(script, &["hostUrl", "host"]).or(given.first().copied()).filter(is_host)?;
    let key = option(script, &["searchApiKey", "apiKey", "api_key"]).or(given.get(1).copied());
    let index = option(script, &["indexUid", "index_uid", "indexName", "index"])?;
    let mut action = Url::parse(host).ok()?;
    action.path_segments_mut().ok()?.pop_if_empty().extend(["indexes", index, "search"]);
    let line = |key: &str| Field {
        disabled: true,
        ..hidden(&format!("{HEADER}Authorization"), &format!("Bearer {key}"))
    };
    let mut fields = vec![words("q"), hidden("limit", PAGE_SIZE), hidden("offset", "0")];
    fields.extend(key.filter(|key| !key.is_empty()).map(line));
    service(Some(action), fields)
}

/// First texts in quotes of a call.
fn quoted_texts(call: &str) -> Vec<&str> {
    let end = call.find(')').unwrap_or(call.len());
    call[..end]
        .split(['"', '\'', '`'])
        .skip(1)
        .step_by(2)
        .take(2)
        .filter(|text| text.len() <= MAX_VALUE)
        .collect()
}

/// URL of a search engine in quotes: `.../_search` or `.../select` of an index.
fn engine(script: &str, base: &Url) -> Option<Form> {
    let url = |end: &str| {
        let at = script.find(end)?;
        let start = script[..at].rfind(['"', '\'', '`'])? + 1;
        let address = &script[start..at + end.len() - 1];
        let is_url = address.len() <= MAX_VALUE && !address.contains(char::is_whitespace);
        base.join(address)
            .ok()
            .filter(|_| is_url && (address.starts_with("http") || address.starts_with('/')))
    };
    let quoted = |path: &str| ["\"", "'", "`", "?"].iter().find_map(|mark| url(&format!("{path}{mark}")));
    if let Some(action) = quoted("/_search") {
        return service(Some(action), vec![words("q"), hidden("size", PAGE_SIZE), hidden("from", "0")]);
    }
    let action = quoted("/select").filter(|url| url.path().contains("solr"))?;
    let fields = vec![words("q"), hidden("wt", "json"), hidden("rows", PAGE_SIZE), hidden("start", "0")];
    service(Some(action), fields)
}

/// Quoted text or number that follows one of the names, as in `appId: "X"`, `"appId":"X"` and `appId = 'X'`.
fn option<'s>(script: &'s str, names: &[&str]) -> Option<&'s str> {
    names.iter().find_map(|name| {
        let mut starts = script
            .match_indices(name)
            .filter(|(at, _)| !script[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
        starts.find_map(|(at, _)| value_after(&script[at + name.len()..]))
    })
}

fn value_after(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(['"', '\'']).trim_start();
    let rest = rest.strip_prefix([':', '='])?.trim_start();
    let value = match rest.chars().next()? {
        quote @ ('"' | '\'' | '`') => rest[1..].split(quote).next()?,
        c if c.is_ascii_digit() => rest.split(|c: char| !c.is_ascii_digit()).next()?,
        _ => return None,
    };
    (!value.is_empty() && value.len() <= MAX_VALUE).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::super::tests::first_request;

    #[test]
    fn a_service_is_found_by_its_key_in_the_page() {
        let script =
            "<script>docsearch({ appId: 'AB12CD34EF', apiKey: 'f0a1b2c3', indexName: 'my docs' })</script>";
        let expected = "https://ab12cd34ef-dsn.algolia.net/1/indexes/my%20docs?x-algolia-application-id=AB12CD34EF&x-algolia-api-key=f0a1b2c3&query=&hitsPerPage=50&page=0";
        assert_eq!(first_request(script), expected);
        let script = r#"<script>var t = {"nodes":[{"host":"s.a.org","port":443,"protocol":"https"}],"apiKey":"k1",
            "collectionName":"books","query_by":"title,text"} // typesense</script>"#;
        let request = first_request(script);
        assert!(
            request
                .starts_with("https://s.a.org/collections/books/documents/search?q=&query_by=title%2Ctext"),
            "{request}"
        );
    }

    #[test]
    fn a_service_with_its_key_in_a_header_line_is_found() {
        use crate::submission::{FilledForm, submission};
        for script in [
            "docsSearchBar({ hostUrl: 'https://m.a.org', apiKey: 'k1', indexUid: 'books' })",
            "const client = instantMeiliSearch('https://m.a.org/', 'k1'); search({ indexName: 'books' })",
        ] {
            let html = format!("<script>{script}</script>");
            let url = url::Url::parse("http://a.org/").unwrap();
            let page = crate::html::parse(html.as_bytes(), None, &url);
            let form = page.hints.endpoints.first().unwrap();
            let request = submission(form, &FilledForm::of(0, "sea"), "utf-8");
            assert_eq!(request.url.as_str(), "https://m.a.org/indexes/books/search?q=sea&limit=50&offset=0");
            assert_eq!(request.headers.get("authorization"), Some("Bearer k1"));
        }
    }

    #[test]
    fn an_engine_is_found_by_its_address() {
        let script = "<script>fetch('/es/books/_search?q=' + words)</script>";
        assert_eq!(first_request(script), "http://a.org/es/books/_search?q=&size=50&from=0");
        let script = "<script>var url = \"http://a.org/solr/books/select\"; // json</script>";
        assert_eq!(first_request(script), "http://a.org/solr/books/select?q=&wt=json&rows=50&start=0");
        assert_eq!(first_request("<script>$('select').on('/select', f)</script>"), "");
    }
}
