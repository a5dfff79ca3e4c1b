//! All numbers that users see, computed from the store in one place.
//!
//! `hadal status`, the summary of a run, the progress display and the dashboard use this module. Counts are
//! sums over runs and harvests: a site that two runs visited counts twice, and so does a record of two
//! harvests.

pub mod curve;
pub mod facets;
pub mod form;
pub mod harvest;
pub mod judged;
pub mod lists;
pub mod quality;
pub mod run;
pub mod seeds;
pub mod submitted;
pub mod values;
pub mod watching;

use crate::store::{
    FailureKind, HarvestQuery, HarvestRow, RowOrder, RunCounters, RunId, RunQuery, RunRow, Store, StoreError,
    WorkerRow, all_workers,
};
pub use harvest::Coverage;
use serde::Serialize;
use std::time::Duration;
use values::{seconds, state_name};

/// Counters of a run at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunSnapshot {
    /// Requests sent in all sessions of the run.
    pub requests: u64,
    /// Request budget of the run.
    pub max_requests: Option<u64>,
    /// HTML pages fetched so far.
    pub pages: u64,
    /// Distinct searchable forms.
    pub searchable: u64,
    /// Distinct relevant forms.
    pub relevant: u64,
    /// Links in the frontier.
    pub waiting: u64,
    /// Sites with at least one page.
    pub sites: u64,
    /// Links that failed.
    pub failed: u64,
    /// Running time of this session.
    pub elapsed: Duration,
}

/// Status of a store, as shown by `hadal status`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Requests sent or attempted.
    pub requests: u64,
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
    /// Queries with answers that were read.
    pub queries: u64,
    /// Distinct records found so far.
    pub records: u64,
    /// Coverage of all harvests together.
    pub coverage: Coverage,
    /// Links in the frontier.
    pub frontier: u64,
    /// Running time in seconds.
    pub elapsed_s: f64,
    /// Failures and retries by kind, most frequent first.
    pub errors: Vec<(FailureKind, u64)>,
    /// Runs that are counted.
    pub runs: Vec<RunStatus>,
    /// Workers of runs with several.
    pub workers: Vec<WorkerRow>,
}

/// A run in a status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunStatus {
    /// Number of the run in the store.
    pub run: u64,
    pub topic: String,
    pub strategy: String,
    pub state: &'static str,
    /// Requests sent or attempted.
    pub requests: u64,
    /// Distinct relevant forms.
    pub forms_relevant: u64,
    /// Time of the last checkpoint; null on a simulated web: its clock starts in 1970.
    pub last_at: Option<String>,
}

/// Maximum number of runs counted, latest first. Guess.
const MAX_RUNS: usize = 10_000;

/// Status over all runs and harvests.
pub fn status(store: &dyn Store) -> Result<Status, StoreError> {
    let mut runs =
        store.runs(&RunQuery { order: RowOrder::Newest, limit: Some(MAX_RUNS), ..RunQuery::default() })?;
    runs.reverse();
    let crawled = Status { workers: all_workers(store)?, ..sum(&runs) };
    Ok(with_harvests(crawled, &store.harvests(&HarvestQuery::default())?))
}

/// Status of one run; zeros for an unknown run.
pub fn run_status(store: &dyn Store, run: RunId) -> Result<Status, StoreError> {
    let runs = store.runs(&RunQuery::one(run))?;
    let workers = all_workers(store)?.into_iter().filter(|worker| worker.run == run.0).collect();
    Ok(Status { workers, ..sum(&runs) })
}

/// Snapshot for the progress display.
pub fn snapshot(counters: &RunCounters, elapsed: Duration, max_requests: Option<u64>) -> RunSnapshot {
    RunSnapshot {
        requests: counters.requests,
        max_requests,
        pages: counters.pages,
        searchable: counters.searchable,
        relevant: counters.relevant,
        waiting: counters.waiting,
        sites: counters.sites,
        failed: counters.failed,
        elapsed,
    }
}

/// Sum over runs.
pub fn sum(runs: &[RunRow]) -> Status {
    let total = |count: fn(&RunCounters) -> u64| runs.iter().map(|run| count(&run.counters)).sum();
    Status {
        requests: total(|counters| counters.requests),
        probes: total(|counters| counters.probes),
        bytes: total(|counters| counters.bytes),
        pages: total(|counters| counters.pages),
        failed: total(|counters| counters.failed),
        sites: total(|counters| counters.sites),
        forms: total(|counters| counters.forms),
        forms_searchable: total(|counters| counters.searchable),
        forms_relevant: total(|counters| counters.relevant),
        frontier: total(|counters| counters.waiting),
        elapsed_s: seconds(runs.iter().map(|run| run.progress.elapsed_ms).sum()),
        errors: errors(runs.iter().flat_map(|run| &run.counters.errors)),
        runs: runs.iter().map(run_line).collect(),
        ..Status::default()
    }
}

/// Adds harvests to a status.
pub fn with_harvests(crawled: Status, harvests: &[HarvestRow]) -> Status {
    let total = |count: fn(&HarvestRow) -> u64| harvests.iter().map(count).sum::<u64>();
    let trouble = harvests.iter().flat_map(|harvest| &harvest.counters.errors);
    let before = crawled.errors.iter().map(|(kind, count)| (kind, count));
    Status {
        requests: crawled.requests + total(|harvest| harvest.counters.requests),
        bytes: crawled.bytes + total(|harvest| harvest.counters.bytes),
        pages: crawled.pages + total(|harvest| harvest.counters.pages),
        failed: crawled.failed + total(|harvest| harvest.counters.failed),
        queries: total(|harvest| harvest.counters.queries),
        records: total(|harvest| harvest.counters.records),
        coverage: Coverage::of(harvests),
        elapsed_s: crawled.elapsed_s + seconds(total(|harvest| harvest.progress.elapsed_ms)),
        errors: errors(before.chain(trouble)),
        ..crawled
    }
}

fn errors<'a>(counted: impl Iterator<Item = (&'a FailureKind, &'a u64)>) -> Vec<(FailureKind, u64)> {
    let mut all = std::collections::BTreeMap::<FailureKind, u64>::new();
    for (kind, count) in counted {
        *all.entry(*kind).or_default() += count;
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all
}

fn run_line(run: &RunRow) -> RunStatus {
    let spec = run.spec.clone();
    let state = state_name(run.progress.state);
    RunStatus {
        run: run.id.0,
        topic: spec.topic,
        strategy: spec.strategy,
        state,
        requests: run.counters.requests,
        forms_relevant: run.counters.relevant,
        last_at: run::last_at(run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{
        HarvestCounters, HarvestEstimate, HarvestId, HarvestProgress, HarvestSpec, RunProgress, RunSpec,
    };
    use hadal_core::time::Time;

    const NOT_FOUND: FailureKind = FailureKind::Http(404);
    const CONNECT: FailureKind = FailureKind::Fetch(hadal_core::http::FetchError::Connect);

    fn run(id: u64, requests: u64) -> RunRow {
        let (topic, strategy, source) = ("book".to_string(), "best-first".to_string(), "web".to_string());
        let errors = [(NOT_FOUND, requests), (CONNECT, 1)].into();
        RunRow {
            id: RunId(id),
            spec: RunSpec { topic, strategy, seeds: vec![], seed: 1, source },
            progress: RunProgress { elapsed_ms: 1500, ..RunProgress::default() },
            counters: RunCounters { requests, relevant: 2, waiting: 5, errors, ..RunCounters::default() },
            curve: vec![],
            queues: vec![],
            lessons: vec![],
        }
    }

    #[test]
    fn runs_add_up() {
        let status = sum(&[run(1, 10), run(2, 32)]);
        assert_eq!((status.requests, status.forms_relevant, status.frontier), (42, 4, 10));
        assert_eq!(status.elapsed_s, 3.0);
        assert_eq!(status.errors, [(NOT_FOUND, 42), (CONNECT, 2)]);
        assert_eq!(status.runs[1].run, 2);
    }

    fn harvest(records: u64, estimate: Option<HarvestEstimate>) -> HarvestRow {
        let page = url::Url::parse("http://a.org/").unwrap();
        let spec = HarvestSpec {
            form: hadal_core::identity::FormId(1),
            topic: "book".into(),
            form_snapshot: hadal_core::page::Form::to(page.clone(), hadal_core::http::Method::Get, vec![]),
            page,
            policy: "hadal".into(),
            seed: 1,
            source: "web".into(),
        };
        let errors = [(CONNECT, 3)].into();
        let progress = HarvestProgress { elapsed_ms: 500, ..HarvestProgress::default() };
        let counters =
            HarvestCounters { requests: 5, queries: 4, records, errors, ..HarvestCounters::default() };
        let (upcoming, curve) = (vec![], vec![]);
        HarvestRow {
            id: HarvestId(1),
            spec,
            began: Time(0),
            progress,
            counters,
            estimate,
            upcoming,
            curve,
            refresh: None,
        }
    }

    #[test]
    fn harvests_are_added_to_runs() {
        let status = with_harvests(sum(&[run(1, 10)]), &[harvest(7, None), harvest(8, None)]);
        assert_eq!((status.requests, status.queries, status.records), (20, 8, 15));
        assert_eq!(status.elapsed_s, 2.5);
        assert_eq!(status.errors, [(NOT_FOUND, 10), (CONNECT, 7)]);
        assert_eq!(status.coverage, Coverage::default());
    }

    #[test]
    fn a_large_database_weighs_more_in_the_coverage() {
        let told =
            |size: f64, coverage| Some(HarvestEstimate { size: [size / 2.0, size, size * 2.0], coverage });
        let large = harvest(270, told(300.0, [0.8, 0.9, 1.0]));
        let alone = Coverage::of(std::slice::from_ref(&large));
        assert_eq!((alone.low, alone.estimate, alone.high), (Some(0.8), Some(0.9), Some(1.0)));
        let small = harvest(10, told(100.0, [0.0, 0.1, 0.2]));
        let endless = harvest(1, None);
        let both = Coverage::of(&[large, small, endless]);
        assert!((both.estimate.unwrap() - 0.7).abs() < 1e-9, "{both:?}");
        assert!((both.low.unwrap() - 0.6).abs() < 1e-9 && (both.high.unwrap() - 0.8).abs() < 1e-9);
    }

    #[test]
    fn an_empty_store_has_zero_or_null_figures() {
        let json = serde_json::to_value(sum(&[])).unwrap();
        for key in ["requests", "pages", "failed", "sites", "forms_searchable", "forms_relevant", "queries"] {
            assert_eq!(json[key], 0, "{key}");
        }
        assert_eq!(json["records"], 0);
        assert_eq!(json["frontier"], 0);
        assert_eq!(json["elapsed_s"], 0.0);
        assert!(["estimate", "low", "high"].iter().all(|key| json["coverage"][key].is_null()));
    }
}
