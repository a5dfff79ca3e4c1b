//! Coverage over cost, by collection (figures 10 to 16 of the paper).

use super::comparison::HarvestComparison;
use crate::figures::mean;
use crate::harvest::curve::{HarvestCurve, HarvestPoint};
use crate::harvest::plan::RESTARTED_POLICY;
use crate::harvest::settings::PAPER;
use crate::harvest::trial::HarvestTrial;
use hadal::output::chart::{Chart, Shape};
use hadal::output::sections::Section;

/// Points per line of a chart. Choice of the report.
const POINTS: u32 = 100;
/// Right end of a chart as a multiple of the end of the slowest complete harvest. Choice of the report.
const MARGIN: f64 = 1.2;
/// Setting of the charts over requests.
const BASE: &str = "base";
/// Costs of equation 2 of the paper: a query, its results, downloading new records.
const COST: [f64; 3] = [100.0, 100.0, 10_000.0];

/// Settings that differ in their cap only, largest cap first.
const CAPS: [&str; 4] = ["cap-none", "base", "cap-200", "cap-400"];
/// Policies of the charts by cap.
const CAPPED_POLICIES: [&str; 2] = ["generic-frequency", "adaptive"];

/// Cost at a point of a curve.
type Measure = fn(&HarvestCurve, &HarvestPoint) -> f64;

/// Name of a line, and the trials that it is the mean of.
type Line<'t> = (String, Vec<&'t HarvestTrial>);

const QUERIES: Measure = |_, point| point.queries as f64;

/// Coverage over queries, figures 10 to 13.
pub fn over_queries(all: HarvestComparison<'_>) -> Option<Section> {
    let note = "Every query at the same cost, no cap, stop words not indexed.";
    section(all, "Coverage over queries", note, |name| policies(all, name, PAPER), "queries", QUERIES)
}

/// Coverage over requests in the base setting.
pub fn over_requests(all: HarvestComparison<'_>) -> Option<Section> {
    let note = "The usual setting: answers are cut, pages are charged.";
    let lines = |name: &str| policies(all, name, BASE);
    section(all, "Coverage over requests", note, lines, "requests", |_, point| point.requests as f64)
}

/// Different first words, figure 14.
pub fn starts(all: HarvestComparison<'_>) -> Option<Section> {
    let note = "The adaptive policy from different first words: it should not matter for long.";
    section(all, "First words", note, |name| by_start(all, name), "queries", QUERIES)
}

/// Coverage over the cost of equation 2, figure 16.
pub fn over_cost(all: HarvestComparison<'_>) -> Option<Section> {
    let note = "With the cost of equation 2: 100 a query, 100 for all records as results, 10,000 for all \
                records as downloads.";
    let lines = |name: &str| policies(all, name, PAPER);
    section(all, "Coverage over cost", note, lines, "cost", |curve, point| {
        let share = |records: u64| records as f64 / curve.existing.max(1) as f64;
        COST[0] * point.queries as f64 + COST[1] * share(point.shown) + COST[2] * share(point.found)
    })
}

/// A chart per collection that has data.
pub fn section<'t>(
    all: HarvestComparison<'t>,
    title: &str,
    note: &str,
    lines: impl Fn(&str) -> Vec<Line<'t>>,
    unit: &str,
    measure: Measure,
) -> Option<Section> {
    let charts: Vec<Chart> = all
        .collections()
        .into_iter()
        .map(|name| (name, lines(name)))
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(name, lines)| chart(name, &lines, unit, measure))
        .collect();
    (!charts.is_empty()).then(|| Section {
        title: title.to_string(),
        note: note.to_string(),
        charts,
        ..Section::default()
    })
}

fn policies<'t>(all: HarvestComparison<'t>, collection: &str, setting: &str) -> Vec<Line<'t>> {
    let line = |policy: &str| (policy.to_string(), all.within(collection, setting, policy).collect());
    all.policies().into_iter().map(line).filter(|(_, trials): &Line<'t>| !trials.is_empty()).collect()
}

fn by_start<'t>(all: HarvestComparison<'t>, collection: &str) -> Vec<Line<'t>> {
    let is_one = |trial: &&HarvestTrial| {
        let case = &trial.case;
        (case.collection.as_str(), case.setting.as_str(), case.policy.as_str())
            == (collection, PAPER, RESTARTED_POLICY)
    };
    let line = |trial: &'t HarvestTrial| {
        (format!("seed {}, start {}", trial.case.seed, trial.case.start + 1), vec![trial])
    };
    let lines: Vec<Line<'t>> = all.0.iter().filter(is_one).map(line).collect();
    if lines.len() > 1 { lines } else { Vec::new() }
}

fn chart(title: &str, lines: &[Line<'_>], unit: &str, measure: Measure) -> Chart {
    let right = right_end(lines, measure);
    let places = (0..=POINTS).map(|nth| right * f64::from(nth) / f64::from(POINTS));
    let points = |trials: &[&HarvestTrial]| {
        let covered =
            |place: f64| {
                mean(trials.iter().map(|trial| {
                    100.0 * trial.curve.coverage_at(|point| measure(&trial.curve, point), place)
                }))
            };
        places.clone().filter_map(|place| Some((place, covered(place)?))).collect()
    };
    let lines = lines.iter().map(|(name, trials)| (name.clone(), points(trials))).collect();
    Chart { title: title.into(), shape: Shape::Lines { x: unit.into(), y: "coverage %".into(), lines } }
}

/// Right end of a chart: the last complete harvest. Incomplete harvests would compress the others.
fn right_end(lines: &[Line<'_>], measure: Measure) -> f64 {
    let trials = || lines.iter().flat_map(|(_, trials)| trials);
    let end = |trial: &&HarvestTrial| measure(&trial.curve, &trial.curve.end());
    let complete = trials().filter(|trial| trial.curve.is_complete()).map(end).fold(0.0, f64::max);
    let longest = trials().map(end).fold(0.0, f64::max);
    if complete > 0.0 { longest.min(MARGIN * complete) } else { longest }
}

/// Coverage over queries by result cap (figure 15): a chart per collection, if at least two caps were run.
pub fn by_cap(all: HarvestComparison<'_>) -> Option<Section> {
    let tried = CAPS.iter().filter(|name| all.settings().contains(name)).count();
    let note = "The same records behind different caps: base is N/20, cap-200 is N/200, cap-400 is N/400.";
    let is_worth = tried > 1;
    is_worth.then(|| {
        section(all, "Coverage by result limit", note, |name| lines_by_cap(all, name), "queries", QUERIES)
    })?
}

fn lines_by_cap<'t>(all: HarvestComparison<'t>, collection: &str) -> Vec<Line<'t>> {
    let cases = CAPS.iter().flat_map(|cap| CAPPED_POLICIES.iter().map(move |policy| (cap, policy)));
    let line = |(cap, policy): (&&str, &&str)| {
        (format!("{policy}, {cap}"), all.within(collection, cap, policy).collect())
    };
    cases.map(line).filter(|(_, trials): &Line<'t>| !trials.is_empty()).collect()
}
