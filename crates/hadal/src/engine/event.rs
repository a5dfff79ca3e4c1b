//! Events of a crawl. Their JSON form is part of the output formats.

use super::step::StepKind;
use crate::store::{FailureKind, FormRow, FoundForm, Outcome, ProbedForm, RunCounters, RunState, StepEnd};
use hadal_core::strategy::StrategyGauge;
use serde::Serialize;

/// Event of a crawl.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum CrawlEvent {
    /// The crawl starts or resumes.
    Started {
        /// Number of the run.
        run: u64,
        /// Topic of the run.
        topic: String,
        /// Name of the strategy.
        strategy: String,
        /// Requests of earlier sessions.
        resumed_at: u64,
    },
    /// A form that the run did not know, searchable or not.
    Form(Box<FormRow>),
    /// A probe is finished and has set the verdict on its form.
    Probed(Box<ProbedForm>),
    /// A link was given up.
    Failed {
        /// URL of the link.
        url: String,
        /// Kind of failure.
        kind: FailureKind,
    },
    /// Counters of the run, twice a second.
    Progress(RunCounters),
    /// Gauges of the strategy, every 250 requests.
    Gauges {
        /// Requests so far.
        requests: u64,
        /// Pages so far.
        pages: u64,
        /// Values of the gauges.
        gauges: Vec<StrategyGauge>,
    },
    /// The session ends.
    Finished {
        /// State of the run.
        state: RunState,
        /// Counters of the run.
        #[serde(rename = "tally")]
        counters: RunCounters,
    },
}

impl CrawlEvent {
    /// Events of the outcome of a step: new forms, a finished probe, a failure.
    pub(super) fn of_outcome(outcome: &Outcome, kind: &StepKind) -> Vec<CrawlEvent> {
        let mut events = Vec::new();
        for form in &outcome.forms {
            if let FoundForm::New(row) = form {
                events.push(CrawlEvent::Form(row.clone()));
            }
        }
        events.extend(outcome.probe.clone().map(CrawlEvent::Probed));
        if let (StepEnd::Failed(reason), StepKind::Visit(queued) | StepKind::Refused(queued)) =
            (&outcome.end, kind)
        {
            events.push(CrawlEvent::Failed { url: queued.link.url.to_string(), kind: *reason });
        }
        events
    }
}
