//! What a browser asks of a store: short pages of rows, each at a price that does not grow with the store.
//!
//! Lists are read from a place on, never from a page number. What people add while they look (labels, and
//! queries they send through a form) is kept beside the crawl's own rows, so that they never wait for it.

mod directory;
mod labels;

pub use directory::{
    DirectoryPage, FormCursor, FormEntry, FormQuery, FormSummary, LabelFilter, MOST_SCANNED, open_fields,
};
pub use labels::{Label, LabelRow};

use super::{
    HarvestId, HarvestRow, LessonRow, PageRow, RecordRow, RunId, RunRow, StoreError, Submission,
    SubmissionResult,
};
use hadal_core::address::LinkId;
use hadal_core::harvest::record::RecordId;
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, QueueId};

/// A store as those who look at it see it; every store is one.
pub trait Catalogue: Send + Sync {
    /// Runs, newest first, of a topic when one is named, older than `before`. What a strategy saved is left
    /// out here and in [`Catalogue::run_row`].
    fn run_page(
        &self,
        topic: Option<&str>,
        before: Option<RunId>,
        most: usize,
    ) -> Result<Vec<RunRow>, StoreError>;

    /// One run.
    fn run_row(&self, run: RunId) -> Result<Option<RunRow>, StoreError>;

    /// What a run had found after so many requests, oldest point first. A new point is at least one part
    /// in [`FINENESS`] further than the one before.
    fn curve(&self, run: RunId) -> Result<Vec<CurvePoint>, StoreError>;

    /// Lanes with waiting leads, lowest number first.
    fn lanes(&self, run: RunId, most: usize) -> Result<Vec<QueueLength>, StoreError>;

    /// The pages a run visited last, the latest first.
    fn latest_pages(&self, run: RunId, most: usize) -> Result<Vec<PageRow>, StoreError>;

    /// The lead that was followed to a page, with its lane and score where the store kept them.
    fn followed(&self, run: RunId, link: LinkId) -> Result<Option<FollowedLink>, StoreError>;

    /// What a run's strategy learned last, the latest first.
    fn latest_lessons(&self, run: RunId, most: usize) -> Result<Vec<LessonRow>, StoreError>;

    /// What a run's strategy saved last.
    fn saved_strategy(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Forms that pass, the most relevant first, with what people made of them.
    fn directory(&self, query: &FormQuery) -> Result<DirectoryPage<FormEntry>, StoreError>;

    /// The same at a glance.
    fn glances(&self, query: &FormQuery) -> Result<DirectoryPage<FormSummary>, StoreError>;

    /// One form, as the first run of the topic saw it; of any topic when none is named.
    fn found(&self, form: FormId, topic: Option<&str>) -> Result<Option<FormEntry>, StoreError>;

    /// Keeps what a person made of a form, for good, in place of what was said before.
    fn mark(&self, row: &LabelRow) -> Result<(), StoreError>;

    /// Takes it back.
    fn unmark(&self, form: FormId, topic: &str) -> Result<(), StoreError>;

    /// What people made of forms, by form and topic, after a place.
    fn labels(&self, after: Option<(FormId, &str)>, most: usize) -> Result<Vec<LabelRow>, StoreError>;

    /// Harvests, newest first, older than `before`.
    fn harvest_page(&self, before: Option<HarvestId>, most: usize) -> Result<Vec<HarvestRow>, StoreError>;

    /// Records of a harvest in the order they came up, after one of them: all, or those that have every word
    /// of a text, for which only so many are looked through.
    fn record_page(
        &self,
        harvest: HarvestId,
        search: Option<&str>,
        after: Option<RecordId>,
        most: usize,
    ) -> Result<RecordPage, StoreError>;

    /// What a harvest had brought up after so many requests, as [`Catalogue::curve`].
    fn harvest_curve(&self, harvest: HarvestId) -> Result<Vec<HarvestPoint>, StoreError>;

    /// What a harvest would ask next, as it stood after its last query.
    fn outlook(&self, harvest: HarvestId) -> Result<Vec<String>, StoreError>;

    /// Whether somebody works on a run or a harvest in this store now.
    fn is_busy(&self) -> bool;

    /// Puts a query that a person sends through a form on record, for good; its number is given here.
    fn log_question(&self, entry: &Submission) -> Result<u64, StoreError>;

    /// Adds what came back for the question of this number.
    fn end_question(&self, number: u64, answer: &SubmissionResult) -> Result<(), StoreError>;
}

/// Some records of a harvest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordPage {
    /// The records; there may be fewer than asked for, and more to come.
    pub records: Vec<RecordRow>,
    /// After which record the next page begins, unless this was the last.
    pub next: Option<RecordId>,
}

/// How many parts of the way so far the next point of a curve is away at least.
pub const FINENESS: u64 = 200;

/// Whether a curve whose last point is at one request gets a point at another.
pub(super) fn is_due(last: Option<u64>, now: u64) -> bool {
    last.map_or(now > 0, |last| now >= last + (last / FINENESS).max(1))
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurvePoint {
    /// Requests so far, and so on.
    pub requests: u64,
    /// Pages read.
    pub pages: u64,
    /// Distinct forms of any kind.
    pub forms: u64,
    /// Distinct searchable forms.
    pub searchable: u64,
    /// Distinct relevant forms.
    pub relevant: u64,
    /// Leads that wait.
    pub waiting: u64,
}

/// A moment of a harvest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HarvestPoint {
    /// Requests so far.
    pub requests: u64,
    /// Queries that ended.
    pub queries: u64,
    /// Distinct records.
    pub records: u64,
    /// Share of the records that came up: low, best guess, high.
    pub coverage: Option<[f64; 3]>,
}

/// A lane of the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLength {
    /// Which.
    pub lane: QueueId,
    /// Leads that wait there, counted up to [`MOST_COUNTED`].
    pub waiting: u64,
}

/// Leads of a lane that are counted.
pub const MOST_COUNTED: usize = 10_000;

/// A lead that was followed.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedLink {
    /// The lead, as it was found.
    pub link: FrontierLink,
    /// Its lane and score when it was chosen.
    pub placed: Option<(QueueId, f32)>,
}
