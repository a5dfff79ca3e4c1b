//! Queries for listings, exports and the dashboard over the tables.

pub mod curves;
mod forms;
pub mod rows;

use super::super::search::SearchWords;
use super::super::*;
use super::harvest::{harvests, queries, records};
use super::lock::CrawlLock;
use super::{ROWS_PER_PAGE, SqliteStore};
use hadal_core::identity::FormId;

impl SqliteStore {
    /// Adds the labels to forms.
    fn add_labels(&self, forms: &mut [FormSummary]) -> Result<(), StoreError> {
        let keys: Vec<(FormId, &str)> =
            forms.iter().map(|form| (form.place.form, form.place.topic.as_str())).collect();
        let labels = self.annotations.labels_of(&keys)?;
        forms.iter_mut().zip(labels).for_each(|(form, label)| form.label = label);
        Ok(())
    }

    /// Identities to which a query is limited; `None` for no limit.
    fn wanted_ids(&self, query: &FormQuery) -> Result<Option<Vec<FormId>>, StoreError> {
        let named = Some(query.ids.clone()).filter(|ids| !ids.is_empty());
        let LabelFilter::Only(label) = query.labels else { return Ok(named) };
        let labelled = self.annotations.labelled(label)?;
        Ok(Some(match named {
            Some(ids) => ids.into_iter().filter(|id| labelled.contains(id)).collect(),
            None => labelled,
        }))
    }

    /// The first harvest that may hold rows for a query, with the row after which to continue.
    fn next_harvest(&self, query: &HarvestRowQuery) -> Result<Option<(HarvestId, Option<u64>)>, StoreError> {
        let from = query.after.map_or(HarvestId(0), |after| after.harvest);
        let found = self.with(|db| harvests::first_from(db, &query.harvests(), from))?;
        let row = query.after.and_then(|after| after.row.filter(|_| found == Some(after.harvest)));
        Ok(found.map(|harvest| (harvest, row)))
    }

    /// Position after all rows of a harvest: before the first row of the next one.
    fn after_harvest(
        &self,
        query: &HarvestRowQuery,
        harvest: HarvestId,
    ) -> Result<Option<HarvestRowCursor>, StoreError> {
        let next = self.with(|db| harvests::first_from(db, &query.harvests(), HarvestId(harvest.0 + 1)))?;
        Ok(next.map(|harvest| HarvestRowCursor { harvest, row: None }))
    }
}

impl Catalogue for SqliteStore {
    fn runs(&self, query: &RunQuery) -> Result<Vec<RunRow>, StoreError> {
        let mut runs = self.reading(|db| rows::runs(db, query))?;
        let is_open = |run: &RunRow| run.progress.state.is_open();
        if runs.iter().any(is_open) && !self.is_busy() {
            let killed = runs.iter_mut().filter(|run| is_open(run));
            killed.for_each(|run| run.progress.state = RunState::Interrupted);
        }
        Ok(runs)
    }

    fn sites(&self, query: &SiteQuery) -> Result<Vec<SiteRow>, StoreError> {
        self.with(|db| rows::sites(db, query))
    }

    fn forms(&self, query: &FormQuery) -> Result<RowPage<FormEntry, FormCursor>, StoreError> {
        let RowPage { rows, next } = self.form_summaries(query)?;
        let entries = self.reading(|db| {
            let entry = |form: &FormSummary| forms::entry(db, form, query);
            rows.iter().map(entry).filter_map(Result::transpose).collect()
        })?;
        Ok(RowPage { rows: entries, next })
    }

    fn form_summaries(&self, query: &FormQuery) -> Result<RowPage<FormSummary, FormCursor>, StoreError> {
        let ids = self.wanted_ids(query)?;
        let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
        let mut page = RowPage { rows: Vec::new(), next: query.after.clone() };
        let mut left = MAX_SCANNED_FORMS;
        loop {
            // One form more than wanted shows whether there is a next page.
            let most = (limit.saturating_sub(page.rows.len()).saturating_add(1), left);
            let place = page.next.as_ref();
            let scan = self.with(|db| forms::scan(db, query, place, ids.as_deref(), most))?;
            let mut found = scan.forms;
            self.add_labels(&mut found)?;
            for form in found.into_iter().filter(|form| query.labels.matches(form.label)) {
                if page.rows.len() == limit {
                    return Ok(page);
                }
                page.next = Some(form.place.clone());
                page.rows.push(form);
            }
            left -= scan.examined;
            page.next = scan.end;
            if page.next.is_none() || left == 0 {
                return Ok(page);
            }
        }
    }

    fn forms_by_prefix(&self, digits: &str, limit: usize) -> Result<Vec<FormId>, StoreError> {
        self.with(|db| rows::forms_by_prefix(db, digits, limit))
    }

    fn pages(&self, query: &PageQuery) -> Result<RowPage<PageRow, PageCursor>, StoreError> {
        let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
        let rows = self.with(|db| rows::pages(db, query, limit))?;
        Ok(RowPage::numbered(rows, limit, PageCursor))
    }

    fn failures(&self, query: &FailureQuery) -> Result<RowPage<FailureRow, FailureCursor>, StoreError> {
        let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
        let rows = self.with(|db| rows::failures(db, query, limit))?;
        Ok(RowPage::numbered(rows, limit, FailureCursor))
    }

    fn submissions(
        &self,
        query: &SubmissionQuery,
    ) -> Result<RowPage<Submission, SubmissionCursor>, StoreError> {
        let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
        let SubmissionCursor { is_user_query, number } = query.after.unwrap_or_default();
        let rows = match is_user_query {
            false => self.with(|db| super::submissions::after(db, query, number, limit))?,
            true => self.annotations.questions_after(query, number, limit)?,
        };
        Ok(RowPage::of_log(rows, is_user_query, limit))
    }

    fn harvests(&self, query: &HarvestQuery) -> Result<Vec<HarvestRow>, StoreError> {
        let mut harvests = self.reading(|db| harvests::rows(db, query))?;
        let is_open = |harvest: &HarvestRow| harvest.progress.state == HarvestState::Running;
        if harvests.iter().any(is_open) && !self.is_busy() {
            let killed = harvests.iter_mut().filter(|harvest| is_open(harvest));
            killed.for_each(|harvest| harvest.progress.state = HarvestState::Interrupted);
        }
        Ok(harvests)
    }

    fn queries(&self, query: &HarvestRowQuery) -> Result<RowPage<QueryRow, HarvestRowCursor>, StoreError> {
        let Some((harvest, row)) = self.next_harvest(query)? else {
            return Ok(RowPage { rows: Vec::new(), next: None });
        };
        let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
        let last = row.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let mut rows = self.with(|db| queries::after(db, harvest, last, limit))?;
        let next = match rows.last().filter(|_| rows.len() == limit) {
            Some(last) => Some(HarvestRowCursor { harvest, row: Some(u64::from(last.number)) }),
            None => self.after_harvest(query, harvest)?,
        };
        if let Some(words) = query.search.as_deref().map(SearchWords::of) {
            rows.retain(|row| words.are_in(&[&row.words]));
        }
        Ok(RowPage { rows, next })
    }

    fn records(&self, query: &HarvestRowQuery) -> Result<RowPage<RecordRow, HarvestRowCursor>, StoreError> {
        let Some((harvest, row)) = self.next_harvest(query)? else {
            return Ok(RowPage { rows: Vec::new(), next: None });
        };
        let limit = query.limit.unwrap_or(records::ROWS_PER_PAGE);
        let search = query.search.as_deref().map(SearchWords::of);
        let (rows, end) =
            self.reading(|db| records::after(db, harvest, search.as_ref(), query.since, row, limit))?;
        let next = match end {
            Some(record) => Some(HarvestRowCursor { harvest, row: Some(record.0) }),
            None => self.after_harvest(query, harvest)?,
        };
        Ok(RowPage { rows, next })
    }

    fn labels(&self, query: &LabelQuery) -> Result<RowPage<LabelRow, (FormId, String)>, StoreError> {
        let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
        let after = query.after.as_ref().map(|(form, topic)| (*form, topic.as_str()));
        let rows = self.annotations.labels(after, limit)?;
        Ok(RowPage::of(rows, limit, |row| (row.form, row.topic.clone())))
    }

    fn is_busy(&self) -> bool {
        CrawlLock::is_taken(&self.folder)
    }
}
