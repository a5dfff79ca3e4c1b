//! Harvest of one form, from the first request to the last record.

use super::event::{HarvestEvent, HarvestStanding};
use super::{HarvestJob, HarvestSummary};
use crate::engine::on_parse_thread;
use crate::fetch::is_html;
use crate::polite::{Clock, FailureKind, NotSent, PoliteClient, SendOutcome};
use crate::store::*;
use hadal_core::harvest::answer::DataDocument;
use hadal_core::harvest::estimate::SizeEstimate;
use hadal_core::harvest::policy::{Hit, QueryOutcome};
use hadal_core::harvest::record::Record;
use hadal_core::harvest::session::{
    EntryPage, HarvestEnding, HarvestSession, HarvestUpdate, ParsedResponse, RequestPurpose,
};
use hadal_core::harvest::structured::choose_policy;
use hadal_core::html::{self, Document};
use hadal_core::http::{BodyCompleteness, Exchange, Request, Response};
use hadal_core::scripted::tokens::cookie_tokens;
use hadal_core::time::Time;
use serde::de::IgnoredAny;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use url::Url;

/// Harvests one form. Each iteration is one request: choose, log, send, receive, commit, emit.
pub async fn harvest_form(
    job: &HarvestJob,
    id: HarvestId,
    client: &PoliteClient,
    store: &dyn Store,
    clock: Clock,
    emit: &(dyn Fn(HarvestEvent) + Sync),
) -> Result<HarvestSummary, StoreError> {
    let mut run = HarvestRun::open(job, id, store, clock)?;
    emit(run.began()?);
    let mut state = HarvestState::Done;
    while let Some((request, purpose)) = run.session.next_request() {
        let own_budget = match run.wait_for_control(client).await? {
            Ok(own_budget) => own_budget,
            Err(end) => {
                state = end;
                break;
            }
        };
        tracing::debug!(harvest = id.0, purpose = ?purpose, url = %request.url, "request chosen");
        run.log_submission(&request, purpose)?;
        let sent = run.send(client, &request, purpose, own_budget).await?;
        match &sent.result {
            Ok(_) => {}
            Err(NotSent::BudgetSpent) => state = HarvestState::Budget,
            Err(NotSent::Stopped) => state = HarvestState::Stopped,
            // The session learns that this page failed, and continues without it.
            Err(_) if purpose.is_dispensable() => {}
            Err(NotSent::Forbidden | NotSent::Excluded) => run.session.end_with(HarvestEnding::Forbidden),
            Err(NotSent::WaitTooLong(_)) => run.session.end_with(HarvestEnding::RateLimited),
            Err(NotSent::Unreachable(_) | NotSent::RobotsUnavailable(_)) => {
                run.session.end_with(HarvestEnding::Errors);
            }
        }
        if let Some(wait) = run.receive(request, purpose, sent, emit).await? {
            run.wait(client, wait).await;
        }
        if state != HarvestState::Done {
            break;
        }
    }
    run.close(state, emit)
}

/// Poll interval of the control of a harvest while it is paused. Guess.
const PAUSE_POLL: Duration = Duration::from_millis(200);

/// Number of next queries that events name. Guess.
const SHOWN_QUERIES: usize = 5;

/// One session of a harvest.
pub(super) struct HarvestRun<'a> {
    pub(super) job: &'a HarvestJob,
    pub(super) id: HarvestId,
    pub(super) store: &'a dyn Store,
    pub(super) session: HarvestSession,
    pub(super) clock: Clock,
    pub(super) next_seq: u64,
    /// Requests over all sessions.
    pub(super) spent: u64,
    /// Requests of the current query.
    pub(super) query_requests: u32,
    pub(super) began: Instant,
    pub(super) elapsed_before: u64,
    /// Time of the last response of this session.
    pub(super) last_response: Option<Time>,
}

impl<'a> HarvestRun<'a> {
    /// Opens a harvest and replays the queries of earlier sessions.
    fn open(
        job: &'a HarvestJob,
        id: HarvestId,
        store: &'a dyn Store,
        mut clock: Clock,
    ) -> Result<HarvestRun<'a>, StoreError> {
        let HarvestCheckpoint { row, next_seq, reader, .. } = store.resume_harvest(id)?;
        let spec = &row.spec;
        let entry_page = EntryPage::new(spec.form_snapshot.clone(), spec.page.clone(), &job.charset);
        let policy = choose_policy(entry_page.form(), &job.policy, &job.policy_context);
        let mut session = HarvestSession::new(entry_page, policy, job.options.clone());
        if let Some(reader) = reader {
            session.restore(&reader);
        }
        for answer in all_answers(store, id) {
            let PastAnswer { query, records } = answer?;
            replay(&mut session, &query, &records);
        }
        if let Some(page) = &job.entry_page {
            session.open_with(page);
        }
        if row.progress.state != HarvestState::Running {
            let running =
                HarvestProgress { state: HarvestState::Running, ending: None, ..row.progress.clone() };
            store.commit_harvest(id, &running.into())?;
            store.sync()?;
        }
        clock.advance(row.progress.now);
        let (began, elapsed_before) = (Instant::now(), row.progress.elapsed_ms);
        let spent = row.counters.requests;
        let query_requests = 0;
        Ok(HarvestRun {
            job,
            id,
            store,
            session,
            clock,
            next_seq,
            spent,
            query_requests,
            began,
            elapsed_before,
            last_response: None,
        })
    }

    fn began(&self) -> Result<HarvestEvent, StoreError> {
        let spec = &self.job.spec;
        let counters = self.counters()?;
        Ok(HarvestEvent::Began {
            harvest: self.id.0,
            form: spec.form.to_string(),
            page: spec.page.to_string(),
            policy: spec.policy.clone(),
            resumed_at: counters.requests.saturating_sub(self.job.opening_cost.0),
        })
    }

    /// Waits while the harvest is paused. Returns the requests left in its own budget, if it has one, or the state
    /// in which it has to end.
    pub(super) async fn wait_for_control(
        &self,
        client: &PoliteClient,
    ) -> Result<Result<Option<u64>, HarvestState>, StoreError> {
        loop {
            match decision(&self.store.control(Activity::Harvest(self.id))?, self.spent) {
                ControlDecision::Continue { own_budget } => return Ok(Ok(own_budget)),
                ControlDecision::End(state) => return Ok(Err(state)),
                ControlDecision::Pause if client.pause(PAUSE_POLL).await.is_err() => {
                    return Ok(Err(HarvestState::Stopped));
                }
                ControlDecision::Pause => {}
            }
        }
    }

    /// Writes a submission to the audit log, which has to happen before it is sent.
    pub(super) fn log_submission(
        &self,
        request: &Request,
        purpose: RequestPurpose,
    ) -> Result<(), StoreError> {
        if !purpose.submits() {
            return Ok(());
        }
        let entry = submission_of(&self.job.spec, self.id, self.next_seq, self.clock.now(), request);
        self.store.commit_harvest(self.id, &entry.into())?;
        self.store.sync()
    }

    /// Sends a request. Each retry of a submission has its own entry in the audit log.
    pub(super) async fn send(
        &mut self,
        client: &PoliteClient,
        request: &Request,
        purpose: RequestPurpose,
        own_budget: Option<u64>,
    ) -> Result<SendOutcome, StoreError> {
        let (store, id, spec) = (self.store, self.id, &self.job.spec);
        let (clock, next_seq, mut fault) = (&mut self.clock, &mut self.next_seq, None);
        let mut before_retry = |failed: &Exchange, now: Time| {
            if !purpose.submits() {
                return ControlFlow::Continue(());
            }
            let submission = Some(SubmissionResult::from(failed));
            let step = HarvestStep { seq: *next_seq, at: now, submission, ..HarvestStep::default() };
            *next_seq += 1;
            let entry = submission_of(spec, id, *next_seq, now, request);
            let logged = store.commit_harvest(id, &step.into());
            let logged = logged.and_then(|()| store.commit_harvest(id, &entry.into()));
            match logged.and_then(|()| store.sync()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    fault = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        let sent = client.send_within(request, clock, own_budget, &mut before_retry).await;
        fault.map_or(Ok(sent), Err)
    }

    /// Waits as the site asked. A stop ends the wait; the next request then learns of it.
    pub(super) async fn wait(&mut self, client: &PoliteClient, time: Duration) {
        tracing::info!("the site requires {} s between two searches", time.as_secs());
        let _ = client.wait(time, &mut self.clock).await;
    }

    /// Parses the response, lets the session learn from it, commits one step and emits its event. Returns the wait that
    /// the site asked for.
    async fn receive(
        &mut self,
        request: Request,
        purpose: RequestPurpose,
        sent: SendOutcome,
        emit: &(dyn Fn(HarvestEvent) + Sync),
    ) -> Result<Option<Duration>, StoreError> {
        self.query_requests += sent.requests;
        self.spent += u64::from(sent.requests);
        let mut step = HarvestStep {
            seq: self.next_seq,
            at: self.clock.now(),
            requests: sent.requests,
            bytes: sent.bytes,
            ..HarvestStep::default()
        };
        self.next_seq += 1;
        step.submission = purpose.submits().then(|| SubmissionResult::from(&sent));
        let mut wait = None;
        let response = match sent.result {
            Ok(exchange) => {
                step.failed = failure(&exchange);
                Some(parse_response(request.url, exchange).await)
            }
            Err(NotSent::BudgetSpent | NotSent::Stopped) => None,
            Err(_) if purpose.is_dispensable() => Some(ParsedResponse::default()),
            Err(_) => None,
        };
        if let Some(mut response) = response {
            response.interval = self.last_response.replace(step.at).map(|last| last.until(step.at));
            step.pages = u32::from(response.document.is_some() || response.data.is_some());
            let update = self.session.receive(response);
            wait = update.wait;
            self.fill(&mut step, update);
        }
        self.commit(step, emit)?;
        Ok(wait)
    }

    /// Commits a step. One that ends a query is made durable and reported.
    fn commit(&mut self, step: HarvestStep, emit: &(dyn Fn(HarvestEvent) + Sync)) -> Result<(), StoreError> {
        let query = step.finished_query.clone();
        self.store.commit_harvest(self.id, &step.into())?;
        if let Some(query) = query {
            self.store.sync()?;
            emit(HarvestEvent::QueryFinished {
                query: query.words,
                found: query.found,
                new: query.new,
                standing: self.standing()?,
            });
        } else {
            emit(HarvestEvent::RequestFinished { harvest: self.id.0, requests: self.spent });
        }
        Ok(())
    }

    /// Fills a step with the records and the finished query of an update.
    fn fill(&mut self, step: &mut HarvestStep, update: HarvestUpdate) {
        let (id, spec, at) = (self.id, &self.job.spec, step.at);
        step.reader = update.needs_save.then(|| self.session.save());
        step.details.extend(update.detail);
        let words = update.query.as_ref().map(|query| spec.wording(&query.after(0))).unwrap_or_default();
        step.records = update
            .records
            .into_iter()
            .map(|(record, position)| self.record_row((update.query_number, &words), record, position, at))
            .collect();
        let Some(query) = update.finished else { return };
        step.estimate = self.session.estimate().map(estimated);
        tracing::debug!(evidence = ?self.session.estimate_evidence(), "size estimate");
        step.next = self.next();
        step.finished_query = Some(QueryRow {
            harvest: id,
            form: spec.form,
            number: query.number,
            words: spec.wording(&query.query),
            query: query.query,
            kind: query.kind.name().to_string(),
            total: query.total,
            found: query.hits.len() as u32,
            new: query.new,
            pages: query.pages,
            requests: std::mem::take(&mut self.query_requests),
            end: query.end,
            at,
            hits: query.hits,
            next: query.next,
            rechecks: QueryRechecks::default(),
        });
    }

    /// Row of a new record of the query with this number and text.
    pub(super) fn record_row(
        &self,
        (query_number, words): (u32, &str),
        record: Record,
        position: u32,
        at: Time,
    ) -> RecordRow {
        let spec = &self.job.spec;
        RecordRow {
            harvest: self.id,
            form: spec.form,
            topic: spec.topic.clone(),
            record,
            query_number,
            words: words.to_string(),
            position,
            fetched_at: at,
            detail: None,
            dates: RecordDates::default(),
        }
    }

    fn counters(&self) -> Result<HarvestCounters, StoreError> {
        let row = self.store.harvests(&HarvestQuery::one(self.id))?.pop();
        Ok(row.map(|row| row.counters).unwrap_or_default())
    }

    fn standing(&self) -> Result<HarvestStanding, StoreError> {
        let counters = self.counters()?;
        let estimate = self.session.estimate().map(estimated);
        Ok(HarvestStanding { harvest: self.id.0, counters, estimate, next: self.next() })
    }

    /// Queries to come, in readable form.
    fn next(&self) -> Vec<String> {
        self.session
            .top_queries(SHOWN_QUERIES)
            .iter()
            .map(|(query, _)| self.job.spec.wording(query))
            .collect()
    }

    /// Stores why the session ended. When no query is left, the size estimate is final and stored as well.
    fn close(
        self,
        state: HarvestState,
        emit: &(dyn Fn(HarvestEvent) + Sync),
    ) -> Result<HarvestSummary, StoreError> {
        let ending = self.session.ending();
        if ending == Some(HarvestEnding::NothingLeft) {
            let (seq, at, estimate) =
                (self.next_seq, self.clock.now(), self.session.estimate().map(estimated));
            let step = HarvestStep { seq, at, estimate, ..HarvestStep::default() };
            self.store.commit_harvest(self.id, &step.into())?;
        }
        let elapsed = self.began.elapsed().as_millis() as u64;
        let progress = HarvestProgress {
            state,
            ending: ending.map(|ending| ending.to_string()),
            now: self.clock.now(),
            elapsed_ms: self.elapsed_before + elapsed,
        };
        self.store.commit_harvest(self.id, &progress.into())?;
        self.store.sync()?;
        let standing = self.standing()?;
        let (counters, estimate) = (standing.counters.clone(), standing.estimate);
        emit(HarvestEvent::Ended { state, ending: ending.map(|ending| ending.name()), standing });
        Ok(HarvestSummary { id: self.id, state, ending, counters, estimate })
    }
}

/// Entry of the audit log for a request of a harvest.
fn submission_of(spec: &HarvestSpec, id: HarvestId, seq: u64, at: Time, request: &Request) -> Submission {
    Submission {
        by: Submitter::Harvest(id),
        seq,
        at,
        topic: spec.topic.clone(),
        form: spec.form,
        page: spec.page.clone(),
        method: request.method,
        url: request.url.clone(),
        body: Submission::body_of(request),
        purpose: SubmissionPurpose::Harvest,
        answer: None,
    }
}

/// Effect of the control of a harvest.
#[derive(Debug, PartialEq)]
enum ControlDecision {
    /// Send the next request. `own_budget` is the number of requests left when the user gave this harvest its own
    /// budget.
    Continue { own_budget: Option<u64> },
    /// Look again later.
    Pause,
    /// End the session in this state.
    End(HarvestState),
}

/// Decision for a harvest that has sent `spent` requests over all sessions.
fn decision(control: &Control, spent: u64) -> ControlDecision {
    let own_budget = control.max_requests.map(|max| max.saturating_sub(spent));
    match (control.stop, control.pause, own_budget) {
        (true, _, _) => ControlDecision::End(HarvestState::Stopped),
        (_, true, _) => ControlDecision::Pause,
        (_, _, Some(0)) => ControlDecision::End(HarvestState::Budget),
        (_, _, own_budget) => ControlDecision::Continue { own_budget },
    }
}

/// Feeds a stored query of an earlier session to the session.
fn replay(session: &mut HarvestSession, row: &QueryRow, hits: &[AnswerRecord]) {
    let hits: Vec<Hit<'_>> = hits
        .iter()
        .map(|hit| Hit {
            id: hit.id,
            is_new: hit.is_new,
            title: &hit.title,
            text: &hit.text,
            fields: &hit.fields,
        })
        .collect();
    let query =
        QueryOutcome { query: &row.query, hits: &hits, total: row.total, pages: row.pages, end: row.end };
    session.replay(&query, row.next.clone());
}

/// Parses a response on a parse thread.
pub async fn parse_response(url: Url, exchange: Exchange) -> ParsedResponse {
    let Ok(mut response) = exchange.result else { return ParsedResponse::default() };
    let status = response.status;
    let location = response.headers.get("location").and_then(|to| url.join(to.trim()).ok());
    let body = std::mem::take(&mut response.body);
    let parse = move |body: &[u8]| parse_body(body, &response, &url);
    let (document, data) = on_parse_thread(body, parse).await.unwrap_or_default();
    ParsedResponse { status, location, document, data, interval: None }
}

/// Parses the body of a response as data or as a page. Data that is mostly HTML is parsed as a page. A page that leaves
/// its records to scripts is both.
fn parse_body(body: &[u8], response: &Response, url: &Url) -> (Option<Document>, Option<Box<DataDocument>>) {
    // The largest literal of half an answer would be one of its records.
    let is_usable = match response.completeness {
        BodyCompleteness::Whole => true,
        BodyCompleteness::Unwanted => false,
        _ => serde_json::from_slice::<IgnoredAny>(body).is_ok(),
    };
    let data = is_usable.then(|| DataDocument::parse_body(body, response, url)).flatten();
    let content_type = response.headers.get("content-type");
    match data {
        Some(data) => match data.html() {
            Some(html) => {
                let kind = Some("text/html; charset=utf-8");
                (Some(html::parse_with_outline(html.as_bytes(), kind, url)), None)
            }
            None => (None, Some(Box::new(data))),
        },
        None if is_html(response) => {
            let mut document = html::parse_with_outline(body, content_type, url);
            document.page.hints.tokens.extend(cookie_tokens(&response.headers));
            let data = DataDocument::embedded(body, response, &document.page);
            (Some(document), data.map(Box::new))
        }
        None => (None, None),
    }
}

pub(super) fn failure(exchange: &Exchange) -> Option<FailureKind> {
    match &exchange.result {
        Ok(response) => (response.status >= 400).then_some(FailureKind::Http(response.status)),
        Err(error) => Some(FailureKind::Fetch(*error)),
    }
}

fn estimated(estimate: SizeEstimate) -> HarvestEstimate {
    let parts = |interval: hadal_core::harvest::estimate::EstimateInterval| {
        [interval.low, interval.estimate, interval.high]
    };
    HarvestEstimate { size: parts(estimate.size), coverage: parts(estimate.coverage) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_goes_before_a_pause_and_a_pause_before_a_budget() {
        let decision = |pause, stop, max_requests| decision(&Control { pause, stop, max_requests }, 7);
        assert_eq!(decision(true, true, Some(7)), ControlDecision::End(HarvestState::Stopped));
        assert_eq!(decision(true, false, Some(7)), ControlDecision::Pause);
        assert_eq!(decision(false, false, Some(7)), ControlDecision::End(HarvestState::Budget));
        assert_eq!(decision(false, false, Some(9)), ControlDecision::Continue { own_budget: Some(2) });
        assert_eq!(decision(false, false, None), ControlDecision::Continue { own_budget: None });
    }
}
