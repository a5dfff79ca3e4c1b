//! Selection of the queues with the best links, for a run with more hosts than memory should hold.

use super::HostQueue;
use hadal_core::address::{Host, Site};
use hadal_core::link::{QueueId, QueueRank};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Queues of a run that are kept so far. Once there are more than `most`, half as many with the best links stay. Queues
/// of sites with a bonus and those of the engine always stay.
pub struct BestQueues<'a> {
    most: usize,
    with_bonus: FxHashSet<&'a str>,
    always: Vec<HostQueue>,
    best: Vec<HostQueue>,
    /// Per queue a rank before the links that were left out, and their number.
    stored: BTreeMap<QueueId, (QueueRank, u64)>,
}

impl<'a> BestQueues<'a> {
    /// No queues yet.
    pub fn new(most: usize, bonuses: &'a [(Site, f32)]) -> BestQueues<'a> {
        let with_bonus = bonuses.iter().map(|(site, _)| site.0.as_str()).collect();
        let (always, best, stored) = (Vec::new(), Vec::new(), BTreeMap::new());
        BestQueues { most, with_bonus, always, best, stored }
    }

    /// Adds the queue of a host. `host` is called if the queue is kept.
    pub fn add(
        &mut self,
        queue: QueueId,
        head: QueueRank,
        length: u64,
        site: &str,
        host: impl FnOnce() -> Host,
    ) {
        if queue.is_reserved() || self.with_bonus.contains(site) {
            return self.always.push(HostQueue { queue, host: host(), length, head });
        }
        if self.stored.get(&queue).is_some_and(|(after, _)| head > *after) {
            return self.leave_out(queue, head, length);
        }
        self.best.push(HostQueue { queue, host: host(), length, head });
        if self.best.len() > self.most {
            self.best.select_nth_unstable_by_key(self.most / 2, |kept| (kept.head, kept.queue));
            for HostQueue { queue, length, head, .. } in self.best.split_off(self.most / 2) {
                self.leave_out(queue, head, length);
            }
        }
    }

    fn leave_out(&mut self, queue: QueueId, head: QueueRank, length: u64) {
        let stored = self.stored.entry(queue).or_insert((head.before(), 0));
        stored.0 = stored.0.min(head.before());
        stored.1 += length;
    }

    /// Queues that were kept, sorted, and what is known about the others.
    pub fn finish(mut self) -> (Vec<HostQueue>, Vec<(QueueId, QueueRank, u64)>) {
        self.best.append(&mut self.always);
        self.best.sort();
        (self.best, self.stored.into_iter().map(|(queue, (after, links))| (queue, after, links)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(most: usize, bonuses: &[(Site, f32)]) -> (Vec<String>, Vec<(QueueId, QueueRank, u64)>) {
        let mut best = BestQueues::new(most, bonuses);
        for n in 0..100u64 {
            // Scores 0 to 99 in a mixed order.
            let score = n * 37 % 100;
            let name = format!("h{score}.org");
            let rank = QueueRank::new(score as f32, n);
            best.add(QueueId(0), rank, 3, &name, || Host(format!("http://{name}")));
        }
        let (queues, stored) = best.finish();
        (queues.into_iter().map(|queue| queue.host.0).collect(), stored)
    }

    #[test]
    fn all_queues_stay_while_they_are_few() {
        let (kept, stored) = selected(100, &[]);
        assert_eq!((kept.len(), stored), (100, vec![]));
    }

    #[test]
    fn of_many_queues_those_with_the_best_links_stay() {
        let (kept, stored) = selected(20, &[(Site("h3.org".into()), 0.5)]);
        assert!((10..=21).contains(&kept.len()), "{kept:?}");
        assert!(kept.contains(&"http://h99.org".into()) && kept.contains(&"http://h3.org".into()));
        let (queue, after, links) = stored[0];
        assert_eq!((queue, links), (QueueId(0), 3 * (100 - kept.len() as u64)));
        let without_bonus = kept.iter().filter(|name| *name != "http://h3.org");
        let scores: Vec<f32> =
            without_bonus.map(|name| name[8..].trim_end_matches(".org").parse().unwrap()).collect();
        let worst = scores.into_iter().fold(f32::MAX, f32::min);
        assert!(QueueRank::new(worst, 0) < after && after < QueueRank::new(worst - 1.0, 99), "{worst}");
    }
}
