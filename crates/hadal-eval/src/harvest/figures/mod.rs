//! Tables and charts computed from harvests. Each file has one pure function per figure.

mod calibration;
mod caps;
mod comparison;
mod curves;
mod efforts;
mod paper;
mod ratios;
mod running;

use super::trial::HarvestTrial;
use comparison::HarvestComparison;
use hadal::output::sections::Section;

/// All sections for which the trials have data.
pub fn sections(trials: &[HarvestTrial]) -> Vec<Section> {
    let all = HarvestComparison(trials);
    [
        ratios::section(all),
        ratios::losses(all),
        Some(efforts::section(all)),
        paper::section(all),
        calibration::section(all),
        Some(running::section(all)),
        curves::over_queries(all),
        curves::over_requests(all),
        curves::starts(all),
        caps::section(all),
        curves::over_cost(all),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests;
