//! One query to one form.

use super::{Asker, SourceClient};
use crate::harvest::open_form::{self, OpenedForm, SearchLocation};
use crate::harvest::parse_response;
use crate::polite::{Clock, PoliteClient, RequestBudget, SendOutcome};
use crate::store::{StoreError, Submission, SubmissionPurpose, SubmissionResult, Submitter, UserChange};
use hadal_core::address::Site;
use hadal_core::critic::probe::query_field;
use hadal_core::harvest::policy::{Policy, QueryOutcome, RequestCosts, StatedTotal};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::Record;
use hadal_core::harvest::session::{
    DetailMode, EntryPage, HarvestEnding, HarvestOptions, HarvestSession, HarvestUpdate, RequestPurpose,
};
use hadal_core::http::Request;
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;
use utoipa::ToSchema;

/// Longest time that one source may take. Guess.
pub const SOURCE_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of requests of the session per source: entry page, calibration query, query, and redirects
/// of each. Guess.
const MAX_REQUESTS: usize = 12;

/// A form that was queried.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Source)]
pub struct AskedSource {
    /// Id of the form.
    pub form_id: String,
    /// Topic of the run that found the form.
    pub topic: String,
    /// Site of the form.
    pub site: String,
    /// URL of the page that the form is on.
    pub page_url: String,
    /// Result of the query.
    pub outcome: AskOutcome,
    /// Reason of a failure.
    pub reason: Option<String>,
    /// Records in the answer.
    pub found: usize,
    /// Total that the answer states.
    pub total: Option<u64>,
    /// Requests sent, with those for robots.txt and redirects.
    pub requests: u32,
    /// Time taken, in seconds.
    pub took_s: f64,
}

/// Result of a query to one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Outcome)]
pub enum AskOutcome {
    /// The answer has records.
    Answered,
    /// The answer has no records.
    Nothing,
    /// The form could not be queried, or sent no answer.
    Failed,
}

/// A form that was selected.
pub struct ChosenSource {
    pub form_id: FormId,
    pub topic: String,
    pub site: Site,
    pub page_url: Url,
    /// The opened form with its client, or the reason why it cannot be queried.
    pub opened: Result<(OpenedForm, SourceClient), String>,
}

/// Reply of one form to the query.
#[derive(Default)]
struct SourceReply {
    records: Vec<Record>,
    total: Option<StatedTotal>,
    failure: Option<String>,
}

impl ChosenSource {
    /// Sends the query to the form.
    pub async fn ask(self, asker: &Arc<Asker>, words: &str) -> (AskedSource, Vec<Record>) {
        let began = Instant::now();
        let (reply, requests) = match &self.opened {
            Err(reason) => (SourceReply::failed(reason), 0),
            Ok((form, source)) => {
                let client = client_of(source);
                let querying = query_form(asker, form, &client, source.clock, words);
                let reply = match tokio::time::timeout(SOURCE_TIMEOUT, querying).await {
                    Ok(Ok(reply)) => reply,
                    Ok(Err(error)) => SourceReply::failed(error),
                    Err(_) => SourceReply::failed(format!("no answer within {} s", SOURCE_TIMEOUT.as_secs())),
                };
                (reply, client.spent().0)
            }
        };
        let outcome = match (reply.records.is_empty(), &reply.failure) {
            (false, _) => AskOutcome::Answered,
            (true, None) => AskOutcome::Nothing,
            (true, Some(_)) => AskOutcome::Failed,
        };
        let source = AskedSource {
            form_id: self.form_id.to_string(),
            topic: self.topic,
            site: self.site.to_string(),
            page_url: self.page_url.to_string(),
            outcome,
            reason: reply.failure,
            found: reply.records.len(),
            total: reply.total.map(StatedTotal::count),
            requests: u32::try_from(requests).unwrap_or(u32::MAX),
            took_s: began.elapsed().as_secs_f64(),
        };
        (source, reply.records)
    }
}

impl SourceReply {
    fn failed(reason: impl ToString) -> SourceReply {
        SourceReply { failure: Some(reason.to_string()), ..SourceReply::default() }
    }

    fn add(&mut self, update: HarvestUpdate) {
        self.records.extend(update.records.into_iter().map(|(record, _)| record));
        if let Some(finished) = update.finished {
            self.total = finished.total;
        }
    }
}

/// Client of one query, which counts its requests. A retry would send the form again without an entry in the audit log.
fn client_of(source: &SourceClient) -> PoliteClient {
    let client = source.client.without_retries().with_budget(RequestBudget::default());
    match source.clock {
        Clock::Real => client,
        Clock::Simulated(_) => client.with_own_hosts(),
    }
}

/// Runs a harvest session of one query. Each iteration is one request: choose, log, send, receive.
async fn query_form(
    asker: &Asker,
    form: &OpenedForm,
    client: &PoliteClient,
    mut clock: Clock,
    words: &str,
) -> Result<SourceReply, StoreError> {
    let shown = match query_field(&form.form) {
        Some(_) => None,
        // A list of all records takes no words; the page that names it usually has a search form too.
        None => {
            let page = SearchLocation::at(&form.page, &form.source);
            match open_form::shown_form(&page, client, &mut clock).await {
                Ok(shown) if query_field(&shown.form).is_some() => Some(shown),
                _ => return Ok(SourceReply::failed("the form has no text field for words")),
            }
        }
    };
    let form = shown.as_ref().unwrap_or(form);
    let entry_page = EntryPage::new(form.form.clone(), form.page.clone(), &form.charset);
    let mut session = session_of(asker, form, entry_page, words);
    let mut reply = SourceReply::default();
    for _ in 0..MAX_REQUESTS {
        let Some((request, purpose)) = session.next_request() else { break };
        let sent = send_logged(asker, form, client, &mut clock, (&request, purpose)).await?;
        let exchange = match sent.result {
            Ok(exchange) => exchange,
            Err(reason) => {
                reply.failure = Some(reason.to_string());
                break;
            }
        };
        if let Err(error) = &exchange.result {
            reply.failure = Some(error.to_string());
        }
        let update = session.receive(parse_response(request.url, exchange).await);
        let (is_finished, wait) = (update.finished.is_some(), update.wait);
        reply.add(update);
        // Further queries of the session, such as the empty one, do not answer the user's.
        if is_finished {
            break;
        }
        if let Some(wait) = wait
            && client.wait(wait, &mut clock).await.is_err()
        {
            break;
        }
    }
    asker.keep_reader(form.id, session.save());
    let ending = session.ending().filter(|ending| *ending != HarvestEnding::NothingLeft);
    reply.failure = reply.failure.or_else(|| ending.map(|ending| ending.to_string()));
    Ok(reply)
}

/// Session that sends one query, with the readers that earlier queries or a harvest of the form trained.
fn session_of(asker: &Asker, form: &OpenedForm, entry_page: EntryPage, words: &str) -> HarvestSession {
    let options =
        HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: form.id.0 };
    let policy = SingleQuery(Some(Query::words(words)));
    let mut session = HarvestSession::new(entry_page, Box::new(policy), options);
    if let Some(readers) = asker.reader(form.id) {
        session.restore_readers(&readers);
    }
    if let Some(page) = &form.entry_page {
        session.open_with(page);
    }
    session
}

/// Sends a request. A submission is in the audit log before it is sent, and gets its answer afterwards.
async fn send_logged(
    asker: &Asker,
    form: &OpenedForm,
    client: &PoliteClient,
    clock: &mut Clock,
    (request, purpose): (&Request, RequestPurpose),
) -> Result<SendOutcome, StoreError> {
    let logged = match purpose.submits() {
        true => Some(log_submission(asker, form, request, clock.now())?),
        false => None,
    };
    let sent = client.send(request, clock).await;
    if let Some(number) = logged {
        let result = UserChange::Logged(Submitter::Person, number, SubmissionResult::from(&sent));
        asker.store.apply_user_changes(&[result])?;
    }
    Ok(sent)
}

/// Writes a submission to the audit log and returns its number there.
fn log_submission(asker: &Asker, form: &OpenedForm, request: &Request, at: Time) -> Result<u64, StoreError> {
    asker.store.log_at_once(&Submission {
        by: Submitter::Person,
        seq: 0,
        at,
        topic: form.topic.clone(),
        form: form.id,
        page: form.page.clone(),
        method: request.method,
        url: request.url.clone(),
        body: Submission::body_of(request),
        purpose: SubmissionPurpose::Ask,
        answer: None,
    })
}

/// Policy that sends one query and reads one result page. The query is `None` after its answer.
struct SingleQuery(Option<Query>);

impl Policy for SingleQuery {
    fn choose(&mut self, _: &RequestCosts) -> Option<Query> {
        self.0.clone()
    }

    fn wants_next_page(&self, _: &QueryOutcome<'_>, _: &RequestCosts) -> bool {
        false
    }

    fn learn(&mut self, _: &QueryOutcome<'_>) {
        self.0 = None;
    }

    fn top_queries(&self, _: &RequestCosts, _: usize) -> Vec<(Query, f64)> {
        self.0.iter().map(|query| (query.clone(), 1.0)).collect()
    }
}
