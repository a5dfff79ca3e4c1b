//! One run in memory, and how a batch changes it.

use super::super::catalogue::is_due;
use super::super::tally::probability;
use super::super::*;
use super::SharedState;
use super::backlinks::CitationIndex;
use super::frontier::MemoryFrontier;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Everything about a run.
pub struct MemoryRun {
    pub spec: RunSpec,
    pub control: Control,
    pub frontier: MemoryFrontier,
    pub forms: FxHashMap<FormId, StoredForm>,
    pub sites: FxHashMap<Site, StoredSite>,
    pub hosts: FxHashMap<Host, HostState>,
    pub pages: Vec<PageRow>,
    pub lessons: Vec<LessonRow>,
    pub cited: CitationIndex,
    pub curve: Vec<CurvePoint>,
    progress: RunProgress,
    tally: RunCounters,
    in_flight: BTreeMap<u64, SentStep>,
}

/// A form and when it was found, counted over all runs.
pub struct StoredForm {
    pub found: u64,
    pub row: FormRow,
}

/// A site and the relevance of its best form.
#[derive(Default)]
pub struct StoredSite {
    pub tally: SiteCounters,
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
            lessons: Vec::new(),
            cited: CitationIndex::default(),
            curve: Vec::new(),
            progress: RunProgress::default(),
            tally: RunCounters::default(),
            in_flight: BTreeMap::new(),
        }
    }

    pub fn checkpoint(&self) -> RunCheckpoint {
        let flight = |step: &SentStep| (step.clone(), self.frontier.in_flight(&step.target));
        RunCheckpoint {
            progress: self.progress.clone(),
            tally: self.tally(),
            in_flight: self.in_flight.values().map(flight).collect(),
            queues: self.frontier.queues(),
            resting: self.resting(),
        }
    }

    fn resting(&self) -> Vec<(Host, Option<std::net::IpAddr>, Time)> {
        let resting = self.hosts.values().filter(|state| state.address_next_at > self.progress.now);
        resting.map(|state| (state.host.clone(), state.ip, state.address_next_at)).collect()
    }

    pub fn row(&self, id: RunId) -> RunRow {
        RunRow { id, spec: self.spec.clone(), progress: self.progress.clone(), tally: self.tally() }
    }

    pub fn tally(&self) -> RunCounters {
        RunCounters { waiting: self.frontier.waiting(), ..self.tally.clone() }
    }

    /// Applies a batch to this run, whose number is `id`.
    pub fn apply(&mut self, id: RunId, batch: &Batch, common: &mut SharedState) {
        batch.outcomes.iter().for_each(|outcome| self.end(id, outcome, common));
        batch.changes.iter().for_each(|change| self.change(change));
        batch.sent.iter().for_each(|step| self.dispatch(step));
        batch.submissions.iter().for_each(|entry| common.log(entry));
        self.note_point();
        if let Some(progress) = &batch.progress {
            let strategy = progress.strategy.clone().or_else(|| self.progress.strategy.take());
            self.progress = RunProgress { strategy, ..progress.clone() };
        }
    }

    /// Adds a point to the curve, when one is due.
    fn note_point(&mut self) {
        let RunCounters { requests, pages, forms, searchable, relevant, waiting, .. } = self.tally();
        if is_due(self.curve.last().map(|point| point.requests), requests) {
            self.curve.push(CurvePoint { requests, pages, forms, searchable, relevant, waiting });
        }
    }

    fn end(&mut self, id: RunId, outcome: &Outcome, common: &mut SharedState) {
        if self.in_flight.get(&outcome.seq).is_none_or(|step| step.target != outcome.target) {
            return;
        }
        self.in_flight.remove(&outcome.seq);
        self.tally.count_step(outcome);
        if let StepTarget::Link(link) = outcome.target {
            self.frontier.land(link, &outcome.end);
        }
        if let Some(page) = &outcome.page {
            self.cited.keep(page.id, &outcome.cited);
            self.pages.push(PageRow { p_topic: probability(page.p_topic), ..page.clone() });
        }
        if let Some((site, tally)) = &outcome.site {
            let stored = self.sites.entry(site.clone()).or_default();
            self.tally.count_site(&stored.tally, tally);
            stored.tally = *tally;
        }
        for host in &outcome.hosts {
            self.keep_host(host);
        }
        self.keep_forms(&outcome.forms, &mut common.forms_found);
        if let Some(judged) = &outcome.probe {
            self.keep_judged(judged);
        }
        if let Some(answer) = &outcome.submission {
            common.complete(Submitter::Run(id), outcome.seq, answer);
        }
        outcome.found.iter().for_each(|waiting| self.frontier.add(waiting));
    }

    fn keep_host(&mut self, state: &HostState) {
        let stored = self.hosts.entry(state.host.clone()).or_insert_with(|| state.clone());
        let (robots, robots_until) = match &state.robots {
            Some(robots) => (Some(robots.clone()), state.robots_until),
            None => (stored.robots.take(), stored.robots_until),
        };
        *stored = HostState { robots, robots_until, ..state.clone() };
    }

    fn keep_forms(&mut self, forms: &[FoundForm], found: &mut u64) {
        let mut here = FxHashSet::default();
        for form in forms {
            let id = form.id();
            if here.contains(&id) {
                continue;
            }
            match (self.forms.get_mut(&id), form) {
                (Some(known), _) => known.row.also_on += 1,
                (None, FoundForm::New(row)) => self.keep_form(row, found),
                (None, FoundForm::Known(_)) => continue,
            }
            here.insert(id);
        }
    }

    fn keep_form(&mut self, row: &FormRow, found: &mut u64) {
        *found += 1;
        let row = FormRow {
            topic: self.spec.topic.clone(),
            p_searchable: probability(row.p_searchable),
            p_relevant: probability(row.p_relevant),
            also_on: 0,
            ..row.clone()
        };
        self.tally.count_form(&row);
        let site = self.sites.entry(row.site.clone()).or_default();
        site.best = site.best.max(row.p_relevant);
        self.forms.insert(row.form_id, StoredForm { found: *found, row });
    }

    /// A form is held for something else than before.
    fn keep_judged(&mut self, judged: &ProbedForm) {
        let Some(StoredForm { row, .. }) = self.forms.get_mut(&judged.form) else { return };
        let before = (row.p_searchable, row.p_relevant);
        row.p_searchable = probability(judged.verdict.p_searchable);
        row.p_relevant = probability(judged.verdict.p_relevant);
        row.kind = judged.verdict.kind;
        row.evidence.clone_from(&judged.verdict.evidence);
        row.finding = Some(judged.finding);
        let site = row.site.clone();
        self.tally.count_verdict(before, (row.p_searchable, row.p_relevant));
        let of_site = self.forms.values().map(|form| &form.row).filter(|row| row.site == site);
        let best = of_site.map(|row| row.p_relevant).fold(0.0, f32::max);
        self.sites.entry(site).or_default().best = best;
    }

    fn change(&mut self, change: &FrontierChange) {
        match change {
            FrontierChange::Add(leads) => leads.iter().for_each(|waiting| self.frontier.add(waiting)),
            FrontierChange::Replace(leads) => leads.iter().for_each(|waiting| self.frontier.replace(waiting)),
            FrontierChange::Drop(links) => links.iter().for_each(|&link| self.frontier.drop(link)),
            FrontierChange::CloseSite(site) => {
                self.frontier.drop_site(site);
                self.sites.entry(site.clone()).or_default().tally.closed = true;
            }
            FrontierChange::FailHost(host, kind) => {
                let failed = self.frontier.drop_host(host);
                self.tally.count_failures(kind, failed);
            }
            FrontierChange::Learned(lesson) => self.lessons.push(lesson.clone()),
        }
    }

    fn dispatch(&mut self, step: &SentStep) {
        let begins = match step.target {
            StepTarget::Link(link) => !self.in_flight.contains_key(&step.seq) && self.frontier.dispatch(link),
            StepTarget::Robots { .. } => true,
        };
        if begins {
            self.in_flight.entry(step.seq).or_insert_with(|| step.clone());
        }
    }
}
