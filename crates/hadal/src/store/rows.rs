//! Rows about runs: specification, progress, counters, hosts, pages, forms and sites.

use super::{CurvePoint, FormCheck, QueueLength};
pub use crate::polite::{FailureKind, HostState, RobotsState};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::critic::probe::ProbeResult;
use hadal_core::critic::{FormKind, FormVerdict};
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::page::{Form, FormSource};
use hadal_core::strategy::{Lesson, SiteCounters};
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

/// Number of a run within its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunId(pub u64);

/// Identity of a run. The same specification resumes the same run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSpec {
    /// Topic name or words.
    pub topic: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Normalised seed URLs in the order given.
    pub seeds: Vec<Url>,
    /// Seed of the random number generator.
    pub seed: u64,
    /// Origin of the pages: `web`, or the name of a simulated web such as `world 7`.
    pub source: String,
}

/// Progress of a run, written at every sync.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunProgress {
    /// Sequence number of the next step.
    pub next_seq: u64,
    /// Arrival number of the next link.
    pub next_arrival: u64,
    /// Clock of the run.
    pub now: Time,
    /// Generation of the strategy's model.
    pub generation: u32,
    /// Running time in milliseconds, over all sessions.
    pub elapsed_ms: u64,
    /// State of the run.
    pub state: RunState,
    /// Request budget of the run, over all sessions.
    pub max_requests: Option<u64>,
    /// Saved state of the strategy. `None` in a write keeps the stored state. Lists of runs fill it only if
    /// [`RunParts::strategy`](super::RunParts::strategy) is set.
    pub strategy: Option<Vec<u8>>,
}

/// State of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// A session is running. In the table also a session that was killed.
    #[default]
    Running,
    /// The last session was killed. The same command resumes the run. Lists return this for runs of a store that no
    /// process holds open.
    Interrupted,
    /// Paused by the user.
    Paused,
    /// Stopped by the user. The same command resumes the run.
    Stopped,
    /// A budget is used up. A higher budget resumes the run.
    Budget,
    /// The frontier is empty.
    Exhausted,
}

impl RunState {
    /// True if a session is at work.
    pub fn is_open(self) -> bool {
        matches!(self, RunState::Running | RunState::Paused)
    }
}

/// Counters of a run. The store derives them from outcomes alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCounters {
    /// Requests sent or attempted.
    pub requests: u64,
    /// Requests that submitted a form.
    pub probes: u64,
    /// Bytes of body received.
    pub bytes: u64,
    /// Number of pages read.
    pub pages: u64,
    /// Links that failed and are not tried again.
    pub failed: u64,
    /// Sites with at least one page.
    pub sites: u64,
    /// Distinct forms of any kind.
    pub forms: u64,
    /// Distinct searchable forms.
    pub searchable: u64,
    /// Distinct relevant forms.
    pub relevant: u64,
    /// Links in the frontier.
    pub waiting: u64,
    /// Failures and retries by kind.
    pub errors: BTreeMap<FailureKind, u64>,
}

/// A visited page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRow {
    /// Identity of the link that was visited.
    pub id: LinkId,
    /// URL of the page.
    pub url: Url,
    /// Site of the page.
    pub site: Site,
    /// HTTP status code.
    pub status: u16,
    /// Text of the title element.
    pub title: String,
    /// ISO 639-1 code of the language.
    pub language: Option<String>,
    /// Probability that the page is on topic.
    pub p_topic: f32,
    /// Simhash of the text.
    pub fingerprint: u64,
    /// Number of links followed from a seed.
    pub depth: u16,
    /// Page on which the link was found.
    pub parent: Option<LinkId>,
    /// URLs that redirected to this one, first one first.
    pub redirects: Vec<Url>,
    /// Number of requests of the run when the page was read.
    pub at_request: u64,
    /// `ETag` or `Last-Modified`, for conditional requests.
    pub validator: Option<String>,
    /// Reason why the body or the parse is incomplete.
    pub note: Option<String>,
}

/// Failed requests for one URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureRow {
    /// Run that sent the requests.
    pub run: RunId,
    /// Host of the URL. For a robots.txt, the host that it applies to.
    pub host: Host,
    /// URL of the requests.
    pub url: Url,
    /// Reason of the last failure.
    pub kind: FailureKind,
    /// Time of the last failure, on the clock of the run.
    pub at: Time,
    /// Number of failures.
    pub times: u32,
    /// True if the URL is not tried again.
    pub given_up: bool,
}

/// A distinct form, as `hadal forms` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormRow {
    /// Identity of the form.
    pub form_id: FormId,
    /// Topic of the run. The store sets it.
    pub topic: String,
    /// Site of the page.
    pub site: Site,
    /// Page on which the form was found first.
    pub page_url: Url,
    /// URL to which the form is sent.
    pub action: Url,
    pub method: Method,
    /// Fields of the form.
    pub fields: Vec<FieldRow>,
    /// Purpose of the form.
    pub kind: FormKind,
    /// Probability that the form searches.
    pub p_searchable: f32,
    /// Relevance for the topic, see [`FormVerdict::p_relevant`](hadal_core::critic::FormVerdict::p_relevant).
    pub p_relevant: f32,
    /// Number of requests of the run when the form was found.
    pub found_at_request: u64,
    /// Number of links followed from a seed.
    pub depth: u16,
    /// Number of other pages with this form.
    pub also_on: u64,
    /// Markup that declares the form.
    pub source: FormSource,
    /// ISO 639-1 code of the page's language.
    pub language: Option<String>,
    /// Reasons for the verdict.
    pub evidence: Vec<String>,
    /// Result of the probe, if there was one.
    pub finding: Option<ProbeResult>,
    /// The complete form, needed to submit it. Read only on
    /// [`FormQuery::with_snapshot`](super::FormQuery::with_snapshot), and never exported.
    #[serde(skip)]
    pub form_snapshot: Option<Box<Form>>,
    /// Last check of the form's page. The store adds it.
    #[serde(skip)]
    pub check: Option<FormCheck>,
}

impl FormRow {
    /// The critic's verdict on the form.
    pub fn verdict(&self) -> FormVerdict {
        FormVerdict {
            kind: self.kind,
            p_searchable: self.p_searchable,
            p_relevant: self.p_relevant,
            evidence: self.evidence.clone(),
        }
    }
}

/// A field of a stored form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldRow {
    /// Value of the name attribute.
    pub name: String,
    /// Type attribute, or `select` or `textarea`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Text of the label.
    pub label: String,
    /// Number of options.
    pub options: usize,
}

/// A site of a run, as `hadal sites` prints it.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteRow {
    /// Registrable domain of the site.
    pub site: Site,
    /// Topic of the run.
    pub topic: String,
    /// Pages and forms of the site.
    pub counters: SiteCounters,
    /// Highest `p_relevant` among its forms.
    pub best: f32,
}

/// A run, as `hadal runs` prints it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Number of the run.
    pub id: RunId,
    /// Topic, strategy, seeds and source.
    pub spec: RunSpec,
    /// State, clock and next sequence number, as of the last sync.
    pub progress: RunProgress,
    /// Totals over all sessions.
    pub counters: RunCounters,
    /// History of the counters, oldest point first. Empty unless the query selects them.
    pub curve: Vec<CurvePoint>,
    /// Lengths of the queues that are not empty, lowest queue first. Empty unless the query selects them.
    pub queues: Vec<QueueLength>,
    /// Lessons of the strategy, oldest first. Empty unless the query selects them.
    pub lessons: Vec<LessonRow>,
}

/// A lesson of a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonRow {
    /// Requests of the run so far.
    pub at_request: u64,
    /// Pages of the run so far.
    pub at_page: u64,
    #[serde(flatten)]
    pub lesson: Lesson,
}
