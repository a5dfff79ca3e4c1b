//! Counters of one run.

use super::errors;
use super::values::{is_simulated, seconds, state_name, timestamp};
use crate::store::{FailureKind, RunRow};
use hadal_core::time::Time;
use serde::Serialize;
use utoipa::ToSchema;

/// A run with its counters.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RunView {
    /// Number of the run in the store.
    pub run: u64,
    /// Topic of the run.
    pub topic: String,
    /// Strategy of the run.
    pub strategy: String,
    /// Web that is crawled: "web", or the name of a simulated web.
    pub source: String,
    /// Seed of its random choices.
    pub seed: u64,
    /// Number of start URLs.
    pub seeds: usize,
    /// running, interrupted, paused, stopped, budget (spent) or exhausted.
    pub state: String,
    /// Requests sent or attempted.
    pub requests: u64,
    /// Request budget, if limited.
    pub max_requests: Option<u64>,
    /// Requests that submitted a form.
    pub probes: u64,
    /// Bytes of bodies received.
    pub bytes: u64,
    /// HTML pages fetched so far.
    pub pages: u64,
    /// Links that failed.
    pub failed: u64,
    /// Sites with at least one page.
    pub sites: u64,
    /// Distinct forms of any kind.
    pub forms: u64,
    /// Distinct searchable forms.
    pub forms_searchable: u64,
    /// Distinct relevant forms.
    pub forms_relevant: u64,
    /// Links in the frontier.
    pub frontier: u64,
    /// Running time in seconds on the run's clock.
    pub elapsed_s: f64,
    /// Failures and retries by kind, most frequent first.
    pub errors: Vec<ErrorCount>,
    /// Time of the last checkpoint; null on a simulated web: its clock starts in 1970.
    pub last_at: Option<String>,
}

/// Number of failures of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ErrorCount {
    /// Failure kind: "http_404", "connect", "robots", ...
    pub kind: String,
    /// Number of failures.
    pub count: u64,
    /// Explanation of the kind.
    pub explanation: String,
}

/// Time of the last checkpoint, unless the clock of the run is simulated.
pub(super) fn last_at(row: &RunRow) -> Option<String> {
    real_time(row.progress.now)
}

/// A time as text, unless its clock is simulated.
pub(super) fn real_time(at: Time) -> Option<String> {
    (!is_simulated(at)).then(|| timestamp(at))
}

/// Run with its counters.
pub fn view(row: &RunRow) -> RunView {
    let (spec, counters) = (&row.spec, &row.counters);
    RunView {
        run: row.id.0,
        topic: spec.topic.clone(),
        strategy: spec.strategy.clone(),
        source: spec.source.clone(),
        seed: spec.seed,
        seeds: spec.seeds.len(),
        state: state_name(row.progress.state).to_string(),
        requests: counters.requests,
        max_requests: row.progress.max_requests,
        probes: counters.probes,
        bytes: counters.bytes,
        pages: counters.pages,
        failed: counters.failed,
        sites: counters.sites,
        forms: counters.forms,
        forms_searchable: counters.searchable,
        forms_relevant: counters.relevant,
        frontier: counters.waiting,
        elapsed_s: seconds(row.progress.elapsed_ms),
        errors: error_counts(&counters.errors),
        last_at: last_at(row),
    }
}

/// Failures by kind, most frequent first.
pub fn error_counts(counted: &std::collections::BTreeMap<FailureKind, u64>) -> Vec<ErrorCount> {
    errors(counted.iter())
        .into_iter()
        .map(|(kind, count)| ErrorCount { kind: kind.to_string(), count, explanation: kind.explanation() })
        .collect()
}
