//! Ratios of requests between policies: geometric means with intervals, and the cases in which `hadal` loses.

use super::comparison::{HarvestComparison, source};
use crate::ORACLE;
use crate::figures::{RATIO_RESAMPLES, RATIO_SEED, mean, shown};
use crate::harvest::curve::LEVELS;
use crate::harvest::trial::HarvestTrial;
use hadal::output::sections::{Section, headings};
use hadal_core::learn::resampling::{BootstrapInterval, bootstrap_interval};
use std::borrow::Cow;

/// Pairs of policies that are compared.
const PAIRS: [(&str, &str); 4] =
    [("hadal", "adaptive"), ("hadal", ORACLE), ("adaptive", "generic-frequency"), ("adaptive", "random-16k")];

/// Index of the 90 % level, at which policies are compared.
const LEVEL: usize = 3;

/// A policy loses if its whole interval is above this. Guess.
const LOSS: f64 = 1.05;

/// Two trials of the same database.
type Pair<'t> = (&'t HarvestTrial, &'t HarvestTrial);

/// Ratios of requests to 90 %, by setting and over all settings.
pub fn section(all: HarvestComparison<'_>) -> Option<Section> {
    let has = |policy: &str| all.policies().contains(&policy);
    let pairs: Vec<_> = PAIRS.into_iter().filter(|(one, other)| has(one) && has(other)).collect();
    let row = |name: &str, settings: &[&str]| {
        let ratio = |(one, other): &(&str, &str)| {
            let pairs: Vec<Pair<'_>> = settings.iter().flat_map(|name| all.pairs(name, one, other)).collect();
            ratio_cell(&ratio(&pairs, |trial| trial.requests_to(LEVEL)), *other != ORACLE)
        };
        std::iter::once(name.to_string()).chain(pairs.iter().map(ratio)).collect()
    };
    let mut rows: Vec<Vec<String>> = all.settings().iter().map(|setting| row(setting, &[setting])).collect();
    rows.push(row("all with a cap", &all.capped()));
    rows.push(row("all", &all.settings()));
    let heading = |(one, other): &(&str, &str)| Cow::Owned(format!("{one} / {other}"));
    (!pairs.is_empty()).then(|| Section {
        title: "Requests to 90 % as ratios".into(),
        note: "Geometric means over collections and seeds of the requests that the first policy needs over those \
               of the second; below 1 the first is better. In brackets the paired 95 % bootstrap interval over \
               collections and seeds. A harvest that misses 90 % counts at its budget. Beyond 1.05 as a whole \
               interval: a loss."
            .into(),
        headings: std::iter::once("setting".into()).chain(pairs.iter().map(heading)).collect(),
        rows,
        ..Section::default()
    })
}

/// Requests of `hadal` to each coverage over those of other policies: with and without a cap, and per collection.
pub fn by_coverage(all: HarvestComparison<'_>) -> Option<Section> {
    let has = |policy: &str| all.policies().contains(&policy);
    let pairs: Vec<_> = PAIRS.iter().filter(|(one, other)| *one == OURS && has(one) && has(other)).collect();
    let capped = all.capped();
    let open: Vec<&str> = all.settings().into_iter().filter(|name| !capped.contains(name)).collect();
    let row = |name: &str, settings: &[&str], collection: Option<&str>| {
        let is_meant = |pair: &Pair<'_>| collection.is_none_or(|name| pair.0.case.collection == name);
        let cells = pairs.iter().flat_map(|(one, other)| {
            let compared: Vec<Pair<'_>> =
                settings.iter().flat_map(|name| all.pairs(name, one, other)).filter(is_meant).collect();
            let mean = move |level| mean(log_ratios(&compared, |trial| trial.requests_to(level)).into_iter());
            (0..LEVELS.len()).map(move |level| shown(mean(level).map(f64::exp), 2))
        });
        std::iter::once(name.to_string()).chain(cells).collect::<Vec<String>>()
    };
    let groups = [("all with a cap", &capped), ("all without a cap", &open)];
    let mut rows: Vec<Vec<String>> = groups.map(|(name, settings)| row(name, settings, None)).into();
    rows.extend(all.collections().into_iter().map(|name| row(name, &capped, Some(name))));
    let heading =
        |(_, other): &(&str, &str)| LEVELS.map(|level| Cow::Owned(format!("{other} {:.0} %", 100.0 * level)));
    (!pairs.is_empty()).then(|| Section {
        title: "Requests to each coverage as ratios".into(),
        note: format!(
            "Requests of {OURS} over those of the policy that the heading names: geometric means as above. Rows of \
             collections are over the settings with a cap."
        ),
        headings: std::iter::once("".into()).chain(pairs.iter().flat_map(|pair| heading(pair))).collect(),
        rows,
        ..Section::default()
    })
}

/// Logarithms of the ratios of a figure.
fn log_ratios(pairs: &[Pair<'_>], figure: impl Fn(&HarvestTrial) -> f64) -> Vec<f64> {
    pairs.iter().map(|(one, other)| (figure(one).max(1.0) / figure(other).max(1.0)).ln()).collect()
}

/// Geometric mean of a ratio. The bootstrap resamples pairs of collection and seed, each with all its settings.
fn ratio(pairs: &[Pair<'_>], figure: impl Fn(&HarvestTrial) -> f64) -> BootstrapInterval {
    let logs = log_ratios(pairs, figure);
    let groups: Vec<(&str, u64)> = pairs.iter().map(|(one, _)| source(one)).collect();
    bootstrap_interval(&groups, RATIO_RESAMPLES, RATIO_SEED, |rows| {
        (rows.iter().map(|row| logs[*row]).sum::<f64>() / rows.len() as f64).exp()
    })
}

/// Table cell of an interval, marked if it is a loss. Ratios to the oracle are never marked.
fn ratio_cell(ratio: &BootstrapInterval, is_contest: bool) -> String {
    if ratio.estimate.is_nan() {
        return "-".into();
    }
    let mark = if is_contest && ratio.low > LOSS { " loss" } else { "" };
    format!("{:.2} ({:.2}-{:.2}){mark}", ratio.estimate, ratio.low, ratio.high)
}

const OURS: &str = "hadal";
const THEIRS: &str = "adaptive";

/// Ratios up to this count as equal. Guess.
const TIE: f64 = 1.02;

/// All losses, largest first.
pub fn losses(all: HarvestComparison<'_>) -> Option<Section> {
    let is_compared = all.policies().contains(&OURS) && all.policies().contains(&THEIRS);
    let mut lost: Vec<(f64, &str, &str)> = Vec::new();
    let mut compared = 0;
    for setting in all.settings() {
        let pairs = all.pairs(setting, OURS, THEIRS);
        for collection in all.collections() {
            let of_it = |pair: &&Pair<'_>| pair.0.case.collection == collection;
            let of_it: Vec<Pair<'_>> = pairs.iter().filter(of_it).copied().collect();
            let ratio = ratio(&of_it, |trial| trial.requests_to(LEVEL)).estimate;
            compared += usize::from(!ratio.is_nan());
            if ratio > TIE {
                lost.push((ratio, setting, collection));
            }
        }
    }
    lost.sort_by(|a, b| b.0.total_cmp(&a.0));
    let row = |(ratio, setting, collection): &(f64, &str, &str)| {
        vec![setting.to_string(), collection.to_string(), format!("{ratio:.2}")]
    };
    is_compared.then(|| Section {
        title: format!("Where {OURS} loses"),
        note: format!(
            "Collections and settings in which {OURS} takes more requests to 90 % than {THEIRS}: {} of {compared}. \
             Differences of 2 % are ties.",
            lost.len()
        ),
        headings: headings(&["setting", "collection", "hadal / adaptive"]),
        rows: lost.iter().map(row).collect(),
        ..Section::default()
    })
}
