//! One run in memory.

use super::super::counters::probability;
use super::super::*;
use super::SharedState;
use super::frontier::{CitationIndex, MemoryFrontier};
use hadal_core::address::{Host, Site};
use hadal_core::identity::FormId;
use hadal_core::strategy::SiteCounters;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use url::Url;

/// Everything about a run.
pub struct MemoryRun {
    pub spec: RunSpec,
    pub control: Control,
    pub frontier: MemoryFrontier,
    pub forms: FxHashMap<FormId, MemoryForm>,
    pub sites: FxHashMap<Site, MemorySite>,
    pub hosts: FxHashMap<Host, HostState>,
    pub pages: Vec<PageRow>,
    pub failures: Vec<FailureRow>,
    /// Index of each URL in `failures`.
    failure_of: FxHashMap<Url, usize>,
    pub citations: CitationIndex,
    lessons: Vec<LessonRow>,
    curve: Vec<CurvePoint>,
    /// Progress without the state of the strategy.
    progress: RunProgress,
    strategy: Option<Vec<u8>>,
    counters: RunCounters,
    in_flight: BTreeMap<u64, SentStep>,
}

/// A form and the number of its find within the store.
pub struct MemoryForm {
    pub found: u64,
    pub row: FormRow,
}

/// A site and the highest `p_relevant` of its forms.
#[derive(Default)]
pub struct MemorySite {
    pub counters: SiteCounters,
    pub best: f32,
}

impl MemoryRun {
    pub fn new(spec: RunSpec) -> MemoryRun {
        MemoryRun {
            spec,
            control: Control::default(),
            frontier: MemoryFrontier::default(),
            forms: FxHashMap::default(),
            sites: FxHashMap::default(),
            hosts: FxHashMap::default(),
            pages: Vec::new(),
            failures: Vec::new(),
            failure_of: FxHashMap::default(),
            citations: CitationIndex::default(),
            lessons: Vec::new(),
            curve: Vec::new(),
            progress: RunProgress::default(),
            strategy: None,
            counters: RunCounters::default(),
            in_flight: BTreeMap::new(),
        }
    }

    pub fn checkpoint(&self) -> RunCheckpoint {
        let in_flight = |step: &SentStep| (step.clone(), self.frontier.in_flight(&step.target));
        RunCheckpoint {
            progress: RunProgress { strategy: self.strategy.clone(), ..self.progress.clone() },
            counters: self.counters(),
            in_flight: self.in_flight.values().map(in_flight).collect(),
            queues: self.frontier.host_queues(),
            stored: Vec::new(),
            requested: self.requested(),
            bonuses: self.bonuses(),
        }
    }

    fn requested(&self) -> Vec<RequestedHost> {
        let host = |state: &HostState| RequestedHost {
            host: state.host.clone(),
            ip: state.ip,
            next_at: state.next_at,
            group_next_at: state.group_next_at,
        };
        self.hosts.values().map(host).collect()
    }

    fn bonuses(&self) -> Vec<(Site, f32)> {
        let with_bonus = self.sites.iter().filter(|(_, known)| known.counters.bonus != 0.0);
        with_bonus.map(|(site, known)| (site.clone(), known.counters.bonus)).collect()
    }

    pub fn look_up(&self, keys: &LookUp<'_>) -> LookUpResult {
        let site = |site: &Site| self.sites.get(site).map(|known| known.counters).unwrap_or_default();
        LookUpResult {
            links: keys.links.iter().map(|&link| self.frontier.knows(link)).collect(),
            link_rows: keys.link_rows.iter().map(|&link| self.frontier.link(link)).collect(),
            forms: keys.forms.iter().map(|form| self.forms.contains_key(form)).collect(),
            hosts: keys.hosts.iter().map(|host| self.hosts.get(host).cloned()).collect(),
            sites: keys.sites.iter().map(site).collect(),
        }
    }

    /// The run as a row, with the selected parts.
    pub fn row(&self, id: RunId, parts: RunParts) -> RunRow {
        let strategy = if parts.strategy { self.strategy.clone() } else { None };
        let first_lesson = self.lessons.len().saturating_sub(parts.lessons);
        RunRow {
            id,
            spec: self.spec.clone(),
            progress: RunProgress { strategy, ..self.progress.clone() },
            counters: self.counters(),
            curve: if parts.curve { self.curve.clone() } else { Vec::new() },
            queues: self.frontier.queue_lengths(parts.queues),
            lessons: self.lessons[first_lesson..].to_vec(),
        }
    }

    fn counters(&self) -> RunCounters {
        RunCounters { waiting: self.frontier.waiting(), ..self.counters.clone() }
    }

    /// Applies a batch to this run, which has the number `id`.
    pub fn apply(&mut self, id: RunId, batch: &Batch, shared: &mut SharedState) {
        batch.outcomes.iter().for_each(|outcome| self.apply_outcome(id, outcome, shared));
        batch.changes.iter().for_each(|change| self.apply_change(change));
        batch.sent.iter().for_each(|step| self.send(step));
        batch.submissions.iter().for_each(|entry| shared.log(entry));
        self.add_curve_point();
        if let Some(progress) = &batch.progress {
            let mut progress = progress.clone();
            self.strategy = progress.strategy.take().or_else(|| self.strategy.take());
            self.progress = progress;
        }
    }

    fn add_curve_point(&mut self) {
        let waiting = self.frontier.waiting();
        let RunCounters { requests, pages, forms, searchable, relevant, .. } = self.counters;
        if is_point_due(self.curve.last().map(|point| point.requests), requests) {
            self.curve.push(CurvePoint { requests, pages, forms, searchable, relevant, waiting });
        }
    }

    fn apply_outcome(&mut self, id: RunId, outcome: &Outcome, shared: &mut SharedState) {
        if self.in_flight.get(&outcome.seq).is_none_or(|step| step.target != outcome.target) {
            return;
        }
        self.in_flight.remove(&outcome.seq);
        self.counters.count_step(outcome);
        self.put_failure(id, outcome);
        if let StepTarget::Link(link) = outcome.target {
            self.frontier.end_step(link, &outcome.end);
        }
        if let Some(page) = &outcome.page {
            self.citations.add(page.id, &outcome.cited);
            self.pages.push(PageRow { p_topic: probability(page.p_topic), ..page.clone() });
        }
        if let Some((site, counters)) = &outcome.site {
            let stored = self.sites.entry(site.clone()).or_default();
            self.counters.count_site(&stored.counters, counters);
            stored.counters = *counters;
        }
        outcome.hosts.iter().for_each(|host| self.put_host(host));
        self.put_forms(&outcome.forms, &mut shared.forms_found);
        if let Some(probe) = &outcome.probe {
            self.put_probe(probe);
        }
        if let Some(result) = &outcome.submission {
            shared.complete(Submitter::Run(id), outcome.seq, result);
        }
        outcome.found.iter().for_each(|queued| self.frontier.add(queued));
    }

    /// Stores the failure of a step, one row per URL.
    fn put_failure(&mut self, run: RunId, outcome: &Outcome) {
        let Some((kind, given_up)) = outcome.end.failure() else { return };
        let (host, url) = match &outcome.target {
            StepTarget::Robots { host, url, .. } => (host.clone(), url.clone()),
            target => match self.frontier.in_flight(target) {
                Some(queued) => (queued.link.host(), queued.link.url),
                None => return,
            },
        };
        let place = *self.failure_of.entry(url.clone()).or_insert(self.failures.len());
        let times = self.failures.get(place).map_or(1, |row| row.times + 1);
        let row = FailureRow { run, host, url, kind, at: outcome.at, times, given_up };
        match self.failures.get_mut(place) {
            Some(known) => *known = row,
            None => self.failures.push(row),
        }
    }

    fn put_host(&mut self, state: &HostState) {
        let stored = self.hosts.entry(state.host.clone()).or_insert_with(|| state.clone());
        let (robots, robots_until, robots_validator) = match &state.robots {
            Some(robots) => (Some(robots.clone()), state.robots_until, state.robots_validator.clone()),
            None => (stored.robots.take(), stored.robots_until, stored.robots_validator.take()),
        };
        *stored = HostState { robots, robots_until, robots_validator, ..state.clone() };
    }

    /// Stores the forms of a page. A form that is there twice counts once.
    fn put_forms(&mut self, forms: &[FoundForm], found: &mut u64) {
        let mut here = FxHashSet::default();
        for form in forms {
            let id = form.id();
            if here.contains(&id) {
                continue;
            }
            match (self.forms.get_mut(&id), form) {
                (Some(known), _) => known.row.also_on += 1,
                (None, FoundForm::New(row)) => self.put_form(row, found),
                (None, FoundForm::Known(_)) => continue,
            }
            here.insert(id);
        }
    }

    fn put_form(&mut self, row: &FormRow, found: &mut u64) {
        *found += 1;
        let row = FormRow {
            topic: self.spec.topic.clone(),
            p_searchable: probability(row.p_searchable),
            p_relevant: probability(row.p_relevant),
            also_on: 0,
            ..row.clone()
        };
        self.counters.count_form(&row);
        let site = self.sites.entry(row.site.clone()).or_default();
        site.best = site.best.max(row.p_relevant);
        self.forms.insert(row.form_id, MemoryForm { found: *found, row });
    }

    /// Stores the new verdict on a probed form.
    fn put_probe(&mut self, probe: &ProbedForm) {
        let Some(MemoryForm { row, .. }) = self.forms.get_mut(&probe.form) else { return };
        let before = (row.p_searchable, row.p_relevant);
        row.p_searchable = probability(probe.verdict.p_searchable);
        row.p_relevant = probability(probe.verdict.p_relevant);
        row.kind = probe.verdict.kind;
        row.evidence.clone_from(&probe.verdict.evidence);
        row.finding = Some(probe.finding);
        let site = row.site.clone();
        self.counters.count_verdict(before, (row.p_searchable, row.p_relevant));
        let of_site = self.forms.values().map(|form| &form.row).filter(|row| row.site == site);
        let best = of_site.map(|row| row.p_relevant).fold(0.0, f32::max);
        self.sites.entry(site).or_default().best = best;
    }

    fn apply_change(&mut self, change: &FrontierChange) {
        match change {
            FrontierChange::Add(links) => links.iter().for_each(|queued| self.frontier.add(queued)),
            FrontierChange::Replace(links) => links.iter().for_each(|queued| self.frontier.replace(queued)),
            FrontierChange::Drop(links) => links.iter().for_each(|&link| self.frontier.drop(link)),
            FrontierChange::CloseSite(site) => {
                self.frontier.drop_site(site);
                self.sites.entry(site.clone()).or_default().counters.closed = true;
            }
            FrontierChange::FailHost(host, kind) => {
                let failed = self.frontier.fail_host(host);
                self.counters.count_failures(*kind, failed);
            }
            FrontierChange::Retry(links) => {
                let retried = links.iter().filter(|queued| self.frontier.retry(queued)).count();
                self.counters.count_retried(retried as u64);
            }
            FrontierChange::Learned(lesson) => self.lessons.push(lesson.clone()),
            // A run of this store has one worker, which owns all links.
            FrontierChange::Forward(_) | FrontierChange::Receive(_) => {}
        }
    }

    fn send(&mut self, step: &SentStep) {
        let is_sent = match step.target {
            StepTarget::Link(link) => !self.in_flight.contains_key(&step.seq) && self.frontier.send(link),
            StepTarget::Robots { .. } => true,
        };
        if is_sent {
            self.in_flight.entry(step.seq).or_insert_with(|| step.clone());
        }
    }
}
