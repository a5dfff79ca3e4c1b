//! Visits of a page: requests, their order and their cost.

use crate::common::{BOOK_FORM, Web, forms, kind, links, pages, run, setup, strategy};
use futures::future::BoxFuture;
use hadal::engine::{Budget, Scope};
use hadal::fetch::Fetch;
use hadal::store::{Access, LookUp, RunState, open};
use hadal_core::address::Host;
use hadal_core::http::{Exchange, FetchError, Request, Response};
use hadal_core::time::Time;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

const SEED: &str = "http://a.example/";

/// A seed page with links to pages that have no links.
fn star(targets: &[&str]) -> Web {
    let seed = Url::parse(SEED).unwrap();
    let pages = targets.iter().map(|target| seed.join(target).unwrap());
    pages.fold(Web::default().page(SEED, &links(targets)), |web, url| web.page(url.as_str(), "books book"))
}

#[tokio::test]
async fn a_form_two_clicks_away_is_found_once() {
    let web = Web::default()
        .page(SEED, &links(&["/b", "/c"]))
        .page("http://a.example/b", BOOK_FORM)
        .page("http://a.example/c", BOOK_FORM);
    let crawl = setup(Arc::new(web), strategy("breadth-first"), &[SEED]);
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    let found = forms(store.as_ref());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].page_url.as_str(), found[0].also_on, found[0].depth), ("http://a.example/b", 1, 1));
    assert_eq!(
        (summary.state, summary.counters.pages, summary.counters.relevant),
        (RunState::Exhausted, 3, 1)
    );
}

#[tokio::test]
async fn robots_txt_is_read_first_charged_and_obeyed() {
    let web = star(&["/open", "/closed/1"]).answer(
        "http://a.example/robots.txt",
        200,
        &[("content-type", "text/plain")],
        "User-agent: *\nDisallow: /closed/",
    );
    let web = Arc::new(web);
    let summary = run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(web.requests()[0], "http://a.example/robots.txt");
    assert_eq!(web.visits(), [SEED, "http://a.example/open"]);
    assert_eq!(summary.counters.requests, 3);
    assert_eq!(summary.counters.errors[&kind("robots")], 1);
}

#[tokio::test]
async fn an_unreachable_robots_txt_keeps_us_out_for_now() {
    let web = Arc::new(star(&[]).answer("http://a.example/robots.txt", 503, &[], ""));
    let summary = run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(web.visits(), [] as [&str; 0]);
    assert_eq!(summary.resting, 1);
}

#[tokio::test]
async fn robots_txt_may_be_a_few_redirects_away() {
    let web = star(&["/closed"])
        .redirect("http://a.example/robots.txt", "http://b.example/robots.txt")
        .answer("http://b.example/robots.txt", 200, &[], "User-agent: hadal\nDisallow: /closed");
    let web = Arc::new(web);
    run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(web.visits(), [SEED]);
}

#[tokio::test]
async fn the_robots_txt_that_a_redirect_leads_to_is_read_once() {
    let web = Web::default()
        .redirect("http://a.example/robots.txt", "http://www.a.example/robots.txt")
        .answer("http://www.a.example/robots.txt", 200, &[], "User-agent: *\nDisallow: /closed")
        .redirect(SEED, "http://www.a.example/")
        .page("http://www.a.example/", &links(&["/open", "/closed"]))
        .page("http://www.a.example/open", "book");
    let web = Arc::new(web);
    run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    let robots: Vec<String> = web.requests().into_iter().filter(|url| url.ends_with("/robots.txt")).collect();
    assert_eq!(robots, ["http://a.example/robots.txt", "http://www.a.example/robots.txt"]);
    assert_eq!(web.visits(), [SEED, "http://www.a.example/", "http://www.a.example/open"]);
}

#[tokio::test]
async fn a_file_elsewhere_that_holds_the_rules_is_not_the_robots_txt_of_its_host() {
    let web = Web::default()
        .redirect("http://a.example/robots.txt", "http://b.example/rules.txt")
        .answer("http://b.example/rules.txt", 200, &[], "User-agent: *\nDisallow: /x")
        .page(SEED, &links(&["http://b.example/x"]))
        .page("http://b.example/x", "book");
    let web = Arc::new(web);
    run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert!(web.visits().contains(&"http://b.example/x".to_string()));
}

#[tokio::test]
async fn urls_that_differ_by_their_session_are_requested_once() {
    let web =
        Arc::new(star(&["/s?PHPSESSID=1", "/s?PHPSESSID=2", "/s", "/p;jsessionid=1", "/p;jsessionid=2"]));
    run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(web.visits(), [SEED, "http://a.example/s?PHPSESSID=1", "http://a.example/p;jsessionid=1"]);
}

#[tokio::test]
async fn a_page_that_is_redirected_to_itself_with_a_session_is_read() {
    let web =
        Web::default().redirect(SEED, "/;jsessionid=1").page("http://a.example/;jsessionid=1", BOOK_FORM);
    let summary = run(setup(Arc::new(web), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(summary.counters.relevant, 1);
}

/// Page with a book form that names its canonical address.
fn copy_of(canonical: &str) -> String {
    format!("<link rel=canonical href='{canonical}'>{BOOK_FORM}")
}

#[tokio::test]
async fn a_page_is_not_read_again_at_its_canonical_address() {
    let web = Web::default()
        .page(SEED, &links(&["/find?ref=menu", "/find"]))
        .page("http://a.example/find?ref=menu", &copy_of("/find"))
        .page("http://a.example/find", BOOK_FORM);
    let web = Arc::new(web);
    let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    (crawl.detects_repetition, crawl.window) = (true, 1);
    let summary = run(crawl).await;
    assert_eq!(web.visits(), [SEED, "http://a.example/find?ref=menu"]);
    assert_eq!(summary.counters.relevant, 1);
}

#[tokio::test]
async fn a_canonical_address_with_another_page_is_still_read() {
    let hidden = format!("<meta name=robots content=noindex>{}", copy_of("/find"));
    for (address, copy) in [
        ("/other?ref=menu", copy_of("/find").replace("author", "a").replace("title", "b")),
        ("/find?page=2", "<link rel=canonical href=/find>books".to_string()),
        ("/find?ref=menu", hidden),
    ] {
        let web = Web::default()
            .page(SEED, &links(&[address, "/find"]))
            .page(&format!("http://a.example{address}"), &copy)
            .page("http://a.example/find", BOOK_FORM);
        let web = Arc::new(web);
        let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
        (crawl.detects_repetition, crawl.window) = (true, 1);
        let summary = run(crawl).await;
        assert_eq!(web.visits().len(), 3, "{address}");
        assert!(summary.counters.relevant >= 1, "{address}");
    }
}

#[tokio::test]
async fn a_redirect_to_another_host_waits_for_that_hosts_turn_and_rules() {
    let web = Web::default().redirect(SEED, "http://b.example/x").answer(
        "http://b.example/robots.txt",
        200,
        &[],
        "User-agent: *\nDisallow: /x",
    );
    let web = Arc::new(web);
    let summary = run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(web.requests(), ["http://a.example/robots.txt", SEED, "http://b.example/robots.txt"]);
    assert_eq!(summary.counters.requests, 3);
}

#[tokio::test]
async fn the_chain_of_redirects_is_stored_with_the_page() {
    let web = Web::default()
        .redirect(SEED, "/1")
        .redirect("http://a.example/1", "/2")
        .page("http://a.example/2", "book");
    let crawl = setup(Arc::new(web), strategy("breadth-first"), &[SEED]);
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    let pages = pages(store.as_ref(), summary.run);
    let chain: Vec<String> = pages.last().unwrap().redirects.iter().map(|url| url.to_string()).collect();
    assert_eq!(chain, [SEED, "http://a.example/1"]);
}

#[tokio::test]
async fn redirect_loops_are_cut() {
    let web = Web::default().redirect(SEED, "/1").redirect("http://a.example/1", "/");
    let summary = run(setup(Arc::new(web), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(summary.counters.errors[&kind("redirect_loop")], 1);
    assert_eq!(summary.counters.requests, 3);
}

#[tokio::test]
async fn endless_redirects_are_cut() {
    let web = (0..100).fold(Web::default(), |web, n| {
        web.redirect(&format!("http://a.example/{n}"), &format!("/{}", n + 1))
    });
    let summary = run(setup(Arc::new(web), strategy("breadth-first"), &["http://a.example/0"])).await;
    assert_eq!(summary.counters.errors[&kind("redirect_loop")], 1);
    assert!(summary.counters.requests < 15);
}

#[tokio::test]
async fn a_page_is_requested_again_after_retry_after() {
    let web = Web::default().answer(SEED, 503, &[("retry-after", "30")], "").page(SEED, BOOK_FORM);
    let summary = run(setup(Arc::new(web), strategy("breadth-first"), &[SEED])).await;
    assert_eq!((summary.counters.relevant, summary.counters.requests, summary.counters.failed), (1, 3, 0));
}

#[tokio::test]
async fn a_host_that_does_not_exist_costs_one_request_for_all_its_links() {
    let web = star(&["http://gone.example/1", "http://gone.example/2", "http://gone.example/3"])
        .error("http://gone.example/robots.txt", FetchError::NoSuchHost);
    let web = Arc::new(web);
    let summary = run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(summary.counters.requests, 3);
    assert_eq!((summary.counters.failed, summary.counters.waiting), (3, 0));
}

#[tokio::test]
async fn links_to_files_are_not_requested_unless_they_are_seeds() {
    let web = Arc::new(star(&["/photo.jpg", "/terms.PDF", "/b"]).page("http://a.example/list.pdf", "book"));
    run(setup(web.clone(), strategy("breadth-first"), &[SEED, "http://a.example/list.pdf"])).await;
    assert_eq!(web.visits(), [SEED, "http://a.example/list.pdf", "http://a.example/b"]);
}

#[tokio::test]
async fn a_host_that_keeps_failing_is_given_up() {
    let targets: Vec<String> = (0..40).map(|n| format!("http://dying.example/{n}")).collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let web = Web::default().page(SEED, &links(&targets));
    let web = Arc::new(targets.iter().fold(web, |web, url| web.answer(url, 500, &[], "")));
    let summary = run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert!(web.visits().len() < 12, "{:?}", web.visits());
    assert_eq!((summary.counters.failed, summary.counters.waiting), (40, 0));
}

#[tokio::test]
async fn requests_never_exceed_the_budget_whatever_they_are_spent_on() {
    let targets: Vec<String> = (0..40).map(|n| format!("http://h{}.example/{n}", n % 7)).collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    for most in [1, 2, 5, 17, 30] {
        let web = Arc::new(star(&targets).redirect("http://h3.example/3", "/moved"));
        let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
        crawl.budget = Budget { requests: Some(most), ..Budget::default() };
        crawl.concurrency = 8;
        let summary = run(crawl).await;
        assert_eq!(web.requests().len() as u64, most);
        assert_eq!((summary.state, summary.counters.requests), (RunState::Budget, most));
    }
}

#[tokio::test]
async fn bytes_never_exceed_the_budget_and_a_cut_page_is_read_again_when_it_is_raised() {
    let page = format!("{}{}", links(&["/1", "/2"]), "book ".repeat(200));
    let web =
        Web::default().page(SEED, &page).page("http://a.example/1", &page).page("http://a.example/2", &page);
    let web = Arc::new(web);
    let most = page.len() as u64 * 2 + 10;
    let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    let store = Arc::clone(&crawl.store);
    crawl.budget = Budget { bytes: Some(most), ..Budget::default() };
    let summary = run(crawl).await;
    assert!(summary.counters.bytes <= most);
    assert_eq!((summary.state, summary.counters.pages), (RunState::Budget, 2));
    let mut raised = setup(web, strategy("breadth-first"), &[SEED]);
    raised.store = store;
    assert_eq!(run(raised).await.counters.pages, 3);
}

#[tokio::test]
async fn a_raised_budget_resumes_the_crawl_without_repetition() {
    let targets: Vec<String> = (0..20).map(|n| format!("/{n}")).collect();
    let web = Arc::new(star(&targets.iter().map(String::as_str).collect::<Vec<_>>()));
    let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    let store = Arc::clone(&crawl.store);
    crawl.budget = Budget { requests: Some(7), ..Budget::default() };
    run(crawl).await;
    let mut raised = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    raised.store = store;
    run(raised).await;
    let mut visits = web.visits();
    visits.sort();
    let before = visits.len();
    visits.dedup();
    assert_eq!((before, visits.len()), (21, 21));
}

#[tokio::test]
async fn depth_and_site_limits_and_patterns_hold() {
    let web = Web::default()
        .page(SEED, &links(&["/1", "/skip/1", "http://b.example/"]))
        .page("http://a.example/1", &links(&["/1/2"]))
        .page("http://a.example/1/2", &links(&["/1/2/3"]))
        .page("http://b.example/", "book");
    let web = Arc::new(web);
    let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    crawl.scope = Scope::new(&[], &["*/skip/*".into()], &["b.example".into()]).unwrap();
    crawl.scope.max_depth = Some(2);
    run(crawl).await;
    assert_eq!(web.visits(), [SEED, "http://a.example/1", "http://a.example/1/2"]);
}

#[tokio::test]
async fn a_site_is_left_after_its_share_of_pages() {
    let web = Arc::new(star(&["/1", "/2", "/3", "/4", "/5"]));
    let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    crawl.scope.max_pages_per_site = Some(3);
    crawl.window = 1;
    run(crawl).await;
    assert_eq!(web.visits().len(), 3);
}

#[tokio::test]
async fn noindex_hides_forms_and_nofollow_hides_links() {
    let web = Web::default()
        .page(SEED, &links(&["/0", "/1"]))
        .page("http://a.example/0", &format!("<meta name=robots content=noindex>{BOOK_FORM}"))
        .answer(
            "http://a.example/1",
            200,
            &[("content-type", "text/html"), ("x-robots-tag", "nofollow")],
            &links(&["/2"]),
        )
        .page("http://a.example/2", "book");
    let web = Arc::new(web);
    let summary = run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert_eq!((summary.counters.forms, web.visits().len()), (0, 3));
}

#[tokio::test]
async fn meta_directives_hold_for_the_token_of_the_configured_user_agent() {
    let hidden = |name: &str| format!("<meta name={name} content=noindex>{BOOK_FORM}");
    for (name, expected) in [("robots", 0), ("AcmeBot", 0), ("hadal", 1), ("otherbot", 1)] {
        let web = Web::default().page(SEED, &links(&["/0"])).page("http://a.example/0", &hidden(name));
        let mut crawl = setup(Arc::new(web), strategy("breadth-first"), &[SEED]);
        crawl.agent = "acmebot".into();
        let ended = run(crawl).await;
        assert_eq!(ended.counters.forms, expected, "{name}");
    }
}

#[tokio::test]
async fn forms_of_a_seed_are_stored_although_it_is_hidden_from_indexes() {
    let hidden = format!("<meta name=robots content=noindex>{BOOK_FORM}");
    let web = Web::default()
        .answer(SEED, 302, &[("location", "http://a.example/start")], "")
        .page("http://a.example/start", &hidden);
    let summary = run(setup(Arc::new(web), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(summary.counters.forms, 1);
}

#[tokio::test]
async fn a_scope_narrowed_later_holds_for_links_that_wait_already() {
    let web = Arc::new(star(&["/1", "/2", "http://b.example/1"]));
    let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    let store = Arc::clone(&crawl.store);
    crawl.budget = Budget { requests: Some(2), ..Budget::default() };
    run(crawl).await;
    let mut narrowed = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    narrowed.store = store;
    narrowed.scope = Scope::new(&[], &[], &["b.example".into()]).unwrap();
    run(narrowed).await;
    assert!(!web.requests().iter().any(|url| url.contains("b.example")));
    assert_eq!(web.visits().len(), 3);
}

#[tokio::test]
async fn a_tls_failure_of_https_does_not_affect_http() {
    let web = star(&["https://a.example/s", "/1"]).error("https://a.example/robots.txt", FetchError::Tls);
    let web = Arc::new(web);
    let summary = run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    assert_eq!(web.visits(), [SEED, "http://a.example/1"]);
    assert_eq!((summary.counters.failed, summary.resting), (1, 0));
}

#[tokio::test]
async fn retry_after_delays_the_host_also_when_the_link_is_given_up() {
    let busy = [("retry-after", "3600")];
    let web = Web::default().page(SEED, &links(&["/1", "/2"])).answer("http://a.example/1", 429, &busy, "");
    let crawl = setup(Arc::new(web), strategy("breadth-first"), &[SEED]);
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    let keys = LookUp { hosts: &[Host("http://a.example".into())], ..LookUp::default() };
    let host = store.look_up(summary.run, &keys).unwrap().hosts.remove(0).unwrap();
    assert!(host.next_at.0 >= 3_600_000);
    assert_eq!(summary.resting, 2);
}

#[tokio::test]
async fn rules_for_another_name_are_not_ours() {
    let rules = "User-agent: hadal\nDisallow: /\n\nUser-agent: mine\nDisallow: /2";
    let web = Arc::new(star(&["/1", "/2"]).answer("http://a.example/robots.txt", 200, &[], rules));
    let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
    crawl.agent = "mine".into();
    run(crawl).await;
    assert_eq!(web.visits(), [SEED, "http://a.example/1"]);
}

/// A web that sends its robots.txt only to requests without a validator, and 304 otherwise.
struct Sparing(Web);

impl Fetch for Sparing {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        let known = request.headers.get("if-none-match") == Some("\"v1\"");
        Box::pin(async move {
            let mut exchange = self.0.fetch(request, at).await;
            if known && let Ok(response) = &mut exchange.result {
                *response = Response { status: 304, ..Response::default() };
            }
            exchange
        })
    }
}

#[tokio::test]
async fn an_expired_robots_txt_is_requested_conditionally_and_kept_if_unchanged() {
    let rules = "User-agent: *\nCrawl-delay: 60\nDisallow: /99";
    let headers = [("etag", "\"v1\""), ("cache-control", "max-age=3600")];
    let targets: Vec<String> = (30..100).map(|n| format!("/{n}")).collect();
    let web = star(&targets.iter().map(String::as_str).collect::<Vec<_>>());
    let web = Arc::new(Sparing(web.answer("http://a.example/robots.txt", 200, &headers, rules)));
    let summary = run(setup(web.clone(), strategy("breadth-first"), &[SEED])).await;
    let asked = web.0.requests().iter().filter(|url| url.ends_with("/robots.txt")).count();
    assert_eq!((asked, summary.counters.pages, summary.counters.errors[&kind("robots")]), (2, 70, 1));
}

/// A fetcher that panics at one URL.
struct Brittle(Web);

impl Fetch for Brittle {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        assert!(!request.url.path().ends_with("/broken"), "a bug in the carrier");
        self.0.fetch(request, at)
    }
}

#[tokio::test]
async fn a_step_that_panics_counts_as_failed_and_the_crawl_continues() {
    let web = star(&["/broken", "/1"]);
    let summary = run(setup(Arc::new(Brittle(web)), strategy("breadth-first"), &[SEED])).await;
    assert_eq!((summary.counters.pages, summary.counters.errors[&kind("protocol")]), (2, 1));
}

#[tokio::test]
async fn best_first_with_stopping_criteria_leaves_a_site_and_follows_on_topic_pages_only() {
    let many: Vec<String> = (0..150).map(|n| format!("/{n}")).collect();
    let mut web = Web::default().page(SEED, &links(&many.iter().map(String::as_str).collect::<Vec<_>>()));
    for n in 0..150 {
        let off = format!("http://a.example/{n}");
        web = web.page(&off, "nothing to see <a href=/off-topic>more</a>");
    }
    let web = Arc::new(web);
    let mut crawl = setup(web.clone(), strategy("best-first-sc"), &[SEED]);
    crawl.window = 1;
    run(crawl).await;
    assert_eq!(web.visits().len(), 100);
    assert!(!web.visits().iter().any(|url| url.contains("off-topic")));
}

#[tokio::test]
async fn fixed_depth_enters_sites_at_their_root_and_stops_at_three_clicks() {
    let web = Web::default()
        .page(SEED, &links(&["http://b.example/deep/page"]))
        .page("http://b.example/", &links(&["/1"]))
        .page("http://b.example/1", &links(&["/2"]))
        .page("http://b.example/2", &links(&["/3"]))
        .page("http://b.example/3", &links(&["/4"]));
    let web = Arc::new(web);
    run(setup(web.clone(), strategy("fixed-depth"), &[SEED])).await;
    assert_eq!(web.visits().last().unwrap(), "http://b.example/3");
    assert_eq!(web.visits().len(), 5);
}

/// A web with the times of its requests.
struct TimedWeb(Web, Mutex<Vec<Time>>);

impl Fetch for TimedWeb {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        self.1.lock().unwrap().push(at);
        self.0.fetch(request, at)
    }
}

/// Visits in a crawl from one seed, and in the next session, which begins at once. Returns the times of all requests,
/// too.
async fn visits_of_two_sessions(web: Web) -> ([usize; 2], Vec<Time>) {
    let (web, store) = (Arc::new(TimedWeb(web, Mutex::default())), open("memory:", Access::Crawl).unwrap());
    let mut visits = [0; 2];
    for visits in &mut visits {
        let mut crawl = setup(web.clone(), strategy("breadth-first"), &[SEED]);
        crawl.store = Arc::clone(&store);
        run(crawl).await;
        *visits = web.0.visits().len();
    }
    let times = web.1.lock().unwrap().clone();
    (visits, times)
}

#[tokio::test]
async fn the_next_session_tries_a_silent_seed_at_once_and_keeps_pauses_that_a_server_asked_for() {
    let robots = "http://a.example/robots.txt";
    let silent = || Web::default().error(SEED, FetchError::Connect);
    let ([first, second], times) = visits_of_two_sessions(silent()).await;
    assert!(first > 0 && second > first, "{first} {second}");
    // robots.txt and three attempts, the last of which leaves a pause of 8 s or more.
    assert!(times[3].until(times[4]) < Duration::from_secs(5), "{times:?}");
    let busy = Web::default().answer(SEED, 503, &[("retry-after", "3600")], "");
    assert_eq!(visits_of_two_sessions(busy).await.0, [1, 1]);
    let slow = silent().answer(robots, 200, &[], "User-agent: *\nCrawl-delay: 30");
    let (_, times) = visits_of_two_sessions(slow).await;
    let is_kept = |pair: &[Time]| pair[0].until(pair[1]) >= Duration::from_secs(30);
    assert!(times.len() > 5 && times.windows(2).all(is_kept), "{times:?}");
    let closed = Web::default().page(SEED, BOOK_FORM).answer(robots, 503, &[("retry-after", "3600")], "");
    assert_eq!(visits_of_two_sessions(closed).await.0, [0, 0]);
}
