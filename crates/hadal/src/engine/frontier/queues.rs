//! Queue heads in memory: for each queue and host, the rank of the best waiting link and the number of links.
//!
//! The links themselves stay in the store. A host is offered only while it is ready, so the head of a queue is the
//! best link that may be visited now. Hosts that are ready soon are sorted too, because a strategy may prefer to wait
//! for one of them. Hosts are compared by the score of their best link plus the bonus that the strategy gives to their
//! site.

use crate::polite::HostIx;
use hadal_core::link::{QueueId, QueueRank};
use hadal_core::strategy::{QueueHead, QueueHeads};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Heads and lengths of all queues.
#[derive(Default)]
pub struct QueueTable {
    queues: BTreeMap<QueueId, HostQueues>,
    queues_of: FxHashMap<HostIx, Vec<QueueId>>,
    bonuses: FxHashMap<HostIx, f32>,
}

/// Time until a host may receive a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// It may receive a request now.
    Ready,
    /// A request to it is in flight, or a short pause is not over.
    Soon,
    /// It rests for long.
    Later,
}

/// Hosts with links in one queue.
#[derive(Default)]
struct HostQueues {
    /// Hosts of [`Availability::Ready`].
    ready: BTreeSet<RankedHost>,
    /// Hosts of [`Availability::Soon`].
    soon: BTreeSet<RankedHost>,
    hosts: FxHashMap<HostIx, QueueState>,
    links: u64,
}

/// Links of one host in one queue.
#[derive(Clone, Copy)]
struct QueueState {
    head: QueueRank,
    links: u64,
}

/// Sort key of a host in a queue: best score with bonus, then rank of the best link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RankedHost {
    score_key: i32,
    head: QueueRank,
    host: HostIx,
}

impl RankedHost {
    fn new(host: HostIx, head: QueueRank, bonus: f32) -> RankedHost {
        RankedHost { score_key: QueueRank::new(head.score() + bonus, 0).score_key(), head, host }
    }
}

impl HostQueues {
    fn insert(&mut self, entry: RankedHost, availability: Availability) {
        match availability {
            Availability::Ready => self.ready.insert(entry),
            Availability::Soon => self.soon.insert(entry),
            Availability::Later => false,
        };
    }

    /// Removes an entry. Returns the availability that it was sorted by.
    fn take(&mut self, entry: &RankedHost) -> Availability {
        match (self.ready.remove(entry), self.soon.remove(entry)) {
            (true, _) => Availability::Ready,
            (_, true) => Availability::Soon,
            _ => Availability::Later,
        }
    }
}

impl QueueTable {
    /// Sets the bonus that is added to the scores of a host's links.
    pub fn set_bonus(&mut self, host: HostIx, bonus: f32) {
        let before = self.bonus(host);
        if before == bonus {
            return;
        }
        self.bonuses.insert(host, bonus);
        for queue in self.queues_of.get(&host).into_iter().flatten() {
            let Some(queues) = self.queues.get_mut(queue) else { continue };
            let Some(state) = queues.hosts.get(&host) else { continue };
            let head = state.head;
            let availability = queues.take(&RankedHost::new(host, head, before));
            queues.insert(RankedHost::new(host, head, bonus), availability);
        }
    }

    /// Adds `count` links of a host whose best rank is `head`.
    pub fn add(
        &mut self,
        queue: QueueId,
        host: HostIx,
        head: QueueRank,
        count: u64,
        availability: Availability,
    ) {
        let bonus = self.bonus(host);
        let queues = self.queues.entry(queue).or_default();
        queues.links += count;
        let known = queues.hosts.get(&host).copied();
        let best = known.map_or(head, |state| state.head.min(head));
        let links = known.map_or(0, |state| state.links) + count;
        queues.hosts.insert(host, QueueState { head: best, links });
        if let Some(old) = known {
            queues.take(&RankedHost::new(host, old.head, bonus));
        } else {
            self.queues_of.entry(host).or_default().push(queue);
        }
        queues.insert(RankedHost::new(host, best, bonus), availability);
    }

    /// Removes one link of a host. `next` is the rank of the best link left.
    pub fn remove(&mut self, queue: QueueId, host: HostIx, next: Option<QueueRank>) {
        let bonus = self.bonus(host);
        let Some(queues) = self.queues.get_mut(&queue) else { return };
        let Some(state) = queues.hosts.get_mut(&host) else { return };
        let old = RankedHost::new(host, state.head, bonus);
        queues.links = queues.links.saturating_sub(1);
        state.links = state.links.saturating_sub(1);
        match next {
            Some(rank) => {
                state.head = rank;
                let availability = queues.take(&old);
                queues.insert(RankedHost::new(host, rank, bonus), availability);
            }
            None => self.remove_queue(queue, host),
        }
    }

    /// Corrects the rank of a host's best link in a queue. `None` removes the host from the queue.
    pub fn set_head(&mut self, queue: QueueId, host: HostIx, head: Option<QueueRank>) {
        let Some(head) = head else { return self.remove_queue(queue, host) };
        let bonus = self.bonus(host);
        if let Some(queues) = self.queues.get_mut(&queue)
            && let Some(state) = queues.hosts.get_mut(&host)
        {
            let old = RankedHost::new(host, state.head, bonus);
            state.head = head;
            let availability = queues.take(&old);
            queues.insert(RankedHost::new(host, head, bonus), availability);
        }
    }

    fn remove_queue(&mut self, queue: QueueId, host: HostIx) {
        let bonus = self.bonus(host);
        if let Some(queues) = self.queues.get_mut(&queue)
            && let Some(state) = queues.hosts.remove(&host)
        {
            queues.take(&RankedHost::new(host, state.head, bonus));
            queues.links = queues.links.saturating_sub(state.links);
            if queues.hosts.is_empty() {
                self.queues.remove(&queue);
            }
        }
        if let Some(queues) = self.queues_of.get_mut(&host) {
            queues.retain(|known| *known != queue);
            if queues.is_empty() {
                self.queues_of.remove(&host);
            }
        }
    }

    /// Removes a host from the queues of the strategy. The engine's own queues stay.
    pub fn clear_host(&mut self, host: HostIx) {
        let queues = self.queues_of.get(&host).cloned().unwrap_or_default();
        for queue in queues.into_iter().filter(|queue| !queue.is_reserved()) {
            self.remove_queue(queue, host);
        }
    }

    /// Removes a host from all queues.
    pub fn remove_host(&mut self, host: HostIx) {
        for queue in self.queues_of.get(&host).cloned().unwrap_or_default() {
            self.remove_queue(queue, host);
        }
    }

    fn bonus(&self, host: HostIx) -> f32 {
        self.bonuses.get(&host).copied().unwrap_or_default()
    }

    /// Sets the availability of a host.
    pub fn set_availability(&mut self, host: HostIx, availability: Availability) {
        let bonus = self.bonus(host);
        for queue in self.queues_of.get(&host).into_iter().flatten() {
            let Some(queues) = self.queues.get_mut(queue) else { continue };
            let Some(state) = queues.hosts.get(&host) else { continue };
            let entry = RankedHost::new(host, state.head, bonus);
            queues.take(&entry);
            queues.insert(entry, availability);
        }
    }

    /// Ready host with the best link of a queue.
    pub fn best_host(&self, queue: QueueId) -> Option<HostIx> {
        self.queues.get(&queue)?.ready.first().map(|ready| ready.host)
    }

    /// All pairs of a strategy's queue and a host with links in it, sorted.
    pub fn pairs(&self) -> Vec<(QueueId, HostIx)> {
        let mut all: Vec<_> = self
            .queues
            .iter()
            .filter(|(queue, _)| !queue.is_reserved())
            .flat_map(|(queue, queues)| queues.hosts.keys().map(|host| (*queue, *host)))
            .collect();
        all.sort_unstable();
        all
    }

    /// All hosts with links, each with its queues of the strategy, sorted.
    pub fn hosts(&self) -> Vec<(HostIx, Vec<QueueId>)> {
        let of_strategy = |queues: &Vec<QueueId>| -> Vec<QueueId> {
            queues.iter().copied().filter(|queue| !queue.is_reserved()).collect()
        };
        let mut all: Vec<(HostIx, Vec<QueueId>)> =
            self.queues_of.iter().map(|(host, queues)| (*host, of_strategy(queues))).collect();
        all.sort_unstable();
        all
    }

    /// True when no link waits in any queue.
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }
}

impl QueueHeads for QueueTable {
    fn heads(&self) -> Vec<QueueHead> {
        self.queues
            .keys()
            .filter(|queue| !queue.is_reserved())
            .filter_map(|queue| self.head(*queue))
            .collect()
    }

    fn head(&self, queue: QueueId) -> Option<QueueHead> {
        let best = self.queues.get(&queue)?.ready.first()?;
        Some(QueueHead { queue, score: best.head.score() + self.bonus(best.host) })
    }

    fn head_soon(&self, queue: QueueId) -> Option<QueueHead> {
        let best = self.queues.get(&queue)?.soon.first()?;
        Some(QueueHead { queue, score: best.head.score() + self.bonus(best.host) })
    }

    fn link_count(&self, queue: QueueId) -> u64 {
        self.queues.get(&queue).map_or(0, |queues| queues.links)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: HostIx = HostIx(0);
    const B: HostIx = HostIx(1);
    const QUEUE: QueueId = QueueId(0);

    #[test]
    fn the_head_of_a_queue_is_the_best_link_of_a_ready_host() {
        let mut table = QueueTable::default();
        table.add(QUEUE, A, QueueRank::new(0.9, 1), 1, Availability::Ready);
        table.add(QUEUE, B, QueueRank::new(0.5, 2), 1, Availability::Ready);
        assert_eq!(table.best_host(QUEUE), Some(A));
        table.set_availability(A, Availability::Soon);
        assert_eq!(table.best_host(QUEUE), Some(B));
        assert_eq!(table.link_count(QUEUE), 2);
        assert_eq!(table.head_soon(QUEUE).unwrap().score, 0.9);
        table.set_availability(A, Availability::Ready);
        assert_eq!(table.head(QUEUE).unwrap().score, 0.9);
    }

    #[test]
    fn a_bonus_decides_between_hosts() {
        let mut table = QueueTable::default();
        table.add(QUEUE, A, QueueRank::new(0.9, 1), 1, Availability::Ready);
        table.add(QUEUE, B, QueueRank::new(0.5, 2), 1, Availability::Ready);
        table.set_bonus(B, 1.0);
        assert_eq!(table.best_host(QUEUE), Some(B));
        assert_eq!(table.head(QUEUE).unwrap().score, 1.5);
    }

    #[test]
    fn a_host_without_links_is_forgotten() {
        let mut table = QueueTable::default();
        table.add(QUEUE, A, QueueRank::new(0.9, 1), 2, Availability::Ready);
        table.remove(QUEUE, A, Some(QueueRank::new(0.1, 2)));
        assert_eq!(table.head(QUEUE).unwrap().score, 0.1);
        table.remove(QUEUE, A, None);
        assert!(table.is_empty() && table.queues_of.is_empty());
        assert_eq!(table.heads(), vec![]);
    }

    #[test]
    fn removing_a_host_empties_all_its_queues() {
        let mut table = QueueTable::default();
        table.add(QueueId(1), A, QueueRank::new(0.9, 1), 3, Availability::Ready);
        table.add(QueueId(2), A, QueueRank::new(0.9, 2), 4, Availability::Later);
        table.add(QueueId(2), B, QueueRank::new(0.3, 3), 1, Availability::Ready);
        table.remove_host(A);
        assert_eq!((table.link_count(QueueId(1)), table.link_count(QueueId(2))), (0, 1));
    }

    #[test]
    fn clearing_a_host_keeps_the_queues_of_the_engine() {
        let mut table = QueueTable::default();
        table.add(QUEUE, A, QueueRank::new(0.9, 1), 1, Availability::Ready);
        table.add(QueueId::PROBES, A, QueueRank::new(0.9, 2), 1, Availability::Ready);
        table.clear_host(A);
        assert_eq!((table.link_count(QUEUE), table.link_count(QueueId::PROBES)), (0, 1));
    }
}
