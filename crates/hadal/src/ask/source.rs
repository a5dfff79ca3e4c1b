//! One form that is asked, from its first request to the records of its answer.

use super::policy::OneQuestion;
use super::{Asker, Web};
use crate::fetch::retry;
use crate::harvest::opening::Opened;
use crate::harvest::{Pace, TimeKind, read};
use crate::store::{FormEntry, StoreError, Submission, SubmissionPurpose, Submitter};
use hadal_core::harvest::policy::StatedTotal;
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::Record;
use hadal_core::harvest::session::{
    DetailMode, EntryPage, HarvestEnding, HarvestOptions, HarvestSession, HarvestUpdate,
};
use hadal_core::http::Request;
use hadal_core::time::Time;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// How long one source may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Requests that one source may take: its page, nonsense, the question, redirects of each.
const MOST_REQUESTS: usize = 12;

/// A form that was asked.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Source {
    /// Which form.
    pub form_id: String,
    /// The topic it was found for.
    pub topic: String,
    /// Its site.
    pub site: String,
    /// The page it stands on.
    pub page_url: String,
    /// How it went.
    pub outcome: Outcome,
    /// What went wrong, when something did.
    pub reason: Option<String>,
    /// Records in its answer.
    pub found: usize,
    /// How many records it says there are.
    pub total: Option<u64>,
    /// Requests that were sent.
    pub requests: u32,
    /// How long it took, in seconds.
    pub took_s: f64,
}

/// How asking went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There are records.
    Answered,
    /// It knows nothing of that.
    Nothing,
    /// It was not asked, or did not answer.
    Failed,
}

/// A form that was chosen, and whether it may be asked.
pub struct Chosen {
    pub found: FormEntry,
    /// The form and where it is, or why it may not.
    pub opened: Result<(Opened, Web), String>,
}

/// What a source said.
#[derive(Default)]
struct Said {
    records: Vec<Record>,
    total: Option<StatedTotal>,
    requests: u32,
    /// Why there is no more.
    trouble: Option<String>,
}

impl Chosen {
    /// Asks it.
    pub async fn hear(self, asker: &Arc<Asker>, words: &str) -> (Source, Vec<Record>) {
        let began = Instant::now();
        let said = match &self.opened {
            Err(why) => Said::trouble(why),
            Ok((form, web)) => match tokio::time::timeout(PATIENCE, ask(asker, form, web, words)).await {
                Ok(Ok(said)) => said,
                Ok(Err(error)) => Said::trouble(error),
                Err(_) => Said::trouble("it took too long"),
            },
        };
        let row = &self.found.row;
        let outcome = match (said.records.is_empty(), &said.trouble) {
            (false, _) => Outcome::Answered,
            (true, None) => Outcome::Nothing,
            (true, Some(_)) => Outcome::Failed,
        };
        let source = Source {
            form_id: row.form_id.to_string(),
            topic: row.topic.clone(),
            site: row.site.to_string(),
            page_url: row.page_url.to_string(),
            outcome,
            reason: said.trouble,
            found: said.records.len(),
            total: said.total.map(StatedTotal::count),
            requests: said.requests,
            took_s: began.elapsed().as_secs_f64(),
        };
        (source, said.records)
    }
}

impl Said {
    fn trouble(why: impl ToString) -> Said {
        Said { trouble: Some(why.to_string()), ..Said::default() }
    }

    fn take(&mut self, taken: HarvestUpdate) {
        self.records.extend(taken.records.into_iter().map(|(record, _)| record));
        if let Some(ended) = taken.finished {
            self.total = ended.total;
        }
    }
}

/// Each turn is one request: put on record, sent, understood.
async fn ask(asker: &Asker, form: &Opened, web: &Web, words: &str) -> Result<Said, StoreError> {
    let door = EntryPage::new(form.form.clone(), form.page.clone(), &form.charset);
    if !door.takes_words() {
        return Ok(Said::trouble("no words can be typed into it"));
    }
    let wishes = HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: form.id.0 };
    let mut harvest = HarvestSession::new(door, Box::new(OneQuestion(Some(Query::words(words)))), wishes);
    let alone = asker.courier(&web.fetch);
    // Each question has a simulated clock of its own, and pauses on it are nobody else's.
    let (courier, mut pace) = match web.time {
        TimeKind::Real => (web.courier.as_ref(), Pace::real()),
        TimeKind::Simulated => (&alone, Pace::simulated(Time(0))),
    };
    let mut said = Said::default();
    for _ in 0..MOST_REQUESTS {
        let Some((request, purpose)) = harvest.next_request() else { break };
        let number = match purpose.submits() {
            true => Some(put_on_record(asker, form, &request, pace.now())?),
            false => None,
        };
        let delivered = courier.deliver(&request, &mut pace).await;
        said.requests += delivered.requests;
        let exchange = match delivered.result {
            Ok(exchange) => exchange,
            Err(why) => {
                said.trouble = Some(why.to_string());
                break;
            }
        };
        if let Some(number) = number {
            asker.store.end_question(number, &retry::answered(&exchange))?;
        }
        if let Err(error) = &exchange.result {
            said.trouble = Some(error.to_string());
        }
        said.take(harvest.receive(read(request.url, exchange).await));
    }
    let ending = harvest.ending().filter(|ending| *ending != HarvestEnding::NothingLeft);
    said.trouble = said.trouble.or_else(|| ending.map(|ending| ending.to_string()));
    Ok(said)
}

fn put_on_record(asker: &Asker, form: &Opened, request: &Request, at: Time) -> Result<u64, StoreError> {
    asker.store.log_question(&Submission {
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
