//! What learning brings where forms are rare (ACHE figure 4).

use super::comparison::{Comparison, ratio_over_pages, shown};
use crate::output::chart::{Chart, Shape};
use crate::output::sections::{Section, headings};

const LEARNED: &str = "ache-offline-online";
const BASELINE: &str = "best-first-sc";

/// Learned over baseline, topics in order of density.
pub fn section(all: Comparison<'_>) -> Option<Section> {
    let mut rows: Vec<(&str, f64, Option<f64>, Option<f64>)> = Vec::new();
    for topic in all.topics() {
        let pairs = all.pairs(topic, LEARNED, BASELINE);
        let density = |trial: &crate::evaluation::Trial| {
            let end = trial.end();
            100.0 * end.relevant as f64 / end.pages.max(1) as f64
        };
        if let Some(density) = all.mean(topic, BASELINE, density).filter(|_| !pairs.is_empty()) {
            let relevant = ratio_over_pages(&pairs, None, |point| point.relevant);
            let searchable = ratio_over_pages(&pairs, None, |point| point.searchable);
            rows.push((topic, density, relevant, searchable));
        }
    }
    rows.sort_by(|a, b| a.1.total_cmp(&b.1));
    let bars = |figure: fn(&(&str, f64, Option<f64>, Option<f64>)) -> Option<f64>| {
        rows.iter().filter_map(|row| Some((row.0.to_string(), figure(row)?))).collect()
    };
    let chart = |title: &str, bars| Chart {
        title: title.into(),
        shape: Shape::Bars { unit: format!("times {BASELINE}, rarest topic first"), bars },
    };
    let charts =
        vec![chart("relevant forms", bars(|row| row.2)), chart("searchable forms", bars(|row| row.3))];
    let row = |row: &(&str, f64, Option<f64>, Option<f64>)| {
        vec![row.0.to_string(), format!("{:.3}", row.1), shown(row.2, 2), shown(row.3, 2)]
    };
    (!rows.is_empty()).then(|| Section {
        title: "What learning brings, by density".into(),
        note: format!(
            "{LEARNED} over {BASELINE} at the same number of pages, training free. Density: relevant forms in a \
             hundred pages under {BASELINE}."
        ),
        headings: headings(&["topic", "density, %", "relevant, ratio", "searchable, ratio"]),
        rows: rows.iter().map(row).collect(),
        charts,
        ..Section::default()
    })
}
