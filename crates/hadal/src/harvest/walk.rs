//! One form, from its first request to its last record.

use super::courier::{Courier, Delivered, Undelivered};
use super::event::{Event, Standing};
use super::pace::Pace;
use super::{Job, Summary, TimeKind};
use crate::engine::is_html;
use crate::fetch::retry;
use crate::store::*;
use hadal_core::harvest::estimate::SizeEstimate;
use hadal_core::harvest::policy::hadal::HadalPolicy;
use hadal_core::harvest::policy::{Hit, Policy, PolicyContext, QueryOutcome};
use hadal_core::harvest::session::{
    EntryPage, HarvestEnding, HarvestSession, HarvestUpdate, ParsedResponse, RequestPurpose,
};
use hadal_core::harvest::structured::choose_policy;
use hadal_core::html;
use hadal_core::http::{Exchange, Request};
use std::time::Duration;
use url::Url;

/// Brings up what is behind one form. Each turn is one request: chosen, put on record, sent, understood,
/// kept, told.
pub async fn walk(
    job: &Job,
    id: HarvestId,
    courier: &Courier,
    store: &dyn Store,
    time: TimeKind,
    tell: &(dyn Fn(Event) + Sync),
) -> Result<Summary, StoreError> {
    let mut trip = Trip::open(job, id, store, time)?;
    tell(trip.began()?);
    let mut state = HarvestState::Done;
    while let Some((request, purpose)) = trip.harvest.next_request() {
        let own = match trip.take_leave(courier).await? {
            Ok(own) => own,
            Err(end) => {
                state = end;
                break;
            }
        };
        trip.put_on_record(&request, purpose)?;
        let delivered = courier.deliver_for(&request, &mut trip.pace, own).await;
        match delivered.result {
            Ok(_) => {}
            Err(Undelivered::Forbidden) if purpose.is_dispensable() => {}
            Err(Undelivered::Forbidden) => trip.harvest.end_with(HarvestEnding::Forbidden),
            Err(Undelivered::Patience) => trip.harvest.end_with(HarvestEnding::RateLimited),
            Err(Undelivered::Spent) => state = HarvestState::Budget,
            Err(Undelivered::Stopped) => state = HarvestState::Stopped,
        }
        trip.take_in(request, purpose, delivered, tell).await?;
        if state != HarvestState::Done {
            break;
        }
    }
    trip.close(state, tell)
}

/// How often a paused harvest looks whether it may go on.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Queries that are told of those to come.
const NEXT: usize = 5;

/// A harvest, and where it is kept.
struct Trip<'a> {
    job: &'a Job,
    id: HarvestId,
    store: &'a dyn Store,
    harvest: HarvestSession,
    pace: Pace,
    next_seq: u64,
    /// Requests over all sessions.
    spent: u64,
    /// Requests of the query at hand.
    requests: u32,
    began: std::time::Instant,
    elapsed_before: u64,
}

impl<'a> Trip<'a> {
    /// Opens the harvest, with all that earlier sessions learned.
    fn open(
        job: &'a Job,
        id: HarvestId,
        store: &'a dyn Store,
        time: TimeKind,
    ) -> Result<Trip<'a>, StoreError> {
        let HarvestCheckpoint { row, next_seq, reader, .. } = store.resume_harvest(id)?;
        let spec = &row.spec;
        let door = EntryPage::new(spec.whole.clone(), spec.page.clone(), &job.charset);
        let policy = choose_policy(door.form(), &spec.policy, &job.policy_context)
            .unwrap_or_else(|| usual(&job.policy_context));
        let mut harvest = HarvestSession::new(door, policy, job.wishes.clone());
        if let Some(reader) = reader {
            harvest.restore(&reader);
        }
        store.past(id, &mut |row, hits| {
            recall(&mut harvest, &row, &hits);
            Walk::On
        })?;
        if row.progress.state != HarvestState::Running {
            let again =
                HarvestProgress { state: HarvestState::Running, ending: None, ..row.progress.clone() };
            store.note_harvest(id, &again)?;
            store.sync()?;
        }
        let pace = match time {
            TimeKind::Real => Pace::real(),
            TimeKind::Simulated => Pace::simulated(row.progress.now),
        };
        let (began, elapsed_before) = (std::time::Instant::now(), row.progress.elapsed_ms);
        let spent = row.tally.requests;
        Ok(Trip { job, id, store, harvest, pace, next_seq, spent, requests: 0, began, elapsed_before })
    }

    fn began(&self) -> Result<Event, StoreError> {
        let spec = &self.job.spec;
        let tally = self.tally()?;
        Ok(Event::Began {
            harvest: self.id.0,
            form: spec.form.to_string(),
            page: spec.page.to_string(),
            policy: spec.policy.clone(),
            resumed_at: tally.requests,
        })
    }

    /// Waits for as long as somebody wants it paused. Says how many requests of its own it may then spend, if it
    /// was given any, or how it is to end.
    async fn take_leave(&self, courier: &Courier) -> Result<Result<Option<u64>, HarvestState>, StoreError> {
        loop {
            match order(&self.store.harvest_control(self.id)?, self.spent) {
                Order::Go(own) => return Ok(Ok(own)),
                Order::End(state) => return Ok(Err(state)),
                Order::Wait if courier.rest(LOOK_EVERY).await.is_err() => {
                    return Ok(Err(HarvestState::Stopped));
                }
                Order::Wait => {}
            }
        }
    }

    /// A form is submitted only when that is on record for good.
    fn put_on_record(&self, request: &Request, purpose: RequestPurpose) -> Result<(), StoreError> {
        if !purpose.submits() {
            return Ok(());
        }
        let spec = &self.job.spec;
        self.store.log_submission(&Submission {
            by: Submitter::Harvest(self.id),
            seq: self.next_seq,
            at: self.pace.now(),
            topic: spec.topic.clone(),
            form: spec.form,
            page: spec.page.clone(),
            method: request.method,
            url: request.url.clone(),
            body: Submission::body_of(request),
            purpose: crate::store::SubmissionPurpose::Harvest,
            answer: None,
        })
    }

    /// Reads what came back, lets the harvest learn, keeps one step, tells.
    async fn take_in(
        &mut self,
        request: Request,
        purpose: RequestPurpose,
        delivered: Delivered,
        tell: &(dyn Fn(Event) + Sync),
    ) -> Result<(), StoreError> {
        self.requests += delivered.requests;
        self.spent += u64::from(delivered.requests);
        let mut step = HarvestStep {
            seq: self.next_seq,
            at: self.pace.now(),
            requests: delivered.requests,
            bytes: delivered.bytes,
            ..HarvestStep::default()
        };
        self.next_seq += 1;
        let reply = match delivered.result {
            Ok(exchange) => {
                step.failed = failure(&exchange);
                step.submission = purpose.submits().then(|| retry::answered(&exchange));
                Some(read(request.url, exchange).await)
            }
            Err(Undelivered::Forbidden) if purpose.is_dispensable() => Some(ParsedResponse::default()),
            Err(_) => None,
        };
        if let Some(reply) = reply {
            step.pages = u32::from(reply.document.is_some());
            let taken = self.harvest.receive(reply);
            self.fill(&mut step, taken);
        }
        self.store.commit_steps(self.id, std::slice::from_ref(&step))?;
        if let Some(asked) = step.asked {
            self.store.sync()?;
            tell(Event::Asked {
                query: asked.words,
                found: asked.found,
                new: asked.new,
                standing: self.standing()?,
            });
        }
        Ok(())
    }

    fn fill(&mut self, step: &mut HarvestStep, taken: HarvestUpdate) {
        let (id, spec, at) = (self.id, &self.job.spec, step.at);
        step.reader = taken.needs_save.then(|| self.harvest.save());
        step.details.extend(taken.detail);
        let words = taken.query.as_ref().map(|query| spec.wording(&query.after(0))).unwrap_or_default();
        step.records = taken
            .records
            .into_iter()
            .map(|(record, position)| RecordRow {
                harvest: id,
                form: spec.form,
                topic: spec.topic.clone(),
                record,
                asked: taken.query_number,
                words: words.clone(),
                position,
                fetched_at: at,
                detail: None,
            })
            .collect();
        let Some(ended) = taken.finished else { return };
        step.estimate = self.harvest.estimate().map(estimated);
        step.next = self.next();
        step.asked = Some(QueryRow {
            harvest: id,
            form: spec.form,
            number: ended.number,
            words: spec.wording(&ended.query),
            query: ended.query,
            kind: taken.kind.map(|kind| kind.name().to_string()).unwrap_or_default(),
            total: ended.total,
            found: ended.hits.len() as u32,
            new: ended.new,
            pages: ended.pages,
            requests: std::mem::take(&mut self.requests),
            end: ended.end,
            at,
            hits: ended.hits,
            next: ended.next,
        });
    }

    fn tally(&self) -> Result<HarvestCounters, StoreError> {
        let filter = HarvestFilter { harvest: Some(self.id), ..HarvestFilter::default() };
        Ok(self.store.harvests(&filter)?.pop().map(|row| row.tally).unwrap_or_default())
    }

    fn standing(&self) -> Result<Standing, StoreError> {
        let tally = self.tally()?;
        let estimate = self.harvest.estimate().map(estimated);
        Ok(Standing { harvest: self.id.0, tally, estimate, next: self.next() })
    }

    /// What would be asked next.
    fn next(&self) -> Vec<String> {
        self.harvest.outlook(NEXT).iter().map(|(query, _)| self.job.spec.wording(query)).collect()
    }

    /// Keeps why it ended; when there was nothing left to ask, more is known now.
    fn close(self, state: HarvestState, tell: &(dyn Fn(Event) + Sync)) -> Result<Summary, StoreError> {
        let ending = self.harvest.ending();
        if ending == Some(HarvestEnding::NothingLeft) {
            let (seq, at, estimate) =
                (self.next_seq, self.pace.now(), self.harvest.estimate().map(estimated));
            self.store
                .commit_steps(self.id, &[HarvestStep { seq, at, estimate, ..HarvestStep::default() }])?;
        }
        let elapsed = self.began.elapsed().as_millis() as u64;
        let progress = HarvestProgress {
            state,
            ending: ending.map(|ending| ending.to_string()),
            now: self.pace.now(),
            elapsed_ms: self.elapsed_before + elapsed,
        };
        self.store.note_harvest(self.id, &progress)?;
        self.store.sync()?;
        let standing = self.standing()?;
        let (tally, estimate) = (standing.tally.clone(), standing.estimate);
        tell(Event::Ended { state, ending: ending.map(|ending| ending.name()), standing });
        Ok(Summary { id: self.id, state, ending, tally, estimate })
    }
}

/// What a harvest is to do now.
#[derive(Debug, PartialEq)]
enum Order {
    /// Go on, with so many requests of its own, if it was given any.
    Go(Option<u64>),
    /// Look again later.
    Wait,
    /// End.
    End(HarvestState),
}

/// What a harvest that has spent so many requests is to do by what people asked of it.
fn order(control: &Control, spent: u64) -> Order {
    let own = control.max_requests.map(|most| most.saturating_sub(spent));
    match (control.stop, control.pause, own) {
        (true, _, _) => Order::End(HarvestState::Stopped),
        (_, true, _) => Order::Wait,
        (_, _, Some(0)) => Order::End(HarvestState::Budget),
        (_, _, own) => Order::Go(own),
    }
}

/// What asks when a store names a policy that this hadal does not know.
fn usual(context: &PolicyContext) -> Box<dyn Policy> {
    Box::new(HadalPolicy::new(context))
}

fn recall(harvest: &mut HarvestSession, row: &QueryRow, hits: &[AnswerRecord]) {
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
    let asked =
        QueryOutcome { query: &row.query, hits: &hits, total: row.total, pages: row.pages, end: row.end };
    harvest.replay(&asked, row.next.clone());
}

/// The page that came back, read away from the loop.
pub async fn read(url: Url, exchange: Exchange) -> ParsedResponse {
    let Ok(response) = exchange.result else { return ParsedResponse::default() };
    let status = response.status;
    let location = response.headers.get("location").and_then(|to| url.join(to.trim()).ok());
    if !is_html(&response) {
        return ParsedResponse { status, location, document: None };
    }
    let content_type = response.headers.get("content-type").map(String::from);
    let parse = move || html::parse_with_outline(&response.body, content_type.as_deref(), &url);
    ParsedResponse { status, location, document: tokio::task::spawn_blocking(parse).await.ok() }
}

fn failure(exchange: &Exchange) -> Option<String> {
    match &exchange.result {
        Ok(response) => (response.status >= 400).then(|| format!("http_{}", response.status)),
        Err(error) => Some(retry::kind_of(*error).to_string()),
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
        let asked = |pause, stop, max_requests| order(&Control { pause, stop, max_requests }, 7);
        assert_eq!(asked(true, true, Some(7)), Order::End(HarvestState::Stopped));
        assert_eq!(asked(true, false, Some(7)), Order::Wait);
        assert_eq!(asked(false, false, Some(7)), Order::End(HarvestState::Budget));
        assert_eq!(asked(false, false, Some(9)), Order::Go(Some(2)));
        assert_eq!(asked(false, false, None), Order::Go(None));
    }
}
