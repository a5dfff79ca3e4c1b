//! The links of a run in memory: every one known, and those that wait in order.

use super::super::{Ending, Work};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::lead::{Lane, Lead, Rank, Waiting};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

type Queue = BTreeSet<(Rank, LinkId)>;

/// Where a link is on its way through a crawl.
enum Link {
    Waiting(Box<Waiting>),
    InFlight(Box<Waiting>),
    /// Followed to its end.
    Followed(Box<Lead>),
    /// Failed or dropped.
    Past,
}

/// All links of a run.
#[derive(Default)]
pub struct Frontier {
    links: FxHashMap<LinkId, Link>,
    hosts: FxHashMap<Host, BTreeMap<Lane, Queue>>,
    lanes: FxHashMap<Lane, Queue>,
    hosts_of: FxHashMap<Site, FxHashSet<Host>>,
    waiting: u64,
}

impl Frontier {
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    pub fn knows(&self, link: LinkId) -> bool {
        self.links.contains_key(&link)
    }

    /// Takes in a lead, unless it is known.
    pub fn add(&mut self, waiting: &Waiting) {
        if !self.knows(waiting.lead.id) {
            self.put(waiting.lead.id, Box::new(waiting.clone()));
        }
    }

    /// Moves a lead that waits to another place.
    pub fn replace(&mut self, placed: &Waiting) {
        if let Some(mut waiting) = self.take(placed.lead.id) {
            waiting.lane = placed.lane;
            waiting.score = placed.score;
            waiting.generation = placed.generation;
            self.put(placed.lead.id, waiting);
        }
    }

    pub fn drop(&mut self, link: LinkId) {
        self.take(link);
    }

    /// Drops what waits for a site in a strategy's lanes.
    pub fn drop_site(&mut self, site: &Site) {
        let hosts: Vec<Host> = self.hosts_of.get(site).into_iter().flatten().cloned().collect();
        for host in &hosts {
            self.drop_of(host, |lane| !lane.is_engines());
        }
    }

    /// Drops what waits for a host and tells how much it was.
    pub fn drop_host(&mut self, host: &Host) -> u64 {
        self.drop_of(host, |_| true)
    }

    fn drop_of(&mut self, host: &Host, wanted: impl Fn(Lane) -> bool) -> u64 {
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
        self.links.insert(link, Link::InFlight(waiting));
        true
    }

    /// Ends the flight of a link; it may go back among those that wait.
    pub fn land(&mut self, link: LinkId, ending: &Ending) {
        let flown = self.links.insert(link, Link::Past);
        if let Some(waiting) = ending.back() {
            self.put(link, Box::new(waiting.clone()));
        } else if let (Some(Link::InFlight(waiting)), Ending::Visited | Ending::Redirected) = (flown, ending)
        {
            self.links.insert(link, Link::Followed(Box::new(waiting.lead)));
        }
    }

    /// Lanes with waiting leads and how many, lowest number first.
    pub fn lanes(&self) -> BTreeMap<Lane, usize> {
        self.lanes
            .iter()
            .filter(|(_, queue)| !queue.is_empty())
            .map(|(lane, queue)| (*lane, queue.len()))
            .collect()
    }

    /// A lead that waits, is in flight or was followed.
    pub fn lead(&self, link: LinkId) -> Option<Lead> {
        match self.links.get(&link)? {
            Link::Waiting(waiting) | Link::InFlight(waiting) => Some(waiting.lead.clone()),
            Link::Followed(lead) => Some(lead.as_ref().clone()),
            Link::Past => None,
        }
    }

    pub fn in_flight(&self, work: &Work) -> Option<Waiting> {
        let Work::Lead(link) = work else { return None };
        match self.links.get(link) {
            Some(Link::InFlight(waiting)) => Some(waiting.as_ref().clone()),
            _ => None,
        }
    }

    pub fn of_host(&self, lane: Lane, host: &Host, after: Option<Rank>, limit: usize) -> Vec<Waiting> {
        let start = after.map_or(Bound::Unbounded, |rank| Bound::Excluded((rank, LinkId(u64::MAX))));
        let queue = self.hosts.get(host).and_then(|lanes| lanes.get(&lane)).into_iter();
        self.leads(queue.flat_map(|queue| queue.range((start, Bound::Unbounded))), limit)
    }

    pub fn of_lane(&self, lane: Lane, limit: usize) -> Vec<Waiting> {
        self.leads(self.lanes.get(&lane).into_iter().flatten(), limit)
    }

    /// Lanes and hosts with waiting leads, and how many.
    pub fn queues(&self) -> Vec<(Lane, Host, u64)> {
        let of_host = |(host, lanes): (&Host, &BTreeMap<Lane, Queue>)| {
            lanes.iter().map(|(&lane, queue)| (lane, host.clone(), queue.len() as u64)).collect::<Vec<_>>()
        };
        let mut queues: Vec<_> = self.hosts.iter().flat_map(of_host).collect();
        queues.sort();
        queues
    }

    fn leads<'a>(&self, ranked: impl Iterator<Item = &'a (Rank, LinkId)>, limit: usize) -> Vec<Waiting> {
        let lead = |(_, link): &(Rank, LinkId)| match self.links.get(link) {
            Some(Link::Waiting(waiting)) => Some(waiting.as_ref().clone()),
            _ => None,
        };
        ranked.take(limit).filter_map(lead).collect()
    }

    fn put(&mut self, link: LinkId, waiting: Box<Waiting>) {
        let (host, key) = (waiting.lead.host(), (waiting.rank(), link));
        if !self.hosts.contains_key(&host) {
            self.hosts_of.entry(waiting.lead.site()).or_default().insert(host.clone());
        }
        self.hosts.entry(host).or_default().entry(waiting.lane).or_default().insert(key);
        self.lanes.entry(waiting.lane).or_default().insert(key);
        self.links.insert(link, Link::Waiting(waiting));
        self.waiting += 1;
    }

    /// Takes a lead that waits out of its queues; it stays known.
    fn take(&mut self, link: LinkId) -> Option<Box<Waiting>> {
        let slot = self.links.get_mut(&link)?;
        let waiting = match std::mem::replace(slot, Link::Past) {
            Link::Waiting(waiting) => waiting,
            other => {
                *slot = other;
                return None;
            }
        };
        let key = (waiting.rank(), link);
        if let Some(lanes) = self.hosts.get_mut(&waiting.lead.host()) {
            lanes.entry(waiting.lane).and_modify(|queue| {
                queue.remove(&key);
            });
            lanes.retain(|_, queue| !queue.is_empty());
        }
        if let Some(queue) = self.lanes.get_mut(&waiting.lane) {
            queue.remove(&key);
            if queue.is_empty() {
                self.lanes.remove(&waiting.lane);
            }
        }
        self.waiting -= 1;
        Some(waiting)
    }
}
