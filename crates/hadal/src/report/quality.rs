//! Estimate of the precision of the relevant forms, from a random sample that was probed.
//!
//! A form that does not search loses its relevance, but it was relevant when the sample was drawn. The audit
//! log records this, so the same command draws the same sample.

use crate::engine::quality_population;
use crate::store::*;
use hadal_core::critic::probe::ProbeResult;
use hadal_core::critic::probe::{ProbeState, probe_word};
use hadal_core::critic::quality::{self, ProportionInterval};
use hadal_core::topic::Topic;
use serde::Serialize;

/// Estimate from a sample of a run's relevant forms.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// Number of the run in the store.
    pub run: u64,
    pub topic: String,
    /// Relevant forms from which the sample is drawn.
    pub relevant: u64,
    /// Forms in the sample.
    pub sampled: u64,
    /// Forms that search.
    pub searches: u64,
    /// Forms that answer every query alike.
    pub does_not: u64,
    /// Forms without a clear result.
    pub unclear: u64,
    /// Forms that are not probed: POST, vetoed or impossible to submit.
    pub refused: u64,
    /// Forms without a response yet: robots.txt, unreachable host, budget.
    pub unanswered: u64,
    /// Share of searching forms among those with a clear result.
    pub precision: Option<ProportionInterval>,
}

/// Computes the estimate from the results so far.
pub fn quality(store: &dyn Store, run: &RunRow, size: usize, seed: u64) -> Result<Quality, StoreError> {
    let forms = quality_population(store, run.id)?;
    let mut found = Quality {
        run: run.id.0,
        topic: run.spec.topic.clone(),
        relevant: forms.len() as u64,
        ..Quality::default()
    };
    for row in quality::sample_forms(forms, |row| row.form_id, size, seed) {
        found.sampled += 1;
        *match row.finding {
            Some(ProbeResult::Searchable) => &mut found.searches,
            Some(ProbeResult::NotSearchable) => &mut found.does_not,
            Some(ProbeResult::Unclear) => &mut found.unclear,
            None if can_be_probed(store, run, &row)? => &mut found.unanswered,
            None => &mut found.refused,
        } += 1;
    }
    found.precision = quality::wilson_interval(found.searches, found.searches + found.does_not);
    Ok(found)
}

fn can_be_probed(store: &dyn Store, run: &RunRow, row: &FormRow) -> Result<bool, StoreError> {
    let Some(form) = form_snapshots(store, run.id, &[row.form_id])?.pop().flatten() else { return Ok(false) };
    let topic = Topic::from_words(&run.spec.topic);
    let word = topic.as_ref().map_or("", probe_word);
    let probe = ProbeState::new((row.form_id, &form), &row.page_url, &row.verdict(), word, run.spec.seed);
    Ok(probe.is_ok_and(|probe| probe.next_request().is_some()))
}

impl Quality {
    /// Formats the estimate in two lines.
    pub fn text(&self) -> String {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let estimate = match &self.precision {
            Some(share) => format!(
                "{} of the {} relevant forms search (95 % interval {} to {})",
                percent(share.estimate),
                self.relevant,
                percent(share.low),
                percent(share.high)
            ),
            None if self.relevant == 0 => "no relevant forms to probe yet".to_string(),
            None => format!("none of {} forms gave a clear result", self.sampled),
        };
        format!(
            "quality   {estimate}\nsample    {}: {} search, {} do not, {} unclear, {} refused, {} unanswered\n",
            self.sampled, self.searches, self.does_not, self.unclear, self.refused, self.unanswered
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_shown_with_interval_and_sample() {
        let precision = quality::wilson_interval(45, 48);
        let (relevant, sampled, searches, does_not, unclear) = (148, 50, 45, 3, 2);
        let found =
            Quality { relevant, sampled, searches, does_not, unclear, precision, ..Quality::default() };
        assert_eq!(
            found.text(),
            "quality   94 % of the 148 relevant forms search (95 % interval 83 % to 98 %)\n\
             sample    50: 45 search, 3 do not, 2 unclear, 0 refused, 0 unanswered\n"
        );
        assert!(Quality::default().text().contains("no relevant forms to probe yet"));
    }
}
