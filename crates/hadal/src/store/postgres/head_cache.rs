//! First waiting links of hosts in memory, so that a choice needs neither a query nor a flush.
//!
//! For each step the engine reads the first links of one host and queue. The cache keeps some of them per host and
//! queue, and follows the batches of its handle: links that arrive, move, or are sent. An entry holds the beginning of
//! a queue up to a bound; beyond it, the database knows more. The cache knows the queues of a host from its first link
//! on. What it does not know is read from the database together with other queues that it will not know soon, after
//! which the batches that are not written yet are applied to it.

use super::super::{Batch, FrontierChange, QueueSlice, StepTarget};
use super::frontier::host_id;
use hadal_core::address::{Host, LinkId};
use hadal_core::link::{QueueId, QueueRank, QueuedLink};
use rustc_hash::{FxHashMap, FxHashSet};

/// Links that are read per host and queue. Guess: above the nine that the engine places again together.
pub const LINKS_PER_QUEUE: usize = 16;
/// Links that a queue without a bound may hold before it gets one. Guess.
const MAX_LINKS_PER_QUEUE: usize = 4 * LINKS_PER_QUEUE;
/// An entry with fewer links is read again when another one is. Guess: the engine reads two links per choice.
const FEW_LINKS: usize = 2;
/// Queues that are read at once besides the wanted ones. Guess: a millisecond of the server.
const READ_AHEAD: usize = 64;
/// Maximum number of links in the cache; it is emptied when it is full. Guess: about 80 MB.
const MAX_LINKS: usize = 80_000;

/// A queue of one host.
type QueueKey = (QueueId, Host);

/// First waiting links of hosts.
#[derive(Default)]
pub struct HeadCache {
    queues: FxHashMap<QueueKey, QueueBeginning>,
    /// Queue of each link in the cache.
    places: FxHashMap<LinkId, QueueKey>,
    /// Keys of the hosts that the database has; `None` if they are not known.
    stored: Option<FxHashSet<i64>>,
    /// Keys of hosts with queues that the cache knows from their first link on. A queue without an entry is empty.
    followed: FxHashSet<i64>,
    /// Queues that have few links left, besides others.
    low: FxHashSet<QueueKey>,
}

/// Beginning of a queue, in rank order.
#[derive(Default)]
struct QueueBeginning {
    links: Vec<QueuedLink>,
    /// Rank up to which all links are here; `None` if the queue has no others.
    bound: Option<QueueRank>,
}

impl QueueBeginning {
    /// The first links, if the entry holds enough.
    fn first(&self, limit: usize) -> Option<&[QueuedLink]> {
        let is_enough = self.bound.is_none() || self.links.len() >= limit;
        is_enough.then(|| &self.links[..limit.min(self.links.len())])
    }

    /// True if the link is among the first ones.
    fn insert(&mut self, queued: &QueuedLink) -> bool {
        let rank = queued.rank();
        if self.bound.is_some_and(|bound| rank > bound) {
            return false;
        }
        let place = self.links.partition_point(|known| known.rank() < rank);
        self.links.insert(place, queued.clone());
        true
    }

    /// Shortens a long entry. Returns the links that leave it.
    fn shorten(&mut self) -> Vec<QueuedLink> {
        if self.links.len() <= MAX_LINKS_PER_QUEUE {
            return Vec::new();
        }
        let gone = self.links.split_off(LINKS_PER_QUEUE);
        self.bound = self.links.last().map(QueuedLink::rank);
        gone
    }

    fn is_low(&self) -> bool {
        self.bound.is_some() && self.links.len() < FEW_LINKS
    }
}

/// True for batches that change queues in a way that the cache cannot follow: they drop or fail links that only the
/// database knows.
pub fn needs_database(batch: &Batch) -> bool {
    batch.changes.iter().any(|change| {
        matches!(
            change,
            FrontierChange::CloseSite(_) | FrontierChange::FailHost(..) | FrontierChange::Retry(_)
        )
    })
}

impl HeadCache {
    /// Empties the cache. The hosts of the database stay known.
    pub fn clear(&mut self) {
        let followed = std::mem::take(&mut self.followed);
        *self = HeadCache { stored: self.stored.take(), ..HeadCache::default() };
        self.stored.iter_mut().for_each(|stored| stored.extend(&followed));
    }

    /// Empties the cache, after the database got further hosts. `None`: they are not known.
    pub fn reset(&mut self, more: Option<Vec<i64>>) {
        self.clear();
        let stored = self.stored.take().unwrap_or_default();
        self.stored = more.map(|more| stored.into_iter().chain(more).collect());
    }

    /// Key of a slice that the cache can hold: the first few links of one host.
    pub fn key(slice: &QueueSlice) -> Option<QueueKey> {
        let is_small = slice.after.is_none() && slice.limit <= LINKS_PER_QUEUE;
        slice.host.as_ref().filter(|_| is_small).map(|host| (slice.queue, host.clone()))
    }

    /// Links of a slice, if the cache has them.
    pub fn get(&self, slice: &QueueSlice) -> Option<Vec<QueuedLink>> {
        let key = HeadCache::key(slice)?;
        match self.queues.get(&key) {
            Some(queue) => queue.first(slice.limit).map(<[QueuedLink]>::to_vec),
            None => self.followed.contains(&host_id(&key.1)).then(Vec::new),
        }
    }

    /// Keeps the beginning of a queue as the database has it, with the effects of `unwritten` batches.
    pub fn keep(&mut self, key: QueueKey, links: Vec<QueuedLink>, unwritten: &[&Batch]) {
        if self.places.len() >= MAX_LINKS {
            self.clear();
        }
        let bound = (links.len() >= LINKS_PER_QUEUE).then(|| links.last().map(QueuedLink::rank)).flatten();
        let mut one = HeadCache::default();
        one.places.extend(links.iter().map(|queued| (queued.link.id, key.clone())));
        one.queues.insert(key.clone(), QueueBeginning { links, bound });
        unwritten.iter().for_each(|batch| one.apply(batch));
        self.forget(&key);
        self.queues.extend(one.queues);
        self.places.extend(one.places);
    }

    fn forget(&mut self, key: &QueueKey) {
        self.low.remove(key);
        for queued in self.queues.remove(key).into_iter().flat_map(|queue| queue.links) {
            self.places.remove(&queued.link.id);
        }
    }

    /// Follows a batch, in the order in which a store applies its parts.
    pub fn apply(&mut self, batch: &Batch) {
        if needs_database(batch) {
            return self.clear();
        }
        for outcome in &batch.outcomes {
            outcome.end.requeued().into_iter().chain(&outcome.found).for_each(|queued| self.insert(queued));
        }
        for change in &batch.changes {
            match change {
                FrontierChange::Add(links) => links.iter().for_each(|queued| self.insert(queued)),
                FrontierChange::Replace(links) => links.iter().for_each(|queued| self.replace(queued)),
                FrontierChange::Drop(links) => links.iter().for_each(|link| self.remove(*link)),
                _ => {}
            }
        }
        for step in &batch.sent {
            if let StepTarget::Link(link) = step.target {
                self.remove(link);
            }
        }
    }

    fn insert(&mut self, queued: &QueuedLink) {
        let key = (queued.queue, queued.link.host());
        if self.follows(&key) && !self.places.contains_key(&queued.link.id) {
            let queue = self.queues.entry(key.clone()).or_default();
            if queue.insert(queued) {
                self.places.insert(queued.link.id, key);
            }
            for gone in queue.shorten() {
                self.places.remove(&gone.link.id);
            }
        }
    }

    /// True if the cache knows the beginning of a queue. Its host may be a new one.
    fn follows(&mut self, key: &QueueKey) -> bool {
        if self.queues.contains_key(key) {
            return true;
        }
        let host = host_id(&key.1);
        let is_new = |cache: &HeadCache| cache.stored.as_ref().is_some_and(|stored| !stored.contains(&host));
        if is_new(self) && self.places.len() >= MAX_LINKS {
            self.clear();
        }
        let is_new = is_new(self);
        if is_new {
            self.followed.insert(host);
        }
        is_new
    }

    /// Moves a link to its new place. A link that the cache does not know may enter it.
    fn replace(&mut self, queued: &QueuedLink) {
        self.remove(queued.link.id);
        self.insert(queued);
    }

    fn remove(&mut self, link: LinkId) {
        let Some(key) = self.places.remove(&link) else { return };
        if let Some(queue) = self.queues.get_mut(&key) {
            queue.links.retain(|queued| queued.link.id != link);
            if queue.is_low() {
                self.low.insert(key);
            }
        }
    }

    /// Slices that have to be read, each queue once, in the form in which [`HeadCache::keep`] takes them. If there are
    /// any, queues with few links are read, too.
    pub fn missing(&self, slices: &[QueueSlice]) -> Vec<QueueSlice> {
        let mut seen = FxHashSet::default();
        let missing = slices.iter().filter(|slice| self.get(slice).is_none()).filter_map(HeadCache::key);
        let mut keys: Vec<QueueKey> = missing.filter(|key| seen.insert(key.clone())).collect();
        if !keys.is_empty() {
            keys.extend(self.low.iter().filter(|key| !seen.contains(*key)).take(READ_AHEAD).cloned());
        }
        keys.iter().map(|(queue, host)| QueueSlice::of_host(*queue, host, LINKS_PER_QUEUE)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Outcome, SentStep, StepEnd};
    use hadal_core::link::{FrontierLink, LinkOrigin};
    use hadal_core::time::Time;

    const QUEUE: QueueId = QueueId(0);

    fn queued(path: &str, score: f32, order: u64) -> QueuedLink {
        let link = FrontierLink::root(format!("http://a.org/{path}").parse().unwrap(), LinkOrigin::Link);
        QueuedLink { link, queue: QUEUE, score, order, generation: 0, attempts: 0, not_before: Time(0) }
    }

    fn host() -> Host {
        Host("http://a.org".into())
    }

    fn paths(cache: &HeadCache, limit: usize) -> Option<Vec<String>> {
        let links = cache.get(&QueueSlice::of_host(QUEUE, &host(), limit))?;
        Some(links.iter().map(|queued| queued.link.url.path()[1..].to_string()).collect())
    }

    fn adding(links: &[QueuedLink]) -> Batch {
        Batch { changes: vec![FrontierChange::Add(links.to_vec())], ..Batch::default() }
    }

    fn sending(queued: &QueuedLink) -> Batch {
        let target = StepTarget::Link(queued.link.id);
        Batch { sent: vec![SentStep { seq: 0, target, at: Time(0) }], ..Batch::default() }
    }

    #[test]
    fn a_cached_queue_follows_the_batches_of_its_handle() {
        let mut cache = HeadCache::default();
        assert_eq!(paths(&cache, 2), None);
        let (low, high) = (queued("low", 0.1, 1), queued("high", 0.9, 2));
        cache.keep((QUEUE, host()), vec![low.clone()], &[&adding(std::slice::from_ref(&high))]);
        assert_eq!(paths(&cache, 2).unwrap(), ["high", "low"], "a batch that is not written yet counts");
        cache.apply(&sending(&high));
        assert_eq!(paths(&cache, 2).unwrap(), ["low"]);
        let end = StepEnd::Continue(Box::new(QueuedLink { score: 0.05, ..high.clone() }));
        let mut outcome = Outcome::of(0, StepTarget::Link(high.link.id), Time(0));
        (outcome.end, outcome.found) = (end, vec![queued("found", 0.5, 3)]);
        cache.apply(&Batch { outcomes: vec![outcome], ..Batch::default() });
        assert_eq!(paths(&cache, 3).unwrap(), ["found", "low", "high"]);
        let moved = FrontierChange::Replace(vec![QueuedLink { score: 2.0, ..low }]);
        cache.apply(&Batch { changes: vec![moved], ..Batch::default() });
        assert_eq!(paths(&cache, 1).unwrap(), ["low"]);
        let closed = FrontierChange::CloseSite(host().site());
        cache.apply(&Batch { changes: vec![closed], ..Batch::default() });
        assert_eq!(paths(&cache, 1), None, "the database is asked again");
    }

    /// As many links as are read at once, the best first.
    fn first_links() -> Vec<QueuedLink> {
        let link = |n: u64| queued(&format!("{n}"), 1.0 - n as f32 / 100.0, n);
        (0..LINKS_PER_QUEUE as u64).map(link).collect()
    }

    #[test]
    fn links_beyond_the_bound_are_left_to_the_database() {
        let mut cache = HeadCache::default();
        let first = first_links();
        cache.keep((QUEUE, host()), first.clone(), &[]);
        cache.apply(&adding(&[queued("late", 0.0, 99)]));
        let (last, others) = first.split_last().unwrap();
        others.iter().for_each(|sent| cache.apply(&sending(sent)));
        assert_eq!(paths(&cache, 1).unwrap(), [&last.link.url.path()[1..]]);
        assert_eq!(paths(&cache, 2), None, "more links may wait in the database");
        let other = QueueSlice::of_host(QueueId(1), &Host("http://b.org".into()), 1);
        let read: Vec<_> = cache.missing(&[other]).into_iter().filter_map(|slice| slice.host).collect();
        assert_eq!(read, [Host("http://b.org".into()), host()], "it is read with the next one");
        assert_eq!(cache.missing(&[]), [], "and causes no query by itself");
    }

    #[test]
    fn queues_of_new_hosts_are_known_without_the_database() {
        let mut cache = HeadCache::default();
        cache.reset(Some(vec![host_id(&Host("http://b.org".into()))]));
        cache.apply(&adding(&[queued("found", 0.5, 1)]));
        assert_eq!(paths(&cache, 2).unwrap(), ["found"]);
        let other_queue = QueueSlice::of_host(QueueId(1), &host(), 1);
        assert_eq!(cache.get(&other_queue), Some(Vec::new()));
        let known = QueuedLink {
            link: FrontierLink::root("http://b.org/".parse().unwrap(), LinkOrigin::Link),
            ..queued("", 0.5, 2)
        };
        cache.apply(&adding(&[known]));
        let of_known = QueueSlice::of_host(QUEUE, &Host("http://b.org".into()), 1);
        assert_eq!(cache.get(&of_known), None, "the database may know more links of it");
        cache.clear();
        assert_eq!(paths(&cache, 1), None, "the host is not new any more");
        cache.apply(&adding(&[queued("later", 0.5, 3)]));
        assert_eq!(paths(&cache, 1), None);
    }

    #[test]
    fn a_long_queue_of_a_new_host_is_shortened() {
        let mut cache = HeadCache::default();
        cache.reset(Some(Vec::new()));
        let links: Vec<_> =
            (0..=MAX_LINKS_PER_QUEUE as u64).map(|n| queued(&format!("{n}"), 0.5, n)).collect();
        cache.apply(&adding(&links));
        assert_eq!(cache.places.len(), LINKS_PER_QUEUE);
        assert_eq!(paths(&cache, 2).unwrap(), ["0", "1"]);
    }
}
