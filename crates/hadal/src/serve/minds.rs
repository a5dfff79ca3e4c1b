//! Strategies of runs with what they have learned, read back from the store, to say why they decided so.

use crate::store::{RunId, RunRow, Store, StoreError};
use hadal_core::strategy::{Strategy, StrategyContext, find_strategy};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What was learned is large, and changes slowly: it is not read more often than this.
const GOOD_FOR: Duration = Duration::from_secs(5);
/// Strategies at hand.
const MOST: usize = 4;

/// Strategies at hand.
#[derive(Default)]
pub struct Minds(Mutex<FxHashMap<RunId, Mind>>);

/// A strategy, and when it was read back.
type Mind = (Instant, Box<dyn Strategy>);

impl Minds {
    /// Does something with a run's strategy as it was saved lately; there is none when nothing was learned,
    /// or when this program does not know the strategy.
    pub fn with<T>(
        &self,
        store: &dyn Store,
        row: &RunRow,
        work: impl FnOnce(Option<&dyn Strategy>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut minds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if minds.get(&row.id).is_none_or(|(read, _)| read.elapsed() > GOOD_FOR) {
            if minds.len() >= MOST {
                minds.clear();
            }
            match recall(store, row)? {
                Some(mind) => minds.insert(row.id, (Instant::now(), mind)),
                None => minds.remove(&row.id),
            };
        }
        work(minds.get(&row.id).map(|(_, mind)| mind.as_ref()))
    }
}

fn recall(store: &dyn Store, row: &RunRow) -> Result<Option<Box<dyn Strategy>>, StoreError> {
    let Some(offer) = find_strategy(&row.spec.strategy) else { return Ok(None) };
    let Some(saved) = store.saved_strategy(row.id)? else { return Ok(None) };
    let mut mind = offer.make(&StrategyContext::seeded(row.spec.seed));
    Ok(mind.restore(&saved).is_ok().then_some(mind))
}
