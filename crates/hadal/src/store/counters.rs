//! Counting of outcomes, the same in every back end.

use super::{FailureKind, FormRow, Outcome, RunCounters, StepEnd, StepTarget};
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::strategy::SiteCounters;

impl RunCounters {
    /// Adds the cost and the end of a step.
    pub(super) fn count_step(&mut self, outcome: &Outcome) {
        self.requests += u64::from(outcome.requests);
        self.bytes += outcome.bytes;
        self.probes += u64::from(outcome.submission.is_some());
        self.pages += u64::from(outcome.page.is_some());
        match (&outcome.end, &outcome.target) {
            (StepEnd::Failed(kind), StepTarget::Link(_)) => self.count_failures(*kind, 1),
            (StepEnd::Failed(kind) | StepEnd::Retry(_, kind) | StepEnd::RobotsFailed(kind), _) => {
                self.count_errors(*kind, 1);
            }
            _ => {}
        }
    }

    /// Adds links that failed and are not tried again.
    pub(super) fn count_failures(&mut self, kind: FailureKind, links: u64) {
        self.failed = self.failed.wrapping_add(links);
        self.count_errors(kind, links);
    }

    /// Takes back failed links that are tried again.
    pub(super) fn count_retried(&mut self, links: u64) {
        self.failed = self.failed.wrapping_sub(links);
    }

    fn count_errors(&mut self, kind: FailureKind, times: u64) {
        if times > 0 {
            *self.errors.entry(kind).or_default() += times;
        }
    }

    /// Adds a form that is new to the run.
    pub(super) fn count_form(&mut self, form: &FormRow) {
        self.forms += 1;
        self.searchable = self.searchable.wrapping_add(u64::from(form.p_searchable >= MIN_ACCEPTED_P));
        self.relevant = self.relevant.wrapping_add(u64::from(form.p_relevant >= MIN_ACCEPTED_P));
    }

    /// Adds a change of a form's `(p_searchable, p_relevant)`. Counters that hold the difference of one
    /// batch, or the part of one worker, may become negative; they are then in two's complement.
    pub(super) fn count_verdict(&mut self, before: (f32, f32), after: (f32, f32)) {
        let step = |before: f32, after: f32| {
            i64::from(after >= MIN_ACCEPTED_P) - i64::from(before >= MIN_ACCEPTED_P)
        };
        self.searchable = self.searchable.wrapping_add_signed(step(before.0, after.0));
        self.relevant = self.relevant.wrapping_add_signed(step(before.1, after.1));
    }

    /// Adds a change of a site's counters.
    pub(super) fn count_site(&mut self, before: &SiteCounters, after: &SiteCounters) {
        self.sites += u64::from(before.pages == 0 && after.pages > 0);
    }
}

/// A probability to store: NaN becomes 0.
pub(super) fn probability(p: f32) -> f32 {
    if p.is_nan() { 0.0 } else { p }
}
