//! The frontier's memory: for each lane and host the rank of the best waiting lead, nothing more.
//!
//! Leads themselves stay in the store; taking one is a look-up of the best lead of one host in one
//! lane. A host is offered only while it is ready, so the head of a lane is the best lead that may be
//! visited *now*. What a strategy says that a site is worth is added to the scores of its leads when
//! hosts are compared. All of it follows from the store and the host table, so a resumed crawl decides
//! exactly as an undisturbed one.

use crate::polite::HostIx;
use hadal_core::link::{QueueId, QueueRank};
use hadal_core::strategy::{QueueHead, QueueHeads};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What waits, by lane and host.
#[derive(Default)]
pub struct Frontier {
    lanes: BTreeMap<QueueId, LaneQueues>,
    lanes_of: FxHashMap<HostIx, Vec<QueueId>>,
    worth: FxHashMap<HostIx, f32>,
}

#[derive(Default)]
struct LaneQueues {
    ready: BTreeSet<Place>,
    hosts: FxHashMap<HostIx, Queue>,
    waiting: u64,
}

#[derive(Clone, Copy)]
struct Queue {
    head: QueueRank,
    waiting: u64,
}

/// Where a host stands in a lane: by its best lead and what its site is worth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    falling: i32,
    head: QueueRank,
    host: HostIx,
}

impl Place {
    fn of(host: HostIx, head: QueueRank, worth: f32) -> Place {
        Place { falling: QueueRank::new(head.score() + worth, 0).score_key(), head, host }
    }
}

impl Frontier {
    /// What a host's site is worth, from now on.
    pub fn set_worth(&mut self, host: HostIx, worth: f32) {
        let before = self.worth_of(host);
        if before == worth {
            return;
        }
        self.worth.insert(host, worth);
        for lane in self.lanes_of.get(&host).into_iter().flatten() {
            let Some(queues) = self.lanes.get_mut(lane) else { continue };
            let Some(queue) = queues.hosts.get(&host) else { continue };
            if queues.ready.remove(&Place::of(host, queue.head, before)) {
                queues.ready.insert(Place::of(host, queue.head, worth));
            }
        }
    }

    /// Counts leads in; `ready` tells whether their host may be visited now.
    pub fn add(&mut self, lane: QueueId, host: HostIx, head: QueueRank, count: u64, ready: bool) {
        let worth = self.worth_of(host);
        let queues = self.lanes.entry(lane).or_default();
        queues.waiting += count;
        let known = queues.hosts.get(&host).copied();
        let best = known.map_or(head, |queue| queue.head.min(head));
        queues.hosts.insert(host, Queue { head: best, waiting: known.map_or(0, |q| q.waiting) + count });
        if let Some(old) = known {
            queues.ready.remove(&Place::of(host, old.head, worth));
        } else {
            self.lanes_of.entry(host).or_default().push(lane);
        }
        if ready {
            queues.ready.insert(Place::of(host, best, worth));
        }
    }

    /// Takes one lead of a host out; `next` is the rank of the best one left.
    pub fn remove(&mut self, lane: QueueId, host: HostIx, next: Option<QueueRank>) {
        let worth = self.worth_of(host);
        let Some(queues) = self.lanes.get_mut(&lane) else { return };
        let Some(queue) = queues.hosts.get_mut(&host) else { return };
        let was_ready = queues.ready.remove(&Place::of(host, queue.head, worth));
        queues.waiting = queues.waiting.saturating_sub(1);
        queue.waiting = queue.waiting.saturating_sub(1);
        match next {
            Some(rank) => {
                queue.head = rank;
                if was_ready {
                    queues.ready.insert(Place::of(host, rank, worth));
                }
            }
            None => self.forget(lane, host),
        }
    }

    /// Corrects the rank of a host's best lead in a lane.
    pub fn set_head(&mut self, lane: QueueId, host: HostIx, head: Option<QueueRank>) {
        let Some(head) = head else { return self.forget(lane, host) };
        let worth = self.worth_of(host);
        if let Some(queues) = self.lanes.get_mut(&lane)
            && let Some(queue) = queues.hosts.get_mut(&host)
        {
            let was_ready = queues.ready.remove(&Place::of(host, queue.head, worth));
            queue.head = head;
            if was_ready {
                queues.ready.insert(Place::of(host, head, worth));
            }
        }
    }

    fn forget(&mut self, lane: QueueId, host: HostIx) {
        let worth = self.worth_of(host);
        if let Some(queues) = self.lanes.get_mut(&lane)
            && let Some(queue) = queues.hosts.remove(&host)
        {
            queues.ready.remove(&Place::of(host, queue.head, worth));
            queues.waiting = queues.waiting.saturating_sub(queue.waiting);
            if queues.hosts.is_empty() {
                self.lanes.remove(&lane);
            }
        }
        if let Some(lanes) = self.lanes_of.get_mut(&host) {
            lanes.retain(|known| *known != lane);
            if lanes.is_empty() {
                self.lanes_of.remove(&host);
            }
        }
    }

    /// Drops the queues of a host in a strategy's lanes.
    pub fn leave_host(&mut self, host: HostIx) {
        let lanes = self.lanes_of.get(&host).cloned().unwrap_or_default();
        for lane in lanes.into_iter().filter(|lane| !lane.is_reserved()) {
            self.forget(lane, host);
        }
    }

    /// Drops every queue of a host; answers how many leads that were.
    pub fn drop_host(&mut self, host: HostIx) -> u64 {
        let lanes = self.lanes_of.get(&host).cloned().unwrap_or_default();
        let mut dropped = 0;
        for lane in lanes {
            dropped += self.queue(lane, host).map_or(0, |queue| queue.waiting);
            self.forget(lane, host);
        }
        dropped
    }

    fn worth_of(&self, host: HostIx) -> f32 {
        self.worth.get(&host).copied().unwrap_or_default()
    }

    fn queue(&self, lane: QueueId, host: HostIx) -> Option<Queue> {
        self.lanes.get(&lane)?.hosts.get(&host).copied()
    }

    /// A host became ready or ceased to be.
    pub fn set_ready(&mut self, host: HostIx, ready: bool) {
        let worth = self.worth_of(host);
        for lane in self.lanes_of.get(&host).into_iter().flatten() {
            let Some(queues) = self.lanes.get_mut(lane) else { continue };
            let Some(queue) = queues.hosts.get(&host) else { continue };
            let entry = Place::of(host, queue.head, worth);
            if ready {
                queues.ready.insert(entry)
            } else {
                queues.ready.remove(&entry)
            };
        }
    }

    /// The host whose lead is the head of a lane.
    pub fn best_host(&self, lane: QueueId) -> Option<HostIx> {
        self.lanes.get(&lane)?.ready.first().map(|place| place.host)
    }

    /// Every lane of a strategy and host with something waiting, in a fixed order.
    pub fn queues(&self) -> Vec<(QueueId, HostIx)> {
        let mut all: Vec<_> = self
            .lanes
            .iter()
            .filter(|(lane, _)| !lane.is_reserved())
            .flat_map(|(lane, queues)| queues.hosts.keys().map(|host| (*lane, *host)))
            .collect();
        all.sort_unstable();
        all
    }

    /// Every host with something waiting in a strategy's lanes, and those lanes, in a fixed order.
    pub fn hosts(&self) -> Vec<(HostIx, Vec<QueueId>)> {
        let mut all: Vec<(HostIx, Vec<QueueId>)> = self
            .lanes_of
            .iter()
            .map(|(host, lanes)| (*host, lanes.iter().copied().filter(|lane| !lane.is_reserved()).collect()))
            .collect();
        all.sort_unstable();
        all
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }
}

impl QueueHeads for Frontier {
    fn heads(&self) -> Vec<QueueHead> {
        self.lanes.keys().filter(|lane| !lane.is_reserved()).filter_map(|lane| self.head(*lane)).collect()
    }

    fn head(&self, lane: QueueId) -> Option<QueueHead> {
        let best = self.lanes.get(&lane)?.ready.first()?;
        Some(QueueHead { queue: lane, score: best.head.score() + self.worth_of(best.host) })
    }

    fn link_count(&self, lane: QueueId) -> u64 {
        self.lanes.get(&lane).map_or(0, |queues| queues.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: HostIx = HostIx(0);
    const B: HostIx = HostIx(1);
    const LANE: QueueId = QueueId(0);

    #[test]
    fn the_head_of_a_lane_is_the_best_lead_of_a_ready_host() {
        let mut frontier = Frontier::default();
        frontier.add(LANE, A, QueueRank::new(0.9, 1), 1, true);
        frontier.add(LANE, B, QueueRank::new(0.5, 2), 1, true);
        assert_eq!(frontier.best_host(LANE), Some(A));
        frontier.set_ready(A, false);
        assert_eq!(frontier.best_host(LANE), Some(B));
        assert_eq!(frontier.link_count(LANE), 2);
        frontier.set_ready(A, true);
        assert_eq!(frontier.head(LANE).unwrap().score, 0.9);
    }

    #[test]
    fn taking_the_last_lead_of_a_host_forgets_it() {
        let mut frontier = Frontier::default();
        frontier.add(LANE, A, QueueRank::new(0.9, 1), 2, true);
        frontier.remove(LANE, A, Some(QueueRank::new(0.1, 2)));
        assert_eq!(frontier.head(LANE).unwrap().score, 0.1);
        frontier.remove(LANE, A, None);
        assert!(frontier.is_empty() && frontier.lanes_of.is_empty());
        assert_eq!(frontier.heads(), vec![]);
    }

    #[test]
    fn dropping_a_host_empties_all_its_lanes() {
        let mut frontier = Frontier::default();
        frontier.add(QueueId(1), A, QueueRank::new(0.9, 1), 3, true);
        frontier.add(QueueId(2), A, QueueRank::new(0.9, 2), 4, false);
        frontier.add(QueueId(2), B, QueueRank::new(0.3, 3), 1, true);
        assert_eq!(frontier.drop_host(A), 7);
        assert_eq!((frontier.link_count(QueueId(1)), frontier.link_count(QueueId(2))), (0, 1));
    }
}
