//! One run, one table: a crawl with a frontier that grows to a number of hosts.
//!
//! `cargo bench --bench scale` (add `-- --hosts N` for one other size). Each row is measured in a process of its own. A
//! synthetic web answers in the process: each page links to 100 hosts that nothing else links to. The crawl uses the
//! strategy `hadal` and a store in a folder. Linux only: times, memory and bytes written are read from /proc.
//!
//! `cargo bench --bench scale -- --http N` crawls the simulated web over HTTP instead, with N requests. Another process
//! serves it, and its CPU time is not counted.
//!
//! | column | meaning |
//! |---|---|
//! | hosts | hosts that the crawl knows at the end; `-` over HTTP |
//! | pause | longest time between two requests |
//! | CPU | CPU time per request: over the whole crawl, and over its last tenth |
//! | RSS | peak memory |
//! | written | bytes written to disk, per byte of the store at the end |
//! | resume | time from the start of a second session to its first request |

#[path = "common/crawling.rs"]
#[allow(dead_code, reason = "each bench uses its own part")]
mod crawling;
#[path = "common/process.rs"]
mod process;
#[path = "common/web_server.rs"]
mod web_server;

use crawling::{bench_crawl, bench_spec};
use futures::future::BoxFuture;
use hadal::engine::{HOSTS_IN_MEMORY, RESCORED_AT_ONCE, crawl};
use hadal::fetch::Fetch;
use hadal::polite::Clock;
use hadal::store::{Access, RunSpec, open};
use hadal_core::http::{Exchange, Request, Response};
use hadal_core::time::Time;
use process::{arguments, cpu, peak_mb, scratch};
use std::fmt::Write;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use url::Url;
use web_server::{SERVE, ServedWeb, client, serve};

/// Same allocator as the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Anyhow<T> = anyhow::Result<T>;

/// Links of one page.
const FAN_OUT: u64 = 100;
/// Sizes of the table.
const HOSTS: [&str; 3] = ["10000", "100000", "1000000"];

fn main() -> Anyhow<()> {
    let arguments = arguments();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        // A host costs two requests: robots.txt and its page.
        ["--row", hosts] => row(hosts, hosts.parse::<u64>()? / FAN_OUT * 2, None),
        ["--http-row", requests, address] => row("-", requests.parse()?, Some(address)),
        [SERVE] => serve(),
        ["--http", requests] => {
            let web = ServedWeb::start()?;
            table(&[&["--http-row", requests, &web.address]])
        }
        ["--hosts", hosts] => table(&[&["--row", hosts]]),
        [] => table(&HOSTS.map(|hosts| ["--row", hosts]).each_ref().map(|row| row.as_slice())),
        _ => anyhow::bail!("usage: cargo bench --bench scale -- [--hosts N | --http N]"),
    }
}

/// Prints a table. Each row is measured by this program with these arguments.
fn table(rows: &[&[&str]]) -> Anyhow<()> {
    println!(
        "{:>9} {:>9} {:>9} {:>14} {:>8} {:>18} {:>8}",
        "hosts", "requests", "pause", "CPU", "RSS", "written", "resume"
    );
    println!(
        "{:>9} {:>9} {:>9} {:>14} {:>8} {:>18} {:>8}",
        "", "", "ms", "ms, at the end", "MB", "MB, per byte", "s"
    );
    for row in rows {
        let status = Command::new(std::env::current_exe()?).args(*row).status()?;
        anyhow::ensure!(status.success(), "row {row:?} failed");
    }
    Ok(())
}

/// Web of hosts with one page each. Host `n` links to the hosts `100 n + 1` to `100 n + 100`.
struct EndlessWeb;

impl Fetch for EndlessWeb {
    fn fetch<'a>(&'a self, request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
        let response = match request.url.path() {
            "/robots.txt" => Response { status: 404, ..Response::default() },
            _ => page(&request.url),
        };
        Box::pin(
            async move { Exchange { result: Ok(response), took: Duration::from_millis(50), peer: None } },
        )
    }
}

/// A web, with the longest time between two requests to it.
struct TimedWeb {
    web: Box<dyn Fetch>,
    times: Mutex<RequestTimes>,
}

#[derive(Default)]
struct RequestTimes {
    last: Option<Instant>,
    longest: Duration,
}

impl Fetch for TimedWeb {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        let now = Instant::now();
        if let Ok(mut times) = self.times.lock() {
            let pause = times.last.map_or(Duration::ZERO, |last| now - last);
            times.longest = times.longest.max(pause);
            times.last = Some(now);
        }
        self.web.fetch(request, at)
    }
}

fn page(url: &Url) -> Response {
    let name = url.host_str().unwrap_or_default().trim_start_matches('h');
    let host: u64 = name.split('.').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    let mut html = String::from("<title>Books</title><p>A library of novels by author and publisher.</p>");
    for n in host * FAN_OUT + 1..=host * FAN_OUT + FAN_OUT {
        let words = ["books", "search the catalogue", "news", "authors", "contact"][(n % 5) as usize];
        let _ = write!(html, "<p>more about {words} <a href=\"http://h{n}.example/\">{words} {n}</a></p>");
    }
    let mut response = Response { status: 200, body: html.into_bytes(), ..Response::default() };
    response.transferred = response.body.len() as u64;
    response.headers.push("content-type", "text/html");
    response
}

/// Measures a crawl of the endless web, or of the web that is served at `address`.
fn row(hosts: &str, requests: u64, address: Option<&str>) -> Anyhow<()> {
    let folder = scratch("scale")?;
    let store = format!("file:{}", folder.display());
    let first = session(&store, requests * 9 / 10, address)?;
    let last = session(&store, requests, address)?;
    let stored = folder_bytes(&folder)?;
    let written = bytes_written()?;
    println!(
        "{hosts:>9} {requests:>9} {:>9.1} {:>6.2} {:>7.2} {:>8.0} {:>8.1} {:>9.1} {:>8.2}",
        first.longest.max(last.longest).as_secs_f64() * 1e3,
        (first.cpu + last.cpu) * 1e3 / requests as f64,
        last.cpu * 1e3 / (requests - requests * 9 / 10) as f64,
        peak_mb()?,
        written as f64 / 1e6,
        written as f64 / stored as f64,
        last.to_first_request.as_secs_f64(),
    );
    Ok(std::fs::remove_dir_all(folder)?)
}

/// Measurements of one session. The time to its first request is not a pause, and its CPU time does not count.
struct MeasuredSession {
    longest: Duration,
    cpu: f64,
    to_first_request: Duration,
}

fn session(store: &str, requests: u64, address: Option<&str>) -> Anyhow<MeasuredSession> {
    let (began, mut first, mut cpu_before) = (Instant::now(), None, 0.0);
    let seeds = match address {
        Some(_) => bench_spec("hadal", 1).seeds,
        None => vec!["http://h0.example/".parse()?],
    };
    let spec = RunSpec { seeds, source: "bench".into(), ..bench_spec("hadal", 1) };
    let (web, clock): (Box<dyn Fetch>, Clock) = match address {
        Some(address) => (Box::new(client(address)?), Clock::Real),
        None => (Box::new(EndlessWeb), Clock::simulated()),
    };
    let web = Arc::new(TimedWeb { web, times: Mutex::default() });
    let mut setup = bench_crawl(open(store, Access::Crawl)?, spec, web.clone(), clock, requests)?;
    setup.rescored_at_once = RESCORED_AT_ONCE;
    setup.hosts_in_memory = HOSTS_IN_MEMORY;
    let mut on_event = |_| {
        if first.is_none() {
            first = Some(began.elapsed());
            cpu_before = cpu().unwrap_or(0.0);
        }
    };
    tokio::runtime::Runtime::new()?.block_on(crawl(setup, &mut on_event))?;
    let longest = web.times.lock().map(|times| times.longest).unwrap_or_default();
    Ok(MeasuredSession { longest, cpu: cpu()? - cpu_before, to_first_request: first.unwrap_or_default() })
}

fn folder_bytes(folder: &std::path::Path) -> Anyhow<u64> {
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    Ok(entries.iter().filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum())
}

/// Bytes that this process caused to be written to disk.
fn bytes_written() -> Anyhow<u64> {
    let io = std::fs::read_to_string("/proc/self/io")?;
    let line = io.lines().find(|line| line.starts_with("write_bytes")).unwrap_or_default();
    Ok(line.split_whitespace().nth(1).unwrap_or("0").parse()?)
}
