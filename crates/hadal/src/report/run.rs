//! One run in numbers.

use super::errors;
use super::values::{seconds, state_name};
use crate::store::RunRow;
use serde::Serialize;
use utoipa::ToSchema;

/// A run and what it counted.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RunView {
    /// Its number.
    pub run: u64,
    /// Its topic.
    pub topic: String,
    /// Its strategy.
    pub strategy: String,
    /// Where its pages come from: "web", or a simulated web by name.
    pub source: String,
    /// Seed of its random choices.
    pub seed: u64,
    /// How many addresses it started from.
    pub seeds: usize,
    /// running, paused, stopped, budget (spent) or exhausted.
    pub state: String,
    /// Requests sent or attempted.
    pub requests: u64,
    /// Requests it may spend in all, when there is a limit.
    pub max_requests: Option<u64>,
    /// Of the requests, how many submitted a form.
    pub probes: u64,
    /// Bytes of body received.
    pub bytes: u64,
    /// Pages read.
    pub pages: u64,
    /// Links given up.
    pub failed: u64,
    /// Sites with at least one page.
    pub sites: u64,
    /// Distinct forms of any kind.
    pub forms: u64,
    /// Distinct searchable forms.
    pub forms_searchable: u64,
    /// Distinct relevant forms.
    pub forms_relevant: u64,
    /// Leads that wait.
    pub frontier: u64,
    /// Seconds spent running, on the run's own clock.
    pub elapsed_s: f64,
    /// Failures and retries by kind, the most frequent first.
    pub errors: Vec<ErrorCount>,
}

/// How often something went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ErrorCount {
    /// What: "http_404", "connect", "robots", ...
    pub kind: String,
    /// How often.
    pub count: u64,
}

/// A run and what it counted.
pub fn view(row: &RunRow) -> RunView {
    let (spec, tally) = (&row.spec, &row.tally);
    RunView {
        run: row.id.0,
        topic: spec.topic.clone(),
        strategy: spec.strategy.clone(),
        source: spec.source.clone(),
        seed: spec.seed,
        seeds: spec.seeds.len(),
        state: state_name(row.progress.state).to_string(),
        requests: tally.requests,
        max_requests: row.progress.max_requests,
        probes: tally.probes,
        bytes: tally.bytes,
        pages: tally.pages,
        failed: tally.failed,
        sites: tally.sites,
        forms: tally.forms,
        forms_searchable: tally.searchable,
        forms_relevant: tally.relevant,
        frontier: tally.waiting,
        elapsed_s: seconds(row.progress.elapsed_ms),
        errors: error_counts(&tally.errors),
    }
}

/// Failures by kind, the most frequent first.
pub fn error_counts(counted: &std::collections::BTreeMap<String, u64>) -> Vec<ErrorCount> {
    errors(counted.iter()).into_iter().map(|(kind, count)| ErrorCount { kind, count }).collect()
}
