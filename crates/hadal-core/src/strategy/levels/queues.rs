//! The queues of the level strategies: look-ups and pages to learn from, then for each level a crawling
//! and a persistent frontier.
//!
//! New links wait in the persistent frontier. Only when nothing is left to serve in the crawling frontier
//! is a batch loaded, the most relevant links first; so links with delayed benefit have their turn too
//! (FFC paper, section 3.4). A batch takes more of the nearer levels: of three, a half, a third, a sixth.

use super::super::{QueueChoice, QueueHeads, StrategyCommand};
use crate::link::QueueId;

/// Questions of the backward crawl.
pub const LOOKUPS: QueueId = QueueId(0);
/// Pages of the backward crawl.
pub const TRAINING: QueueId = QueueId(1);

/// Links loaded at once, over all levels.
const BATCH: usize = 600;

/// The crawling frontier of a level, from 1.
pub fn crawling(level: u8) -> QueueId {
    QueueId(10 + u64::from(level))
}

/// The persistent frontier of a level, from 1.
pub fn persistent(level: u8) -> QueueId {
    QueueId(20 + u64::from(level))
}

/// The next queue of the backward crawl, if it has anything to do now.
pub fn next_to_learn_from(heads: &dyn QueueHeads) -> Option<QueueId> {
    [LOOKUPS, TRAINING].into_iter().find(|queue| heads.head(*queue).is_some())
}

/// Serves the first level that has something ready; loads a batch when none has. `loading` is the level
/// to be loaded next, 0 when no batch is being loaded.
pub fn crawl_on(heads: &dyn QueueHeads, levels: u8, loading: &mut u8) -> QueueChoice {
    while (1..=levels).contains(loading) {
        let level = *loading;
        *loading = (level + 1) % (levels + 1);
        if heads.link_count(persistent(level)) > 0 {
            let (from, to) = (persistent(level), crawling(level));
            return QueueChoice::Execute(Box::new(StrategyCommand::Refill {
                from,
                to,
                limit: share(level, levels),
            }));
        }
    }
    let is_ready = |queue: QueueId| heads.head(queue).is_some();
    if let Some(level) = (1..=levels).find(|level| is_ready(crawling(*level))) {
        return QueueChoice::Serve(crawling(level));
    }
    if (1..=levels).any(|level| is_ready(persistent(level))) {
        *loading = 1;
        return crawl_on(heads, levels, loading);
    }
    QueueChoice::Idle
}

/// A level's part of a batch.
fn share(level: u8, levels: u8) -> usize {
    let levels = usize::from(levels);
    let parts = levels * (levels + 1) / 2;
    (BATCH * (levels + 1).saturating_sub(usize::from(level)) / parts.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::super::QueueHead;
    use super::*;
    use std::collections::BTreeMap;

    /// Lanes with how many wait in them and whether one is ready.
    struct Frontier(BTreeMap<QueueId, (u64, bool)>);

    impl QueueHeads for Frontier {
        fn heads(&self) -> Vec<QueueHead> {
            self.0.keys().filter_map(|queue| self.head(*queue)).collect()
        }

        fn head(&self, queue: QueueId) -> Option<QueueHead> {
            self.0.get(&queue).filter(|(_, ready)| *ready).map(|_| QueueHead { queue, score: 0.0 })
        }

        fn link_count(&self, queue: QueueId) -> u64 {
            self.0.get(&queue).map_or(0, |(waiting, _)| *waiting)
        }
    }

    fn frontier(queues: &[(QueueId, u64, bool)]) -> Frontier {
        Frontier(queues.iter().map(|&(queue, waiting, ready)| (queue, (waiting, ready))).collect())
    }

    #[test]
    fn the_nearest_level_with_something_ready_is_served() {
        let heads = frontier(&[(crawling(1), 3, false), (crawling(2), 1, true), (persistent(1), 5, true)]);
        assert_eq!(crawl_on(&heads, 3, &mut 0), QueueChoice::Serve(crawling(2)));
    }

    #[test]
    fn a_batch_is_loaded_level_by_level_when_nothing_is_ready() {
        let heads = frontier(&[(persistent(1), 900, true), (persistent(3), 2, false)]);
        let refill = |level, take| {
            QueueChoice::Execute(Box::new(StrategyCommand::Refill {
                from: persistent(level),
                to: crawling(level),
                limit: take,
            }))
        };
        let mut loading = 0;
        assert_eq!(crawl_on(&heads, 3, &mut loading), refill(1, 300));
        assert_eq!(loading, 2);
        let heads =
            frontier(&[(crawling(1), 300, true), (persistent(1), 600, true), (persistent(3), 2, false)]);
        assert_eq!(crawl_on(&heads, 3, &mut loading), refill(3, 100), "although level 1 could be served");
        assert_eq!(crawl_on(&heads, 3, &mut loading), QueueChoice::Serve(crawling(1)));
    }

    #[test]
    fn nothing_ready_anywhere_is_a_rest() {
        assert_eq!(crawl_on(&frontier(&[]), 3, &mut 0), QueueChoice::Idle);
        let resting = frontier(&[(crawling(1), 3, false), (persistent(1), 3, false)]);
        assert_eq!(crawl_on(&resting, 3, &mut 0), QueueChoice::Idle);
    }

    #[test]
    fn nearer_levels_get_more_of_a_batch() {
        assert_eq!([1, 2, 3].map(|level| share(level, 3)), [300, 200, 100]);
        assert_eq!(share(1, 1), BATCH);
        assert_eq!(crawl_on(&frontier(&[]), 0, &mut 7), QueueChoice::Idle);
    }
}
