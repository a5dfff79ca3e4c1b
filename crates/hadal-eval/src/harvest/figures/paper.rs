//! Figures of Ntoulas, Zerfos and Cho (2005) beside ours in the same setting.

use super::comparison::HarvestComparison;
use crate::figures::{mean, shown};
use crate::harvest::settings::PAPER;
use crate::harvest::trial::HarvestTrial;
use hadal::output::sections::{Section, headings};

/// Index of the 80 % level.
const LEVEL: usize = 2;
/// Number of queries at which random words are compared. Choice of the report.
const QUERIES: f64 = 200.0;

/// Queries to 80 % by collection, published figures first.
pub fn section(all: HarvestComparison<'_>) -> Option<Section> {
    let published = ["published for PubMed", "83", "106", "0.78", "-", "42.5 %"].map(str::to_string).to_vec();
    let is_theirs = all.settings().contains(&PAPER);
    is_theirs.then(|| Section {
        title: "The paper's own setting".into(),
        note: "No cap, stop words not indexed, every query at the same cost: queries to 80 %, means over seeds, \
               and the coverage of random-16k after 200 queries. > marks what missed 80 % and counts at its budget."
            .into(),
        headings: headings(&[
            "collection", "adaptive", "generic-frequency", "ratio", "random-16k", "its coverage at 200",
        ]),
        rows: std::iter::once(published).chain(all.collections().into_iter().map(|name| row(all, name))).collect(),
        ..Section::default()
    })
}

fn row(all: HarvestComparison<'_>, collection: &str) -> Vec<String> {
    let of = |policy| all.within(collection, PAPER, policy);
    let queries = |policy| mean(of(policy).map(|trial| trial.queries_to(LEVEL)));
    let cell = |policy| {
        let mark = if of(policy).any(|trial| !trial.reached(LEVEL)) { ">" } else { "" };
        format!("{mark}{}", shown(queries(policy), 0))
    };
    let [adaptive, generic] = ["adaptive", "generic-frequency"].map(queries);
    let ratio = adaptive.zip(generic).map(|(adaptive, generic)| adaptive / generic);
    let covered =
        |trial: &HarvestTrial| 100.0 * trial.curve.coverage_at(|point| point.queries as f64, QUERIES);
    vec![
        collection.to_string(),
        cell("adaptive"),
        cell("generic-frequency"),
        shown(ratio, 2),
        cell("random-16k"),
        format!("{} %", shown(mean(of("random-16k").map(covered)), 1)),
    ]
}
