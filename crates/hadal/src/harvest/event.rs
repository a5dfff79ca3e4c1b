//! What a harvest tells those who watch.

use crate::store::{HarvestCounters, HarvestEstimate, HarvestState};
use serde::Serialize;

/// Something happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A form is about to be asked.
    Began {
        /// The harvest's number.
        harvest: u64,
        /// Which form.
        form: String,
        /// The page it stands on.
        page: String,
        /// Which policy asks.
        policy: String,
        /// Requests of earlier sessions.
        resumed_at: u64,
    },
    /// A query was asked, and its answer read.
    Asked {
        /// What was asked.
        query: String,
        /// Records in the answer.
        found: u32,
        /// Of those, new ones.
        new: u32,
        /// Where the harvest stands now.
        #[serde(flatten)]
        standing: Standing,
    },
    /// A harvest ended, or stopped for now.
    Ended {
        /// How it stands.
        state: HarvestState,
        /// Why it ended, when it did by itself.
        ending: Option<&'static str>,
        /// Where it stands.
        #[serde(flatten)]
        standing: Standing,
    },
}

/// Where a harvest stands.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// The harvest's number.
    pub harvest: u64,
    /// What it counted, over all sessions.
    #[serde(flatten)]
    pub tally: HarvestCounters,
    /// How much there is: low, best guess, high.
    pub estimate: Option<HarvestEstimate>,
    /// What would be asked next.
    pub next: Vec<String>,
}
