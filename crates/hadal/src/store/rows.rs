//! What goes into a store and what comes out of it.

use super::{HarvestId, ProbedForm, Submission, SubmissionResult};
pub use crate::polite::{HostState, RobotsState};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::critic::probe::ProbeResult;
use hadal_core::critic::{FormKind, FormVerdict};
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::link::{QueueId, QueuedLink};
use hadal_core::page::{Form, FormSource};
use hadal_core::strategy::{Lesson, SiteCounters};
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

/// A run's number within its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunId(pub u64);

/// What makes a run this run and no other. The same specification goes on with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpec {
    /// Topic name or words.
    pub topic: String,
    /// Strategy name.
    pub strategy: String,
    /// Normalised seed addresses, in the order given.
    pub seeds: Vec<Url>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Free-form note on where the pages come from ("web", "world 7"): part of the identity too.
    pub source: String,
}

/// What a step works on. A step sends at most one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StepTarget {
    /// A link of the frontier.
    #[serde(rename = "Lead")]
    Link(LinkId),
    /// A host's robots.txt, from this address (redirects change it).
    Robots {
        /// The host it speaks for.
        host: Host,
        /// Where it is asked.
        url: Url,
        /// Redirects followed so far.
        hops: u8,
    },
}

/// A step that was begun. A lead is in flight from here to its outcome, over restarts too; dispatching
/// what does not wait changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentStep {
    /// Its number, given in order of dispatch.
    pub seq: u64,
    /// What it works on.
    pub target: StepTarget,
    /// When it was begun.
    pub at: Time,
}

/// One step, finished: all that it changes, in one value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The number given at dispatch.
    pub seq: u64,
    /// When it ended.
    pub at: Time,
    /// What it worked on.
    pub target: StepTarget,
    /// Requests it cost: 0 or 1.
    pub requests: u32,
    /// Bytes of body it cost.
    pub bytes: u64,
    /// What became of it.
    pub end: StepEnd,
    /// The page, when there is one.
    pub page: Option<PageRow>,
    /// Forms on it: new ones whole, known ones by identity.
    pub forms: Vec<FoundForm>,
    /// Leads found, already placed.
    pub found: Vec<QueuedLink>,
    /// Addresses on other sites that the page links to, when backlinks are kept.
    pub cited: Vec<Url>,
    /// The site's tally afterwards.
    pub site: Option<(Site, SiteCounters)>,
    /// States of the hosts it asked or asked for, afterwards.
    pub hosts: Vec<HostState>,
    /// What came of the submission, when it was one.
    pub submission: Option<SubmissionResult>,
    /// The form whose probe it ended.
    pub probe: Option<Box<ProbedForm>>,
}

impl Outcome {
    /// A step that sent a request and brought nothing yet.
    pub fn of(seq: u64, target: StepTarget, at: Time) -> Outcome {
        Outcome {
            seq,
            at,
            target,
            requests: 1,
            bytes: 0,
            end: StepEnd::Visited,
            page: None,
            forms: Vec::new(),
            found: Vec::new(),
            cited: Vec::new(),
            site: None,
            hosts: Vec::new(),
            submission: None,
            probe: None,
        }
    }
}

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepEnd {
    /// Read to the end: the link is done.
    Visited,
    /// The link is done; what it points at is among the leads found.
    Redirected,
    /// It will not be tried again; the word names the kind ("http_404", "connect", "robots", ...).
    Failed(String),
    /// It goes back to the frontier, as it stands here.
    Retry(Box<QueuedLink>, String),
    /// Answered, and there is more to ask: it goes back to the frontier, as it stands here.
    Continue(Box<QueuedLink>),
    /// robots.txt was read, or found missing: the host's state tells.
    Robots,
}

impl StepEnd {
    /// The lead that goes back to the frontier, if one does.
    pub fn back(&self) -> Option<&QueuedLink> {
        match self {
            StepEnd::Retry(waiting, _) | StepEnd::Continue(waiting) => Some(waiting),
            _ => None,
        }
    }
}

/// A form on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FoundForm {
    /// Seen for the first time in this run.
    New(Box<FormRow>),
    /// Known; it also stands on this page.
    Known(FormId),
}

/// What changes in the frontier outside of any one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FrontierChange {
    /// New leads: seeds, roots of sites, backlink look-ups.
    Add(Vec<QueuedLink>),
    /// Placed anew: lane, score and generation of leads that wait.
    Replace(Vec<QueuedLink>),
    /// No longer wanted.
    Drop(Vec<LinkId>),
    /// Every waiting lead of a site is dropped and its tally marked closed.
    CloseSite(Site),
    /// Every waiting lead of a host has failed; the word names the kind.
    FailHost(Host, String),
    /// The strategy learned something.
    Learned(LessonRow),
}

/// What a strategy learned, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonRow {
    /// Requests of the run so far.
    pub at_request: u64,
    /// Pages of the run so far.
    pub at_page: u64,
    /// What was learned.
    #[serde(flatten)]
    pub lesson: Lesson,
}

/// What one transaction applies, in this order: outcomes, changes, dispatches, submissions, progress.
///
/// So a lead found here can be dispatched here, but a step's outcome comes in a later batch than its
/// dispatch: what is about to be requested is on record before the request is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Steps that ended.
    pub outcomes: Vec<Outcome>,
    /// Frontier changes.
    pub changes: Vec<FrontierChange>,
    /// Steps that were begun.
    pub sent: Vec<SentStep>,
    /// Entries of the audit log that belong to them.
    pub submissions: Vec<Submission>,
    /// Where the run stands after all of this, when it is time to say so.
    pub progress: Option<RunProgress>,
}

/// Where a run stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunProgress {
    /// Next step's number.
    pub next_seq: u64,
    /// Next lead's arrival number.
    pub next_order: u64,
    /// The run's clock.
    pub now: Time,
    /// Model generation.
    pub generation: u32,
    /// Milliseconds spent running, over all sessions.
    pub elapsed_ms: u64,
    /// How it stands.
    pub state: RunState,
    /// Requests it may spend in all, when there is a limit.
    pub max_requests: Option<u64>,
    /// Strategy's saved state, when it changed; `None` keeps the stored one.
    pub strategy: Option<Vec<u8>>,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Going on, or interrupted without a word.
    #[default]
    Running,
    /// A person paused it.
    Paused,
    /// A person stopped it; the same command goes on.
    Stopped,
    /// A budget ran out; a raised budget goes on.
    Budget,
    /// Nothing left to visit.
    Exhausted,
}

/// All that an engine needs to go on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunCheckpoint {
    /// Where the run stands.
    pub progress: RunProgress,
    /// What it has counted.
    pub tally: RunCounters,
    /// Steps begun and not ended, by number.
    pub in_flight: Vec<(SentStep, Option<QueuedLink>)>,
    /// Lanes and hosts with waiting leads, and how many.
    pub queues: Vec<(QueueId, Host, u64)>,
    /// Hosts whose address or estate rests beyond the run's now, and until when.
    pub resting: Vec<(Host, Option<std::net::IpAddr>, Time)>,
}

/// What a run has counted: kept by the store, from outcomes alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCounters {
    /// Requests sent or attempted.
    pub requests: u64,
    /// Of those, how many submitted a form.
    pub probes: u64,
    /// Bytes of body received.
    pub bytes: u64,
    /// Pages read.
    pub pages: u64,
    /// Links given up.
    pub failed: u64,
    /// Sites with at least one page.
    pub sites: u64,
    /// Distinct forms of any kind.
    pub forms: u64,
    /// Distinct searchable forms.
    pub searchable: u64,
    /// Distinct relevant forms.
    pub relevant: u64,
    /// Leads that wait.
    pub waiting: u64,
    /// Failures and retries by kind.
    pub errors: BTreeMap<String, u64>,
}

/// A visited page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageRow {
    /// Link that led to it.
    pub id: LinkId,
    /// Address.
    pub url: Url,
    /// Site.
    pub site: Site,
    /// Status code.
    pub status: u16,
    /// Title.
    pub title: String,
    /// Language code.
    pub language: Option<String>,
    /// P(on topic).
    pub p_topic: f32,
    /// Simhash of the text.
    pub fingerprint: u64,
    /// Clicks from a seed.
    pub depth: u16,
    /// Page it was found on.
    pub parent: Option<LinkId>,
    /// Addresses that redirected here.
    pub redirects: Vec<Url>,
    /// Request at which it was read.
    pub at_request: u64,
    /// `ETag` or `Last-Modified`, for conditional requests.
    pub validator: Option<String>,
    /// What cut the body or the parse short, if anything.
    pub note: Option<String>,
}

/// A distinct form, as `hadal forms` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormRow {
    /// Identity.
    pub form_id: FormId,
    /// The run's topic (filled by the store when read).
    pub topic: String,
    /// Site.
    pub site: Site,
    /// Page it was first found on.
    pub page_url: Url,
    /// Where it is sent.
    pub action: Url,
    /// How.
    pub method: Method,
    /// Its fields.
    pub fields: Vec<FieldRow>,
    /// What it is for.
    pub kind: FormKind,
    /// P(searchable).
    pub p_searchable: f32,
    /// P(searchable and of the topic).
    pub p_relevant: f32,
    /// Request of the run at which it was found.
    pub found_at_request: u64,
    /// Clicks from a seed.
    pub depth: u16,
    /// Other pages it stands on.
    pub also_on: u64,
    /// What declared it.
    pub source: FormSource,
    /// Language of the page.
    pub language: Option<String>,
    /// Why it was judged so.
    pub evidence: Vec<String>,
    /// What a probe found, once there was one.
    pub finding: Option<ProbeResult>,
    /// The form itself, to be filled; handed to the store and asked back with [`Store::whole_form`],
    /// never listed.
    ///
    /// [`Store::whole_form`]: super::Store::whole_form
    #[serde(skip)]
    pub whole: Option<Box<Form>>,
}

impl FormRow {
    /// What the form is held for.
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
    /// Name.
    pub name: String,
    /// HTML type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Label.
    pub label: String,
    /// How many choices it offers.
    pub options: usize,
}

/// A site, as `hadal sites` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteRow {
    /// Which.
    pub site: Site,
    /// The run's topic.
    pub topic: String,
    /// What it yielded.
    #[serde(flatten)]
    pub tally: SiteCounters,
    /// Highest P(relevant) among its forms.
    pub best: f32,
}

/// A run, as `hadal runs` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// Number.
    pub id: RunId,
    /// Specification.
    pub spec: RunSpec,
    /// Where it stands.
    pub progress: RunProgress,
    /// What it counted.
    pub tally: RunCounters,
}

/// Which rows are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Only this run.
    pub run: Option<RunId>,
    /// Only this harvest: of submissions, which runs and harvests both make.
    pub harvest: Option<HarvestId>,
    /// Only this topic.
    pub topic: Option<String>,
    /// Only this site.
    pub site: Option<Site>,
    /// Only forms at least this likely relevant.
    pub min_relevance: f32,
    /// Only forms at least this likely searchable.
    pub min_searchable: f32,
}

/// What goes on for a while: it can be watched, and told what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// A crawl.
    Run(RunId),
    /// A harvest.
    Harvest(HarvestId),
}

/// What a person asked of a running crawl or harvest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// Hold dispatching.
    pub pause: bool,
    /// Finish what is in flight and stop.
    pub stop: bool,
    /// A new request budget. A harvest that has one no longer spends what it shared with others.
    pub max_requests: Option<u64>,
}
