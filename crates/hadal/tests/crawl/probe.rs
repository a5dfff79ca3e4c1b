//! Probes of forms: which forms are probed, their cost, and the audit log.

use crate::common::{counters, forms, kind, run, setup, site_counters, strategy};
use futures::future::BoxFuture;
use hadal::engine::{Budget, Crawl, CrawlEvent, CrawlMode, Probing};
use hadal::fetch::Fetch;
use hadal::fetch::in_process::InProcess;
use hadal::store::*;
use hadal_core::critic::probe::{MAX_REQUESTS, ProbeResult};
use hadal_core::critic::veto::veto;
use hadal_core::critic::{Critic, FormKind, FormVerdict, PageVerdict};
use hadal_core::http::{Exchange, Headers, Request, Response};
use hadal_core::page::{Form, Page};
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SEED: &str = "http://shop.example/";
const PAGES: usize = 40;

/// A shop with a home page that links to numbered pages. Pages with a number below `forms` have a form of their own.
/// Each form finds records for any word except nonsense words.
#[derive(Default)]
struct Shop {
    forms: usize,
    field: &'static str,
    robots: &'static str,
    busy: Mutex<usize>,
    asked: Mutex<Vec<String>>,
}

impl Shop {
    fn with(forms: usize) -> Shop {
        Shop { forms, field: "<input name=q>", ..Shop::default() }
    }

    fn submitted(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().filter(|url| url.contains("/find")).cloned().collect()
    }

    fn page(&self, path: &str, query: &str) -> (u16, String) {
        let number = path.trim_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().unwrap_or(usize::MAX);
        let links: String = (0..PAGES).map(|n| format!("<a href=/page{n}>book {n}</a> ")).collect();
        match path {
            "/robots.txt" => (200, self.robots.to_string()),
            "/" => (200, links),
            _ if path.starts_with("/find") && query.contains("book") => {
                let hits: String =
                    (0..10).map(|n| format!("<li><a href=/hit{n}>A book on {n}</a></li>")).collect();
                (200, format!("<title>Results</title><h1>10 results for book</h1><ul>{hits}</ul>"))
            }
            _ if path.starts_with("/find") => {
                (200, "<title>Results</title><p>No results were found.</p>".into())
            }
            _ if number < self.forms => {
                (200, format!("<form action=/find{number}>{}<input type=submit value=Go></form>", self.field))
            }
            _ => (200, "books".into()),
        }
    }
}

impl Fetch for Shop {
    fn fetch<'a>(&'a self, request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
        let url = &request.url;
        self.asked.lock().unwrap().push(url.to_string());
        let mut busy = self.busy.lock().unwrap();
        let (mut headers, (mut status, body)) =
            (Headers::default(), self.page(url.path(), url.query().unwrap_or_default()));
        headers.push("content-type", "text/html");
        if url.path().starts_with("/find") && *busy > 0 {
            *busy -= 1;
            status = 429;
            headers.push("retry-after", "5");
        }
        let response = Response { status, headers, body: body.into_bytes(), ..Response::default() };
        let exchange = Exchange { result: Ok(response), took: Duration::from_millis(20), peer: None };
        Box::pin(async { exchange })
    }
}

/// Critic that gives every form the same probability, and P(on topic if searchable) 0.9.
struct Undecided(f32);

/// Critic for which every form is uncertain and off topic.
struct OffTopic;

impl Critic for OffTopic {
    fn judge_page(&self, _: &Page) -> PageVerdict {
        PageVerdict::default()
    }

    fn judge_form(&self, form: &Form, page: &Page, verdict: &PageVerdict) -> FormVerdict {
        FormVerdict { p_relevant: 0.1, ..Undecided(0.5).judge_form(form, page, verdict) }
    }
}

impl Critic for Undecided {
    fn judge_page(&self, _: &Page) -> PageVerdict {
        PageVerdict { p_topic: 1.0, ..PageVerdict::default() }
    }

    fn judge_form(&self, _: &Form, _: &Page, _: &PageVerdict) -> FormVerdict {
        let (kind, evidence) = (FormKind::Other, vec!["a shrug".to_string()]);
        FormVerdict { kind, p_searchable: self.0, p_relevant: self.0 * 0.9, evidence }
    }
}

fn probing(share: f64) -> Probing {
    Probing { share, ..Probing::default() }
}

fn crawl_of(shop: &Arc<Shop>, share: f64) -> Crawl {
    let mut crawl = setup(Arc::clone(shop) as Arc<dyn Fetch>, strategy("breadth-first"), &[SEED]);
    crawl.critic = Arc::new(Undecided(0.5));
    crawl.probing = probing(share);
    crawl
}

fn log(store: &dyn Store) -> Vec<Submission> {
    all_submissions(store, SubmissionQuery::default()).map(Result::unwrap).collect()
}

#[tokio::test]
async fn an_uncertain_form_is_asked_charged_and_written_down() {
    let shop = Arc::new(Shop::with(1));
    let crawl = crawl_of(&shop, 1.0);
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    let (sent, log) = (shop.submitted(), log(store.as_ref()));
    assert!((1..=MAX_REQUESTS).contains(&sent.len()), "{sent:?}");
    assert_eq!(log.iter().map(|entry| entry.url.to_string()).collect::<Vec<_>>(), sent);
    assert!(log.iter().all(|entry| entry.answer == Some(SubmissionResult::Status(200))));
    assert!(
        log.iter().all(|entry| entry.purpose == SubmissionPurpose::Probe && entry.page.path() == "/page0")
    );
    assert_eq!(summary.counters.probes, sent.len() as u64);
    assert_eq!(summary.counters.requests, shop.asked.lock().unwrap().len() as u64);
}

#[tokio::test]
async fn the_result_of_a_probe_sets_the_verdict() {
    let shop = Arc::new(Shop::with(1));
    let crawl = crawl_of(&shop, 1.0);
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    let form = &forms(store.as_ref())[0];
    assert_eq!(form.finding, Some(ProbeResult::Searchable), "{form:?}");
    assert!(form.p_searchable >= 0.97 && (form.p_relevant / form.p_searchable - 0.9).abs() < 1e-5);
    assert_eq!(form.evidence[0], "a shrug");
    assert!(form.evidence[1].starts_with("probe: results for 'book'"), "{:?}", form.evidence);
    assert_eq!((summary.counters.searchable, summary.counters.relevant), (1, 1));
    let site = site_counters(store.as_ref(), summary.run, &form.site);
    assert_eq!((site.searchable, site.relevant, site.probes), (1, 1, 1));
}

#[tokio::test]
async fn nothing_is_asked_that_is_certain_or_when_nothing_is_to_be() {
    for (p, probing) in
        [(0.5, Probing::never()), (0.1, probing(1.0)), (0.95, probing(1.0)), (0.5, probing(0.0))]
    {
        let shop = Arc::new(Shop::with(5));
        let mut crawl = crawl_of(&shop, 1.0);
        (crawl.critic, crawl.probing) = (Arc::new(Undecided(p)), probing);
        let summary = run(crawl).await;
        assert_eq!((shop.submitted().len(), summary.counters.probes, summary.resting), (0, 0, 0));
    }
}

#[tokio::test]
async fn a_form_that_cannot_be_relevant_is_not_probed() {
    let shop = Arc::new(Shop::with(5));
    let mut crawl = crawl_of(&shop, 1.0);
    crawl.critic = Arc::new(OffTopic);
    assert_eq!((run(crawl).await.counters.probes, shop.submitted().len()), (0, 0));
}

#[tokio::test]
async fn a_form_that_asks_for_a_password_is_never_submitted() {
    let shop = Arc::new(Shop { field: "<input name=q><input type=password name=p>", ..Shop::with(5) });
    run(crawl_of(&shop, 1.0)).await;
    assert_eq!(shop.submitted(), [] as [String; 0]);
}

#[tokio::test]
async fn robots_txt_is_obeyed_by_probes_too() {
    let shop = Arc::new(Shop { robots: "User-agent: *\nDisallow: /find", ..Shop::with(5) });
    let summary = run(crawl_of(&shop, 1.0)).await;
    assert_eq!((shop.submitted().len(), summary.counters.probes), (0, 0));
}

#[tokio::test]
async fn the_share_of_requests_and_the_cap_of_a_site_hold() {
    for (share, per_site) in [(0.05, 50), (0.1, 50), (1.0, 3)] {
        let shop = Arc::new(Shop::with(30));
        let mut crawl = crawl_of(&shop, share);
        crawl.probing.per_site = per_site;
        let store = Arc::clone(&crawl.store);
        let counters = run(crawl).await.counters;
        assert!(
            counters.probes > 0 && counters.probes as f64 <= share * counters.requests as f64,
            "{counters:?}"
        );
        let asked: std::collections::BTreeSet<_> =
            log(store.as_ref()).iter().map(|entry| entry.form).collect();
        assert!(asked.len() <= per_site as usize, "{asked:?}");
    }
}

#[tokio::test]
async fn a_probe_is_repeated_after_retry_after() {
    let shop = Arc::new(Shop { busy: Mutex::new(1), ..Shop::with(1) });
    let crawl = crawl_of(&shop, 1.0);
    let store = Arc::clone(&crawl.store);
    let counters = run(crawl).await.counters;
    let log = log(store.as_ref());
    assert_eq!(log[0].answer, Some(SubmissionResult::Status(429)));
    assert_eq!(log[0].url, log[1].url);
    assert!(log[1].at.0 >= log[0].at.0 + 5000);
    assert_eq!((counters.errors[&kind("http_429")], counters.failed), (1, 0));
}

#[tokio::test]
async fn questions_outlive_the_closing_of_their_site() {
    let shop = Arc::new(Shop::with(6));
    let mut crawl = crawl_of(&shop, 1.0);
    crawl.scope.max_pages_per_site = Some(9);
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    assert!(site_counters(store.as_ref(), summary.run, &forms(store.as_ref())[0].site).closed);
    assert_eq!(forms(store.as_ref()).iter().filter(|form| form.finding.is_some()).count(), 5);
}

#[tokio::test]
async fn a_sample_is_asked_once_and_leaves_the_crawl_where_it_was() {
    let shop = Arc::new(Shop::with(20));
    let mut crawl = crawl_of(&shop, 0.0);
    crawl.critic = Arc::new(Undecided(0.95));
    crawl.budget = Budget { requests: Some(30), ..Budget::default() };
    let store = Arc::clone(&crawl.store);
    let found = run(crawl).await;
    let visited = shop.asked.lock().unwrap().len();
    let quality = |sample| {
        let mut crawl = crawl_of(&shop, 0.0);
        crawl.store = Arc::clone(&store);
        crawl.mode = CrawlMode::Quality { sample, seed: 3 };
        crawl
    };
    run(quality(5)).await;
    let first = log(store.as_ref());
    assert_eq!(shop.asked.lock().unwrap().len(), visited + first.len(), "no link is followed");
    assert!(first.iter().all(|entry| entry.purpose == SubmissionPurpose::Quality));
    run(quality(5)).await;
    assert_eq!(log(store.as_ref()), first, "no form is probed twice");
    let row = store.runs(&RunQuery::default()).unwrap().remove(0);
    let found_now = hadal::report::quality::quality(store.as_ref(), &row, 5, 3).unwrap();
    assert_eq!((found_now.sampled, found_now.unanswered, found_now.refused), (5, 0, 0), "{found_now:?}");
    assert_eq!(row.progress.state, found.state);
}

fn over(world: &Arc<World>, concurrency: usize) -> Crawl {
    let seeds: Vec<String> = world.seeds("book").iter().map(|url| url.to_string()).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let mut crawl = setup(Arc::new(InProcess(Arc::clone(world))), strategy("best-first-sc"), &seeds);
    crawl.concurrency = concurrency;
    crawl.budget = Budget { requests: Some(500), ..Budget::default() };
    crawl.probing = Probing { share: 0.2, from: 0.0, to: 1.0, per_site: 20, ..Probing::default() };
    crawl
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_simulated_web_no_vetoed_form_is_submitted_and_the_share_holds() {
    let world = Arc::new(World::new(Spec::demo(5)));
    let crawl = over(&world, 8);
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    let log = log(store.as_ref());
    assert!(log.len() > 20, "{}", log.len());
    assert_eq!(log.len() as u64, summary.counters.probes);
    assert!(summary.counters.probes as f64 <= 0.2 * summary.counters.requests as f64);
    for entry in &log {
        let form = form_snapshots(store.as_ref(), summary.run, &[entry.form]).unwrap().remove(0).unwrap();
        assert_eq!(veto(&form), None, "{}", entry.url);
    }
    let settled = forms(store.as_ref());
    assert_eq!(
        summary.counters.searchable,
        settled.iter().filter(|form| form.p_searchable >= 0.5).count() as u64
    );
    assert_eq!(
        summary.counters.relevant,
        settled.iter().filter(|form| form.p_relevant >= 0.5).count() as u64
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn in_simulated_time_one_thread_and_eight_ask_the_same() {
    let world = Arc::new(World::new(Spec::demo(5)));
    let mut results = Vec::new();
    for concurrency in [1, 8] {
        let crawl = over(&world, concurrency);
        let store = Arc::clone(&crawl.store);
        let summary = run(crawl).await;
        results.push((summary.counters, forms(store.as_ref()), log(store.as_ref())));
    }
    assert!(results[0] == results[1]);
}

/// Drops a crawl after this number of form and probe events, as a kill would do. Returns true if the crawl
/// ended before.
async fn cut_short(crawl: Crawl, events: usize) -> bool {
    let (cut, mut stop) = tokio::sync::mpsc::unbounded_channel();
    let mut told = 0;
    let mut tell = |event| {
        told += usize::from(matches!(event, CrawlEvent::Form(_) | CrawlEvent::Probed(_)));
        if told == events {
            cut.send(()).unwrap();
        }
    };
    tokio::select! {
        biased;
        _ = stop.recv() => false,
        _ = hadal::engine::crawl(crawl, &mut tell) => true,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_again_and_again_in_simulated_time_a_crawl_asks_the_same() {
    let world = Arc::new(World::new(Spec::demo(5)));
    let folder = tempfile::tempdir().unwrap();
    let into = |name: &str| {
        let url = format!("file:{}", folder.path().join(name).display());
        let mut crawl = over(&world, 8);
        crawl.store = open(&url, Access::Crawl).unwrap();
        crawl.checkpoint_every = Duration::from_millis(3);
        crawl
    };
    let calm = into("calm");
    let calm_store = Arc::clone(&calm.store);
    run(calm).await;
    let mut kills = 0;
    for events in (1..40).cycle() {
        if cut_short(into("rough"), events).await {
            break;
        }
        kills += 1;
    }
    assert!(kills > 5, "{kills}");
    let rough = into("rough").store;
    assert_eq!(log(rough.as_ref()), log(calm_store.as_ref()));
    assert_eq!(forms(rough.as_ref()), forms(calm_store.as_ref()));
    assert_eq!(counters(rough.as_ref(), RunId(1)), counters(calm_store.as_ref(), RunId(1)));
}
