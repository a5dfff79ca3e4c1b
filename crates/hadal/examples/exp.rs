#![allow(missing_docs, clippy::all, unused)]
use futures::future::BoxFuture;
use hadal::engine::backlinks::Backlinks;
use hadal::engine::*;
use hadal::fetch::in_process::InProcess;
use hadal::fetch::politeness::Politeness;
use hadal::store::{Access, RunSpec, open};
use hadal_core::critic::domain::DOMAINS;
use hadal_core::critic::trained::{Aim, TrainedCritic};
use hadal_core::http::FetchError;
use hadal_core::strategy::{Briefing, offer};
use hadal_world::{Spec, World};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use url::Url;
#[global_allocator]
static A: mimalloc::MiMalloc = mimalloc::MiMalloc;
struct WB(Arc<World>);
impl Backlinks for WB {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        let v: Vec<Url> = self.0.backlinks(url).into_iter().take(100).collect();
        Box::pin(async move { Ok(v) })
    }
}
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let a = s.rsplit(')').next().unwrap().split_whitespace().map(String::from).collect::<Vec<_>>();
    (a[11].parse::<f64>().unwrap() + a[12].parse::<f64>().unwrap()) / 100.0
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (sites, requests): (u32, u64) = (args[1].parse().unwrap(), args[2].parse().unwrap());
    let seed: u64 = args[3].parse().unwrap();
    let world = Arc::new(World::new(Spec { sites, ..Spec::evaluation(seed) }));
    for topic in args[4].split(',') {
        let truth: HashMap<_, _> = world.relevant(topic).map(|f| (f.form_id, f.site)).collect();
        println!("# {topic}: {} relevant forms exist", truth.len());
        for name in args[5].split(',') {
            let seeds = world.seeds(topic);
            let aim = Aim::Domain(DOMAINS.iter().position(|d| *d == topic).unwrap());
            let briefing = Briefing { seed: 1, seeds: seeds.clone(), examples: vec![], backlinks: true };
            let start = Instant::now();
            let c = Crawl {
                store: open("memory:", Access::Crawl).unwrap(),
                spec: RunSpec {
                    topic: topic.into(),
                    strategy: name.into(),
                    seeds,
                    seed: 1,
                    source: "w".into(),
                },
                strategy: offer(name).unwrap().make(&briefing),
                critic: Arc::new(TrainedCritic::new(aim)),
                fetch: Arc::new(InProcess::new(world.clone())),
                backlinks: Some(Arc::new(WB(world.clone()))),
                visit: None,
                prior: None,
                budget: Budget { requests: Some(requests), ..Budget::default() },
                scope: Scope::default(),
                politeness: Politeness {
                    delay: Duration::ZERO,
                    latency_factor: 0.0,
                    ..Politeness::default()
                },
                agent: "hadal".into(),
                concurrency: 16,
                body_limit: 1 << 21,
                clock: Clock::simulated(16),
                keep_every: Duration::from_secs(3600),
                stop: watch::channel(false).1,
                fresh: false,
                probing: Probing::never(),
                word: topic.into(),
                errand: Errand::Find,
            };
            let (mut right, mut wrong, mut sites) = (0, 0, HashSet::new());
            let mut marks = Vec::new();
            let mut last = String::new();
            let mut tell = |e: Event| match e {
                Event::Form(row) => {
                    if row.p_relevant >= 0.5 {
                        if let Some(s) = truth.get(&row.form_id) {
                            right += 1;
                            sites.insert(s.clone());
                        } else {
                            wrong += 1;
                        }
                    }
                }
                Event::Gauges { requests: r, gauges, .. } => {
                    if r / (requests / 8).max(1) > marks.len() as u64 {
                        marks.push(right);
                    }
                    last = gauges.iter().map(|g| format!("{}={:.3} ", g.name, g.value)).collect();
                }
                _ => {}
            };
            let rt = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let s = rt.block_on(crawl(c, &mut tell)).unwrap();
            println!(
                "{name:24} right {right:5} wrong {wrong:4} deep {:4} pages {} requests {} {marks:?} {:.0}s {last}",
                sites.len(),
                s.tally.pages,
                s.tally.requests,
                start.elapsed().as_secs_f64()
            );
        }
    }
}
