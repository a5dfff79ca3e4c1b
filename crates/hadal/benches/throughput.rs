//! One run, one table: how much hadal does per CPU-second, and how much memory it takes.
//!
//! `cargo bench --bench throughput` (add `-- --pages DIR` to parse and judge given HTML files too). Each row is
//! measured in a process of its own by CPU time, so that other work on the machine does not matter
//! much; the simulated web is served over HTTP by another process, and its time is not counted.
//! Linux only: times and peak memory are read from /proc.

#[path = "throughput/choosing.rs"]
mod choosing;
#[path = "common/crawling.rs"]
mod crawling;
#[path = "throughput/first_visit.rs"]
mod first_visit;
#[path = "throughput/judging.rs"]
mod judging;
#[path = "common/process.rs"]
mod process;
#[path = "throughput/reading.rs"]
mod reading;
#[path = "common/web_server.rs"]
mod web_server;

use crawling::{bench_crawl, bench_spec, usual_context};
use hadal::engine::{Crawl, crawl};
use hadal::fetch::in_process::InProcess;
use hadal::polite::Clock;
use hadal::store::{
    Access, Batch, FailureKind, FrontierChange, Outcome, QueueSlice, RunId, RunSpec, SentStep, StepEnd,
    StepTarget, Store, open,
};
use hadal_core::address::Host;
use hadal_core::http::Request;
use hadal_core::link::{FrontierLink, LinkOrigin, QueueId, QueuedLink};
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use process::{arguments, cpu, peak_mb, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use url::Url;
use web_server::{SERVE, ServedWeb, client, serve};

/// Same allocator as the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Anyhow<T> = anyhow::Result<T>;

fn main() -> Anyhow<()> {
    let arguments = arguments();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--row", "parse-generated"] => parse_all("parse, generated", &generated_pages()),
        ["--row", "parse-given", dir] => parse_all("parse, given", &given_pages(Path::new(dir))?),
        ["--row", "judge-generated"] => judging::judge_all("generated", &generated_pages()),
        ["--row", "judge-given", dir] => judging::judge_all("given", &given_pages(Path::new(dir))?),
        ["--row", "read-answers"] => reading::read_all(),
        ["--row", "choose", policy] => choosing::choose_all(policy),
        ["--row", "first-visit"] => first_visit::first_visits(),
        ["--row", "in-process"] => crawl_in_process(),
        ["--row", "http", address] => crawl_over_http(address),
        ["--row", "frontier"] => frontier_operations(),
        ["--row", "memory", links] => memory_at(links.parse()?),
        [SERVE] => serve(),
        [] => table(None),
        ["--pages", dir] => table(Some(dir)),
        _ => anyhow::bail!("usage: cargo bench --bench throughput -- [--pages DIR]"),
    }
}

/// Runs every row in its own process and prints its output.
fn table(pages: Option<&str>) -> Anyhow<()> {
    println!("{:<44} {:>14}  unit", "what", "measured");
    row(&["--row", "parse-generated"])?;
    row(&["--row", "judge-generated"])?;
    if let Some(dir) = pages {
        row(&["--row", "parse-given", dir])?;
        row(&["--row", "judge-given", dir])?;
    }
    row(&["--row", "read-answers"])?;
    row(&["--row", "choose", "hadal"])?;
    row(&["--row", "choose", "adaptive"])?;
    row(&["--row", "first-visit"])?;
    row(&["--row", "http", &ServedWeb::start()?.address])?;
    row(&["--row", "in-process"])?;
    row(&["--row", "frontier"])?;
    for links in ["10000", "100000", "1000000"] {
        row(&["--row", "memory", links])?;
    }
    Ok(())
}

fn row(arguments: &[&str]) -> Anyhow<()> {
    let status = Command::new(std::env::current_exe()?).args(arguments).status()?;
    anyhow::ensure!(status.success(), "row {arguments:?} failed");
    Ok(())
}

fn say(what: &str, measured: f64, unit: &str) {
    println!("{what:<44} {measured:>14.1}  {unit}");
}

fn parse_all(what: &str, pages: &[(Vec<u8>, Url)]) -> Anyhow<()> {
    let bytes: usize = pages.iter().map(|(body, _)| body.len()).sum();
    let rounds = (300_000_000 / bytes.max(1)).clamp(1, 50);
    let (start, mut links) = (cpu()?, 0);
    for _ in 0..rounds {
        for (body, url) in pages {
            links += hadal_core::html::parse(body, Some("text/html"), url).links.len();
        }
    }
    let spent = cpu()? - start;
    let name = format!("{what} ({} pages, {} links)", pages.len(), links / rounds);
    say(&name, (bytes * rounds) as f64 / 1e6 / spent, "MB of HTML per CPU-s");
    Ok(())
}

fn generated_pages() -> Vec<(Vec<u8>, Url)> {
    let world = World::new(Spec::demo(7));
    let mut pages = Vec::new();
    let mut waiting: Vec<Url> = World::topics().iter().flat_map(|topic| world.seeds(topic)).collect();
    let mut met = std::collections::HashSet::new();
    while let Some(url) = waiting.pop() {
        if pages.len() == 1000 || !met.insert(url.clone()) {
            continue;
        }
        let Ok(response) = world.respond(&Request::get(url.clone()), Time(0)).result else { continue };
        let page = hadal_core::html::parse(&response.body, Some("text/html"), &url);
        waiting.extend(page.links.into_iter().take(20).map(|link| link.url));
        pages.push((response.body, url));
    }
    pages
}

fn given_pages(dir: &Path) -> Anyhow<Vec<(Vec<u8>, Url)>> {
    let url = Url::parse("http://given.example/")?;
    let (mut pages, mut folders) = (Vec::new(), vec![dir.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path: PathBuf = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "html" || end == "htm") {
                pages.push((std::fs::read(path)?, url.clone()));
            }
        }
    }
    Ok(pages)
}

fn breadth_first() -> RunSpec {
    bench_spec("breadth-first", 7)
}

fn measure_crawl(what: &str, setup: impl FnOnce() -> Anyhow<Crawl>) -> Anyhow<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let setup = setup()?;
        let start = cpu()?;
        let summary = crawl(setup, &mut |_| {}).await?;
        let spent = cpu()? - start;
        let size = summary.counters.bytes as f64 / summary.counters.pages.max(1) as f64 / 1000.0;
        let name = format!("{what} ({} pages of {size:.0} KB)", summary.counters.pages);
        say(&name, summary.counters.pages as f64 / spent, "pages per CPU-s");
        Ok(())
    })
}

fn crawl_in_process() -> Anyhow<()> {
    measure_crawl("crawl, in process", || {
        let fetch = Arc::new(InProcess(Arc::new(World::new(Spec::demo(7)))));
        bench_crawl(open("memory:", Access::Crawl)?, breadth_first(), fetch, Clock::simulated(), 20_000)
    })
}

fn crawl_over_http(address: &str) -> Anyhow<()> {
    let dir = scratch("http")?;
    let store = open(&format!("file:{}", dir.display()), Access::Crawl)?;
    measure_crawl("crawl, HTTP, stored on disk", || {
        bench_crawl(store, breadth_first(), Arc::new(client(address)?), Clock::Real, 10_000)
    })?;
    Ok(std::fs::remove_dir_all(dir)?)
}

/// The `n`th of many links: a thousand per site, of realistic length.
fn lead(n: u64) -> Anyhow<QueuedLink> {
    let url = Url::parse(&format!(
        "http://www.site-{}.example/catalogue/section-{}/page-{n}.html",
        n % 1000,
        n % 37
    ))?;
    let lead = FrontierLink { context: usual_context(), ..FrontierLink::root(url, LinkOrigin::Link) };
    let score = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f32;
    Ok(QueuedLink {
        link: lead,
        queue: QueueId(0),
        score,
        order: n,
        generation: 0,
        attempts: 0,
        not_before: Time(0),
    })
}

fn fill(store: &dyn Store, run: RunId, links: u64) -> Anyhow<()> {
    let all: Vec<u64> = (0..links).collect();
    for chunk in all.chunks(1000) {
        let leads = chunk.iter().map(|n| lead(*n)).collect::<Anyhow<Vec<_>>>()?;
        store.commit(run, &Batch { changes: vec![FrontierChange::Add(leads)], ..Batch::default() })?;
        store.sync()?;
    }
    Ok(())
}

fn bench_run(store: &dyn Store) -> Anyhow<RunId> {
    let (topic, strategy, source) = ("bench".into(), "bench".into(), "bench".into());
    Ok(store.begin(&RunSpec { topic, strategy, seeds: vec![], seed: 0, source })?)
}

fn frontier_operations() -> Anyhow<()> {
    let dir = scratch("frontier")?;
    let store = open(&format!("file:{}", dir.display()), Access::Crawl)?;
    let run = bench_run(store.as_ref())?;
    let start = cpu()?;
    fill(store.as_ref(), run, 200_000)?;
    say("frontier, insert (on disk)", 200_000.0 / (cpu()? - start), "leads per CPU-s");
    let (start, pops) = (cpu()?, 50_000);
    for seq in 0..pops {
        pop(store.as_ref(), run, seq)?;
        if seq % 500 == 0 {
            store.sync()?;
        }
    }
    say("frontier, take, begin and end (on disk)", pops as f64 / (cpu()? - start), "leads per CPU-s");
    drop(store);
    Ok(std::fs::remove_dir_all(dir)?)
}

fn pop(store: &dyn Store, run: RunId, seq: u64) -> Anyhow<()> {
    let host = Host(format!("http://www.site-{}.example", seq % 1000));
    let best = store.queue_heads(run, &[QueueSlice::of_host(QueueId(0), &host, 2)])?.remove(0);
    let work = StepTarget::Link(best[0].link.id);
    let sent = vec![SentStep { seq, target: work.clone(), at: Time(0) }];
    store.commit(run, &Batch { sent, ..Batch::default() })?;
    let outcome = Outcome { end: StepEnd::Failed(FailureKind::NoPage), ..Outcome::of(seq, work, Time(0)) };
    Ok(store.commit(run, &Batch { outcomes: vec![outcome], ..Batch::default() })?)
}

/// Memory of a crawl with this many known links: fills the store, then resumes a crawl.
fn memory_at(links: u64) -> Anyhow<()> {
    let dir = scratch("memory")?;
    let url = format!("file:{}", dir.display());
    let store = open(&url, Access::Crawl)?;
    let setup = bench_crawl(
        Arc::clone(&store),
        breadth_first(),
        Arc::new(InProcess(Arc::new(World::new(Spec::tiny(7))))),
        Clock::simulated(),
        200,
    )?;
    let run = store.begin(&setup.spec)?;
    fill(store.as_ref(), run, links)?;
    tokio::runtime::Runtime::new()?.block_on(crawl(setup, &mut |_| {}))?;
    say(&format!("peak memory at {links} known links"), peak_mb()?, "MB");
    drop(store);
    Ok(std::fs::remove_dir_all(dir)?)
}
