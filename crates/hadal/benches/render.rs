//! One run, one table: pages of the scripted sites, rendered one after the other in a browser with a test query each.
//!
//! `cargo bench --bench render` (add `-- --pages N`; 1,000 by default). The sites answer in this process over loopback.
//! Each row covers a tenth of the pages. Linux only: times and memory are read from /proc.
//!
//! | column | meaning |
//! |---|---|
//! | pages | pages rendered so far |
//! | CPU | CPU seconds per page of this row, of the browser and of hadal |
//! | memory | proportional memory (PSS) of the browser's processes, and RSS of hadal, at the end of the row |
//! | processes | processes of the browser at the end of the row |
//! | learned | searches learned in this row, of those that the sites have |

use hadal::fetch::in_process::Respond;
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::fetch::world_server::{ServerOptions, serve};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::render::{RenderLimits, Renderer, SearchTrial, find_browser};
use hadal::store::{Access, Store, Submitter, open};
use hadal_core::http::{Exchange, Request};
use hadal_core::time::Time;
use hadal_world::scripted::{ScriptedKind, ScriptedWeb};
use std::collections::HashMap;
use std::fs::{read_dir, read_to_string};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use url::Url;

/// Same allocator as the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Anyhow<T> = anyhow::Result<T>;

/// Clock ticks per second in /proc.
const TICKS: f64 = 100.0;

struct Sites(ScriptedWeb);

impl Respond for Sites {
    fn respond(&self, request: &Request, _at: Time) -> Exchange {
        self.0.respond(request)
    }
}

fn main() -> Anyhow<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let pages = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--pages", pages] => pages.parse()?,
        [] => 1_000,
        _ => anyhow::bail!("usage: cargo bench --bench render -- [--pages N]"),
    };
    tokio::runtime::Runtime::new()?.block_on(table(pages))
}

async fn table(pages: u32) -> Anyhow<()> {
    let Some(program) = find_browser() else { anyhow::bail!("no browser is installed (install chromium)") };
    let server =
        serve(Arc::new(Sites(ScriptedWeb::default())), "127.0.0.1:0".parse()?, ServerOptions::default())
            .await?;
    let network = Network::new(NetworkOptions { allow_private: true, ..NetworkOptions::default() })?;
    let politeness = Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO };
    let options = ClientOptions::new(politeness, "hadal", 1 << 20);
    let client = PoliteClient::new(Arc::new(network), options, watch::channel(false).1);
    let renderer = Renderer::new(program, RenderLimits::default());
    let store = open("memory:", Access::Crawl)?;
    println!("{:>6} {:>8} {:>18} {:>10} {:>9}", "pages", "CPU s", "MB browser/hadal", "processes", "learned");
    let row = (pages / 10).max(1);
    let (mut usage, mut learned, mut searches) = (Usage::now()?, 0, 0);
    for page in 0..pages {
        let kind = ScriptedKind::ALL[page as usize % ScriptedKind::ALL.len()];
        searches += u32::from(kind.is_search());
        let url = Url::parse(&format!("http://{}/{}/", server.addr, kind.name()))?;
        learned += u32::from(render(&renderer, &url, &client, store.as_ref()).await?);
        if (page + 1) % row == 0 {
            let now = Usage::now()?;
            let cpu = (now.cpu - usage.cpu) / f64::from(row);
            let memory = format!("{:.0} / {:.0}", now.browser_mb, now.own_mb);
            let share = format!("{learned}/{searches}");
            println!("{:>6} {cpu:>8.2} {memory:>18} {:>10} {share:>9}", page + 1, now.processes);
            (usage, learned, searches) = (now, 0, 0);
        }
    }
    Ok(())
}

/// Renders a page with a test query. Returns true if it showed a search.
async fn render(renderer: &Renderer, url: &Url, client: &PoliteClient, store: &dyn Store) -> Anyhow<bool> {
    let trial = SearchTrial { store, by: Submitter::Person, topic: "", seed: 7, min_p_searchable: 0.1 };
    let (url, response) = client.get_page(url, &mut Clock::Real).await?;
    let rendered = renderer.render(&url, response, client, Some(&trial)).await?;
    let has_form = |form: &hadal_core::page::Form| hadal_core::critic::probe::query_field(form).is_some();
    Ok(rendered.search.is_some() || rendered.page.forms.iter().any(has_form))
}

/// CPU time and memory of this process and of those that it started.
struct Usage {
    /// CPU seconds of all processes, ended ones included.
    cpu: f64,
    browser_mb: f64,
    own_mb: f64,
    /// Processes that this one started, directly or not.
    processes: usize,
}

impl Usage {
    fn now() -> Anyhow<Usage> {
        let own = std::process::id();
        let stats: HashMap<u32, ProcessStat> = read_dir("/proc")?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter_map(|id: u32| Some((id, ProcessStat::of(id)?)))
            .collect();
        let is_descendant = |mut id: u32| {
            while let Some(stat) = stats.get(&id).filter(|_| id != own) {
                id = stat.parent;
            }
            id == own
        };
        let started: Vec<u32> = stats.keys().copied().filter(|id| *id != own && is_descendant(*id)).collect();
        let ticks: u64 =
            started.iter().chain([&own]).filter_map(|id| stats.get(id)).map(|stat| stat.ticks).sum();
        Ok(Usage {
            cpu: ticks as f64 / TICKS,
            browser_mb: started.iter().map(|id| megabytes(*id, "smaps_rollup", "Pss:")).sum(),
            own_mb: megabytes(own, "status", "VmRSS:"),
            processes: started.len(),
        })
    }
}

/// Numbers of a process in `/proc/ID/stat`.
struct ProcessStat {
    parent: u32,
    /// CPU time of the process and of its ended children.
    ticks: u64,
}

impl ProcessStat {
    fn of(id: u32) -> Option<ProcessStat> {
        let text = read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name, in brackets, may contain spaces.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = fields.get(11..15)?.iter().filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        Some(ProcessStat { parent: fields.get(1)?.parse().ok()?, ticks })
    }
}

/// Value in megabytes of a line such as `VmRSS:   5120 kB`; 0 if the process has ended.
fn megabytes(id: u32, file: &str, name: &str) -> f64 {
    let text = read_to_string(format!("/proc/{id}/{file}")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
