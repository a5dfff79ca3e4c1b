//! What harvests tell, as sections of a report: small pure functions, one file per figure.

mod calibration;
mod comparison;
mod course;
mod efforts;
mod limits;
mod losses;
mod paper;
mod ratios;
mod running;

use super::trial::Trial;
use comparison::Comparison;
use hadal::output::sections::Section;

/// All sections that these trials have something to say to, in the order they are read.
pub fn sections(trials: &[Trial]) -> Vec<Section> {
    let all = Comparison(trials);
    [
        ratios::section(all),
        losses::section(all),
        Some(efforts::section(all)),
        paper::section(all),
        calibration::section(all),
        Some(running::section(all)),
        course::over_queries(all),
        course::over_requests(all),
        course::starts(all),
        limits::section(all),
        course::over_cost(all),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests;
