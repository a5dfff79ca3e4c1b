//! Harvests in memory, behind the store's one lock, which no walk holds while it tells a row.

use super::super::search::SearchWords;
use super::super::*;
use super::{MemoryHarvest, MemoryState, MemoryStore};
use hadal_core::time::Time;

impl MemoryState {
    fn harvest(&self, id: HarvestId) -> Result<&MemoryHarvest, StoreError> {
        self.harvests.get(&id).ok_or_else(|| no_harvest(id))
    }
}

fn no_harvest(id: HarvestId) -> StoreError {
    StoreError::Failed { path: "memory".into(), detail: format!("there is no harvest {}", id.0) }
}

impl MemoryStore {
    fn passing(&self, filter: &HarvestFilter) -> Vec<HarvestId> {
        let shelf = self.shelf();
        let passing = shelf.harvests.iter().filter(|(id, harvest)| filter.passes(**id, &harvest.spec));
        passing.map(|(&id, _)| id).collect()
    }

    /// What `look` sees in a harvest that may have been discarded meanwhile.
    fn glance<T>(&self, id: HarvestId, look: impl FnOnce(&MemoryHarvest) -> Option<T>) -> Option<T> {
        self.shelf().harvests.get(&id).and_then(look)
    }
}

impl Harvests for MemoryStore {
    fn begin_harvest(&self, spec: &HarvestSpec, now: Time) -> Result<HarvestId, StoreError> {
        let mut shelf = self.shelf();
        if let Some((&id, _)) = shelf.harvests.iter().find(|(_, known)| known.spec.is_same(spec)) {
            return Ok(id);
        }
        shelf.last_harvest += 1;
        let id = HarvestId(shelf.last_harvest);
        shelf.harvests.insert(id, MemoryHarvest::new(spec.clone(), now));
        Ok(id)
    }

    fn discard_harvest(&self, harvest: HarvestId) -> Result<(), StoreError> {
        self.shelf().harvests.remove(&harvest).map(|_| ()).ok_or_else(|| no_harvest(harvest))
    }

    fn resume_harvest(&self, harvest: HarvestId) -> Result<HarvestCheckpoint, StoreError> {
        let shelf = self.shelf();
        Ok(shelf.harvest(harvest)?.checkpoint(harvest, &shelf.common))
    }

    fn log_submission(&self, entry: &Submission) -> Result<(), StoreError> {
        self.shelf().common.log(entry);
        Ok(())
    }

    fn commit_steps(&self, harvest: HarvestId, steps: &[HarvestStep]) -> Result<(), StoreError> {
        let shelf = &mut *self.shelf();
        let target = shelf.harvests.get_mut(&harvest).ok_or_else(|| no_harvest(harvest))?;
        steps.iter().for_each(|step| target.apply(harvest, step, &mut shelf.common));
        Ok(())
    }

    fn note_harvest(&self, harvest: HarvestId, progress: &HarvestProgress) -> Result<(), StoreError> {
        let mut shelf = self.shelf();
        let noted = shelf.harvests.get_mut(&harvest).ok_or_else(|| no_harvest(harvest))?;
        noted.progress = progress.clone();
        Ok(())
    }

    fn harvest_control(&self, harvest: HarvestId) -> Result<Control, StoreError> {
        Ok(self.shelf().harvest(harvest)?.control.clone())
    }

    fn set_harvest_control(&self, harvest: HarvestId, control: &Control) -> Result<(), StoreError> {
        let mut shelf = self.shelf();
        shelf.harvests.get_mut(&harvest).ok_or_else(|| no_harvest(harvest))?.control = control.clone();
        Ok(())
    }

    fn past(
        &self,
        harvest: HarvestId,
        each: &mut dyn FnMut(QueryRow, Vec<AnswerRecord>) -> Walk,
    ) -> Result<(), StoreError> {
        let mut last = None;
        while let Some((row, hits)) = self.glance(harvest, |known| known.answer_after(last)) {
            last = Some(row.number);
            if each(row, hits) == Walk::Stop {
                break;
            }
        }
        Ok(())
    }

    fn harvests(&self, filter: &HarvestFilter) -> Result<Vec<HarvestRow>, StoreError> {
        let passing = self.passing(filter);
        Ok(passing.into_iter().filter_map(|id| self.glance(id, |known| Some(known.row(id)))).collect())
    }

    fn asked(
        &self,
        filter: &HarvestFilter,
        each: &mut dyn FnMut(QueryRow) -> Walk,
    ) -> Result<(), StoreError> {
        let sought = filter.search.as_deref().map(SearchWords::of);
        for id in self.passing(filter) {
            let mut last = filter.last_number(id);
            while let Some(row) = self.glance(id, |known| known.asked_after(last).cloned()) {
                last = Some(row.number);
                let wanted = sought.as_ref().is_none_or(|sought| sought.is_in(&[&row.words]));
                if wanted && each(row) == Walk::Stop {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn records(
        &self,
        filter: &HarvestFilter,
        each: &mut dyn FnMut(RecordRow) -> Walk,
    ) -> Result<(), StoreError> {
        let sought = filter.search.as_deref().map(SearchWords::of);
        for id in self.passing(filter) {
            let mut place = self.glance(id, |known| Some(known.place_after(filter.last_of(id)))).unwrap_or(0);
            while let Some((row, next)) = self.glance(id, |known| known.record_from(place, sought.as_ref())) {
                place = next;
                if each(row) == Walk::Stop {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
