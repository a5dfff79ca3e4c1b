//! Storage for harvests: queries, records and checkpoints.

mod rows;

pub use rows::*;

use super::{FailureKind, RowPage, StoreError, Submission, SubmissionResult};
use hadal_core::harvest::record::RecordId;
use hadal_core::time::Time;

/// Storage for harvests.
///
/// As in a crawl, changes are durable after [`CrawlStore::sync`](super::CrawlStore::sync), and
/// [`CrawlStore::discard`](super::CrawlStore::discard) deletes a harvest.
pub trait HarvestStore: Send + Sync {
    /// Returns the harvest with this specification, as it was first specified, and creates it at time `now` if there is
    /// none. Durable at once.
    fn begin_harvest(&self, spec: &HarvestSpec, now: Time) -> Result<HarvestId, StoreError>;

    /// Returns the state from which a harvest continues. The policy is rebuilt from [`HarvestStore::past_answers`].
    fn resume_harvest(&self, harvest: HarvestId) -> Result<HarvestCheckpoint, StoreError>;

    /// Applies a batch in one transaction. A step is skipped if its number is not above that of the last step.
    fn commit_harvest(&self, harvest: HarvestId, batch: &HarvestBatch) -> Result<(), StoreError>;

    /// Returns finished queries with the records of their answers, by query number, after the query `after`, at most
    /// `limit`.
    fn past_answers(
        &self,
        harvest: HarvestId,
        after: Option<u32>,
        limit: usize,
    ) -> Result<RowPage<PastAnswer, u32>, StoreError>;

    /// Stores results of form checks. A check replaces the earlier one of its form.
    fn save_form_checks(&self, checks: &[FormCheck]) -> Result<(), StoreError>;

    /// Writes a submission that no step commits to the audit log, before it is sent: the query of a user, or a test
    /// query in a rendered page. Returns its number, which the store sets as [`Submission::seq`]. Durable at once, and
    /// allowed for readers. The result follows as [`UserChange::Logged`](super::UserChange::Logged).
    fn log_at_once(&self, entry: &Submission) -> Result<u64, StoreError>;
}

/// Changes of one transaction of a harvest, applied in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HarvestBatch {
    /// Finished steps in order.
    pub steps: Vec<HarvestStep>,
    /// Audit log entries of requests that are about to be sent. Call `sync` before sending them.
    pub submissions: Vec<Submission>,
    /// Progress of the harvest.
    pub progress: Option<HarvestProgress>,
}

impl From<HarvestStep> for HarvestBatch {
    fn from(step: HarvestStep) -> HarvestBatch {
        HarvestBatch { steps: vec![step], ..HarvestBatch::default() }
    }
}

impl From<Submission> for HarvestBatch {
    fn from(entry: Submission) -> HarvestBatch {
        HarvestBatch { submissions: vec![entry], ..HarvestBatch::default() }
    }
}

impl From<HarvestProgress> for HarvestBatch {
    fn from(progress: HarvestProgress) -> HarvestBatch {
        HarvestBatch { progress: Some(progress), ..HarvestBatch::default() }
    }
}

/// All changes of one finished step of a harvest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HarvestStep {
    /// Sequence number within the harvest.
    pub seq: u64,
    /// Time at which the step ended, on the clock of the harvest.
    pub at: Time,
    /// Number of requests sent.
    pub requests: u32,
    /// Bytes of body received.
    pub bytes: u64,
    /// Result pages and detail pages read.
    pub pages: u32,
    /// Kind of failure, if the step failed.
    pub failed: Option<FailureKind>,
    /// Records found. A record that the harvest already has stays unchanged.
    pub records: Vec<RecordRow>,
    /// Texts of detail pages.
    pub details: Vec<(RecordId, String)>,
    /// Findings about known records. Those about other records are ignored.
    pub changes: Vec<RecordChange>,
    /// The query that ended with this step. One that was sent again ([`QueryRechecks::times`] > 0) replaces its
    /// earlier row.
    pub finished_query: Option<QueryRow>,
    /// Saved state of the answer reader, if it changed.
    pub reader: Option<Vec<u8>>,
    /// New size estimate.
    pub estimate: Option<HarvestEstimate>,
    /// Counters of the refresh that the step belongs to.
    pub refresh: Option<RefreshCounters>,
    /// Next queries of the policy as text, if a query ended.
    pub next: Vec<String>,
    /// Result of the submission with the same sequence number.
    pub submission: Option<SubmissionResult>,
}

/// State from which a harvest continues.
#[derive(Clone, Debug, PartialEq)]
pub struct HarvestCheckpoint {
    /// Row of the harvest itself.
    pub row: HarvestRow,
    /// Sequence number of the next step: above that of every step and every submission.
    pub next_seq: u64,
    /// Saved state of the answer reader.
    pub reader: Option<Vec<u8>>,
    /// Last check of the form's page.
    pub form_check: Option<FormCheck>,
}

/// A finished query with the records of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct PastAnswer {
    /// Row of the query.
    pub query: QueryRow,
    /// Records of the answer, in its order.
    pub records: Vec<AnswerRecord>,
}
