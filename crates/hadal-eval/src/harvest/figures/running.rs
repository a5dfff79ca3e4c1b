//! Results of the harvests, and CPU time of choosing queries.

use super::comparison::HarvestComparison;
use crate::figures::{mean, shown};
use crate::harvest::curve::LEVELS;
use crate::harvest::trial::HarvestTrial;
use hadal::output::sections::{Section, headings};

/// Means over all harvests of each policy.
pub fn section(all: HarvestComparison<'_>) -> Section {
    Section {
        title: "What harvests came to".into(),
        note: "Means over all harvests of a policy. Complete: share that reached 95 % and stopped there. Coverage \
               and requests at the end. CPU in milliseconds a query, the database's own work included."
            .into(),
        headings: headings(&["policy", "harvests", "complete", "coverage %", "requests", "CPU"]),
        rows: all.policies().into_iter().map(|policy| row(all, policy)).collect(),
        ..Section::default()
    }
}

fn row(all: HarvestComparison<'_>, policy: &str) -> Vec<String> {
    let trials: Vec<&HarvestTrial> = all.0.iter().filter(|trial| trial.case.policy == policy).collect();
    let of = |figure: fn(&HarvestTrial) -> f64| mean(trials.iter().map(|trial| figure(trial)));
    vec![
        policy.to_string(),
        trials.len().to_string(),
        shown(of(|trial| f64::from(u8::from(trial.reached(LEVELS.len() - 1)))), 2),
        shown(of(|trial| 100.0 * trial.curve.coverage(&trial.curve.end())), 1),
        shown(of(|trial| trial.curve.end().requests as f64), 0),
        shown(of(|trial| 1000.0 * trial.cpu_seconds / trial.curve.end().queries.max(1) as f64), 1),
    ]
}
