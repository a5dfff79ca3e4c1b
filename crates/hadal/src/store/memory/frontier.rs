//! The links of a run in memory: every one known, and those that wait in order.

use super::super::{StepEnd, StepTarget};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::link::{FrontierLink, QueueId, QueueRank, QueuedLink};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

type RankedLinks = BTreeSet<(QueueRank, LinkId)>;

/// Where a link is on its way through a crawl.
enum MemoryLink {
    Waiting(Box<QueuedLink>),
    InFlight(Box<QueuedLink>),
    /// Visited.
    FollowedLink(Box<FrontierLink>),
    /// Failed or dropped.
    Past,
}

/// All links of a run.
#[derive(Default)]
pub struct MemoryFrontier {
    links: FxHashMap<LinkId, MemoryLink>,
    hosts: FxHashMap<Host, BTreeMap<QueueId, RankedLinks>>,
    lanes: FxHashMap<QueueId, RankedLinks>,
    hosts_of: FxHashMap<Site, FxHashSet<Host>>,
    waiting: u64,
}

impl MemoryFrontier {
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    pub fn knows(&self, link: LinkId) -> bool {
        self.links.contains_key(&link)
    }

    /// Takes in a lead, unless it is known.
    pub fn add(&mut self, waiting: &QueuedLink) {
        if !self.knows(waiting.link.id) {
            self.put(waiting.link.id, Box::new(waiting.clone()));
        }
    }

    /// Moves a lead that waits to another place.
    pub fn replace(&mut self, placed: &QueuedLink) {
        if let Some(mut waiting) = self.take(placed.link.id) {
            waiting.queue = placed.queue;
            waiting.score = placed.score;
            waiting.generation = placed.generation;
            self.put(placed.link.id, waiting);
        }
    }

    pub fn drop(&mut self, link: LinkId) {
        self.take(link);
    }

    /// Drops what waits for a site in a strategy's lanes.
    pub fn drop_site(&mut self, site: &Site) {
        let hosts: Vec<Host> = self.hosts_of.get(site).into_iter().flatten().cloned().collect();
        for host in &hosts {
            self.drop_of(host, |lane| !lane.is_reserved());
        }
    }

    /// Drops what waits for a host and tells how much it was.
    pub fn drop_host(&mut self, host: &Host) -> u64 {
        self.drop_of(host, |_| true)
    }

    fn drop_of(&mut self, host: &Host, wanted: impl Fn(QueueId) -> bool) -> u64 {
        let queues = self.hosts.get(host).into_iter().flatten().filter(|(lane, _)| wanted(**lane));
        let links: Vec<LinkId> = queues.flat_map(|(_, queue)| queue).map(|&(_, link)| link).collect();
        for &link in &links {
            self.take(link);
        }
        links.len() as u64
    }

    /// Whether the lead waited and is now in flight.
    pub fn dispatch(&mut self, link: LinkId) -> bool {
        let Some(waiting) = self.take(link) else { return false };
        self.links.insert(link, MemoryLink::InFlight(waiting));
        true
    }

    /// Ends the flight of a link; it may go back among those that wait.
    pub fn land(&mut self, link: LinkId, ending: &StepEnd) {
        let flown = self.links.insert(link, MemoryLink::Past);
        if let Some(waiting) = ending.back() {
            self.put(link, Box::new(waiting.clone()));
        } else if let (Some(MemoryLink::InFlight(waiting)), StepEnd::Visited | StepEnd::Redirected) =
            (flown, ending)
        {
            self.links.insert(link, MemoryLink::FollowedLink(Box::new(waiting.link)));
        }
    }

    /// Lanes with waiting leads and how many, lowest number first.
    pub fn lanes(&self) -> BTreeMap<QueueId, usize> {
        self.lanes
            .iter()
            .filter(|(_, queue)| !queue.is_empty())
            .map(|(lane, queue)| (*lane, queue.len()))
            .collect()
    }

    /// A lead that waits, is in flight or was followed.
    pub fn lead(&self, link: LinkId) -> Option<FrontierLink> {
        match self.links.get(&link)? {
            MemoryLink::Waiting(waiting) | MemoryLink::InFlight(waiting) => Some(waiting.link.clone()),
            MemoryLink::FollowedLink(lead) => Some(lead.as_ref().clone()),
            MemoryLink::Past => None,
        }
    }

    pub fn in_flight(&self, work: &StepTarget) -> Option<QueuedLink> {
        let StepTarget::Link(link) = work else { return None };
        match self.links.get(link) {
            Some(MemoryLink::InFlight(waiting)) => Some(waiting.as_ref().clone()),
            _ => None,
        }
    }

    pub fn of_host(
        &self,
        lane: QueueId,
        host: &Host,
        after: Option<QueueRank>,
        limit: usize,
    ) -> Vec<QueuedLink> {
        let start = after.map_or(Bound::Unbounded, |rank| Bound::Excluded((rank, LinkId(u64::MAX))));
        let queue = self.hosts.get(host).and_then(|lanes| lanes.get(&lane)).into_iter();
        self.leads(queue.flat_map(|queue| queue.range((start, Bound::Unbounded))), limit)
    }

    pub fn of_lane(&self, lane: QueueId, limit: usize) -> Vec<QueuedLink> {
        self.leads(self.lanes.get(&lane).into_iter().flatten(), limit)
    }

    /// Lanes and hosts with waiting leads, and how many.
    pub fn queues(&self) -> Vec<(QueueId, Host, u64)> {
        let of_host = |(host, lanes): (&Host, &BTreeMap<QueueId, RankedLinks>)| {
            lanes.iter().map(|(&lane, queue)| (lane, host.clone(), queue.len() as u64)).collect::<Vec<_>>()
        };
        let mut queues: Vec<_> = self.hosts.iter().flat_map(of_host).collect();
        queues.sort();
        queues
    }

    fn leads<'a>(
        &self,
        ranked: impl Iterator<Item = &'a (QueueRank, LinkId)>,
        limit: usize,
    ) -> Vec<QueuedLink> {
        let lead = |(_, link): &(QueueRank, LinkId)| match self.links.get(link) {
            Some(MemoryLink::Waiting(waiting)) => Some(waiting.as_ref().clone()),
            _ => None,
        };
        ranked.take(limit).filter_map(lead).collect()
    }

    fn put(&mut self, link: LinkId, waiting: Box<QueuedLink>) {
        let (host, key) = (waiting.link.host(), (waiting.rank(), link));
        if !self.hosts.contains_key(&host) {
            self.hosts_of.entry(waiting.link.site()).or_default().insert(host.clone());
        }
        self.hosts.entry(host).or_default().entry(waiting.queue).or_default().insert(key);
        self.lanes.entry(waiting.queue).or_default().insert(key);
        self.links.insert(link, MemoryLink::Waiting(waiting));
        self.waiting += 1;
    }

    /// Takes a lead that waits out of its queues; it stays known.
    fn take(&mut self, link: LinkId) -> Option<Box<QueuedLink>> {
        let slot = self.links.get_mut(&link)?;
        let waiting = match std::mem::replace(slot, MemoryLink::Past) {
            MemoryLink::Waiting(waiting) => waiting,
            other => {
                *slot = other;
                return None;
            }
        };
        let key = (waiting.rank(), link);
        if let Some(lanes) = self.hosts.get_mut(&waiting.link.host()) {
            lanes.entry(waiting.queue).and_modify(|queue| {
                queue.remove(&key);
            });
            lanes.retain(|_, queue| !queue.is_empty());
        }
        if let Some(queue) = self.lanes.get_mut(&waiting.queue) {
            queue.remove(&key);
            if queue.is_empty() {
                self.lanes.remove(&waiting.queue);
            }
        }
        self.waiting -= 1;
        Some(waiting)
    }
}
