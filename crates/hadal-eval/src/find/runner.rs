//! Runs the missing trials of a plan on all cores.
//!
//! Threads take trials from one queue in which the trials of a topic are adjacent. The threads of a topic share
//! its page cache, which is freed with the last trial of the topic.

use super::oracle;
use super::page_cache::CacheLimit;
use super::plan::{FindPlan, TrialSpec};
use super::topic_setup::{KnownWorld, TopicSetup};
use super::trial::{self, FindTrial};
use crate::ORACLE;
use crate::trial_folder::TrialFolder;
use anyhow::Context;
use hadal_core::strategy::StrategyRegistry;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Progress of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanProgress {
    /// Requests of all trials that were missing at the start.
    pub requests: u64,
    /// Requests of those trials sent so far.
    pub spent: u64,
    /// Trials that were missing at the start.
    pub trials: usize,
    /// Trials finished so far.
    pub made: usize,
    /// Trials that the folder already held.
    pub found: usize,
    /// Pages that were not cached because the cache was full.
    pub refused: u64,
}

/// Runs every trial that the folder does not hold, with `threads` threads and `cache_bytes` of page cache.
/// Returns all trials in the order of the plan.
pub fn run(
    plan: &FindPlan,
    strategies: &StrategyRegistry,
    folder: &TrialFolder,
    threads: usize,
    cache_bytes: u64,
    on_progress: &(dyn Fn(&PlanProgress) + Sync),
) -> anyhow::Result<Vec<FindTrial>> {
    let specs = plan.specs();
    let left: VecDeque<TrialSpec> =
        specs.iter().filter(|spec| folder.read(spec).is_none()).cloned().collect();
    let progress = PlanProgress {
        requests: left.len() as u64 * plan.requests,
        trials: left.len(),
        found: specs.len() - left.len(),
        ..PlanProgress::default()
    };
    on_progress(&progress);
    let threads = threads.clamp(1, left.len().max(1));
    let queue = TrialQueue {
        left: Mutex::new(left),
        stage: Mutex::new(None),
        progress: Mutex::new(progress),
        limit: CacheLimit::of(cache_bytes),
        strategies,
        folder,
        on_progress,
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| queue.work())).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let read = |spec: &TrialSpec| {
        folder
            .read(spec)
            .with_context(|| format!("{} is missing or cannot be read", folder.file(spec).display()))
    };
    specs.iter().map(read).collect()
}

/// Queue of missing trials, and the setup of the trials that are running.
struct TrialQueue<'a> {
    left: Mutex<VecDeque<TrialSpec>>,
    stage: Mutex<Option<CurrentSetup>>,
    progress: Mutex<PlanProgress>,
    limit: Arc<CacheLimit>,
    strategies: &'a StrategyRegistry,
    folder: &'a TrialFolder,
    on_progress: &'a (dyn Fn(&PlanProgress) + Sync),
}

/// Setup of the trial taken last.
struct CurrentSetup {
    spec: TrialSpec,
    setup: Arc<TopicSetup>,
}

impl TrialQueue<'_> {
    fn work(&self) -> anyhow::Result<()> {
        while let Some((spec, setup)) = self.next()? {
            let trial = self.make(&spec, &setup)?;
            self.folder.write(&trial)?;
            self.note(|progress| progress.made += 1);
        }
        Ok(())
    }

    /// Takes the next trial. Trials of a topic are adjacent, so each topic is set up once. An earlier setup
    /// lives as long as a running trial uses it.
    fn next(&self) -> anyhow::Result<Option<(TrialSpec, Arc<TopicSetup>)>> {
        let mut stage = self.stage.lock().expect("setting up a topic does not panic");
        let spec = self.left.lock().expect("a queue does not panic").pop_front();
        let Some(spec) = spec else {
            *stage = None;
            return Ok(None);
        };
        let before = stage.take();
        let same_world = before.as_ref().filter(|stage| stage.spec.same_world(&spec));
        let setup = match same_world {
            Some(stage) if stage.spec.topic == spec.topic => Arc::clone(&stage.setup),
            other => {
                let known_world = other.map(|stage| stage.setup.known_world.clone());
                drop(before);
                let known_world = known_world.unwrap_or_else(|| KnownWorld::of(&spec));
                let setup = TopicSetup::new(known_world, &spec.topic, Arc::clone(&self.limit));
                Arc::new(setup.with_context(|| format!("no topic '{}'", spec.topic))?)
            }
        };
        tracing::debug!(trial = spec.name(), pages = setup.cache.pages(), bytes = self.limit.used(), "next");
        *stage = Some(CurrentSetup { spec: spec.clone(), setup: Arc::clone(&setup) });
        Ok(Some((spec, setup)))
    }

    fn make(&self, spec: &TrialSpec, setup: &Arc<TopicSetup>) -> anyhow::Result<FindTrial> {
        if spec.strategy == ORACLE {
            self.note(|progress| progress.spent += spec.requests);
            return Ok(oracle::trial(setup, spec));
        }
        let entry = self
            .strategies
            .find(&spec.strategy)
            .with_context(|| format!("unknown strategy '{}'", spec.strategy))?;
        let mut reported = 0;
        let trial = trial::run(setup, entry, spec, &mut |spent| {
            let more = spent.saturating_sub(reported);
            reported = spent;
            self.note(|progress| progress.spent += more);
        });
        // A crawl may exhaust its frontier before its budget.
        self.note(|progress| progress.spent += spec.requests.saturating_sub(reported));
        trial.with_context(|| spec.name())
    }

    fn note(&self, change: impl FnOnce(&mut PlanProgress)) {
        let mut progress = self.progress.lock().expect("counting does not panic");
        change(&mut progress);
        progress.refused = self.limit.refused();
        (self.on_progress)(&progress);
    }
}
