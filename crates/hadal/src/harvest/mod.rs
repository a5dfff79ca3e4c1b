//! The walk of a query, from a form to stored records.
//!
//! [`walk`] is the function to read first: what to send is decided by
//! [`hadal_core::harvest::session::HarvestSession`], sent by a [`Courier`] who keeps to robots.txt, pauses and
//! budget, and what came of it is kept in the [`crate::store`] before anything else happens. [`harvest`]
//! runs several forms side by side; [`opening`] and [`at_address`] say which form is meant.

mod courier;
mod event;
pub mod opening;
mod pace;
pub mod truth;
mod visit;
mod walk;

pub use courier::{Courier, Delivered, Purse, Undelivered};
pub use event::{Event, Standing};
pub use pace::Pace;
pub use visit::{at_address, page_at};
pub use walk::{read, walk};

use crate::fetch::Fetch;
use crate::fetch::politeness::Politeness;
use crate::store::{
    Control, HarvestCounters, HarvestEstimate, HarvestId, HarvestSpec, HarvestState, Store, StoreError,
};
use futures::StreamExt;
use hadal_core::harvest::policy::PolicyContext;
use hadal_core::harvest::session::{HarvestEnding, HarvestOptions};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Forms to harvest, and all that is needed for it.
pub struct Haul {
    /// Where records are kept.
    pub store: Arc<dyn Store>,
    /// What carries requests.
    pub fetch: Arc<dyn Fetch>,
    /// The forms.
    pub jobs: Vec<Job>,
    /// How hosts are treated.
    pub politeness: Politeness,
    /// The name robots.txt knows us by.
    pub agent: String,
    /// The most bytes of one body.
    pub body_limit: u64,
    /// Requests of all of them together, over all sessions.
    pub max_requests: Option<u64>,
    /// Bytes likewise.
    pub max_bytes: Option<u64>,
    /// Running time of this session.
    pub max_time: Option<Duration>,
    /// Forms at once.
    pub concurrency: usize,
    /// Which clock they run on.
    pub time: TimeKind,
    /// Says when to stop.
    pub stop: watch::Receiver<bool>,
}

/// Which clock harvests run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeKind {
    /// The wall's.
    Real,
    /// Each has a simulated one of its own.
    Simulated,
}

/// One form to harvest.
#[derive(Clone, Debug)]
pub struct Job {
    /// What makes it this harvest and no other.
    pub spec: HarvestSpec,
    /// Character encoding of the form's page.
    pub charset: String,
    /// What it is after.
    pub wishes: HarvestOptions,
    /// What its policy is told.
    pub policy_context: PolicyContext,
    /// Whether what it has done so far is thrown away first.
    pub fresh: bool,
}

/// How a harvest ended.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Which one.
    pub id: HarvestId,
    /// How it stands.
    pub state: HarvestState,
    /// Why it ended, when it did by itself.
    pub ending: Option<HarvestEnding>,
    /// What it counted, over all sessions.
    pub tally: HarvestCounters,
    /// How much there is.
    pub estimate: Option<HarvestEstimate>,
}

/// Harvests every form to its end, or until budget, time or a person stops it.
pub async fn harvest(haul: Haul, tell: &mut (dyn FnMut(Event) + Send)) -> Result<Vec<Summary>, StoreError> {
    let tell = Mutex::new(tell);
    let tell = |event| (tell.lock().unwrap_or_else(PoisonError::into_inner))(event);
    let ids = begin(&haul)?;
    let stop = ending_by(&haul);
    let shared = Arc::new(courier(&haul, &ids, stop.clone())?);
    let walks = haul.jobs.iter().zip(&ids).map(|(job, id)| {
        let courier = match haul.time {
            TimeKind::Real => Ok(Arc::clone(&shared)),
            TimeKind::Simulated => courier(&haul, std::slice::from_ref(id), stop.clone()).map(Arc::new),
        };
        let (store, tell) = (haul.store.as_ref(), &tell);
        async move { walk(job, *id, &*courier?, store, haul.time, tell).await }
    });
    let ended: Vec<_> =
        futures::stream::iter(walks).buffer_unordered(haul.concurrency.max(1)).collect().await;
    haul.store.sync()?;
    ended.into_iter().collect()
}

fn begin(haul: &Haul) -> Result<Vec<HarvestId>, StoreError> {
    let now = match haul.time {
        TimeKind::Real => Pace::real().now(),
        TimeKind::Simulated => hadal_core::time::Time(0),
    };
    let begin = |job: &Job| {
        let id = haul.store.begin_harvest(&job.spec, now)?;
        if !job.fresh {
            return Ok(id);
        }
        haul.store.discard_harvest(id)?;
        haul.store.begin_harvest(&job.spec, now)
    };
    let ids: Vec<HarvestId> = haul.jobs.iter().map(begin).collect::<Result<_, StoreError>>()?;
    ids.iter().try_for_each(|id| forget_wishes(haul.store.as_ref(), *id))?;
    Ok(ids)
}

/// What was asked of an earlier session is done with.
fn forget_wishes(store: &dyn Store, id: HarvestId) -> Result<(), StoreError> {
    let nothing = Control::default();
    if store.harvest_control(id)? == nothing { Ok(()) } else { store.set_harvest_control(id, &nothing) }
}

fn courier(haul: &Haul, ids: &[HarvestId], stop: watch::Receiver<bool>) -> Result<Courier, StoreError> {
    let mut spent = (0, 0);
    for id in ids {
        let tally = haul.store.resume_harvest(*id)?.row.tally;
        spent = (spent.0 + tally.requests, spent.1 + tally.bytes);
    }
    let purse = Purse::new(haul.max_requests, haul.max_bytes, spent);
    let fetch = Arc::clone(&haul.fetch);
    Ok(Courier::new(fetch, haul.politeness, &haul.agent, haul.body_limit, purse, stop))
}

/// Says stop when somebody does, or when the time is over.
fn ending_by(haul: &Haul) -> watch::Receiver<bool> {
    let Some(most) = haul.max_time else { return haul.stop.clone() };
    let (say, said) = watch::channel(false);
    let mut stop = haul.stop.clone();
    tokio::spawn(async move {
        let asked = async {
            if stop.wait_for(|stop| *stop).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = asked => {}
            () = tokio::time::sleep(most) => {}
        }
        say.send_replace(true);
        // The last words are heard for as long as anyone listens.
        say.closed().await;
    });
    said
}
