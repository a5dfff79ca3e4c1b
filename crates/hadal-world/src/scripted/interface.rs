//! Answers to the requests of the scripts: JSON, HTML inside JSON, pages of records.

use super::{ScriptedKind, ScriptedWeb, answer};
use hadal_core::http::{Method, Request, Response};
use serde_json::{Value, json};
use std::collections::HashMap;
use url::form_urlencoded;

/// Records on one page. Guess.
const PAGE: usize = 10;

impl ScriptedWeb {
    /// Answers a request below the path of a site.
    pub(super) fn interface(&self, kind: ScriptedKind, path: &str, request: &Request) -> Response {
        let query = pairs(request.url.query().unwrap_or_default().as_bytes());
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let is_post = request.method == Method::Post;
        let number = |name: &str| query.get(name).and_then(|value| value.parse::<usize>().ok()).unwrap_or(0);
        let text = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
        match (kind, path) {
            (_, path) if path.starts_with("item/") => self.item_page(&path[5..]),
            (ScriptedKind::ClientForm, "find") => self.result_page(kind, "q", text("q"), number("page")),
            (ScriptedKind::AddedFields, "find") => {
                self.result_page(kind, "title", text("title"), number("page"))
            }
            (ScriptedKind::Typing | ScriptedKind::Views | ScriptedKind::Foreign, "api/search") => {
                self.numbered(kind, text("q"), number("page"))
            }
            (ScriptedKind::Token, "api/search") => {
                match request.headers.get("x-csrf-token") == Some(self.token().as_str()) {
                    true => self.numbered(kind, text("q"), number("page")),
                    false => answer(403, "application/json", json!({ "error": "token" }).to_string()),
                }
            }
            (ScriptedKind::Path, path) if path.starts_with("api/find/") => {
                match request.headers.get("x-requested-with") {
                    None => answer(403, "application/json", json!({ "error": "header missing" }).to_string()),
                    Some(_) => self.numbered(kind, &decoded(&path[9..]), number("page")),
                }
            }
            (ScriptedKind::Scroll, "api/items") => {
                let (found, start) = (self.find(text("text")), number("offset"));
                data(json!({ "count": found.len(), "results": self.items(kind, &found, start) }))
            }
            (ScriptedKind::Cursor | ScriptedKind::Service, "api/query") if is_post => {
                let found = self.find(body["text"].as_str().unwrap_or_default());
                let start = start_of(&body["cursor"]);
                data(json!({ "hits": self.items(kind, &found, start), "nextCursor": cursor(&found, start) }))
            }
            (ScriptedKind::Graphql, "graphql") if is_post => self.graphql(&body),
            (ScriptedKind::StaticIndex, "records.json") => {
                let all: Vec<u32> = (0..self.records_behind(kind)).collect();
                data(all.iter().map(|record| self.item(kind, *record)).collect())
            }
            (ScriptedKind::Shadow, "lookup") if is_post => {
                let form = pairs(&request.body);
                let found = self.find(form.get("words").map(String::as_str).unwrap_or_default());
                data(json!({ "html": self.fragment(kind, &found), "total": found.len() }))
            }
            _ => answer(404, "text/html", "<p>Not found.".into()),
        }
    }

    /// Numbers of the records that contain all words.
    fn find(&self, query: &str) -> Vec<u32> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let matches = |number: &u32| {
            let record = self.records.record(*number);
            let text = record.map(|record| format!("{} {}", record.title, record.text).to_lowercase());
            let text = text.unwrap_or_default();
            let has = |word: &String| text.split(|c: char| !c.is_alphanumeric()).any(|other| other == word);
            words.iter().all(has)
        };
        (0..self.records.len()).filter(|number| !words.is_empty() && matches(number)).collect()
    }

    fn item(&self, kind: ScriptedKind, number: u32) -> Value {
        let record = self.records.record(number);
        let (title, text) = record.map_or(("", ""), |record| (record.title, record.text));
        json!({ "id": number, "title": title, "text": text, "url": format!("/{}/item/{number}", kind.name()) })
    }

    fn items(&self, kind: ScriptedKind, found: &[u32], start: usize) -> Vec<Value> {
        found.iter().skip(start).take(PAGE).map(|number| self.item(kind, *number)).collect()
    }

    fn numbered(&self, kind: ScriptedKind, words: &str, page: usize) -> Response {
        let found = self.find(words);
        let items = self.items(kind, &found, page.saturating_sub(1) * PAGE);
        data(json!({ "total": found.len(), "page": page.max(1), "items": items }))
    }

    fn graphql(&self, body: &Value) -> Response {
        let Some(term) = body["variables"]["term"].as_str() else {
            return data(json!({ "data": { "menu": [{ "title": "Start" }] } }));
        };
        let (found, start) = (self.find(term), start_of(&body["variables"]["after"]));
        let edges: Vec<Value> = self
            .items(ScriptedKind::Graphql, &found, start)
            .into_iter()
            .map(|node| json!({ "node": node }))
            .collect();
        let end = cursor(&found, start);
        let info = json!({ "hasNextPage": end.is_some(), "endCursor": end });
        data(json!({ "data": { "find": { "edges": edges, "pageInfo": info } } }))
    }

    /// List of records as HTML.
    fn fragment(&self, kind: ScriptedKind, found: &[u32]) -> String {
        let row = |number: &u32| {
            let item = self.item(kind, *number);
            let text = |key: &str| item[key].as_str().unwrap_or_default().to_string();
            format!("<li><a href=\"{}\">{}</a><p>{}</p></li>", text("url"), text("title"), text("text"))
        };
        format!("<ul class=results>{}</ul>", found.iter().map(row).collect::<String>())
    }

    fn result_page(&self, kind: ScriptedKind, field: &str, words: &str, page: usize) -> Response {
        let (found, page) = (self.find(words), page.max(1));
        let next = (found.len() > page * PAGE).then(|| {
            let words: String = form_urlencoded::byte_serialize(words.as_bytes()).collect();
            format!("<a rel=next href=\"find?{field}={words}&page={}\">Next page</a>", page + 1)
        });
        let shown: Vec<u32> = found.iter().skip((page - 1) * PAGE).take(PAGE).copied().collect();
        let list = self.fragment(kind, &shown);
        let (next, total) = (next.unwrap_or_default(), found.len());
        let text = format!("<title>Results</title><main><p>{total} results</p>{list}</main>{next}");
        answer(200, "text/html; charset=utf-8", text)
    }

    fn item_page(&self, number: &str) -> Response {
        match number.parse().ok().and_then(|number| self.records.record(number)) {
            Some(record) => {
                let text = format!("<title>{0}</title><h1>{0}</h1><p>{1}</p>", record.title, record.text);
                answer(200, "text/html; charset=utf-8", text)
            }
            None => answer(404, "text/html", "<p>Not found.".into()),
        }
    }
}

fn data(value: Value) -> Response {
    answer(200, "application/json", value.to_string())
}

fn pairs(text: &[u8]) -> HashMap<String, String> {
    form_urlencoded::parse(text).into_owned().collect()
}

/// Text of a part of a path.
fn decoded(part: &str) -> String {
    let pair = format!("x={}", part.replace('+', "%2B"));
    form_urlencoded::parse(pair.as_bytes()).next().map(|(_, text)| text.into_owned()).unwrap_or_default()
}

/// Cursor of the page after the one that starts at `start`.
fn cursor(found: &[u32], start: usize) -> Option<String> {
    (found.len() > start + PAGE).then(|| format!("c{:x}", (start + PAGE) * 7919))
}

fn start_of(cursor: &Value) -> usize {
    let number = cursor.as_str().and_then(|cursor| usize::from_str_radix(cursor.strip_prefix('c')?, 16).ok());
    number.unwrap_or(0) / 7919
}
