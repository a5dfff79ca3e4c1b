//! Effort of harvests: queries and requests to each coverage level, and totals with the CPU time of choosing queries.

use super::comparison::HarvestComparison;
use crate::figures::{mean, shown};
use crate::harvest::curve::LEVELS;
use crate::harvest::trial::HarvestTrial;
use hadal::output::sections::{Section, headings};
use std::borrow::Cow;

/// Means over collections and seeds.
pub fn by_level(all: HarvestComparison<'_>) -> Section {
    let rows = all.settings().into_iter().flat_map(|setting| {
        let policies = all.policies().into_iter();
        policies.filter(move |policy| all.of(setting, policy).next().is_some()).map(move |policy| {
            let names = [setting.to_string(), policy.to_string()];
            let cells = (0..LEVELS.len()).map(|level| cell(all, setting, policy, level));
            names.into_iter().chain(cells).collect()
        })
    });
    let level = |level: f64| Cow::Owned(format!("{:.0} %", 100.0 * level));
    Section {
        title: "Queries and requests to each coverage".into(),
        note:
            "Means over collections and seeds: queries / requests. A request is a query with the first page \
               of its answer, a further page, or a page again that failed. > : some harvests missed the \
               level and count with their budget."
                .into(),
        headings: ["setting".into(), "policy".into()].into_iter().chain(LEVELS.map(level)).collect(),
        rows: rows.collect(),
        ..Section::default()
    }
}

fn cell(all: HarvestComparison<'_>, setting: &str, policy: &str, level: usize) -> String {
    let of = |figure: fn(&HarvestTrial, usize) -> f64| {
        shown(mean(all.of(setting, policy).map(|trial| figure(trial, level))), 0)
    };
    let is_missed = all.of(setting, policy).any(|trial| !trial.reached(level));
    let mark = if is_missed { ">" } else { "" };
    format!("{mark}{} / {}", of(HarvestTrial::queries_to), of(HarvestTrial::requests_to))
}

/// Means over all harvests of each policy.
pub fn totals(all: HarvestComparison<'_>) -> Section {
    Section {
        title: "Results per policy".into(),
        note: "Means over all harvests of a policy. Complete: share that reached 95 % and stopped there. Coverage \
               and requests at the end. CPU in milliseconds a query, the database's own work included."
            .into(),
        headings: headings(&["policy", "harvests", "complete", "coverage %", "requests", "CPU"]),
        rows: all.policies().into_iter().map(|policy| total_row(all, policy)).collect(),
        ..Section::default()
    }
}

fn total_row(all: HarvestComparison<'_>, policy: &str) -> Vec<String> {
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
