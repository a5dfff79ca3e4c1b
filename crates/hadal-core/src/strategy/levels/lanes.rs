//! The queues of the level strategies: look-ups and pages to learn from, then for each level a crawling
//! and a persistent frontier.
//!
//! New links wait in the persistent frontier. Only when nothing is left to serve in the crawling frontier
//! is a batch loaded, the most relevant links first; so links with delayed benefit have their turn too
//! (FFC paper, section 3.4). A batch takes more of the nearer levels: of three, a half, a third, a sixth.

use super::super::{Choice, Command, Heads};
use crate::lead::Lane;

/// Questions of the backward crawl.
pub const LOOKUPS: Lane = Lane(0);
/// Pages of the backward crawl.
pub const TRAINING: Lane = Lane(1);

/// Links loaded at once, over all levels.
const BATCH: usize = 600;

/// The crawling frontier of a level, from 1.
pub fn crawling(level: u8) -> Lane {
    Lane(10 + u64::from(level))
}

/// The persistent frontier of a level, from 1.
pub fn persistent(level: u8) -> Lane {
    Lane(20 + u64::from(level))
}

/// The next lane of the backward crawl, if it has anything to do now.
pub fn next_to_learn_from(heads: &dyn Heads) -> Option<Lane> {
    [LOOKUPS, TRAINING].into_iter().find(|lane| heads.head(*lane).is_some())
}

/// Serves the first level that has something ready; loads a batch when none has. `loading` is the level
/// to be loaded next, 0 when no batch is being loaded.
pub fn crawl_on(heads: &dyn Heads, levels: u8, loading: &mut u8) -> Choice {
    while (1..=levels).contains(loading) {
        let level = *loading;
        *loading = (level + 1) % (levels + 1);
        if heads.waiting(persistent(level)) > 0 {
            let (from, to) = (persistent(level), crawling(level));
            return Choice::First(Box::new(Command::Refill { from, to, take: share(level, levels) }));
        }
    }
    let is_ready = |lane: Lane| heads.head(lane).is_some();
    if let Some(level) = (1..=levels).find(|level| is_ready(crawling(*level))) {
        return Choice::Serve(crawling(level));
    }
    if (1..=levels).any(|level| is_ready(persistent(level))) {
        *loading = 1;
        return crawl_on(heads, levels, loading);
    }
    Choice::Rest
}

/// A level's part of a batch.
fn share(level: u8, levels: u8) -> usize {
    let levels = usize::from(levels);
    let parts = levels * (levels + 1) / 2;
    (BATCH * (levels + 1).saturating_sub(usize::from(level)) / parts.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::super::Head;
    use super::*;
    use std::collections::BTreeMap;

    /// Lanes with how many wait in them and whether one is ready.
    struct Frontier(BTreeMap<Lane, (u64, bool)>);

    impl Heads for Frontier {
        fn lanes(&self) -> Vec<Head> {
            self.0.keys().filter_map(|lane| self.head(*lane)).collect()
        }

        fn head(&self, lane: Lane) -> Option<Head> {
            self.0.get(&lane).filter(|(_, ready)| *ready).map(|_| Head { lane, score: 0.0 })
        }

        fn waiting(&self, lane: Lane) -> u64 {
            self.0.get(&lane).map_or(0, |(waiting, _)| *waiting)
        }
    }

    fn frontier(lanes: &[(Lane, u64, bool)]) -> Frontier {
        Frontier(lanes.iter().map(|&(lane, waiting, ready)| (lane, (waiting, ready))).collect())
    }

    #[test]
    fn the_nearest_level_with_something_ready_is_served() {
        let heads = frontier(&[(crawling(1), 3, false), (crawling(2), 1, true), (persistent(1), 5, true)]);
        assert_eq!(crawl_on(&heads, 3, &mut 0), Choice::Serve(crawling(2)));
    }

    #[test]
    fn a_batch_is_loaded_level_by_level_when_nothing_is_ready() {
        let heads = frontier(&[(persistent(1), 900, true), (persistent(3), 2, false)]);
        let refill = |level, take| {
            Choice::First(Box::new(Command::Refill { from: persistent(level), to: crawling(level), take }))
        };
        let mut loading = 0;
        assert_eq!(crawl_on(&heads, 3, &mut loading), refill(1, 300));
        assert_eq!(loading, 2);
        let heads =
            frontier(&[(crawling(1), 300, true), (persistent(1), 600, true), (persistent(3), 2, false)]);
        assert_eq!(crawl_on(&heads, 3, &mut loading), refill(3, 100), "although level 1 could be served");
        assert_eq!(crawl_on(&heads, 3, &mut loading), Choice::Serve(crawling(1)));
    }

    #[test]
    fn nothing_ready_anywhere_is_a_rest() {
        assert_eq!(crawl_on(&frontier(&[]), 3, &mut 0), Choice::Rest);
        let resting = frontier(&[(crawling(1), 3, false), (persistent(1), 3, false)]);
        assert_eq!(crawl_on(&resting, 3, &mut 0), Choice::Rest);
    }

    #[test]
    fn nearer_levels_get_more_of_a_batch() {
        assert_eq!([1, 2, 3].map(|level| share(level, 3)), [300, 200, 100]);
        assert_eq!(share(1, 1), BATCH);
        assert_eq!(crawl_on(&frontier(&[]), 0, &mut 7), Choice::Rest);
    }
}
