//! Calibration of size estimates: share of intervals that contain the true size, and their width.

use super::comparison::HarvestComparison;
use crate::harvest::recorded_estimates::COVERAGES;
use crate::harvest::trial::HarvestTrial;
use hadal::output::sections::Section;
use std::borrow::Cow;

/// Policy that is reported by setting.
const BASE: &str = "hadal";

/// Calibration by setting for one policy, and by policy over all settings.
pub fn section(all: HarvestComparison<'_>) -> Option<Section> {
    let settings = all.settings().into_iter().filter(|setting| all.of(setting, BASE).next().is_some());
    let settings = settings.map(|setting| row(setting, &all.of(setting, BASE).collect::<Vec<_>>()));
    let policies = all.policies().into_iter().map(|policy| {
        let trials: Vec<&HarvestTrial> = all.0.iter().filter(|trial| trial.case.policy == policy).collect();
        row(&format!("all by {policy}"), &trials)
    });
    let moment = |moment: f64| Cow::Owned(format!("at {:.0} %", 100.0 * moment));
    (!all.0.is_empty()).then(|| Section {
        title: "Estimated sizes".into(),
        note: format!(
            "At true coverages of 30, 60 and 90 %: the share of 90 % intervals that hold the true size, their number, \
             and their median width over the true size. Settings are harvests by {BASE}. Target: 0.85 to 0.95 hold, \
             widths of at most 0.25, 0.20 and 0.10."
        ),
        headings: std::iter::once("harvests".into()).chain(COVERAGES.map(moment)).collect(),
        rows: settings.chain(policies).collect(),
        ..Section::default()
    })
}

fn row(name: &str, trials: &[&HarvestTrial]) -> Vec<String> {
    std::iter::once(name.to_string()).chain((0..COVERAGES.len()).map(|moment| cell(trials, moment))).collect()
}

fn cell(trials: &[&HarvestTrial], moment: usize) -> String {
    let claims = trials.iter().filter_map(|trial| Some((trial.claims.get(moment)?, trial.curve.existing)));
    let (held, mut widths): (Vec<bool>, Vec<f64>) =
        claims.map(|(promise, existing)| (promise.holds(existing), promise.width(existing))).unzip();
    if widths.is_empty() {
        return "-".into();
    }
    widths.sort_by(f64::total_cmp);
    let share = held.iter().filter(|held| **held).count() as f64 / held.len() as f64;
    format!("{share:.2} of {}, width {:.2}", held.len(), widths[widths.len() / 2])
}
