//! Queries for listings, exports and the dashboard over a store in memory. Every call builds and sorts its
//! list.

use super::super::search::SearchWords;
use super::super::*;
use super::run::{MemoryForm, MemoryRun};
use super::{MemoryHarvest, MemoryState, MemoryStore};
use hadal_core::identity::FormId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

impl MemoryState {
    /// Runs that a run and a topic select.
    fn runs_of<'a>(
        &'a self,
        run: Option<RunId>,
        topic: Option<&'a str>,
    ) -> impl DoubleEndedIterator<Item = (RunId, &'a MemoryRun)> {
        let matches = move |(id, known): &(&RunId, &MemoryRun)| {
            run.is_none_or(|run| run == **id) && topic.is_none_or(|topic| topic == known.spec.topic)
        };
        self.runs.iter().filter(matches).map(|(id, known)| (*id, known))
    }

    /// One entry per topic and form: the first find, with the pages of all selected runs.
    fn form_entries(&self, query: &FormQuery) -> Vec<FormEntry> {
        let mut first: BTreeMap<(&str, FormId), (RunId, &MemoryForm, u64)> = BTreeMap::new();
        for (run, known) in self.runs_of(query.run, query.topic.as_deref()) {
            for form in known.forms.values() {
                let key = (form.row.topic.as_str(), form.row.form_id);
                let slot = first.entry(key).or_insert((run, form, 0));
                slot.2 += form.row.also_on;
                if form.found < slot.1.found {
                    (slot.0, slot.1) = (run, form);
                }
            }
        }
        first.into_values().map(|(run, form, also_on)| self.entry(query, run, form, also_on)).collect()
    }

    fn entry(&self, query: &FormQuery, run: RunId, form: &MemoryForm, also_on: u64) -> FormEntry {
        let row = &form.row;
        let label = self.shared.labels.get(&(row.form_id, row.topic.clone())).map(|row| row.label);
        let form_snapshot = row.form_snapshot.clone().filter(|_| query.with_snapshot);
        let check = self.shared.form_checks.get(&row.form_id).cloned();
        let row = FormRow { also_on, form_snapshot, check, ..row.clone() };
        FormEntry { run, found: form.found, row, label }
    }

    /// Harvests that match, in the order of the query.
    fn harvests_of<'a>(&'a self, query: &'a HarvestQuery) -> Vec<(HarvestId, &'a MemoryHarvest)> {
        let is_later = |id: HarvestId| match (query.after, query.order) {
            (None, _) => true,
            (Some(after), RowOrder::Oldest) => id > after,
            (Some(after), RowOrder::Newest) => id < after,
        };
        let matches = |id: HarvestId, spec: &HarvestSpec| {
            query.harvest.is_none_or(|wanted| wanted == id)
                && query.form.is_none_or(|wanted| wanted == spec.form)
                && query.topic.as_ref().is_none_or(|wanted| *wanted == spec.topic)
                && is_later(id)
        };
        let found = self.harvests.iter().filter(|(id, known)| matches(**id, &known.spec));
        let found = found.map(|(id, known)| (*id, known));
        let limit = query.limit.unwrap_or(usize::MAX);
        match query.order {
            RowOrder::Oldest => found.take(limit).collect(),
            RowOrder::Newest => found.rev().take(limit).collect(),
        }
    }

    /// Rows of harvests after the position of a query, found by `find` in one harvest.
    fn harvest_rows<R>(
        &self,
        query: &HarvestRowQuery,
        row_number: impl Fn(&R) -> u64,
        find: impl Fn(&MemoryHarvest, Option<u64>, Option<&SearchWords>, usize) -> Vec<R>,
    ) -> RowPage<R, HarvestRowCursor> {
        let search = query.search.as_deref().map(SearchWords::of);
        let limit = query.limit.unwrap_or(usize::MAX);
        let mut rows = Vec::new();
        let mut next = None;
        for (harvest, known) in self.harvests_of(&query.harvests()) {
            let after = match query.after {
                Some(after) if after.harvest > harvest => continue,
                Some(after) if after.harvest == harvest => after.row,
                _ => None,
            };
            rows.extend(find(known, after, search.as_ref(), limit - rows.len()));
            if rows.len() == limit {
                next = rows.last().map(|row| HarvestRowCursor { harvest, row: Some(row_number(row)) });
                break;
            }
        }
        RowPage { rows, next }
    }
}

impl Catalogue for MemoryStore {
    fn runs(&self, query: &RunQuery) -> Result<Vec<RunRow>, StoreError> {
        let state = self.state();
        let is_later = |id: RunId| match (query.after, query.order) {
            (None, _) => true,
            (Some(after), RowOrder::Oldest) => id > after,
            (Some(after), RowOrder::Newest) => id < after,
        };
        let found = state.runs_of(query.run, query.topic.as_deref()).filter(|(id, _)| is_later(*id));
        let rows = found.map(|(id, run)| run.row(id, query.parts));
        let limit = query.limit.unwrap_or(usize::MAX);
        Ok(match query.order {
            RowOrder::Oldest => rows.take(limit).collect(),
            RowOrder::Newest => rows.rev().take(limit).collect(),
        })
    }

    fn sites(&self, query: &SiteQuery) -> Result<Vec<SiteRow>, StoreError> {
        let state = self.state();
        let matches = |row: &SiteRow| {
            (row.counters.pages > 0 || row.counters.closed)
                && row.best >= query.min_relevance
                && query.site.as_ref().is_none_or(|site| *site == row.site)
        };
        let runs = state.runs_of(query.run, query.topic.as_deref());
        let mut rows: Vec<SiteRow> = runs.flat_map(|(_, run)| site_rows(run)).filter(matches).collect();
        rows.sort_by_cached_key(|row| {
            let yielded = (row.counters.relevant, row.counters.searchable, row.counters.pages);
            (Reverse(yielded), row.site.clone(), row.topic.clone())
        });
        rows.truncate(query.limit.unwrap_or(usize::MAX));
        Ok(rows)
    }

    fn forms(&self, query: &FormQuery) -> Result<RowPage<FormEntry, FormCursor>, StoreError> {
        let mut rows = self.state().form_entries(query);
        rows.retain(|entry| query.matches(&FormSummary::of(entry)));
        let is_later =
            |place: &FormCursor| query.after.as_ref().is_none_or(|after| after.order(place).is_lt());
        rows.retain(|entry| is_later(&FormCursor::of(&entry.row)));
        rows.sort_by(|a, b| FormCursor::of(&a.row).order(&FormCursor::of(&b.row)));
        let limit = query.limit.unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|entry| FormCursor::of(&entry.row));
        Ok(RowPage { rows, next })
    }

    fn form_summaries(&self, query: &FormQuery) -> Result<RowPage<FormSummary, FormCursor>, StoreError> {
        let RowPage { rows, next } = self.forms(query)?;
        Ok(RowPage { rows: rows.iter().map(FormSummary::of).collect(), next })
    }

    fn forms_by_prefix(&self, digits: &str, limit: usize) -> Result<Vec<FormId>, StoreError> {
        let state = self.state();
        let found = state.runs.values().flat_map(|run| run.forms.keys().copied());
        let harvested = state.harvests.values().map(|harvest| harvest.spec.form);
        let ids: BTreeSet<FormId> = found.chain(harvested).collect();
        Ok(ids.into_iter().filter(|id| id.to_string().starts_with(digits)).take(limit).collect())
    }

    fn pages(&self, query: &PageQuery) -> Result<RowPage<PageRow, PageCursor>, StoreError> {
        let state = self.state();
        let pages = state.runs.get(&query.run).map_or(&[][..], |run| &run.pages);
        let limit = query.limit.unwrap_or(usize::MAX);
        // A cursor holds the number of the last page read, counted from 1.
        let (first, last) = match (query.order, query.after) {
            (RowOrder::Oldest, after) => (after.map_or(0, |after| after.0 as usize), pages.len()),
            (RowOrder::Newest, after) => (0, after.map_or(pages.len(), |after| after.0 as usize - 1)),
        };
        let numbered = pages.iter().enumerate().take(last).skip(first);
        let found: Vec<(usize, &PageRow)> = match query.order {
            RowOrder::Oldest => numbered.take(limit).collect(),
            RowOrder::Newest => numbered.rev().take(limit).collect(),
        };
        let next = found.last().filter(|_| found.len() == limit).map(|(at, _)| PageCursor(*at as u64 + 1));
        Ok(RowPage { rows: found.into_iter().map(|(_, page)| page.clone()).collect(), next })
    }

    fn failures(&self, query: &FailureQuery) -> Result<RowPage<FailureRow, FailureCursor>, StoreError> {
        let state = self.state();
        let is_wanted = |row: &&FailureRow| query.hosts.is_empty() || query.hosts.contains(&row.host);
        let found = state.runs_of(query.run, None).flat_map(|(_, run)| &run.failures).filter(is_wanted);
        // A cursor holds the number of rows read.
        let read = query.after.map_or(0, |after| after.0 as usize);
        let limit = query.limit.unwrap_or(usize::MAX);
        let rows: Vec<FailureRow> = found.skip(read).take(limit).cloned().collect();
        let next = (rows.len() == limit).then_some(FailureCursor((read + rows.len()) as u64));
        Ok(RowPage { rows, next })
    }

    fn submissions(
        &self,
        query: &SubmissionQuery,
    ) -> Result<RowPage<Submission, SubmissionCursor>, StoreError> {
        let matches = |entry: &&Submission| {
            query.run.is_none_or(|run| entry.by == Submitter::Run(run))
                && query.harvest.is_none_or(|harvest| entry.by == Submitter::Harvest(harvest))
                && query.topic.as_ref().is_none_or(|topic| *topic == entry.topic)
        };
        let state = self.state();
        let mut rows: Vec<Submission> = state.shared.submissions.iter().filter(matches).cloned().collect();
        rows.sort_by_key(|entry| entry.by == Submitter::Person);
        let read = query.after.map_or(0, |after| after.number as usize).min(rows.len());
        rows.drain(..read);
        let limit = query.limit.unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next =
            more.then_some(SubmissionCursor { is_user_query: false, number: (read + rows.len()) as i64 });
        Ok(RowPage { rows, next })
    }

    fn harvests(&self, query: &HarvestQuery) -> Result<Vec<HarvestRow>, StoreError> {
        let state = self.state();
        let found = state.harvests_of(query);
        Ok(found.into_iter().map(|(id, harvest)| harvest.row(id, query.curve)).collect())
    }

    fn queries(&self, query: &HarvestRowQuery) -> Result<RowPage<QueryRow, HarvestRowCursor>, StoreError> {
        Ok(self.state().harvest_rows(query, |row| u64::from(row.number), MemoryHarvest::find_queries))
    }

    fn records(&self, query: &HarvestRowQuery) -> Result<RowPage<RecordRow, HarvestRowCursor>, StoreError> {
        let mut page =
            self.state().harvest_rows(query, |row: &RecordRow| row.record.id.0, MemoryHarvest::find_records);
        page.rows.retain(|row| query.since.is_none_or(|since| row.modified_at() >= since));
        Ok(page)
    }

    fn labels(&self, query: &LabelQuery) -> Result<RowPage<LabelRow, (FormId, String)>, StoreError> {
        let state = self.state();
        let is_later = |row: &&LabelRow| {
            query.after.as_ref().is_none_or(|(form, topic)| (row.form, &row.topic) > (*form, topic))
        };
        let limit = query.limit.unwrap_or(usize::MAX);
        let rows: Vec<LabelRow> =
            state.shared.labels.values().filter(is_later).take(limit).cloned().collect();
        Ok(RowPage::of(rows, limit, |row| (row.form, row.topic.clone())))
    }

    fn is_busy(&self) -> bool {
        true
    }
}

fn site_rows(run: &MemoryRun) -> impl Iterator<Item = SiteRow> {
    run.sites.iter().map(|(site, stored)| SiteRow {
        site: site.clone(),
        topic: run.spec.topic.clone(),
        counters: stored.counters,
        best: stored.best,
    })
}
