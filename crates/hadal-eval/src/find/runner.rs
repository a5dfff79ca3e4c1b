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
use crate::trials::{PlanProgress, TrialFolder, TrialQueue};
use anyhow::Context;
use hadal_core::strategy::StrategyRegistry;
use std::sync::{Arc, Mutex};

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
    let read = |spec: &TrialSpec| folder.load(&spec.name()).filter(|trial: &FindTrial| trial.spec == *spec);
    let runner = FindRunner {
        queue: TrialQueue::new(&specs, |spec| read(spec).is_some(), |_| plan.requests, on_progress),
        stage: Mutex::new(None),
        limit: CacheLimit::of(cache_bytes),
        strategies,
        folder,
    };
    runner.queue.run(threads, || runner.work())?;
    let missing =
        |spec: &TrialSpec| format!("{} is missing or cannot be read", folder.file(&spec.name()).display());
    specs.iter().map(|spec| read(spec).with_context(|| missing(spec))).collect()
}

/// Queue of missing trials, and the setup of the trials that are running.
struct FindRunner<'a> {
    queue: TrialQueue<'a, TrialSpec>,
    stage: Mutex<Option<CurrentSetup>>,
    limit: Arc<CacheLimit>,
    strategies: &'a StrategyRegistry,
    folder: &'a TrialFolder,
}

/// Setup of the trial taken last.
struct CurrentSetup {
    spec: TrialSpec,
    setup: Arc<TopicSetup>,
}

impl FindRunner<'_> {
    fn work(&self) -> anyhow::Result<()> {
        while let Some((spec, setup)) = self.next()? {
            let trial = self.make(&spec, &setup)?;
            self.folder.store(&spec.name(), &trial)?;
            self.note(|progress| progress.made += 1);
        }
        Ok(())
    }

    /// Takes the next trial. Trials of a topic are adjacent, so each topic is set up once. An earlier setup
    /// lives as long as a running trial uses it.
    fn next(&self) -> anyhow::Result<Option<(TrialSpec, Arc<TopicSetup>)>> {
        let mut stage = self.stage.lock().expect("setting up a topic does not panic");
        let Some(spec) = self.queue.take() else {
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
        self.queue.note(|progress| {
            change(progress);
            progress.refused = self.limit.refused();
        });
    }
}
