//! Tables and charts computed from trials. Each file has one pure function per figure.

mod bands;
mod common_sites;
mod comparison;
mod costs;
mod curves;
mod density;
mod forms;
mod gauges;
mod lessons;
mod ratios;

use super::trial::FindTrial;
use comparison::FindComparison;
use hadal::output::sections::Section;
use serde::Serialize;
use serde_json::json;

/// All sections for which the trials have data.
pub fn sections(trials: &[FindTrial]) -> Vec<Section> {
    let all = FindComparison(trials);
    [
        Some(forms::relevant(all)),
        Some(forms::early(all)),
        ratios::section(all),
        Some(forms::deep_sites(all)),
        Some(forms::searchable(all)),
        Some(costs::section(all)),
        bands::section(all),
        density::section(all),
        common_sites::section(all),
        lessons::section(all),
        gauges::section(all),
        Some(curves::section(all)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Trials and tables as JSON.
pub fn json<T: Serialize>(trials: &[T], sections: &[Section]) -> serde_json::Result<String> {
    let table = |section: &Section| {
        let Section { title, note, headings, rows, .. } = section;
        json!({ "title": title, "note": note, "headings": headings, "rows": rows })
    };
    let tables: Vec<_> = sections.iter().map(table).collect();
    serde_json::to_string(&json!({ "trials": trials, "tables": tables }))
}

#[cfg(test)]
mod tests;
