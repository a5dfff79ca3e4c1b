//! Makes the trials of a plan, on all cores, each once.
//!
//! Trials stand in a row, those of one topic together, and every thread takes the next. A topic's pages
//! are shared by all threads that work on it and forgotten with its last trial.

use super::arena::{Arena, Ground};
use super::oracle::{self, ORACLE};
use super::plan::{Plan, Setting};
use super::shelf::Room;
use super::trial::{self, Trial};
use crate::trial_folder::Folder;
use anyhow::Context;
use hadal_core::strategy::find_strategy;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// How far a plan has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advance {
    /// Requests of the trials that were left to make.
    pub requests: u64,
    /// Of those, how many are spent.
    pub spent: u64,
    /// Trials that were left to make.
    pub trials: usize,
    /// Of those, how many are made.
    pub made: usize,
    /// Trials that were there already.
    pub found: usize,
    /// Pages that were read again and again because no room was left to keep them.
    pub refused: u64,
}

/// Makes every trial that the folder does not have, with so many threads and bytes for shared pages, and
/// returns all, in the plan's order. `tell` hears how it goes.
pub fn run(
    plan: &Plan,
    folder: &Folder,
    threads: usize,
    room: u64,
    tell: &(dyn Fn(&Advance) + Sync),
) -> anyhow::Result<Vec<Trial>> {
    let settings = plan.settings();
    let left: VecDeque<Setting> =
        settings.iter().filter(|setting| folder.read(setting).is_none()).cloned().collect();
    let advance = Advance {
        requests: left.len() as u64 * plan.requests,
        trials: left.len(),
        found: settings.len() - left.len(),
        ..Advance::default()
    };
    tell(&advance);
    let threads = threads.clamp(1, left.len().max(1));
    let row = Row {
        left: Mutex::new(left),
        stage: Mutex::new(None),
        advance: Mutex::new(advance),
        room: Room::of(room),
        folder,
        tell,
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| row.work())).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let read = |setting: &Setting| {
        folder.read(setting).with_context(|| format!("{} is gone", folder.file(setting).display()))
    };
    settings.iter().map(read).collect()
}

/// The trials that are left, and what is set up for those under way.
struct Row<'a> {
    left: Mutex<VecDeque<Setting>>,
    stage: Mutex<Option<Stage>>,
    advance: Mutex<Advance>,
    room: Arc<Room>,
    folder: &'a Folder,
    tell: &'a (dyn Fn(&Advance) + Sync),
}

/// What the latest trial was set up with.
struct Stage {
    setting: Setting,
    arena: Arc<Arena>,
}

impl Row<'_> {
    fn work(&self) -> anyhow::Result<()> {
        while let Some((setting, arena)) = self.next()? {
            let trial = self.make(&setting, &arena)?;
            self.folder.write(&trial)?;
            self.note(|advance| advance.made += 1);
        }
        Ok(())
    }

    /// The next trial and its arena. Threads come here in the order of the row, so a topic is set up
    /// once; the arena before it lives on with the trials that still use it.
    fn next(&self) -> anyhow::Result<Option<(Setting, Arc<Arena>)>> {
        let mut stage = self.stage.lock().expect("setting up does not panic");
        let setting = self.left.lock().expect("a queue does not panic").pop_front();
        let Some(setting) = setting else {
            *stage = None;
            return Ok(None);
        };
        let before = stage.take();
        let same_world = before.as_ref().filter(|stage| stage.setting.same_world(&setting));
        let arena = match same_world {
            Some(stage) if stage.setting.topic == setting.topic => Arc::clone(&stage.arena),
            other => {
                let ground = other.map(|stage| stage.arena.ground.clone());
                drop(before);
                let ground = ground.unwrap_or_else(|| Ground::of(&setting));
                let arena = Arena::new(ground, &setting.topic, Arc::clone(&self.room));
                Arc::new(arena.with_context(|| format!("no topic '{}'", setting.topic))?)
            }
        };
        tracing::debug!(
            trial = setting.name(),
            pages = arena.shelf.pages(),
            bytes = self.room.used(),
            "next"
        );
        *stage = Some(Stage { setting: setting.clone(), arena: Arc::clone(&arena) });
        Ok(Some((setting, arena)))
    }

    fn make(&self, setting: &Setting, arena: &Arc<Arena>) -> anyhow::Result<Trial> {
        if setting.strategy == ORACLE {
            self.note(|advance| advance.spent += setting.requests);
            return Ok(oracle::trial(arena, setting));
        }
        let offer = find_strategy(&setting.strategy)
            .with_context(|| format!("no strategy '{}'", setting.strategy))?;
        let mut told = 0;
        let trial = trial::run(arena, offer, setting, &mut |spent| {
            let more = spent.saturating_sub(told);
            told = spent;
            self.note(|advance| advance.spent += more);
        });
        // A crawl may run dry before its budget is spent.
        self.note(|advance| advance.spent += setting.requests.saturating_sub(told));
        trial.with_context(|| setting.name())
    }

    fn note(&self, change: impl FnOnce(&mut Advance)) {
        let mut advance = self.advance.lock().expect("counting does not panic");
        change(&mut advance);
        advance.refused = self.room.refused();
        (self.tell)(&advance);
    }
}
