//! Harvests in their tables. Walks read in chunks, as everywhere in this store.

pub mod books;
mod queries;
pub mod records;
mod steps;
mod words;

pub use words::{index_all as index_all_words, index_milestones};

use super::super::search::SearchWords;
use super::super::*;
use super::control;
use super::reports::CHUNK;
use super::{SqliteStore, hand_out, submissions};
use hadal_core::time::Time;

impl SqliteStore {
    fn refuse_unknown_harvest(&self, harvest: HarvestId) -> Result<(), StoreError> {
        let detail = format!("there is no harvest {}", harvest.0);
        let known = self.with(|db| books::exists(db, harvest))?;
        if known { Ok(()) } else { Err(StoreError::Failed { path: self.folder.clone(), detail }) }
    }
}

impl Harvests for SqliteStore {
    fn begin_harvest(&self, spec: &HarvestSpec, now: Time) -> Result<HarvestId, StoreError> {
        let harvest = self.writing(|db| books::begin(db, spec, now))?;
        self.sync()?;
        Ok(harvest)
    }

    fn discard_harvest(&self, harvest: HarvestId) -> Result<(), StoreError> {
        self.refuse_unknown_harvest(harvest)?;
        self.writing(|db| books::discard(db, harvest))?;
        self.sync()?;
        control::forget(&self.folder, Activity::Harvest(harvest))
    }

    fn resume_harvest(&self, harvest: HarvestId) -> Result<HarvestCheckpoint, StoreError> {
        self.refuse_unknown_harvest(harvest)?;
        self.reading(|db| books::checkpoint(db, harvest))
    }

    fn log_submission(&self, entry: &Submission) -> Result<(), StoreError> {
        self.writing(|db| submissions::log(db, entry))?;
        self.sync()
    }

    fn commit_steps(&self, harvest: HarvestId, steps: &[HarvestStep]) -> Result<(), StoreError> {
        self.refuse_unknown_harvest(harvest)?;
        self.writing(|db| steps::apply(db, harvest, steps))
    }

    fn note_harvest(&self, harvest: HarvestId, progress: &HarvestProgress) -> Result<(), StoreError> {
        self.refuse_unknown_harvest(harvest)?;
        self.writing(|db| books::note(db, harvest, progress))
    }

    fn harvest_control(&self, harvest: HarvestId) -> Result<Control, StoreError> {
        control::get(&self.folder, Activity::Harvest(harvest))
    }

    fn set_harvest_control(&self, harvest: HarvestId, control: &Control) -> Result<(), StoreError> {
        self.refuse_unknown_harvest(harvest)?;
        control::set(&self.folder, Activity::Harvest(harvest), control)
    }

    fn past(
        &self,
        harvest: HarvestId,
        each: &mut dyn FnMut(QueryRow, Vec<AnswerRecord>) -> Walk,
    ) -> Result<(), StoreError> {
        let mut last = None;
        while let Some((row, hits)) = self.reading(|db| queries::answer_after(db, harvest, last))? {
            last = Some(row.number);
            if each(row, hits) == Walk::Stop {
                break;
            }
        }
        Ok(())
    }

    fn harvests(&self, filter: &HarvestFilter) -> Result<Vec<HarvestRow>, StoreError> {
        self.reading(|db| books::rows(db, filter))
    }

    fn asked(
        &self,
        filter: &HarvestFilter,
        each: &mut dyn FnMut(QueryRow) -> Walk,
    ) -> Result<(), StoreError> {
        let sought = filter.search.as_deref().map(SearchWords::of);
        let chunk = filter.chunk(CHUNK) as i64;
        let wanted = |row: &QueryRow| sought.as_ref().is_none_or(|sought| sought.is_in(&[&row.words]));
        for harvest in self.with(|db| books::passing(db, filter))? {
            let mut last = filter.last_number(harvest);
            loop {
                let mut rows = self.with(|db| queries::after(db, harvest, last, chunk))?;
                let Some(end) = rows.last() else { break };
                last = Some(end.number);
                rows.retain(wanted);
                if hand_out(rows, each) == Walk::Stop {
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
        let chunk = filter.chunk(records::CHUNK);
        for harvest in self.with(|db| books::passing(db, filter))? {
            let mut last = self.with(|db| records::number_of(db, harvest, filter.last_of(harvest)))?;
            loop {
                let (rows, end) =
                    self.with(|db| records::after(db, harvest, sought.as_ref(), last, chunk))?;
                if hand_out(rows, each) == Walk::Stop {
                    return Ok(());
                }
                let Some(end) = end else { break };
                last = end;
            }
        }
        Ok(())
    }
}
