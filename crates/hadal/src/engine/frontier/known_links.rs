//! Links and sites that the run knows, with caches in front of the store.

use super::caches::{LinkIdCache, SiteCache};
use super::run_store::RunStore;
use crate::engine::scope::Scope;
use crate::store::{LookUp, StoreError};
use hadal_core::address::{LinkId, Site, names_file};
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueuedLink};
use hadal_core::repetition::Repetition;
use hadal_core::strategy::{Placement, SiteCounters, Strategy};
use std::sync::Arc;

/// Caches of known links and sites of a run, so that few of them are looked up in the store.
pub struct KnownLinks {
    store: RunStore,
    sites: SiteCache,
    /// Links that were seen lately. Threads that parse pages read it, too.
    pub seen: Arc<LinkIdCache>,
    /// Mirrors and traps of this session. `None`: the crawl does not look for them.
    pub repetition: Option<Repetition>,
}

impl KnownLinks {
    /// Empty caches.
    pub fn new(store: RunStore, detects_repetition: bool) -> KnownLinks {
        let repetition = detects_repetition.then(Repetition::default);
        KnownLinks { store, sites: SiteCache::default(), seen: Arc::default(), repetition }
    }

    /// Empties the caches, because other workers may have changed everything.
    pub fn clear(&mut self) {
        self.sites = SiteCache::default();
        self.seen.clear();
    }

    /// Counters of a site.
    pub fn site(&mut self, site: &Site) -> Result<SiteCounters, StoreError> {
        if let Some(counters) = self.sites.get(site) {
            return Ok(counters);
        }
        let keys = LookUp { sites: std::slice::from_ref(site), ..LookUp::default() };
        let counters = self.store.look_up(&keys)?.sites.pop().unwrap_or_default();
        self.set_site(site, counters);
        Ok(counters)
    }

    /// Sets the counters of a site in memory. The outcome of the step writes them to the store.
    pub fn set_site(&mut self, site: &Site, counters: SiteCounters) {
        self.sites.set(site.clone(), counters);
    }

    /// True for a link that may be new, is in scope, and may lead to a page that was not visited.
    pub fn is_candidate(&self, link: &FrontierLink, scope: &Scope) -> bool {
        let is_new = !self.seen.contains(link.id) && !is_file_link(link);
        is_new && scope.admits(link) && !self.is_repetition(link)
    }

    /// True for a link that probably leads into a crawler trap, because many similar URLs had nothing new, or
    /// to a page that was visited at another URL. Seeds and backlinks are never repetitions.
    pub fn is_repetition(&self, link: &FrontierLink) -> bool {
        let is_found = link.task == LinkTask::Page && link.origin == LinkOrigin::Link;
        let repeats = |seen: &Repetition| seen.is_exhausted(&link.url) || seen.is_visited(link.id);
        is_found && self.repetition.as_ref().is_some_and(repeats)
    }

    /// Returns, for each link in the same order, true if the run knows it. The same call reads the counters of their
    /// sites.
    pub fn look_up(&mut self, links: &[FrontierLink]) -> Result<Vec<bool>, StoreError> {
        let ids: Vec<LinkId> = links.iter().map(|link| link.id).collect();
        let mut sites: Vec<Site> = links.iter().map(FrontierLink::site).collect();
        sites.sort_unstable();
        sites.dedup();
        sites.retain(|site| self.sites.get(site).is_none());
        let keys = LookUp { links: &ids, sites: &sites, ..LookUp::default() };
        let found = self.store.look_up(&keys)?;
        for (site, counters) in sites.into_iter().zip(found.sites) {
            self.sites.set(site, counters);
        }
        Ok(found.links)
    }

    /// Places waiting links again by the current model, of this generation. Returns those that stay and the ids
    /// of those to drop.
    pub fn place_again(
        &mut self,
        links: Vec<QueuedLink>,
        strategy: &dyn Strategy,
        generation: u32,
    ) -> Result<(Vec<QueuedLink>, Vec<LinkId>), StoreError> {
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for old in links {
            match self.placement(&old.link, strategy)? {
                Placement::Enqueue { queue, score } => {
                    kept.push(QueuedLink { queue, score, generation, ..old });
                }
                Placement::Drop => dropped.push(old.link.id),
            }
        }
        Ok((kept, dropped))
    }

    /// Placement of a link by the current model. Links of closed sites are dropped.
    pub fn placement(
        &mut self,
        link: &FrontierLink,
        strategy: &dyn Strategy,
    ) -> Result<Placement, StoreError> {
        let site = self.site(&link.site())?;
        Ok(if site.closed { Placement::Drop } else { strategy.place(link, &site) })
    }
}

/// True for a link on a page to a file that is not a page. Seeds and redirects are requested whatever their
/// names are.
fn is_file_link(link: &FrontierLink) -> bool {
    link.task == LinkTask::Page && link.origin == LinkOrigin::Link && names_file(&link.url)
}
