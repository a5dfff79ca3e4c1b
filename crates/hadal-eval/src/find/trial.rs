//! One crawl: one topic, one web, one strategy, on the engine that crawls the real web.

use super::cached_web::{CachedWeb, RequestCounts};
use super::plan::TrialSpec;
use super::score::{CurvePoint, Gauges, Scorer, at};
use super::topic_setup::TopicSetup;
use hadal::engine::SIMULATED_WINDOW;
use hadal::engine::{Budget, Crawl, CrawlBuilder, CrawlError, CrawlEvent, crawl};
use hadal::polite::robots::AGENT;
use hadal::polite::{Clock, Politeness};
use hadal::store::{
    Catalogue, LessonRow, RunParts, RunQuery, RunSpec, SiteQuery, Store, memory::MemoryStore,
};
use hadal_core::address::Site;
use hadal_core::strategy::{StrategyContext, StrategyEntry};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use xxhash_rust::xxh3::xxh3_64;

/// Result of one crawl.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindTrial {
    /// Parameters of the crawl.
    #[serde(rename = "setting")]
    pub spec: TrialSpec,
    /// Number of relevant forms that exist.
    pub existing: u64,
    /// Counts every few hundred requests.
    pub curve: Vec<CurvePoint>,
    /// Requests by purpose.
    pub requests: RequestCounts,
    /// Cost of training before the crawl, for strategies that train.
    pub training: TrainingCost,
    /// Visited sites that hold relevant forms.
    pub deep: Vec<DeepSite>,
    /// Lessons of the strategy.
    pub lessons: Vec<LessonRow>,
    /// Gauges of the strategy.
    pub gauges: Gauges,
    /// Cost of running the trial. Not part of the result.
    pub cost: TrialCost,
}

/// Requests and pages that a strategy uses before its first lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingCost {
    pub requests: u64,
    pub pages: u64,
}

/// A visited site that holds relevant forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeepSite {
    /// Hash of the site name, equal in every trial.
    pub site: u32,
    /// Pages fetched from the site.
    pub pages: u32,
    /// Relevant forms found on the site.
    pub relevant: u32,
}

/// Cost of running a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialCost {
    /// CPU time of the thread.
    pub cpu_seconds: f64,
    /// Visits answered from the page cache.
    #[serde(rename = "shelf_hits")]
    pub cache_hits: u64,
    /// Visits answered by the simulated web.
    #[serde(rename = "shelf_misses")]
    pub cache_misses: u64,
}

impl FindTrial {
    /// Counts after this many requests.
    pub fn at_requests(&self, requests: u64) -> CurvePoint {
        at(&self.curve, |point| point.requests, requests)
    }

    /// Counts after this many pages, not counting training pages.
    pub fn at_pages(&self, pages: u64) -> CurvePoint {
        at(&self.curve, |point| point.pages, pages + self.training.pages)
    }

    /// Counts at the end of the crawl.
    pub fn end(&self) -> CurvePoint {
        self.curve.last().copied().unwrap_or_default()
    }

    /// True if both trials have the same result. Ignores [`TrialCost`].
    pub fn same_result(&self, other: &FindTrial) -> bool {
        FindTrial { cost: other.cost, ..self.clone() } == *other
    }
}

/// Runs a trial on this thread. `progress` receives the number of requests sent.
pub fn run(
    setup: &Arc<TopicSetup>,
    entry: &StrategyEntry,
    spec: &TrialSpec,
    progress: &mut (dyn FnMut(u64) + Send),
) -> anyhow::Result<FindTrial> {
    let begun = cpu_time();
    let web = Arc::new(CachedWeb::new(Arc::clone(setup)));
    let store = Arc::new(MemoryStore::default());
    // Nothing is sent on this channel: a trial runs to its end.
    let (_running, stop) = watch::channel(false);
    let crawl_setup = crawl_setup(&web, &store, setup, entry, spec, stop);
    let mut scorer = Scorer::new(&setup.known_world.truth, &setup.topic, &setup.known);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let summary = runtime.block_on(crawl(crawl_setup, &mut |event| {
        scorer.update(&event);
        if let CrawlEvent::Gauges { requests, .. } = event {
            progress(requests);
        }
    }))?;
    let parts = RunParts { lessons: usize::MAX, ..RunParts::default() };
    let run = store.runs(&RunQuery { parts, ..RunQuery::one(summary.run) })?.pop();
    let lessons = run.map(|row| row.lessons).unwrap_or_default();
    let deep = deep_sites(store.as_ref(), setup, &scorer)?;
    let (curve, gauges) = scorer.finish();
    let (cache_hits, cache_misses) = web.cache_use();
    let cost = TrialCost { cpu_seconds: cpu_time() - begun, cache_hits, cache_misses };
    Ok(FindTrial {
        spec: spec.clone(),
        existing: setup.known_world.truth.relevant(&setup.topic),
        curve,
        requests: web.requests(),
        training: training(&lessons, &gauges),
        deep,
        lessons,
        gauges,
        cost,
    })
}

fn crawl_setup(
    web: &Arc<CachedWeb>,
    store: &Arc<MemoryStore>,
    setup: &TopicSetup,
    entry: &StrategyEntry,
    spec: &TrialSpec,
    stop: watch::Receiver<bool>,
) -> Crawl {
    let context = StrategyContext {
        seed: spec.seed,
        seeds: setup.seeds.clone(),
        examples: setup.examples.clone(),
        backlinks: true,
    };
    let run = RunSpec {
        topic: spec.topic.clone(),
        strategy: spec.strategy.clone(),
        seeds: setup.seeds.clone(),
        seed: spec.seed,
        source: spec.name(),
    };
    let (store, fetch) = (Arc::clone(store) as Arc<dyn Store>, Arc::clone(web) as _);
    let no_pauses = Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO };
    CrawlBuilder::new(store, run, entry.make(&context), Arc::clone(&setup.critic), fetch)
        .backlinks(Some(Arc::clone(web) as _))
        .visit(Arc::clone(web) as _)
        .budget(Budget { requests: Some(spec.requests), ..Budget::default() })
        .politeness(no_pauses, AGENT)
        .concurrency(SIMULATED_WINDOW)
        .clock(Clock::simulated(), SIMULATED_WINDOW)
        .checkpoint_every(Duration::MAX)
        .stop(stop)
        .build()
}

fn deep_sites(
    store: &MemoryStore,
    setup: &TopicSetup,
    scorer: &Scorer<'_>,
) -> Result<Vec<DeepSite>, CrawlError> {
    let deep: FxHashSet<&str> = setup.known_world.truth.deep_sites(&setup.topic).collect();
    let mut visited = Vec::new();
    for row in store.sites(&SiteQuery::default())? {
        if row.counters.pages > 0 && deep.contains(row.site.0.as_str()) {
            let relevant = scorer.found_on(&row.site);
            visited.push(DeepSite { site: number_of(&row.site), pages: row.counters.pages, relevant });
        }
    }
    visited.sort_unstable();
    Ok(visited)
}

fn number_of(site: &Site) -> u32 {
    xxh3_64(site.0.as_bytes()) as u32
}

/// Training cost by the gauges of the strategy. Other pages visited before the first lesson belong to the
/// crawl.
fn training(lessons: &[LessonRow], gauges: &Gauges) -> TrainingCost {
    let Some(first) = lessons.iter().find(|row| row.lesson.iteration == 0) else {
        return TrainingCost::default();
    };
    let by_then = |name: &str| {
        let values = gauges.get(name).map_or(&[][..], Vec::as_slice);
        let value = values.iter().find(|(requests, _)| *requests >= first.at_request).or(values.last());
        value.map_or(0, |(_, value)| *value as u64)
    };
    let pages = by_then("training pages");
    TrainingCost { requests: pages + by_then("look-ups"), pages }
}

/// CPU time of this thread in seconds.
pub fn cpu_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
