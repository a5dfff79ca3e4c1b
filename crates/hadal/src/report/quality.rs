//! How good the relevant forms of a run are, estimated from a random sample that was asked.
//!
//! A form that turned out not to search is no longer relevant, but it was when the sample was drawn: the
//! audit log remembers, so the same command gives the same sample again.

use crate::store::*;
use hadal_core::critic::probe::ProbeResult;
use hadal_core::critic::probe::{ProbeState, probe_word};
use hadal_core::critic::quality::{self, ProportionInterval};
use hadal_core::identity::FormId;
use hadal_core::topic::Topic;
use serde::Serialize;
use std::collections::HashSet;

/// What a sample of a run's relevant forms tells about all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// The run.
    pub run: u64,
    /// Its topic.
    pub topic: String,
    /// Relevant forms to draw from.
    pub relevant: u64,
    /// Forms drawn.
    pub sampled: u64,
    /// Of those, forms that answered as a search does.
    pub searches: u64,
    /// Forms that answered everything alike.
    pub does_not: u64,
    /// Forms whose answers do not tell.
    pub unclear: u64,
    /// Forms that are not sent to find out: those that post, must not or cannot be submitted.
    pub refused: u64,
    /// Forms not asked yet, or out of reach: robots.txt, a host that is gone, a budget.
    pub unanswered: u64,
    /// Share that searches among those that answered clearly.
    pub precision: Option<ProportionInterval>,
}

/// The forms of a sample, as they stand now.
pub fn sample(store: &dyn Store, run: RunId, size: usize, seed: u64) -> Result<Vec<FormRow>, StoreError> {
    Ok(quality::sample_forms(population(store, run)?, |row| row.form_id, size, seed))
}

/// Every form of a run that is relevant, or was when it was asked for its quality.
fn population(store: &dyn Store, run: RunId) -> Result<Vec<FormRow>, StoreError> {
    let filter = Filter { run: Some(run), ..Filter::default() };
    let mut drawn: HashSet<FormId> = HashSet::new();
    store.submissions(&filter, &mut |entry| {
        if entry.purpose == SubmissionPurpose::Quality {
            drawn.insert(entry.form);
        }
        Walk::On
    })?;
    let mut forms = Vec::new();
    store.forms(&filter, &mut |row| {
        if row.p_relevant >= 0.5 || drawn.contains(&row.form_id) {
            forms.push(row);
        }
        Walk::On
    })?;
    Ok(forms)
}

/// What a sample tells, as far as it was asked.
pub fn quality(store: &dyn Store, run: &RunRow, size: usize, seed: u64) -> Result<Quality, StoreError> {
    let forms = population(store, run.id)?;
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
            None if is_askable(store, run, &row)? => &mut found.unanswered,
            None => &mut found.refused,
        } += 1;
    }
    found.precision = quality::wilson_interval(found.searches, found.searches + found.does_not);
    Ok(found)
}

fn is_askable(store: &dyn Store, run: &RunRow, row: &FormRow) -> Result<bool, StoreError> {
    let Some(whole) = store.whole_form(run.id, row.form_id)? else { return Ok(false) };
    let topic = Topic::from_words(&run.spec.topic);
    let word = topic.as_ref().map_or("", probe_word);
    let inquiry = ProbeState::new((row.form_id, &whole), &row.page_url, &row.verdict(), word, run.spec.seed);
    Ok(inquiry.is_ok_and(|inquiry| inquiry.next_request().is_some()))
}

impl Quality {
    /// The estimate in two lines for people.
    pub fn text(&self) -> String {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let estimate = match &self.precision {
            Some(share) => format!(
                "{} of the {} relevant forms search ({} to {}, 19 times out of 20)",
                percent(share.estimate),
                self.relevant,
                percent(share.low),
                percent(share.high)
            ),
            None if self.relevant == 0 => "no relevant forms to ask yet".to_string(),
            None => format!("none of {} forms answered clearly: nothing can be said", self.sampled),
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
    fn people_read_the_estimate_its_interval_and_what_it_rests_on() {
        let precision = quality::wilson_interval(45, 48);
        let (relevant, sampled, searches, does_not, unclear) = (148, 50, 45, 3, 2);
        let found =
            Quality { relevant, sampled, searches, does_not, unclear, precision, ..Quality::default() };
        assert_eq!(
            found.text(),
            "quality   94 % of the 148 relevant forms search (83 % to 98 %, 19 times out of 20)\n\
             sample    50: 45 search, 3 do not, 2 unclear, 0 refused, 0 unanswered\n"
        );
        assert!(Quality::default().text().contains("no relevant forms to ask yet"));
    }
}
