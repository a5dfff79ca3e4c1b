//! Trials of a plan: finished ones as JSON files, named by their parameters, and a queue of the missing ones.

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A folder of finished trials.
pub struct TrialFolder(PathBuf);

impl TrialFolder {
    /// Opens a folder and creates it if it does not exist.
    pub fn open(path: &Path) -> anyhow::Result<TrialFolder> {
        fs::create_dir_all(path).with_context(|| format!("could not create {}", path.display()))?;
        Ok(TrialFolder(path.to_path_buf()))
    }

    /// File of the value stored under a name.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.json"))
    }

    /// Value stored under a name; `None` if the file is missing or unreadable.
    pub fn load<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let bytes = fs::read(self.file(name)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Stores a value under a name atomically.
    pub fn store<T: Serialize>(&self, name: &str, value: &T) -> anyhow::Result<()> {
        let (path, beside) = (self.file(name), self.0.join(format!("{name}.json.new")));
        let written =
            fs::write(&beside, serde_json::to_vec(value)?).and_then(|()| fs::rename(&beside, &path));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Deletes the value stored under a name.
    pub fn delete(&self, name: &str) -> anyhow::Result<()> {
        match fs::remove_file(self.file(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

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

/// Trials that are left, and their progress.
pub struct TrialQueue<'a, S> {
    left: Mutex<VecDeque<S>>,
    progress: Mutex<PlanProgress>,
    on_progress: &'a (dyn Fn(&PlanProgress) + Sync),
}

impl<'a, S: Clone + Send> TrialQueue<'a, S> {
    /// Queue of the trials that are not finished. `budget` returns the request budget of a trial.
    pub fn new(
        all: &[S],
        is_finished: impl Fn(&S) -> bool,
        budget: impl Fn(&S) -> u64,
        on_progress: &'a (dyn Fn(&PlanProgress) + Sync),
    ) -> TrialQueue<'a, S> {
        let left: VecDeque<S> = all.iter().filter(|trial| !is_finished(trial)).cloned().collect();
        let progress = PlanProgress {
            requests: left.iter().map(budget).sum(),
            trials: left.len(),
            found: all.len() - left.len(),
            ..PlanProgress::default()
        };
        on_progress(&progress);
        TrialQueue { left: Mutex::new(left), progress: Mutex::new(progress), on_progress }
    }

    /// Takes the next trial.
    pub fn take(&self) -> Option<S> {
        self.left.lock().expect("a queue does not panic").pop_front()
    }

    /// Changes the progress and reports it.
    pub fn note(&self, change: impl FnOnce(&mut PlanProgress)) {
        let mut progress = self.progress.lock().expect("counting does not panic");
        change(&mut progress);
        (self.on_progress)(&progress);
    }

    /// Runs `work` on this number of threads, at most one per trial that is left. Returns the first error.
    pub fn run(&self, threads: usize, work: impl Fn() -> anyhow::Result<()> + Sync) -> anyhow::Result<()> {
        let left = self.left.lock().expect("a queue does not panic").len();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.clamp(1, left.max(1))).map(|_| scope.spawn(&work)).collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }
}
