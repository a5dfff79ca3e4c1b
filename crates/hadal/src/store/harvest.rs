//! Harvests: what was asked of a form, what came up, and how much may still be down there.
//!
//! A step of a harvest hands over one [`HarvestStep`], numbered in order; applying it twice changes
//! nothing. A killed harvest goes on from its [`HarvestCheckpoint`], its policy from [`Harvests::past`].
//! Lists come harvest by harvest, the oldest first, and read no more than they tell.

use super::{Answered, StoreError, Submission, Walk};
use hadal_core::harvest::policy::{End, Total};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::identity::FormId;
use hadal_core::page::Form;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

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

    /// Calls `each` with every query that ended and the records of its answer, in the order of their
    /// numbers, one answer in memory at a time; `each` may end the walk.
    fn past(
        &self,
        harvest: HarvestId,
        each: &mut dyn FnMut(AskedRow, Vec<HitRow>) -> Walk,
    ) -> Result<(), StoreError>;

    /// The harvests that pass, oldest first; what is searched for has no part in it.
    fn harvests(&self, filter: &HarvestFilter) -> Result<Vec<HarvestRow>, StoreError>;

    /// Calls `each` with the queries that pass and ended, by number; `each` may end the walk.
    fn asked(&self, filter: &HarvestFilter, each: &mut dyn FnMut(AskedRow) -> Walk)
    -> Result<(), StoreError>;

    /// Calls `each` with the records that pass, in the order they came up; `each` may end the walk.
    fn records(
        &self,
        filter: &HarvestFilter,
        each: &mut dyn FnMut(RecordRow) -> Walk,
    ) -> Result<(), StoreError>;
}

/// A harvest's number within its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HarvestId(pub u64);

/// What is harvested, and how. Form, policy, seed and source make a harvest this one and no other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HarvestSpec {
    /// Which form.
    pub form: FormId,
    /// The topic it was found for; empty for a form that somebody named.
    pub topic: String,
    /// The page it stands on.
    pub page: Url,
    /// The form itself, to be filled.
    pub whole: Form,
    /// Policy name.
    pub policy: String,
    /// Seed of every random choice.
    pub seed: u64,
    /// Where answers come from ("web", "world 7").
    pub source: String,
}

impl HarvestSpec {
    /// Whether both are about the same harvest.
    pub fn is_same(&self, other: &HarvestSpec) -> bool {
        let key = |spec: &HarvestSpec| (spec.form, spec.seed);
        key(self) == key(other) && self.policy == other.policy && self.source == other.source
    }

    /// A query to this form as people read it: its words, and its choices by the names of their fields.
    pub fn wording(&self, query: &Query) -> String {
        let name = |at: usize| self.whole.fields.get(at).map_or("", |field| field.name.as_str());
        let choices = query.choices.iter().map(|(at, value)| format!("{}={value}", name(*at)));
        let typed = Some(query.words.clone()).filter(|words| !words.is_empty());
        typed.into_iter().chain(choices).collect::<Vec<_>>().join(" ")
    }
}

/// A harvest, as `hadal harvests` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HarvestRow {
    /// Number.
    pub id: HarvestId,
    /// Specification.
    pub spec: HarvestSpec,
    /// When it began, on its own clock.
    pub began: Time,
    /// Where it stands.
    pub progress: HarvestProgress,
    /// What it counted.
    pub tally: HarvestTally,
    /// How much there is, once there was an estimate.
    pub estimate: Option<Estimated>,
}

/// Where a harvest stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HarvestProgress {
    /// How it stands.
    pub state: HarvestState,
    /// Why it ended, in words for people.
    pub ending: Option<String>,
    /// The harvest's clock; every step sets it too.
    pub now: Time,
    /// Milliseconds spent running, over all sessions.
    pub elapsed_ms: u64,
}

/// How a harvest stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HarvestState {
    /// Going on, or interrupted without a word.
    #[default]
    Running,
    /// A person stopped it; the same command goes on.
    Stopped,
    /// A budget ran out; a raised budget goes on.
    Budget,
    /// It has all it wanted, or nothing more can be had.
    Done,
}

impl HarvestState {
    /// The name used in every table and export.
    pub fn name(self) -> &'static str {
        match self {
            HarvestState::Running => "running",
            HarvestState::Stopped => "stopped",
            HarvestState::Budget => "budget",
            HarvestState::Done => "done",
        }
    }
}

/// What a harvest has counted: kept by the store, from steps alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HarvestTally {
    /// Requests sent or attempted.
    pub requests: u64,
    /// Bytes of body received.
    pub bytes: u64,
    /// Queries that ended.
    pub queries: u64,
    /// Pages read.
    pub pages: u64,
    /// Distinct records.
    pub records: u64,
    /// Steps that failed.
    pub failed: u64,
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
}

impl HarvestTally {
    /// Takes in what a step cost and how it ended; the store counts what is new to it.
    pub(super) fn count_step(&mut self, step: &HarvestStep) {
        self.requests += u64::from(step.requests);
        self.bytes += step.bytes;
        self.pages += u64::from(step.pages);
        if let Some(kind) = &step.failed {
            self.failed += 1;
            *self.errors.entry(kind.clone()).or_default() += 1;
        }
    }
}

/// How much there is: low, best guess, high.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimated {
    /// Records behind the form; the high one may be infinite.
    pub size: [f64; 3],
    /// Share of them that came up.
    pub coverage: [f64; 3],
}

impl Estimated {
    /// The estimate, unless a part of it is no number.
    pub(super) fn told(self) -> Option<Estimated> {
        let parts = [self.size, self.coverage];
        (!parts.as_flattened().iter().any(|part| part.is_nan())).then_some(self)
    }
}

/// A query that ended, as `hadal queries` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedRow {
    /// The harvest that asked it (filled by the store when read).
    pub harvest: HarvestId,
    /// The form that was asked (filled by the store when read).
    pub form: FormId,
    /// Its number within the harvest.
    pub number: u32,
    /// The query.
    pub query: Query,
    /// The query as people read it.
    pub words: String,
    /// What kind of query it was: the policy's word for it.
    pub kind: String,
    /// How many records the form says there are.
    pub total: Option<Total>,
    /// Records in the answer, as far as it was read.
    pub found: u32,
    /// Of those, how many no answer before it held.
    pub new: u32,
    /// Pages that were read.
    pub pages: u32,
    /// Requests it cost.
    pub requests: u32,
    /// Why no more pages were read.
    pub end: End,
    /// When it ended.
    pub at: Time,
    /// Its records, in the order of the answer.
    pub hits: Vec<RecordId>,
}

/// A record that came up, as `hadal records` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordRow {
    /// The harvest that brought it up (filled by the store when read).
    pub harvest: HarvestId,
    /// The form it is behind (filled by the store when read).
    pub form: FormId,
    /// The harvest's topic (filled by the store when read).
    pub topic: String,
    /// The record.
    pub record: Record,
    /// Number of the query that first brought it up.
    pub asked: u32,
    /// That query as people read it.
    pub words: String,
    /// Its place in the answer, the first being 1.
    pub position: u32,
    /// When the answer came.
    pub fetched_at: Time,
    /// Text of the record's own page, once that was fetched.
    pub detail: Option<String>,
}

/// A record of a past answer, with all that is known of it now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HitRow {
    /// Which one.
    pub id: RecordId,
    /// Whether no answer before this one held it.
    pub is_new: bool,
    /// What it is called.
    pub title: String,
    /// Everything known of it, the text of its own page included.
    pub text: String,
}

impl HitRow {
    /// A record as the answer to the query of this number told it.
    pub(super) fn of(row: RecordRow, number: u32) -> HitRow {
        let text = match row.detail {
            Some(detail) => format!("{}\n{detail}", row.record.text),
            None => row.record.text,
        };
        HitRow { id: row.record.id, is_new: row.asked == number, title: row.record.title, text }
    }
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
    pub asked: Option<AskedRow>,
    /// What has been learned about answers, packed, when it changed.
    pub reader: Option<Vec<u8>>,
    /// How much there is, when that was estimated anew.
    pub estimate: Option<Estimated>,
    /// What came of the submission on record under its number.
    pub answered: Option<Answered>,
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

    /// The same as the number of a query.
    pub(super) fn last_number(&self, id: HarvestId) -> Option<u32> {
        self.last_of(id).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::http::Method;
    use hadal_core::page::{Field, FieldKind};

    #[test]
    fn a_query_reads_as_its_words_and_its_choices_by_name() {
        let page = Url::parse("http://a.org/").unwrap();
        let fields = vec![Field::new(FieldKind::Text, "q", ""), Field::new(FieldKind::Text, "year", "")];
        let spec = HarvestSpec {
            form: FormId(1),
            topic: String::new(),
            whole: Form::to(page.clone(), Method::Get, fields),
            page,
            policy: "hadal".into(),
            seed: 1,
            source: "web".into(),
        };
        let query = Query { words: "deep sea".into(), choices: vec![(1, "1999".into()), (7, "x".into())] };
        assert_eq!(spec.wording(&query), "deep sea year=1999 =x");
        assert_eq!(spec.wording(&Query::default()), "");
    }

    #[test]
    fn an_estimate_that_is_no_number_is_none() {
        let good = Estimated { size: [1.0, 2.0, f64::INFINITY], coverage: [0.0, 0.5, 1.0] };
        assert_eq!(good.told(), Some(good));
        assert_eq!(Estimated { coverage: [0.0, f64::NAN, 1.0], ..good }.told(), None);
    }
}
