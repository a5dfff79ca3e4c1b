//! Events of a harvest. Their JSON form is part of the output formats.

use crate::store::{HarvestCounters, HarvestEstimate, HarvestState};
use serde::Serialize;

/// Event of a harvest.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum HarvestEvent {
    /// A harvest starts or resumes.
    Began {
        /// Number of the harvest.
        harvest: u64,
        /// Id of the form.
        form: String,
        /// URL of the form's page.
        page: String,
        /// Name of the query policy.
        policy: String,
        /// Requests of earlier sessions.
        resumed_at: u64,
    },
    /// A request was answered in the middle of a query. Not part of the output formats: there are too many.
    #[serde(skip)]
    RequestFinished {
        /// Number of the harvest.
        harvest: u64,
        /// Requests over all sessions.
        requests: u64,
    },
    /// A query is finished: its answer was read.
    #[serde(rename = "asked")]
    QueryFinished {
        /// Query in readable form.
        query: String,
        /// Records in the answer.
        found: u32,
        /// Records that were new.
        new: u32,
        /// State of the harvest after the query.
        #[serde(flatten)]
        standing: HarvestStanding,
    },
    /// A session of a harvest ends.
    Ended {
        /// State of the harvest in the store.
        state: HarvestState,
        /// Reason why the harvest is complete; `None` when the session was stopped or out of budget.
        ending: Option<&'static str>,
        /// State of the harvest at the end.
        #[serde(flatten)]
        standing: HarvestStanding,
    },
}

/// State of a harvest at one point.
#[derive(Clone, Debug, Serialize)]
pub struct HarvestStanding {
    /// Number of the harvest.
    pub harvest: u64,
    /// Counters over all sessions.
    #[serde(flatten)]
    pub counters: HarvestCounters,
    /// Size of the database: lower bound, estimate, upper bound.
    pub estimate: Option<HarvestEstimate>,
    /// Queries that the policy would send next, in readable form.
    pub next: Vec<String>,
}
