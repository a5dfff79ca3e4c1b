//! Several workers on one crawl in PostgreSQL, with kills, restarts of the server, cut connections and frozen workers.
//!
//! The short series runs with all tests. The long one has the numbers of a release check:
//!
//! ```text
//! cargo test -p hadal-cli --test cli -- --ignored --nocapture a_long_series_of_faults
//! ```

mod faulty_proxy;
mod harvests;
mod processes;
mod request_log;

use crate::crawl_process::{draws, patient};
use faulty_proxy::{ConnectionFault, FaultyProxy};
use hadal::fetch::world_server::{RunningServer, ServerOptions, serve};
use hadal_store_contract::cluster::{self, Cluster};
use hadal_world::{Spec, World};
use processes::WorkerProcesses;
use request_log::RequestLog;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Numbers of a series of faults, which are spread evenly over a crawl.
#[derive(Clone, Copy)]
struct FaultSeries {
    workers: usize,
    kills: usize,
    restarts: usize,
    freezes: usize,
    /// Connections that are cut, delayed, half-closed or silenced.
    cuts: usize,
    delay: Duration,
    budget: Option<u64>,
}

/// Fault of a worker.
#[derive(Clone, Copy, Debug)]
enum FaultEvent {
    Kill,
    Restart,
    Freeze,
    Cut,
}

impl FaultSeries {
    /// All faults in a random order.
    fn events(&self, draw: &mut impl FnMut(usize) -> usize) -> Vec<FaultEvent> {
        let counts = [
            (FaultEvent::Kill, self.kills),
            (FaultEvent::Restart, self.restarts),
            (FaultEvent::Freeze, self.freezes),
            (FaultEvent::Cut, self.cuts),
        ];
        let mut events: Vec<FaultEvent> =
            counts.iter().flat_map(|(event, count)| std::iter::repeat_n(*event, *count)).collect();
        for place in (1..events.len()).rev() {
            events.swap(place, draw(place + 1));
        }
        events
    }
}

/// A simulated web over HTTP with its log.
struct WatchedSite {
    world: Arc<World>,
    running: RunningServer,
    log: RequestLog,
}

impl WatchedSite {
    async fn serve(world: &Arc<World>, delay: Duration) -> WatchedSite {
        let log = RequestLog::default();
        let (begun, ended) = (log.clone(), log.clone());
        let options = ServerOptions {
            latency_share: 0.1,
            on_request: Some(Arc::new(move |url| begun.begin(url, delay))),
            on_end: Some(Arc::new(move |url| ended.end(url))),
            ..ServerOptions::default()
        };
        let running = serve(Arc::clone(world), "127.0.0.1:0".parse().unwrap(), options).await.unwrap();
        WatchedSite { world: Arc::clone(world), running, log }
    }

    /// `hadal find book` on this web without probes.
    fn find(&self, store: &str, delay: Duration, budget: Option<u64>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hadal"));
        command.args([
            "--store",
            store,
            "find",
            "book",
            "--strategy",
            "breadth-first",
            "--concurrency",
            "16",
        ]);
        command.args(["--delay", &format!("{}ms", delay.as_millis()), "--json", "--max-requests"]);
        command.arg(budget.map_or("none".to_string(), |budget| budget.to_string()));
        command.args(["--connect-to", &format!("*={}", self.running.addr), "--seeds"]);
        command.args(self.world.seeds("book").iter().map(|url| url.as_str()));
        command.env_clear().env("HADAL_POLITENESS_LATENCY_FACTOR", "0").env("HADAL_PROBE_WHEN", "never");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors());
        command
    }
}

/// Messages of workers go to the file in `HADAL_WORKER_LOG`, if it is set.
fn errors() -> Stdio {
    let Some(path) = std::env::var_os("HADAL_WORKER_LOG") else { return Stdio::null() };
    std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap().into()
}

/// URL of the same database through a proxy, with a short lease.
fn through(proxy: &FaultyProxy, url: &str) -> String {
    let mut url = url::Url::parse(url).unwrap();
    url.set_port(Some(proxy.addr.port())).unwrap();
    url.query_pairs_mut().append_pair("lease", "3s");
    url.to_string()
}

fn server_of(url: &str) -> SocketAddr {
    let url = url::Url::parse(url).unwrap();
    format!("127.0.0.1:{}", url.port().unwrap()).parse().unwrap()
}

/// Faults of connections, in turn.
fn connection_fault(number: usize) -> ConnectionFault {
    let second = Duration::from_secs(1);
    [
        ConnectionFault::LoseAnswer,
        ConnectionFault::Drop,
        ConnectionFault::HalfClose,
        ConnectionFault::Delay(second),
        ConnectionFault::Silence(10 * second),
    ][number % 5]
}

/// Crawls with faults until the crawl is over. Returns the number of workers that failed by themselves.
async fn crawl_with_faults(
    cluster: &Cluster,
    url: &str,
    site: &WatchedSite,
    expected_requests: usize,
    series: FaultSeries,
) -> usize {
    let proxy = FaultyProxy::start(server_of(url)).await;
    let store = through(&proxy, url);
    let mut draw = draws(7);
    let events = series.events(&mut draw);
    let start = || site.find(&store, series.delay, series.budget);
    let mut workers = WorkerProcesses::start(series.workers, start);
    let spacing = expected_requests / (events.len() + 1);
    let mut cuts = 0;
    for (number, event) in events.iter().enumerate() {
        if workers.tend() {
            break;
        }
        site.log.wait_for((number + 1) * spacing, Duration::from_secs(20));
        let place = draw(series.workers);
        let happened = match event {
            FaultEvent::Kill => workers.kill(place),
            FaultEvent::Restart => {
                cluster.restart(["fast", "immediate"][draw(2)]);
                true
            }
            FaultEvent::Freeze => workers.freeze(place, |process| is_evicted(cluster, url, process)),
            FaultEvent::Cut => {
                cuts += 1;
                proxy.disturb(connection_fault(cuts), &mut draw)
            }
        };
        println!("{:>6} requests, {event:?} {place}: {happened}", site.log.requests());
    }
    let began = Instant::now();
    while !workers.tend() {
        assert!(began.elapsed() < Duration::from_secs(300), "the crawl does not end");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    workers.failures
}

/// True if a process is no worker of a crawl any more.
fn is_evicted(cluster: &Cluster, url: &str, process: u32) -> bool {
    let sql = format!("SELECT count(*) FROM workers WHERE worker LIKE '%process {process}'");
    cluster.sql(url, &sql) == "0"
}

/// Crawls without faults. Returns the forms, and the number of requests.
async fn undisturbed(cluster: &Cluster, world: &Arc<World>) -> (String, usize) {
    let url = cluster.new_database("hadal_template");
    let site = WatchedSite::serve(world, Duration::ZERO).await;
    let mut child = site.find(&url, Duration::ZERO, None).spawn().unwrap();
    let ended = tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    assert!(ended.success());
    (forms(cluster, &url), site.log.requests())
}

fn forms(cluster: &Cluster, url: &str) -> String {
    cluster.sql(url, "SELECT form_id FROM forms ORDER BY form_id")
}

/// Facts about a run that hold if every outcome was committed once, and none by a worker without a lease.
const INVARIANTS: [(&str, &str); 7] = [
    ("pages that are stored twice", "SELECT count(*) - count(DISTINCT link) FROM pages"),
    (
        "pages that are not counted",
        "SELECT (SELECT count(*) FROM pages) - (SELECT sum(pages) FROM run_counters)",
    ),
    (
        "pages that their sites do not count",
        "SELECT (SELECT count(*) FROM pages) - (SELECT sum(pages) FROM sites)",
    ),
    (
        "forms that are not counted",
        "SELECT (SELECT count(*) FROM forms) - (SELECT sum(forms) FROM run_counters)",
    ),
    (
        "pages whose link is not done",
        "SELECT count(*) FROM pages JOIN links ON links.id = pages.link WHERE state <> 'done'",
    ),
    ("steps that are in flight", "SELECT count(*) FROM in_flight"),
    ("workers that are left", "SELECT count(*) FROM workers"),
];

fn assert_invariants(cluster: &Cluster, url: &str) {
    for (fact, sql) in INVARIANTS {
        assert_eq!(cluster.sql(url, sql), "0", "{fact}");
    }
}

/// A crawl to exhaustion with faults finds what an undisturbed one finds, and one with a budget keeps it.
async fn run_series(spec: Spec, series: FaultSeries) {
    let Some(cluster) = cluster::own() else { return };
    let world = Arc::new(World::new(spec));
    let (expected, requests) = undisturbed(&cluster, &world).await;
    println!("undisturbed: {requests} requests, {} forms", expected.lines().count());
    let url = cluster.new_database("hadal_template");
    let site = WatchedSite::serve(&world, series.delay).await;
    let began = Instant::now();
    let failures = crawl_with_faults(&cluster, &url, &site, requests, series).await;
    let (sent, took) = (site.log.requests(), began.elapsed());
    println!("with faults: {sent} requests in {took:.0?}, {failures} workers ended with an error");
    assert_eq!(site.log.breaches(), [""; 0], "breaches of politeness");
    assert_invariants(&cluster, &url);
    assert_eq!(cluster.sql(&url, "SELECT count(*) FROM links WHERE state = 'waiting'"), "0");
    assert_eq!(cluster.sql(&url, "SELECT count(*) FROM inbox"), "0");
    assert!(forms(&cluster, &url) == expected, "the forms differ from those of an undisturbed crawl");
    let budget = requests as u64 / 2;
    let limited = FaultSeries { kills: series.kills.div_ceil(4), cuts: 0, restarts: 0, freezes: 0, ..series };
    let limited = FaultSeries { budget: Some(budget), ..limited };
    let (url, site) =
        (cluster.new_database("hadal_template"), WatchedSite::serve(&world, series.delay).await);
    crawl_with_faults(&cluster, &url, &site, requests / 4, limited).await;
    let counted: u64 = cluster.sql(&url, "SELECT requests FROM run_counters").parse().unwrap();
    println!("with a budget of {budget}: {} requests, {counted} counted", site.log.requests());
    assert!(site.log.requests() as u64 <= budget && counted <= budget);
    assert_eq!(site.log.breaches(), [""; 0], "breaches of politeness");
    assert_invariants(&cluster, &url);
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_that_are_killed_frozen_and_cut_off_find_everything_once() {
    let series = FaultSeries {
        workers: 3,
        kills: 4,
        restarts: 1,
        freezes: 1,
        cuts: 5,
        delay: Duration::from_millis(50),
        budget: None,
    };
    run_series(Spec { sites: 40, mean_pages: 12, max_pages: 40, ..patient(5) }, series).await;
}

/// A database whose clock is an hour ahead stands for a worker whose clock is an hour behind.
#[tokio::test(flavor = "multi_thread")]
async fn times_of_a_worker_are_those_of_the_database() {
    let Some(cluster) = cluster::own() else { return };
    let world = Arc::new(World::new(Spec { sites: 10, mean_pages: 5, max_pages: 10, ..patient(5) }));
    let url = cluster.new_database("hadal_template");
    cluster.sql(
        &url,
        "CREATE FUNCTION public.statement_timestamp() RETURNS timestamptz LANGUAGE sql
             AS $$SELECT clock_timestamp() + interval '1 hour'$$",
    );
    let shadowed = format!("{url}?options=-c%20search_path%3Dpublic%2Cpg_catalog");
    let site = WatchedSite::serve(&world, Duration::ZERO).await;
    let mut child = site.find(&shadowed, Duration::ZERO, Some(20)).spawn().unwrap();
    let ended = tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    assert!(ended.success());
    let ahead = "SELECT min(next_at) / 60000 - floor(extract(epoch FROM clock_timestamp()) / 60) FROM hosts
        WHERE next_at > 0";
    let minutes: f64 = cluster.sql(&url, ahead).parse().unwrap();
    assert!((50.0..=61.0).contains(&minutes), "next requests {minutes} minutes ahead");
}

#[ignore = "takes about ten minutes"]
#[tokio::test(flavor = "multi_thread")]
async fn a_long_series_of_faults_loses_nothing() {
    let series = FaultSeries {
        workers: 4,
        kills: 200,
        restarts: 10,
        freezes: 3,
        cuts: 60,
        delay: Duration::from_millis(500),
        budget: None,
    };
    run_series(Spec { sites: 150, mean_pages: 60, max_pages: 200, ..patient(6) }, series).await;
}
