//! Backlink sources: links of the crawl itself, a search engine on loopback, and the options.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
#[allow(dead_code, reason = "only a part of it is used here")]
#[path = "fetch/fixture.rs"]
mod fixture;

use common::{BOOK_FORM, Web, links, run, setup};
use fixture::{Server, Then, answer};
use futures::future::BoxFuture;
use hadal::backlinks::{Backlinks, OwnBacklinks, Searxng};
use hadal::engine::{Budget, Crawl};
use hadal::fetch::Fetch;
use hadal::fetch::in_process::InProcess;
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::store::{Access, Store, open};
use hadal_core::http::{Exchange, FetchError, Request, Response};
use hadal_core::link::{FrontierLink, LinkTask, QueueId};
use hadal_core::strategy::{
    PageVisit, Placement, QueueChoice, QueueHeads, SiteCounters, Strategy, StrategyCommand, serve_best,
};
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

type Heard = Arc<Mutex<Vec<(String, Vec<String>)>>>;

/// Strategy that looks up the backlinks of every visited page and records the answers.
#[derive(Default)]
struct Curious(Heard);

impl Strategy for Curious {
    fn place(&self, lead: &FrontierLink, _site: &SiteCounters) -> Placement {
        let lane = if lead.task == LinkTask::Backlinks { QueueId(0) } else { QueueId(1) };
        Placement::Enqueue { queue: lane, score: -f32::from(lead.depth) }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        serve_best(heads)
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        vec![StrategyCommand::LookUpBacklinks(visit.link.url.clone())]
    }

    fn on_backlinks(&mut self, about: &Url, linking: &[Url]) -> Vec<StrategyCommand> {
        let linking = linking.iter().map(|url| url.to_string()).collect();
        self.0.lock().unwrap().push((about.to_string(), linking));
        Vec::new()
    }
}

/// Crawl that looks up backlinks in its own store.
fn curious(web: Arc<dyn Fetch>, store: Arc<dyn Store>, seeds: &[&str]) -> (Crawl, Heard) {
    let strategy = Curious::default();
    let heard = Arc::clone(&strategy.0);
    let mut crawl = setup(web, Box::new(strategy), seeds);
    crawl.backlinks = Some(Arc::new(OwnBacklinks { store: Arc::clone(&store), source: "test".into() }));
    crawl.store = store;
    (crawl, heard)
}

fn memory() -> Arc<dyn Store> {
    open("memory:", Access::Crawl).unwrap()
}

#[tokio::test]
async fn backlinks_come_from_this_crawl_and_earlier_ones() {
    let (hub, shop) = ("http://hub.example/", "http://shop.example/find");
    let web = || {
        let web = Web::default().page(hub, &links(&[shop])).page(shop, BOOK_FORM);
        Arc::new(web.page("http://late.example/", &links(&[shop])))
    };
    let store = memory();
    let (crawl, heard) = curious(web(), Arc::clone(&store), &[hub]);
    run(crawl).await;
    let of_shop = |heard: &Heard| heard.lock().unwrap().iter().find(|(about, _)| about == shop).cloned();
    assert_eq!(of_shop(&heard).unwrap().1, [hub]);
    let (crawl, heard) = curious(web(), store, &["http://late.example/"]);
    run(crawl).await;
    assert_eq!(of_shop(&heard).unwrap().1, ["http://late.example/", hub]);
}

#[tokio::test]
async fn without_the_source_nothing_is_kept_for_it() {
    let (hub, shop) = ("http://hub.example/", "http://shop.example/find");
    let other = "http://other.example/";
    let web = Web::default().page(hub, &links(&[shop, other])).page(other, &links(&[shop]));
    let mut crawl = setup(Arc::new(web.page(shop, BOOK_FORM)), Box::new(Curious::default()), &[hub]);
    let store = memory();
    crawl.store = Arc::clone(&store);
    run(crawl).await;
    let known = store.backlinks("test", &[Url::parse(shop).unwrap()], 10).unwrap().remove(0);
    assert_eq!(known.len(), 1, "only the page it was found on: {known:?}");
}

async fn backlinks_in_the_world(store: Arc<dyn Store>, concurrency: usize) -> Vec<(String, Vec<String>)> {
    let world = Arc::new(World::new(Spec::tiny(5)));
    let seeds: Vec<String> = world.seeds("book").iter().map(|url| url.to_string()).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let (mut crawl, heard) = curious(Arc::new(InProcess(world)), store, &seeds);
    crawl.concurrency = concurrency;
    crawl.budget = Budget { requests: Some(400), ..Budget::default() };
    run(crawl).await;
    heard.lock().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_simulated_time_answers_are_the_same_whatever_the_threads_and_the_store() {
    let alone = backlinks_in_the_world(memory(), 1).await;
    assert!(alone.len() > 50 && alone.iter().any(|(_, linking)| linking.len() > 1), "{}", alone.len());
    assert!(backlinks_in_the_world(memory(), 8).await == alone, "more threads change nothing");
    let folder = tempfile::tempdir().unwrap();
    let file = open(&format!("file:{}", folder.path().display()), Access::Crawl).unwrap();
    assert!(backlinks_in_the_world(file, 8).await == alone, "nor does the store");
}

async fn asking(server: &Server, target: &str) -> Result<Vec<Url>, FetchError> {
    let options = NetworkOptions { allow_private: true, ..NetworkOptions::default() };
    let api = Url::parse(&format!("http://{}/", server.addr)).unwrap();
    let source = Searxng::new(api, Arc::new(Network::new(options).unwrap()), Duration::ZERO, 1 << 20);
    source.lookup(&Url::parse(target).unwrap()).await
}

fn json(status: &str, body: &str) -> Vec<u8> {
    answer(status, &["Content-Type: application/json"], body.as_bytes())
}

#[tokio::test]
async fn a_search_engine_is_asked_for_the_site_s_name() {
    let results = r#"{"results": [{"url": "https://hub.example/list"}, {"url": "https://books.example/"}]}"#;
    let server = Server::answering(json("200 OK", results), Then::Close).await;
    let linking = asking(&server, "https://www.books.example/find?q=1").await.unwrap();
    assert_eq!(linking, [Url::parse("https://hub.example/list").unwrap()]);
    let asked = server.requests().remove(0);
    assert!(asked.starts_with("GET /search?q=%22books.example%22&format=json HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains("user-agent: hadal/"), "{asked}");
}

#[tokio::test]
async fn a_search_engine_that_does_not_answer_is_a_failed_request() {
    for bytes in [json("403 Forbidden", "{}"), json("200 OK", "{\"res"), fixture::page("<p>results</p>")] {
        let server = Server::answering(bytes, Then::Close).await;
        assert_eq!(asking(&server, "http://a.example/").await, Err(FetchError::Protocol));
    }
    let server = Server::answering(Vec::new(), Then::Close).await;
    assert_eq!(asking(&server, "http://a.example/").await, Err(FetchError::Closed));
}

/// Counts requests in flight.
#[derive(Default)]
struct Busy {
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

impl Fetch for Busy {
    fn fetch<'a>(&'a self, _request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            self.all.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            let response =
                Response { status: 200, body: b"{\"results\": []}".to_vec(), ..Response::default() };
            Exchange { result: Ok(response), took: Duration::ZERO, peer: None }
        })
    }
}

#[tokio::test]
async fn a_search_engine_is_asked_one_thing_at_a_time() {
    let busy = Arc::new(Busy::default());
    let api = Url::parse("http://search.example/").unwrap();
    let source = Searxng::new(api, Arc::clone(&busy) as Arc<dyn Fetch>, Duration::ZERO, 1 << 20);
    let target = Url::parse("http://a.example/").unwrap();
    let answers = futures::future::join_all((0..5).map(|_| source.lookup(&target))).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!((busy.all.load(Ordering::SeqCst), busy.most.load(Ordering::SeqCst)), (5, 1));
}
