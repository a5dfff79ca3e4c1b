//! Harvests: what was asked of a form, what came up, and how much may still be down there.
//!
//! A step of a harvest hands over one [`HarvestStep`], numbered in order; applying it twice changes
//! nothing. A killed harvest goes on from its [`HarvestCheckpoint`], its policy from [`Harvests::past`].
//! Lists come harvest by harvest, the oldest first, and read no more than they tell.

mod rows;

pub use rows::*;

use super::{Control, StoreError, Submission, SubmissionResult, Walk};
use hadal_core::harvest::record::RecordId;
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};

/// A place to keep harvests in; every store is one.
pub trait Harvests: Send + Sync {
    /// The harvest with this specification: the one that exists, as it was first specified, else a new
    /// one that begins now.
    fn begin_harvest(&self, spec: &HarvestSpec, now: Time) -> Result<HarvestId, StoreError>;

    /// Forgets everything about a harvest but its submissions. Its number is not given again.
    fn discard_harvest(&self, harvest: HarvestId) -> Result<(), StoreError>;

    /// All that is needed to go on where the harvest stopped, but for what its policy learned.
    fn resume_harvest(&self, harvest: HarvestId) -> Result<HarvestCheckpoint, StoreError>;

    /// Puts a submission on record for good, with everything applied before it: only then may it be sent.
    fn log_submission(&self, entry: &Submission) -> Result<(), StoreError>;

    /// Applies steps in the order given: seen through this handle at once, kept with the next
    /// [`Store::sync`](super::Store::sync). A step whose number is not above the last one's is skipped.
    fn commit_steps(&self, harvest: HarvestId, steps: &[HarvestStep]) -> Result<(), StoreError>;

    /// Says where a harvest stands; kept with the next sync.
    fn note_harvest(&self, harvest: HarvestId, progress: &HarvestProgress) -> Result<(), StoreError>;

    /// What a person has asked of a running harvest.
    fn harvest_control(&self, harvest: HarvestId) -> Result<Control, StoreError>;

    /// Asks something of a running harvest; anyone who can open the store may.
    fn set_harvest_control(&self, harvest: HarvestId, control: &Control) -> Result<(), StoreError>;

    /// Calls `each` with every query that ended and the records of its answer, in the order of their
    /// numbers, one answer in memory at a time; `each` may end the walk.
    fn past(
        &self,
        harvest: HarvestId,
        each: &mut dyn FnMut(QueryRow, Vec<AnswerRecord>) -> Walk,
    ) -> Result<(), StoreError>;

    /// The harvests that pass, oldest first; what is searched for has no part in it.
    fn harvests(&self, filter: &HarvestFilter) -> Result<Vec<HarvestRow>, StoreError>;

    /// Calls `each` with the queries that pass and ended, by number; `each` may end the walk.
    fn asked(&self, filter: &HarvestFilter, each: &mut dyn FnMut(QueryRow) -> Walk)
    -> Result<(), StoreError>;

    /// Calls `each` with the records that pass, in the order they came up; `each` may end the walk.
    fn records(
        &self,
        filter: &HarvestFilter,
        each: &mut dyn FnMut(RecordRow) -> Walk,
    ) -> Result<(), StoreError>;
}

/// One step of a harvest, finished: all that it changes, in one value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HarvestStep {
    /// Its number, given in order.
    pub seq: u64,
    /// When it ended.
    pub at: Time,
    /// Requests it cost.
    pub requests: u32,
    /// Bytes of body it cost.
    pub bytes: u64,
    /// Pages it read.
    pub pages: u32,
    /// What went wrong, if anything; the word names the kind ("http_500", "connect", ...).
    pub failed: Option<String>,
    /// Records it brought up; those the harvest has stay as they were.
    pub records: Vec<RecordRow>,
    /// Texts of records' own pages.
    pub details: Vec<(RecordId, String)>,
    /// The query it ended.
    pub asked: Option<QueryRow>,
    /// What has been learned about answers, packed, when it changed.
    pub reader: Option<Vec<u8>>,
    /// How much there is, when that was estimated anew.
    pub estimate: Option<HarvestEstimate>,
    /// What would be asked next, as people read it, when it ended a query.
    pub next: Vec<String>,
    /// What came of the submission on record under its number.
    pub submission: Option<SubmissionResult>,
}

/// All that is needed to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct HarvestCheckpoint {
    /// The harvest as it stands.
    pub row: HarvestRow,
    /// Next step's number: above that of every step and of every submission on record.
    pub next_seq: u64,
    /// What had been learned about answers.
    pub reader: Option<Vec<u8>>,
    /// Records first brought up by queries that have not ended, in the order they came up.
    pub open: Vec<RecordId>,
}

/// Which rows are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HarvestFilter {
    /// Only this harvest.
    pub harvest: Option<HarvestId>,
    /// Only harvests of this form.
    pub form: Option<FormId>,
    /// Only harvests for this topic.
    pub topic: Option<String>,
    /// Only rows that have every word of this text, whatever the case: records anywhere, queries in
    /// what was asked. Text without words is in none.
    pub search: Option<String>,
    /// Only rows after this one: a harvest, and the number of a query or the id of a record in it.
    pub after: Option<(HarvestId, u64)>,
    /// How many rows are wanted about, for the store not to read many more.
    pub most: Option<usize>,
}

impl HarvestFilter {
    /// Whether rows of a harvest may be wanted.
    pub(super) fn passes(&self, id: HarvestId, spec: &HarvestSpec) -> bool {
        self.harvest.is_none_or(|wanted| wanted == id)
            && self.form.is_none_or(|wanted| wanted == spec.form)
            && self.topic.as_ref().is_none_or(|wanted| *wanted == spec.topic)
            && self.after.is_none_or(|(last, _)| last <= id)
    }

    /// The row of this harvest that comes right before the first one wanted.
    pub(super) fn last_of(&self, id: HarvestId) -> Option<u64> {
        self.after.filter(|(harvest, _)| *harvest == id).map(|(_, row)| row)
    }

    /// How many rows to read at once, where so many are usual.
    pub(super) fn chunk(&self, usual: usize) -> usize {
        self.most.map_or(usual, |most| most.clamp(1, usual))
    }

    /// The same as the number of a query.
    pub(super) fn last_number(&self, id: HarvestId) -> Option<u32> {
        self.last_of(id).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }
}
