//! A store that lives and dies with its process: for tests and evaluation.
//!
//! Plain maps behind one lock. It keeps the same contract as the file store, so a crawl through it
//! takes the very same steps.

mod backlinks;
mod catalogue;
mod frontier;
mod harvest;
mod harvests;
mod reports;
mod run;

use super::*;
use hadal_core::strategy::SiteCounters;
use harvest::MemoryHarvest;
use run::MemoryRun;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// Runs in memory.
#[derive(Default)]
pub struct MemoryStore {
    shelf: Mutex<MemoryState>,
}

/// All runs and harvests, and the last numbers given.
#[derive(Default)]
struct MemoryState {
    runs: BTreeMap<RunId, MemoryRun>,
    last_run: u64,
    harvests: BTreeMap<HarvestId, MemoryHarvest>,
    last_harvest: u64,
    common: SharedState,
}

/// What runs and harvests share, and what outlives them.
#[derive(Default)]
struct SharedState {
    /// The number of the last new form of any run.
    forms_found: u64,
    submissions: Vec<Submission>,
    /// Where the entry of each step is among them.
    logged: FxHashMap<(Submitter, u64), usize>,
    /// What people made of forms.
    labels: BTreeMap<(FormId, String), LabelRow>,
    /// The number of the last question that a person asked.
    questions: u64,
}

impl SharedState {
    /// Writes an entry down, once.
    fn log(&mut self, entry: &Submission) {
        self.logged.entry((entry.by, entry.seq)).or_insert_with(|| {
            self.submissions.push(entry.clone());
            self.submissions.len() - 1
        });
    }

    /// Adds what came back, if there is such an entry.
    fn complete(&mut self, by: Submitter, seq: u64, answer: &SubmissionResult) {
        if let Some(&place) = self.logged.get(&(by, seq)) {
            self.submissions[place].answer = Some(answer.clone());
        }
    }
}

impl MemoryState {
    fn run(&self, run: RunId) -> Result<&MemoryRun, StoreError> {
        self.runs.get(&run).ok_or_else(|| no_run(run))
    }
}

fn no_run(run: RunId) -> StoreError {
    StoreError::Failed { path: "memory".into(), detail: format!("there is no run {}", run.0) }
}

impl MemoryStore {
    fn shelf(&self) -> MutexGuard<'_, MemoryState> {
        self.shelf.lock().expect("half a batch after a panic is never used")
    }

    /// What `look` sees in a run, if there is such a run.
    fn look<T: Default>(&self, run: RunId, look: impl FnOnce(&MemoryRun) -> T) -> Result<T, StoreError> {
        Ok(self.shelf().runs.get(&run).map(look).unwrap_or_default())
    }
}

impl Store for MemoryStore {
    fn begin(&self, spec: &RunSpec) -> Result<RunId, StoreError> {
        let mut shelf = self.shelf();
        if let Some((&id, _)) = shelf.runs.iter().find(|(_, run)| run.spec == *spec) {
            return Ok(id);
        }
        shelf.last_run += 1;
        let id = RunId(shelf.last_run);
        shelf.runs.insert(id, MemoryRun::new(spec.clone()));
        Ok(id)
    }

    fn discard(&self, run: RunId) -> Result<(), StoreError> {
        self.shelf().runs.remove(&run).map(|_| ()).ok_or_else(|| no_run(run))
    }

    fn resume(&self, run: RunId) -> Result<RunCheckpoint, StoreError> {
        Ok(self.shelf().run(run)?.checkpoint())
    }

    fn commit(&self, run: RunId, batch: &Batch) -> Result<(), StoreError> {
        let shelf = &mut *self.shelf();
        let target = shelf.runs.get_mut(&run).ok_or_else(|| no_run(run))?;
        target.apply(run, batch, &mut shelf.common);
        Ok(())
    }

    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn known(&self, run: RunId, links: &[LinkId]) -> Result<Vec<bool>, StoreError> {
        let shelf = self.shelf();
        let run = shelf.run(run)?;
        Ok(links.iter().map(|&link| run.frontier.knows(link)).collect())
    }

    fn known_forms(&self, run: RunId, forms: &[FormId]) -> Result<Vec<bool>, StoreError> {
        let shelf = self.shelf();
        let run = shelf.run(run)?;
        Ok(forms.iter().map(|form| run.forms.contains_key(form)).collect())
    }

    fn whole_form(&self, run: RunId, form: FormId) -> Result<Option<Form>, StoreError> {
        self.look(run, |run| run.forms.get(&form).and_then(|form| form.row.whole.as_deref().cloned()))
    }

    fn lead(&self, run: RunId, link: LinkId) -> Result<Option<FrontierLink>, StoreError> {
        self.look(run, |run| run.frontier.lead(link))
    }

    fn backlinks(&self, source: &str, url: &Url, limit: usize) -> Result<Vec<Url>, StoreError> {
        Ok(backlinks::of(&self.shelf().runs, source, url, limit))
    }

    fn lessons(&self, run: RunId) -> Result<Vec<LessonRow>, StoreError> {
        self.look(run, |run| run.lessons.clone())
    }

    fn of_host(
        &self,
        run: RunId,
        lane: QueueId,
        host: &Host,
        after: Option<QueueRank>,
        limit: usize,
    ) -> Result<Vec<QueuedLink>, StoreError> {
        self.look(run, |run| run.frontier.of_host(lane, host, after, limit))
    }

    fn of_lane(&self, run: RunId, lane: QueueId, limit: usize) -> Result<Vec<QueuedLink>, StoreError> {
        self.look(run, |run| run.frontier.of_lane(lane, limit))
    }

    fn tally(&self, run: RunId) -> Result<RunCounters, StoreError> {
        Ok(self.shelf().run(run)?.tally())
    }

    fn site(&self, run: RunId, site: &Site) -> Result<SiteCounters, StoreError> {
        self.look(run, |run| run.sites.get(site).map(|known| known.tally).unwrap_or_default())
    }

    fn host(&self, run: RunId, host: &Host) -> Result<Option<HostState>, StoreError> {
        self.look(run, |run| run.hosts.get(host).cloned())
    }

    fn control(&self, run: RunId) -> Result<Control, StoreError> {
        self.look(run, |run| run.control.clone())
    }

    fn set_control(&self, run: RunId, control: &Control) -> Result<(), StoreError> {
        let mut shelf = self.shelf();
        shelf.runs.get_mut(&run).ok_or_else(|| no_run(run))?.control = control.clone();
        Ok(())
    }

    fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        Ok(self.shelf().runs.iter().map(|(&id, run)| run.row(id)).collect())
    }

    fn forms(&self, filter: &Filter, each: &mut dyn FnMut(FormRow) -> Walk) -> Result<(), StoreError> {
        let rows = reports::forms(&self.shelf().runs, filter);
        walk(rows.into_iter(), each);
        Ok(())
    }

    fn sites(&self, filter: &Filter, each: &mut dyn FnMut(SiteRow) -> Walk) -> Result<(), StoreError> {
        let rows = reports::sites(&self.shelf().runs, filter);
        walk(rows.into_iter(), each);
        Ok(())
    }

    fn pages(&self, run: RunId, each: &mut dyn FnMut(PageRow) -> Walk) -> Result<(), StoreError> {
        let page = |n: usize| self.shelf().runs.get(&run).and_then(|run| run.pages.get(n).cloned());
        walk((0..).map_while(page), each);
        Ok(())
    }

    fn submissions(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(Submission) -> Walk,
    ) -> Result<(), StoreError> {
        let passes = |entry: &&Submission| {
            filter.run.is_none_or(|run| entry.by == Submitter::Run(run))
                && filter.harvest.is_none_or(|harvest| entry.by == Submitter::Harvest(harvest))
                && filter.topic.as_ref().is_none_or(|topic| *topic == entry.topic)
        };
        let rows: Vec<Submission> = self.shelf().common.submissions.iter().filter(passes).cloned().collect();
        walk(rows.into_iter(), each);
        Ok(())
    }
}

/// Hands out rows, without the lock, until there are no more or `each` has enough.
fn walk<T>(mut rows: impl Iterator<Item = T>, each: &mut dyn FnMut(T) -> Walk) {
    while rows.next().is_some_and(|row| each(row) == Walk::On) {}
}
