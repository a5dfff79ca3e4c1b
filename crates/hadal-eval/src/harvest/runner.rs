//! Runs the missing trials of a plan on all cores.
//!
//! Threads take trials from one queue in which the trials of a database are adjacent. Threads share collections
//! and databases, which are freed with their last trial.

use super::database_setup::{DatabaseSetup, IndexedCollection, oracle};
use super::plan::{HarvestCase, HarvestTrialPlan};
use super::settings::setting;
use super::trial::{self, HarvestTrial};
use crate::ORACLE;
use crate::find::PlanProgress;
use crate::trial_folder::TrialFolder;
use anyhow::Context;
use hadal_core::harvest::policy::PolicyRegistry;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Runs every trial that the folder does not hold. Returns all trials in the order of the plan.
pub fn run(
    plan: &HarvestTrialPlan,
    policies: &PolicyRegistry,
    folder: &TrialFolder,
    threads: usize,
    on_progress: &(dyn Fn(&PlanProgress) + Sync),
) -> anyhow::Result<Vec<HarvestTrial>> {
    let cases = plan.cases();
    let read =
        |case: &HarvestCase| folder.load(&case.name()).filter(|trial: &HarvestTrial| trial.case == *case);
    let left: VecDeque<HarvestCase> = cases.iter().filter(|case| read(case).is_none()).cloned().collect();
    let progress = PlanProgress {
        requests: left.iter().map(budget).sum(),
        trials: left.len(),
        found: cases.len() - left.len(),
        ..PlanProgress::default()
    };
    on_progress(&progress);
    let threads = threads.clamp(1, left.len().max(1));
    let (left, stage, progress) = (Mutex::new(left), Mutex::new(None), Mutex::new(progress));
    let queue = CaseQueue { plan, policies, left, stage, progress, folder, on_progress };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| queue.work())).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    cases
        .iter()
        .map(|case| read(case).with_context(|| format!("{} is missing or cannot be read", case.name())))
        .collect()
}

/// Request budget of a trial, estimated without loading its collection.
fn budget(case: &HarvestCase) -> u64 {
    let usual = || setting(&case.setting).map_or(0, |setting| setting.budget(case.records));
    case.requests.unwrap_or_else(usual)
}

/// Queue of missing trials, and the setup of the trials that are running.
struct CaseQueue<'a> {
    plan: &'a HarvestTrialPlan,
    policies: &'a PolicyRegistry,
    left: Mutex<VecDeque<HarvestCase>>,
    stage: Mutex<Option<CurrentDatabase>>,
    progress: Mutex<PlanProgress>,
    folder: &'a TrialFolder,
    on_progress: &'a (dyn Fn(&PlanProgress) + Sync),
}

/// Setup of the trial taken last.
struct CurrentDatabase {
    case: HarvestCase,
    setup: Arc<DatabaseSetup>,
}

impl CaseQueue<'_> {
    fn work(&self) -> anyhow::Result<()> {
        while let Some((case, setup)) = self.next()? {
            let trial = self.make(&case, &setup)?;
            self.folder.store(&case.name(), &trial)?;
            let mut progress = self.progress.lock().expect("counting does not panic");
            progress.made += 1;
            progress.spent += budget(&case);
            (self.on_progress)(&progress);
        }
        Ok(())
    }

    /// Takes the next trial. Trials of a database are adjacent, so each database is set up once. An earlier
    /// setup lives as long as a running trial uses it.
    fn next(&self) -> anyhow::Result<Option<(HarvestCase, Arc<DatabaseSetup>)>> {
        let mut stage = self.stage.lock().expect("setting up does not panic");
        let case = self.left.lock().expect("a queue does not panic").pop_front();
        let before = stage.take();
        let Some(case) = case else { return Ok(None) };
        let setup = match before {
            Some(stage) if stage.case.same_database(&case) => stage.setup,
            Some(stage) if stage.case.same_collection(&case) => {
                Arc::new(DatabaseSetup::new(Arc::clone(&stage.setup.collection), &case)?)
            }
            before => {
                drop(before);
                Arc::new(DatabaseSetup::new(Arc::new(self.collection(&case)?), &case)?)
            }
        };
        tracing::debug!(trial = case.name(), existing = setup.existing, "next");
        *stage = Some(CurrentDatabase { case: case.clone(), setup: Arc::clone(&setup) });
        Ok(Some((case, setup)))
    }

    fn make(&self, case: &HarvestCase, setup: &DatabaseSetup) -> anyhow::Result<HarvestTrial> {
        if case.policy == ORACLE {
            return Ok(trial::run(setup, &mut oracle(setup), case));
        }
        let entry =
            self.policies.find(&case.policy).with_context(|| format!("unknown policy '{}'", case.policy))?;
        Ok(trial::run(setup, entry.make(&setup.policy_context(case)?).as_mut(), case))
    }

    fn collection(&self, case: &HarvestCase) -> anyhow::Result<IndexedCollection> {
        let held = self.plan.collections.iter().find(|held| held.name == case.collection);
        IndexedCollection::of(
            held.with_context(|| format!("no collection '{}'", case.collection))?,
            case.records,
        )
    }
}
