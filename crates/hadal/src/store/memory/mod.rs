//! A store in memory, for tests and evaluation.
//!
//! Plain maps behind one lock. It fulfils the same contract as the file store, so that a crawl takes the same steps in
//! both.

mod catalogue;
mod frontier;
mod harvest;
mod run;

use super::*;
use hadal_core::identity::FormId;
use hadal_core::link::QueuedLink;
use hadal_core::time::Time;
use harvest::MemoryHarvest;
use run::MemoryRun;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use url::Url;

/// A store in memory.
#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<MemoryState>,
}

/// All runs and harvests, and the last numbers given.
#[derive(Default)]
struct MemoryState {
    runs: BTreeMap<RunId, MemoryRun>,
    last_run: u64,
    harvests: BTreeMap<HarvestId, MemoryHarvest>,
    last_harvest: u64,
    shared: SharedState,
}

/// Data that belongs to no single run or harvest.
#[derive(Default)]
struct SharedState {
    /// Number of forms found so far, over all runs.
    forms_found: u64,
    submissions: Vec<Submission>,
    /// Index of each entry in `submissions`.
    logged: FxHashMap<(Submitter, u64), usize>,
    labels: BTreeMap<(FormId, String), LabelRow>,
    /// Last check of each form.
    form_checks: BTreeMap<FormId, FormCheck>,
    /// Number of submissions that were logged at once.
    logged_at_once: u64,
}

impl SharedState {
    /// Adds an entry to the audit log, unless it is there.
    fn log(&mut self, entry: &Submission) {
        self.logged.entry((entry.by, entry.seq)).or_insert_with(|| {
            self.submissions.push(entry.clone());
            self.submissions.len() - 1
        });
    }

    /// Adds the result of a submission to its entry, if there is one.
    fn complete(&mut self, by: Submitter, seq: u64, result: &SubmissionResult) {
        if let Some(&place) = self.logged.get(&(by, seq)) {
            self.submissions[place].answer = Some(result.clone());
        }
    }

    fn set_label(&mut self, LabelUpdate { form, topic, label, at }: &LabelUpdate) {
        let key = (*form, topic.clone());
        match label {
            Some(label) => {
                let row = LabelRow { form: *form, topic: topic.clone(), label: *label, at: *at };
                self.labels.insert(key, row);
            }
            None => {
                self.labels.remove(&key);
            }
        }
    }
}

impl MemoryState {
    fn run(&self, run: RunId) -> Result<&MemoryRun, StoreError> {
        self.runs.get(&run).ok_or_else(|| unknown(Activity::Run(run)))
    }

    fn harvest(&self, harvest: HarvestId) -> Result<&MemoryHarvest, StoreError> {
        self.harvests.get(&harvest).ok_or_else(|| unknown(Activity::Harvest(harvest)))
    }

    /// The control of a run or harvest.
    fn control(&mut self, activity: Activity) -> Result<&mut Control, StoreError> {
        let control = match activity {
            Activity::Run(run) => self.runs.get_mut(&run).map(|run| &mut run.control),
            Activity::Harvest(harvest) => self.harvests.get_mut(&harvest).map(|harvest| &mut harvest.control),
        };
        control.ok_or_else(|| unknown(activity))
    }
}

/// The error for a run or harvest that does not exist.
fn unknown(activity: Activity) -> StoreError {
    StoreError::Failed { path: "memory".into(), detail: activity.unknown() }
}

impl MemoryStore {
    fn state(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().expect("no thread panics while it holds the lock")
    }
}

impl CrawlStore for MemoryStore {
    fn begin(&self, spec: &RunSpec) -> Result<RunId, StoreError> {
        let mut state = self.state();
        if let Some((&id, _)) = state.runs.iter().find(|(_, run)| run.spec == *spec) {
            return Ok(id);
        }
        state.last_run += 1;
        let id = RunId(state.last_run);
        state.runs.insert(id, MemoryRun::new(spec.clone()));
        Ok(id)
    }

    fn discard(&self, activity: Activity) -> Result<(), StoreError> {
        let mut state = self.state();
        let existed = match activity {
            Activity::Run(run) => state.runs.remove(&run).is_some(),
            Activity::Harvest(harvest) => state.harvests.remove(&harvest).is_some(),
        };
        if existed { Ok(()) } else { Err(unknown(activity)) }
    }

    fn resume(&self, run: RunId, hosts: usize) -> Result<RunCheckpoint, StoreError> {
        Ok(self.state().run(run)?.checkpoint().with_best_queues(hosts))
    }

    fn commit(&self, run: RunId, batch: &Batch) -> Result<(), StoreError> {
        let state = &mut *self.state();
        let target = state.runs.get_mut(&run).ok_or_else(|| unknown(Activity::Run(run)))?;
        target.apply(run, batch, &mut state.shared);
        Ok(())
    }

    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn look_up(&self, run: RunId, keys: &LookUp<'_>) -> Result<LookUpResult, StoreError> {
        Ok(self.state().run(run)?.look_up(keys))
    }

    fn queue_heads(&self, run: RunId, slices: &[QueueSlice]) -> Result<Vec<Vec<QueuedLink>>, StoreError> {
        let state = self.state();
        let Some(run) = state.runs.get(&run) else { return Ok(vec![Vec::new(); slices.len()]) };
        Ok(slices.iter().map(|slice| run.frontier.head(slice)).collect())
    }

    fn backlinks(&self, source: &str, urls: &[Url], limit: usize) -> Result<Vec<Vec<Url>>, StoreError> {
        let state = self.state();
        Ok(urls.iter().map(|url| frontier::backlinks(&state.runs, source, url, limit)).collect())
    }

    fn control(&self, activity: Activity) -> Result<Control, StoreError> {
        Ok(self.state().control(activity).map(|control| control.clone()).unwrap_or_default())
    }

    fn apply_user_changes(&self, changes: &[UserChange]) -> Result<(), StoreError> {
        let mut state = self.state();
        for change in changes {
            match change {
                UserChange::Control(activity, control) => *state.control(*activity)? = control.clone(),
                UserChange::Label(update) => state.shared.set_label(update),
                UserChange::Logged(by, number, result) => state.shared.complete(*by, *number, result),
            }
        }
        Ok(())
    }
}

impl HarvestStore for MemoryStore {
    fn begin_harvest(&self, spec: &HarvestSpec, now: Time) -> Result<HarvestId, StoreError> {
        let mut state = self.state();
        if let Some((&id, _)) = state.harvests.iter().find(|(_, known)| known.spec.is_same(spec)) {
            return Ok(id);
        }
        state.last_harvest += 1;
        let id = HarvestId(state.last_harvest);
        state.harvests.insert(id, MemoryHarvest::new(spec.clone(), now));
        Ok(id)
    }

    fn resume_harvest(&self, harvest: HarvestId) -> Result<HarvestCheckpoint, StoreError> {
        let state = self.state();
        Ok(state.harvest(harvest)?.checkpoint(harvest, &state.shared))
    }

    fn commit_harvest(&self, harvest: HarvestId, batch: &HarvestBatch) -> Result<(), StoreError> {
        let state = &mut *self.state();
        let target = state.harvests.get_mut(&harvest).ok_or_else(|| unknown(Activity::Harvest(harvest)))?;
        target.apply(harvest, batch, &mut state.shared);
        Ok(())
    }

    fn save_form_checks(&self, checks: &[FormCheck]) -> Result<(), StoreError> {
        let known = &mut self.state().shared.form_checks;
        known.extend(checks.iter().map(|check| (check.form, check.clone())));
        Ok(())
    }

    fn log_at_once(&self, entry: &Submission) -> Result<u64, StoreError> {
        let shared = &mut self.state().shared;
        shared.logged_at_once += 1;
        let seq = entry.by.numbers_before() + shared.logged_at_once;
        shared.log(&Submission { seq, ..entry.clone() });
        Ok(seq)
    }

    fn past_answers(
        &self,
        harvest: HarvestId,
        after: Option<u32>,
        limit: usize,
    ) -> Result<RowPage<PastAnswer, u32>, StoreError> {
        let state = self.state();
        let Some(known) = state.harvests.get(&harvest) else {
            return Ok(RowPage { rows: vec![], next: None });
        };
        let rows = known.answers_after(after, limit);
        Ok(RowPage::of(rows, limit, |answer| answer.query.number))
    }
}
