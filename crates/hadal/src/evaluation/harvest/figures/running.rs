//! What harvests came to, and what choosing queries cost.

use super::comparison::{Comparison, mean, shown};
use crate::evaluation::harvest::curve::LEVELS;
use crate::evaluation::harvest::trial::Trial;
use crate::output::sections::{Section, headings};

/// Means of each policy over all its harvests.
pub fn section(all: Comparison<'_>) -> Section {
    let row = |policy: &str| {
        let of = |figure: fn(&Trial) -> f64| {
            mean(all.0.iter().filter(|trial| trial.case.policy == policy).map(figure))
        };
        vec![
            policy.to_string(),
            shown(
                of(|_| 1.0).map(|_| all.0.iter().filter(|trial| trial.case.policy == policy).count() as f64),
                0,
            ),
            shown(of(|trial| f64::from(u8::from(trial.reached(LEVELS.len() - 1)))), 2),
            shown(of(|trial| 100.0 * trial.curve.coverage(&trial.curve.end())), 1),
            shown(of(|trial| trial.curve.end().requests as f64), 0),
            shown(of(|trial| 1000.0 * trial.cpu_seconds / trial.curve.end().queries.max(1) as f64), 1),
        ]
    };
    Section {
        title: "What harvests came to".into(),
        note: "Means over all harvests of a policy. Complete: share that reached 95 % and stopped there. Coverage \
               and requests at the end. CPU in milliseconds a query, the database's own work included."
            .into(),
        headings: headings(&["policy", "harvests", "complete", "coverage %", "requests", "CPU"]),
        rows: all.policies().into_iter().map(row).collect(),
        ..Section::default()
    }
}
