//! Further requests of a visit: OpenSearch descriptions and sitemaps. They take turns with the steps of the crawl.

use crate::common::watched::WatchedWeb;
use crate::common::{BOOK_FORM, Web, links, run, setup, strategy};
use hadal::engine::{Budget, Crawl, CrawlBuilder, CrawlSummary, RenderingVisit, Scope};
use hadal::fetch::Fetch;
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::render::RenderMode;
use hadal::store::{Access, Store, open};
use hadal_core::critic::keywords::KeywordCritic;
use hadal_core::topic::Topic;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use url::Url;

/// Pause of these crawls.
pub const PAUSE: Duration = Duration::from_millis(30);
const PAUSES: Politeness = Politeness { delay: PAUSE, latency_factor: 0.0, max_delay: PAUSE };

const DESCRIPTION: &str = r#"<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
    <ShortName>Books</ShortName><Url type="text/html" template="http://api.example/find?q={searchTerms}"/>
    </OpenSearchDescription>"#;

/// A page on topic without a form, that names a description and links to pages.
pub fn describing(description: &str, targets: &[&str]) -> String {
    let link = format!("<link rel=search type=application/opensearchdescription+xml href={description}>");
    link + &links(targets)
}

/// Crawl on the system clock whose visits look further, without a browser.
pub fn looking_further(web: &Arc<WatchedWeb>, seeds: &[&str], scope: Scope, store: Arc<dyn Store>) -> Crawl {
    let fetch = Arc::clone(web) as Arc<dyn Fetch>;
    let plain = setup(Arc::clone(&fetch), strategy("breadth-first"), seeds);
    let critic = Arc::new(KeywordCritic::new(&Topic::from_words("book").unwrap()));
    let client = PoliteClient::new(
        fetch.clone(),
        ClientOptions::new(PAUSES, "hadal", 1 << 20),
        watch::channel(false).1,
    );
    let visit = RenderingVisit::new(
        (fetch.clone(), critic.clone()),
        client,
        (None, RenderMode::Never),
        (store.clone(), "book".into()),
    );
    let visit = visit.with_seeds(&plain.spec.seeds, &scope);
    CrawlBuilder::new(store, plain.spec, plain.strategy, critic, fetch)
        .politeness(PAUSES, "hadal")
        .scope(scope)
        .rendering(visit)
        .build()
}

/// The same with a store in memory.
fn further(web: &Arc<WatchedWeb>, seeds: &[&str], scope: Scope) -> Crawl {
    looking_further(web, seeds, scope, open("memory:", Access::Crawl).unwrap())
}

fn everywhere(_: &Url) -> Option<IpAddr> {
    Some([192, 0, 2, 9].into())
}

/// Pages of two sites, the first of which names a description on a third host.
fn three_hosts() -> Web {
    let urls: Vec<String> = (0..8).map(|n| format!("http://b.example/{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let web = Web::default()
        .page("http://a.example/", &describing("http://api.example/search.xml", &["http://a.example/1"]))
        .page("http://a.example/1", &describing("http://api.example/other.xml", &[]))
        .answer("http://api.example/search.xml", 200, &[], DESCRIPTION)
        .answer("http://api.example/other.xml", 200, &[], DESCRIPTION)
        .page("http://b.example/", &links(&urls));
    urls.iter().fold(web, |web, url| web.page(url, BOOK_FORM))
}

const SEEDS: [&str; 2] = ["http://a.example/", "http://b.example/"];

#[tokio::test]
async fn names_of_one_address_take_turns_with_further_requests() {
    let web = WatchedWeb::new(three_hosts(), PAUSE, everywhere);
    let ended = run(further(&web, &SEEDS, Scope::default())).await;
    assert!(web.web.requests().contains(&"http://api.example/other.xml".to_string()));
    assert_eq!(web.collisions(), [""; 0]);
    assert_eq!(ended.counters.requests, web.web.requests().len() as u64);
}

#[tokio::test]
async fn a_host_of_further_requests_keeps_its_crawl_delay_and_retry_after_for_the_crawl() {
    let web = Web::default()
        .answer("http://api.example/robots.txt", 200, &[], "User-agent: *\nCrawl-delay: 0.4")
        .page("http://a.example/", &describing("http://api.example/search.xml", &["http://api.example/1"]))
        .answer("http://api.example/search.xml", 503, &[("retry-after", "1")], "")
        .page("http://api.example/1", BOOK_FORM);
    let web = WatchedWeb::new(web, PAUSE, |_| None);
    run(further(&web, &SEEDS[..1], Scope::default())).await;
    let gap = |first, second| web.gap(first, second) + Duration::from_millis(1);
    let [robots, description] = ["http://api.example/robots.txt", "http://api.example/search.xml"];
    assert!(gap(robots, description) >= Duration::from_millis(400));
    assert!(gap(description, "http://api.example/1") >= Duration::from_secs(1));
    let again = web.web.requests().iter().filter(|url| *url == robots).count();
    assert_eq!(again, 1, "the crawl reads the robots.txt that the visit has fetched");
}

#[tokio::test]
async fn the_pause_of_a_further_request_holds_after_the_session() {
    let web =
        three_hosts().answer("http://api.example/robots.txt", 200, &[], "User-agent: *\nCrawl-delay: 50");
    let web = WatchedWeb::new(web, PAUSE, |_| None);
    let mut crawl = further(&web, &SEEDS[..1], Scope::default());
    crawl.budget = Budget { requests: Some(4), ..Budget::default() };
    let store: Arc<dyn Store> = Arc::clone(&crawl.store);
    let (before, ended) = (Clock::Real.now(), run(crawl).await);
    let resumed = store.resume(store.begin(&spec(&store, &ended)).unwrap(), usize::MAX).unwrap();
    let api = resumed.requested.iter().find(|known| known.host.0 == "http://api.example").expect("stored");
    assert!(before.until(api.next_at) >= Duration::from_secs(50), "{api:?}");
}

fn spec(store: &Arc<dyn Store>, ended: &CrawlSummary) -> hadal::store::RunSpec {
    store.runs(&hadal::store::RunQuery::one(ended.run)).unwrap().remove(0).spec
}

#[tokio::test]
async fn further_requests_never_exceed_the_budget() {
    for limit in 1..12 {
        let web = WatchedWeb::new(three_hosts(), Duration::ZERO, everywhere);
        let mut crawl = further(&web, &SEEDS, Scope::default());
        crawl.budget = Budget { requests: Some(limit), ..Budget::default() };
        let ended = run(crawl).await;
        let sent = web.web.requests().len() as u64;
        assert_eq!((sent, ended.counters.requests), (limit, limit), "{:?}", web.web.requests());
    }
}

#[tokio::test]
async fn the_bodies_of_further_requests_never_exceed_the_budget() {
    for limit in [400, 700, 1000] {
        let long = format!("{DESCRIPTION}{}", " ".repeat(700));
        let web = Web::default()
            .page("http://a.example/", &describing("http://api.example/search.xml", &[]))
            .answer("http://api.example/search.xml", 200, &[], &long);
        let web = WatchedWeb::new(web, Duration::ZERO, everywhere);
        let mut crawl = further(&web, &SEEDS[..1], Scope::default());
        crawl.budget = Budget { bytes: Some(limit), ..Budget::default() };
        crawl.body_limit = 300;
        let ended = run(crawl).await;
        assert!(ended.counters.bytes <= limit, "{} of {limit}", ended.counters.bytes);
        assert!(web.web.requests().contains(&"http://api.example/search.xml".to_string()));
    }
}

#[tokio::test]
async fn further_requests_go_to_no_excluded_or_blocked_host() {
    let scope = Scope::new(&[], &[], &["api.example".into()]).unwrap();
    let web = WatchedWeb::new(three_hosts(), PAUSE, |_| None);
    run(further(&web, &SEEDS, scope)).await;
    assert!(!web.web.requests().iter().any(|url| url.contains("api.example")), "{:?}", web.web.requests());
}

#[tokio::test]
async fn a_sitemap_on_another_host_takes_turns_with_the_crawl() {
    let map = |page: &str| format!("<urlset><url><loc>{page}</loc></url></urlset>");
    let rules =
        "User-agent: *\nSitemap: http://static.a.example/map.xml\nSitemap: http://static.a.example/more.xml";
    let web = Web::default()
        .answer("http://a.example/robots.txt", 200, &[], rules)
        .page("http://a.example/", &links(&["http://www.a.example/1", "http://www.a.example/2"]))
        .page("http://www.a.example/1", &links(&["http://www.a.example/3", "http://www.a.example/4"]))
        .page("http://a.example/mapped", BOOK_FORM)
        .answer("http://static.a.example/map.xml", 200, &[], &map("http://a.example/mapped"))
        .answer("http://static.a.example/more.xml", 200, &[], &map("http://a.example/mapped"));
    let web = WatchedWeb::new(web, PAUSE, everywhere);
    let scope = Scope::new(&["*://*a.example/*".into()], &[], &[]).unwrap();
    let crawl = further(&web, &["http://a.example/", "http://www.a.example/1"], scope);
    run(crawl).await;
    assert!(web.web.requests().contains(&"http://static.a.example/more.xml".to_string()));
    assert!(web.web.requests().contains(&"http://a.example/mapped".to_string()));
    assert_eq!(web.collisions(), [""; 0]);
}

#[tokio::test]
async fn names_of_one_address_take_turns_from_the_first_request_of_a_client() {
    let names = ["http://a.example/", "http://b.example/", "http://c.example/"];
    let web = WatchedWeb::new(
        names.iter().fold(Web::default(), |web, url| web.page(url, "books")),
        PAUSE,
        everywhere,
    );
    let options = ClientOptions::new(PAUSES, "hadal", 1 << 20);
    let client = PoliteClient::new(web.clone(), options, watch::channel(false).1);
    let get = |url: &str| {
        let (client, url) = (client.clone(), Url::parse(url).unwrap());
        async move { client.get_page(&url, &mut Clock::Real).await }
    };
    let pages = futures::future::join_all(names.map(get)).await;
    assert!(pages.iter().all(Result::is_ok), "{pages:?}");
    assert_eq!(web.collisions(), [""; 0]);
}

#[tokio::test]
async fn a_robots_txt_on_a_second_name_of_an_address_takes_its_turn() {
    let urls: Vec<String> = (0..6).map(|n| format!("http://b.example/{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let web = (0..4).fold(Web::default().page("http://b.example/", &links(&urls)), |web, n| {
        web.redirect(&format!("http://s{n}.example/robots.txt"), &format!("http://rules{n}.org/robots.txt"))
            .page(&format!("http://s{n}.example/"), "books")
    });
    // The rules are on names of the address that the links lead to.
    let address = |url: &Url| {
        let name = url.host_str()?;
        let last = name.strip_prefix('s').and_then(|rest| rest[..1].parse().ok());
        Some([192, 0, 2, last.unwrap_or(9)].into())
    };
    let web = WatchedWeb::new(urls.iter().fold(web, |web, url| web.page(url, "books")), PAUSE, address);
    let seeds: Vec<String> = (0..4).map(|n| format!("http://s{n}.example/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).chain(["http://b.example/"]).collect();
    run(further(&web, &seeds, Scope::default())).await;
    assert_eq!(web.web.requests().iter().filter(|url| url.starts_with("http://rules")).count(), 4);
    assert_eq!(web.collisions(), [""; 0]);
}
