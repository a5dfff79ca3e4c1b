//! Tables and charts computed from harvests. Figures are pure functions.

mod calibration;
mod comparison;
mod curves;
mod efforts;
mod paper;
mod ratios;

use super::trial::HarvestTrial;
use comparison::HarvestComparison;
use hadal::output::sections::Section;

/// All sections for which the trials have data.
pub fn sections(trials: &[HarvestTrial]) -> Vec<Section> {
    let all = HarvestComparison(trials);
    [
        ratios::section(all),
        ratios::by_coverage(all),
        ratios::losses(all),
        Some(efforts::by_level(all)),
        paper::section(all),
        calibration::section(all),
        Some(efforts::totals(all)),
        curves::over_queries(all),
        curves::over_requests(all),
        curves::starts(all),
        curves::by_cap(all),
        curves::over_cost(all),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests;
