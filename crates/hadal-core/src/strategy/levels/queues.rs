//! Queues of the level strategies.
//!
//! Two queues serve the backward crawl. Each level has a crawling frontier and a persistent frontier. New
//! links wait in the persistent frontier. When the crawling frontier has no ready link, a batch is loaded
//! from the persistent one, best links first. So links with delayed benefit are visited too (FFC paper,
//! section 3.4). Nearer levels get more of a batch: with three levels the shares are 1/2, 1/3 and 1/6.

use super::super::{QueueChoice, QueueHeads, StrategyCommand};
use crate::link::QueueId;

/// Look-ups of the backward crawl.
pub const LOOKUPS: QueueId = QueueId(0);
/// Pages of the backward crawl.
pub const TRAINING: QueueId = QueueId(1);

/// Links of a batch, over all levels. The FFC paper gives no number. Guess.
const BATCH: usize = 600;

/// Crawling frontier of a level; the first level is 1.
pub fn crawling(level: u8) -> QueueId {
    QueueId(10 + u64::from(level))
}

/// Persistent frontier of a level; the first level is 1.
pub fn persistent(level: u8) -> QueueId {
    QueueId(20 + u64::from(level))
}

/// Queue of the backward crawl that has a ready link.
pub fn ready_training_queue(heads: &dyn QueueHeads) -> Option<QueueId> {
    [LOOKUPS, TRAINING].into_iter().find(|queue| heads.head(*queue).is_some())
}

/// Serves the first level with a ready link; loads a batch if there is none. `loading` is the level to load next,
/// 0 if no batch is being loaded.
pub fn choose_level(heads: &dyn QueueHeads, levels: u8, loading: &mut u8) -> QueueChoice {
    while (1..=levels).contains(loading) {
        let level = *loading;
        *loading = (level + 1) % (levels + 1);
        if heads.link_count(persistent(level)) > 0 {
            return QueueChoice::Execute(Box::new(load(level, levels)));
        }
    }
    let is_ready = |queue: QueueId| heads.head(queue).is_some();
    if let Some(level) = (1..=levels).find(|level| is_ready(crawling(*level))) {
        return QueueChoice::Serve(crawling(level));
    }
    if (1..=levels).any(|level| is_ready(persistent(level))) {
        *loading = 1;
        return choose_level(heads, levels, loading);
    }
    QueueChoice::Idle
}

fn load(level: u8, levels: u8) -> StrategyCommand {
    StrategyCommand::Refill {
        from: persistent(level),
        to: crawling(level),
        limit: batch_share(level, levels),
    }
}

/// Links of one level in a batch.
fn batch_share(level: u8, levels: u8) -> usize {
    let levels = usize::from(levels);
    let parts = levels * (levels + 1) / 2;
    (BATCH * (levels + 1).saturating_sub(usize::from(level)) / parts.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::super::QueueHead;
    use super::*;
    use std::collections::BTreeMap;

    /// Queues with the number of their links and the readiness of the best one.
    struct LevelHeads(BTreeMap<QueueId, (u64, bool)>);

    impl QueueHeads for LevelHeads {
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

    fn frontier(queues: &[(QueueId, u64, bool)]) -> LevelHeads {
        LevelHeads(queues.iter().map(|&(queue, waiting, ready)| (queue, (waiting, ready))).collect())
    }

    #[test]
    fn the_nearest_level_with_a_ready_link_is_served() {
        let heads = frontier(&[(crawling(1), 3, false), (crawling(2), 1, true), (persistent(1), 5, true)]);
        assert_eq!(choose_level(&heads, 3, &mut 0), QueueChoice::Serve(crawling(2)));
    }

    #[test]
    fn a_batch_is_loaded_level_by_level_when_no_link_is_ready() {
        let heads = frontier(&[(persistent(1), 900, true), (persistent(3), 2, false)]);
        let refill = |level, limit| {
            QueueChoice::Execute(Box::new(StrategyCommand::Refill {
                from: persistent(level),
                to: crawling(level),
                limit,
            }))
        };
        let mut loading = 0;
        assert_eq!(choose_level(&heads, 3, &mut loading), refill(1, 300));
        assert_eq!(loading, 2);
        let heads =
            frontier(&[(crawling(1), 300, true), (persistent(1), 600, true), (persistent(3), 2, false)]);
        assert_eq!(
            choose_level(&heads, 3, &mut loading),
            refill(3, 100),
            "although level 1 has a ready link"
        );
        assert_eq!(choose_level(&heads, 3, &mut loading), QueueChoice::Serve(crawling(1)));
    }

    #[test]
    fn without_ready_links_it_is_idle() {
        assert_eq!(choose_level(&frontier(&[]), 3, &mut 0), QueueChoice::Idle);
        let waiting = frontier(&[(crawling(1), 3, false), (persistent(1), 3, false)]);
        assert_eq!(choose_level(&waiting, 3, &mut 0), QueueChoice::Idle);
    }

    #[test]
    fn nearer_levels_get_a_larger_share_of_a_batch() {
        assert_eq!([1, 2, 3].map(|level| batch_share(level, 3)), [300, 200, 100]);
        assert_eq!(batch_share(1, 1), BATCH);
        assert_eq!(choose_level(&frontier(&[]), 0, &mut 7), QueueChoice::Idle);
    }
}
