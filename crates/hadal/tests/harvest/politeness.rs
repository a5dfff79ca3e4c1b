//! Gaps between requests to one host, read from the log of a server: find, quality, harvest, refresh, ask and judge.

use crate::common::{self, forms, strategy};
use hadal::ask::{Asker, SourceSelection};
use hadal::engine::{Budget, Crawl, CrawlBuilder, CrawlMode, Probing};
use hadal::fetch::Fetch;
use hadal::fetch::in_process::Respond;
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::fetch::world_server::{RunningServer, ServerOptions, serve};
use hadal::harvest::open_form::{SearchLocation, form_at_url};
use hadal::harvest::refresh::{RefreshPlan, refresh};
use hadal::harvest::{HarvestJob, HarvestPlan, harvest};
use hadal::polite::{ClientOptions, Clock, PageError, PoliteClient, Politeness};
use hadal::store::{Access, HarvestQuery, RunSpec, Store, open};
use hadal_core::critic::keywords::KeywordCritic;
use hadal_core::harvest::policy::find_policy;
use hadal_core::harvest::session::{DetailMode, HarvestOptions};
use hadal_core::http::{Exchange, Request, Response};
use hadal_core::time::Time;
use hadal_core::topic::Topic;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use url::Url;

/// Delay of the client. Smaller than the `Crawl-delay` of the site, which is therefore the one that holds.
const DELAY: Duration = Duration::from_millis(40);
const CRAWL_DELAY: Duration = Duration::from_millis(90);

/// A site with a search form, a few pages, and a page that asks for a pause once.
#[derive(Default)]
struct Shop {
    was_busy: Mutex<bool>,
}

const HOME: &str = "<title>Books by author</title><p>library of novels, fiction, isbn, publisher</p>
    <h2>Book search</h2><form action=/find>Search books <input type=search name=q>
    <input type=submit value=Search></form>
    <p>books <a href=/1>book</a></p><p>books <a href=/2>book</a></p>";

impl Respond for Shop {
    fn respond(&self, request: &Request, _at: Time) -> Exchange {
        let (status, body) = match request.url.path() {
            "/robots.txt" => (200, "User-agent: *\nCrawl-delay: 0.09".to_string()),
            "/find" => (200, "<p>Sorry, no books match your search.</p>".to_string()),
            "/busy" if !std::mem::replace(&mut *self.was_busy.lock().unwrap(), true) => (503, String::new()),
            _ => (200, HOME.to_string()),
        };
        let mut response = Response { status, body: body.into_bytes(), ..Response::default() };
        response.headers.push("content-type", "text/html");
        if status == 503 {
            response.headers.push("retry-after", "1");
        }
        Exchange { result: Ok(response), took: Duration::ZERO, peer: None }
    }
}

/// The shop on a local port, with the time of every request.
struct Served {
    home: Url,
    log: Arc<Mutex<Vec<(Instant, String)>>>,
    _server: RunningServer,
}

impl Served {
    async fn start() -> Served {
        let log = Arc::new(Mutex::new(Vec::new()));
        let entries = Arc::clone(&log);
        let on_request: hadal::fetch::world_server::OnRequest = Arc::new(move |url: &Url| {
            entries.lock().unwrap().push((Instant::now(), url.path().to_string()));
        });
        let options = ServerOptions { on_request: Some(on_request), ..ServerOptions::default() };
        let address = "127.0.0.1:0".parse().unwrap();
        let server = serve(Arc::new(Shop::default()), address, options).await.unwrap();
        let home = Url::parse(&format!("http://{}/", server.addr)).unwrap();
        Served { home, log, _server: server }
    }

    fn at(&self, path: &str) -> Url {
        self.home.join(path).unwrap()
    }

    /// Checks that every request came at least the `Crawl-delay` after the one before it. Times have a resolution of
    /// one millisecond.
    fn check_gaps(&self, least_requests: usize) {
        let log = self.log.lock().unwrap();
        assert!(log.len() >= least_requests, "{log:?}");
        for pair in log.windows(2) {
            let gap = pair[1].0 - pair[0].0;
            assert!(gap + Duration::from_millis(1) >= CRAWL_DELAY, "{gap:?} between {pair:?}");
        }
    }
}

fn network() -> Arc<dyn Fetch> {
    let options = NetworkOptions { allow_private: true, ..NetworkOptions::default() };
    Arc::new(Network::new(options).unwrap())
}

fn politeness() -> Politeness {
    Politeness { delay: DELAY, latency_factor: 0.0, max_delay: DELAY }
}

fn client_options() -> ClientOptions {
    ClientOptions::new(politeness(), "hadal", 1 << 20)
}

fn client() -> PoliteClient {
    PoliteClient::new(network(), client_options(), watch::channel(false).1)
}

/// Crawls the shop into a new store.
async fn find(shop: &Served) -> Arc<dyn Store> {
    let store = open("memory:", Access::Crawl).unwrap();
    common::run(crawl_of(shop, &store, CrawlMode::Find)).await;
    store
}

/// Crawl of the shop.
fn crawl_of(shop: &Served, store: &Arc<dyn Store>, mode: CrawlMode) -> Crawl {
    let spec = RunSpec {
        topic: "book".into(),
        strategy: "test".into(),
        seeds: vec![shop.home.clone()],
        seed: 1,
        source: "web".into(),
    };
    let critic = Arc::new(KeywordCritic::new(&Topic::from_words("book").unwrap()));
    CrawlBuilder::new(Arc::clone(store), spec, strategy("breadth-first"), critic, network())
        .politeness(politeness(), "hadal")
        .budget(Budget { requests: Some(if mode == CrawlMode::Find { 4 } else { 9 }), ..Budget::default() })
        .probing(Probing::default(), "book")
        .mode(mode)
        .build()
}

#[tokio::test]
async fn a_crawl_keeps_the_pauses() {
    let shop = Served::start().await;
    find(&shop).await;
    shop.check_gaps(4);
}

#[tokio::test]
async fn test_queries_of_a_quality_sample_keep_the_pauses_from_those_of_the_crawl() {
    let shop = Served::start().await;
    let store = find(&shop).await;
    common::run(crawl_of(&shop, &store, CrawlMode::Quality { sample: 5, seed: 1 })).await;
    shop.check_gaps(6);
    assert!(shop.log.lock().unwrap().iter().filter(|(_, path)| path == "/find").count() >= 2);
}

#[tokio::test]
async fn a_question_keeps_the_pauses() {
    let shop = Served::start().await;
    let store = find(&shop).await;
    let form = forms(store.as_ref()).first().expect("the crawl finds the form").form_id;
    shop.log.lock().unwrap().clear();
    let open_fetch = Box::new(|_: &str| Ok((network(), Clock::Real)));
    let asker = Arc::new(Asker::new(store, client_options(), open_fetch, watch::channel(false).1));
    asker.ask("novel", SourceSelection::Forms(vec![form])).await.unwrap();
    shop.check_gaps(3);
}

#[tokio::test]
async fn a_harvest_and_its_refresh_keep_the_pauses_from_the_first_look_at_the_form() {
    let shop = Served::start().await;
    let client = client();
    let opened =
        form_at_url(&SearchLocation::at(&shop.home, "web"), &client, &mut Clock::Real).await.unwrap();
    let options = HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: 1 };
    let job = HarvestJob::new(opened, &find_policy("hadal").unwrap(), options);
    let store = open("memory:", Access::Crawl).unwrap();
    let plan = HarvestPlan {
        max_requests: Some(5),
        ..HarvestPlan::new(Arc::clone(&store), client.clone(), vec![job])
    };
    harvest(plan, &mut |_| {}).await.unwrap();
    shop.check_gaps(5);
    let before = shop.log.lock().unwrap().len();
    let harvests = store.harvests(&HarvestQuery::default()).unwrap();
    let (forms, max_requests, clock) = (Vec::new(), Some(5), Clock::Real);
    refresh(RefreshPlan { store, client, forms, harvests, max_requests, clock }, &mut |_| {}).await.unwrap();
    shop.check_gaps(before + 1);
}

#[tokio::test]
async fn single_pages_keep_the_pauses_and_retry_after() {
    let shop = Served::start().await;
    let options = ClientOptions { retries: false, ..client_options() };
    let client = PoliteClient::new(network(), options, watch::channel(false).1);
    for (path, expected) in [("/1", None), ("/busy", Some(PageError::Status(503))), ("/2", None)] {
        let found = client.get_page(&shop.at(path), &mut Clock::Real).await;
        assert_eq!(found.err(), expected, "{path}");
    }
    shop.check_gaps(4);
    let log = shop.log.lock().unwrap();
    let at = |path: &str| log.iter().find(|(_, logged)| logged == path).unwrap().0;
    assert!(at("/2") - at("/busy") + Duration::from_millis(1) >= Duration::from_secs(1));
}
