//! Update of the records of one harvest.

use super::super::HarvestJob;
use super::super::run::{HarvestRun, failure, parse_response};
use super::{CheckedForm, HarvestRefresh, RefreshEvent, check_form, checked_event, days};
use crate::polite::{Clock, NotSent, PoliteClient};
use crate::store::*;
use hadal_core::address::Site;
use hadal_core::harvest::answer::AnswerKind;
use hadal_core::harvest::policy::ReadingEnd;
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::RecordId;
use hadal_core::harvest::refresh::compare::{KnownRecords, RecordDifference, is_gone, missing_records};
use hadal_core::harvest::refresh::{ChangeRate, KnownQuery, RefreshPolicy};
use hadal_core::harvest::session::{
    EntryPage, FinishedQuery, HarvestSession, HarvestUpdate, ParsedResponse, RequestPurpose,
};
use hadal_core::html;
use hadal_core::http::Request;
use hadal_core::time::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};
use url::Url;

/// Refresh of one harvest: its queries are sent again.
pub struct HarvestUpdater<'a> {
    run: HarvestRun<'a>,
    /// Queries of the harvest, without continuations.
    queries: FxHashMap<Query, QueryRow>,
    records: FxHashMap<RecordId, RecordState>,
    known: KnownRecords,
    forecast: Vec<(f64, u32)>,
    /// Records that this refresh has seen.
    seen: FxHashSet<RecordId>,
    /// Findings of the current query.
    found: QueryFindings,
    /// The current query with the records read so far, while its answer is read.
    open: Option<(Query, Vec<RecordId>)>,
    /// Records with another text that may be an excerpt for the query.
    undecided: Vec<hadal_core::harvest::record::Record>,
    counters: RefreshCounters,
    total: ChangeRate,
    /// Rate of change of all forms.
    prior: f64,
}

/// Last known state of a record.
struct RecordState {
    seen_at: Time,
    is_removed: bool,
    url: Option<Url>,
    title: String,
}

#[derive(Default)]
struct QueryFindings {
    changes: Vec<RecordChange>,
    new: Vec<RecordRow>,
    record_days: f64,
}

/// Records of a harvest for the comparison with answers, and their last known states.
fn read_records(
    store: &dyn Store,
    harvest: HarvestId,
) -> Result<(KnownRecords, FxHashMap<RecordId, RecordState>), StoreError> {
    let (mut known, mut records) = (KnownRecords::default(), FxHashMap::default());
    for row in all_records(store, HarvestRowQuery::of(harvest)) {
        let row = row?;
        known.add(&row.record, row.query_number);
        let (seen_at, is_removed) = (row.seen_at(), row.dates.removed.is_some());
        let (url, title) = (row.record.url, row.record.title);
        records.insert(row.record.id, RecordState { seen_at, is_removed, url, title });
    }
    Ok((known, records))
}

/// Days since each record was seen, without removed records.
fn ages(records: &FxHashMap<RecordId, RecordState>, now: Time) -> FxHashMap<RecordId, f64> {
    let present = records.iter().filter(|(_, record)| !record.is_removed);
    present.map(|(id, record)| (*id, days(record.seen_at, now))).collect()
}

impl<'a> HarvestUpdater<'a> {
    /// Reads the queries and records of a harvest. An interrupted refresh is continued. `prior` is the rate of change
    /// of all forms.
    pub fn open(
        job: &'a HarvestJob,
        id: HarvestId,
        store: &'a dyn Store,
        clock: Clock,
        prior: f64,
    ) -> Result<HarvestUpdater<'a>, StoreError> {
        let HarvestCheckpoint { row, next_seq, reader, .. } = store.resume_harvest(id)?;
        let now = clock.now();
        let counters = row.refresh.filter(|refresh| refresh.ended.is_none());
        let counters = counters.unwrap_or(RefreshCounters { began: now, ..RefreshCounters::default() });
        let (known, records) = read_records(store, id)?;
        let (queries, known_queries) = known_queries(store, id)?;
        let mut total = ChangeRate::default();
        known_queries.iter().for_each(|query| total.add(query.history));
        let policy = RefreshPolicy::new(known_queries, ages(&records, now), prior);
        let forecast = policy.forecast();
        let entry_page = EntryPage::new(row.spec.form_snapshot.clone(), row.spec.page.clone(), &job.charset);
        let mut session = HarvestSession::new(entry_page, Box::new(policy), job.options.clone()).refreshing();
        if let Some(reader) = reader {
            session.restore(&reader);
        }
        let run = HarvestRun {
            job,
            id,
            store,
            session,
            clock,
            next_seq,
            spent: 0,
            query_requests: 0,
            began: Instant::now(),
            elapsed_before: row.progress.elapsed_ms,
            last_response: None,
        };
        Ok(HarvestUpdater {
            run,
            queries,
            records,
            known,
            forecast,
            seen: FxHashSet::default(),
            found: QueryFindings::default(),
            open: None,
            undecided: Vec::new(),
            counters,
            total,
            prior,
        })
    }

    /// Expected changes per request of the queries, best first, each with its requests.
    pub fn forecast(&self) -> Vec<(f64, u32)> {
        self.forecast.clone()
    }

    /// Requests that the last answers to all queries took.
    pub fn known_requests(&self) -> u64 {
        self.queries.values().map(|row| u64::from(row.requests)).sum()
    }

    /// Requests of this refresh in earlier sessions.
    pub fn spent_before(&self) -> u64 {
        self.counters.requests
    }

    /// Checks the form, then sends queries until none is worth it or the share of requests is spent. Returns the
    /// result, the check, and true if the session was stopped.
    pub async fn run(
        mut self,
        client: &PoliteClient,
        share: u64,
        emit: &mut (dyn FnMut(RefreshEvent) + Send),
    ) -> Result<(HarvestRefresh, Option<FormCheck>, bool), StoreError> {
        let target = self.target()?;
        if share == 0 && is_recent(target.earlier.as_ref(), self.run.clock.now()) {
            let refreshed = self.close(target.earlier.map(|check| check.state), false)?;
            return Ok((refreshed, None, false));
        }
        let (check, mut is_stopped) = self.check(&target, client, emit).await?;
        let is_there =
            check.as_ref().is_some_and(|check| matches!(check.state, FormState::Alive | FormState::Moved));
        let limit = self.counters.requests + share;
        let mut is_spent = false;
        while is_there && !is_stopped {
            let left = limit.saturating_sub(self.counters.requests);
            let Some((request, purpose)) = self.run.session.next_request().filter(|_| left > 0) else {
                break;
            };
            match self.ask(client, &request, purpose, left).await? {
                Ok(Some(query)) => {
                    emit(RefreshEvent::Compared { harvest: self.run.id.0, query, counters: self.counters })
                }
                Ok(None) => {}
                Err(NotSent::Stopped) => is_stopped = true,
                Err(NotSent::BudgetSpent) => is_spent = true,
                Err(_) => break,
            }
            if is_spent {
                break;
            }
        }
        self.finish_open()?;
        let refreshed = self.close(check.as_ref().map(|check| check.state), is_stopped)?;
        Ok((refreshed, check, is_stopped))
    }

    fn target(&self) -> Result<CheckedForm, StoreError> {
        let HarvestSpec { form, page, form_snapshot, .. } = &self.run.job.spec;
        let earlier = self.run.store.resume_harvest(self.run.id)?.form_check;
        Ok(CheckedForm { form: *form, page: page.clone(), source: form_snapshot.source, earlier })
    }

    /// Fetches the page of the form. The session starts from it.
    async fn check(
        &mut self,
        target: &CheckedForm,
        client: &PoliteClient,
        emit: &mut (dyn FnMut(RefreshEvent) + Send),
    ) -> Result<(Option<FormCheck>, bool), StoreError> {
        let outcome = check_form(target, client, &mut self.run.clock).await;
        self.counters.requests += u64::from(outcome.cost.0);
        let mut step = self.step(outcome.cost.0, outcome.cost.1);
        step.pages = u32::from(outcome.document.is_some());
        self.run.store.commit_harvest(self.run.id, &step.into())?;
        if let Some(check) = &outcome.check {
            self.run.store.save_form_checks(std::slice::from_ref(check))?;
            emit(checked_event(target, check));
        }
        self.run.session.next_request();
        let document = outcome.document;
        self.run.session.receive(ParsedResponse { status: 200, document, ..ParsedResponse::default() });
        Ok((outcome.check, outcome.not_sent == Some(NotSent::Stopped)))
    }

    /// Sends one request of the session. Returns the query in readable form if it is finished.
    async fn ask(
        &mut self,
        client: &PoliteClient,
        request: &Request,
        purpose: RequestPurpose,
        left: u64,
    ) -> Result<Result<Option<String>, NotSent>, StoreError> {
        if self.run.wait_for_control(client).await?.is_err() {
            return Ok(Err(NotSent::Stopped));
        }
        self.run.log_submission(request, purpose)?;
        let sent = self.run.send(client, request, purpose, None).await?;
        self.counters.requests += u64::from(sent.requests);
        self.run.query_requests += sent.requests;
        let mut step = self.step(sent.requests, sent.bytes);
        step.submission = purpose.submits().then(|| SubmissionResult::from(&sent));
        let response = match sent.result {
            Ok(exchange) => {
                step.failed = failure(&exchange);
                parse_response(request.url.clone(), exchange).await
            }
            Err(reason @ (NotSent::Stopped | NotSent::BudgetSpent)) => {
                self.run.store.commit_harvest(self.run.id, &step.into())?;
                return Ok(Err(reason));
            }
            Err(_) => ParsedResponse::default(),
        };
        step.pages = u32::from(response.document.is_some() || response.data.is_some());
        let update = self.run.session.receive(response);
        let wait = update.wait;
        step.reader = update.needs_save.then(|| self.run.session.save());
        let finished = self.compare(update, step.at);
        let Some(finished) = finished else {
            self.run.store.commit_harvest(self.run.id, &step.into())?;
            self.wait(client, wait).await;
            return Ok(Ok(None));
        };
        // The step is stored before records are looked up, because it completes the entry of the audit log.
        self.run.store.commit_harvest(self.run.id, &step.into())?;
        self.find_removed(&finished, client, left).await?;
        let query = self.finish(&finished)?;
        self.wait(client, wait).await;
        Ok(Ok(query))
    }

    /// Waits as the site asked.
    async fn wait(&mut self, client: &PoliteClient, time: Option<Duration>) {
        if let Some(time) = time {
            self.run.wait(client, time).await;
        }
    }

    fn step(&mut self, requests: u32, bytes: u64) -> HarvestStep {
        let (seq, at) = (self.run.next_seq, self.run.clock.now());
        self.run.next_seq += 1;
        HarvestStep { seq, at, requests, bytes, refresh: Some(self.counters), ..HarvestStep::default() }
    }

    /// Compares the records of one response with the known ones. Returns the query if it is finished.
    fn compare(&mut self, update: HarvestUpdate, at: Time) -> Option<FinishedQuery> {
        let sent = update.query.as_ref().or(update.finished.as_ref().map(|finished| &finished.query));
        if let Some(query) = sent {
            let read = self.open.take().filter(|(open, _)| open == query).map(|(_, read)| read);
            let records = update.records.iter().map(|(record, _)| record.id);
            let read = read.into_iter().flatten().chain(records).collect();
            self.open = update.finished.is_none().then(|| (query.clone(), read));
        }
        let row = sent.and_then(|query| self.queries.get(&query.after(0)));
        let (number, words) = row.map_or((0, String::new()), |row| (row.number, row.words.clone()));
        for (record, position) in update.records {
            let difference = self.known.compare(record, number);
            let id = match &difference {
                RecordDifference::Same(id) => *id,
                RecordDifference::New(record)
                | RecordDifference::Changed(record)
                | RecordDifference::MaybeChanged(record) => record.id,
            };
            self.seen.insert(id);
            let state = self.records.get(&id);
            self.found.record_days += state.map_or(0.0, |state| days(state.seen_at, at));
            match difference {
                RecordDifference::Same(id) => self.found.changes.push(RecordChange::Seen(id)),
                RecordDifference::Changed(record) => self.found.changes.push(RecordChange::Changed(record)),
                RecordDifference::MaybeChanged(record) => self.undecided.push(record),
                RecordDifference::New(record) => {
                    self.found.new.push(self.run.record_row((number, &words), record, position, at));
                }
            }
        }
        update.finished
    }

    /// Looks up records that the answer no longer holds by their own pages. Records without a page are gone if the
    /// answer was read to its end.
    async fn find_removed(
        &mut self,
        finished: &FinishedQuery,
        client: &PoliteClient,
        left: u64,
    ) -> Result<(), StoreError> {
        let Some(row) = self.queries.get(&finished.query.after(0)) else { return Ok(()) };
        let is_complete = finished.end == ReadingEnd::LastPage;
        if finished.end == ReadingEnd::Failed {
            return Ok(());
        }
        let missing = missing_records(&row.hits, &finished.hits, is_complete);
        let (site, before) = (Site::of(&self.run.job.spec.page), self.counters.requests);
        for id in missing {
            let Some(state) = self.records.get(&id) else { continue };
            if self.seen.contains(&id) || state.is_removed {
                continue;
            }
            let (title, age) = (state.title.clone(), days(state.seen_at, self.run.clock.now()));
            let gone = match state.url.clone().filter(|url| Site::of(url) == site) {
                None => Some(is_complete),
                Some(_) if self.counters.requests - before >= left => return Ok(()),
                Some(url) => self.look_up(&url, &title, client).await?,
            };
            if let Some(gone) = gone {
                self.seen.insert(id);
                self.found.record_days += age;
                let change = if gone { RecordChange::Removed(id) } else { RecordChange::Seen(id) };
                self.found.changes.push(change);
            }
        }
        Ok(())
    }

    /// Fetches the page of a record. Returns true if the record is gone, `None` if that is unknown.
    async fn look_up(
        &mut self,
        url: &Url,
        title: &str,
        client: &PoliteClient,
    ) -> Result<Option<bool>, StoreError> {
        let sent = client.send(&Request::get(url.clone()), &mut self.run.clock).await;
        self.counters.requests += u64::from(sent.requests);
        let step = self.step(sent.requests, sent.bytes);
        self.run.store.commit_harvest(self.run.id, &step.into())?;
        let response = sent.result.ok().and_then(|exchange| exchange.result.ok());
        Ok(response.and_then(|response| {
            // A redirect leads away from the record, to a list or a notice.
            let status = if (300..400).contains(&response.status) { 404 } else { response.status };
            let page = html::parse(&response.body, response.headers.get("content-type"), url);
            let text = format!("{} {}", page.title, page.text);
            is_gone(status, title, Some(&text))
        }))
    }

    /// Stores the findings of a finished query.
    fn finish(&mut self, finished: &FinishedQuery) -> Result<Option<String>, StoreError> {
        if !self.undecided.is_empty() && !self.known.depend_on_query() {
            let changed = std::mem::take(&mut self.undecided);
            self.found.changes.extend(changed.into_iter().map(RecordChange::Changed));
        }
        let found = std::mem::take(&mut self.found);
        let count =
            |wanted: fn(&RecordChange) -> bool| found.changes.iter().filter(|c| wanted(c)).count() as u64;
        let changed = count(|change| matches!(change, RecordChange::Changed(_)));
        let removed = count(|change| matches!(change, RecordChange::Removed(_)));
        let changes = found.new.len() as u64 + changed + removed;
        self.counters.new += found.new.len() as u64;
        self.counters.changed += changed;
        self.counters.removed += removed;
        self.total.add(ChangeRate { changes: changes as f64, record_days: found.record_days });
        let requests = std::mem::take(&mut self.run.query_requests);
        let query_row = self.updated_row(finished, requests, &found, changes as u32);
        let words = query_row.as_ref().map(|row| row.words.clone());
        let mut step = self.step(0, 0);
        (step.records, step.changes, step.finished_query) = (found.new, found.changes, query_row);
        self.run.store.commit_harvest(self.run.id, &step.into())?;
        self.run.store.sync()?;
        Ok(words)
    }

    /// Stores the findings of an answer with a next page beyond the budget.
    fn finish_open(&mut self) -> Result<(), StoreError> {
        let Some((query, hits)) = self.open.take() else { return Ok(()) };
        let finished = FinishedQuery {
            number: 0,
            query,
            total: None,
            kind: AnswerKind::Results,
            hits,
            new: 0,
            pages: 0,
            end: ReadingEnd::Paused,
            next: None,
        };
        self.finish(&finished).map(|_| ())
    }

    /// Row of a query with its new answer. The part of the old answer that was not read again is kept.
    fn updated_row(
        &mut self,
        finished: &FinishedQuery,
        requests: u32,
        found: &QueryFindings,
        changes: u32,
    ) -> Option<QueryRow> {
        let at = self.run.clock.now();
        let row = self.queries.get_mut(&finished.query.after(0))?;
        if finished.end != ReadingEnd::Failed {
            let is_complete = finished.end == ReadingEnd::LastPage;
            let read: FxHashSet<RecordId> = finished.hits.iter().copied().collect();
            let rest = row.hits.iter().skip(finished.hits.len()).filter(|hit| !read.contains(hit));
            let rest: Vec<RecordId> = rest.filter(|_| !is_complete).copied().collect();
            row.hits = finished.hits.iter().copied().chain(rest).collect();
            row.found = row.hits.len() as u32;
            row.total = finished.total.or(row.total);
            if is_complete {
                (row.pages, row.requests) = (finished.pages, requests.max(1));
                (row.end, row.next) = (finished.end, None);
            }
        }
        (row.at, row.new) = (at, found.new.len() as u32);
        row.rechecks.times += 1;
        row.rechecks.changes += changes;
        row.rechecks.record_days += found.record_days;
        Some(row.clone())
    }

    /// Stores the end of the refresh. Texts that may be excerpts count as unchanged.
    fn close(
        mut self,
        form_state: Option<FormState>,
        is_stopped: bool,
    ) -> Result<HarvestRefresh, StoreError> {
        self.counters.ended = (!is_stopped).then(|| self.run.clock.now());
        let undecided = std::mem::take(&mut self.undecided);
        let mut step = self.step(0, 0);
        step.changes = undecided.into_iter().map(|record| RecordChange::Seen(record.id)).collect();
        self.run.store.commit_harvest(self.run.id, &step.into())?;
        let spec = &self.run.job.spec;
        Ok(HarvestRefresh {
            harvest: self.run.id.0,
            form_id: spec.form.to_string(),
            page_url: spec.page.clone(),
            form_state,
            changes_per_record_day: self.total.rate(self.prior),
            counters: self.counters,
        })
    }
}

/// Days after which the form of a harvest without probable changes is checked again. Guess.
const CHECK_INTERVAL: f64 = 30.0;

/// True if a check is not due yet.
fn is_recent(check: Option<&FormCheck>, now: Time) -> bool {
    check.is_some_and(|check| check.state == FormState::Alive && days(check.at, now) < CHECK_INTERVAL)
}

/// Queries of a harvest that had records: their rows with the records of all continuations, and what the policy needs.
fn known_queries(
    store: &dyn Store,
    id: HarvestId,
) -> Result<(FxHashMap<Query, QueryRow>, Vec<KnownQuery>), StoreError> {
    let mut order: Vec<Query> = Vec::new();
    let mut rows: FxHashMap<Query, QueryRow> = FxHashMap::default();
    for row in all_queries(store, HarvestRowQuery::of(id)) {
        let row = row?;
        let query = row.query.after(0);
        match rows.get_mut(&query) {
            Some(first) => {
                let held: FxHashSet<RecordId> = first.hits.iter().copied().collect();
                first.hits.extend(row.hits.iter().filter(|hit| !held.contains(hit)));
                // A query that was sent again already counts its continuations.
                if first.rechecks.times == 0 {
                    first.requests += row.requests;
                    first.pages += row.pages;
                }
            }
            None => {
                order.push(query.clone());
                rows.insert(query, row);
            }
        }
    }
    let known = |query: &Query| {
        let row = rows.get(query).filter(|row| !row.hits.is_empty())?;
        let history =
            ChangeRate { changes: f64::from(row.rechecks.changes), record_days: row.rechecks.record_days };
        let requests = row.pages.max(1);
        Some(KnownQuery { query: query.clone(), hits: row.hits.clone(), requests, history })
    };
    let known = order.iter().filter_map(known).collect();
    Ok((rows, known))
}
