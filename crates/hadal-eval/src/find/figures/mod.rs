//! What trials tell, as sections of a report: small pure functions, one file per figure.

mod bands;
mod common;
mod comparison;
mod costs;
mod curves;
mod density;
mod forms;
mod gauges;
mod lessons;
mod ratios;

use super::trial::Trial;
use comparison::Comparison;
use hadal::output::sections::Section;
use serde::Serialize;
use serde_json::json;

/// All sections that these trials have something to say to, in the order they are read.
pub fn sections(trials: &[Trial]) -> Vec<Section> {
    let all = Comparison(trials);
    [
        Some(forms::relevant(all)),
        ratios::section(all),
        Some(forms::deep_sites(all)),
        Some(forms::searchable(all)),
        Some(costs::section(all)),
        bands::section(all),
        density::section(all),
        common::section(all),
        lessons::section(all),
        gauges::section(all),
        Some(curves::section(all)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Trials and tables for machines.
pub fn json(trials: &[impl Serialize], sections: &[Section]) -> serde_json::Result<String> {
    let table = |section: &Section| {
        let Section { title, note, headings, rows, .. } = section;
        json!({ "title": title, "note": note, "headings": headings, "rows": rows })
    };
    let tables: Vec<_> = sections.iter().map(table).collect();
    serde_json::to_string(&json!({ "trials": trials, "tables": tables }))
}

#[cfg(test)]
mod tests;
