//! Storage for the engine: frontier, outcomes and checkpoints of runs.

use super::best_queues::BestQueues;
use super::{
    FailureKind, FormRow, ForwardedLink, HarvestId, HostState, LabelUpdate, LessonRow, PageRow, ProbedForm,
    RunCounters, RunId, RunProgress, RunSpec, SharedRuns, Store, StoreError, Submission, SubmissionResult,
    Submitter,
};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, QueueId, QueueRank, QueuedLink};
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use url::Url;

/// Storage for the engine.
///
/// Changes are visible through the same handle at once. They are durable, and visible to other handles, after
/// [`CrawlStore::sync`].
pub trait CrawlStore: Send + Sync {
    /// Returns the run with this specification and creates it if there is none. Durable at once.
    fn begin(&self, spec: &RunSpec) -> Result<RunId, StoreError>;

    /// Deletes a run or a harvest except for its submissions. Its number is not used again. Durable at once.
    fn discard(&self, activity: Activity) -> Result<(), StoreError>;

    /// Returns the state from which a run continues, with at most `hosts` queues of hosts, or somewhat more if sites
    /// have a bonus. Of more queues, those with the best links are listed.
    fn resume(&self, run: RunId, hosts: usize) -> Result<RunCheckpoint, StoreError>;

    /// Applies a batch in one transaction. The outcome of a step that is not in flight is skipped.
    fn commit(&self, run: RunId, batch: &Batch) -> Result<(), StoreError>;

    /// Makes everything applied so far durable, all of it or nothing. Afterwards it survives a kill of the process.
    ///
    /// Submissions also survive power loss. Power loss may undo the other changes of the last seconds, all of them up
    /// to the last sync that the disk holds.
    fn sync(&self) -> Result<(), StoreError>;

    /// Looks up links, forms, hosts and sites of a run by their keys.
    fn look_up(&self, run: RunId, keys: &LookUp<'_>) -> Result<LookUpResult, StoreError>;

    /// Returns the first links of queues, in the order of the slices. Empty for a run that does not exist.
    fn queue_heads(&self, run: RunId, slices: &[QueueSlice]) -> Result<Vec<Vec<QueuedLink>>, StoreError>;

    /// Returns pages that link to each URL, at most `limit` each, in the order of the URLs.
    ///
    /// Only runs with this [`RunSpec::source`] count, the latest run first. A page counts if it is on another site, or
    /// if the URL was first found there. For the root of a site, links to any page of the site count. A run keeps at
    /// most [`MAX_CITING_PAGES`] citing pages per URL.
    fn backlinks(&self, source: &str, urls: &[Url], limit: usize) -> Result<Vec<Vec<Url>>, StoreError>;

    /// Returns the last instruction given to a run or harvest.
    fn control(&self, activity: Activity) -> Result<Control, StoreError>;

    /// Applies changes of users in their order. Durable at once, and allowed for readers.
    fn apply_user_changes(&self, changes: &[UserChange]) -> Result<(), StoreError>;

    /// Storage for runs with several workers; `None` if every run of this store has one.
    fn shared_runs(&self) -> Option<&dyn SharedRuns> {
        None
    }
}

/// Number of citing pages that a run keeps per URL. Guess.
pub const MAX_CITING_PAGES: usize = 50;

/// True if the URL is the root of its site, which means all pages of the site in [`CrawlStore::backlinks`].
pub(super) fn is_site_root(url: &Url) -> bool {
    url.path() == "/" && url.query().is_none()
}

/// A run or a harvest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    Run(RunId),
    Harvest(HarvestId),
}

impl Activity {
    /// Message for a run or harvest that does not exist.
    pub(super) fn unknown(self) -> String {
        match self {
            Activity::Run(run) => format!("there is no run {}", run.0),
            Activity::Harvest(harvest) => format!("there is no harvest {}", harvest.0),
        }
    }
}

/// Instruction of a user to a run or harvest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// Send no new requests.
    pub pause: bool,
    /// Finish the steps in flight and stop.
    pub stop: bool,
    /// New request budget. A harvest with its own budget does not draw from the shared one.
    pub max_requests: Option<u64>,
}

/// Removes the instruction that an earlier session of a run or harvest was given.
pub fn clear_control(store: &dyn Store, of: Activity) -> Result<(), StoreError> {
    let none = Control::default();
    match store.control(of)? == none {
        true => Ok(()),
        false => store.apply_user_changes(&[UserChange::Control(of, none)]),
    }
}

/// Change that no step of a run or harvest commits. It is stored apart from their rows, so that a user never waits for
/// the transaction of a crawl.
#[derive(Clone, Debug, PartialEq)]
pub enum UserChange {
    /// Instruction to a run or harvest, which must exist. It replaces the last one.
    Control(Activity, Control),
    /// New label of a form, or its removal.
    Label(LabelUpdate),
    /// Result of the submission with this number that was logged at once.
    Logged(Submitter, u64, SubmissionResult),
}

/// Keys of a [`CrawlStore::look_up`].
#[derive(Clone, Copy, Debug, Default)]
pub struct LookUp<'a> {
    /// Links that may be known.
    pub links: &'a [LinkId],
    /// Links to read.
    pub link_rows: &'a [LinkId],
    /// Forms that may be known.
    pub forms: &'a [FormId],
    /// Hosts to look up.
    pub hosts: &'a [Host],
    /// Sites to look up.
    pub sites: &'a [Site],
}

/// Result of a [`CrawlStore::look_up`], each list in the order of its keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LookUpResult {
    /// True for links that the run knows, in any state.
    pub links: Vec<bool>,
    /// Links that wait, are in flight or are done. `None` for an unknown link, and for one that failed or was dropped:
    /// their context is no longer needed.
    pub link_rows: Vec<Option<LinkRow>>,
    /// True for forms that the run knows.
    pub forms: Vec<bool>,
    /// States of hosts; `None` before the first request to a host.
    pub hosts: Vec<Option<HostState>>,
    /// Counters of sites; zero for unknown sites.
    pub sites: Vec<SiteCounters>,
}

/// Part of a queue, in rank order.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSlice {
    pub queue: QueueId,
    /// Only links of this host; `None` for all hosts.
    pub host: Option<Host>,
    /// Only links ranked after this one.
    pub after: Option<QueueRank>,
    /// Maximum number of links.
    pub limit: usize,
}

impl QueueSlice {
    /// The first links of one host in a queue.
    pub fn of_host(queue: QueueId, host: &Host, limit: usize) -> QueueSlice {
        QueueSlice { queue, host: Some(host.clone()), after: None, limit }
    }

    /// The first links of a queue.
    pub fn of_queue(queue: QueueId, limit: usize) -> QueueSlice {
        QueueSlice { queue, host: None, after: None, limit }
    }
}

/// State of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkState {
    /// In a queue of the frontier.
    Waiting,
    /// A step works on it.
    InFlight,
    /// Visited, or answered with a redirect.
    Done,
    /// Given up after a failure.
    Failed,
    /// Removed from the frontier without a visit.
    Dropped,
}

impl LinkState {
    /// Name in the table `links`.
    pub fn name(self) -> &'static str {
        match self {
            LinkState::Waiting => "waiting",
            LinkState::InFlight => "in flight",
            LinkState::Done => "done",
            LinkState::Failed => "failed",
            LinkState::Dropped => "dropped",
        }
    }
}

/// A stored link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRow {
    /// Current state: waiting, in flight or done.
    pub state: LinkState,
    /// The link with its last queue and score.
    pub queued: QueuedLink,
}

/// Subject of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StepTarget {
    /// A link of the frontier.
    #[serde(rename = "Lead")]
    Link(LinkId),
    /// robots.txt of a host.
    Robots {
        /// Host to which the rules apply.
        host: Host,
        /// URL of robots.txt, possibly after redirects.
        url: Url,
        /// Redirects followed so far.
        hops: u8,
    },
}

/// A step in flight. A link is in flight from here to its outcome, also across restarts. A link that is not
/// waiting is left as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct SentStep {
    /// Sequence number, in the order of sending.
    pub seq: u64,
    /// Subject of the step.
    pub target: StepTarget,
    /// Time of sending, on the clock of the run.
    pub at: Time,
}

/// All changes of one finished step.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Sequence number of the step.
    pub seq: u64,
    /// Time at which the step ended, on the clock of the run.
    pub at: Time,
    /// Subject of the step.
    pub target: StepTarget,
    /// Requests sent: 0, 1, or more for a visit that also fetched scripts, an OpenSearch description or sitemaps.
    pub requests: u32,
    /// Bytes of body received.
    pub bytes: u64,
    /// New state of the link.
    pub end: StepEnd,
    /// The page, if one was read.
    pub page: Option<PageRow>,
    /// Forms on the page.
    pub forms: Vec<FoundForm>,
    /// Links found on the page, with their placement.
    pub found: Vec<QueuedLink>,
    /// URLs on other sites that the page links to. Empty if no backlinks are collected.
    pub cited: Vec<Url>,
    /// New counters of the site.
    pub site: Option<(Site, SiteCounters)>,
    /// New states of the hosts involved.
    pub hosts: Vec<HostState>,
    /// Result of the submission, if the step made one.
    pub submission: Option<SubmissionResult>,
    /// Result of the probe that this step completed.
    pub probe: Option<Box<ProbedForm>>,
}

impl Outcome {
    /// Outcome of a step that sent one request and found nothing.
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

/// End of a step: the new state of its link.
#[derive(Clone, Debug, PartialEq)]
pub enum StepEnd {
    /// The link is done.
    Visited,
    /// The link is done. The target of the redirect is among [`Outcome::found`].
    Redirected,
    /// The link failed and is not tried again.
    Failed(FailureKind),
    /// The request failed. The link returns to the frontier with this placement.
    Retry(Box<QueuedLink>, FailureKind),
    /// The link was answered and returns to the frontier for its next request, as probes do.
    Continue(Box<QueuedLink>),
    /// robots.txt was read or is missing. The host's state holds the result.
    Robots,
    /// robots.txt could not be read, so the host is not visited for a while.
    RobotsFailed(FailureKind),
}

impl StepEnd {
    /// Reason of a failure, and true if the link is not tried again.
    pub(super) fn failure(&self) -> Option<(FailureKind, bool)> {
        match self {
            StepEnd::Failed(kind) => Some((*kind, true)),
            StepEnd::Retry(_, kind) | StepEnd::RobotsFailed(kind) => Some((*kind, false)),
            _ => None,
        }
    }

    /// The link that returns to the frontier, if any.
    pub fn requeued(&self) -> Option<&QueuedLink> {
        match self {
            StepEnd::Retry(queued, _) | StepEnd::Continue(queued) => Some(queued),
            _ => None,
        }
    }
}

/// A form on a page.
#[derive(Clone, Debug, PartialEq)]
pub enum FoundForm {
    /// A form that the run did not know.
    New(Box<FormRow>),
    /// A known form, also on this page.
    Known(FormId),
}

impl FoundForm {
    /// Identity of a form that the run did not know.
    pub(super) fn new_id(&self) -> Option<FormId> {
        match self {
            FoundForm::New(row) => Some(row.form_id),
            FoundForm::Known(_) => None,
        }
    }

    /// Identity of the form.
    pub(super) fn id(&self) -> FormId {
        match self {
            FoundForm::New(row) => row.form_id,
            FoundForm::Known(id) => *id,
        }
    }
}

/// Change of the frontier that belongs to no step.
#[derive(Clone, Debug, PartialEq)]
pub enum FrontierChange {
    /// New links: seeds, roots of sites, backlink look-ups.
    Add(Vec<QueuedLink>),
    /// New queue, score and generation of waiting links.
    Replace(Vec<QueuedLink>),
    /// Waiting links that are not visited any more.
    Drop(Vec<LinkId>),
    /// Drops the waiting links of a site, except in the engine's own queues, and marks the site as closed.
    CloseSite(Site),
    /// Fails the waiting links of a host for this reason.
    FailHost(Host, FailureKind),
    /// Failed links that wait again with this placement. Links in other states stay as they are.
    Retry(Vec<QueuedLink>),
    /// A lesson of the strategy.
    Learned(LessonRow),
    /// Links for the owners of their partitions. Only for [`SharedRuns`].
    Forward(Vec<ForwardedLink>),
    /// Forwarded links that their owner has received, by the numbers of their rows. Only for [`SharedRuns`].
    Receive(Vec<u64>),
}

/// Changes of one transaction, applied in the order of the fields.
///
/// A link found in a batch can be sent in the same batch. The outcome of a step comes in a later batch than its
/// sending, because a request is on record before it leaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Outcomes of finished steps.
    pub outcomes: Vec<Outcome>,
    /// Changes of the frontier.
    pub changes: Vec<FrontierChange>,
    /// Steps that are about to be sent.
    pub sent: Vec<SentStep>,
    /// Audit log entries of the steps sent.
    pub submissions: Vec<Submission>,
    /// Progress of the run, at a sync.
    pub progress: Option<RunProgress>,
}

/// State from which a run continues.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunCheckpoint {
    /// Progress of the run.
    pub progress: RunProgress,
    /// Counters of the run.
    pub counters: RunCounters,
    /// Steps in flight by sequence number, with their links.
    pub in_flight: Vec<(SentStep, Option<QueuedLink>)>,
    /// Queues that are not empty.
    pub queues: Vec<HostQueue>,
    /// Queues with further hosts: a rank before all of their links, and the number of these.
    pub stored: Vec<(QueueId, QueueRank, u64)>,
    /// Hosts that were requested.
    pub requested: Vec<RequestedHost>,
    /// Sites with a bonus for their links.
    pub bonuses: Vec<(Site, f32)>,
}

impl RunCheckpoint {
    /// Keeps at most `hosts` queues of hosts, as [`CrawlStore::resume`] wants it.
    pub(super) fn with_best_queues(mut self, hosts: usize) -> RunCheckpoint {
        if self.queues.len() <= hosts {
            return self;
        }
        let mut best = BestQueues::new(hosts, &self.bonuses);
        for HostQueue { queue, host, length, head } in std::mem::take(&mut self.queues) {
            let site = host.site();
            best.add(queue, head, length, &site.0, || host);
        }
        (self.queues, self.stored) = best.finish();
        self
    }
}

/// Number of waiting links of a host in a queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostQueue {
    pub queue: QueueId,
    pub host: Host,
    /// Number of waiting links.
    pub length: u64,
    /// Rank of the best one.
    pub head: QueueRank,
}

/// Address and pauses of a host that was requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedHost {
    pub host: Host,
    /// Its IP address, if known.
    pub ip: Option<std::net::IpAddr>,
    /// Earliest time of the next request to the host.
    pub next_at: Time,
    /// Earliest time of the next request to its politeness group.
    pub group_next_at: Time,
}

impl LinkRow {
    /// The link without its placement.
    pub fn link(&self) -> &FrontierLink {
        &self.queued.link
    }
}
