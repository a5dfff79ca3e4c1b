//! Progress of a session: checkpoints, control by the user, and the state in which the session ends.

use super::event::CrawlEvent;
use super::setup::Crawl;
use super::spending::Spending;
use crate::store::*;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Interval of progress events and of reading the control of the run. Guess.
const EVENT_INTERVAL: Duration = Duration::from_millis(500);
/// Least time between two checkpoints, as a multiple of the duration of the last one, up to [`MAX_SPACING`]. A commit
/// writes every page of a table or index that it changed, and new links change random pages, so rare commits write less.
/// Guess: a commit takes 20 ms when it writes about 2,000 pages.
const CHECKPOINT_SPACING: u32 = 50;
/// Least time between two checkpoints as a part of the session, up to [`MAX_SPACING`]: one in this many. Guess: a kill
/// repeats a twentieth of a short session.
const SESSION_PARTS: u32 = 20;
/// Longest spacing that these two cause. Guess: a kill repeats a second of the crawl.
const MAX_SPACING: Duration = Duration::from_secs(1);
/// Least time between two checkpoints in any case, as a multiple of the duration of the last one: checkpoints take at
/// most a tenth of a session.
const LEAST_SPACING: u32 = 10;

/// Writes the checkpoints of a session, and knows whether it is paused or ending.
pub struct CrawlProgress {
    store: Arc<dyn Store>,
    run: RunId,
    /// State of the run before this session.
    pub state_before: RunState,
    checkpoint_every: Duration,
    last_checkpoint: Instant,
    checkpoint_took: Duration,
    began: Instant,
    last_event: Instant,
    is_paused: bool,
    stop: watch::Receiver<bool>,
    ending: Option<(RunState, Instant)>,
}

impl CrawlProgress {
    /// Progress of a session that begins now. `before` is the state of the run.
    pub fn new(crawl: &Crawl, run: RunId, before: RunState) -> CrawlProgress {
        let now = Instant::now();
        CrawlProgress {
            store: Arc::clone(&crawl.store),
            run,
            state_before: before,
            checkpoint_every: crawl.checkpoint_every,
            last_checkpoint: now,
            checkpoint_took: Duration::ZERO,
            began: now,
            last_event: now,
            is_paused: false,
            stop: crawl.stop.clone(),
            ending: None,
        }
    }

    /// True while the user has paused the run.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Decides the final state of the session, unless that was done before.
    pub fn end(&mut self, state: RunState) {
        self.ending.get_or_insert((state, Instant::now()));
    }

    /// Final state of the session, once it is decided. The stop signal decides it, too.
    pub fn ending(&mut self) -> Option<RunState> {
        if *self.stop.borrow() {
            self.end(RunState::Stopped);
        }
        self.ending.map(|(state, _)| state)
    }

    /// Time since the session was stopped.
    pub fn stopped_for(&mut self) -> Option<Duration> {
        let state = self.ending()?;
        self.ending.filter(|_| state == RunState::Stopped).map(|(_, at)| at.elapsed())
    }

    /// True when the next checkpoint is due.
    pub fn is_checkpoint_due(&self) -> bool {
        self.last_checkpoint.elapsed()
            >= self.checkpoint_every.max(spacing(self.checkpoint_took, self.began.elapsed()))
    }

    /// Makes everything committed so far durable, with this progress of the run.
    pub fn checkpoint(&mut self, progress: RunProgress) -> Result<(), StoreError> {
        let began = Instant::now();
        let is_paused = self.is_paused && progress.state == RunState::Running;
        let state = if is_paused { RunState::Paused } else { progress.state };
        let progress = Some(RunProgress { state, ..progress });
        self.store.commit(self.run, &Batch { progress, ..Batch::default() })?;
        self.store.sync()?;
        self.last_checkpoint = Instant::now();
        self.checkpoint_took = began.elapsed();
        Ok(())
    }

    /// Applies the control of the run and returns a progress event, when that is due.
    pub fn poll_control(&mut self, spending: &mut Spending) -> Result<Option<CrawlEvent>, StoreError> {
        if self.last_event.elapsed() < EVENT_INTERVAL {
            return Ok(None);
        }
        self.last_event = Instant::now();
        let control = self.store.control(Activity::Run(self.run))?;
        self.is_paused = control.pause;
        spending.set_paused(control.pause, self.last_event);
        control.max_requests.into_iter().for_each(|requests| spending.set_max_requests(requests));
        if control.stop {
            self.end(RunState::Stopped);
        }
        Ok(Some(CrawlEvent::Progress(self.counters()?)))
    }

    /// Removes a stop request that was carried out.
    pub fn clear_control(&self) -> Result<(), StoreError> {
        clear_control(self.store.as_ref(), Activity::Run(self.run))
    }

    /// All counters of the run, from the store.
    pub fn counters(&self) -> Result<RunCounters, StoreError> {
        let row = self.store.runs(&RunQuery::one(self.run))?.pop();
        Ok(row.map(|row| row.counters).unwrap_or_default())
    }
}

/// Least time until the next checkpoint, after one that took this long, in a session of this length.
fn spacing(took: Duration, session: Duration) -> Duration {
    let wanted = took.saturating_mul(CHECKPOINT_SPACING).max(session / SESSION_PARTS).min(MAX_SPACING);
    wanted.max(took.saturating_mul(LEAST_SPACING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_checkpoints_and_those_of_long_sessions_are_a_second_apart() {
        let ms = Duration::from_millis;
        let short = |took| spacing(ms(took), ms(0));
        assert_eq!([1, 10, 50, 200].map(short), [50, 500, 1_000, 2_000].map(ms));
        let quick = |session| spacing(ms(1), ms(session));
        assert_eq!([0, 4_000, 60_000].map(quick), [50, 200, 1_000].map(ms));
    }
}
