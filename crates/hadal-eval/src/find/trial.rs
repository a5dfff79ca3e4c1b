//! One crawl of one topic in one world, ordered by one strategy, through the engine that crawls the web.

use super::arena::Arena;
use super::carrier::{ByKind, Carrier};
use super::plan::Setting;
use super::score::{Gauges, Point, Scorer, at};
use hadal::engine::{Budget, Clock, Crawl, CrawlError, Errand, Event, Probing, Scope, crawl};
use hadal::fetch::politeness::Politeness;
use hadal::fetch::robots::AGENT;
use hadal::store::{Filter, LessonRow, RunSpec, Store, Walk, memory::MemoryStore};
use hadal_core::address::Site;
use hadal_core::http::DEFAULT_BODY_LIMIT;
use hadal_core::strategy::{StrategyContext, StrategyEntry};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use xxhash_rust::xxh3::xxh3_64;

/// Steps begun ahead of the oldest one that has not ended.
pub const WINDOW: usize = 16;

/// What came of a crawl.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Which crawl it was.
    pub setting: Setting,
    /// Relevant forms that exist.
    pub existing: u64,
    /// What it had found, every few hundred requests.
    pub curve: Vec<Point>,
    /// What its requests were for.
    pub requests: ByKind,
    /// What was spent before the crawl began, by strategies that train first.
    pub training: Training,
    /// Sites with relevant forms that it visited.
    pub deep: Vec<DeepSite>,
    /// What the strategy learned on the way.
    pub lessons: Vec<LessonRow>,
    /// What the strategy watched.
    pub gauges: Gauges,
    /// What the trial cost to run; no part of the result.
    pub cost: Cost,
}

/// Spent before the first lesson of a strategy that learns before it crawls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Training {
    /// Requests.
    pub requests: u64,
    /// Pages.
    pub pages: u64,
}

/// A visited site that holds relevant forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeepSite {
    /// A number for its name, the same in every trial.
    pub site: u32,
    /// Pages read there.
    pub pages: u32,
    /// Relevant forms found there.
    pub relevant: u32,
}

/// What a trial cost to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// CPU time.
    pub cpu_seconds: f64,
    /// Visits whose page had been read and judged for another strategy.
    pub shelf_hits: u64,
    /// Visits that had to be made.
    pub shelf_misses: u64,
}

impl Trial {
    /// Where the crawl stood when it had spent this many requests.
    pub fn at_requests(&self, requests: u64) -> Point {
        at(&self.curve, |point| point.requests, requests)
    }

    /// Where the crawl stood when it had read this many pages, those of its training not counted.
    pub fn at_pages(&self, pages: u64) -> Point {
        at(&self.curve, |point| point.pages, pages + self.training.pages)
    }

    /// Where it ended.
    pub fn end(&self) -> Point {
        self.curve.last().copied().unwrap_or_default()
    }

    /// The same trial, whatever it cost to run.
    pub fn same_result(&self, other: &Trial) -> bool {
        Trial { cost: other.cost, ..self.clone() } == *other
    }
}

/// Runs a trial on this thread; `advance` hears how many requests are spent.
pub fn run(
    arena: &Arc<Arena>,
    offer: &StrategyEntry,
    setting: &Setting,
    advance: &mut (dyn FnMut(u64) + Send),
) -> anyhow::Result<Trial> {
    let begun = cpu_time();
    let carrier = Arc::new(Carrier::new(Arc::clone(arena)));
    let store = Arc::new(MemoryStore::default());
    // Never sent to: a trial runs to its end.
    let (_going, stop) = watch::channel(false);
    let setup = setup(&carrier, &store, arena, offer, setting, stop);
    let mut scorer = Scorer::new(&arena.ground.truth, &arena.topic, &arena.known);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let summary = runtime.block_on(crawl(setup, &mut |event| {
        scorer.hear(&event);
        if let Event::Gauges { requests, .. } = event {
            advance(requests);
        }
    }))?;
    let lessons = store.lessons(summary.run)?;
    let deep = deep_sites(store.as_ref(), arena, &scorer)?;
    let (curve, gauges) = scorer.finish();
    let (shelf_hits, shelf_misses) = carrier.shelf_use();
    let cost = Cost { cpu_seconds: cpu_time() - begun, shelf_hits, shelf_misses };
    Ok(Trial {
        setting: setting.clone(),
        existing: arena.ground.truth.relevant(&arena.topic),
        curve,
        requests: carrier.requests(),
        training: training(&lessons, &gauges),
        deep,
        lessons,
        gauges,
        cost,
    })
}

fn setup(
    carrier: &Arc<Carrier>,
    store: &Arc<MemoryStore>,
    arena: &Arena,
    offer: &StrategyEntry,
    setting: &Setting,
    stop: watch::Receiver<bool>,
) -> Crawl {
    let briefing = StrategyContext {
        seed: setting.seed,
        seeds: arena.seeds.clone(),
        examples: arena.examples.clone(),
        backlinks: true,
    };
    Crawl {
        store: Arc::clone(store) as Arc<dyn Store>,
        spec: RunSpec {
            topic: setting.topic.clone(),
            strategy: setting.strategy.clone(),
            seeds: arena.seeds.clone(),
            seed: setting.seed,
            source: setting.name(),
        },
        strategy: offer.make(&briefing),
        critic: Arc::clone(&arena.critic),
        fetch: Arc::clone(carrier) as _,
        backlinks: Some(Arc::clone(carrier) as _),
        visit: Some(Arc::clone(carrier) as _),
        prior: None,
        budget: Budget { requests: Some(setting.requests), ..Budget::default() },
        scope: Scope::default(),
        politeness: Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO },
        agent: AGENT.into(),
        concurrency: WINDOW,
        body_limit: DEFAULT_BODY_LIMIT,
        clock: Clock::simulated(WINDOW),
        keep_every: Duration::MAX,
        stop,
        fresh: false,
        probing: Probing::never(),
        word: String::new(),
        errand: Errand::Find,
    }
}

fn deep_sites(store: &MemoryStore, arena: &Arena, scorer: &Scorer<'_>) -> Result<Vec<DeepSite>, CrawlError> {
    let deep: FxHashSet<&str> = arena.ground.truth.deep_sites(&arena.topic).collect();
    let mut visited = Vec::new();
    store.sites(&Filter::default(), &mut |row| {
        if row.tally.pages > 0 && deep.contains(row.site.0.as_str()) {
            let relevant = scorer.found_on(&row.site);
            visited.push(DeepSite { site: number_of(&row.site), pages: row.tally.pages, relevant });
        }
        Walk::On
    })?;
    visited.sort_unstable();
    Ok(visited)
}

fn number_of(site: &Site) -> u32 {
    xxh3_64(site.0.as_bytes()) as u32
}

/// What a strategy says that it read and asked for its first lesson; other pages that were visited in
/// between belong to the crawl.
fn training(lessons: &[LessonRow], gauges: &Gauges) -> Training {
    let Some(first) = lessons.iter().find(|row| row.lesson.iteration == 0) else {
        return Training::default();
    };
    let by_then = |name: &str| {
        let values = gauges.get(name).map_or(&[][..], Vec::as_slice);
        let value = values.iter().find(|(requests, _)| *requests >= first.at_request).or(values.last());
        value.map_or(0, |(_, value)| *value as u64)
    };
    let pages = by_then("training pages");
    Training { requests: pages + by_then("look-ups"), pages }
}

/// CPU time of this thread, in seconds.
pub fn cpu_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
