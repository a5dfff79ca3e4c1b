//! Ratios of every strategy to the reference strategies over all topics and webs, with intervals.

use super::comparison::FindComparison;
use crate::ORACLE;
use crate::figures::{RATIO_RESAMPLES, RATIO_SEED};
use crate::find::trial::FindTrial;
use hadal::output::sections::Section;
use hadal_core::learn::resampling::{BootstrapInterval, bootstrap_interval};
use std::borrow::Cow;

/// The baseline, the best strategy of each paper, and the oracle.
const REFERENCES: [&str; 5] = ["best-first-sc", "ffc", "ache-offline-online", "smart", ORACLE];

/// Geometric means of ratios by requests, training charged.
pub fn section(all: FindComparison<'_>) -> Option<Section> {
    let references: Vec<&str> = REFERENCES.into_iter().filter(|name| all.has(name)).collect();
    let row = |strategy: &str| {
        let ratio = |reference: &&str| shown(&ratio(all, strategy, reference));
        std::iter::once(strategy.to_string()).chain(references.iter().map(ratio)).collect()
    };
    let over = |reference: &&str| Cow::Owned(format!("over {reference}"));
    (!references.is_empty()).then(|| Section {
        title: "Relevant forms as ratios".into(),
        note: format!(
            "Geometric mean over {} and {} of the ratio of relevant forms at the budget, requests \
             counted, training charged (0.5 is added to both counts, so that zero has a ratio); in brackets \
             the paired 95 % bootstrap interval over topics and worlds.",
            several(all.topics().len(), "topic"),
            several(all.seeds().len(), "world")
        ),
        headings: std::iter::once("strategy".into()).chain(references.iter().map(over)).collect(),
        rows: all.strategies().into_iter().map(row).collect(),
        ..Section::default()
    })
}

fn ratio(all: FindComparison<'_>, strategy: &str, reference: &str) -> BootstrapInterval {
    let pairs: Vec<_> =
        all.topics().into_iter().flat_map(|topic| all.pairs(topic, strategy, reference)).collect();
    let found = |trial: &FindTrial| (trial.end().relevant as f64 + 0.5).ln();
    let logs: Vec<f64> = pairs.iter().map(|(one, other)| found(one) - found(other)).collect();
    let rows: Vec<usize> = (0..logs.len()).collect();
    bootstrap_interval(&rows, RATIO_RESAMPLES, RATIO_SEED, |rows| {
        (rows.iter().map(|row| logs[*row]).sum::<f64>() / rows.len() as f64).exp()
    })
}

fn shown(ratio: &BootstrapInterval) -> String {
    if ratio.estimate.is_nan() {
        return "-".into();
    }
    format!("{:.2} ({:.2}-{:.2})", ratio.estimate, ratio.low, ratio.high)
}

fn several(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
