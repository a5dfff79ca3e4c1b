//! Strategies of runs with their learned state, loaded from the store to explain decisions.

use crate::store::{RunId, RunParts, RunQuery, RunRow, Store, StoreError};
use hadal_core::strategy::{Strategy, StrategyContext, find_strategy};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Least time between two loads of a strategy, because its state is large.
const MIN_RELOAD_INTERVAL: Duration = Duration::from_secs(5);
/// Number of cached strategies. Guess.
const MAX_CACHED: usize = 4;

/// Cache of strategies.
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
