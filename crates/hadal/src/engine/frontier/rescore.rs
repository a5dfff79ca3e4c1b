//! New queues and scores for waiting links, when the model of the strategy has changed.
//!
//! A model that changes starts a generation. Scores of earlier generations are outdated. In a large frontier
//! only the best links are rescored at once. The others follow in two ways, neither of which stops the crawl
//! for long: a link is rescored before it is visited, and a sweep rescores some links with every step.

use super::Frontier;
use super::queues::{HostHead, QueueTable};
use crate::polite::HostIx;
use crate::store::{Batch, FrontierChange, QueueSlice, StoreError};
use hadal_core::address::{Host, LinkId};
use hadal_core::link::{QueueId, QueuedLink};
use hadal_core::strategy::{Placement, Strategy};
use hadal_core::time::Time;
use rustc_hash::FxHashSet;

/// Links per queue and host that are rescored together. Guess.
const LOOK_AHEAD: usize = 8;
/// Pairs of queue and host that a sweep rescores per step. Guess.
const SWEPT_PAIRS: usize = 2;
/// Hosts that a sweep looks at per step. Guess: some have only links in queues of the engine.
const SWEEP_STRIDE: usize = 64;
/// Before one choice, links of at most `rescored_at_once` divided by this number of hosts are placed again. Afterwards
/// the best link of the current generation is taken, although an outdated one may be better. Guess.
const LINKS_PER_RESCORED_HOST: usize = 64;

/// Age of scores, and the work that is left to renew them.
pub struct ScoreAge {
    /// Generation of the strategy's model.
    pub generation: u32,
    /// Hosts whose outdated links were rescored since the last choice.
    rescored_hosts: usize,
    /// Maximum number of links that are rescored at once.
    rescored_at_once: usize,
    sweep: ScoreSweep,
}

/// Pass over all hosts that rescores outdated links, some with every step.
#[derive(Default)]
struct ScoreSweep {
    /// Host at which the sweep continues.
    next: HostIx,
    /// Hosts that are left.
    left: usize,
    /// Links per queue that are placed again.
    depth: usize,
}

impl ScoreAge {
    /// Scores of a generation. At most `rescored_at_once` links are rescored at once.
    pub fn new(generation: u32, rescored_at_once: usize) -> ScoreAge {
        ScoreAge { generation, rescored_hosts: 0, rescored_at_once, sweep: ScoreSweep::default() }
    }

    /// Starts a choice.
    pub fn start_choice(&mut self) {
        self.rescored_hosts = 0;
    }

    /// Starts a generation of the model.
    fn start_generation(&mut self, queues: &mut QueueTable) {
        self.generation += 1;
        queues.set_generation(self.generation);
    }

    /// True when the score of a link is older than the model.
    pub fn is_outdated(&self, queued: &QueuedLink) -> bool {
        // After too many tries in one choice, an outdated score is accepted.
        queued.generation != self.generation && self.rescored_hosts < 2 * self.max_rescored_hosts()
    }

    fn max_rescored_hosts(&self) -> usize {
        self.rescored_at_once / LINKS_PER_RESCORED_HOST
    }

    /// Ready host with the best link of a queue, by scores that may be outdated.
    pub fn best_host(&self, queue: QueueId, queues: &QueueTable) -> Option<HostIx> {
        let has_tried_enough = self.rescored_hosts >= self.max_rescored_hosts();
        let current = has_tried_enough.then(|| queues.best_current_host(queue)).flatten();
        current.or_else(|| queues.best_host(queue))
    }

    fn start_sweep(&mut self, depth: usize, hosts: usize) {
        let depth = if self.sweep.left > 0 { depth.max(self.sweep.depth) } else { depth };
        self.sweep = ScoreSweep { next: self.sweep.next, left: hosts, depth };
    }

    /// Next pairs of queue and host that the sweep rescores.
    fn next_pairs(&mut self, queues: &QueueTable) -> Vec<(QueueId, HostIx)> {
        let (mut pairs, mut last) = (Vec::new(), None);
        for host in queues.hosts_from(self.sweep.next).take(SWEEP_STRIDE.min(self.sweep.left)) {
            last = Some(host);
            self.sweep.left -= 1;
            pairs.extend(queues.pairs_of(host));
            if pairs.len() >= SWEPT_PAIRS {
                break;
            }
        }
        // After the last host the sweep starts over.
        self.sweep.next = last.map_or(HostIx(0), |host| HostIx(host.0 + 1));
        pairs
    }
}

impl Frontier {
    /// Moves the best links of one queue into another, with scores of the current model.
    pub fn refill(
        &mut self,
        from: QueueId,
        to: QueueId,
        limit: usize,
        strategy: &dyn Strategy,
        now: Time,
    ) -> Result<(), StoreError> {
        let moved = self.store.queue_head(QueueSlice::of_queue(from, limit))?;
        let (mut kept, dropped) = self.place_all(moved.clone(), strategy)?;
        kept.iter_mut().for_each(|queued| queued.queue = to);
        self.replace(kept.clone(), dropped)?;
        for queued in &moved {
            let host = self.host(&queued.link.host(), now)?;
            self.waiting.queues.remove(from, host, 1, Some(HostHead::of(queued)));
        }
        self.reload_heads(from, &moved)?;
        self.enqueue(&kept, now)
    }

    /// Reads the heads of one queue again for all hosts of some links.
    fn reload_heads(&mut self, queue: QueueId, links: &[QueuedLink]) -> Result<(), StoreError> {
        let names: FxHashSet<Host> = links.iter().map(|queued| queued.link.host()).collect();
        let slices: Vec<QueueSlice> = names.iter().map(|name| QueueSlice::of_host(queue, name, 1)).collect();
        let heads = self.store.queue_heads(&slices)?;
        for (name, head) in names.iter().zip(heads) {
            if let Some(host) = self.waiting.hosts.scheduler.find(name) {
                self.waiting.queues.set_head(queue, host, head.first().map(HostHead::of));
            }
        }
        Ok(())
    }

    /// Starts a generation of the model and rescores the best link of each queue and host: at once for the
    /// best hosts, and during the sweep for the rest.
    pub fn rescore_heads(&mut self, strategy: &dyn Strategy, now: Time) -> Result<(), StoreError> {
        self.scores.start_generation(&mut self.waiting.queues);
        let (pairs, is_complete) = self.waiting.queues.best_pairs(self.scores.rescored_at_once / 2);
        self.rescore_links(&pairs, 1, strategy, now)?;
        if !is_complete {
            self.scores.start_sweep(1, self.waiting.queues.host_count());
        }
        Ok(())
    }

    /// Starts a generation of the model and rescores waiting links: all of them, or the first [`LOOK_AHEAD`]
    /// links of the best hosts now and those of the other hosts during the sweep.
    pub fn rescore_all(&mut self, strategy: &dyn Strategy, now: Time) -> Result<(), StoreError> {
        self.scores.start_generation(&mut self.waiting.queues);
        let links = self.waiting.queues.total_links() as usize;
        if links <= self.scores.rescored_at_once {
            let (pairs, _) = self.waiting.queues.best_pairs(self.scores.rescored_at_once);
            return self.rescore_links(&pairs, links, strategy, now);
        }
        let (pairs, _) = self.waiting.queues.best_pairs(self.scores.rescored_at_once / LOOK_AHEAD);
        self.rescore_links(&pairs, LOOK_AHEAD, strategy, now)?;
        self.scores.start_sweep(LOOK_AHEAD, self.waiting.queues.host_count());
        Ok(())
    }

    /// Continues the sweep for outdated links by one step.
    pub fn sweep(&mut self, strategy: &dyn Strategy, now: Time) -> Result<(), StoreError> {
        let pairs = self.scores.next_pairs(&self.waiting.queues);
        self.rescore_links(&pairs, self.scores.sweep.depth, strategy, now)
    }

    /// Rescores the first links of a host and queue, because the head is outdated.
    pub(super) fn rescore_outdated_head(
        &mut self,
        queue: QueueId,
        host: HostIx,
        strategy: &dyn Strategy,
        now: Time,
    ) -> Result<(), StoreError> {
        self.scores.rescored_hosts += 1;
        self.rescore_links(&[(queue, host)], LOOK_AHEAD, strategy, now)
    }

    /// Rescores the outdated ones among the first `depth` links of each queue and host.
    fn rescore_links(
        &mut self,
        pairs: &[(QueueId, HostIx)],
        depth: usize,
        strategy: &dyn Strategy,
        now: Time,
    ) -> Result<(), StoreError> {
        let slice = |(queue, host): &(QueueId, HostIx)| {
            QueueSlice::of_host(*queue, self.waiting.hosts.scheduler.name(*host), depth + 1)
        };
        let slices: Vec<QueueSlice> = pairs.iter().map(slice).collect();
        if slices.is_empty() {
            return Ok(());
        }
        let heads = self.store.queue_heads(&slices)?;
        let mut outdated = Vec::new();
        for ((queue, host), links) in pairs.iter().zip(heads) {
            let is_old =
                |(n, queued): &(usize, QueuedLink)| *n < depth && queued.generation != self.scores.generation;
            let (old, current): (Vec<_>, Vec<_>) = links.into_iter().enumerate().partition(is_old);
            let next = current.first().map(|(_, queued)| HostHead::of(queued));
            self.waiting.queues.remove(*queue, *host, old.len() as u64, next);
            outdated.extend(old.into_iter().map(|(_, queued)| queued));
        }
        let (kept, dropped) = self.place_all(outdated, strategy)?;
        self.enqueue(&kept, now)?;
        self.replace(kept, dropped)
    }

    fn replace(&self, kept: Vec<QueuedLink>, dropped: Vec<LinkId>) -> Result<(), StoreError> {
        if kept.is_empty() && dropped.is_empty() {
            return Ok(());
        }
        let changes = vec![FrontierChange::Replace(kept), FrontierChange::Drop(dropped)];
        self.store.commit(&Batch { changes, ..Batch::default() })
    }

    /// Places links by the current model. Returns those that stay and the ids of those to drop.
    fn place_all(
        &mut self,
        links: Vec<QueuedLink>,
        strategy: &dyn Strategy,
    ) -> Result<(Vec<QueuedLink>, Vec<LinkId>), StoreError> {
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for old in links {
            match self.known.placement(&old.link, strategy)? {
                Placement::Enqueue { queue, score } => {
                    kept.push(QueuedLink { queue, score, generation: self.scores.generation, ..old });
                }
                Placement::Drop => dropped.push(old.link.id),
            }
        }
        Ok((kept, dropped))
    }
}
