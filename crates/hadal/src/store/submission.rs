//! Audit log: every submission of a form.
//!
//! An entry is written before the request is sent and completed with the result of the request. Entries outlive the
//! run or harvest that made them. None is ever deleted.

use super::{HarvestId, RunId};
use crate::polite::{FailureKind, SendOutcome};
use hadal_core::critic::FormVerdict;
use hadal_core::critic::probe::ProbeResult;
use hadal_core::http::{Exchange, Method, Request};
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use url::Url;

/// Number of bytes of a request body that are stored. Guess.
pub const MAX_STORED_BODY: usize = 4096;

/// Submissions of steps have numbers below this one, those that are logged at once larger ones. Guess.
pub const NUMBERS_OF_STEPS: u64 = 1 << 40;

/// One submission of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Submission {
    /// Run, harvest or user that submits.
    pub by: Submitter,
    /// Sequence number of the step in the run or harvest; for a user and for test queries in
    /// a rendered page, the number that the store gives.
    pub seq: u64,
    /// Time right before sending, on the clock of the submitter.
    pub at: Time,
    /// Topic of the submission.
    pub topic: String,
    /// Identity of the form.
    pub form: FormId,
    /// Page with the form.
    pub page: Url,
    pub method: Method,
    /// URL of the request.
    pub url: Url,
    /// Body of the request, cut at [`MAX_STORED_BODY`] bytes.
    pub body: String,
    /// Reason for the submission.
    pub purpose: SubmissionPurpose,
    /// Result. `None` while the request is under way, and if the process ended or gave up waiting before the response.
    /// [`FailureKind::NotSent`] if the request was not sent after all.
    pub answer: Option<SubmissionResult>,
}

impl Submission {
    /// The part of a request body that is stored, as text.
    pub fn body_of(request: &Request) -> String {
        let kept = &request.body[..request.body.len().min(MAX_STORED_BODY)];
        String::from_utf8_lossy(kept).into_owned()
    }
}

/// Originator of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Submitter {
    Run(RunId),
    Harvest(HarvestId),
    /// A user, through `hadal ask` or the dashboard, or with a page that is rendered for `hadal harvest` or `hadal
    /// judge`.
    Person,
}

impl Submitter {
    /// Number before the first one of submissions that are logged at once.
    pub fn numbers_before(self) -> u64 {
        match self {
            Submitter::Run(_) | Submitter::Harvest(_) => NUMBERS_OF_STEPS,
            Submitter::Person => 0,
        }
    }
}

impl Submitter {
    /// The run, if a run submitted.
    pub fn run(self) -> Option<RunId> {
        match self {
            Submitter::Run(run) => Some(run),
            Submitter::Harvest(_) | Submitter::Person => None,
        }
    }

    /// The harvest, if a harvest submitted.
    pub fn harvest(self) -> Option<HarvestId> {
        match self {
            Submitter::Run(_) | Submitter::Person => None,
            Submitter::Harvest(harvest) => Some(harvest),
        }
    }
}

/// Reason for a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubmissionPurpose {
    /// Probe of a form that may or may not search.
    Probe,
    /// Sample for an estimate of the quality of a run.
    Quality,
    /// Query of a harvest.
    Harvest,
    /// Query of a user.
    Ask,
}

impl SubmissionPurpose {
    /// Name in tables and exports.
    pub fn name(self) -> &'static str {
        match self {
            SubmissionPurpose::Probe => "probe",
            SubmissionPurpose::Quality => "quality",
            SubmissionPurpose::Harvest => "harvest",
            SubmissionPurpose::Ask => "ask",
        }
    }
}

/// Result of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubmissionResult {
    /// HTTP status code of the response.
    Status(u16),
    /// Kind of failure, if no response arrived.
    Failure(FailureKind),
}

impl From<&Exchange> for SubmissionResult {
    fn from(exchange: &Exchange) -> SubmissionResult {
        match &exchange.result {
            Ok(response) => SubmissionResult::Status(response.status),
            Err(error) => SubmissionResult::Failure(FailureKind::Fetch(*error)),
        }
    }
}

impl From<&SendOutcome> for SubmissionResult {
    fn from(sent: &SendOutcome) -> SubmissionResult {
        match sent.result.as_ref().ok().or(sent.failed.as_ref()) {
            Some(exchange) => SubmissionResult::from(exchange),
            None => SubmissionResult::Failure(FailureKind::NotSent),
        }
    }
}

/// Result of a completed probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbedForm {
    /// Identity of the form.
    pub form: FormId,
    /// Result of the probe.
    pub finding: ProbeResult,
    /// New verdict on the form.
    pub verdict: FormVerdict,
}
