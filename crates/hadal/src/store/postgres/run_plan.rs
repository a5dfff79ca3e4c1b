//! Effect of batches on a run, computed before anything is written.
//!
//! A commit reads the rows that its batches refer to ([`RowsBefore`]), applies the batches to them in memory
//! ([`RunPlan`]), and writes the result with one statement per table. So a commit needs two round trips, whatever the
//! number of its links. The rows cannot change in between: the worker holds the lease of the run, or of the partitions
//! that they belong to.

use super::super::counters::probability;
use super::super::*;
use super::rows_before::{KnownForm, KnownLink, RowsBefore};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::identity::FormId;
use hadal_core::link::QueuedLink;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use url::Url;

/// A link in the course of a commit.
pub struct PlannedLink<'a> {
    known: KnownLink,
    /// True if the database has the link.
    is_stored: bool,
    /// Complete row to write.
    pub placed: Option<Cow<'a, QueuedLink>>,
    /// True if the state of a stored row changes.
    is_moved: bool,
}

impl PlannedLink<'_> {
    fn set_state(&mut self, state: LinkState) {
        self.known.state = state;
        self.is_moved = true;
    }

    pub fn state(&self) -> LinkState {
        self.known.state
    }
}

/// A form in the course of a commit.
pub struct PlannedForm<'a> {
    known: KnownForm,
    /// Row to insert.
    pub new: Option<&'a FormRow>,
    /// Further pages with the form.
    pub more_pages: u64,
    /// Last probe that ended.
    pub probe: Option<&'a ProbedForm>,
}

/// A host in the course of a commit.
pub struct PlannedHost<'a> {
    pub state: &'a HostState,
    /// Last state that holds rules.
    pub rules: Option<&'a HostState>,
    /// Time to write if the database has none.
    pub first_until: Time,
}

/// A failure in the course of a commit.
pub struct PlannedFailure {
    pub host: Host,
    pub url: String,
    pub kind: FailureKind,
    pub at: Time,
    pub times: u32,
    pub given_up: bool,
}

/// Effect of batches on a run.
#[derive(Default)]
pub struct RunPlan<'a> {
    /// Counters afterwards. Failures by kind hold the increase.
    pub counters: RunCounters,
    last_point: Option<u64>,
    pub points: Vec<CurvePoint>,
    in_flight: FxHashMap<u64, StepTarget>,
    /// Steps that are sent and not ended by the same commit.
    pub sent: BTreeMap<u64, &'a SentStep>,
    /// Stored steps that ended.
    pub ended: Vec<u64>,
    links: FxHashMap<LinkId, PlannedLink<'a>>,
    /// New scores of links that no other part of the commit refers to.
    rescored: FxHashMap<LinkId, &'a QueuedLink>,
    forms: FxHashMap<FormId, PlannedForm<'a>>,
    form_order: Vec<FormId>,
    pages_of_sites: FxHashMap<Site, u32>,
    pub sites: FxHashMap<Site, SiteCounters>,
    pub closed: Vec<&'a Site>,
    pub failed: Vec<(&'a Host, FailureKind)>,
    hosts: FxHashMap<&'a Host, PlannedHost<'a>>,
    pub pages: Vec<&'a PageRow>,
    citing: FxHashMap<LinkId, usize>,
    pub citations: FxHashSet<(Site, LinkId, LinkId)>,
    pub failures: Vec<PlannedFailure>,
    failure_of: FxHashMap<String, usize>,
    pub lessons: Vec<&'a LessonRow>,
    /// Links for the owners of their partitions.
    pub forwarded: Vec<&'a ForwardedLink>,
    /// Numbers of links that were received.
    pub received: Vec<u64>,
    pub submissions: Vec<&'a Submission>,
    pub results: Vec<(u64, &'a SubmissionResult)>,
    pub progress: Option<&'a RunProgress>,
    pub strategy: Option<&'a [u8]>,
}

impl<'a> RunPlan<'a> {
    /// Effect of batches on these rows.
    pub fn new(before: RowsBefore, batches: &[&'a Batch]) -> RunPlan<'a> {
        let stored = |known| PlannedLink { known, is_stored: true, placed: None, is_moved: false };
        let form = |known| PlannedForm { known, new: None, more_pages: 0, probe: None };
        let mut plan = RunPlan {
            counters: before.counters,
            last_point: before.last_point,
            in_flight: before.in_flight,
            links: before.links.into_iter().map(|(id, known)| (id, stored(known))).collect(),
            forms: before.forms.into_iter().map(|(id, known)| (id, form(known))).collect(),
            pages_of_sites: before.sites,
            citing: before.citing,
            ..RunPlan::default()
        };
        batches.iter().for_each(|batch| plan.apply(batch));
        plan
    }

    fn apply(&mut self, batch: &'a Batch) {
        let requests = self.counters.requests;
        batch.outcomes.iter().for_each(|outcome| self.apply_outcome(outcome));
        batch.changes.iter().for_each(|change| self.apply_change(change));
        batch.sent.iter().for_each(|step| self.send(step));
        self.submissions.extend(&batch.submissions);
        if self.counters.requests > requests {
            self.add_point();
        }
        if let Some(progress) = &batch.progress {
            self.progress = Some(progress);
            self.strategy = progress.strategy.as_deref().or(self.strategy);
        }
    }

    fn add_point(&mut self) {
        let RunCounters { requests, pages, forms, searchable, relevant, waiting, .. } = self.counters;
        if is_point_due(self.last_point, requests) {
            self.last_point = Some(requests);
            self.points.push(CurvePoint { requests, pages, forms, searchable, relevant, waiting });
        }
    }

    fn apply_outcome(&mut self, outcome: &'a Outcome) {
        if self.in_flight.get(&outcome.seq) != Some(&outcome.target) {
            return;
        }
        self.in_flight.remove(&outcome.seq);
        if self.sent.remove(&outcome.seq).is_none() {
            self.ended.push(outcome.seq);
        }
        self.counters.count_step(outcome);
        self.put_failure(outcome);
        if let StepTarget::Link(link) = outcome.target {
            self.end_step(link, &outcome.end);
        }
        if let Some(page) = &outcome.page {
            self.pages.push(page);
            self.put_citations(page.id, &outcome.cited);
        }
        if let Some((site, counters)) = &outcome.site {
            self.put_site(site, counters);
        }
        outcome.hosts.iter().for_each(|state| self.put_host(state));
        self.put_forms(&outcome.forms);
        if let Some(probe) = &outcome.probe {
            self.put_probe(probe);
        }
        self.results.extend(outcome.submission.iter().map(|result| (outcome.seq, result)));
        outcome.found.iter().for_each(|queued| self.add(queued));
    }

    fn put_failure(&mut self, outcome: &Outcome) {
        let Some((kind, given_up)) = outcome.end.failure() else { return };
        let (host, url) = match &outcome.target {
            StepTarget::Robots { host, url, .. } => (host.clone(), url.to_string()),
            StepTarget::Link(link) => match self.links.get(link) {
                Some(link) => (link.known.host.clone(), link.known.url.clone()),
                None => return,
            },
        };
        let place = *self.failure_of.entry(url.clone()).or_insert(self.failures.len());
        let times = self.failures.get(place).map_or(1, |failure| failure.times + 1);
        let failure = PlannedFailure { host, url, kind, at: outcome.at, times, given_up };
        match self.failures.get_mut(place) {
            Some(known) => *known = failure,
            None => self.failures.push(failure),
        }
    }

    fn put_citations(&mut self, page: LinkId, targets: &[Url]) {
        for url in targets {
            let target = LinkId::of(url);
            let citing = self.citing.entry(target).or_default();
            if *citing < MAX_CITING_PAGES && self.citations.insert((Site::of(url), target, page)) {
                *citing += 1;
            }
        }
    }

    fn put_site(&mut self, site: &Site, counters: &SiteCounters) {
        let pages = self.pages_of_sites.insert(site.clone(), counters.pages).unwrap_or(0);
        self.counters.count_site(&SiteCounters { pages, ..SiteCounters::default() }, counters);
        self.sites.insert(site.clone(), *counters);
    }

    fn put_host(&mut self, state: &'a HostState) {
        let first = PlannedHost { state, rules: None, first_until: state.robots_until };
        let host = self.hosts.entry(&state.host).or_insert(first);
        host.state = state;
        if state.robots.is_some() {
            host.rules = Some(state);
        }
    }

    /// Plans the forms of a page. A form that is there twice counts once.
    fn put_forms(&mut self, forms: &'a [FoundForm]) {
        let mut here = FxHashSet::default();
        for form in forms {
            let id = form.id();
            if here.contains(&id) {
                continue;
            }
            match (self.forms.get_mut(&id), form) {
                (Some(known), _) => known.more_pages += 1,
                (None, FoundForm::New(row)) => self.put_form(row),
                (None, FoundForm::Known(_)) => continue,
            }
            here.insert(id);
        }
    }

    fn put_form(&mut self, row: &'a FormRow) {
        self.counters.count_form(row);
        let known = KnownForm {
            p_searchable: probability(row.p_searchable),
            p_relevant: probability(row.p_relevant),
            site: row.site.clone(),
        };
        self.form_order.push(row.form_id);
        self.forms.insert(row.form_id, PlannedForm { known, new: Some(row), more_pages: 0, probe: None });
    }

    fn put_probe(&mut self, probe: &'a ProbedForm) {
        let Some(form) = self.forms.get_mut(&probe.form) else { return };
        let before = (form.known.p_searchable, form.known.p_relevant);
        let after = (probability(probe.verdict.p_searchable), probability(probe.verdict.p_relevant));
        (form.known.p_searchable, form.known.p_relevant) = after;
        form.probe = Some(probe);
        self.counters.count_verdict(before, after);
    }

    fn apply_change(&mut self, change: &'a FrontierChange) {
        match change {
            FrontierChange::Add(links) => links.iter().for_each(|queued| self.add(queued)),
            FrontierChange::Replace(links) => links.iter().for_each(|queued| self.replace(queued)),
            FrontierChange::Drop(links) => links.iter().for_each(|link| self.drop_link(*link)),
            FrontierChange::CloseSite(site) => self.close_site(site),
            FrontierChange::FailHost(host, kind) => self.fail_host(host, *kind),
            FrontierChange::Retry(links) => links.iter().for_each(|queued| self.retry(queued)),
            FrontierChange::Learned(lesson) => self.lessons.push(lesson),
            FrontierChange::Forward(links) => self.forwarded.extend(links),
            FrontierChange::Receive(numbers) => self.received.extend(numbers),
        }
    }

    fn add(&mut self, queued: &'a QueuedLink) {
        if let Entry::Vacant(place) = self.links.entry(queued.link.id) {
            let (placed, known) = (Some(Cow::Borrowed(queued)), known_link(queued));
            place.insert(PlannedLink { known, is_stored: false, placed, is_moved: false });
            self.counters.waiting = self.counters.waiting.wrapping_add(1);
        }
    }

    fn replace(&mut self, queued: &'a QueuedLink) {
        match self.links.get_mut(&queued.link.id) {
            Some(link) if link.known.state != LinkState::Waiting => {}
            Some(PlannedLink { known, placed: Some(placed), .. }) => {
                let placed = placed.to_mut();
                (placed.queue, placed.score) = (queued.queue, queued.score);
                placed.generation = queued.generation;
                known.queue = queued.queue;
            }
            Some(link) => {
                link.known.queue = queued.queue;
                self.rescored.insert(queued.link.id, queued);
            }
            None => {
                self.rescored.insert(queued.link.id, queued);
            }
        }
    }

    /// Changes the state of a waiting link. False if it does not wait.
    fn leave(&mut self, link: LinkId, state: LinkState) -> bool {
        let waits = |link: &&mut PlannedLink<'_>| link.known.state == LinkState::Waiting;
        let Some(link) = self.links.get_mut(&link).filter(waits) else { return false };
        link.set_state(state);
        self.counters.waiting = self.counters.waiting.wrapping_sub(1);
        true
    }

    fn drop_link(&mut self, link: LinkId) {
        self.leave(link, LinkState::Dropped);
    }

    /// Links that wait and match, among those that the commit refers to.
    fn waiting(&self, matches: impl Fn(&KnownLink) -> bool) -> Vec<LinkId> {
        let is_wanted =
            |link: &PlannedLink<'_>| link.known.state == LinkState::Waiting && matches(&link.known);
        self.links.iter().filter(|(_, link)| is_wanted(link)).map(|(id, _)| *id).collect()
    }

    fn close_site(&mut self, site: &'a Site) {
        for link in self.waiting(|known| !known.queue.is_reserved() && known.host.site() == *site) {
            self.leave(link, LinkState::Dropped);
        }
        if let Some(counters) = self.sites.get_mut(site) {
            counters.closed = true;
        }
        self.closed.push(site);
    }

    fn fail_host(&mut self, host: &'a Host, kind: FailureKind) {
        for link in self.waiting(|known| known.host == *host) {
            self.leave(link, LinkState::Failed);
            self.counters.count_failures(kind, 1);
        }
        self.failed.push((host, kind));
    }

    /// Counts links that the database dropped or failed, beside those that the commit refers to.
    pub fn count_left(&mut self, links: u64, failed: Option<FailureKind>) {
        self.counters.waiting = self.counters.waiting.wrapping_sub(links);
        if let Some(kind) = failed {
            self.counters.count_failures(kind, links);
        }
    }

    fn send(&mut self, step: &'a SentStep) {
        let is_sent = match step.target {
            StepTarget::Link(link) => self.leave(link, LinkState::InFlight),
            StepTarget::Robots { .. } => true,
        };
        if is_sent && !self.in_flight.contains_key(&step.seq) {
            self.in_flight.insert(step.seq, step.target.clone());
            self.sent.insert(step.seq, step);
        }
    }

    fn end_step(&mut self, link: LinkId, end: &'a StepEnd) {
        let state = match end {
            StepEnd::Visited | StepEnd::Redirected | StepEnd::Robots | StepEnd::RobotsFailed(_) => {
                LinkState::Done
            }
            StepEnd::Failed(_) => LinkState::Failed,
            StepEnd::Retry(queued, _) | StepEnd::Continue(queued) => return self.requeue(link, queued),
        };
        if let Some(link) = self.links.get_mut(&link) {
            link.set_state(state);
        }
    }

    fn retry(&mut self, queued: &'a QueuedLink) {
        if self.links.get(&queued.link.id).is_some_and(|link| link.known.state == LinkState::Failed) {
            self.counters.count_retried(1);
            self.requeue(queued.link.id, queued);
        }
    }

    fn requeue(&mut self, link: LinkId, queued: &'a QueuedLink) {
        let Some(link) = self.links.get_mut(&link) else { return };
        link.known = known_link(queued);
        link.placed = Some(Cow::Borrowed(queued));
        self.counters.waiting = self.counters.waiting.wrapping_add(1);
    }

    /// Host that a step keeps busy.
    pub fn host_of<'b>(&'b self, target: &'b StepTarget) -> Option<&'b Host> {
        match target {
            StepTarget::Robots { host, .. } => Some(host),
            StepTarget::Link(link) => self.links.get(link).map(|link| &link.known.host),
        }
    }

    /// Links with a row that is written as a whole.
    pub fn placed_links(&self) -> impl Iterator<Item = (LinkId, LinkState, &QueuedLink)> {
        self.links.iter().filter_map(|(id, link)| Some((*id, link.known.state, link.placed.as_deref()?)))
    }

    /// Stored links of which only the state changes.
    pub fn moved_links(&self) -> impl Iterator<Item = (LinkId, LinkState)> {
        let is_moved = |link: &PlannedLink<'_>| link.is_moved && link.placed.is_none();
        self.links.iter().filter(move |(_, link)| is_moved(link)).map(|(id, link)| (*id, link.state()))
    }

    /// Links that get a new score, unless their complete rows are written.
    pub fn rescored_links(&self) -> impl Iterator<Item = &QueuedLink> {
        let is_placed = |id: &LinkId| self.links.get(id).is_some_and(|link| link.placed.is_some());
        self.rescored.iter().filter(move |(id, _)| !is_placed(id)).map(|(_, queued)| *queued)
    }

    /// Stored links that the commit refers to.
    pub fn stored_links(&self) -> impl Iterator<Item = LinkId> {
        self.links.iter().filter(|(_, link)| link.is_stored).map(|(id, _)| *id)
    }

    /// Hosts of links and states, each once.
    pub fn named_hosts(&self) -> FxHashSet<Host> {
        let of_links = self.placed_links().map(|(_, _, queued)| queued.link.host());
        of_links.chain(self.hosts.keys().map(|host| (*host).clone())).collect()
    }

    pub fn hosts(&self) -> impl Iterator<Item = &PlannedHost<'a>> {
        self.hosts.values()
    }

    /// Forms to insert, in the order they were found.
    pub fn new_forms(&self) -> impl Iterator<Item = &PlannedForm<'a>> {
        self.form_order.iter().filter_map(|id| self.forms.get(id))
    }

    /// Known forms with further pages.
    pub fn repeated_forms(&self) -> impl Iterator<Item = (FormId, u64)> {
        let is_repeated = |form: &PlannedForm<'_>| form.new.is_none() && form.more_pages > 0;
        self.forms.iter().filter(move |(_, form)| is_repeated(form)).map(|(id, form)| (*id, form.more_pages))
    }

    /// Forms with a new verdict.
    pub fn probed_forms(&self) -> impl Iterator<Item = &'a ProbedForm> {
        self.forms.values().filter_map(|form| form.probe)
    }

    /// Sites with a best form that may have changed.
    pub fn judged_sites(&self) -> FxHashSet<&Site> {
        let is_judged = |form: &&PlannedForm<'_>| form.new.is_some() || form.probe.is_some();
        self.forms.values().filter(is_judged).map(|form| &form.known.site).collect()
    }
}

fn known_link(queued: &QueuedLink) -> KnownLink {
    let (url, host) = (queued.link.url.to_string(), queued.link.host());
    KnownLink { state: LinkState::Waiting, queue: queued.queue, url, host }
}
