//! Harvests of searches that live in scripts, over real sockets: search indexes and JSON answers.

use hadal::fetch::in_process::Respond;
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::fetch::world_server::{ServerOptions, serve};
use hadal::harvest::open_form::{SearchLocation, form_at_url};
use hadal::harvest::{HarvestJob, HarvestPlan, HarvestSummary, harvest};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::store::{Access, Store, SubmissionQuery, open};
use hadal_core::harvest::policy::find_policy;
use hadal_core::harvest::session::{DetailMode, HarvestOptions};
use hadal_core::http::{Exchange, Request, Response};
use hadal_core::page::FormSource;
use hadal_core::time::Time;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use url::Url;

const RECORDS: usize = 120;
const PAGE: usize = 10;
const WORDS: [&str; 12] = [
    "harbour", "lantern", "meadow", "copper", "willow", "granite", "velvet", "thunder", "orchard", "feather",
    "marble", "saffron",
];

fn title(record: usize) -> String {
    format!("{} {} number {record}", WORDS[record % 12], WORDS[(record * 5 + record / 12) % 12])
}

/// Way in which a site hands out the pages of its JSON answers.
#[derive(Clone, Copy)]
enum Paging {
    Page,
    Offset,
    Cursor,
    NextUrl,
}

/// Site with JSON answers to its form, or with a file as index.
struct ScriptSite {
    paging: Option<Paging>,
    has_index: bool,
    log: Mutex<Vec<String>>,
}

impl ScriptSite {
    fn new(paging: Option<Paging>, has_index: bool) -> Arc<ScriptSite> {
        Arc::new(ScriptSite { paging, has_index, log: Mutex::default() })
    }

    fn home(&self) -> String {
        let links: String = (0..5).map(|n| format!("<a href=/docs/item-{n}.html>Item {n}</a> ")).collect();
        let (script, action) = match self.paging {
            None => ("<script src=/_static/doctools.js></script>", "/search.html"),
            Some(_) => ("", "/api/find"),
        };
        format!(
            "<title>Museum</title>{script}<form action={action} role=search>Search <input type=search name=q>
            <button>Search</button></form>{links}"
        )
    }

    fn index(&self) -> String {
        let names: Vec<String> = (0..RECORDS).map(|n| format!("docs/item-{n}")).collect();
        let titles: Vec<String> = (0..RECORDS).map(title).collect();
        format!("Search.setIndex({})", json!({"docnames": names, "titles": titles, "terms": {}}))
    }

    fn answer(&self, url: &Url) -> Value {
        let get =
            |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let number =
            |name: &str| get(name).and_then(|value| value.trim_start_matches('c').parse::<usize>().ok());
        let word = get("q").unwrap_or_default().to_lowercase();
        let is_match =
            |record: &usize| word.is_empty() || title(*record).split(' ').any(|known| known == word);
        let matching: Vec<usize> = (0..RECORDS).filter(is_match).collect();
        let start = match self.paging {
            Some(Paging::Page) => (number("page").unwrap_or(1).max(1) - 1) * PAGE,
            Some(Paging::Offset) => number("offset").unwrap_or(0),
            Some(Paging::Cursor) => number("cursor").unwrap_or(0),
            _ => number("from").unwrap_or(0),
        };
        let item = |record: &usize| {
            json!({"id": record, "name": title(*record), "url": format!("/docs/item-{record}.html"),
            "shelf": {"room": record % 9, "label": format!("Shelf {}", record % 9)}})
        };
        let items: Vec<Value> = matching.iter().skip(start).take(PAGE).map(item).collect();
        let end = start + items.len();
        let has_more = end < matching.len();
        let links = json!({"popular": [{"name": "Opening hours of our house", "url": "/hours"}]});
        match self.paging {
            Some(Paging::Page) => {
                json!({"page": start / PAGE + 1, "total": matching.len(), "items": items, "side": links})
            }
            Some(Paging::Offset) => {
                json!({"offset": start, "limit": PAGE, "found": matching.len(), "items": items, "side": links})
            }
            Some(Paging::Cursor) => {
                json!({"data": {"items": items}, "next_cursor": has_more.then(|| format!("c{end}")), "side": links})
            }
            _ => json!({"results": items, "count": matching.len(), "side": links,
                "links": {"next": has_more.then(|| format!("/api/find?q={word}&from={end}"))}}),
        }
    }
}

/// Pages of a list of all records, and the records of each.
const LIST_PAGES: usize = 130;
const LIST_PAGE: usize = 3;

fn letter(number: usize) -> char {
    char::from(b'a' + (number % 26) as u8)
}

fn list_page(url: &Url) -> Value {
    let page = url.query_pairs().find(|(name, _)| name == "page").and_then(|(_, page)| page.parse().ok());
    let page: usize = page.unwrap_or(1);
    let word = |n: usize| -> String { [n % 26, n / 26, n % 17, n % 11].map(letter).iter().collect() };
    let item = |n: usize| json!({"id": n, "name": word(n), "url": format!("/docs/item-{n}.html")});
    let on_page = (page - 1) * LIST_PAGE..page * LIST_PAGE;
    let items: Vec<Value> = on_page.filter(|n| *n < LIST_PAGES * LIST_PAGE).map(item).collect();
    json!({"items": items, "next": (page < LIST_PAGES).then(|| format!("/list?page={}", page + 1))})
}

impl Respond for ScriptSite {
    fn respond(&self, request: &Request, _at: Time) -> Exchange {
        self.log.lock().unwrap().push(request.url[url::Position::BeforePath..].to_string());
        let (status, kind, body) = match request.url.path() {
            "/" | "/search.html" => (200, "text/html", self.home()),
            "/searchindex.js" if self.has_index => (200, "text/javascript", self.index()),
            "/list" => (200, "application/json", list_page(&request.url).to_string()),
            "/api/find" if self.paging.is_some() => {
                (200, "application/json", self.answer(&request.url).to_string())
            }
            _ => (404, "text/html", "<p>There is nothing here.".to_string()),
        };
        let mut response = Response { status, body: body.into_bytes(), ..Response::default() };
        response.headers.push("content-type", kind);
        Exchange { result: Ok(response), took: Duration::ZERO, peer: None }
    }
}

/// Harvests the search at the front page.
async fn harvested(site: &Arc<ScriptSite>) -> (FormSource, HarvestSummary, Arc<dyn Store>) {
    let store = open("memory:", Access::Crawl).unwrap();
    let (source, summary) = harvested_at(site, "http://museum.example/", 200, &store).await;
    (source, summary, store)
}

/// Harvests the search or list at a URL.
async fn harvested_at(
    site: &Arc<ScriptSite>,
    url: &str,
    max_requests: u64,
    store: &Arc<dyn Store>,
) -> (FormSource, HarvestSummary) {
    let address = "127.0.0.1:0".parse().unwrap();
    let running = serve(site.clone(), address, ServerOptions::default()).await.unwrap();
    let connect_to = vec![format!("*={}", running.addr).parse().unwrap()];
    let options = NetworkOptions { connect_to, allow_private: true, ..NetworkOptions::default() };
    let politeness = Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO };
    let client_options = ClientOptions::new(politeness, "hadal", 1 << 20);
    let client =
        PoliteClient::new(Arc::new(Network::new(options).unwrap()), client_options, watch::channel(false).1);
    let home = Url::parse(url).unwrap();
    let search = SearchLocation { audit: Some(store.as_ref()), ..SearchLocation::at(&home, "web") };
    let opened = form_at_url(&search, &client, &mut Clock::Real).await.unwrap();
    let source = opened.form.source;
    let options = HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: 1 };
    let mut job = HarvestJob::new(opened, &find_policy("hadal").unwrap(), options);
    job.policy_context.first_words = vec!["harbour".to_string()];
    let plan = HarvestPlan {
        max_requests: Some(max_requests),
        ..HarvestPlan::new(store.clone(), client, vec![job])
    };
    let summary = harvest(plan, &mut |_| {}).await.unwrap().remove(0);
    (source, summary)
}

#[tokio::test]
async fn a_search_index_returns_all_records_with_one_request() {
    let site = ScriptSite::new(None, true);
    let (source, summary, store) = harvested(&site).await;
    assert_eq!((source, summary.counters.records), (FormSource::SearchIndex, RECORDS as u64));
    assert_eq!(summary.estimate.unwrap().coverage[1], 1.0);
    // robots.txt, the page and the start of the index to open it; the page and the index to read it.
    assert!(summary.counters.requests <= 5, "{summary:?}");
    let submitted = store.submissions(&SubmissionQuery::default()).unwrap().rows;
    assert_eq!(submitted.len(), 2, "both requests for the index are in the log");
}

#[tokio::test]
async fn a_long_list_continues_where_it_was_stopped() {
    let site = ScriptSite::new(None, false);
    let store = open("memory:", Access::Crawl).unwrap();
    let list = "http://museum.example/list?page=1";
    let (source, stopped) = harvested_at(&site, list, 110, &store).await;
    assert_eq!(source, FormSource::SearchIndex);
    assert!(stopped.counters.records >= 300 && stopped.counters.records < 390, "{stopped:?}");
    let (_, whole) = harvested_at(&site, list, 1_000, &store).await;
    assert_eq!(whole.counters.records, (LIST_PAGES * LIST_PAGE) as u64, "{whole:?}");
    assert_eq!(whole.estimate.unwrap().coverage[1], 1.0);
    let log = site.log.lock().unwrap();
    let times = |page: &str| log.iter().filter(|path| *path == &format!("/list?page={page}")).count();
    assert_eq!((times("50"), times("99"), times("130")), (1, 1, 1), "stored pages are not read again");
}

#[tokio::test]
async fn a_page_without_its_index_is_searched_by_its_form() {
    let site = ScriptSite::new(None, false);
    let (source, summary, _) = harvested(&site).await;
    assert_eq!((source, summary.counters.records), (FormSource::Form, 0));
}

#[tokio::test]
async fn json_answers_are_harvested_whatever_their_pages_are() {
    for paging in [Paging::Page, Paging::Offset, Paging::Cursor, Paging::NextUrl] {
        let site = ScriptSite::new(Some(paging), false);
        let (_, summary, store) = harvested(&site).await;
        let log = site.log.lock().unwrap().join("\n");
        assert_eq!(summary.counters.records, RECORDS as u64, "{summary:?}\n{log}");
        assert!(summary.counters.requests < 40, "{summary:?}\n{log}");
        let submitted = store.submissions(&SubmissionQuery::default()).unwrap().rows;
        let is_sent = |url: &Url| log.contains(&url[url::Position::BeforePath..]);
        assert!(!submitted.is_empty() && submitted.iter().all(|entry| is_sent(&entry.url)));
    }
}
