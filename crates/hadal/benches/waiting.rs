//! One run, one table: a crawl that is limited by the pauses and response times of its hosts, not by the processor.
//!
//! `cargo bench --bench waiting` (add `-- --seconds N` for another duration). 2,000 hosts respond after 0.2 seconds, and
//! get a pause of one second after each response. One host in ten never responds. The crawl uses the strategy
//! `breadth-first`, a store in a folder and the default number of slots, on the system clock. Linux only: CPU time and
//! memory are read from /proc.
//!
//! | column | meaning |
//! |---|---|
//! | possible | requests that the hosts which respond can answer: one per host and 1.2 seconds |
//! | answered | responses, and their share of what is possible: over the whole crawl, and in its second half |
//! | CPU | CPU seconds per second |
//! | RSS | peak memory |

#[path = "common/crawling.rs"]
#[allow(dead_code, reason = "each bench uses its own part")]
mod crawling;
#[path = "common/process.rs"]
mod process;

use crawling::bench_crawl;
use futures::future::BoxFuture;
use hadal::engine::{HOSTS_IN_MEMORY, crawl};
use hadal::fetch::Fetch;
use hadal::polite::{Clock, Politeness};
use hadal::store::{Access, RunSpec, open};
use hadal_core::http::{Exchange, FetchError, Request, Response};
use hadal_core::time::Time;
use process::{arguments, cpu, peak_mb, scratch};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use url::Url;

/// Same allocator as the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Anyhow<T> = anyhow::Result<T>;

const HOSTS: u64 = 2_000;
/// One host in this many never responds.
const SILENT: u64 = 10;
/// Time until a response.
const LATENCY: Duration = Duration::from_millis(200);
/// Time after which the client gives up on a host that has never responded.
const TIMEOUT: Duration = Duration::from_secs(8);
/// Default of the setting `crawl.concurrency`.
const CONCURRENCY: usize = 400;
/// Pages of a host. More than any host can answer in a run.
const PAGES: u64 = 200;
const SECONDS: u64 = 120;

fn main() -> Anyhow<()> {
    let arguments = arguments();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--seconds", seconds] => measure(Duration::from_secs(seconds.parse()?)),
        [] => measure(Duration::from_secs(SECONDS)),
        _ => anyhow::bail!("usage: cargo bench --bench waiting -- [--seconds N]"),
    }
}

/// Web of hosts that respond late or never.
#[derive(Default)]
struct LateWeb {
    answered: AtomicU64,
}

impl Fetch for LateWeb {
    fn fetch<'a>(&'a self, request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async move {
            if host_number(&request.url).is_multiple_of(SILENT) {
                tokio::time::sleep(TIMEOUT).await;
                return Exchange { result: Err(FetchError::AnswerTimeout), took: TIMEOUT, peer: None };
            }
            tokio::time::sleep(LATENCY).await;
            self.answered.fetch_add(1, Ordering::Relaxed);
            let response = match request.url.path() {
                "/robots.txt" => Response { status: 404, ..Response::default() },
                "/" => front_page(),
                _ => html("<title>Books</title><p>A library of novels by author and publisher.</p>".into()),
            };
            Exchange { result: Ok(response), took: LATENCY, peer: None }
        })
    }
}

fn host_number(url: &Url) -> u64 {
    let name = url.host_str().unwrap_or_default().trim_start_matches('h');
    name.split('.').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn front_page() -> Response {
    let mut page = String::from("<title>Books</title><p>A library of novels by author and publisher.</p>");
    for n in 0..PAGES {
        let _ = write!(page, "<p><a href=\"/page{n}.html\">books {n}</a></p>");
    }
    html(page)
}

fn html(page: String) -> Response {
    let mut response = Response { status: 200, body: page.into_bytes(), ..Response::default() };
    response.transferred = response.body.len() as u64;
    response.headers.push("content-type", "text/html");
    response
}

fn measure(duration: Duration) -> Anyhow<()> {
    let folder = scratch("waiting")?;
    let seeds = (0..HOSTS).map(|n| format!("http://h{n}.example/").parse()).collect::<Result<_, _>>()?;
    let spec = RunSpec {
        topic: "book".into(),
        strategy: "breadth-first".into(),
        seeds,
        seed: 1,
        source: "bench".into(),
    };
    let web = Arc::new(LateWeb::default());
    let store = open(&format!("file:{}", folder.display()), Access::Crawl)?;
    let (stop, stopped) = watch::channel(false);
    let mut setup = bench_crawl(store, spec, web.clone(), Clock::Real, u64::MAX)?;
    (setup.politeness, setup.stop, setup.stop_grace) = (Politeness::default(), stopped, Duration::ZERO);
    (setup.concurrency, setup.hosts_in_memory) = (CONCURRENCY, HOSTS_IN_MEMORY);
    let began = Instant::now();
    let halves = async {
        tokio::time::sleep(duration / 2).await;
        let first = web.answered.load(Ordering::Relaxed);
        tokio::time::sleep((began + duration).saturating_duration_since(Instant::now())).await;
        let both = (first, web.answered.load(Ordering::Relaxed));
        stop.send_replace(true);
        both
    };
    let mut ignore_events = |_| {};
    let runtime = tokio::runtime::Runtime::new()?;
    let (ended, (first, all)) =
        runtime.block_on(async { tokio::join!(crawl(setup, &mut ignore_events), halves) });
    ended?;
    let possible = possible(duration);
    println!(
        "{:>8} {:>9} {:>9} {:>8} {:>12} {:>7} {:>5}",
        "seconds", "possible", "answered", "share", "second half", "CPU", "RSS"
    );
    println!(
        "{:>8} {possible:>9.0} {all:>9} {:>8.2} {:>12.2} {:>7.2} {:>5.0}",
        duration.as_secs(),
        all as f64 / possible,
        (all - first) as f64 / (possible / 2.0),
        cpu()? / began.elapsed().as_secs_f64(),
        peak_mb()?,
    );
    Ok(std::fs::remove_dir_all(folder)?)
}

/// Requests that the hosts can answer in this time.
fn possible(duration: Duration) -> f64 {
    let hosts = HOSTS - HOSTS.div_ceil(SILENT);
    let per_request = LATENCY + Politeness::default().delay;
    hosts as f64 * duration.as_secs_f64() / per_request.as_secs_f64()
}
