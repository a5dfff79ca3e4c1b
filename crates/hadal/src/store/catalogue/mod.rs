//! Queries for users: listings, exports and the dashboard.
//!
//! The cost of one call does not grow with the store. Lists continue after a row, never at a page number.

mod forms;
mod labels;

pub use forms::*;
pub use labels::*;

use super::{
    FailureRow, HarvestId, HarvestRow, PageRow, QueryRow, RecordRow, RowOrder, RowPage, RunId, RunRow,
    SiteRow, StoreError, Submission,
};
use hadal_core::address::{Host, Site};
use hadal_core::identity::FormId;
use hadal_core::link::QueueId;
use hadal_core::time::Time;
use std::fmt;
use std::str::FromStr;

/// Queries for users: listings, exports and the dashboard. All of them only read.
pub trait Catalogue: Send + Sync {
    /// Returns the runs that match.
    fn runs(&self, query: &RunQuery) -> Result<Vec<RunRow>, StoreError>;

    /// Returns sites with at least one page, and closed sites, as one consistent snapshot. Order: most relevant forms
    /// first, then most searchable forms, then most pages.
    fn sites(&self, query: &SiteQuery) -> Result<Vec<SiteRow>, StoreError>;

    /// Returns forms, highest `p_relevant` first. A form that several runs of a topic found is one row, as the first
    /// run saw it, unless the query asks for one run.
    fn forms(&self, query: &FormQuery) -> Result<RowPage<FormEntry, FormCursor>, StoreError>;

    /// Returns the same rows as [`Catalogue::forms`], reduced to the attributes that a query can select by. Much
    /// cheaper, because no form is read.
    fn form_summaries(&self, query: &FormQuery) -> Result<RowPage<FormSummary, FormCursor>, StoreError>;

    /// Returns ids of forms and harvested forms that begin with these hexadecimal digits, at most `limit`.
    fn forms_by_prefix(&self, digits: &str, limit: usize) -> Result<Vec<FormId>, StoreError>;

    /// Returns pages of a run in the order of their commits.
    fn pages(&self, query: &PageQuery) -> Result<RowPage<PageRow, PageCursor>, StoreError>;

    /// Returns the URLs of failed requests, in the order of their first failures.
    fn failures(&self, query: &FailureQuery) -> Result<RowPage<FailureRow, FailureCursor>, StoreError>;

    /// Returns entries of the audit log, oldest first; queries of users come last. Entries of discarded runs
    /// and harvests are included.
    fn submissions(
        &self,
        query: &SubmissionQuery,
    ) -> Result<RowPage<Submission, SubmissionCursor>, StoreError>;

    /// Returns the harvests that match.
    fn harvests(&self, query: &HarvestQuery) -> Result<Vec<HarvestRow>, StoreError>;

    /// Returns finished queries: oldest harvest first, by number within a harvest.
    fn queries(&self, query: &HarvestRowQuery) -> Result<RowPage<QueryRow, HarvestRowCursor>, StoreError>;

    /// Returns records: oldest harvest first, in the order they were found within a harvest.
    fn records(&self, query: &HarvestRowQuery) -> Result<RowPage<RecordRow, HarvestRowCursor>, StoreError>;

    /// Returns labels by form and topic.
    fn labels(&self, query: &LabelQuery) -> Result<RowPage<LabelRow, (FormId, String)>, StoreError>;

    /// True if a process holds this store open for crawling or harvesting.
    fn is_busy(&self) -> bool;
}

/// Selection of runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunQuery {
    /// Only this run.
    pub run: Option<RunId>,
    /// Only runs of this topic.
    pub topic: Option<String>,
    /// Order by number.
    pub order: RowOrder,
    /// Only runs after this one in the order.
    pub after: Option<RunId>,
    /// Maximum number of rows; `None` for all.
    pub limit: Option<usize>,
    /// Parts of a row that are read in addition.
    pub parts: RunParts,
}

impl RunQuery {
    /// Selects one run.
    pub fn one(run: RunId) -> RunQuery {
        RunQuery { run: Some(run), ..RunQuery::default() }
    }
}

/// Parts of a [`RunRow`] that cost extra reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunParts {
    /// Saved state of the strategy, in [`RunProgress::strategy`](super::RunProgress::strategy).
    pub strategy: bool,
    /// History of the counters.
    pub curve: bool,
    /// Number of queues to measure.
    pub queues: usize,
    /// Number of lessons wanted, the latest ones.
    pub lessons: usize,
}

/// Selection of sites.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteQuery {
    /// Only sites of this run.
    pub run: Option<RunId>,
    /// Only sites of runs of this topic.
    pub topic: Option<String>,
    /// Only this site.
    pub site: Option<Site>,
    /// Least `p_relevant` of the site's best form.
    pub min_relevance: f32,
    /// Maximum number of rows; `None` for all.
    pub limit: Option<usize>,
}

/// Selection of pages.
#[derive(Clone, Debug, PartialEq)]
pub struct PageQuery {
    /// Run that visited the pages.
    pub run: RunId,
    /// Order of the commits.
    pub order: RowOrder,
    /// Only pages after this one in the order.
    pub after: Option<PageCursor>,
    /// Maximum number of rows; `None` for the usual page size of the store.
    pub limit: Option<usize>,
}

impl PageQuery {
    /// Selects the pages of a run, first one first.
    pub fn of(run: RunId) -> PageQuery {
        PageQuery { run, order: RowOrder::Oldest, after: None, limit: None }
    }
}

/// Selection of failed requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FailureQuery {
    /// Only requests of this run.
    pub run: Option<RunId>,
    /// Only requests to one of these hosts; all hosts if there are none.
    pub hosts: Vec<Host>,
    /// Only rows after this one.
    pub after: Option<FailureCursor>,
    /// Maximum number of rows; `None` for the usual page size of the store.
    pub limit: Option<usize>,
}

/// Position in a list of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureCursor(pub(super) u64);

/// Position in a list of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCursor(pub(super) u64);

/// Selection of entries of the audit log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubmissionQuery {
    /// Only submissions of this run.
    pub run: Option<RunId>,
    /// Only submissions of this harvest.
    pub harvest: Option<HarvestId>,
    /// Only submissions for this topic.
    pub topic: Option<String>,
    /// Only entries after this one.
    pub after: Option<SubmissionCursor>,
    /// Maximum number of rows; `None` for the usual page size of the store.
    pub limit: Option<usize>,
}

/// Position in the audit log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubmissionCursor {
    /// True if the entries of runs and harvests are all read, and those of users follow.
    pub(super) is_user_query: bool,
    /// Row number of the last entry read.
    pub(super) number: i64,
}

impl fmt::Display for SubmissionCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_user_query { 'p' } else { 'c' }, self.number)
    }
}

impl FromStr for SubmissionCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<SubmissionCursor, ()> {
        let (is_user_query, number) = match text.split_at_checked(1).ok_or(())? {
            ("p", number) => (true, number),
            ("c", number) => (false, number),
            _ => return Err(()),
        };
        Ok(SubmissionCursor { is_user_query, number: number.parse().map_err(|_| ())? })
    }
}

/// Selection of harvests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HarvestQuery {
    /// Only this harvest.
    pub harvest: Option<HarvestId>,
    /// Only harvests of this form.
    pub form: Option<FormId>,
    /// Only harvests for this topic.
    pub topic: Option<String>,
    /// Order by number.
    pub order: RowOrder,
    /// Only harvests after this one in the order.
    pub after: Option<HarvestId>,
    /// Maximum number of rows; `None` for all.
    pub limit: Option<usize>,
    /// Read [`HarvestRow::curve`], too.
    pub curve: bool,
}

impl HarvestQuery {
    /// Selects one harvest.
    pub fn one(harvest: HarvestId) -> HarvestQuery {
        HarvestQuery { harvest: Some(harvest), ..HarvestQuery::default() }
    }
}

/// Selection of queries or records of harvests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HarvestRowQuery {
    /// Only rows of this harvest.
    pub harvest: Option<HarvestId>,
    /// Only rows of harvests of this form.
    pub form: Option<FormId>,
    /// Only rows of harvests for this topic.
    pub topic: Option<String>,
    /// Only rows with every word of this text, in any case. Records are searched in title, text and detail page,
    /// queries in their text. A text without words matches nothing.
    pub search: Option<String>,
    /// Only records that were found, changed or removed at or after this time.
    pub since: Option<Time>,
    /// Only rows after this one.
    pub after: Option<HarvestRowCursor>,
    /// Maximum number of rows; `None` for the usual page size of the store.
    pub limit: Option<usize>,
}

impl HarvestRowQuery {
    /// Selects all rows of one harvest.
    pub fn of(harvest: HarvestId) -> HarvestRowQuery {
        HarvestRowQuery { harvest: Some(harvest), ..HarvestRowQuery::default() }
    }

    /// Query for the harvests with rows that may match, oldest first.
    pub(super) fn harvests(&self) -> HarvestQuery {
        HarvestQuery {
            harvest: self.harvest,
            form: self.form,
            topic: self.topic.clone(),
            ..HarvestQuery::default()
        }
    }
}

/// Position in a list of queries or records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HarvestRowCursor {
    /// Harvest of the last row read.
    pub harvest: HarvestId,
    /// The last row read: the number of a query or the id of a record. `None` before the first row of the harvest.
    pub row: Option<u64>,
}

/// A run's counters at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurvePoint {
    /// Requests so far.
    pub requests: u64,
    /// Number of pages read.
    pub pages: u64,
    /// Distinct forms of any kind.
    pub forms: u64,
    /// Distinct searchable forms.
    pub searchable: u64,
    /// Distinct relevant forms.
    pub relevant: u64,
    /// Links in the frontier.
    pub waiting: u64,
}

/// A harvest's counters at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HarvestPoint {
    /// Requests so far.
    pub requests: u64,
    /// Number of finished queries.
    pub queries: u64,
    /// Number of distinct records.
    pub records: u64,
    /// Estimated coverage: lower bound, estimate, upper bound.
    pub coverage: Option<[f64; 3]>,
}

/// Resolution of curves: two points are at least `requests / CURVE_RESOLUTION` requests apart. Guess: a curve of a
/// million requests then has about 2,000 points.
pub const CURVE_RESOLUTION: u64 = 200;

/// True if a curve with its last point at request `last` gets a point at request `now`.
pub(super) fn is_point_due(last: Option<u64>, now: u64) -> bool {
    last.map_or(now > 0, |last| now >= last + (last / CURVE_RESOLUTION).max(1))
}

/// Length of a queue of the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLength {
    pub queue: QueueId,
    /// Waiting links, counted up to [`MAX_COUNTED_LINKS`].
    pub waiting: u64,
}

/// Number of links up to which the length of a queue is counted. Guess.
pub const MAX_COUNTED_LINKS: usize = 10_000;
