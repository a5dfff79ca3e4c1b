//! What runs and harvests do now: how fast runs go, and one reader of the store for everybody who watches.
//!
//! Each is looked at while somebody watches it, twice a second at most, however many they are; those who
//! watch are told when something changed.

use super::activity::told;
use super::desk::Desk;
use super::minds::Minds;
use crate::store::{Activity, RunId, RunRow, RunState, StoreError};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};
use utoipa::ToSchema;

/// How often what is watched is looked at.
const EVERY: Duration = Duration::from_millis(500);
/// How far back the pace is measured.
const WINDOW: Duration = Duration::from_secs(30);
/// How far apart two looks are at least, for a pace to be read off them.
const APART: Duration = Duration::from_millis(300);
/// Runs whose pace is remembered.
const MOST_RUNS: usize = 100;

/// How fast a run goes, by the wall's clock; unknown unless it was watched for a moment and is running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Pace {
    /// Requests per second.
    pub requests_per_s: Option<f64>,
    /// Pages per second.
    pub pages_per_s: Option<f64>,
    /// Seconds until the request budget is spent, at this pace.
    pub eta_s: Option<f64>,
}

/// What is known of runs and harvests while they are watched.
#[derive(Default)]
pub struct Live {
    looks: Mutex<FxHashMap<RunId, VecDeque<Look>>>,
    watched: Mutex<FxHashMap<Activity, watch::Sender<Option<Arc<str>>>>>,
    somebody: Notify,
    /// What the strategies of runs know.
    pub minds: Minds,
}

/// Where a run stood at a moment.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: Instant,
    requests: u64,
    pages: u64,
}

impl Live {
    /// Takes in where a run stands, and tells how fast it goes.
    pub fn observe(&self, row: &RunRow) -> Pace {
        let mut all = lock(&self.looks);
        if all.len() >= MOST_RUNS && !all.contains_key(&row.id) {
            all.clear();
        }
        let looks = all.entry(row.id).or_default();
        let now = Look { at: Instant::now(), requests: row.tally.requests, pages: row.tally.pages };
        if looks.back().is_none_or(|last| now.at - last.at >= APART) {
            looks.push_back(now);
        }
        while looks.front().is_some_and(|first| now.at - first.at > WINDOW) {
            looks.pop_front();
        }
        match (row.progress.state, looks.front()) {
            (RunState::Running, Some(first)) => pace(*first, now, row.progress.max_requests),
            _ => Pace::default(),
        }
    }

    /// What a run or a harvest does from now on, each time as JSON.
    pub fn watch(&self, of: Activity) -> watch::Receiver<Option<Arc<str>>> {
        let receiver = lock(&self.watched).entry(of).or_insert_with(|| watch::channel(None).0).subscribe();
        self.somebody.notify_one();
        receiver
    }

    /// What somebody watches.
    fn wanted(&self) -> Vec<Activity> {
        let mut watched = lock(&self.watched);
        watched.retain(|_, told| told.receiver_count() > 0);
        watched.keys().copied().collect()
    }

    /// Tells those who watch, when it is news.
    fn tell(&self, of: Activity, now: Arc<str>) {
        if let Some(told) = lock(&self.watched).get(&of) {
            told.send_if_modified(|last| {
                let news = last.as_ref() != Some(&now);
                *last = Some(now);
                news
            });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pace(first: Look, now: Look, max_requests: Option<u64>) -> Pace {
    let took = now.at - first.at;
    if took < APART {
        return Pace::default();
    }
    let rate = |before: u64, after: u64| after.saturating_sub(before) as f64 / took.as_secs_f64();
    let requests = rate(first.requests, now.requests);
    let left = max_requests.map(|most| most.saturating_sub(now.requests) as f64);
    Pace {
        requests_per_s: Some(requests),
        pages_per_s: Some(rate(first.pages, now.pages)),
        eta_s: left.filter(|_| requests > 0.0).map(|left| left / requests),
    }
}

/// Looks at what is watched, for as long as there is a server.
pub async fn keep_looking(desk: Weak<Desk>) {
    loop {
        let Some(server) = desk.upgrade() else { return };
        let wanted = server.live.wanted();
        if wanted.is_empty() {
            // Wakes up now and then to see whether the server is still there.
            tokio::time::timeout(EVERY * 4, server.live.somebody.notified()).await.ok();
            continue;
        }
        let looking = Arc::clone(&server);
        drop(server);
        let looked =
            tokio::task::spawn_blocking(move || wanted.into_iter().try_for_each(|of| look(&looking, of)));
        if let Ok(Err(error)) = looked.await {
            tracing::error!("{error}");
        }
        tokio::time::sleep(EVERY).await;
    }
}

fn look(desk: &Desk, of: Activity) -> Result<(), StoreError> {
    if let Some(now) = told(desk, of)? {
        desk.live.tell(of, now.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_what_was_done_in_the_time_between() {
        let at = Instant::now();
        let look = |seconds, requests, pages| Look { at: at + Duration::from_secs(seconds), requests, pages };
        let seen = pace(look(0, 100, 80), look(10, 300, 230), Some(1300));
        assert_eq!((seen.requests_per_s, seen.pages_per_s, seen.eta_s), (Some(20.0), Some(15.0), Some(50.0)));
        assert_eq!(pace(look(0, 5, 5), look(0, 9, 9), Some(10)), Pace::default());
        assert_eq!(pace(look(0, 5, 5), look(9, 5, 5), Some(10)).eta_s, None);
        assert_eq!(pace(look(0, 5, 5), look(9, 50, 5), None).eta_s, None);
    }
}
