//! Several workers on one crawl, in PostgreSQL.

use crate::common::watched::WatchedWeb;
use crate::common::{BOOK_FORM, Web, counters, forms, links, run, setup, strategy};
use crate::further::{PAUSE, describing, looking_further};
use hadal::engine::{Budget, Crawl, CrawlError, CrawlSummary, Scope, crawl};
use hadal::fetch::Fetch;
use hadal::polite::{Clock, Politeness};
use hadal::store::{Access, RunState, Store, open};
use hadal_core::link::FrontierLink;
use hadal_core::strategy::{
    PageVisit, Placement, QueueChoice, QueueHeads, RestoreError, SiteCounters, Strategy, StrategyCommand,
};
use hadal_store_contract::cluster;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

const SITES: usize = 60;

const SHORT_PAUSES: Politeness =
    Politeness { delay: Duration::from_millis(1), latency_factor: 0.0, max_delay: Duration::from_millis(1) };

/// Sites that link to each other, each with a search form on its third page.
fn web() -> Web {
    (0..SITES).fold(Web::default(), |web, n| {
        let url = |site: usize, page: usize| format!("http://site{}.example/{page}", site % SITES);
        let own: Vec<String> = (1..4).map(|page| url(n, page)).collect();
        let others = [url(2 * n + 1, 0), url(2 * n + 2, 0), url(n + 1, 1), url(n + 7, 2)];
        let all: Vec<&str> = own.iter().chain(&others).map(String::as_str).collect();
        let web = web.page(&url(n, 0), &links(&all)).page(&url(n, 1), &links(&all[1..]));
        web.page(&url(n, 2), &links(&all[3..])).page(&url(n, 3), BOOK_FORM)
    })
}

/// The sites, watched. Their addresses are unknown.
fn watched() -> Arc<WatchedWeb> {
    WatchedWeb::new(web(), SHORT_PAUSES.delay, |_| None)
}

/// The sites at so many addresses.
fn watched_at(addresses: u8, pause: Duration) -> Arc<WatchedWeb> {
    let number =
        |name: &str| name.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    WatchedWeb::new(web(), pause, move |url| {
        Some([192, 0, 2, (number(url.host_str()?) % u32::from(addresses)) as u8].into())
    })
}

fn worker(web: &Arc<WatchedWeb>, url: &str, name: &str) -> Crawl {
    let mut crawl = setup(Arc::clone(web) as Arc<dyn Fetch>, strategy(name), &["http://site0.example/0"]);
    crawl.store = open(url, Access::Crawl).unwrap();
    crawl.spec.strategy = name.into();
    (crawl.clock, crawl.politeness) = (Clock::Real, SHORT_PAUSES);
    (crawl.checkpoint_every, crawl.detects_repetition) = (Duration::from_millis(20), false);
    crawl
}

/// Runs a worker to its end on a thread of its own, as a process would.
fn run_apart(worker: Crawl) -> CrawlSummary {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run(worker))
}

/// Runs several workers at the same time.
fn run_together(workers: Vec<Crawl>) -> Vec<CrawlSummary> {
    let threads: Vec<_> =
        workers.into_iter().map(|worker| std::thread::spawn(|| run_apart(worker))).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

fn form_ids(store: &dyn Store) -> HashSet<String> {
    forms(store).iter().map(|form| form.form_id.to_string()).collect()
}

#[test]
fn three_workers_find_what_one_finds_and_visit_every_page_once() {
    for name in ["breadth-first", "hadal"] {
        let Some(url) = cluster::new_store() else { return };
        let web = watched();
        let summaries = run_together((0..3).map(|_| worker(&web, &url, name)).collect());
        assert!(summaries.iter().all(|summary| summary.state == RunState::Exhausted), "{summaries:?}");
        let store = open(&url, Access::Read).unwrap();
        assert_eq!(forms(store.as_ref()).len(), SITES, "{name}");
        let visits = web.web.visits();
        let distinct: HashSet<&String> = visits.iter().collect();
        assert_eq!((visits.len(), distinct.len()), (4 * SITES, 4 * SITES), "{name}");
        let tally = counters(store.as_ref(), summaries[0].run);
        assert_eq!((tally.pages, tally.waiting), (4 * SITES as u64, 0));
        assert_eq!(tally.requests as usize, web.web.requests().len());
        assert_eq!((tally.forms, tally.sites), (SITES as u64, SITES as u64));
        assert_eq!(web.collisions(), [""; 0], "two requests at once to one group");
        let cluster = cluster::cluster().unwrap();
        let left =
            "SELECT (SELECT count(*) FROM inbox) + (SELECT count(*) FROM in_flight) + count(*) FROM workers";
        assert_eq!(cluster.sql(&url, left), "0");
    }
}

#[test]
fn sites_of_several_workers_at_one_address_take_turns_and_keep_its_pause() {
    let Some(url) = cluster::new_store() else { return };
    let pause = Duration::from_millis(20);
    let web = watched_at(5, pause);
    let polite = |_| {
        let mut crawl = worker(&web, &url, "breadth-first");
        crawl.politeness = Politeness { delay: pause, max_delay: pause, ..SHORT_PAUSES };
        crawl
    };
    let summaries = run_together((0..3).map(polite).collect());
    assert!(summaries.iter().all(|summary| summary.state == RunState::Exhausted), "{summaries:?}");
    assert_eq!(web.collisions(), [""; 0], "an address was not left alone");
    let store = open(&url, Access::Read).unwrap();
    assert_eq!(forms(store.as_ref()).len(), SITES);
    assert_eq!(web.web.visits().len(), 4 * SITES);
}

#[test]
fn further_requests_of_several_workers_take_turns_at_an_address() {
    let Some(url) = cluster::new_store() else { return };
    let seeds: Vec<String> = (0..8).map(|n| format!("http://site{n}.example/")).collect();
    let sites = seeds.iter().enumerate().fold(Web::default(), |web, (n, seed)| {
        let description = format!("http://api{n}.example/search.xml");
        web.page(seed, &describing(&description, &[])).answer(&description, 200, &[], "")
    });
    let web = WatchedWeb::new(sites, PAUSE, |_| Some([192, 0, 2, 1].into()));
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let worker = |_| looking_further(&web, &seeds, Scope::default(), open(&url, Access::Crawl).unwrap());
    run_together((0..3).map(worker).collect());
    let described = web.web.visits().iter().filter(|url| url.ends_with(".xml")).count();
    assert_eq!((described, web.collisions()), (8, Vec::new()));
}

#[test]
fn workers_together_spend_the_budget_and_no_more() {
    let Some(url) = cluster::new_store() else { return };
    let web = watched();
    let limited = |_| {
        let mut crawl = worker(&web, &url, "breadth-first");
        crawl.budget = Budget { requests: Some(100), ..Budget::default() };
        crawl
    };
    let summaries = run_together((0..3).map(limited).collect());
    assert!(summaries.iter().all(|summary| summary.state == RunState::Budget), "{summaries:?}");
    let store = open(&url, Access::Read).unwrap();
    assert_eq!(counters(store.as_ref(), summaries[0].run).requests, 100);
    assert_eq!(web.web.requests().len(), 100);
    // A higher budget continues the run, and its forms are those of an undisturbed crawl.
    let ended = run_apart(worker(&web, &url, "breadth-first"));
    assert_eq!((ended.state, forms(store.as_ref()).len()), (RunState::Exhausted, SITES));
}

#[test]
fn workers_whose_visits_look_further_keep_to_the_budget() {
    let Some(url) = cluster::new_store() else { return };
    let seeds: Vec<String> = (0..20).map(|n| format!("http://site{n}.example/")).collect();
    let sites = seeds.iter().enumerate().fold(Web::default(), |web, (n, seed)| {
        let description = format!("http://api{n}.example/search.xml");
        web.page(seed, &describing(&description, &[])).answer(&description, 200, &[], "")
    });
    let web = WatchedWeb::new(sites, PAUSE, |_| None);
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let worker = |_| {
        let store = open(&url, Access::Crawl).unwrap();
        let mut crawl = looking_further(&web, &seeds, Scope::default(), store);
        crawl.budget = Budget { requests: Some(40), ..Budget::default() };
        crawl
    };
    let summaries = run_together((0..3).map(worker).collect());
    let store = open(&url, Access::Read).unwrap();
    let counted = counters(store.as_ref(), summaries[0].run).requests;
    assert_eq!((counted, web.web.requests().len()), (40, 40), "{summaries:?}");
}

#[tokio::test]
async fn a_strategy_that_has_to_see_all_pages_runs_with_one_worker() {
    let Some(url) = cluster::new_store() else { return };
    let web = watched();
    let first = worker(&web, &url, "ffc");
    first.store.begin(&first.spec).unwrap();
    let refused = crawl(worker(&web, &url, "ffc"), &mut |_| {}).await.expect_err("there is a worker");
    assert!(matches!(refused, CrawlError::OneWorker { .. }), "{refused}");
    assert!(refused.to_string().contains("'ffc'"), "{refused}");
}

#[test]
fn a_stopped_crawl_of_several_workers_continues_with_one() {
    let Some(url) = cluster::new_store() else { return };
    let web = watched();
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let workers: Vec<Crawl> = (0..2)
        .map(|_| {
            let mut crawl = worker(&web, &url, "hadal");
            crawl.stop = stopped.clone();
            crawl
        })
        .collect();
    let summaries = std::thread::scope(|scope| {
        let running = scope.spawn(|| run_together(workers));
        while web.web.requests().len() < 100 {
            std::thread::yield_now();
        }
        stop.send_replace(true);
        running.join().unwrap()
    });
    assert!(summaries.iter().all(|summary| summary.state == RunState::Stopped), "{summaries:?}");
    let ended = run_apart(worker(&web, &url, "hadal"));
    assert_eq!(ended.state, RunState::Exhausted);
    let store = open(&url, Access::Read).unwrap();
    assert_eq!(form_ids(store.as_ref()).len(), SITES);
    assert_eq!(web.web.visits().len(), 4 * SITES, "nothing is repeated");
}

#[test]
fn the_part_of_a_killed_worker_is_crawled_by_another() {
    let Some(url) = cluster::new_store() else { return };
    let web = watched();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let killed = worker(&web, &url, "hadal");
    runtime.block_on(async {
        let enough = async {
            while web.web.requests().len() < 60 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            _ = run(killed) => panic!("the crawl is over too early"),
            () = enough => {}
        }
    });
    drop(runtime);
    // Time passes on the clock of the server.
    let cluster = cluster::cluster().unwrap();
    cluster.sql(&url, "UPDATE workers SET expires_at = now() - interval '1 second'");
    let ended = run_apart(worker(&web, &url, "hadal"));
    assert_eq!(ended.state, RunState::Exhausted);
    let store = open(&url, Access::Read).unwrap();
    assert_eq!(forms(store.as_ref()).len(), SITES);
    let pages = "SELECT count(*), count(DISTINCT link) FROM pages";
    assert_eq!(cluster.sql(&url, pages), format!("{0}|{0}", 4 * SITES), "no page is lost or stored twice");
}

/// Strategy that counts the visits it learned from, in all workers. It calls `on_share` before it reports for the first
/// time in a session.
struct CountingStrategy {
    order: Box<dyn Strategy>,
    learned: u64,
    unsent: u64,
    on_share: Box<dyn FnMut() + Send>,
}

impl Strategy for CountingStrategy {
    fn place(&self, link: &FrontierLink, site: &SiteCounters) -> Placement {
        self.order.place(link, site)
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        self.order.choose(heads)
    }

    fn learn(&mut self, _visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        (self.learned, self.unsent) = (self.learned + 1, self.unsent + 1);
        Vec::new()
    }

    fn share(&mut self) -> bool {
        (self.on_share)();
        true
    }

    fn take_observations(&mut self) -> Vec<u8> {
        match std::mem::take(&mut self.unsent) {
            0 => Vec::new(),
            visits => visits.to_le_bytes().to_vec(),
        }
    }

    fn learn_observations(&mut self, visits: &[u8]) -> Result<Vec<StrategyCommand>, RestoreError> {
        self.learned += u64::from_le_bytes(visits.try_into().unwrap());
        Ok(Vec::new())
    }

    fn save(&self) -> Vec<u8> {
        self.learned.to_le_bytes().to_vec()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        (self.learned, self.unsent) = (u64::from_le_bytes(saved.try_into().unwrap()), 0);
        Ok(())
    }
}

/// Takes all leases from the workers of a store, as another worker does when they have expired.
const EVICT: &str = "UPDATE partitions SET worker = NULL, is_abandoned = true; DELETE FROM workers";

#[test]
fn a_worker_that_loses_its_lease_again_while_it_rejoins_learns_from_every_visit_once() {
    let Some(url) = cluster::new_store() else { return };
    let web = watched();
    let (evicting_url, mut sessions) = (url.clone(), 0);
    // Joining calls `share` twice per session: before the worker joins, and before its first report.
    let on_share = move || {
        sessions += 1;
        if matches!(sessions, 4 | 6) {
            cluster::cluster().unwrap().sql(&evicting_url, EVICT);
        }
    };
    let strategy = CountingStrategy {
        order: strategy("breadth-first"),
        learned: 0,
        unsent: 0,
        on_share: Box::new(on_share),
    };
    let mut crawl = worker(&web, &url, "breadth-first");
    crawl.strategy = Box::new(strategy);
    let summary = std::thread::scope(|scope| {
        let running = scope.spawn(|| run_apart(crawl));
        while web.web.requests().len() < 100 {
            std::thread::yield_now();
        }
        cluster::cluster().unwrap().sql(&url, EVICT);
        running.join().unwrap()
    });
    assert_eq!(summary.state, RunState::Exhausted);
    let cluster = cluster::cluster().unwrap();
    let pages: u64 = cluster.sql(&url, "SELECT count(DISTINCT link) FROM pages").parse().unwrap();
    assert_eq!(pages, 4 * SITES as u64);
    let saved = cluster.sql(&url, "SELECT get_byte(saved, 0) + 256 * get_byte(saved, 1) FROM strategies");
    let learned: u64 = saved.parse().unwrap();
    // Visits that were committed and not reported yet are lost for the strategy.
    assert!((pages / 2..=pages).contains(&learned), "{learned} of {pages} visits");
}
