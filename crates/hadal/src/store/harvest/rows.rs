//! Rows of harvests: what is kept of each, of its queries and of its records.

use super::HarvestStep;
use hadal_core::harvest::policy::{ReadingEnd, StatedTotal};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::http::Request;
use hadal_core::identity::FormId;
use hadal_core::page::Form;
use hadal_core::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

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

    /// A query to this form as people read it: its words, its choices by the names of their fields, the link
    /// that was followed, and the record from which it was read on.
    pub fn wording(&self, query: &Query) -> String {
        let name = |at: usize| self.whole.fields.get(at).map_or("", |field| field.name.as_str());
        let choices = query.choices.iter().map(|(at, value)| format!("{}={value}", name(*at)));
        let typed = Some(query.words.clone()).filter(|words| !words.is_empty());
        let link = query.link.iter().map(|link| format!("[{}]", link.label));
        let from = Some(query.after).filter(|after| *after > 0).map(|after| format!("[from {}]", after + 1));
        typed.into_iter().chain(choices).chain(link).chain(from).collect::<Vec<_>>().join(" ")
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
    pub tally: HarvestCounters,
    /// How much there is, once there was an estimate.
    pub estimate: Option<HarvestEstimate>,
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
pub struct HarvestCounters {
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

impl HarvestCounters {
    /// Takes in what a step cost and how it ended; the store counts what is new to it.
    pub(in crate::store) fn count_step(&mut self, step: &HarvestStep) {
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
pub struct HarvestEstimate {
    /// Records behind the form; the high one may be infinite.
    pub size: [f64; 3],
    /// Share of them that came up.
    pub coverage: [f64; 3],
}

impl HarvestEstimate {
    /// The estimate, unless a part of it is no number.
    pub(in crate::store) fn told(self) -> Option<HarvestEstimate> {
        let parts = [self.size, self.coverage];
        (!parts.as_flattened().iter().any(|part| part.is_nan())).then_some(self)
    }
}

/// A query that ended, as `hadal queries` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryRow {
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
    pub total: Option<StatedTotal>,
    /// Records in the answer, as far as it was read.
    pub found: u32,
    /// Of those, how many no answer before it held.
    pub new: u32,
    /// Pages that were read.
    pub pages: u32,
    /// Requests it cost.
    pub requests: u32,
    /// Why no more pages were read.
    pub end: ReadingEnd,
    /// When it ended.
    pub at: Time,
    /// Its records, in the order of the answer.
    pub hits: Vec<RecordId>,
    /// What brings the next page of the answer, when it can be read on.
    pub next: Option<Request>,
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
pub struct AnswerRecord {
    /// Which one.
    pub id: RecordId,
    /// Whether no answer before this one held it.
    pub is_new: bool,
    /// What it is called.
    pub title: String,
    /// Everything known of it, the text of its own page included.
    pub text: String,
    /// What its list said as name and value.
    pub fields: Vec<(String, String)>,
}

impl AnswerRecord {
    /// A record as the answer to the query of this number told it.
    pub(in crate::store) fn of(row: RecordRow, number: u32) -> AnswerRecord {
        let text = match row.detail {
            Some(detail) => format!("{}\n{detail}", row.record.text),
            None => row.record.text,
        };
        let Record { id, title, fields, .. } = row.record;
        AnswerRecord { id, is_new: row.asked == number, title, text, fields }
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
        let query =
            Query { words: "deep sea".into(), ..Query::choices(vec![(1, "1999".into()), (7, "x".into())]) };
        assert_eq!(spec.wording(&query), "deep sea year=1999 =x");
        assert_eq!(spec.wording(&Query::default()), "");
    }

    #[test]
    fn an_estimate_that_is_no_number_is_none() {
        let good = HarvestEstimate { size: [1.0, 2.0, f64::INFINITY], coverage: [0.0, 0.5, 1.0] };
        assert_eq!(good.told(), Some(good));
        assert_eq!(HarvestEstimate { coverage: [0.0, f64::NAN, 1.0], ..good }.told(), None);
    }
}
