//! Searches by script in a real browser: learned, harvested without it, and nothing else sent.

use futures::future::BoxFuture;
use hadal::engine::{
    Budget, CrawlBuilder, CrawlSummary, Probing, RenderTotals, RenderingVisit, Scope, crawl,
};
use hadal::fetch::Fetch;
use hadal::fetch::in_process::Respond;
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::fetch::world_server::{RunningServer, ServerOptions, serve};
use hadal::harvest::open_form::{BrowserUse, FormOpenError, OpenedForm, SearchLocation, form_at_url};
use hadal::harvest::{HarvestJob, HarvestPlan, harvest};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness, RequestBudget};
use hadal::render::{RenderError, RenderLimits, RenderMode, Renderer, find_browser};
use hadal::store::{
    Access, FormQuery, HarvestRowQuery, RunSpec, RunState, Store, SubmissionPurpose, SubmissionQuery,
    Submitter, all_records, open,
};
use hadal_core::critic::keywords::KeywordCritic;
use hadal_core::harvest::policy::find_policy;
use hadal_core::harvest::session::{DetailMode, HarvestOptions};
use hadal_core::http::{Exchange, Headers, Request, Response};
use hadal_core::scripted::rendering::is_scripted;
use hadal_core::strategy::{StrategyContext, find_strategy};
use hadal_core::submission::request_template;
use hadal_core::time::Time;
use hadal_core::topic::Topic;
use hadal_world::scripted::{ScriptedKind, ScriptedWeb};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use url::Url;

/// Scripted sites with a log of their requests.
#[derive(Default)]
struct LoggedWeb {
    web: ScriptedWeb,
    log: Mutex<Vec<Request>>,
    times: Mutex<Vec<Instant>>,
}

impl Respond for LoggedWeb {
    fn respond(&self, request: &Request, _at: Time) -> Exchange {
        self.log.lock().unwrap().push(request.clone());
        self.times.lock().unwrap().push(Instant::now());
        self.web.respond(request)
    }
}

/// Running sites with a browser and a client.
struct Bench {
    web: Arc<LoggedWeb>,
    server: RunningServer,
    renderer: Renderer,
    network: Arc<Network>,
    client: PoliteClient,
    store: Arc<dyn Store>,
    /// Pause of crawls.
    delay: Duration,
    probing: Probing,
}

impl Bench {
    /// `None` with a message if no browser is installed and none is required.
    async fn open() -> Option<Bench> {
        let Some(program) = find_browser() else {
            let sentence = "tests of scripted searches need chromium on the PATH";
            assert!(std::env::var("HADAL_BROWSER").as_deref() != Ok("required"), "{sentence}");
            writeln!(std::io::stderr(), "skipped: {sentence}").ok();
            return None;
        };
        let web = Arc::new(LoggedWeb::default());
        let server =
            serve(web.clone(), "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).await.unwrap();
        let options = NetworkOptions { allow_private: true, ..NetworkOptions::default() };
        let politeness = Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO };
        let client_options = ClientOptions::new(politeness, "hadal", 8 << 20);
        let network = Arc::new(Network::new(options).unwrap());
        let client = PoliteClient::new(network.clone(), client_options, watch::channel(false).1);
        let client = client.with_budget(RequestBudget::new(None, None, (0, 0)));
        let renderer = Renderer::new(program, RenderLimits::default());
        let store = open("memory:", Access::Crawl).unwrap();
        let (delay, probing) = (Duration::ZERO, Probing::default());
        Some(Bench { web, server, renderer, network, client, store, delay, probing })
    }

    fn url(&self, kind: ScriptedKind) -> Url {
        Url::parse(&format!("http://{}/{}/", self.server.addr, kind.name())).unwrap()
    }

    async fn open_search(&self, kind: ScriptedKind) -> Result<OpenedForm, FormOpenError> {
        let browser =
            BrowserUse { renderer: &self.renderer, mode: RenderMode::Auto, store: self.store.as_ref() };
        let url = self.url(kind);
        let search = SearchLocation { browser: Some(&browser), ..SearchLocation::at(&url, "web") };
        form_at_url(&search, &self.client, &mut Clock::Real).await
    }

    /// Share of the records behind a search that a harvest over plain HTTP downloads.
    async fn recall(&self, kind: ScriptedKind, form: OpenedForm) -> f64 {
        let options = HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: 1 };
        let mut job = HarvestJob::new(form, &find_policy("hadal").unwrap(), options);
        job.policy_context.first_words = self.web.web.example_words();
        let (store, client) = (Arc::clone(&self.store), self.client.clone());
        let plan = HarvestPlan { max_requests: Some(500), ..HarvestPlan::new(store, client, vec![job]) };
        let summary = harvest(plan, &mut |_| {}).await.unwrap().remove(0);
        let rows = all_records(self.store.as_ref(), HarvestRowQuery::of(summary.id));
        let records = rows.filter_map(|row| self.web.web.record_at(&row.unwrap().record.url?));
        let right: BTreeSet<u32> = records.filter(|(of, _)| *of == kind).map(|(_, number)| number).collect();
        right.len() as f64 / f64::from(self.web.web.records_behind(kind))
    }

    /// Crawls from these sites with a browser.
    async fn crawl(
        &self,
        kinds: &[ScriptedKind],
        max_requests: u64,
        mode: RenderMode,
    ) -> (CrawlSummary, Arc<RenderTotals>) {
        let seeds: Vec<Url> = kinds.iter().map(|kind| self.url(*kind)).collect();
        let (topic, source) = ("library".to_string(), "web".to_string());
        let spec = RunSpec { topic: topic.clone(), strategy: "breadth-first".into(), seeds, seed: 1, source };
        let critic = Arc::new(KeywordCritic::new(&Topic::from_words("library").unwrap()));
        let strategy = find_strategy("breadth-first").unwrap().make(&StrategyContext::default());
        let fetch: Arc<dyn Fetch> = self.network.clone();
        let politeness = Politeness { delay: self.delay, latency_factor: 0.0, max_delay: self.delay };
        let options = ClientOptions::new(politeness, "hadal", 8 << 20);
        let visit = RenderingVisit::new(
            (fetch.clone(), critic.clone()),
            PoliteClient::new(fetch.clone(), options, watch::channel(false).1),
            (Renderer::installed(), mode),
            (self.store.clone(), topic),
        );
        let visit = visit.with_seeds(&spec.seeds, &Scope::default());
        let counters = visit.counters.clone();
        let setup = CrawlBuilder::new(self.store.clone(), spec, strategy, critic, fetch)
            .politeness(politeness, "hadal")
            .probing(self.probing.clone(), "library")
            .budget(Budget { requests: Some(max_requests), ..Budget::default() })
            .rendering(visit)
            .build();
        let summary = crawl(setup, &mut |_| {}).await.unwrap();
        (summary, counters)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_by_script_are_learned_and_harvested_and_nothing_else_is_sent() {
    let Some(bench) = Bench::open().await else { return };
    let opened = futures::future::join_all(ScriptedKind::ALL.map(|kind| bench.open_search(kind))).await;
    let sent = bench.web.log.lock().unwrap().clone();
    for (kind, opened) in ScriptedKind::ALL.into_iter().zip(&opened) {
        assert_eq!(opened.is_ok(), kind.is_search(), "{kind:?}: {opened:?}");
    }
    every_request_went_through_the_client(&bench, &sent);
    let template = |kind: ScriptedKind| {
        let at = ScriptedKind::ALL.iter().position(|known| *known == kind).unwrap();
        request_template(&opened[at].as_ref().unwrap().form).unwrap_or_default()
    };
    assert!(template(ScriptedKind::Path).ends_with("/path/api/find/{words}?page=1"));
    assert!(template(ScriptedKind::Graphql).contains(r#""term":"{words}""#));
    assert!(template(ScriptedKind::Service).starts_with("POST http://localhost:"), "{opened:?}");
    let is_foreign_script = |request: &Request| {
        request.url.host_str() == Some("localhost") && request.url.path() == "/foreign/app.js"
    };
    assert!(sent.iter().any(is_foreign_script));
    for (kind, opened) in ScriptedKind::ALL.into_iter().zip(opened).filter(|(kind, _)| kind.is_search()) {
        let recall = bench.recall(kind, opened.unwrap()).await;
        assert!(recall >= 0.95, "{kind:?}: {recall}");
    }
}

/// The server's log holds the client's requests and no others; no forbidden one; the audit log holds all submissions.
fn every_request_went_through_the_client(bench: &Bench, sent: &[Request]) {
    assert_eq!(bench.client.spent().0, sent.len() as u64);
    for request in sent {
        let agent = request.headers.get("user-agent").unwrap_or_default();
        assert!(!agent.contains("Chrome"), "{request:?}");
        assert!(!request.url.path().contains("forbidden"), "{request:?}");
        assert!(!request.url.path().contains("favicon"), "{request:?}");
        assert!(
            !request.url.path().ends_with(".css") && !request.url.path().ends_with(".png"),
            "{request:?}"
        );
    }
    every_submission_is_in_the_audit_log(bench, sent);
}

fn every_submission_is_in_the_audit_log(bench: &Bench, sent: &[Request]) {
    let logged = bench.store.submissions(&SubmissionQuery::default()).unwrap().rows;
    let path = |url: &Url| url[url::Position::BeforePath..].to_string();
    let logged: Vec<String> = logged.iter().map(|entry| path(&entry.url) + &entry.body).collect();
    let is_submission = |request: &&Request| {
        let path = request.url.path();
        ["api/", "find", "lookup"].iter().any(|part| path.contains(part))
    };
    for request in sent.iter().filter(is_submission) {
        let text = path(&request.url) + &String::from_utf8_lossy(&request.body);
        assert!(logged.contains(&text), "{text} is not in the audit log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_does_not_start_costs_the_page_only() {
    let Some(mut bench) = Bench::open().await else { return };
    bench.renderer = Renderer::new("/bin/false".into(), RenderLimits::default());
    let opened = bench.open_search(ScriptedKind::Typing).await;
    assert!(matches!(opened, Err(FormOpenError::NotRendered(_, RenderError::Crashed))), "{opened:?}");
    let (_, response) =
        bench.client.get_page(&bench.url(ScriptedKind::Typing), &mut Clock::Real).await.unwrap();
    let rendered =
        bench.renderer.render(&bench.url(ScriptedKind::Typing), response, &bench.client, None).await;
    assert_eq!(rendered.unwrap_err(), RenderError::Crashed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_with_a_browser_stores_searches_by_script() {
    let Some(bench) = Bench::open().await else { return };
    let kinds = [ScriptedKind::Typing, ScriptedKind::Login, ScriptedKind::ClientForm, ScriptedKind::Mutation];
    let (summary, counters) = bench.crawl(&kinds, 200, RenderMode::Auto).await;
    assert_eq!(counters.pages.load(Ordering::Relaxed), 4, "{counters:?}");
    let found = bench.store.forms(&FormQuery { with_snapshot: true, ..FormQuery::default() }).unwrap().rows;
    let learned: Vec<String> =
        found.iter().filter_map(|entry| request_template(entry.row.form_snapshot.as_ref()?)).collect();
    let is_learned = |part: &str| learned.iter().any(|template| template.contains(part));
    assert!(is_learned("/typing/api/search?q={words}&page=1"), "{learned:?}");
    assert!(!is_learned("forbidden"), "{learned:?}");
    assert!(found.iter().any(|entry| entry.row.action.path() == "/client-form/find"));
    // All requests count for the run, those of the scripts included.
    assert_eq!(summary.counters.requests, bench.web.log.lock().unwrap().len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_with_a_browser_keeps_to_its_budget() {
    let Some(bench) = Bench::open().await else { return };
    let kinds = [ScriptedKind::Typing, ScriptedKind::Cursor, ScriptedKind::Path];
    let (summary, _) = bench.crawl(&kinds, 7, RenderMode::Auto).await;
    assert_eq!(summary.state, RunState::Budget);
    assert_eq!(summary.counters.requests, 7);
    assert_eq!(bench.web.log.lock().unwrap().len(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_with_a_browser_keeps_the_pauses() {
    let Some(mut bench) = Bench::open().await else { return };
    bench.delay = Duration::from_millis(40);
    // The scripts of one site and the search of another come from a second name of the same address.
    let kinds = [ScriptedKind::Foreign, ScriptedKind::Service, ScriptedKind::Typing, ScriptedKind::Login];
    bench.crawl(&kinds, 60, RenderMode::Auto).await;
    let (log, times) = (bench.web.log.lock().unwrap(), bench.web.times.lock().unwrap());
    let names: BTreeSet<_> = log.iter().filter_map(|request| request.url.host_str()).collect();
    assert!(names.len() == 2 && log.len() >= 12, "{names:?}");
    for (pair, sent) in times.windows(2).zip(log.windows(2)) {
        let gap = pair[1] - pair[0] + Duration::from_millis(1);
        assert!(gap >= bench.delay, "{gap:?} between {} and {}", sent[0].url, sent[1].url);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn test_queries_of_a_crawl_are_logged_as_probes_of_its_run() {
    let Some(bench) = Bench::open().await else { return };
    let (summary, _) = bench.crawl(&[ScriptedKind::Typing], 60, RenderMode::Auto).await;
    let query = SubmissionQuery { run: Some(summary.run), ..SubmissionQuery::default() };
    let of_run = bench.store.submissions(&query).unwrap().rows;
    let all = bench.store.submissions(&SubmissionQuery::default()).unwrap().rows;
    assert!(of_run.len() >= 2 && of_run.len() == all.len(), "{all:?}");
    for entry in of_run {
        assert_eq!((entry.by, entry.purpose), (Submitter::Run(summary.run), SubmissionPurpose::Probe));
        assert_eq!(entry.page, bench.url(ScriptedKind::Typing));
        assert!(entry.answer.is_some(), "{entry:?}");
    }
    every_submission_is_in_the_audit_log(&bench, &bench.web.log.lock().unwrap().clone());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_without_test_queries_types_nothing() {
    let Some(mut bench) = Bench::open().await else { return };
    bench.probing = Probing::never();
    let (_, counters) = bench.crawl(&[ScriptedKind::Typing], 60, RenderMode::Auto).await;
    assert_eq!(counters.pages.load(Ordering::Relaxed), 1);
    assert!(bench.web.log.lock().unwrap().iter().all(|request| !request.url.path().contains("api/")));
    assert!(bench.store.submissions(&SubmissionQuery::default()).unwrap().rows.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_with_added_fields_is_stored_with_them() {
    let Some(bench) = Bench::open().await else { return };
    bench.crawl(&[ScriptedKind::AddedFields], 100, RenderMode::Always).await;
    let found = bench.store.forms(&FormQuery { with_snapshot: true, ..FormQuery::default() }).unwrap().rows;
    let [entry] = &found[..] else { panic!("{found:?}") };
    let names = entry.row.form_snapshot.as_ref().unwrap().fields.iter().map(|field| field.name.as_str());
    assert!(names.collect::<Vec<_>>().contains(&"title"), "{entry:?}");
}

/// A site whose search sends a second request that is never answered.
struct Hanging(Mutex<Vec<Url>>);

const HANGING: &str = "<title>Boats</title><input id=box type=search placeholder='Search boats'>
    <div id=list></div><script>document.getElementById('box').addEventListener('keydown', async event => {
        if (event.key !== 'Enter') return;
        const answer = await fetch('/find?q=' + event.target.value);
        document.getElementById('list').textContent = await answer.text();
        fetch('/hanging');
    })</script>";

impl Fetch for Hanging {
    fn fetch<'a>(&'a self, request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
        self.0.lock().unwrap().push(request.url.clone());
        let (status, body) = match request.url.path() {
            "/hanging" => return Box::pin(std::future::pending()),
            "/" => (200, HANGING),
            "/find" => (200, "[]"),
            _ => (404, ""),
        };
        let headers = Headers(vec![("content-type".into(), "text/html".into())]);
        let response = Response { status, headers, body: body.into(), ..Response::default() };
        Box::pin(async { Exchange { result: Ok(response), took: Duration::ZERO, peer: None } })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_learned_although_a_request_of_the_page_hangs() {
    let Some(program) = find_browser() else { return };
    let web = Arc::new(Hanging(Mutex::default()));
    let politeness = Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO };
    let options = ClientOptions::new(politeness, "hadal", 8 << 20);
    let client = PoliteClient::new(web.clone(), options, watch::channel(false).1);
    let limits = RenderLimits { time: Duration::from_secs(15), ..RenderLimits::default() };
    let (renderer, store) = (Renderer::new(program, limits), open("memory:", Access::Crawl).unwrap());
    let browser = BrowserUse { renderer: &renderer, mode: RenderMode::Auto, store: store.as_ref() };
    let url = Url::parse("http://boats.example/").unwrap();
    let search = SearchLocation { browser: Some(&browser), ..SearchLocation::at(&url, "web") };
    let mut clock = Clock::Real;
    let opening = form_at_url(&search, &client, &mut clock);
    let opened = tokio::time::timeout(Duration::from_secs(300), opening).await.expect("it ends").unwrap();
    let template = request_template(&opened.form).unwrap_or_default();
    assert!(template.contains("/find?q={words}"), "{template}");
    assert!(web.0.lock().unwrap().iter().any(|url| url.path() == "/hanging"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scripted_box_that_was_not_rendered_is_no_form() {
    let Some(mut bench) = Bench::open().await else { return };
    bench.renderer = Renderer::new("/bin/false".into(), RenderLimits::default());
    for kind in ScriptedKind::ALL.into_iter().filter(|kind| kind.is_search()) {
        match bench.open_search(kind).await {
            Err(FormOpenError::NotRendered(_, RenderError::Crashed)) => {}
            Ok(opened) => assert!(!is_scripted(&opened.form), "{kind:?}: {opened:?}"),
            Err(other) => panic!("{kind:?}: {other}"),
        }
    }
}
