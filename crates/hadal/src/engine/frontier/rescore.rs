//! New places for waiting links, when the model of the strategy has changed.

use super::Frontier;
use crate::polite::HostIx;
use crate::store::{FrontierChange, QueueSlice, StoreError};
use hadal_core::address::{Host, LinkId};
use hadal_core::link::{QueueId, QueueRank, QueuedLink};
use hadal_core::strategy::{Placement, Strategy};
use hadal_core::time::Time;
use rustc_hash::FxHashSet;

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
        let slice = QueueSlice::of_queue(from, limit);
        let moved: Vec<QueuedLink> =
            self.store.queue_heads(self.run, &[slice])?.into_iter().flatten().collect();
        let (mut kept, dropped) = self.place_all(moved.clone(), strategy)?;
        kept.iter_mut().for_each(|queued| queued.queue = to);
        self.apply(FrontierChange::Replace(kept.clone()))?;
        self.apply(FrontierChange::Drop(dropped))?;
        for queued in &moved {
            let host = self.host(&queued.link.host(), now)?;
            self.queues.remove(from, host, Some(queued.rank()));
        }
        self.reload_heads(from, &moved)?;
        self.enqueue(&kept, now)
    }

    /// Reads the heads of one queue again for all hosts of some links.
    fn reload_heads(&mut self, queue: QueueId, links: &[QueuedLink]) -> Result<(), StoreError> {
        let names: FxHashSet<Host> = links.iter().map(|queued| queued.link.host()).collect();
        let slices: Vec<QueueSlice> = names.iter().map(|name| QueueSlice::of_host(queue, name, 1)).collect();
        let heads = self.store.queue_heads(self.run, &slices)?;
        for (name, head) in names.iter().zip(heads) {
            if let Some(host) = self.hosts.find(name) {
                self.queues.set_head(queue, host, head.first().map(QueuedLink::rank));
            }
        }
        Ok(())
    }

    /// Starts a new generation of the model and places the head of every queue again. Other links are placed again
    /// when they become heads.
    pub fn rescore_heads(&mut self, strategy: &dyn Strategy, now: Time) -> Result<(), StoreError> {
        self.generation += 1;
        for (queue, host) in self.queues.pairs() {
            let slice = QueueSlice::of_host(queue, self.hosts.name(host), 2);
            let mut first = self.store.queue_heads(self.run, &[slice])?.into_iter().flatten();
            if let Some(head) = first.next() {
                let next = first.next().map(|queued| queued.rank());
                self.place_again(head, host, next, strategy, now)?;
            }
        }
        Ok(())
    }

    /// Places one link by the current model. `next` is the rank of the next link of its host and queue.
    pub(super) fn place_again(
        &mut self,
        old: QueuedLink,
        host: HostIx,
        next: Option<QueueRank>,
        strategy: &dyn Strategy,
        now: Time,
    ) -> Result<(), StoreError> {
        self.queues.remove(old.queue, host, next);
        match self.placement(&old.link, strategy)? {
            Placement::Enqueue { queue, score } => {
                let placed = QueuedLink { queue, score, generation: self.generation, ..old };
                self.enqueue(std::slice::from_ref(&placed), now)?;
                self.apply(FrontierChange::Replace(vec![placed]))
            }
            Placement::Drop => self.apply(FrontierChange::Drop(vec![old.link.id])),
        }
    }

    /// Starts a new generation of the model and places every waiting link again, host by host.
    pub fn rescore_all(&mut self, strategy: &dyn Strategy, now: Time) -> Result<(), StoreError> {
        self.generation += 1;
        for (host, queues) in self.queues.hosts() {
            let name = self.hosts.name(host).clone();
            let slices: Vec<QueueSlice> =
                queues.iter().map(|queue| QueueSlice::of_host(*queue, &name, usize::MAX)).collect();
            let links = self.store.queue_heads(self.run, &slices)?.into_iter().flatten().collect();
            let (kept, dropped) = self.place_all(links, strategy)?;
            self.queues.clear_host(host);
            self.enqueue(&kept, now)?;
            self.apply(FrontierChange::Replace(kept))?;
            self.apply(FrontierChange::Drop(dropped))?;
        }
        Ok(())
    }

    /// Places links by the current model. Returns those that stay and the ids of those to drop.
    fn place_all(
        &mut self,
        links: Vec<QueuedLink>,
        strategy: &dyn Strategy,
    ) -> Result<(Vec<QueuedLink>, Vec<LinkId>), StoreError> {
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for old in links {
            match self.placement(&old.link, strategy)? {
                Placement::Enqueue { queue, score } => {
                    kept.push(QueuedLink { queue, score, generation: self.generation, ..old });
                }
                Placement::Drop => dropped.push(old.link.id),
            }
        }
        Ok((kept, dropped))
    }
}
