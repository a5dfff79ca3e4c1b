//! Makes the trials of a plan, on all cores, each once.
//!
//! Trials stand in a row, those of one database together, and every thread takes the next. Collections and
//! databases are shared by the threads that work on them and forgotten with their last trial.

use super::arena::{Arena, Ground};
use super::oracle::{ORACLE, oracle};
use super::plan::{Case, Plan};
use super::settings::setting;
use super::trial::{self, Trial};
use crate::find::Advance;
use crate::trial_folder::Folder;
use anyhow::Context;
use hadal_core::harvest::policy::find_policy;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Makes every trial that the folder does not have, with so many threads, and returns all, in the plan's
/// order. `tell` hears how it goes.
pub fn run(
    plan: &Plan,
    folder: &Folder,
    threads: usize,
    tell: &(dyn Fn(&Advance) + Sync),
) -> anyhow::Result<Vec<Trial>> {
    let cases = plan.cases();
    let read = |case: &Case| folder.load(&case.name()).filter(|trial: &Trial| trial.case == *case);
    let left: VecDeque<Case> = cases.iter().filter(|case| read(case).is_none()).cloned().collect();
    let advance = Advance {
        requests: left.iter().map(budget).sum(),
        trials: left.len(),
        found: cases.len() - left.len(),
        ..Advance::default()
    };
    tell(&advance);
    let threads = threads.clamp(1, left.len().max(1));
    let (left, stage, advance) = (Mutex::new(left), Mutex::new(None), Mutex::new(advance));
    let row = Row { plan, left, stage, advance, folder, tell };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| row.work())).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    cases.iter().map(|case| read(case).with_context(|| format!("{} is gone", case.name()))).collect()
}

/// Requests that a trial has, as far as one can tell before its collection is read.
fn budget(case: &Case) -> u64 {
    let usual = || setting(&case.setting).map_or(0, |setting| setting.budget(case.records));
    case.requests.unwrap_or_else(usual)
}

/// The trials that are left, and what is set up for those under way.
struct Row<'a> {
    plan: &'a Plan,
    left: Mutex<VecDeque<Case>>,
    stage: Mutex<Option<Stage>>,
    advance: Mutex<Advance>,
    folder: &'a Folder,
    tell: &'a (dyn Fn(&Advance) + Sync),
}

/// What the latest trial was set up with.
struct Stage {
    case: Case,
    arena: Arc<Arena>,
}

impl Row<'_> {
    fn work(&self) -> anyhow::Result<()> {
        while let Some((case, arena)) = self.next()? {
            let trial = make(&case, &arena)?;
            self.folder.keep(&case.name(), &trial)?;
            let mut advance = self.advance.lock().expect("counting does not panic");
            advance.made += 1;
            advance.spent += budget(&case);
            (self.tell)(&advance);
        }
        Ok(())
    }

    /// The next trial and its arena. Threads come here in the order of the row, so a database is set up
    /// once; the one before it lives on with the trials that still use it.
    fn next(&self) -> anyhow::Result<Option<(Case, Arc<Arena>)>> {
        let mut stage = self.stage.lock().expect("setting up does not panic");
        let case = self.left.lock().expect("a queue does not panic").pop_front();
        let before = stage.take();
        let Some(case) = case else { return Ok(None) };
        let arena = match before {
            Some(stage) if stage.case.same_database(&case) => stage.arena,
            Some(stage) if stage.case.same_collection(&case) => {
                Arc::new(Arena::new(Arc::clone(&stage.arena.ground), &case)?)
            }
            before => {
                drop(before);
                Arc::new(Arena::new(Arc::new(self.ground(&case)?), &case)?)
            }
        };
        tracing::debug!(trial = case.name(), existing = arena.existing, "next");
        *stage = Some(Stage { case: case.clone(), arena: Arc::clone(&arena) });
        Ok(Some((case, arena)))
    }

    fn ground(&self, case: &Case) -> anyhow::Result<Ground> {
        let held = self.plan.collections.iter().find(|held| held.name == case.collection);
        Ground::of(held.with_context(|| format!("no collection '{}'", case.collection))?, case.records)
    }
}

fn make(case: &Case, arena: &Arena) -> anyhow::Result<Trial> {
    if case.policy == ORACLE {
        return Ok(trial::run(arena, &mut oracle(arena), case));
    }
    let entry = find_policy(&case.policy).with_context(|| format!("no policy '{}'", case.policy))?;
    Ok(trial::run(arena, entry.make(&arena.policy_context(case)).as_mut(), case))
}
