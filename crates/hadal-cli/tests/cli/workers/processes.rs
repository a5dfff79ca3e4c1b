//! Workers as processes, which are started again when they are killed or fail.

use crate::crawl_process::signal;
use std::process::{Child, Command};

/// Workers of one crawl.
pub struct WorkerProcesses<F: Fn() -> Command> {
    start: F,
    /// `None`: the worker has ended by itself, because the crawl is over.
    running: Vec<Option<Child>>,
    /// Workers that ended with an error, and were started again.
    pub failures: usize,
}

impl<F: Fn() -> Command> WorkerProcesses<F> {
    pub fn start(count: usize, start: F) -> WorkerProcesses<F> {
        let running = (0..count).map(|_| Some(start().spawn().unwrap())).collect();
        WorkerProcesses { start, running, failures: 0 }
    }

    /// Kills a worker and starts another one. False if the worker has ended.
    pub fn kill(&mut self, place: usize) -> bool {
        self.tend();
        let Some(child) = self.running[place].as_mut() else { return false };
        child.kill().unwrap();
        child.wait().unwrap();
        self.running[place] = Some((self.start)().spawn().unwrap());
        true
    }

    /// Freezes a worker until `is_over` is true. False if the worker has ended.
    pub fn freeze(&mut self, place: usize, mut is_over: impl FnMut(u32) -> bool) -> bool {
        self.tend();
        let Some(child) = self.running[place].as_ref() else { return false };
        signal(child, "STOP");
        while !is_over(child.id()) {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        signal(child, "CONT");
        true
    }

    /// Starts workers again that ended with an error. Returns true if all workers have ended by themselves.
    pub fn tend(&mut self) -> bool {
        for place in &mut self.running {
            let Some(status) = place.as_mut().and_then(|child| child.try_wait().unwrap()) else { continue };
            *place = match status.success() {
                true => None,
                false => {
                    self.failures += 1;
                    Some((self.start)().spawn().unwrap())
                }
            };
        }
        self.running.iter().all(Option::is_none)
    }
}

impl<F: Fn() -> Command> Drop for WorkerProcesses<F> {
    /// Ends the workers of a test that failed.
    fn drop(&mut self) {
        for child in self.running.iter_mut().flatten() {
            child.kill().ok();
            child.wait().ok();
        }
    }
}
