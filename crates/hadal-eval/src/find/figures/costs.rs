//! Requests by purpose, precision of verdicts, and cost of the crawls.

use super::comparison::FindComparison;
use crate::figures::{mean, shown};
use crate::find::trial::FindTrial;
use hadal::output::sections::{Section, headings};

/// Means over all crawls of each strategy.
pub fn section(all: FindComparison<'_>) -> Section {
    let row = |strategy: &str| {
        let of = |figure: fn(&FindTrial) -> f64| {
            let trials = all.0.iter().filter(|trial| trial.spec.strategy == strategy);
            mean(trials.map(figure))
        };
        let whole = [
            of(|trial| trial.end().requests as f64),
            of(|trial| trial.end().pages as f64),
            of(|trial| trial.requests.robots as f64),
            of(|trial| trial.requests.lookups as f64),
            of(|trial| trial.training.requests as f64),
        ];
        let exact = [
            of(|trial| share(trial.end().relevant, trial.end().relevant + trial.end().wrong)),
            of(|trial| share(trial.end().relevant, trial.end().met)),
            of(|trial| share(trial.end().relevant, trial.existing)),
            of(|trial| share(trial.cost.cache_hits, trial.cost.cache_hits + trial.cost.cache_misses)),
            of(|trial| 1000.0 * trial.cost.cpu_seconds / trial.end().requests.max(1) as f64),
        ];
        let cells =
            whole.map(|figure| shown(figure, 0)).into_iter().chain(exact.map(|figure| shown(figure, 2)));
        std::iter::once(strategy.to_string()).chain(cells).collect()
    };
    Section {
        title: "Requests by purpose".into(),
        note: "Means over all crawls of a strategy. Precision: share of the claimed forms that are relevant. \
               Recognised: share of the relevant forms on visited pages that were claimed. Recall: share of all \
               relevant forms that were claimed. Cache hits: visits to pages that another crawl had read. CPU in milliseconds a request."
            .into(),
        headings: headings(&[
            "strategy", "requests", "pages", "robots", "look-ups", "training", "precision", "recognised", "recall",
            "cache hits", "CPU",
        ]),
        rows: all.strategies().into_iter().map(row).collect(),
        ..Section::default()
    }
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
