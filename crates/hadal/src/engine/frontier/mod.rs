//! Frontier of a run: links that wait, in memory and in the store.
//!
//! The store holds the links. Memory holds the head of every queue per host ([`queues`]), the readiness of hosts
//! ([`RunHosts`]) and two caches. Of very many hosts, memory holds those with the best links ([`stored_hosts`]).
//! [`Frontier`] owns all of them, and each of its methods changes memory and store together. Memory follows from the
//! store alone, so a resumed crawl decides as one that never stopped, with three exceptions: the sweep of a large frontier
//! for outdated scores ([`rescore`]), hosts that are not in memory, and mirrors and traps, for which every session
//! collects its own evidence. None of them exists on a simulated clock.
//!
//! A worker of a shared run holds the links of its partitions only ([`partitions`]).

mod caches;
mod partitions;
mod queues;
mod rescore;
mod stored_hosts;

use super::hosts::RunHosts;
use super::scope::Scope;
use super::setup::Crawl;
use crate::polite::{HostIx, Readiness, RobotsRequest};
use crate::store::*;
pub use caches::LinkIdCache;
use caches::SiteCache;
use hadal_core::address::{Host, LinkId, Site, names_file};
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueueId, QueuedLink};
use hadal_core::repetition::Repetition;
use hadal_core::strategy::{Placement, QueueHeads, SiteCounters, Strategy};
use hadal_core::time::Time;
use queues::{Availability, HostHead, QueueTable, StoredLinks};
use rescore::ScoreSweep;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Longest pause of a host that is ready soon. Guess: twice the default delay.
const SHORT_PAUSE: Duration = Duration::from_secs(2);

/// Failures of a host in a row after which all its links fail. Guess: more than two links with three attempts each.
const MAX_HOST_FAILURES: u32 = 8;

/// Links of a run that wait.
pub struct Frontier {
    store: Arc<dyn Store>,
    run: RunId,
    /// Hosts of the run.
    pub hosts: RunHosts,
    queues: QueueTable,
    sites: SiteCache,
    seen: Arc<LinkIdCache>,
    /// Mirrors and traps of this session. `None`: the crawl does not look for them.
    pub repetition: Option<Repetition>,
    next_arrival: u64,
    generation: u32,
    /// Hosts whose outdated links were rescored since the last choice.
    rescored_hosts: usize,
    /// Maximum number of links that are rescored at once.
    rescored_at_once: usize,
    /// Most hosts in memory, apart from those that were requested.
    hosts_in_memory: usize,
    sweep: ScoreSweep,
    /// Partitions in which this worker of a shared run chooses links; `None` if the run is not shared.
    owned: Option<BTreeSet<Partition>>,
    /// Links of other partitions that the next commit forwards.
    forwarded: Vec<ForwardedLink>,
}

/// Best link of a queue whose host may receive a request now.
pub struct Candidate {
    pub queued: QueuedLink,
    pub host: HostIx,
    /// Next link of the same host and queue.
    next: Option<HostHead>,
}

impl Frontier {
    /// Frontier of a run that continues from `progress`. [`Frontier::load`] fills it.
    pub fn new(crawl: &Crawl, run: RunId, progress: &RunProgress) -> Frontier {
        let store = Arc::clone(&crawl.store);
        let hosts = RunHosts::new(Arc::clone(&store), run, crawl.politeness, &crawl.agent);
        let mut queues = QueueTable::default();
        queues.set_generation(progress.generation);
        Frontier {
            store,
            run,
            hosts,
            queues,
            sites: SiteCache::default(),
            seen: Arc::default(),
            repetition: crawl.detects_repetition.then(Repetition::default),
            next_arrival: progress.next_arrival,
            generation: progress.generation,
            rescored_hosts: 0,
            rescored_at_once: crawl.rescored_at_once,
            hosts_in_memory: crawl.hosts_in_memory,
            sweep: ScoreSweep::default(),
            owned: None,
            forwarded: Vec::new(),
        }
    }

    /// Loads the hosts and queue heads of a run that is resumed, without a look-up per host.
    pub fn load(&mut self, checkpoint: &RunCheckpoint, now: Time) {
        // Of very many hosts, those without a pause and without links are loaded when they are met again.
        let loads_all = checkpoint.requested.len() <= self.hosts_in_memory;
        let queued: FxHashSet<&Host> = checkpoint.queues.iter().map(|queue| &queue.host).collect();
        let is_needed = |known: &&RequestedHost| {
            loads_all || known.next_at.max(known.group_next_at) > now || queued.contains(&known.host)
        };
        for known in checkpoint.requested.iter().filter(is_needed) {
            let host = self.hosts.load_requested(known, now);
            // A host that rests is woken later, also if its next link is found in this session.
            self.refresh(host, now);
        }
        for HostQueue { queue, host: name, length, head } in &checkpoint.queues {
            let host = self.hosts.load_unrequested(name);
            let availability = self.availability(host, now);
            self.queues.add(*queue, host, HostHead::ranked(*head), *length, availability);
            if availability != Availability::Ready {
                self.refresh(host, now);
            }
        }
        checkpoint.bonuses.iter().for_each(|(site, bonus)| self.set_bonus(site, *bonus));
        for (queue, after, links) in &checkpoint.stored {
            self.queues.set_stored(*queue, Some(StoredLinks { after: *after, links: *links }));
        }
    }

    /// Queue heads, as a strategy sees them.
    pub fn heads(&self) -> &dyn QueueHeads {
        &self.queues
    }

    /// True when no link waits in any queue.
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// Arrival number of the next link, and generation of the model: the state that a checkpoint keeps.
    pub fn position(&self) -> (u64, u32) {
        (self.next_arrival, self.generation)
    }

    /// Uses up one arrival number.
    pub fn take_arrival(&mut self) -> u64 {
        self.next_arrival += 1;
        self.next_arrival - 1
    }

    /// Number of a host. At the first call its state is loaded from the store.
    pub fn host(&mut self, name: &Host, now: Time) -> Result<HostIx, StoreError> {
        let (host, is_new) = self.hosts.load(name)?;
        if is_new {
            let bonus = self.site(&name.site())?.bonus;
            self.queues.set_bonus(host, bonus);
            self.refresh(host, now);
        }
        Ok(host)
    }

    /// Updates the readiness of hosts after their pause.
    pub fn wake(&mut self, now: Time) {
        self.rescored_hosts = 0;
        let ready = self.hosts.take_ready(now);
        for host in &ready {
            self.refresh(*host, now);
        }
        self.remove_finished(&ready, now);
    }

    /// Makes a host unavailable until [`Frontier::resolved`].
    pub fn await_address(&mut self, host: HostIx) {
        self.queues.set_availability(host, Availability::Soon);
    }

    /// Records the address of a host before its first request.
    pub fn resolved(&mut self, host: HostIx, address: Option<IpAddr>, now: Time) {
        if !self.hosts.contains(host) {
            return;
        }
        if let Some(address) = address {
            self.hosts.learn_address(host, address);
        }
        self.refresh(host, now);
    }

    fn refresh(&mut self, host: HostIx, now: Time) {
        let readiness = self.hosts.readiness_or_wait(host, host, now);
        self.queues.set_availability(host, availability_of(readiness, now));
    }

    /// Availability of a host by its own request in flight and its own pause. Its politeness groups are looked at when
    /// it is chosen.
    fn availability(&self, host: HostIx, now: Time) -> Availability {
        match self.hosts.is_idle(host, now) {
            true => Availability::Ready,
            false => availability_of(self.hosts.readiness(host, now), now),
        }
    }

    /// Counters of a site.
    pub fn site(&mut self, site: &Site) -> Result<SiteCounters, StoreError> {
        if let Some(counters) = self.sites.get(site) {
            return Ok(counters);
        }
        let keys = LookUp { sites: std::slice::from_ref(site), ..LookUp::default() };
        let counters = self.store.look_up(self.run, &keys)?.sites.pop().unwrap_or_default();
        self.sites.set(site.clone(), counters);
        Ok(counters)
    }

    /// Sets the counters of a site in memory. The outcome of the step writes them to the store.
    pub fn set_site(&mut self, site: &Site, counters: SiteCounters) {
        self.sites.set(site.clone(), counters);
    }

    /// Sets the bonus of a site's links in memory.
    pub fn set_bonus(&mut self, site: &Site, bonus: f32) {
        for host in self.hosts.of_site(site) {
            self.queues.set_bonus(host, bonus);
        }
    }

    /// Returns, for each form in the same order, true if the run knows it.
    pub fn known_forms(&self, forms: &[hadal_core::identity::FormId]) -> Result<Vec<bool>, StoreError> {
        Ok(self.store.look_up(self.run, &LookUp { forms, ..LookUp::default() })?.forms)
    }

    /// Links that were followed to reach `link`, the nearest first, at most `limit`.
    pub fn path_to(&self, link: &FrontierLink, limit: usize) -> Result<Vec<FrontierLink>, StoreError> {
        let mut path: Vec<FrontierLink> = Vec::new();
        while let Some(parent) = path.last().unwrap_or(link).parent
            && path.len() < limit
            && let Some(earlier) = self.store.links(self.run, &[parent.id])?.pop().flatten()
        {
            path.push(earlier.queued.link);
        }
        Ok(path)
    }

    /// Links that were seen lately, for threads that parse pages.
    pub fn seen_links(&self) -> Arc<LinkIdCache> {
        Arc::clone(&self.seen)
    }

    /// True when a link was seen lately. A link that was seen may also return false.
    pub fn was_seen(&self, id: LinkId) -> bool {
        self.seen.contains(id)
    }

    /// Returns, for each link in the same order, true if the run knows it. The same call reads the counters of their
    /// sites.
    fn look_up_links(&mut self, ids: &[LinkId], links: &[FrontierLink]) -> Result<Vec<bool>, StoreError> {
        let mut sites: Vec<Site> = links.iter().map(FrontierLink::site).collect();
        sites.sort_unstable();
        sites.dedup();
        sites.retain(|site| self.sites.get(site).is_none());
        let keys = LookUp { links: ids, sites: &sites, ..LookUp::default() };
        let found = self.store.look_up(self.run, &keys)?;
        for (site, counters) in sites.into_iter().zip(found.sites) {
            self.sites.set(site, counters);
        }
        Ok(found.links)
    }

    /// True for a link that probably leads into a crawler trap, because many similar URLs had nothing new, or
    /// to a page that was visited at another URL. Seeds and backlinks are never repetitions.
    pub fn is_repetition(&self, link: &FrontierLink) -> bool {
        let is_found = link.task == LinkTask::Page && link.origin == LinkOrigin::Link;
        let repeats = |seen: &Repetition| seen.is_exhausted(&link.url) || seen.is_visited(link.id);
        is_found && self.repetition.as_ref().is_some_and(repeats)
    }

    /// Places the links that are new, in scope, and wanted by the strategy. Each counts as known from now on.
    pub fn admit(
        &mut self,
        links: Vec<FrontierLink>,
        scope: &Scope,
        strategy: &dyn Strategy,
    ) -> Result<Vec<QueuedLink>, StoreError> {
        let is_candidate = |link: &FrontierLink| {
            let is_new = !self.seen.contains(link.id) && !is_file_link(link);
            is_new && scope.admits(link) && !self.is_repetition(link)
        };
        let links: Vec<FrontierLink> = links.into_iter().filter(is_candidate).collect();
        let links = self.forward_foreign(links);
        let ids: Vec<LinkId> = links.iter().map(|link| link.id).collect();
        let known = self.look_up_links(&ids, &links)?;
        let mut admitted = Vec::new();
        for (link, is_known) in links.into_iter().zip(known) {
            if is_known || self.seen.contains(link.id) {
                self.seen.insert(link.id);
            } else if let Some(queued) = self.place(link, strategy)? {
                self.seen.insert(queued.link.id);
                admitted.push(queued);
            }
        }
        Ok(admitted)
    }

    fn place(
        &mut self,
        link: FrontierLink,
        strategy: &dyn Strategy,
    ) -> Result<Option<QueuedLink>, StoreError> {
        let Placement::Enqueue { queue, score } = self.placement(&link, strategy)? else { return Ok(None) };
        let (order, generation) = (self.take_arrival(), self.generation);
        Ok(Some(QueuedLink { link, queue, score, order, generation, attempts: 0, not_before: Time(0) }))
    }

    /// Placement of a link by the current model. Links of closed sites are dropped.
    fn placement(&mut self, link: &FrontierLink, strategy: &dyn Strategy) -> Result<Placement, StoreError> {
        let site = self.site(&link.site())?;
        Ok(if site.closed { Placement::Drop } else { strategy.place(link, &site) })
    }

    /// Adds links that belong to no step: seeds, roots of sites, backlink look-ups.
    pub fn add(&mut self, links: Vec<QueuedLink>, now: Time) -> Result<(), StoreError> {
        self.enqueue(&links, now)?;
        self.apply(FrontierChange::Add(links))
    }

    /// Lets the hosts of some URLs be tried at once if they failed. Must be called before [`Frontier::load`].
    pub fn try_hosts_at_once(
        &mut self,
        urls: &[Url],
        requested: &mut [RequestedHost],
    ) -> Result<(), StoreError> {
        let mut failed = FxHashSet::default();
        for host in urls.iter().map(Host::of) {
            if self.hosts.try_at_once(&host)? {
                failed.insert(host);
            }
        }
        let failed = requested.iter_mut().filter(|known| failed.contains(&known.host));
        failed.for_each(|known| known.next_at = Time(0));
        Ok(())
    }

    /// Lets links that failed wait again.
    pub fn retry(
        &mut self,
        links: Vec<FrontierLink>,
        strategy: &dyn Strategy,
        now: Time,
    ) -> Result<(), StoreError> {
        let ids: Vec<LinkId> = links.iter().map(|link| link.id).collect();
        let before = self.store.links(self.run, &ids)?;
        let lost = links.into_iter().zip(before).filter(|(_, row)| row.is_none());
        let mut placed = Vec::new();
        for (link, _) in lost {
            placed.extend(self.place(link, strategy)?);
        }
        self.apply(FrontierChange::Retry(placed.clone()))?;
        let ids: Vec<LinkId> = placed.iter().map(|queued| queued.link.id).collect();
        let after = self.store.links(self.run, &ids)?;
        let waiting = placed.into_iter().zip(after).filter(|(_, row)| row.is_some());
        self.enqueue(&waiting.map(|(queued, _)| queued).collect::<Vec<_>>(), now)
    }

    /// Adds links to the queues in memory.
    fn enqueue(&mut self, links: &[QueuedLink], now: Time) -> Result<(), StoreError> {
        for queued in links {
            let name = queued.link.host();
            if !self.owns(&name) || self.stays_stored(queued, &name)? {
                continue;
            }
            let host = self.host(&name, now)?;
            let availability = self.availability(host, now);
            self.queues.add(queued.queue, host, HostHead::of(queued), 1, availability);
            self.store_excess(queued.queue, now);
        }
        Ok(())
    }

    /// Applies a change to the store.
    pub fn apply(&self, change: FrontierChange) -> Result<(), StoreError> {
        self.store.commit(self.run, &Batch { changes: vec![change], ..Batch::default() })
    }

    /// True when some host with links in the queue was ready at the last look.
    pub fn has_ready_host(&self, queue: QueueId) -> bool {
        self.queues.best_host(queue).is_some()
    }

    /// Best link of a queue. `None` when its host is not ready after all, or when its score was out of date and the
    /// link got a new place; then the caller looks again.
    pub fn best(
        &mut self,
        queue: QueueId,
        strategy: &dyn Strategy,
        now: Time,
    ) -> Result<Option<Candidate>, StoreError> {
        let Some(host) = self.best_host(queue) else { return Ok(None) };
        let readiness = self.hosts.readiness_or_wait(host, host, now);
        if readiness != Readiness::Ready {
            self.queues.set_availability(host, availability_of(readiness, now));
            return Ok(None);
        }
        if let Some(until) = self.hosts.rest_after_take_over(host)?.filter(|until| *until > now) {
            self.rest(host, until, now);
            return Ok(None);
        }
        let slice = QueueSlice::of_host(queue, self.hosts.name(host), 2);
        let mut first = self.store.queue_heads(self.run, &[slice])?.into_iter().flatten();
        let (best, next) = (first.next(), first.next().map(|queued| HostHead::of(&queued)));
        match best {
            Some(queued) if queue.is_reserved() || !self.is_outdated(&queued) => {
                Ok(Some(Candidate { queued, host, next }))
            }
            Some(_) => {
                self.rescore_outdated_head(queue, host, strategy, now)?;
                Ok(None)
            }
            None => {
                self.queues.set_head(queue, host, None);
                Ok(None)
            }
        }
    }

    /// Takes a link out of its queue. In the store it waits until [`Frontier::record_sent`].
    pub fn take(&mut self, candidate: Candidate) -> QueuedLink {
        self.queues.remove(candidate.queued.queue, candidate.host, 1, candidate.next);
        self.rescored_hosts = 0;
        candidate.queued
    }

    /// Drops a link.
    pub fn discard(&mut self, candidate: Candidate) -> Result<(), StoreError> {
        let queued = self.take(candidate);
        self.apply(FrontierChange::Drop(vec![queued.link.id]))
    }

    /// True when a robots.txt of `host` may be requested now. After a redirect that may be a request to another host.
    pub fn may_request_robots(
        &mut self,
        host: HostIx,
        request: &RobotsRequest,
        now: Time,
    ) -> Result<bool, StoreError> {
        let queried_host = self.host(&Host::of(&request.url), now)?;
        if queried_host == host {
            return Ok(true);
        }
        let readiness = self.hosts.readiness_or_wait(queried_host, host, now);
        if readiness != Readiness::Ready {
            self.queues.set_availability(host, availability_of(readiness, now));
        }
        Ok(readiness == Readiness::Ready)
    }

    /// Permits no request to a host before `until`.
    pub fn rest(&mut self, host: HostIx, until: Time, now: Time) {
        self.hosts.delay_until(host, until);
        self.refresh(host, now);
    }

    /// Records a step that is about to be sent, with its entry of the audit log.
    pub fn record_sent(&self, sent: SentStep, submission: Option<Submission>) -> Result<(), StoreError> {
        let submissions = submission.into_iter().collect();
        self.store.commit(self.run, &Batch { sent: vec![sent], submissions, ..Batch::default() })
    }

    /// Marks hosts as busy with a request. Returns their numbers.
    pub fn occupy(&mut self, names: &[Host], now: Time) -> Result<Vec<HostIx>, StoreError> {
        let hosts: Vec<HostIx> =
            names.iter().map(|name| self.host(name, now)).collect::<Result<_, StoreError>>()?;
        for host in &hosts {
            self.hosts.occupy(*host);
            self.queues.set_availability(*host, Availability::Soon);
        }
        Ok(hosts)
    }

    /// Commits the outcome of a step, which releases the hosts that the step kept busy.
    pub fn commit(&mut self, outcome: Outcome, hosts: &[HostIx], now: Time) -> Result<(), StoreError> {
        for host in hosts {
            for changed in self.hosts.release(*host, &outcome.hosts) {
                self.refresh(changed, now);
            }
        }
        self.enqueue(&outcome.found, now)?;
        if let Some(queued) = outcome.end.requeued() {
            self.enqueue(std::slice::from_ref(queued), now)?;
        }
        let unreachable = unreachable_host(&outcome);
        let changes = self.take_forwarded().into_iter().collect();
        self.store.commit(self.run, &Batch { outcomes: vec![outcome], changes, ..Batch::default() })?;
        match unreachable {
            Some((host, kind)) => self.fail_host(host, kind),
            None => Ok(()),
        }
    }

    /// Fails all links of a host at once.
    fn fail_host(&mut self, name: Host, kind: FailureKind) -> Result<(), StoreError> {
        if let Some(host) = self.hosts.find(&name) {
            self.queues.remove_host(host);
        }
        self.apply(FrontierChange::FailHost(name, kind))
    }

    /// Closes a site: its waiting links are dropped, and new ones are not admitted.
    pub fn close_site(&mut self, site: &Site) -> Result<(), StoreError> {
        let counters = SiteCounters { closed: true, ..self.site(site)? };
        self.sites.set(site.clone(), counters);
        for host in self.hosts.of_site(site) {
            self.queues.clear_host(host);
        }
        self.apply(FrontierChange::CloseSite(site.clone()))
    }
}

/// True for a link on a page to a file that is not a page. Seeds and redirects are requested whatever their
/// names are.
fn is_file_link(link: &FrontierLink) -> bool {
    link.task == LinkTask::Page && link.origin == LinkOrigin::Link && names_file(&link.url)
}

/// Availability that follows from the readiness of a host.
fn availability_of(readiness: Readiness, now: Time) -> Availability {
    match readiness {
        Readiness::Ready => Availability::Ready,
        Readiness::Busy => Availability::Soon,
        Readiness::Delayed(until) if now.until(until) <= SHORT_PAUSE => Availability::Soon,
        Readiness::Delayed(_) => Availability::Later,
    }
}

/// Host whose robots.txt request failed in a way that every request to the host would, or that failed too often in a
/// row.
fn unreachable_host(outcome: &Outcome) -> Option<(Host, FailureKind)> {
    match (&outcome.target, &outcome.end) {
        (StepTarget::Robots { host, .. }, StepEnd::Failed(kind)) => Some((host.clone(), *kind)),
        (StepTarget::Link(_), StepEnd::Failed(kind) | StepEnd::Retry(_, kind)) => {
            let failing = outcome.hosts.iter().find(|state| state.failures >= MAX_HOST_FAILURES);
            failing.map(|state| (state.host.clone(), *kind))
        }
        _ => None,
    }
}
