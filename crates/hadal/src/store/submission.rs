//! The audit log: every time a form was submitted, by whom and what came of it.
//!
//! An entry is written with the dispatch of its step, before anything is sent, and completed with the
//! step's outcome. It outlives the run or harvest it belongs to: nothing here is ever deleted.

use super::{HarvestId, RunId};
use crate::polite::FailureKind;
use hadal_core::critic::FormVerdict;
use hadal_core::critic::probe::ProbeResult;
use hadal_core::http::{Exchange, Method, Request};
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use url::Url;

/// Bytes of a body that are kept.
pub const MOST_BODY: usize = 4096;

/// One submission of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// Who made it.
    pub by: Submitter,
    /// The step of the run or harvest.
    pub seq: u64,
    /// When it was about to be sent, on the submitter's clock.
    pub at: Time,
    /// The topic it was made for.
    pub topic: String,
    /// Which form.
    pub form: FormId,
    /// The page the form was found on.
    pub page: Url,
    /// How it was sent.
    pub method: Method,
    /// Where.
    pub url: Url,
    /// What was sent in the body, cut at [`MOST_BODY`].
    pub body: String,
    /// What for.
    pub purpose: SubmissionPurpose,
    /// What came back; `None` while it is under way, or when nobody lived to see it.
    pub answer: Option<SubmissionResult>,
}

impl Submission {
    /// The start of a body, as text.
    pub fn body_of(request: &Request) -> String {
        let kept = &request.body[..request.body.len().min(MOST_BODY)];
        String::from_utf8_lossy(kept).into_owned()
    }
}

/// Who submits forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Submitter {
    /// A crawl.
    Run(RunId),
    /// A harvest.
    Harvest(HarvestId),
    /// A person, with a question of their own.
    Person,
}

impl Submitter {
    /// The run, when it is one.
    pub fn run(self) -> Option<RunId> {
        match self {
            Submitter::Run(run) => Some(run),
            Submitter::Harvest(_) | Submitter::Person => None,
        }
    }

    /// The harvest, when it is one.
    pub fn harvest(self) -> Option<HarvestId> {
        match self {
            Submitter::Run(_) | Submitter::Person => None,
            Submitter::Harvest(harvest) => Some(harvest),
        }
    }
}

/// What a form is submitted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubmissionPurpose {
    /// To learn whether an uncertain form searches.
    Probe,
    /// To estimate how good the forms found are.
    Quality,
    /// To bring up what is behind it.
    Harvest,
    /// To answer a person's question.
    Ask,
}

impl SubmissionPurpose {
    /// The name used in every table and export.
    pub fn name(self) -> &'static str {
        match self {
            SubmissionPurpose::Probe => "probe",
            SubmissionPurpose::Quality => "quality",
            SubmissionPurpose::Harvest => "harvest",
            SubmissionPurpose::Ask => "ask",
        }
    }
}

/// What came of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubmissionResult {
    /// An answer with this status code.
    Status(u16),
    /// No answer; the word names the kind ("connect", "interrupted", ...).
    Failure(String),
}

impl From<&Exchange> for SubmissionResult {
    fn from(exchange: &Exchange) -> SubmissionResult {
        match &exchange.result {
            Ok(response) => SubmissionResult::Status(response.status),
            Err(error) => SubmissionResult::Failure(FailureKind::Fetch(*error).to_string()),
        }
    }
}

/// A form whose probe is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbedForm {
    /// Which form.
    pub form: FormId,
    /// What was found.
    pub finding: ProbeResult,
    /// What it is held for from now on.
    pub verdict: FormVerdict,
}
