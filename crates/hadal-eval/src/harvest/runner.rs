//! Runs the missing trials of a plan on all cores.
//!
//! Threads take trials from one queue in which the trials of a database are adjacent. Threads share collections
//! and databases, which are freed with their last trial.

use super::database_setup::{DatabaseSetup, IndexedCollection, oracle};
use super::plan::{HarvestCase, HarvestTrialPlan};
use super::settings::setting;
use super::trial::{self, HarvestTrial};
use crate::ORACLE;
use crate::trials::{PlanProgress, TrialFolder, TrialQueue};
use anyhow::Context;
use hadal_core::harvest::policy::PolicyRegistry;
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
    let runner = HarvestRunner {
        plan,
        policies,
        queue: TrialQueue::new(&cases, |case| read(case).is_some(), budget, on_progress),
        stage: Mutex::new(None),
        folder,
    };
    runner.queue.run(threads, || runner.work())?;
    let missing = |case: &HarvestCase| format!("{} is missing or cannot be read", case.name());
    cases.iter().map(|case| read(case).with_context(|| missing(case))).collect()
}

/// Request budget of a trial, estimated without loading its collection.
fn budget(case: &HarvestCase) -> u64 {
    let usual = || setting(&case.setting).map_or(0, |setting| setting.budget(case.records));
    case.requests.unwrap_or_else(usual)
}

/// Queue of missing trials, and the setup of the trials that are running.
struct HarvestRunner<'a> {
    plan: &'a HarvestTrialPlan,
    policies: &'a PolicyRegistry,
    queue: TrialQueue<'a, HarvestCase>,
    stage: Mutex<Option<CurrentDatabase>>,
    folder: &'a TrialFolder,
}

/// Setup of the trial taken last.
struct CurrentDatabase {
    case: HarvestCase,
    setup: Arc<DatabaseSetup>,
}

impl HarvestRunner<'_> {
    fn work(&self) -> anyhow::Result<()> {
        while let Some((case, setup)) = self.next()? {
            let trial = self.make(&case, &setup)?;
            self.folder.store(&case.name(), &trial)?;
            self.queue.note(|progress| {
                progress.made += 1;
                progress.spent += budget(&case);
            });
        }
        Ok(())
    }

    /// Takes the next trial. Trials of a database are adjacent, so each database is set up once. An earlier
    /// setup lives as long as a running trial uses it.
    fn next(&self) -> anyhow::Result<Option<(HarvestCase, Arc<DatabaseSetup>)>> {
        let mut stage = self.stage.lock().expect("setting up does not panic");
        let before = stage.take();
        let Some(case) = self.queue.take() else { return Ok(None) };
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
