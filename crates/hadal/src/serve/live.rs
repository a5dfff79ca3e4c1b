//! Live state of runs and harvests: rates, and one reader of the store for all clients.
//!
//! A run or harvest is read at most twice a second while at least one client watches it. Clients are notified
//! of changes.

use super::state::AppState;
use super::{harvests, runs};
use crate::store::{Activity, RunId, RunParts, RunQuery, RunRow, RunState, Store, StoreError};
use hadal_core::strategy::{Strategy, StrategyContext, find_strategy};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};
use utoipa::ToSchema;

/// Poll interval of watched runs and harvests. Guess.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Window over which rates are measured.
const WINDOW: Duration = Duration::from_secs(30);
/// Least time between two samples of a rate. Guess.
const MIN_INTERVAL: Duration = Duration::from_millis(300);
/// Maximum number of runs with stored rate samples. Guess.
const MAX_RUNS: usize = 100;

/// Rates of a run on the real clock; null unless it runs and has been watched for a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct RunRates {
    /// Requests per second.
    pub requests_per_s: Option<f64>,
    /// Pages per second.
    pub pages_per_s: Option<f64>,
    /// Seconds until the request budget is spent at this rate.
    pub eta_s: Option<f64>,
}

/// Live state of watched runs and harvests.
#[derive(Default)]
pub struct Live {
    samples: Mutex<FxHashMap<RunId, VecDeque<RateSample>>>,
    watched: Mutex<FxHashMap<Activity, watch::Sender<Option<Arc<str>>>>>,
    client_arrived: Notify,
    /// Strategies of runs with their learned state.
    pub strategies: StrategyCache,
}

/// Counters of a run at one time.
#[derive(Clone, Copy, Debug)]
struct RateSample {
    at: Instant,
    requests: u64,
    pages: u64,
}

impl Live {
    /// Adds a sample and returns the rates.
    pub fn observe(&self, row: &RunRow) -> RunRates {
        let mut all = lock(&self.samples);
        if all.len() >= MAX_RUNS && !all.contains_key(&row.id) {
            all.clear();
        }
        let samples = all.entry(row.id).or_default();
        let now =
            RateSample { at: Instant::now(), requests: row.counters.requests, pages: row.counters.pages };
        if samples.back().is_none_or(|last| now.at - last.at >= MIN_INTERVAL) {
            samples.push_back(now);
        }
        while samples.front().is_some_and(|first| now.at - first.at > WINDOW) {
            samples.pop_front();
        }
        match (row.progress.state, samples.front()) {
            (RunState::Running, Some(first)) => rates_between(*first, now, row.progress.max_requests),
            _ => RunRates::default(),
        }
    }

    /// Subscribes to the JSON state of a run or harvest.
    pub fn watch(&self, of: Activity) -> watch::Receiver<Option<Arc<str>>> {
        let receiver = lock(&self.watched).entry(of).or_insert_with(|| watch::channel(None).0).subscribe();
        self.client_arrived.notify_one();
        receiver
    }

    /// Watched runs and harvests.
    fn watched_activities(&self) -> Vec<Activity> {
        let mut watched = lock(&self.watched);
        watched.retain(|_, channel| channel.receiver_count() > 0);
        watched.keys().copied().collect()
    }

    /// Notifies clients if the state changed.
    fn publish(&self, of: Activity, now: Arc<str>) {
        if let Some(channel) = lock(&self.watched).get(&of) {
            channel.send_if_modified(|last| {
                let updates = last.as_ref() != Some(&now);
                *last = Some(now);
                updates
            });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn rates_between(first: RateSample, now: RateSample, max_requests: Option<u64>) -> RunRates {
    let took = now.at - first.at;
    if took < MIN_INTERVAL {
        return RunRates::default();
    }
    let rate = |before: u64, after: u64| after.saturating_sub(before) as f64 / took.as_secs_f64();
    let requests = rate(first.requests, now.requests);
    let left = max_requests.map(|most| most.saturating_sub(now.requests) as f64);
    RunRates {
        requests_per_s: Some(requests),
        pages_per_s: Some(rate(first.pages, now.pages)),
        eta_s: left.filter(|_| requests > 0.0).map(|left| left / requests),
    }
}

/// Polls watched runs and harvests as long as the server exists.
pub async fn poll(state: Weak<AppState>) {
    loop {
        let Some(server) = state.upgrade() else { return };
        let wanted = server.live.watched_activities();
        if wanted.is_empty() {
            // Wakes up regularly to check that the server still exists.
            tokio::time::timeout(POLL_INTERVAL * 4, server.live.client_arrived.notified()).await.ok();
            continue;
        }
        let looking = Arc::clone(&server);
        drop(server);
        let looked = tokio::task::spawn_blocking(move || {
            wanted.into_iter().try_for_each(|of| publish_state(&looking, of))
        });
        if let Ok(Err(error)) = looked.await {
            tracing::error!("{error}");
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

fn publish_state(state: &AppState, of: Activity) -> Result<(), StoreError> {
    if let Some(now) = state_json(state, of)? {
        state.live.publish(of, now.into());
    }
    Ok(())
}

/// Least time between two loads of a strategy, because its state is large.
const MIN_RELOAD_INTERVAL: Duration = Duration::from_secs(5);
/// Number of cached strategies. Guess.
const MAX_CACHED: usize = 4;

/// Strategies of runs with their learned state, loaded from the store to explain decisions.
#[derive(Default)]
pub struct StrategyCache(Mutex<FxHashMap<RunId, CachedStrategy>>);

/// A strategy and the time it was loaded.
type CachedStrategy = (Instant, Box<dyn Strategy>);

impl StrategyCache {
    /// Calls a function with a run's strategy. `None` if nothing was learned or the strategy is unknown.
    pub fn with<T>(
        &self,
        store: &dyn Store,
        row: &RunRow,
        work: impl FnOnce(Option<&dyn Strategy>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut strategies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if strategies.get(&row.id).is_none_or(|(read, _)| read.elapsed() > MIN_RELOAD_INTERVAL) {
            if strategies.len() >= MAX_CACHED {
                strategies.clear();
            }
            match load_strategy(store, row)? {
                Some(strategy) => strategies.insert(row.id, (Instant::now(), strategy)),
                None => strategies.remove(&row.id),
            };
        }
        work(strategies.get(&row.id).map(|(_, strategy)| strategy.as_ref()))
    }
}

fn load_strategy(store: &dyn Store, row: &RunRow) -> Result<Option<Box<dyn Strategy>>, StoreError> {
    let Some(entry) = find_strategy(&row.spec.strategy) else { return Ok(None) };
    let parts = RunParts { strategy: true, ..RunParts::default() };
    let saved = store.runs(&RunQuery { parts, ..RunQuery::one(row.id) })?.pop();
    let Some(saved) = saved.and_then(|row| row.progress.strategy) else { return Ok(None) };
    let mut strategy = entry.make(&StrategyContext::seeded(row.spec.seed));
    Ok(strategy.restore(&saved).is_ok().then_some(strategy))
}

/// Current state as JSON; `None` if it does not exist.
fn state_json(state: &AppState, of: Activity) -> Result<Option<String>, StoreError> {
    let store = state.store.as_ref();
    match of {
        Activity::Run(run) => Ok(runs::now(store, run, &state.live)?.and_then(|now| json(&now))),
        Activity::Harvest(harvest) => Ok(harvests::now(store, harvest)?.and_then(|now| json(&now))),
    }
}

fn json(now: &impl Serialize) -> Option<String> {
    serde_json::to_string(now).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_differences_over_time() {
        let at = Instant::now();
        let sample =
            |seconds, requests, pages| RateSample { at: at + Duration::from_secs(seconds), requests, pages };
        let seen = rates_between(sample(0, 100, 80), sample(10, 300, 230), Some(1300));
        assert_eq!((seen.requests_per_s, seen.pages_per_s, seen.eta_s), (Some(20.0), Some(15.0), Some(50.0)));
        assert_eq!(rates_between(sample(0, 5, 5), sample(0, 9, 9), Some(10)), RunRates::default());
        assert_eq!(rates_between(sample(0, 5, 5), sample(9, 5, 5), Some(10)).eta_s, None);
        assert_eq!(rates_between(sample(0, 5, 5), sample(9, 50, 5), None).eta_s, None);
    }
}
