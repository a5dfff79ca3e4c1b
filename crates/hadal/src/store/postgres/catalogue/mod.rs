//! Queries for listings, exports and the dashboard over the tables.

mod forms;
mod rows;

use super::super::search::SearchWords;
use super::super::*;
use super::connection::ServerConnection;
use super::fault::Fault;
use super::harvest::{harvests, lists};
use super::{PostgresStore, audit, lease, runs, user_changes};
use hadal_core::identity::FormId;

/// Number of rows per page of a list, if a query states none. Guess.
const ROWS_PER_PAGE: usize = 500;

/// The first harvest that may hold rows for a query, with the row after which to continue.
fn next_harvest(
    connection: &ServerConnection,
    query: &HarvestRowQuery,
) -> Result<Option<(HarvestId, Option<u64>)>, Fault> {
    let from = query.after.map_or(HarvestId(0), |after| after.harvest);
    let found = harvests::first_from(connection, &query.harvests(), from)?;
    let row = query.after.and_then(|after| after.row.filter(|_| found == Some(after.harvest)));
    Ok(found.map(|harvest| (harvest, row)))
}

/// Position after all rows of a harvest: before the first row of the next one.
fn after_harvest(
    connection: &ServerConnection,
    query: &HarvestRowQuery,
    harvest: HarvestId,
) -> Result<Option<HarvestRowCursor>, Fault> {
    let next = harvests::first_from(connection, &query.harvests(), HarvestId(harvest.0 + 1))?;
    Ok(next.map(|harvest| HarvestRowCursor { harvest, row: None }))
}

fn queries(
    connection: &ServerConnection,
    query: &HarvestRowQuery,
) -> Result<RowPage<QueryRow, HarvestRowCursor>, Fault> {
    let Some((harvest, row)) = next_harvest(connection, query)? else {
        return Ok(RowPage { rows: Vec::new(), next: None });
    };
    let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
    let last = row.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    let mut rows = lists::queries_after(connection, harvest, last, limit)?;
    let next = match rows.last().filter(|_| rows.len() == limit) {
        Some(last) => Some(HarvestRowCursor { harvest, row: Some(u64::from(last.number)) }),
        None => after_harvest(connection, query, harvest)?,
    };
    if let Some(words) = query.search.as_deref().map(SearchWords::of) {
        rows.retain(|row| words.are_in(&[&row.words]));
    }
    Ok(RowPage { rows, next })
}

fn records(
    connection: &ServerConnection,
    query: &HarvestRowQuery,
) -> Result<RowPage<RecordRow, HarvestRowCursor>, Fault> {
    let Some((harvest, row)) = next_harvest(connection, query)? else {
        return Ok(RowPage { rows: Vec::new(), next: None });
    };
    let limit = query.limit.unwrap_or(lists::RECORDS_PER_PAGE);
    let search = query.search.as_deref().map(SearchWords::of);
    let (rows, end) = lists::records_after(connection, harvest, search.as_ref(), query.since, row, limit)?;
    let next = match end {
        Some(record) => Some(HarvestRowCursor { harvest, row: Some(record.0) }),
        None => after_harvest(connection, query, harvest)?,
    };
    Ok(RowPage { rows, next })
}

fn submissions(
    connection: &ServerConnection,
    query: &SubmissionQuery,
) -> Result<RowPage<Submission, SubmissionCursor>, Fault> {
    let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
    let SubmissionCursor { is_user_query, number } = query.after.unwrap_or_default();
    let rows = audit::after(connection, query, is_user_query, number, limit)?;
    Ok(RowPage::of_log(rows, is_user_query, limit))
}

impl Catalogue for PostgresStore {
    fn runs(&self, query: &RunQuery) -> Result<Vec<RunRow>, StoreError> {
        self.read(|connection| {
            let mut found = runs::rows(connection, query)?;
            let is_open = |run: &RunRow| run.progress.state.is_open();
            if found.iter().any(is_open) {
                let held = lease::held(connection)?;
                let killed =
                    found.iter_mut().filter(|run| is_open(run) && !held.contains(&Activity::Run(run.id)));
                killed.for_each(|run| run.progress.state = RunState::Interrupted);
            }
            Ok(found)
        })
    }

    fn sites(&self, query: &SiteQuery) -> Result<Vec<SiteRow>, StoreError> {
        self.read(|connection| rows::sites(connection, query))
    }

    fn forms(&self, query: &FormQuery) -> Result<RowPage<FormEntry, FormCursor>, StoreError> {
        self.read(|connection| {
            let RowPage { rows, next } = forms::summaries(connection, query, ROWS_PER_PAGE)?;
            Ok(RowPage { rows: forms::entries(connection, &rows, query)?, next })
        })
    }

    fn form_summaries(&self, query: &FormQuery) -> Result<RowPage<FormSummary, FormCursor>, StoreError> {
        self.read(|connection| forms::summaries(connection, query, ROWS_PER_PAGE))
    }

    fn forms_by_prefix(&self, digits: &str, limit: usize) -> Result<Vec<FormId>, StoreError> {
        self.read(|connection| rows::forms_by_prefix(connection, digits, limit))
    }

    fn pages(&self, query: &PageQuery) -> Result<RowPage<PageRow, PageCursor>, StoreError> {
        let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
        let rows = self.read(|connection| rows::pages(connection, query, limit))?;
        Ok(RowPage::numbered(rows, limit, PageCursor))
    }

    fn failures(&self, query: &FailureQuery) -> Result<RowPage<FailureRow, FailureCursor>, StoreError> {
        let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
        let rows = self.read(|connection| rows::failures(connection, query, limit))?;
        Ok(RowPage::numbered(rows, limit, FailureCursor))
    }

    fn submissions(
        &self,
        query: &SubmissionQuery,
    ) -> Result<RowPage<Submission, SubmissionCursor>, StoreError> {
        self.read(|connection| submissions(connection, query))
    }

    fn harvests(&self, query: &HarvestQuery) -> Result<Vec<HarvestRow>, StoreError> {
        self.read(|connection| {
            let mut found = harvests::rows(connection, query)?;
            let is_open = |harvest: &HarvestRow| harvest.progress.state == HarvestState::Running;
            if found.iter().any(is_open) {
                let held = lease::held(connection)?;
                let is_killed =
                    |harvest: &HarvestRow| is_open(harvest) && !held.contains(&Activity::Harvest(harvest.id));
                let killed = found.iter_mut().filter(|harvest| is_killed(harvest));
                killed.for_each(|harvest| harvest.progress.state = HarvestState::Interrupted);
            }
            Ok(found)
        })
    }

    fn queries(&self, query: &HarvestRowQuery) -> Result<RowPage<QueryRow, HarvestRowCursor>, StoreError> {
        self.read(|connection| queries(connection, query))
    }

    fn records(&self, query: &HarvestRowQuery) -> Result<RowPage<RecordRow, HarvestRowCursor>, StoreError> {
        self.read(|connection| records(connection, query))
    }

    fn labels(&self, query: &LabelQuery) -> Result<RowPage<LabelRow, (FormId, String)>, StoreError> {
        let limit = query.limit.unwrap_or(ROWS_PER_PAGE);
        self.read(|connection| user_changes::labels(connection, query, limit))
    }

    fn is_busy(&self) -> bool {
        self.read(lease::held).is_ok_and(|held| !held.is_empty())
    }
}
