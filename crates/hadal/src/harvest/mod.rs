//! Harvests: from a form to stored records.
//!
//! [`harvest_form`] is the function to read first. It harvests one form: a
//! [`hadal_core::harvest::session::HarvestSession`] decides what to send, a [`PoliteClient`] sends it, and the
//! [`crate::store`] keeps the result before anything else happens. [`harvest`] runs several forms side by side.
//! [`open_form`] finds the form that a user means.

mod event;
pub mod open_form;
pub mod refresh;
mod run;
pub mod truth;

pub use event::{HarvestEvent, HarvestStanding};
pub use run::{harvest_form, parse_response};

use crate::polite::{Clock, PoliteClient, RequestBudget};
use crate::store::{
    Activity, HarvestCounters, HarvestEstimate, HarvestId, HarvestSpec, HarvestState, HarvestStep, Store,
    StoreError, clear_control,
};
use futures::StreamExt;
use hadal_core::harvest::policy::{PolicyContext, PolicyEntry};
use hadal_core::harvest::session::{HarvestEnding, HarvestOptions};
use hadal_core::page::Page;
use hadal_core::time::Time;
use open_form::OpenedForm;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Forms to harvest in one session, with the client and the limits of that session.
pub struct HarvestPlan {
    /// Store that keeps records and queries.
    pub store: Arc<dyn Store>,
    /// Client that sends the requests. On the system clock all harvests share it and take turns; on a simulated
    /// clock each harvest has its own host states.
    pub client: PoliteClient,
    /// Forms to harvest.
    pub jobs: Vec<HarvestJob>,
    /// Maximum number of requests of all jobs together, over all sessions.
    pub max_requests: Option<u64>,
    /// Maximum number of bytes of response bodies of all jobs together, over all sessions.
    pub max_bytes: Option<u64>,
    /// Maximum running time of this session.
    pub max_time: Option<Duration>,
    /// Maximum number of forms harvested at the same time.
    pub concurrency: usize,
    /// Clock of every harvest. On a simulated one each harvest has its own time.
    pub clock: Clock,
}

impl HarvestPlan {
    /// A plan without limits on the system clock that harvests one form after the other.
    pub fn new(store: Arc<dyn Store>, client: PoliteClient, jobs: Vec<HarvestJob>) -> HarvestPlan {
        let (max_requests, max_bytes, max_time) = (None, None, None);
        HarvestPlan {
            store,
            client,
            jobs,
            max_requests,
            max_bytes,
            max_time,
            concurrency: 1,
            clock: Clock::Real,
        }
    }
}

/// One form to harvest.
#[derive(Clone)]
pub struct HarvestJob {
    /// Identity of the harvest.
    pub spec: HarvestSpec,
    /// Policy that chooses the queries if the form takes words.
    pub policy: PolicyEntry,
    /// Character encoding of the form's page.
    pub charset: String,
    /// Targets of the harvest: coverage, records, detail pages.
    pub options: HarvestOptions,
    /// Start information of the query policy.
    pub policy_context: PolicyContext,
    /// Requests and bytes that were spent to open the form. They are charged to the harvest.
    pub opening_cost: (u64, u64),
    /// Entry page, if it was fetched to open the form.
    pub entry_page: Option<Box<Page>>,
    /// True: earlier results of this harvest are discarded first.
    pub fresh: bool,
}

impl HarvestJob {
    /// Harvest of an opened form. The first queries are words of its page.
    pub fn new(form: OpenedForm, policy: &PolicyEntry, options: HarvestOptions) -> HarvestJob {
        let seed = options.seed;
        HarvestJob {
            opening_cost: form.cost,
            entry_page: form.entry_page,
            spec: HarvestSpec {
                form: form.id,
                topic: form.topic,
                page: form.page,
                form_snapshot: form.form,
                policy: policy.name.to_string(),
                seed,
                source: form.source,
            },
            policy: policy.clone(),
            charset: form.charset,
            options,
            policy_context: PolicyContext {
                seed,
                first_words: form.words,
                language: form.language,
                word_list: None,
            },
            fresh: false,
        }
    }
}

/// Result of a session of one harvest.
#[derive(Clone, Debug)]
pub struct HarvestSummary {
    /// Number of the harvest in the store.
    pub id: HarvestId,
    /// State at the end of the session.
    pub state: HarvestState,
    /// Reason why the harvest is complete; `None` when the session was stopped or out of budget.
    pub ending: Option<HarvestEnding>,
    /// Counters over all sessions.
    pub counters: HarvestCounters,
    /// Size of the database.
    pub estimate: Option<HarvestEstimate>,
}

/// Harvests every form of a plan until it is complete, out of budget or stopped.
pub async fn harvest(
    plan: HarvestPlan,
    emit: &mut (dyn FnMut(HarvestEvent) + Send),
) -> Result<Vec<HarvestSummary>, StoreError> {
    let emit = Mutex::new(emit);
    let emit = |event| (emit.lock().unwrap_or_else(PoisonError::into_inner))(event);
    let ids = begin(&plan)?;
    let stop = stop_signal(&plan);
    let shared = client_for(&plan, &ids, &stop)?;
    let runs = plan.jobs.iter().zip(&ids).map(|(job, id)| {
        let client = match plan.clock {
            Clock::Real => Ok(shared.clone()),
            Clock::Simulated(_) => {
                client_for(&plan, std::slice::from_ref(id), &stop).map(|client| client.with_own_hosts())
            }
        };
        let (store, emit) = (plan.store.as_ref(), &emit);
        async move { harvest_form(job, *id, &client?, store, plan.clock, emit).await }
    });
    let ended: Vec<_> = futures::stream::iter(runs).buffer_unordered(plan.concurrency.max(1)).collect().await;
    plan.store.sync()?;
    ended.into_iter().collect()
}

fn begin(plan: &HarvestPlan) -> Result<Vec<HarvestId>, StoreError> {
    let now = plan.clock.now();
    let begin = |job: &HarvestJob| {
        let mut id = plan.store.begin_harvest(&job.spec, now)?;
        if job.fresh {
            plan.store.discard(Activity::Harvest(id))?;
            id = plan.store.begin_harvest(&job.spec, now)?;
        }
        charge_opening(plan.store.as_ref(), id, job, now)?;
        Ok(id)
    };
    let ids: Vec<HarvestId> = plan.jobs.iter().map(begin).collect::<Result<_, StoreError>>()?;
    ids.iter().try_for_each(|id| clear_control(plan.store.as_ref(), Activity::Harvest(*id)))?;
    Ok(ids)
}

/// Charges the requests that opened a form to its harvest.
fn charge_opening(store: &dyn Store, id: HarvestId, job: &HarvestJob, at: Time) -> Result<(), StoreError> {
    let (requests, bytes) = job.opening_cost;
    if requests == 0 {
        return Ok(());
    }
    let seq = store.resume_harvest(id)?.next_seq;
    let requests = u32::try_from(requests).unwrap_or(u32::MAX);
    store.commit_harvest(id, &HarvestStep { seq, at, requests, bytes, ..HarvestStep::default() }.into())
}

/// Client with a budget for these harvests, with the requests and bytes of earlier sessions charged.
fn client_for(
    plan: &HarvestPlan,
    ids: &[HarvestId],
    stop: &watch::Receiver<bool>,
) -> Result<PoliteClient, StoreError> {
    let mut spent = (0, 0);
    for id in ids {
        let counters = plan.store.resume_harvest(*id)?.row.counters;
        spent = (spent.0 + counters.requests, spent.1 + counters.bytes);
    }
    let budget = RequestBudget::new(plan.max_requests, plan.max_bytes, spent);
    Ok(plan.client.with_budget(budget).with_stop(stop.clone()))
}

/// Signal that turns true when the session is stopped or its time is over.
fn stop_signal(plan: &HarvestPlan) -> watch::Receiver<bool> {
    let mut stop = plan.client.stop_signal();
    let Some(max_time) = plan.max_time else { return stop };
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        let stopped = async {
            if stop.wait_for(|stop| *stop).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = stopped => {}
            () = tokio::time::sleep(max_time) => {}
        }
        sender.send_replace(true);
        // The value is readable only while the sender lives.
        sender.closed().await;
    });
    receiver
}
