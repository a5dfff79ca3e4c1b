//! The catalogue of a store in memory: the same answers, at a price that nobody minds in tests.

use super::super::search::SearchWords;
use super::super::*;
use super::run::StoredForm;
use super::{MemoryState, MemoryStore};
use hadal_core::harvest::record::RecordId;
use std::collections::BTreeMap;

impl MemoryState {
    /// Forms that a query may ask for: of a run, else the first of each topic.
    fn forms(&self, run: Option<RunId>) -> Vec<(RunId, &StoredForm)> {
        let of = |id: &RunId| run.is_none_or(|wanted| wanted == *id);
        let runs = self.runs.iter().filter(|(id, _)| of(id));
        let all = runs.flat_map(|(id, known)| known.forms.values().map(|form| (*id, form)));
        let mut first: BTreeMap<(&str, FormId), (RunId, &StoredForm)> = BTreeMap::new();
        for (id, form) in all {
            let slot = first.entry((&form.row.topic, form.row.form_id)).or_insert((id, form));
            if form.found < slot.1.found {
                *slot = (id, form);
            }
        }
        first.into_values().collect()
    }

    /// A form with all that a directory tells of it.
    fn found(&self, run: RunId, form: &StoredForm) -> FormEntry {
        let row = &form.row;
        let same = |run: &super::MemoryRun| match run.spec.topic == row.topic {
            true => run.forms.get(&row.form_id).map_or(0, |known| known.row.also_on),
            false => 0,
        };
        let also_on = self.runs.values().map(same).sum();
        let label = self.common.labels.get(&(row.form_id, row.topic.clone())).map(|row| row.label);
        FormEntry { run, row: FormRow { also_on, whole: None, ..row.clone() }, label }
    }
}

impl Catalogue for MemoryStore {
    fn run_page(
        &self,
        topic: Option<&str>,
        before: Option<RunId>,
        most: usize,
    ) -> Result<Vec<RunRow>, StoreError> {
        let mut rows = self.runs()?;
        rows.retain(|row| topic.is_none_or(|topic| topic == row.spec.topic));
        rows.retain(|row| before.is_none_or(|before| row.id < before));
        Ok(rows.into_iter().rev().take(most).map(bare).collect())
    }

    fn run_row(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        self.look(run, |known| Some(bare(known.row(run))))
    }

    fn curve(&self, run: RunId) -> Result<Vec<CurvePoint>, StoreError> {
        self.look(run, |run| run.curve.clone())
    }

    fn lanes(&self, run: RunId, most: usize) -> Result<Vec<QueueLength>, StoreError> {
        let row =
            |(lane, count): (QueueId, usize)| QueueLength { lane, waiting: count.min(MOST_COUNTED) as u64 };
        self.look(run, |run| run.frontier.lanes().into_iter().take(most).map(row).collect())
    }

    fn latest_pages(&self, run: RunId, most: usize) -> Result<Vec<PageRow>, StoreError> {
        self.look(run, |run| run.pages.iter().rev().take(most).cloned().collect())
    }

    fn followed(&self, run: RunId, link: LinkId) -> Result<Option<FollowedLink>, StoreError> {
        Ok(self.lead(run, link)?.map(|lead| FollowedLink { link: lead, placed: None }))
    }

    fn latest_lessons(&self, run: RunId, most: usize) -> Result<Vec<LessonRow>, StoreError> {
        self.look(run, |run| run.lessons.iter().rev().take(most).cloned().collect())
    }

    fn saved_strategy(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.look(run, |known| known.row(run).progress.strategy)
    }

    fn directory(&self, query: &FormQuery) -> Result<DirectoryPage<FormEntry>, StoreError> {
        let shelf = self.shelf();
        let mut all: Vec<FormEntry> =
            shelf.forms(query.run).into_iter().map(|(run, form)| shelf.found(run, form)).collect();
        all.retain(|found| query.takes(&FormSummary::of(found)));
        all.retain(|found| {
            query.after.as_ref().is_none_or(|place| place.order(&FormCursor::of(&found.row)).is_lt())
        });
        all.sort_by(|a, b| FormCursor::of(&a.row).order(&FormCursor::of(&b.row)));
        let more = all.len() > query.most;
        all.truncate(query.most);
        let next = all.last().filter(|_| more).map(|found| FormCursor::of(&found.row));
        Ok(DirectoryPage { forms: all, next })
    }

    fn glances(&self, query: &FormQuery) -> Result<DirectoryPage<FormSummary>, StoreError> {
        let DirectoryPage { forms, next } = self.directory(query)?;
        Ok(DirectoryPage { forms: forms.iter().map(FormSummary::of).collect(), next })
    }

    fn found(&self, form: FormId, topic: Option<&str>) -> Result<Option<FormEntry>, StoreError> {
        let shelf = self.shelf();
        let meant = |(_, known): &(RunId, &StoredForm)| {
            known.row.form_id == form && topic.is_none_or(|topic| topic == known.row.topic)
        };
        let first = shelf.forms(None).into_iter().filter(meant).min_by_key(|(_, known)| known.found);
        Ok(first.map(|(run, known)| shelf.found(run, known)))
    }

    fn mark(&self, row: &LabelRow) -> Result<(), StoreError> {
        self.shelf().common.labels.insert((row.form, row.topic.clone()), row.clone());
        Ok(())
    }

    fn unmark(&self, form: FormId, topic: &str) -> Result<(), StoreError> {
        self.shelf().common.labels.remove(&(form, topic.to_string()));
        Ok(())
    }

    fn labels(&self, after: Option<(FormId, &str)>, most: usize) -> Result<Vec<LabelRow>, StoreError> {
        let shelf = self.shelf();
        let later = |row: &&LabelRow| after.is_none_or(|after| (row.form, row.topic.as_str()) > after);
        Ok(shelf.common.labels.values().filter(later).take(most).cloned().collect())
    }

    fn harvest_page(&self, before: Option<HarvestId>, most: usize) -> Result<Vec<HarvestRow>, StoreError> {
        let shelf = self.shelf();
        let older = |(id, _): &(&HarvestId, &super::MemoryHarvest)| before.is_none_or(|before| **id < before);
        let newest = shelf.harvests.iter().rev().filter(older).take(most);
        Ok(newest.map(|(id, harvest)| harvest.row(*id)).collect())
    }

    fn record_page(
        &self,
        harvest: HarvestId,
        search: Option<&str>,
        after: Option<RecordId>,
        most: usize,
    ) -> Result<RecordPage, StoreError> {
        let (shelf, sought) = (self.shelf(), search.map(SearchWords::of));
        let Some(known) = shelf.harvests.get(&harvest) else { return Ok(RecordPage::default()) };
        let mut place = known.place_after(after.map(|record| record.0));
        let mut records = Vec::new();
        while records.len() < most {
            let Some((row, next)) = known.record_from(place, sought.as_ref()) else { break };
            records.push(row);
            place = next;
        }
        let next = records.last().filter(|_| records.len() == most).map(|row| row.record.id);
        Ok(RecordPage { records, next })
    }

    fn harvest_curve(&self, harvest: HarvestId) -> Result<Vec<HarvestPoint>, StoreError> {
        Ok(self.shelf().harvests.get(&harvest).map(|known| known.curve.clone()).unwrap_or_default())
    }

    fn outlook(&self, harvest: HarvestId) -> Result<Vec<String>, StoreError> {
        Ok(self.shelf().harvests.get(&harvest).map(|known| known.next.clone()).unwrap_or_default())
    }

    fn is_busy(&self) -> bool {
        true
    }

    fn log_question(&self, entry: &Submission) -> Result<u64, StoreError> {
        let common = &mut self.shelf().common;
        common.questions += 1;
        let seq = common.questions;
        common.log(&Submission { by: Submitter::Person, seq, ..entry.clone() });
        Ok(seq)
    }

    fn end_question(&self, number: u64, answer: &SubmissionResult) -> Result<(), StoreError> {
        self.shelf().common.complete(Submitter::Person, number, answer);
        Ok(())
    }
}

fn bare(row: RunRow) -> RunRow {
    RunRow { progress: RunProgress { strategy: None, ..row.progress }, ..row }
}
