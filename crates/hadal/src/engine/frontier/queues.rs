//! Queue heads in memory: for each queue and host, the rank of the best waiting link and the number of links.
//!
//! The links themselves stay in the store. A host is offered only while it is ready, so the head of a queue
//! is the best link that may be visited now. Hosts that are ready soon are sorted too, because a strategy may
//! prefer to wait for one of them. Hosts are compared by the score of their best link plus the bonus that the
//! strategy gives to their site. `current` also holds the ready hosts with a best link that has a score of the
//! current model, so that the best of them is found without a scan of all hosts.

use crate::polite::HostIx;
use hadal_core::link::{QueueId, QueueRank, QueuedLink};
use hadal_core::strategy::{QueueHead, QueueHeads};
use std::collections::{BTreeMap, BTreeSet};

/// Heads and lengths of all queues.
#[derive(Default)]
pub struct QueueTable {
    queues: BTreeMap<QueueId, QueueHosts>,
    queues_of: BTreeMap<HostIx, Vec<QueueId>>,
    bonuses: BTreeMap<HostIx, f32>,
    /// Queues with hosts that are not in memory.
    stored: BTreeMap<QueueId, StoredLinks>,
    /// Best links of other workers, if the run is shared.
    elsewhere: BTreeMap<QueueId, QueueHead>,
    /// True while this worker does not regard the links of others.
    ignores_others: bool,
    /// Generation of the strategy's model.
    generation: u32,
}

/// Links of a queue on hosts that are not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredLinks {
    /// All of them rank after this.
    pub after: QueueRank,
    /// Number of links. An estimate, because sites may be closed.
    pub links: u64,
}

/// Best link of a host in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostHead {
    rank: QueueRank,
    /// Generation of the model that ranked it; `None` if that is unknown.
    generation: Option<u32>,
}

impl HostHead {
    /// Head of which only the rank is known.
    pub fn ranked(rank: QueueRank) -> HostHead {
        HostHead { rank, generation: None }
    }

    /// A link of the store as head.
    pub fn of(queued: &QueuedLink) -> HostHead {
        HostHead { rank: queued.rank(), generation: Some(queued.generation) }
    }

    /// The better of two heads.
    fn better_of(self, other: HostHead) -> HostHead {
        if other.rank < self.rank { other } else { self }
    }
}

/// Time until a host may receive a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// It may receive a request now.
    Ready,
    /// A request to it is in flight, or a short pause is not over.
    Soon,
    /// Its pause lasts longer.
    Later,
}

/// Hosts with links in one queue.
#[derive(Default)]
struct QueueHosts {
    /// Hosts of [`Availability::Ready`].
    ready: BTreeSet<RankedHost>,
    /// The hosts of `ready` with a best link that was ranked by the current model.
    current: BTreeSet<RankedHost>,
    /// Hosts of [`Availability::Soon`].
    soon: BTreeSet<RankedHost>,
    hosts: BTreeMap<HostIx, QueueState>,
    links: u64,
}

/// Links of one host in one queue.
#[derive(Clone, Copy)]
struct QueueState {
    head: HostHead,
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
    fn new(host: HostIx, head: HostHead, bonus: f32) -> RankedHost {
        let score_key = QueueRank::new(head.rank.score() + bonus, 0).score_key();
        RankedHost { score_key, head: head.rank, host }
    }
}

impl QueueHosts {
    fn insert(&mut self, entry: RankedHost, availability: Availability, is_current: bool) {
        match availability {
            Availability::Ready => {
                if is_current {
                    self.current.insert(entry);
                }
                self.ready.insert(entry)
            }
            Availability::Soon => self.soon.insert(entry),
            Availability::Later => false,
        };
    }

    /// Removes an entry. Returns the availability that it was sorted by.
    fn take(&mut self, entry: &RankedHost) -> Availability {
        self.current.remove(entry);
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
            let is_current = head.generation == Some(self.generation);
            queues.insert(RankedHost::new(host, head, bonus), availability, is_current);
        }
    }

    /// Adds `count` links of a host, the best of which is `head`.
    pub fn add(
        &mut self,
        queue: QueueId,
        host: HostIx,
        head: HostHead,
        count: u64,
        availability: Availability,
    ) {
        let bonus = self.bonus(host);
        let queues = self.queues.entry(queue).or_default();
        queues.links += count;
        let known = queues.hosts.get(&host).copied();
        let best = known.map_or(head, |state| state.head.better_of(head));
        let links = known.map_or(0, |state| state.links) + count;
        queues.hosts.insert(host, QueueState { head: best, links });
        if let Some(old) = known {
            queues.take(&RankedHost::new(host, old.head, bonus));
        } else {
            self.queues_of.entry(host).or_default().push(queue);
        }
        let is_current = best.generation == Some(self.generation);
        queues.insert(RankedHost::new(host, best, bonus), availability, is_current);
    }

    /// Removes links of a host. `next` is the best link left.
    pub fn remove(&mut self, queue: QueueId, host: HostIx, count: u64, next: Option<HostHead>) {
        let bonus = self.bonus(host);
        let Some(queues) = self.queues.get_mut(&queue) else { return };
        let Some(state) = queues.hosts.get_mut(&host) else { return };
        let old = RankedHost::new(host, state.head, bonus);
        let removed = count.min(state.links);
        queues.links = queues.links.saturating_sub(removed);
        state.links -= removed;
        match next {
            Some(head) => {
                state.head = head;
                let availability = queues.take(&old);
                let is_current = head.generation == Some(self.generation);
                queues.insert(RankedHost::new(host, head, bonus), availability, is_current);
            }
            None => self.remove_queue(queue, host),
        }
    }

    /// Corrects the best link of a host in a queue. `None` removes the host from the queue.
    pub fn set_head(&mut self, queue: QueueId, host: HostIx, head: Option<HostHead>) {
        let Some(head) = head else { return self.remove_queue(queue, host) };
        let bonus = self.bonus(host);
        if let Some(queues) = self.queues.get_mut(&queue)
            && let Some(state) = queues.hosts.get_mut(&host)
        {
            let old = RankedHost::new(host, state.head, bonus);
            state.head = head;
            let availability = queues.take(&old);
            let is_current = head.generation == Some(self.generation);
            queues.insert(RankedHost::new(host, head, bonus), availability, is_current);
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
            let Some(state) = queues.hosts.get(&host).copied() else { continue };
            let entry = RankedHost::new(host, state.head, bonus);
            queues.take(&entry);
            let is_current = state.head.generation == Some(self.generation);
            queues.insert(entry, availability, is_current);
        }
    }

    /// Rank of a host by its best link in any queue. Better links have lower ranks.
    pub fn rank(&self, host: HostIx) -> i32 {
        let bonus = self.bonus(host);
        let state = |queue: &QueueId| self.queues.get(queue)?.hosts.get(&host).copied();
        let states = self.queues_of.get(&host).into_iter().flatten().filter_map(state);
        states.map(|state| RankedHost::new(host, state.head, bonus).score_key).min().unwrap_or(i32::MAX)
    }

    /// Ready host with the best link of a queue.
    pub fn best_host(&self, queue: QueueId) -> Option<HostIx> {
        self.queues.get(&queue)?.ready.first().map(|ready| ready.host)
    }

    /// Ready host with the best link of a queue among those that the current model ranked.
    pub fn best_current_host(&self, queue: QueueId) -> Option<HostIx> {
        self.queues.get(&queue)?.current.first().map(|ready| ready.host)
    }

    /// Starts a generation of the model: no head is ranked by it yet.
    pub fn set_generation(&mut self, generation: u32) {
        self.generation = generation;
        self.queues.values_mut().for_each(|queues| queues.current.clear());
    }

    /// Best link of each queue of the strategy that may be visited now or soon. A host in `slow` has not answered for
    /// so long that nobody should wait for it.
    pub fn best_heads(&self, slow: &BTreeSet<HostIx>) -> Vec<QueueHead> {
        let best = |(queue, queues): (&QueueId, &QueueHosts)| {
            let soon = queues.soon.iter().find(|ranked| !slow.contains(&ranked.host));
            let best = queues.ready.first().into_iter().chain(soon).min()?;
            Some(QueueHead { queue: *queue, score: best.head.score() + self.bonus(best.host) })
        };
        self.strategy_queues().filter_map(best).collect()
    }

    /// Sets the best links of other workers.
    pub fn set_elsewhere(&mut self, heads: &[QueueHead]) {
        self.elsewhere = heads.iter().map(|head| (head.queue, *head)).collect();
    }

    /// Hides the links of other workers from the strategy, or shows them again. True if they were hidden before.
    pub fn ignore_others(&mut self, ignores: bool) -> bool {
        std::mem::replace(&mut self.ignores_others, ignores)
    }

    /// Links of a queue on hosts that are not in memory.
    pub fn stored(&self, queue: QueueId) -> Option<StoredLinks> {
        self.stored.get(&queue).copied()
    }

    /// Sets which links of a queue have hosts that are not in memory.
    pub fn set_stored(&mut self, queue: QueueId, stored: Option<StoredLinks>) {
        match stored {
            Some(stored) => self.stored.insert(queue, stored),
            None => self.stored.remove(&queue),
        };
    }

    /// First queue with stored links and fewer than `ready` hosts that are ready.
    pub fn queue_to_load(&self, ready: usize) -> Option<QueueId> {
        let count = |queue: &QueueId| self.queues.get(queue).map_or(0, |queues| queues.ready.len());
        self.stored.keys().find(|queue| count(queue) < ready).copied()
    }

    /// Number of hosts with links in memory.
    pub fn host_count(&self) -> usize {
        self.queues_of.len()
    }

    /// True if a host has links in memory.
    pub fn has_links(&self, host: HostIx) -> bool {
        self.queues_of.contains_key(&host)
    }

    /// Of the `limit` ready hosts of a queue with the worst links: those without a bonus and without links in other
    /// queues, worst first.
    pub fn worst_hosts(&self, queue: QueueId, limit: usize) -> impl Iterator<Item = HostIx> + '_ {
        let ranked = self.queues.get(&queue).into_iter().flat_map(|queues| queues.ready.iter().rev());
        let ranked = ranked.take(limit);
        let is_in_one_queue =
            |host: &HostIx| self.queues_of.get(host).is_some_and(|queues| queues.len() == 1);
        let hosts = ranked.map(|ranked| ranked.host);
        hosts.filter(move |host| self.bonus(*host) == 0.0 && is_in_one_queue(host))
    }

    /// Removes a host of which all links stay in the store.
    pub fn store_host(&mut self, queue: QueueId, host: HostIx) {
        let state = self.queues.get(&queue).and_then(|queues| queues.hosts.get(&host)).copied();
        let Some(QueueState { head, links }) = state else { return };
        self.remove_queue(queue, host);
        self.bonuses.remove(&host);
        let after = head.rank.before();
        let stored = self.stored.entry(queue).or_insert(StoredLinks { after, links: 0 });
        stored.after = stored.after.min(after);
        stored.links += links;
    }

    /// Forgets the bonus of a host that has left memory.
    pub fn forget_host(&mut self, host: HostIx) {
        self.bonuses.remove(&host);
    }

    fn strategy_queues(&self) -> impl Iterator<Item = (&QueueId, &QueueHosts)> {
        self.queues.iter().filter(|(queue, _)| !queue.is_reserved())
    }

    /// Links in all queues of the strategy.
    pub fn total_links(&self) -> u64 {
        let stored: u64 = self.stored.values().map(|stored| stored.links).sum();
        self.strategy_queues().map(|(_, queues)| queues.links).sum::<u64>() + stored
    }

    /// Pairs of a strategy's queue and a host with links in it: all of them, sorted, if there are at most `limit`.
    /// Otherwise those with the best links among the hosts that are ready now or soon, and false.
    pub fn best_pairs(&self, limit: usize) -> (Vec<(QueueId, HostIx)>, bool) {
        let count: usize = self.strategy_queues().map(|(_, queues)| queues.hosts.len()).sum();
        if count <= limit {
            let of_queue = |(queue, queues): (&QueueId, &QueueHosts)| {
                queues.hosts.keys().map(|host| (*queue, *host)).collect::<Vec<_>>()
            };
            let mut all: Vec<_> = self.strategy_queues().flat_map(of_queue).collect();
            all.sort_unstable();
            return (all, true);
        }
        let share = (limit / 2 / self.strategy_queues().count().max(1)).max(1);
        let best = |(queue, queues): (&QueueId, &QueueHosts)| {
            let ranked = queues.ready.iter().take(share).chain(queues.soon.iter().take(share));
            ranked.map(|ranked| (*queue, ranked.host)).collect::<Vec<_>>()
        };
        (self.strategy_queues().flat_map(best).collect(), false)
    }

    /// Queues of the strategy in which a host has links.
    pub fn pairs_of(&self, host: HostIx) -> impl Iterator<Item = (QueueId, HostIx)> + '_ {
        let queues = self.queues_of.get(&host).into_iter().flatten();
        queues.filter(|queue| !queue.is_reserved()).map(move |queue| (*queue, host))
    }

    /// Hosts with links in memory, from this number on.
    pub fn hosts_from(&self, host: HostIx) -> impl Iterator<Item = HostIx> + '_ {
        self.queues_of.range(host..).map(|(host, _)| *host)
    }

    /// True when no link waits in any queue.
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty() && self.stored.is_empty()
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

    fn head_ready_soon(&self, queue: QueueId) -> Option<QueueHead> {
        let best = self.queues.get(&queue)?.soon.first()?;
        Some(QueueHead { queue, score: best.head.score() + self.bonus(best.host) })
    }

    fn head_elsewhere(&self, queue: QueueId) -> Option<QueueHead> {
        self.elsewhere.get(&queue).filter(|_| !self.ignores_others).copied()
    }

    fn link_count(&self, queue: QueueId) -> u64 {
        let stored = self.stored.get(&queue).map_or(0, |stored| stored.links);
        self.queues.get(&queue).map_or(0, |queues| queues.links) + stored
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
        table.add(QUEUE, A, HostHead::ranked(QueueRank::new(0.9, 1)), 1, Availability::Ready);
        table.add(QUEUE, B, HostHead::ranked(QueueRank::new(0.5, 2)), 1, Availability::Ready);
        assert_eq!(table.best_host(QUEUE), Some(A));
        table.set_availability(A, Availability::Soon);
        assert_eq!(table.best_host(QUEUE), Some(B));
        assert_eq!(table.link_count(QUEUE), 2);
        assert_eq!(table.head_ready_soon(QUEUE).unwrap().score, 0.9);
        table.set_availability(A, Availability::Ready);
        assert_eq!(table.head(QUEUE).unwrap().score, 0.9);
    }

    #[test]
    fn the_best_link_counts_for_others_while_its_host_is_busy() {
        let mut table = QueueTable::default();
        table.add(QUEUE, A, HostHead::ranked(QueueRank::new(0.9, 1)), 1, Availability::Ready);
        table.add(QUEUE, B, HostHead::ranked(QueueRank::new(0.5, 2)), 1, Availability::Ready);
        table.add(QueueId::PROBES, B, HostHead::ranked(QueueRank::new(2.0, 3)), 1, Availability::Ready);
        let best = |score| vec![QueueHead { queue: QUEUE, score }];
        table.set_availability(A, Availability::Soon);
        assert_eq!(table.best_heads(&BTreeSet::new()), best(0.9));
        assert_eq!(table.best_heads(&BTreeSet::from([A])), best(0.5), "it may never answer");
        table.set_availability(A, Availability::Later);
        assert_eq!(table.best_heads(&BTreeSet::new()), best(0.5));
        table.set_elsewhere(&best(0.7));
        assert_eq!(table.head_elsewhere(QUEUE), best(0.7).pop());
        table.ignore_others(true);
        assert_eq!(table.head_elsewhere(QUEUE), None);
    }

    #[test]
    fn a_bonus_decides_between_hosts() {
        let mut table = QueueTable::default();
        table.add(QUEUE, A, HostHead::ranked(QueueRank::new(0.9, 1)), 1, Availability::Ready);
        table.add(QUEUE, B, HostHead::ranked(QueueRank::new(0.5, 2)), 1, Availability::Ready);
        table.set_bonus(B, 1.0);
        assert_eq!(table.best_host(QUEUE), Some(B));
        assert_eq!(table.head(QUEUE).unwrap().score, 1.5);
    }

    #[test]
    fn a_host_without_links_is_forgotten() {
        let mut table = QueueTable::default();
        table.add(QUEUE, A, HostHead::ranked(QueueRank::new(0.9, 1)), 2, Availability::Ready);
        table.remove(QUEUE, A, 1, Some(HostHead::ranked(QueueRank::new(0.1, 2))));
        assert_eq!(table.head(QUEUE).unwrap().score, 0.1);
        table.remove(QUEUE, A, 1, None);
        assert!(table.is_empty() && table.queues_of.is_empty());
        assert_eq!(table.heads(), vec![]);
    }

    #[test]
    fn removing_a_host_empties_all_its_queues() {
        let mut table = QueueTable::default();
        table.add(QueueId(1), A, HostHead::ranked(QueueRank::new(0.9, 1)), 3, Availability::Ready);
        table.add(QueueId(2), A, HostHead::ranked(QueueRank::new(0.9, 2)), 4, Availability::Later);
        table.add(QueueId(2), B, HostHead::ranked(QueueRank::new(0.3, 3)), 1, Availability::Ready);
        table.remove_host(A);
        assert_eq!((table.link_count(QueueId(1)), table.link_count(QueueId(2))), (0, 1));
    }

    #[test]
    fn clearing_a_host_keeps_the_queues_of_the_engine() {
        let mut table = QueueTable::default();
        table.add(QUEUE, A, HostHead::ranked(QueueRank::new(0.9, 1)), 1, Availability::Ready);
        table.add(QueueId::PROBES, A, HostHead::ranked(QueueRank::new(0.9, 2)), 1, Availability::Ready);
        table.clear_host(A);
        assert_eq!((table.link_count(QUEUE), table.link_count(QueueId::PROBES)), (0, 1));
    }

    #[test]
    fn a_new_model_makes_every_head_outdated() {
        let mut table = QueueTable::default();
        let head = |rank| HostHead { rank, generation: Some(0) };
        table.add(QUEUE, A, head(QueueRank::new(0.9, 1)), 1, Availability::Ready);
        assert_eq!(table.best_current_host(QUEUE), Some(A));
        table.set_generation(1);
        assert_eq!((table.best_current_host(QUEUE), table.best_host(QUEUE)), (None, Some(A)));
        let placed = HostHead { rank: QueueRank::new(0.1, 2), generation: Some(1) };
        table.add(QUEUE, B, placed, 1, Availability::Ready);
        assert_eq!((table.best_current_host(QUEUE), table.best_host(QUEUE)), (Some(B), Some(A)));
        table.set_availability(B, Availability::Soon);
        assert_eq!(table.best_current_host(QUEUE), None);
    }

    #[test]
    fn a_host_that_is_stored_leaves_its_links_behind_a_rank() {
        let mut table = QueueTable::default();
        for n in 0..4 {
            let head = HostHead::ranked(QueueRank::new(n as f32, u64::from(n)));
            table.add(QUEUE, HostIx(n), head, 2, Availability::Ready);
        }
        table.set_bonus(A, 9.0);
        table.add(QueueId(1), B, HostHead::ranked(QueueRank::new(0.5, 2)), 1, Availability::Ready);
        assert_eq!(table.worst_hosts(QUEUE, 9).collect::<Vec<_>>(), [HostIx(2), HostIx(3)]);
        table.store_host(QUEUE, HostIx(2));
        let stored = table.stored(QUEUE).unwrap();
        assert!(stored.after < QueueRank::new(2.0, 2) && stored.after > QueueRank::new(3.0, 3));
        assert_eq!((stored.links, table.link_count(QUEUE), table.host_count()), (2, 8, 3));
        assert_eq!((table.queue_to_load(3), table.queue_to_load(4)), (None, Some(QUEUE)));
        table.set_stored(QUEUE, None);
        assert_eq!(table.link_count(QUEUE), 6);
    }

    #[test]
    fn of_many_hosts_those_with_the_best_links_come_first() {
        let mut table = QueueTable::default();
        for n in 0..10 {
            let head = HostHead::ranked(QueueRank::new(n as f32, u64::from(n)));
            table.add(QUEUE, HostIx(n), head, 1, Availability::Ready);
        }
        assert_eq!(table.best_pairs(4), (vec![(QUEUE, HostIx(9)), (QUEUE, HostIx(8))], false));
        assert_eq!((table.best_pairs(10).0.len(), table.best_pairs(10).1), (10, true));
    }
}
