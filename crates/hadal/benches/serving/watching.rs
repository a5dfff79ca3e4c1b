//! Cost of a watching browser for a crawl.

use super::Anyhow;
use super::client::Client;
use super::crawling::{bench_crawl, bench_spec};
use super::process::cpu;
use hadal::ask::Asker;
use hadal::engine::crawl;
use hadal::fetch::in_process::InProcess;
use hadal::polite::{ClientOptions, Clock, Politeness};
use hadal::serve::{Server, serve};
use hadal::store::{Access, Activity, RunId, Store, open};
use hadal_world::{Spec, World};
use http_body_util::BodyExt;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Crawls of each kind.
const TIMES: usize = 3;
/// Interval at which the run page requests lessons (`assets/run/lessons.js`).
const LESSONS_EVERY: Duration = Duration::from_secs(3);

/// Crawls alternately alone and watched, and prints both.
pub fn table(store: &Path, pages: u64) -> Anyhow<()> {
    println!("\n{:<58} {:>11}", format!("crawl of {pages} requests"), "pages/CPU-s");
    let mut speeds = [Vec::new(), Vec::new()];
    for turn in 0..2 * TIMES {
        // Alone, watched, watched, alone, ...: drift over time affects both alike.
        let is_watched = turn.div_ceil(2) % 2 == 1;
        let how = if is_watched { "watched" } else { "alone" };
        let (folder, seed) = (store.display().to_string(), turn.to_string());
        let child = Command::new(std::env::current_exe()?)
            .args(["--crawl", &folder, &pages.to_string(), &seed, how])
            .output()?;
        anyhow::ensure!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
        let speed: f64 = String::from_utf8_lossy(&child.stdout).trim().parse()?;
        println!("{how:<58} {speed:>11.1}");
        speeds[usize::from(is_watched)].push(speed);
    }
    let [alone, watched] = speeds.map(|mut speeds| {
        speeds.sort_by(f64::total_cmp);
        speeds[speeds.len() / 2]
    });
    println!("{:<58} {:>10.1}%", "a watching browser takes", (1.0 - watched / alone) * 100.0);
    Ok(())
}

/// Crawls once and prints pages per CPU-second.
pub fn crawl_once(folder: &str, pages: u64, seed: u64, is_watched: bool) -> Anyhow<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let store = open(folder, Access::Crawl)?;
        let spec = bench_spec("hadal", seed);
        let run = store.begin(&spec)?;
        let address = serving(open(folder, Access::Read)?).await?;
        let browser = if is_watched { Some(Browser::open(address, run)?) } else { None };
        let fetch = Arc::new(InProcess(Arc::new(World::new(Spec::demo(7)))));
        let setup = bench_crawl(Arc::clone(&store), spec, fetch, Clock::simulated(), pages)?;
        let start = cpu()?;
        let summary = crawl(setup, &mut |_| {}).await?;
        let spent = cpu()? - start;
        drop(browser);
        println!("{}", summary.counters.pages as f64 / spent);
        Ok(store.discard(Activity::Run(run))?)
    })
}

/// Serves a store as long as the process lives.
pub async fn serving(store: Arc<dyn Store>) -> Anyhow<SocketAddr> {
    let options = ClientOptions::new(Politeness::default(), "hadal", 1 << 20);
    let open_fetch = Box::new(|_: &str| anyhow::bail!("nobody is asked here"));
    let asker = Asker::new(Arc::clone(&store), options, open_fetch, watch::channel(false).1);
    let server = Server::open("127.0.0.1:0".parse()?, None, store, Arc::new(asker)).await?;
    let address = server.address()?;
    tokio::spawn(serve(server));
    Ok(address)
}

/// A browser in its own process, until it is dropped.
struct Browser(Child);

impl Browser {
    /// Opens a browser that watches a run.
    fn open(address: SocketAddr, run: RunId) -> Anyhow<Browser> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--watch", &address.to_string(), &run.0.to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let said = child.stdout.take();
        let browser = Browser(child);
        let mut line = String::new();
        said.map_or(Ok(0), |said| BufReader::new(said).read_line(&mut line))?;
        anyhow::ensure!(line.trim() == "watching", "the browser does not watch: {line}");
        Ok(browser)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Acts like the run page: loads it, then reads events and requests lessons.
pub fn watch(address: &str, run: &str) -> Anyhow<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let client = Client::of(address);
        let run = format!("/api/runs/{run}");
        for path in ["/", "/assets/app.js", "/api/runs?limit=200", &run, &format!("{run}/curve")] {
            client.get(path).await?;
        }
        let mut events = client.open(&format!("{run}/events")).await?;
        println!("watching");
        let mut asked: Option<Instant> = None;
        while let Some(piece) = events.frame().await {
            piece?;
            if asked.is_none_or(|asked| asked.elapsed() >= LESSONS_EVERY) {
                asked = Some(Instant::now());
                client.get(&format!("{run}/lessons?limit=50")).await?;
            }
        }
        Ok(())
    })
}
