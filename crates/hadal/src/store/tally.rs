//! How outcomes become counters, the same way in every back end.

use super::{FormRow, FoundForm, Outcome, RunCounters, StepEnd, StepTarget};
use hadal_core::identity::FormId;
use hadal_core::strategy::SiteCounters;

impl RunCounters {
    /// Takes in what a step cost and how it ended.
    pub(super) fn count_step(&mut self, outcome: &Outcome) {
        self.requests += u64::from(outcome.requests);
        self.bytes += outcome.bytes;
        self.probes += u64::from(outcome.submission.is_some());
        self.pages += u64::from(outcome.page.is_some());
        match (&outcome.end, &outcome.target) {
            (StepEnd::Failed(kind), StepTarget::Link(_)) => self.count_failures(kind, 1),
            (StepEnd::Failed(kind) | StepEnd::Retry(_, kind), _) => self.count_errors(kind, 1),
            _ => {}
        }
    }

    /// Takes in links that were given up.
    pub(super) fn count_failures(&mut self, kind: &str, links: u64) {
        self.failed += links;
        self.count_errors(kind, links);
    }

    fn count_errors(&mut self, kind: &str, times: u64) {
        if times > 0 {
            *self.errors.entry(kind.to_string()).or_default() += times;
        }
    }

    /// Takes in a form that the run did not know.
    pub(super) fn count_form(&mut self, form: &FormRow) {
        self.forms += 1;
        self.searchable += u64::from(form.p_searchable >= 0.5);
        self.relevant += u64::from(form.p_relevant >= 0.5);
    }

    /// Takes in a form whose P(searchable) and P(relevant) changed. Where a tally holds the changes of
    /// one batch alone, less than zero is kept in two's complement.
    pub(super) fn count_verdict(&mut self, before: (f32, f32), after: (f32, f32)) {
        let step = |before: f32, after: f32| i64::from(after >= 0.5) - i64::from(before >= 0.5);
        self.searchable = self.searchable.wrapping_add_signed(step(before.0, after.0));
        self.relevant = self.relevant.wrapping_add_signed(step(before.1, after.1));
    }

    /// Takes in a site's tally that takes the place of another.
    pub(super) fn count_site(&mut self, before: &SiteCounters, after: &SiteCounters) {
        self.sites += u64::from(before.pages == 0 && after.pages > 0);
    }
}

impl FoundForm {
    /// Which form it is.
    pub(super) fn id(&self) -> FormId {
        match self {
            FoundForm::New(row) => row.form_id,
            FoundForm::Known(id) => *id,
        }
    }
}

/// A probability to keep: what is no number says nothing.
pub(super) fn probability(p: f32) -> f32 {
    if p.is_nan() { 0.0 } else { p }
}
