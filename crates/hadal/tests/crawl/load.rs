//! Crawls under load: many requests in flight, slow hosts, many hosts, broken responses.

use crate::common::{BOOK_FORM, Web, counters, kind, links, run, setup, strategy};
use futures::future::BoxFuture;
use hadal::backlinks::OwnBacklinks;
use hadal::engine::{Crawl, CrawlSummary};
use hadal::fetch::Fetch;
use hadal::polite::{Clock, Politeness};
use hadal::store::{Access, RunState, Store, open};
use hadal_core::address::Host;
use hadal_core::critic::keywords::KeywordCritic;
use hadal_core::critic::{Critic, FormVerdict, PageVerdict};
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Request};
use hadal_core::link::{FrontierLink, QueueId};
use hadal_core::page::{Form, LinkTopic, Page};
use hadal_core::strategy::{
    PageVisit, Placement, QueueChoice, QueueHeads, SiteCounters, Strategy, StrategyCommand, serve_best,
};
use hadal_core::time::Time;
use hadal_core::topic::Topic;
use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use url::Url;

const SEED: &str = "http://a.example/";

const NO_PAUSES: Politeness =
    Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO };

/// A page of links to `count` hosts, each of which has one page.
fn many_hosts(count: usize) -> Web {
    let urls: Vec<String> = (0..count).map(|n| format!("http://h{n}.example/")).collect();
    let seed = links(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    urls.iter().fold(Web::default().page(SEED, &seed), |web, url| web.page(url, "books book"))
}

/// Notes the threads on which pages are judged.
struct ThreadNoting(KeywordCritic, Mutex<HashSet<ThreadId>>);

impl Critic for ThreadNoting {
    fn judge_page(&self, page: &Page) -> PageVerdict {
        self.1.lock().unwrap().insert(std::thread::current().id());
        self.0.judge_page(page)
    }

    fn judge_form(&self, form: &Form, page: &Page, verdict: &PageVerdict) -> FormVerdict {
        self.0.judge_form(form, page, verdict)
    }

    fn judge_links(&self, page: &Page) -> Vec<LinkTopic> {
        self.0.judge_links(page)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_parsed_on_as_many_threads_as_there_are_cores() {
    let critic = KeywordCritic::new(&Topic::from_words("book").unwrap());
    let critic = Arc::new(ThreadNoting(critic, Mutex::default()));
    let mut crawl = setup(Arc::new(many_hosts(300)), strategy("breadth-first"), &[SEED]);
    (crawl.critic, crawl.concurrency, crawl.clock) = (critic.clone(), 300, Clock::Real);
    crawl.politeness = NO_PAUSES;
    assert_eq!(run(crawl).await.counters.pages, 301);
    let cores = std::thread::available_parallelism().unwrap().get();
    let threads = critic.1.lock().unwrap().len();
    assert!(threads <= cores, "{threads} threads on {cores} cores");
}

/// Never responds. Notes that a request was sent.
#[derive(Default)]
struct Silent(Notify);

impl Fetch for Silent {
    fn fetch<'a>(&'a self, _request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
        self.0.notify_one();
        Box::pin(std::future::pending())
    }
}

/// Runs a crawl of hosts that never respond, and stops it when the first request was sent.
async fn stopped_in_flight(store: Arc<dyn Store>) -> CrawlSummary {
    let (silent, (stop, stopped)) = (Arc::new(Silent::default()), watch::channel(false));
    let mut crawl = setup(silent.clone(), strategy("breadth-first"), &[SEED]);
    (crawl.clock, crawl.stop, crawl.stop_grace) = (Clock::Real, stopped, Duration::ZERO);
    (crawl.store, crawl.politeness) = (store, NO_PAUSES);
    let stopping = async {
        silent.0.notified().await;
        stop.send_replace(true);
    };
    futures::future::join(run(crawl), stopping).await.0
}

#[tokio::test]
async fn a_stopped_crawl_does_not_wait_for_hosts_that_never_respond() {
    let store = open("memory:", Access::Crawl).unwrap();
    assert_eq!(stopped_in_flight(Arc::clone(&store)).await.state, RunState::Stopped);
    let mut again = setup(Arc::new(Web::default().page(SEED, BOOK_FORM)), strategy("breadth-first"), &[SEED]);
    (again.clock, again.store, again.politeness) = (Clock::Real, store, NO_PAUSES);
    let ended = run(again).await;
    assert_eq!((ended.counters.relevant, ended.counters.requests), (1, 3), "the request in flight counts");
}

#[tokio::test]
async fn a_page_whose_connection_broke_after_the_document_is_read() {
    /// Breaks every body before its announced end.
    struct Broken(Web);
    impl Fetch for Broken {
        fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
            Box::pin(async move {
                let mut exchange = self.0.fetch(request, at).await;
                if let Ok(response) = &mut exchange.result {
                    response.completeness = BodyCompleteness::Broken;
                }
                exchange
            })
        }
    }
    let web = Arc::new(Broken(Web::default().page(SEED, BOOK_FORM)));
    let ended = run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(web.0.visits(), [SEED]);
    assert_eq!((ended.counters.relevant, ended.counters.failed), (1, 0));
}

#[tokio::test]
async fn failures_of_robots_txt_are_counted() {
    let (refused, busy) = ("http://refused.example/", "http://busy.example/");
    let web = Web::default().error("http://refused.example/robots.txt", FetchError::Connect).answer(
        "http://busy.example/robots.txt",
        503,
        &[],
        "",
    );
    let ended = run(setup(Arc::new(web), strategy("breadth-first"), &[refused, busy])).await;
    assert!(ended.counters.errors[&kind("connect")] > 0, "{:?}", ended.counters.errors);
    assert!(ended.counters.errors[&kind("http_503")] > 0, "{:?}", ended.counters.errors);
}

#[tokio::test]
async fn a_host_with_a_bad_certificate_is_given_up_at_once() {
    let web = Web::default().error("https://a.example/robots.txt", FetchError::Tls);
    let web = Arc::new(web);
    let ended = run(setup(web.clone(), strategy("breadth-first"), &["https://a.example/"])).await;
    assert_eq!((web.requests().len(), ended.counters.failed, ended.resting), (1, 1, 0));
    assert!(ended.counters.errors.contains_key(&kind("tls")), "{:?}", ended.counters.errors);
}

/// Two names of one address, which responds only when no other request is in flight.
#[derive(Default)]
struct SharedAddress(Arc<AtomicUsize>, AtomicUsize);

impl Fetch for SharedAddress {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async move {
            let in_flight = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            self.1.fetch_max(in_flight, Ordering::SeqCst);
            tokio::task::yield_now().await;
            let web = Web::default().page(request.url.as_str(), "books");
            let exchange = web.fetch(request, at).await;
            self.0.fetch_sub(1, Ordering::SeqCst);
            Exchange { peer: Some([192, 0, 2, 9].into()), ..exchange }
        })
    }

    fn resolve<'a>(&'a self, _url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
        Box::pin(async { Some([192, 0, 2, 9].into()) })
    }
}

#[tokio::test]
async fn names_of_one_address_take_turns_from_the_first_request() {
    let seeds: Vec<String> = (0..10).map(|n| format!("http://n{n}.example/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let web = Arc::new(SharedAddress::default());
    let mut crawl = setup(web.clone(), strategy("breadth-first"), &seeds);
    (crawl.clock, crawl.politeness, crawl.concurrency) = (Clock::Real, NO_PAUSES, 10);
    assert_eq!(run(crawl).await.counters.pages, 10);
    assert_eq!(web.1.load(Ordering::SeqCst), 1);
}

/// Visits links in the order of a score that the strategy learns only later, and asks for backlinks.
struct LateLearner {
    visits: u32,
    command: StrategyCommand,
}

impl Strategy for LateLearner {
    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        let number: f32 = link.url.path().trim_matches('/').parse().unwrap_or(0.0);
        // Later pages are better, but only a model that has learned knows.
        let score = if self.visits > 1 { number } else { -number };
        Placement::Enqueue { queue: QueueId(0), score }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        serve_best(heads)
    }

    fn learn(&mut self, _visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        self.visits += 1;
        if self.visits == 2 { vec![self.command.clone()] } else { Vec::new() }
    }
}

/// Visits of a crawl of `count` links, spread over `hosts` hosts, by a strategy with a model that turns round early.
async fn visits_after_learning(count: usize, hosts: usize, command: StrategyCommand) -> Vec<usize> {
    let url = |n: usize| format!("http://h{}.example/{n}", n % hosts);
    let urls: Vec<String> = (1..=count).map(url).collect();
    let seed = links(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    let web = urls.iter().fold(Web::default().page(SEED, &seed), |web, url| web.page(url, "books"));
    let web = Arc::new(web);
    let mut crawl = setup(web.clone(), Box::new(LateLearner { visits: 0, command }), &[SEED]);
    crawl.politeness = NO_PAUSES;
    run(crawl).await;
    let number = |url: &String| Url::parse(url).unwrap().path().trim_matches('/').parse().ok();
    web.visits().iter().filter_map(number).collect()
}

#[tokio::test]
async fn every_link_of_a_large_frontier_is_visited_once_after_the_model_has_changed() {
    for command in [StrategyCommand::RescoreHeads, StrategyCommand::RescoreAll] {
        let mut visited = visits_after_learning(9_000, 3_000, command).await;
        assert_eq!(visited.len(), 9_000);
        visited.sort_unstable();
        visited.dedup();
        assert_eq!(visited.len(), 9_000);
    }
}

#[tokio::test]
async fn a_new_model_reaches_the_best_hosts_of_a_large_frontier_first() {
    let visited = visits_after_learning(9_000, 3_000, StrategyCommand::RescoreHeads).await;
    let early = &visited[20..500];
    let mean = early.iter().sum::<usize>() / early.len();
    assert!(mean > 1_000, "heads that were placed again come first: {mean}");
}

#[tokio::test]
async fn look_ups_in_the_own_store_cost_no_request() {
    struct Curious;
    impl Strategy for Curious {
        fn place(&self, _link: &FrontierLink, _site: &SiteCounters) -> Placement {
            Placement::Enqueue { queue: QueueId(0), score: 0.0 }
        }
        fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
            serve_best(heads)
        }
        fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
            vec![StrategyCommand::LookUpBacklinks(visit.link.url.clone())]
        }
    }
    let web = Arc::new(Web::default().page(SEED, BOOK_FORM));
    let mut crawl = setup(web.clone(), Box::new(Curious), &[SEED]);
    let store: Arc<dyn Store> = Arc::clone(&crawl.store);
    crawl.backlinks = Some(Arc::new(OwnBacklinks { store, source: "test".into() }));
    let ended = run(crawl).await;
    assert_eq!(ended.counters.requests, web.requests().len() as u64);
}

#[tokio::test]
async fn links_to_other_sites_are_kept_only_for_strategies_that_ask_for_backlinks() {
    let (shop, other) = ("http://shop.example/find", "http://other.example/");
    let web = || {
        let web = Web::default().page(SEED, &links(&[shop, other])).page(other, &links(&[shop]));
        Arc::new(web.page(shop, BOOK_FORM))
    };
    let mut crawl = setup(web(), strategy("breadth-first"), &[SEED]);
    let store: Arc<dyn Store> = Arc::clone(&crawl.store);
    crawl.backlinks = Some(Arc::new(OwnBacklinks { store: Arc::clone(&store), source: "test".into() }));
    run(crawl).await;
    let known = store.backlinks("test", &[Url::parse(shop).unwrap()], 10).unwrap().remove(0);
    assert_eq!(known.len(), 1, "only the page it was found on: {known:?}");
}

#[tokio::test]
async fn a_resumed_crawl_keeps_pauses_addresses_and_bonuses_of_its_hosts() {
    let web = || Arc::new(many_hosts(5));
    let store = open("memory:", Access::Crawl).unwrap();
    let mut crawl = setup(web(), strategy("hadal"), &[SEED]);
    (crawl.store, crawl.budget.requests) = (Arc::clone(&store), Some(4));
    let first = run(crawl).await;
    let checkpoint = store.resume(first.run, usize::MAX).unwrap();
    assert!(checkpoint.requested.iter().any(|host| host.host == Host("http://a.example".into())));
    assert!(!checkpoint.bonuses.is_empty());
    let mut crawl = setup(web(), strategy("hadal"), &[SEED]);
    crawl.store = Arc::clone(&store);
    let second = run(crawl).await;
    assert_eq!((second.counters.pages, counters(store.as_ref(), first.run).waiting), (6, 0));
}

/// A crawl of many hosts without pauses.
fn crawl_of_many(store: Arc<dyn Store>, hosts_in_memory: usize) -> (Arc<Web>, Crawl) {
    let web = Arc::new(many_hosts(900));
    let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    (crawl.store, crawl.politeness, crawl.hosts_in_memory) = (store, NO_PAUSES, hosts_in_memory);
    (web, crawl)
}

#[tokio::test]
async fn hosts_beyond_those_in_memory_are_visited_in_the_same_order() {
    let mut visits = Vec::new();
    for hosts_in_memory in [20, usize::MAX] {
        let (web, crawl) = crawl_of_many(open("memory:", Access::Crawl).unwrap(), hosts_in_memory);
        assert_eq!(run(crawl).await.counters.pages, 901);
        visits.push(web.visits());
    }
    assert_eq!(visits[0], visits[1]);
}

#[tokio::test]
async fn a_resumed_crawl_with_few_hosts_in_memory_visits_every_host_once() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["memory:".to_string(), format!("file:{}", folder.path().display())] {
        let store = open(&name, Access::Crawl).unwrap();
        let mut visits = Vec::new();
        for requests in [300, 1_000, 10_000] {
            let (web, mut crawl) = crawl_of_many(Arc::clone(&store), 20);
            crawl.budget.requests = Some(requests);
            let ended = run(crawl).await;
            assert_eq!(ended.counters.pages < 901, requests < 10_000, "{:?}", ended.counters);
            visits.extend(web.visits());
        }
        let distinct: HashSet<&String> = visits.iter().collect();
        assert_eq!((visits.len(), distinct.len()), (901, 901), "{name}");
    }
}

/// One page under endless host names at one address. Each copy links to ten further names.
struct EndlessMirror;

impl Fetch for EndlessMirror {
    fn fetch<'a>(&'a self, request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
        let name = request.url.host_str().unwrap_or_default();
        let number: u64 =
            name.trim_start_matches('m').split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        let further: Vec<String> =
            (1..=10).map(|n| format!("http://m{}.example/", number * 10 + n)).collect();
        let further: Vec<&str> = further.iter().map(String::as_str).collect();
        let html = format!("{}{BOOK_FORM}", links(&further));
        let web = Web::default().page(request.url.as_str(), &html);
        Box::pin(async move {
            let peer = Some([192, 0, 2, 7].into());
            match request.url.path() {
                "/robots.txt" => Exchange { peer, ..Web::default().fetch(request, Time(0)).await },
                _ => Exchange { peer, ..web.fetch(request, Time(0)).await },
            }
        })
    }
}

#[tokio::test]
async fn one_page_under_endless_names_is_left_soon() {
    let mut crawl = setup(Arc::new(EndlessMirror), strategy("breadth-first"), &["http://m0.example/"]);
    crawl.detects_repetition = true;
    crawl.budget.requests = Some(1_000);
    crawl.politeness = NO_PAUSES;
    let ended = run(crawl).await;
    assert!(ended.counters.requests < 200 && ended.counters.relevant < 10, "{:?}", ended.counters);
}

#[tokio::test]
async fn an_endless_calendar_is_left_and_the_form_beside_it_is_found() {
    /// Every page of the calendar links to the next day; page 5 also links to a search.
    struct Calendar;
    impl Fetch for Calendar {
        fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
            let day: u64 = request.url.query_pairs().find_map(|(_, day)| day.parse().ok()).unwrap_or(0);
            let next = format!("/calendar?day={}", day + 1);
            let html = match request.url.path() {
                "/find" => BOOK_FORM.to_string(),
                _ if day == 5 => links(&[&next, "/find"]),
                _ => format!("{}<p>day {day}</p>", links(&[&next])),
            };
            let web = Web::default().page(request.url.as_str(), &html);
            Box::pin(async move { web.fetch(request, at).await })
        }
    }
    let mut crawl = setup(Arc::new(Calendar), strategy("breadth-first"), &[SEED]);
    crawl.detects_repetition = true;
    crawl.budget.requests = Some(2_000);
    crawl.politeness = NO_PAUSES;
    let ended = run(crawl).await;
    assert!(ended.counters.requests < 50 && ended.counters.relevant == 1, "{:?}", ended.counters);
}

#[tokio::test]
async fn names_that_are_not_resolved_do_not_stop_hosts_with_a_known_address() {
    /// Names of `stuck` hosts are never resolved.
    struct Stuck(Web);
    impl Fetch for Stuck {
        fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
            self.0.fetch(request, at)
        }
        fn resolve<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
            match url.host_str().is_some_and(|host| host.starts_with("stuck")) {
                true => Box::pin(std::future::pending()),
                false => Box::pin(std::future::ready(Some([192, 0, 2, 1].into()))),
            }
        }
    }
    let own = (0..20).map(|n| format!("/{n}"));
    let targets: Vec<String> = (0..80).map(|n| format!("http://stuck{n}.example/")).chain(own).collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let mut crawl = setup(
        Arc::new(Stuck(Web::default().page(SEED, &links(&targets)))),
        strategy("breadth-first"),
        &[SEED],
    );
    (crawl.clock, crawl.politeness, crawl.budget.requests) = (Clock::Real, NO_PAUSES, Some(10));
    let ended = tokio::time::timeout(Duration::from_secs(60), run(crawl)).await.expect("the crawl goes on");
    assert_eq!((ended.state, ended.counters.requests), (RunState::Budget, 10));
}
