//! Queries and requests to each coverage level, by setting.

use super::comparison::HarvestComparison;
use crate::figures::{mean, shown};
use crate::harvest::curve::LEVELS;
use crate::harvest::trial::HarvestTrial;
use hadal::output::sections::Section;
use std::borrow::Cow;

/// Means over collections and seeds.
pub fn section(all: HarvestComparison<'_>) -> Section {
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
               of its answer, a further page, or a page again that failed. > marks means that hold harvests \
               which missed the level and count at their budget."
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
