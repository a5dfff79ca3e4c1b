//! Frontier of a run: links that wait, in memory and in the store.
//!
//! The store holds the links ([`run_store`]). Memory holds the head of every queue per host ([`queues`]) and the
//! readiness of hosts ([`host_queues`]), caches of known links and sites ([`known_links`]), the age of scores
//! ([`rescore`]) and, for a worker of a shared run, its partitions ([`partitions`]). Of very many hosts, memory holds
//! those with the best links ([`stored_hosts`]). [`commands`] carries out what the strategy wants.
//!
//! [`Frontier`] owns all of them, and each of its methods changes memory and store together. Memory follows from the
//! store alone, so a resumed crawl decides as one that never stopped, with four exceptions: the sweep of a large
//! frontier for outdated scores ([`rescore`]), hosts that are not in memory, hosts of a large politeness group that
//! wait, and mirrors and traps, for which every session collects its own evidence. None of them exists on a simulated
//! clock.

mod caches;
mod commands;
mod host_queues;
mod known_links;
mod partitions;
mod queues;
mod rescore;
mod run_store;
mod stored_hosts;

use super::host_addresses::HostAddresses;
use super::hosts::RunHosts;
use super::scope::Scope;
use super::setup::{Crawl, CrawlMode};
use super::step::StepKind;
use crate::polite::{HeldTurn, HostIx, Permission, RobotsRequest};
use crate::store::*;
pub use caches::LinkIdCache;
use hadal_core::address::{Host, LinkId};
use hadal_core::link::{FrontierLink, LinkTask, QueueId, QueuedLink};
use hadal_core::strategy::{Placement, QueueHeads, Strategy};
use hadal_core::time::Time;
pub use host_queues::HostQueues;
use known_links::KnownLinks;
use partitions::OwnedPartitions;
use queues::{HostHead, QueueTable};
use rescore::ScoreAge;
pub use run_store::RunStore;
use std::collections::BTreeSet;
use std::sync::Arc;
use url::Url;

/// Failures of a host in a row after which all its links fail. Guess: more than two links with three attempts each.
const MAX_HOST_FAILURES: u32 = 8;

/// Keeps the waiting links of a run in memory and store alike.
pub struct Frontier {
    pub store: RunStore,
    /// Hosts and the heads of their queues.
    pub waiting: HostQueues,
    /// Links and sites that the run knows.
    pub known: KnownLinks,
    /// Partitions of this worker.
    pub partitions: OwnedPartitions,
    scores: ScoreAge,
    /// Arrival number of the next link.
    next_arrival: u64,
}

/// Strategy, scope and time by which links are placed and chosen.
#[derive(Clone, Copy)]
pub struct PlacementContext<'a> {
    pub strategy: &'a dyn Strategy,
    pub scope: &'a Scope,
    pub now: Time,
}

/// Work of a step, with the turns of the hosts that it keeps busy.
pub struct ChosenStep {
    pub kind: StepKind,
    pub turns: Vec<HeldTurn>,
}

impl ChosenStep {
    /// A step that sends no request to a host of the run.
    fn without_turn(kind: StepKind) -> ChosenStep {
        ChosenStep { kind, turns: Vec::new() }
    }
}

/// Best link of a queue among hosts that may receive a request now.
struct Candidate {
    queued: QueuedLink,
    host: HostIx,
    /// Next link of the same host and queue.
    next: Option<HostHead>,
}

impl Frontier {
    /// Frontier of a run that continues from `progress`. [`HostQueues::load`] fills it.
    pub fn new(crawl: &Crawl, run: RunId, progress: &RunProgress) -> Frontier {
        let store = RunStore::new(&crawl.store, run);
        let mut queues = QueueTable::default();
        queues.set_generation(progress.generation);
        let hosts = RunHosts::new(store.clone(), crawl.politeness, &crawl.agent);
        let is_real = !crawl.clock.is_simulated();
        if is_real {
            hosts.table().hosts.report_few();
        }
        let addresses = HostAddresses::new(is_real.then(|| Arc::clone(&crawl.fetch)));
        let hosts_in_memory = crawl.hosts_in_memory;
        Frontier {
            waiting: HostQueues { hosts, addresses, queues, hosts_in_memory, busy: BTreeSet::new() },
            known: KnownLinks::new(store.clone(), crawl.detects_repetition),
            partitions: OwnedPartitions::default(),
            scores: ScoreAge::new(progress.generation, crawl.rescored_at_once),
            next_arrival: progress.next_arrival,
            store,
        }
    }

    /// True if a link waits that a session with this purpose is for.
    pub fn has_links_for(&self, mode: CrawlMode) -> bool {
        match mode {
            CrawlMode::Find => !self.waiting.queues.is_empty(),
            CrawlMode::Quality { .. } => self.waiting.queues.link_count(QueueId::SAMPLE) > 0,
        }
    }

    /// Arrival number of the next link, and generation of the model: the state that a checkpoint keeps.
    pub fn position(&self) -> (u64, u32) {
        (self.next_arrival, self.scores.generation)
    }

    /// Uses up one arrival number.
    pub fn take_arrival(&mut self) -> u64 {
        self.next_arrival += 1;
        self.next_arrival - 1
    }

    /// Number of a host. At the first call its state is loaded from the store.
    pub fn host(&mut self, name: &Host, now: Time) -> Result<HostIx, StoreError> {
        let (host, is_new) = self.waiting.hosts.load(name)?;
        if is_new {
            let bonus = self.known.site(&name.site())?.bonus;
            self.waiting.queues.set_bonus(host, bonus);
            self.waiting.refresh(host, now);
        }
        Ok(host)
    }

    /// Makes this the frontier of a worker of a shared run, which owns no partition at first.
    pub fn share(&mut self) {
        self.partitions.share();
        self.waiting.hosts.table().share();
    }

    /// Updates the availability of hosts after their pause and of hosts that waited for an address, and reads links of
    /// stored hosts if few hosts are ready.
    pub fn wake(&mut self, now: Time) -> Result<(), StoreError> {
        self.scores.start_choice();
        self.waiting.wake(now);
        self.load_stored(now)?;
        let due = self.waiting.due_addresses();
        if !due.is_empty() {
            let granted = self.store.claim_addresses(&due)?;
            self.waiting.receive_addresses(&due, &granted, now);
        }
        Ok(())
    }

    /// Places the links that are new, in scope, and wanted by the strategy. Each counts as known from now on. Links of
    /// other partitions are forwarded.
    pub fn admit(
        &mut self,
        links: Vec<FrontierLink>,
        context: &PlacementContext,
    ) -> Result<Vec<QueuedLink>, StoreError> {
        let links = links.into_iter().filter(|link| self.known.is_candidate(link, context.scope)).collect();
        let links = self.partitions.forward_foreign(links, &self.known.seen);
        let known = self.known.look_up(&links)?;
        let mut admitted = Vec::new();
        for (link, is_known) in links.into_iter().zip(known) {
            if is_known || self.known.seen.contains(link.id) {
                self.known.seen.insert(link.id);
            } else if let Some(queued) = self.place(link, context.strategy)? {
                self.known.seen.insert(queued.link.id);
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
        let placement = self.known.placement(&link, strategy)?;
        let Placement::Enqueue { queue, score } = placement else { return Ok(None) };
        let (order, generation) = (self.take_arrival(), self.scores.generation);
        Ok(Some(QueuedLink { link, queue, score, order, generation, attempts: 0, not_before: Time(0) }))
    }

    /// Admits and stores links that belong to no step: seeds, roots of sites, backlink look-ups. Returns the number of
    /// links that were new.
    pub fn add_found(
        &mut self,
        links: Vec<FrontierLink>,
        context: &PlacementContext,
    ) -> Result<usize, StoreError> {
        let admitted = self.admit(links, context)?;
        let count = admitted.len() + self.partitions.forwarded();
        self.add(admitted, context.now)?;
        Ok(count)
    }

    /// Adds links to memory and store, and forwards those that were found for other workers.
    fn add(&mut self, links: Vec<QueuedLink>, now: Time) -> Result<(), StoreError> {
        self.enqueue(&links, now)?;
        let added = (!links.is_empty()).then_some(FrontierChange::Add(links));
        let changes = added.into_iter().chain(self.partitions.take_forwarded());
        changes.into_iter().try_for_each(|change| self.store.apply(change))
    }

    /// Lets links that failed wait again.
    pub fn retry(&mut self, links: Vec<FrontierLink>, context: &PlacementContext) -> Result<(), StoreError> {
        let (_, lost) = self.store.split_kept(links, |link| link.id)?;
        let mut placed = Vec::new();
        for link in lost {
            placed.extend(self.place(link, context.strategy)?);
        }
        self.store.apply(FrontierChange::Retry(placed.clone()))?;
        let (waiting, _) = self.store.split_kept(placed, |queued| queued.link.id)?;
        self.enqueue(&waiting, context.now)
    }

    /// Adds links to the queues in memory.
    fn enqueue(&mut self, links: &[QueuedLink], now: Time) -> Result<(), StoreError> {
        for queued in links {
            let name = queued.link.host();
            if !self.partitions.own(&name) || self.stays_stored(queued, &name)? {
                continue;
            }
            let host = self.host(&name, now)?;
            self.waiting.add(queued, host, now);
            self.waiting.store_excess(queued.queue, now);
        }
        Ok(())
    }

    /// Next request of a probe, or the robots.txt that it needs. Forms of a quality sample come first; other forms are
    /// probed if `may_probe`.
    pub fn choose_probe(
        &mut self,
        may_probe: bool,
        context: &PlacementContext,
    ) -> Result<Option<ChosenStep>, StoreError> {
        for (queue, is_allowed) in [(QueueId::SAMPLE, true), (QueueId::PROBES, may_probe)] {
            while is_allowed && self.waiting.queues.best_host(queue).is_some() {
                if let Some(chosen) = self.choose(queue, context)? {
                    return Ok(Some(chosen));
                }
            }
        }
        Ok(None)
    }

    /// Step for the best link of a queue. `None` when that link cannot be requested now; then the caller looks again.
    pub fn choose(
        &mut self,
        queue: QueueId,
        context: &PlacementContext,
    ) -> Result<Option<ChosenStep>, StoreError> {
        let Some(candidate) = self.best(queue, context)? else { return Ok(None) };
        let (link, host, now) = (&candidate.queued.link, candidate.host, context.now);
        if !context.scope.admits(link) || self.known.is_repetition(link) {
            let dropped = self.take(candidate);
            self.store.apply(FrontierChange::Drop(vec![dropped.link.id]))?;
            return Ok(None);
        }
        if link.task == LinkTask::Backlinks {
            return Ok(Some(ChosenStep::without_turn(StepKind::of(self.take(candidate)))));
        }
        if !self.waiting.has_address(host, host, &link.url) {
            return Ok(None);
        }
        Ok(match self.waiting.hosts.permission(host, &link.url, now)? {
            Permission::Granted => self
                .waiting
                .try_occupy(&[host], now)
                .map(|turns| ChosenStep { kind: StepKind::of(self.take(candidate)), turns }),
            Permission::Denied => {
                Some(ChosenStep::without_turn(StepKind::Refused(Box::new(self.take(candidate)))))
            }
            Permission::FetchRobots(request) => self.choose_robots(host, request, now)?,
            Permission::NotBefore(until) => {
                self.waiting.rest(host, until, now);
                None
            }
        })
    }

    /// Step for the robots.txt of a host. After a redirect the request goes to another host, which must be ready, too.
    fn choose_robots(
        &mut self,
        host: HostIx,
        request: RobotsRequest,
        now: Time,
    ) -> Result<Option<ChosenStep>, StoreError> {
        let queried_host = self.host(&Host::of(&request.url), now)?;
        let mut hosts = vec![host, queried_host];
        hosts.dedup();
        let may_send = queried_host == host
            || self.waiting.has_address(host, queried_host, &request.url)
                && self.waiting.is_ready(host, queried_host, now);
        let turns = if may_send { self.waiting.try_occupy(&hosts, now) } else { None };
        let kind = |host| StepKind::Robots { host: self.waiting.name(host), request };
        Ok(turns.map(|turns| ChosenStep { kind: kind(host), turns }))
    }

    /// Best link of a queue. `None` when its host is not ready after all, or when its score was out of date and the
    /// link got a new place.
    fn best(&mut self, queue: QueueId, context: &PlacementContext) -> Result<Option<Candidate>, StoreError> {
        let now = context.now;
        let Some(host) = self.scores.best_host(queue, &self.waiting.queues) else { return Ok(None) };
        if !self.waiting.is_ready(host, host, now) {
            return Ok(None);
        }
        if let Some(until) = self.waiting.hosts.rest_after_take_over(host)?.filter(|until| *until > now) {
            self.waiting.rest(host, until, now);
            return Ok(None);
        }
        let slice = QueueSlice::of_host(queue, &self.waiting.name(host), 2);
        let mut first = self.store.queue_head(slice)?.into_iter();
        let (best, next) = (first.next(), first.next().map(|queued| HostHead::of(&queued)));
        match best {
            Some(queued) if queue.is_reserved() || !self.scores.is_outdated(&queued) => {
                return Ok(Some(Candidate { queued, host, next }));
            }
            Some(_) => {
                let outdated = self.scores.rescore_outdated_head(queue, host);
                self.rescore(&outdated, context)?;
            }
            None => self.waiting.queues.set_head(queue, host, None),
        }
        Ok(None)
    }

    /// Takes a link out of its queue. In the store it waits until [`RunStore::record_sent`].
    fn take(&mut self, candidate: Candidate) -> QueuedLink {
        self.waiting.queues.remove(candidate.queued.queue, candidate.host, 1, candidate.next);
        self.scores.start_choice();
        candidate.queued
    }

    /// States of hosts that received further requests of visits. Those of other workers are loaded again at their next
    /// use.
    pub fn take_requested(&mut self) -> Vec<HostState> {
        let requested = self.waiting.hosts.take_requested();
        let (own, foreign): (Vec<_>, Vec<_>) =
            requested.into_iter().partition(|state| self.partitions.own(&state.host));
        for state in foreign {
            self.waiting.find(&state.host).into_iter().for_each(|host| self.waiting.hosts.forget(host));
        }
        own
    }

    /// Takes the turns of hosts for a step that is sent again.
    pub fn occupy(&mut self, names: &[Host], now: Time) -> Result<Vec<HeldTurn>, StoreError> {
        let hosts: Vec<HostIx> =
            names.iter().map(|name| self.host(name, now)).collect::<Result<_, StoreError>>()?;
        Ok(self.waiting.occupy(&hosts))
    }

    /// Commits the outcome of a step, which ends its turns. All links of a host that cannot be reached fail.
    pub fn commit(&mut self, outcome: Outcome, turns: &[HeldTurn], now: Time) -> Result<(), StoreError> {
        self.waiting.release(turns, &outcome.hosts, now);
        self.enqueue(&outcome.found, now)?;
        if let Some(queued) = outcome.end.requeued() {
            self.enqueue(std::slice::from_ref(queued), now)?;
        }
        let unreachable = unreachable_host(&outcome);
        let changes = self.partitions.take_forwarded().into_iter().collect();
        self.store.commit(&Batch { outcomes: vec![outcome], changes, ..Batch::default() })?;
        let Some((name, kind)) = unreachable else { return Ok(()) };
        self.waiting.remove_links(&name);
        self.store.apply(FrontierChange::FailHost(name, kind))
    }

    /// Ends a step that was in flight on the system clock when an earlier session ended. Its request may have been sent,
    /// so it counts as one request, and the link waits for its host's turn again. Returns the outcome; `None` if the
    /// link is not known any more.
    pub fn end_interrupted(
        &mut self,
        sent: SentStep,
        queued: Option<QueuedLink>,
        now: Time,
    ) -> Result<Option<Outcome>, StoreError> {
        let name = match (&sent.target, &queued) {
            (StepTarget::Robots { url, .. }, _) => Host::of(url),
            (StepTarget::Link(_), Some(queued)) => queued.link.host(),
            (StepTarget::Link(_), None) => return Ok(None),
        };
        let host = self.host(&name, now)?;
        let mut outcome = Outcome::of(sent.seq, sent.target, sent.at);
        // A visit may have sent its last request just before the session ended.
        outcome.hosts = vec![self.waiting.hosts.record_interruption(host, now)?];
        let kind = FailureKind::Interrupted;
        let was_probe = queued.as_ref().is_some_and(|queued| matches!(queued.link.task, LinkTask::Probe(_)));
        outcome.submission = was_probe.then_some(SubmissionResult::Failure(kind));
        outcome.end = match queued {
            Some(queued) => StepEnd::Retry(Box::new(queued), kind),
            None => StepEnd::Robots,
        };
        self.commit(outcome.clone(), &[HeldTurn::ended(host)], now)?;
        Ok(Some(outcome))
    }

    /// Adds partitions to those of this worker. Other workers may have changed everything that is known about them. The
    /// hosts of failed `seeds` are tried at once. Returns the steps that another worker left in flight.
    pub fn take_up(
        &mut self,
        gained: GainedPartitions,
        seeds: &[Url],
        now: Time,
    ) -> Result<Vec<(SentStep, Option<QueuedLink>)>, StoreError> {
        let GainedPartitions { partitions, abandoned, mut checkpoint, next_arrival } = gained;
        self.partitions.add(&partitions);
        self.next_arrival = self.next_arrival.max(next_arrival);
        // A link that was forwarded may come back, and counts as seen.
        self.known.clear();
        self.waiting.hosts.take_over(abandoned, now);
        let seeds = self.partitions.own_seeds(seeds);
        self.waiting.hosts.try_all_at_once(&seeds, &mut checkpoint.requested)?;
        self.waiting.load(&checkpoint, now);
        Ok(checkpoint.in_flight)
    }

    /// Chooses no further link of some partitions. Links found for them are forwarded.
    pub fn retire(&mut self, partitions: &BTreeSet<Partition>) {
        self.partitions.remove(partitions);
        for host in self.waiting.in_partitions(partitions) {
            self.waiting.queues.remove_host(host);
        }
    }

    /// Forgets the hosts of some partitions, which other workers change from now on.
    pub fn forget(&mut self, partitions: &BTreeSet<Partition>) {
        for host in self.waiting.in_partitions(partitions) {
            self.waiting.hosts.forget(host);
        }
    }

    /// Admits links that other workers found, with their row numbers in the inbox.
    pub fn receive(
        &mut self,
        received: Vec<(u64, ForwardedLink)>,
        context: &PlacementContext,
    ) -> Result<(), StoreError> {
        let (numbers, links): (Vec<u64>, Vec<ForwardedLink>) = received.into_iter().unzip();
        let (placed, found): (Vec<_>, Vec<_>) = links.into_iter().partition(|link| link.place.is_some());
        self.add_found(found.into_iter().map(|forwarded| forwarded.link).collect(), context)?;
        let is_probe = |forwarded: &ForwardedLink| matches!(forwarded.link.task, LinkTask::Probe(_));
        let probes: Vec<ForwardedLink> = placed.into_iter().filter(is_probe).collect();
        if !probes.is_empty() {
            self.add_placed(probes, context.now)?;
        }
        self.store.apply(FrontierChange::Receive(numbers))
    }

    /// Adds links in queues of the engine, unless they are known.
    fn add_placed(&mut self, links: Vec<ForwardedLink>, now: Time) -> Result<(), StoreError> {
        let ids: Vec<LinkId> = links.iter().map(|forwarded| forwarded.link.id).collect();
        let known = self.store.look_up(&LookUp { links: &ids, ..LookUp::default() })?.links;
        let mut added = Vec::new();
        for (ForwardedLink { link, place }, is_known) in links.into_iter().zip(known) {
            let Some((queue, score)) = place.filter(|_| !is_known) else { continue };
            let order = self.take_arrival();
            let queued =
                QueuedLink { link, queue, score, order, generation: 0, attempts: 0, not_before: Time(0) };
            added.extend(self.partitions.forward_placed(queued));
        }
        self.add(added, now)
    }
}

/// Host that cannot be reached: its robots.txt request failed in a way that every request to the host would, or it
/// failed too often in a row.
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
