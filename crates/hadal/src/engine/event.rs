//! What a crawl tells while it runs.

use crate::store::{FormRow, ProbedForm, RunCounters, RunState};
use hadal_core::strategy::StrategyGauge;
use serde::Serialize;

/// Something that happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum CrawlEvent {
    /// The crawl begins or goes on.
    Started {
        /// Run number.
        run: u64,
        /// Topic.
        topic: String,
        /// Strategy.
        strategy: String,
        /// Requests spent in earlier sessions.
        resumed_at: u64,
    },
    /// A form nobody had seen before in this run, searchable or not.
    Form(Box<FormRow>),
    /// A form was asked whether it searches, and is held for what it showed itself to be.
    Probed(Box<ProbedForm>),
    /// A link was given up.
    Failed {
        /// Which.
        url: String,
        /// Why.
        kind: String,
    },
    /// Where the run stands.
    Progress(RunCounters),
    /// What the strategy watches, every few hundred requests.
    Gauges {
        /// Requests so far.
        requests: u64,
        /// Pages so far.
        pages: u64,
        /// The numbers.
        gauges: Vec<StrategyGauge>,
    },
    /// The crawl ends for now.
    Finished {
        /// Why.
        state: RunState,
        /// What it counted.
        tally: RunCounters,
    },
}
