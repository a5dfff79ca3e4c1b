//! Links of a run in memory, the queues of those that wait, and the pages that link to other sites.

use super::super::{HostQueue, LinkRow, LinkState, QueueLength, QueueSlice, StepEnd, StepTarget};
use super::super::{MAX_CITING_PAGES, MAX_COUNTED_LINKS, RunId, is_site_root};
use super::run::MemoryRun;
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::link::{QueueId, QueueRank, QueuedLink};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use url::Url;

type RankedLinks = BTreeSet<(QueueRank, LinkId)>;

/// A link and its state. Failed and dropped links keep nothing else.
struct MemoryLink {
    state: LinkState,
    queued: Option<Box<QueuedLink>>,
}

/// All links of a run.
#[derive(Default)]
pub struct MemoryFrontier {
    links: FxHashMap<LinkId, MemoryLink>,
    queues_of_host: FxHashMap<Host, BTreeMap<QueueId, RankedLinks>>,
    queues: BTreeMap<QueueId, RankedLinks>,
    hosts_of_site: FxHashMap<Site, FxHashSet<Host>>,
    waiting: u64,
}

impl MemoryFrontier {
    /// Number of waiting links.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    pub fn knows(&self, link: LinkId) -> bool {
        self.links.contains_key(&link)
    }

    /// Adds a link, unless it is known.
    pub fn add(&mut self, queued: &QueuedLink) {
        if !self.knows(queued.link.id) {
            self.enqueue(queued.link.id, Box::new(queued.clone()));
        }
    }

    /// Lets a failed link wait again. False if the link did not fail.
    pub fn retry(&mut self, queued: &QueuedLink) -> bool {
        let id = queued.link.id;
        let has_failed = self.links.get(&id).is_some_and(|known| known.state == LinkState::Failed);
        if has_failed {
            self.enqueue(id, Box::new(queued.clone()));
        }
        has_failed
    }

    /// Changes the placement of a waiting link.
    pub fn replace(&mut self, placed: &QueuedLink) {
        if let Some(mut queued) = self.dequeue(placed.link.id, LinkState::Waiting) {
            queued.queue = placed.queue;
            queued.score = placed.score;
            queued.generation = placed.generation;
            self.enqueue(placed.link.id, queued);
        }
    }

    /// Drops a waiting link.
    pub fn drop(&mut self, link: LinkId) {
        self.dequeue(link, LinkState::Dropped);
    }

    /// Drops the waiting links of a site, except in the engine's own queues.
    pub fn drop_site(&mut self, site: &Site) {
        let hosts: Vec<Host> = self.hosts_of_site.get(site).into_iter().flatten().cloned().collect();
        for host in &hosts {
            self.dequeue_host(host, LinkState::Dropped, |queue| !queue.is_reserved());
        }
    }

    /// Fails the waiting links of a host and returns their number.
    pub fn fail_host(&mut self, host: &Host) -> u64 {
        self.dequeue_host(host, LinkState::Failed, |_| true)
    }

    fn dequeue_host(&mut self, host: &Host, state: LinkState, wanted: impl Fn(QueueId) -> bool) -> u64 {
        let queues = self.queues_of_host.get(host).into_iter().flatten();
        let wanted = queues.filter(|(queue, _)| wanted(**queue));
        let links: Vec<LinkId> = wanted.flat_map(|(_, ranked)| ranked).map(|&(_, link)| link).collect();
        for &link in &links {
            self.dequeue(link, state);
        }
        links.len() as u64
    }

    /// Puts a waiting link in flight. False if the link does not wait.
    pub fn send(&mut self, link: LinkId) -> bool {
        let Some(queued) = self.dequeue(link, LinkState::InFlight) else { return false };
        self.links.insert(link, MemoryLink { state: LinkState::InFlight, queued: Some(queued) });
        true
    }

    /// Applies the end of a step to its link.
    pub fn end_step(&mut self, link: LinkId, end: &StepEnd) {
        if let Some(queued) = end.requeued() {
            return self.enqueue(link, Box::new(queued.clone()));
        }
        let sent = self.links.remove(&link).and_then(|known| known.queued);
        let (state, queued) = match end {
            StepEnd::Failed(_) => (LinkState::Failed, None),
            _ => (LinkState::Done, sent),
        };
        self.links.insert(link, MemoryLink { state, queued });
    }

    /// Lengths of the first queues that are not empty.
    pub fn queue_lengths(&self, limit: usize) -> Vec<QueueLength> {
        let length = |(queue, ranked): (&QueueId, &RankedLinks)| QueueLength {
            queue: *queue,
            waiting: ranked.len().min(MAX_COUNTED_LINKS) as u64,
        };
        self.queues.iter().take(limit).map(length).collect()
    }

    /// A link that waits, is in flight or is done.
    pub fn link(&self, link: LinkId) -> Option<LinkRow> {
        let known = self.links.get(&link)?;
        let queued = known.queued.as_deref()?.clone();
        Some(LinkRow { state: known.state, queued })
    }

    /// The link of a step in flight.
    pub fn in_flight(&self, target: &StepTarget) -> Option<QueuedLink> {
        let StepTarget::Link(link) = target else { return None };
        let known = self.links.get(link).filter(|known| known.state == LinkState::InFlight)?;
        known.queued.as_deref().cloned()
    }

    /// The first links of a queue.
    pub fn head(&self, slice: &QueueSlice) -> Vec<QueuedLink> {
        let start = slice.after.map_or(Bound::Unbounded, |rank| Bound::Excluded((rank, LinkId(u64::MAX))));
        let ranked = match &slice.host {
            Some(host) => self.queues_of_host.get(host).and_then(|queues| queues.get(&slice.queue)),
            None => self.queues.get(&slice.queue),
        };
        let links = ranked.into_iter().flat_map(|ranked| ranked.range((start, Bound::Unbounded)));
        let queued = |(_, link): &(QueueRank, LinkId)| self.links.get(link)?.queued.as_deref().cloned();
        links.take(slice.limit).filter_map(queued).collect()
    }

    /// Queues by host, with their lengths and heads.
    pub fn host_queues(&self) -> Vec<HostQueue> {
        let of_host = |(host, queues): (&Host, &BTreeMap<QueueId, RankedLinks>)| {
            let of_queue = |(&queue, ranked): (&QueueId, &RankedLinks)| {
                let (head, length) = (ranked.first()?.0, ranked.len() as u64);
                Some(HostQueue { queue, host: host.clone(), length, head })
            };
            queues.iter().filter_map(of_queue).collect::<Vec<_>>()
        };
        let mut queues: Vec<_> = self.queues_of_host.iter().flat_map(of_host).collect();
        queues.sort();
        queues
    }

    fn enqueue(&mut self, link: LinkId, queued: Box<QueuedLink>) {
        let (host, key) = (queued.link.host(), (queued.rank(), link));
        if !self.queues_of_host.contains_key(&host) {
            self.hosts_of_site.entry(queued.link.site()).or_default().insert(host.clone());
        }
        self.queues_of_host.entry(host).or_default().entry(queued.queue).or_default().insert(key);
        self.queues.entry(queued.queue).or_default().insert(key);
        self.links.insert(link, MemoryLink { state: LinkState::Waiting, queued: Some(queued) });
        self.waiting += 1;
    }

    /// Takes a waiting link out of its queues and sets its state.
    fn dequeue(&mut self, link: LinkId, state: LinkState) -> Option<Box<QueuedLink>> {
        let known = self.links.get_mut(&link).filter(|known| known.state == LinkState::Waiting)?;
        known.state = state;
        let queued = known.queued.take()?;
        let key = (queued.rank(), link);
        if let Some(queues) = self.queues_of_host.get_mut(&queued.link.host()) {
            queues.entry(queued.queue).and_modify(|ranked| {
                ranked.remove(&key);
            });
            queues.retain(|_, ranked| !ranked.is_empty());
        }
        if let Some(ranked) = self.queues.get_mut(&queued.queue) {
            ranked.remove(&key);
            if ranked.is_empty() {
                self.queues.remove(&queued.queue);
            }
        }
        self.waiting -= 1;
        Some(queued)
    }
}

/// Citing pages of each URL, grouped by the site of the URL.
#[derive(Default)]
pub struct CitationIndex(FxHashMap<Site, BTreeMap<LinkId, BTreeSet<LinkId>>>);

impl CitationIndex {
    /// Adds the links of a page to other sites.
    pub fn add(&mut self, page: LinkId, targets: &[Url]) {
        for url in targets {
            let citing = self.0.entry(Site::of(url)).or_default().entry(LinkId::of(url)).or_default();
            if citing.len() < MAX_CITING_PAGES {
                citing.insert(page);
            }
        }
    }

    /// Pages that cite a URL, or any page of the site if the URL is its root.
    fn citing(&self, url: &Url) -> BTreeSet<LinkId> {
        let targets = self.0.get(&Site::of(url)).into_iter().flatten();
        let (all, target) = (is_site_root(url), LinkId::of(url));
        targets.filter(|(id, _)| all || **id == target).flat_map(|(_, citing)| citing).copied().collect()
    }
}

/// Pages that link to a URL, those of the latest run first.
pub fn backlinks(runs: &BTreeMap<RunId, MemoryRun>, source: &str, url: &Url, limit: usize) -> Vec<Url> {
    let mut seen = FxHashSet::default();
    let same_source = runs.values().rev().filter(|run| run.spec.source == source);
    let linking = same_source.flat_map(|run| {
        let parent = run.frontier.link(LinkId::of(url)).and_then(|row| row.queued.link.parent);
        let pages = run.citations.citing(url).into_iter().chain(parent.map(|parent| parent.id));
        pages.filter_map(|page| run.frontier.link(page)).map(|row| row.queued.link.url)
    });
    linking.filter(|page| page != url && seen.insert(page.clone())).take(limit).collect()
}
