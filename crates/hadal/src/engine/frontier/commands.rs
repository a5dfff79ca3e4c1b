//! Commands of the strategy to the frontier: new scores, moved links, closed sites, added pages and look-ups.

use super::queues::HostHead;
use super::rescore::RescoredLinks;
use super::{Frontier, PlacementContext};
use crate::polite::HostIx;
use crate::store::{FrontierChange, QueueSlice, StoreError};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueueId, QueuedLink};
use hadal_core::strategy::{SiteCounters, StrategyCommand};
use rustc_hash::FxHashSet;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

impl Frontier {
    /// Executes a command of the strategy that concerns links.
    pub fn apply(&mut self, command: StrategyCommand, context: &PlacementContext) -> Result<(), StoreError> {
        match command {
            StrategyCommand::Refill { from, to, limit } => self.refill(from, to, limit, context),
            StrategyCommand::RescoreHeads => {
                let links = self.scores.rescore_heads(&mut self.waiting.queues);
                self.rescore(&links, context)
            }
            StrategyCommand::RescoreAll => {
                let links = self.scores.rescore_all(&mut self.waiting.queues);
                self.rescore(&links, context)
            }
            StrategyCommand::CloseSite(site) => self.close_site(&site),
            StrategyCommand::AddPage(root, found_in) => {
                let link = FrontierLink::root(root, LinkOrigin::AddedPage);
                self.add_found(vec![FrontierLink { context: found_in, ..link }], context).map(drop)
            }
            StrategyCommand::LookUpBacklinks(url) => {
                self.add_found(vec![look_up_link(url)], context).map(drop)
            }
            // The outcome of a visit sets the bonus, and the engine stores lessons.
            StrategyCommand::SetSiteBonus(_) | StrategyCommand::RecordLesson(_) => Ok(()),
        }
    }

    /// Continues the sweep for outdated links by one step.
    pub fn sweep(&mut self, context: &PlacementContext) -> Result<(), StoreError> {
        let links = self.scores.sweep(&self.waiting.queues);
        self.rescore(&links, context)
    }

    /// Moves the best links of one queue into another, with scores of the current model.
    fn refill(
        &mut self,
        from: QueueId,
        to: QueueId,
        limit: usize,
        context: &PlacementContext,
    ) -> Result<(), StoreError> {
        let moved = self.store.queue_head(QueueSlice::of_queue(from, limit))?;
        let generation = self.scores.generation;
        let (mut kept, dropped) = self.known.place_again(moved.clone(), context.strategy, generation)?;
        kept.iter_mut().for_each(|queued| queued.queue = to);
        self.store.replace(kept.clone(), dropped)?;
        for queued in &moved {
            let host = self.host(&queued.link.host(), context.now)?;
            self.waiting.queues.remove(from, host, 1, Some(HostHead::of(queued)));
        }
        self.reload_heads(from, &moved)?;
        self.enqueue(&kept, context.now)
    }

    /// Reads the heads of one queue again for all hosts of some links.
    fn reload_heads(&mut self, queue: QueueId, links: &[QueuedLink]) -> Result<(), StoreError> {
        let names: FxHashSet<Host> = links.iter().map(|queued| queued.link.host()).collect();
        let slices: Vec<QueueSlice> = names.iter().map(|name| QueueSlice::of_host(queue, name, 1)).collect();
        let heads = self.store.queue_heads(&slices)?;
        for (name, head) in names.iter().zip(heads) {
            if let Some(host) = self.waiting.find(name) {
                self.waiting.queues.set_head(queue, host, head.first().map(HostHead::of));
            }
        }
        Ok(())
    }

    /// Gives outdated links new queues and scores.
    pub(super) fn rescore(
        &mut self,
        links: &RescoredLinks,
        context: &PlacementContext,
    ) -> Result<(), StoreError> {
        let RescoredLinks { pairs, depth } = links;
        let slice = |(queue, host): &(QueueId, HostIx)| {
            QueueSlice::of_host(*queue, &self.waiting.name(*host), depth + 1)
        };
        let slices: Vec<QueueSlice> = pairs.iter().map(slice).collect();
        if slices.is_empty() {
            return Ok(());
        }
        let (heads, generation) = (self.store.queue_heads(&slices)?, self.scores.generation);
        let mut outdated = Vec::new();
        for ((queue, host), links) in pairs.iter().zip(heads) {
            let is_old = |(n, queued): &(usize, QueuedLink)| n < depth && queued.generation != generation;
            let (old, current): (Vec<_>, Vec<_>) = links.into_iter().enumerate().partition(is_old);
            let next = current.first().map(|(_, queued)| HostHead::of(queued));
            self.waiting.queues.remove(*queue, *host, old.len() as u64, next);
            outdated.extend(old.into_iter().map(|(_, queued)| queued));
        }
        let (kept, dropped) = self.known.place_again(outdated, context.strategy, generation)?;
        self.enqueue(&kept, context.now)?;
        self.store.replace(kept, dropped)
    }

    /// Closes a site: its waiting links are dropped, and new ones are not admitted.
    fn close_site(&mut self, site: &Site) -> Result<(), StoreError> {
        let counters = SiteCounters { closed: true, ..self.known.site(site)? };
        self.known.set_site(site, counters);
        self.waiting.clear_site(site);
        self.store.apply(FrontierChange::CloseSite(site.clone()))
    }
}

/// Link of a backlink look-up. Its id differs from that of a visit to the same URL.
fn look_up_link(url: Url) -> FrontierLink {
    let id = LinkId(xxh3_64(format!("backlinks of {url}").as_bytes()));
    FrontierLink { id, task: LinkTask::Backlinks, ..FrontierLink::root(url, LinkOrigin::Backlink) }
}
